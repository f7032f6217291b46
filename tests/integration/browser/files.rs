//! Files that go into a page and come out of it.

use std::{fs, time::Duration};

use cu_run::browser::BrowserError;

use super::{
    server::{Reply, Server},
    stage::Stage,
};

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn a_chooser_is_given_files_without_being_shown() {
    let mut stage = Stage::open();
    let file = stage.display.desktop.home().join("Größe.txt");
    fs::write(&file, "17 Zoll").unwrap();
    // The button opens the chooser of an input that nobody sees, as most sites do.
    stage.show(
        "<title>-</title><input type=file hidden id=f multiple onchange=\"(async () => document.title = \
         [...f.files].map(file => file.name) + ' ' + await f.files[0].text())()\"><button onclick='f.click()'>up</button>",
    );
    let at = stage.one("button").point;
    stage.browser.expect_files().unwrap();
    stage.click(at);
    stage.browser.give_files(std::slice::from_ref(&file), LIMIT).unwrap();
    stage.await_title("Größe.txt 17 Zoll");
    stage.browser.expect_files().unwrap();
    stage.click(at);
    stage.browser.give_files(&[file.clone(), file], LIMIT).unwrap();
    stage.await_title("Größe.txt,Größe.txt 17 Zoll");
}

#[test]
fn a_page_that_asks_for_no_file_or_for_one_is_told() {
    let mut stage = Stage::open();
    let file = stage.display.desktop.home().join("a.txt");
    fs::write(&file, "a").unwrap();
    stage.show("<input type=file id=f><button>nothing</button>");
    let nothing = stage.one("button").point;
    stage.browser.expect_files().unwrap();
    stage.click(nothing);
    let error =
        stage.browser.give_files(std::slice::from_ref(&file), Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error, BrowserError::NoFileChooser { .. }) && error.is_failure(), "{error}");
    let chooser = stage.one("#f").point;
    stage.browser.expect_files().unwrap();
    stage.click(chooser);
    let error = stage.browser.give_files(&[file.clone(), file], LIMIT).unwrap_err();
    assert!(matches!(error, BrowserError::OneFileOnly { given: 2 }), "{error}");
}

#[test]
fn downloads_are_waited_for_in_their_order() {
    let server = Server::start([
        (
            "/",
            Reply::Html(
                "<a href=/slow download=first.txt>1</a> <a href=/quick download=second.txt>2</a>".to_owned(),
            ),
        ),
        ("/slow", Reply::Slow(Duration::from_millis(400), "text/plain", "one".to_owned())),
        ("/quick", Reply::Slow(Duration::ZERO, "text/plain", "two".to_owned())),
    ]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    for (index, name, content) in [(0, "first.txt", "one"), (1, "second.txt", "two")] {
        let at = stage.find("a")[index].point;
        stage.click(at);
        let download = stage.browser.await_download(LIMIT).unwrap();
        assert_eq!(download.name, name);
        assert_eq!(fs::read_to_string(download.path).unwrap(), content);
    }
    let error = stage.browser.await_download(Duration::from_millis(100)).unwrap_err();
    assert!(error.to_string().ends_with("none began"), "{error}");
}
