//! Scenarios that use more of the browser than its page: what pages say, dialogs, files, devices, tabs.

use serde_json::Value;

use crate::support::Project;

fn project(page: &str, scenario: &str) -> Project {
    let project = Project::new();
    project.write("scenarios/site/index.html", format!("<!doctype html><meta charset=utf-8>{page}"));
    project.write("scenarios/it.yaml", format!("name: it\nserve: site\n{scenario}"));
    project
}

fn steps(project: &Project) -> Vec<(String, String)> {
    let report = project.report();
    let step = |step: &Value| {
        let word = step["verdict"]["word"].as_str().unwrap().to_owned();
        (step["action"].as_str().unwrap().to_owned(), word)
    };
    report["cases"][0]["steps"].as_array().unwrap().iter().map(step).collect()
}

fn failure(project: &Project) -> Value {
    let report = project.report();
    let steps = report["cases"][0]["steps"].as_array().unwrap().clone();
    let failed = steps.into_iter().find(|step| step["verdict"]["word"] == "failed");
    failed.expect("no step failed")["verdict"]["failure"].clone()
}

/// A page whose button throws, asks for what is not there, and prints a secret.
const WRONG: &str = "<title>Wrong</title><p><button id=go onclick=\"console.log('key hunter2-and-more');
fetch('/api/ships');
missing()\">Go</button>";

#[test]
fn an_exception_fails_the_step_in_which_it_happens_only_when_that_is_wanted() {
    let steps_of = "steps:\n  - open_browser: /index.html\n  - left_click: {css: '#go'}\n  - wait: 100ms\n";
    let secret = "secrets: [key]\n";
    let run = |settings: &str, code: i32| {
        let project = project(WRONG, &format!("{secret}{settings}{steps_of}"));
        let mut command = project.command(&["scenarios"]);
        command.env("CU_RUN_SECRET_key", "hunter2-and-more");
        let outcome = crate::support::finish(command.spawn().unwrap());
        assert_eq!(outcome.code, Some(code), "{settings}\n{}\n{}", outcome.stdout, outcome.stderr);
        project
    };
    let passed = run("", 0);
    let console = passed.read("artifacts/it/logs/console.jsonl");
    assert!(console.contains("\"text\":\"key ***\"") && !console.contains("hunter2"), "{console}");
    assert!(console.contains("\"kind\":\"exception\""), "{console}");
    let logs = passed.report()["cases"][0]["logs"].to_string();
    assert!(logs.contains("it/logs/console.jsonl"), "{logs}");

    let project = run("browser: {fail_on: {console: error}}\n", 1);
    let word = |word: &str| word.to_owned();
    let wanted = [("open_browser", "passed"), ("left_click", "failed"), ("wait", "skipped")];
    assert_eq!(steps(&project), wanted.map(|(action, verdict)| (word(action), word(verdict))));
    let failed = failure(&project);
    assert_eq!(failed["kind"], "page_error");
    let message = failed["message"].as_str().unwrap();
    assert!(
        message.starts_with("the page threw: Uncaught ReferenceError: missing is not defined ("),
        "{message}"
    );
    assert!(message.contains("/index.html:"), "{message}");

    let failed = failure(&run("browser: {fail_on: {requests: failed}}\n", 1));
    let message = failed["message"].as_str().unwrap();
    assert!(message.contains("a request failed: GET http"), "{message}");
    assert!(message.contains("/api/ships answered with status 404"), "{message}");
}

#[test]
fn a_page_that_is_expected_to_be_missing_is_no_failed_request() {
    let project = project(
        "<p>there",
        "browser: {fail_on: {console: error, requests: failed}}\nsteps:\n  - open_browser: /index.html\n  \
         - navigate: {url: /gone.html, expect_status: 404}\n",
    );
    project.run_expecting(0, &["scenarios"]);
}

const DIALOGS: &str =
    "<title>Dialogs</title><p><button id=ask onclick=\"said.textContent = prompt('Your name?')\">Ask</button>
<button id=warn onclick=\"alert('Storm ahead')\">Warn</button><p id=said>nothing";

#[test]
fn a_dialog_is_answered_by_a_step_and_an_unexpected_one_is_told_with_its_words() {
    let project = project(
        DIALOGS,
        "vars: {who: Anna}\nsteps:\n  - open_browser: /index.html\n  - left_click: {css: '#ask'}\n  \
         - dialog: {says: 'name?', text: '${who}'}\n  - left_click: {css: '#warn'}\n  - dialog: accept\n  \
         - left_click: {css: '#warn'}\n  - left_click: {css: '#ask'}\n    timeout: 3\n",
    );
    project.run_expecting(1, &["scenarios"]);
    let words: Vec<_> = steps(&project).into_iter().map(|(_, word)| word).collect();
    assert_eq!(words, ["passed", "passed", "passed", "passed", "passed", "passed", "failed"]);
    let failed = failure(&project);
    assert_eq!(failed["kind"], "dialog");
    assert_eq!(failed["message"], "the page waits in an alert dialog: \"Storm ahead\"");
    let console = project.read("artifacts/it/logs/console.jsonl");
    assert!(console.contains("prompt: Your name?"), "{console}");
}

#[test]
fn a_dialog_that_says_something_else_or_does_not_come_fails_the_step() {
    for (wanted, message) in [
        (
            "  - left_click: {css: '#warn'}\n  - dialog: {says: Calm, answer: accept}\n",
            "the alert says \"Storm ahead\", not \"Calm\"",
        ),
        ("  - dialog: dismiss\n    timeout: 300ms\n", "no dialog opened within 300ms"),
    ] {
        let project = project(DIALOGS, &format!("steps:\n  - open_browser: /index.html\n{wanted}"));
        project.run_expecting(1, &["scenarios"]);
        assert_eq!(failure(&project)["message"], message);
    }
}

#[test]
fn files_go_up_and_come_down() {
    let page = "<title>Files</title><p><input type=file id=f onchange=\"(async () => { const a = document.createElement('a');
        a.id = 'down'; a.download = 'echo.txt'; a.textContent = 'Down'; a.href = window.URL.createObjectURL(new Blob(['echo: ', await f.files[0].text()]));
        document.body.append(a) })()\"><p>";
    let project = project(
        page,
        "steps:\n  - open_browser: /index.html\n  - upload: {at: {css: '#f'}, files: [data/ships.txt]}\n  \
         - download: {at: {css: '#down'}, name: echo.txt}\n",
    );
    project.write("scenarios/data/ships.txt", "three");
    project.run_expecting(0, &["scenarios"]);
    assert_eq!(project.read("artifacts/it/downloads/echo.txt"), "echo: three");
}

#[test]
fn a_phone_with_a_cookie_and_two_tabs() {
    let page = "<meta name=viewport content='width=device-width'><title>Phone</title><p><a id=next target=_blank \
                href=/next.html>next</a><p id=state><script>state.textContent = 
                [document.cookie, localStorage.theme, innerWidth, navigator.language].join(' ');
                if (state.textContent != 'sid=s3cret dark 360 fr-FR') console.error(state.textContent)</script>";
    let project = project(
        page,
        "display: 500x900\nsecrets: [sid]\nbrowser:\n  emulate: {device: phone, locale: fr-FR}\n  fail_on: {console: error}\n  \
         cookies: [{name: sid, value: '${secret.sid}'}]\n  storage: [{values: {theme: dark}}]\nsteps:\n  \
         - open_browser: /index.html\n  - left_click: {css: '#next'}\n  - left_click: {css: '#back'}\n  \
         - close_tab\n  - switch_tab: Phone\n  - set_viewport: 300x500\n  - emulate: {offline: true}\n  \
         - switch_tab: {url: nowhere}\n    timeout: 200ms\n",
    );
    project.write(
        "scenarios/site/next.html",
        "<meta name=viewport content='width=device-width'><title>Next</title><button id=back>x</button>",
    );
    let mut command = project.command(&["scenarios"]);
    command.env("CU_RUN_SECRET_sid", "s3cret");
    let outcome = crate::support::finish(command.spawn().unwrap());
    assert_eq!(outcome.code, Some(1), "{}\n{}", outcome.stdout, outcome.stderr);
    let failed = failure(&project);
    assert_eq!(failed["message"], "no tab url `nowhere`", "{failed}");
    assert!(failed["details"][0].as_str().unwrap().starts_with("tab 0 is `Phone` at http"), "{failed}");
    for (path, content) in project.files("artifacts") {
        assert!(!String::from_utf8_lossy(&content).contains("s3cret"), "{}", path.display());
    }
}
