//! JavaScript dialogs: seen, told, left on the screen for real input.

use cu_run::{
    browser::{BrowserError, BrowserSpec, DialogAnswer, DialogPolicy, IntoView, Preset},
    clock::{Clock, SystemClock},
};

use super::{
    server::{Reply, Server},
    stage::{SCREEN, Stage, patient, spec},
};

fn dialog(error: &BrowserError) -> (&str, &str) {
    let BrowserError::Dialog { kind, message } = error else { panic!("{error}") };
    (kind, message)
}

#[test]
fn an_alert_blocks_with_its_words_stays_on_the_screen_and_closes_by_a_real_key() {
    let mut stage = Stage::open();
    stage.show("<body style='background:#0f6'><p>page<script>setTimeout(() => { alert('mind the gap'); document.title = 'closed' }, 300)</script>");
    let error = loop {
        match stage.browser.elements("p", IntoView::Leave) {
            Ok(_) => SystemClock.sleep(std::time::Duration::from_millis(30)),
            Err(error) => break error,
        }
    };
    assert_eq!(dialog(&error), ("alert", "mind the gap"));
    assert_eq!(error.to_string(), "the page waits in an alert dialog: \"mind the gap\"");
    assert!(error.is_failure());
    assert_eq!(stage.browser.viewport().unwrap(), SCREEN.region());
    // The alert is a light box over a dimmed or plain page.
    let centre = SCREEN.region().centre();
    let mut shown = false;
    for _ in 0..100 {
        let screen = stage.screen();
        shown = (0..SCREEN.height).any(|y| screen.get_pixel(centre.x as u32, y).0 == [255, 255, 255]);
        if shown {
            break;
        }
        SystemClock.sleep(std::time::Duration::from_millis(30));
    }
    assert!(shown, "the alert is on the screen");
    // A dialog takes keys only some time after it appeared, so that a key meant for the page does not close it.
    for _ in 0..40 {
        stage.chord("Return");
        SystemClock.sleep(std::time::Duration::from_millis(250));
        if stage.browser.location().unwrap().title == "closed" {
            break;
        }
    }
    stage.await_title("closed");
    assert_eq!(stage.find("p").len(), 1);
}

#[test]
fn a_page_that_greets_with_an_alert_is_told_at_once() {
    let mut stage = Stage::open();
    let error = stage.refusal("data:text/html,<script>confirm('sure?')</script>");
    assert_eq!(dialog(&error), ("confirm", "sure?"));
}

#[test]
fn a_page_that_asks_before_it_is_left_blocks_the_navigation_and_not_the_end_of_the_browser() {
    let server = Server::start([(
        "/",
        Reply::Html(
            "<title>-</title><body><input id=i autofocus><script>onbeforeunload = e => e.preventDefault(); \
            i.oninput = () => document.title = 'typed'</script>"
                .to_owned(),
        ),
    )]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    let at = stage.one("#i").point;
    stage.click(at);
    stage.display.desktop.type_text("a").unwrap();
    stage.await_title("typed");
    let error = stage.browser.navigate("about:blank", &patient()).unwrap_err();
    assert_eq!(dialog(&error).0, "beforeunload");
    stage.browser.close(&mut *stage.display.desktop).unwrap();
}

/// A page whose title becomes what its dialog returned, once its button is clicked.
fn asking(stage: &mut Stage, call: &str) {
    stage.show(&format!("<title>-</title><button onclick=\"document.title = {call}\">ask</button>"));
    let at = stage.one("button").point;
    stage.click(at);
}

fn await_dialog(stage: &mut Stage) -> (String, String) {
    for _ in 0..400 {
        if let Some(dialog) = stage.browser.dialog() {
            return (dialog.kind, dialog.message);
        }
        SystemClock.sleep(std::time::Duration::from_millis(25));
    }
    panic!("no dialog opened")
}

#[test]
fn a_dialog_is_answered_as_wanted_and_the_page_goes_on() {
    let mut stage = Stage::open();
    let yes = DialogAnswer::Accept(None);
    for (call, kind, answer, title) in [
        ("confirm('sure?')", "confirm", &yes, "true"),
        ("confirm('sure?')", "confirm", &DialogAnswer::Dismiss, "false"),
        ("prompt('who?', 'me')", "prompt", &DialogAnswer::Accept(Some("Änne".to_owned())), "Änne"),
        ("prompt('who?')", "prompt", &DialogAnswer::Dismiss, "null"),
    ] {
        asking(&mut stage, call);
        let (is, says) = await_dialog(&mut stage);
        assert_eq!((is.as_str(), says.ends_with('?')), (kind, true), "{call}");
        stage.browser.answer_dialog(answer).unwrap();
        stage.await_title(title);
        assert_eq!(stage.browser.dialog(), None);
    }
    assert!(matches!(stage.browser.answer_dialog(&yes), Err(BrowserError::NoDialog)));
}

#[test]
fn dialogs_are_answered_by_themselves_when_a_policy_says_so_and_are_told() {
    for (dialogs, title) in [(DialogPolicy::Accept, "true me"), (DialogPolicy::Dismiss, "false null")] {
        let preset = Preset { dialogs, ..Preset::default() };
        let mut stage = Stage::with(&BrowserSpec { preset, ..spec() });
        asking(&mut stage, "confirm('sure?') + ' ' + prompt('who?', 'me')");
        stage.await_title(title);
        let said: Vec<_> = stage.browser.take_notices().into_iter().map(|notice| notice.text).collect();
        assert_eq!(said, ["confirm: sure?", "prompt: who?"]);
    }
}
