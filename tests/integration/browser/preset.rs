//! What a browser has before its first page.

use cu_run::browser::{BrowserSpec, Cookie, Credentials, Preset, StoredValues};

use super::{
    server::{Reply, Server},
    stage::{Stage, patient, spec},
};

fn with(preset: Preset) -> Stage {
    Stage::with(&BrowserSpec { preset, ..spec() })
}

#[test]
fn cookies_and_stored_values_are_there_for_their_origin_alone_and_can_be_changed() {
    let page = "<title>-</title><script>document.title = document.cookie + '|' + localStorage.theme; \
                localStorage.theme = 'light'</script>";
    let server = Server::start([("/", Reply::Html(page.to_owned()))]);
    let mut stage = with(Preset {
        cookies: vec![Cookie { name: "sid".to_owned(), value: "abc".to_owned(), url: server.url("/") }],
        storage: vec![StoredValues {
            origin: server.url(""),
            values: vec![("theme".to_owned(), "dark".to_owned())],
        }],
        ..Preset::default()
    });
    assert!(server.asked().is_empty(), "the server is not asked for the page on which values are stored");
    assert!(stage.browser.take_notices().is_empty());
    stage.go(&server.url("/"));
    stage.await_title("sid=abc|dark");
    stage.go(&server.url("/"));
    stage.await_title("sid=abc|light");
    stage.go(&server.other_site("/"));
    stage.await_title("|undefined");
    // The empty pages are no part of the history.
    let mut back = Vec::new();
    while let Ok(page) = stage.browser.history(-1, &patient()) {
        back.push(page.url);
    }
    assert_eq!(back.first(), Some(&server.url("/")));
    assert!(back.len() <= 2 && back.get(1).is_none_or(|url| url == "about:blank"), "{back:?}");
}

/// `alice:wonderland`.
const ALICE: &str = "Basic YWxpY2U6d29uZGVybGFuZA==";

#[test]
fn the_server_that_asks_gets_the_password_and_no_other_one_does() {
    let server = Server::start([("/", Reply::Guarded(ALICE, "<title>in</title>".to_owned()))]);
    let credentials = |password: &str| Credentials {
        origin: server.url(""),
        user: "alice".to_owned(),
        password: password.to_owned(),
    };
    let mut stage = with(Preset { credentials: vec![credentials("wonderland")], ..Preset::default() });
    assert_eq!(stage.go(&server.url("/")).status, Some(200));
    stage.await_title("in");
    let mut stage = with(Preset { credentials: vec![credentials("looking glass")], ..Preset::default() });
    let error = stage.refusal(&server.url("/"));
    assert!(error.to_string().contains("answered with status 401"), "{error}");
}
