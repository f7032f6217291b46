//! Going to pages: statuses, refusals, what is waited for and what is not.

use std::{net::TcpListener, time::Duration};

use cu_run::browser::{BrowserError, NavigateOptions, Navigation};

use super::{
    server::{Reply, Server},
    stage::{Stage, patient, within},
};

const HALF: Duration = Duration::from_millis(500);

fn page(body: &str) -> Reply {
    Reply::Html(format!("<!doctype html><title>-</title><body>{body}"))
}

#[test]
fn a_page_that_redirects_is_reported_with_its_last_address_and_status() {
    let server = Server::start([("/a", Reply::Redirect("/b".to_owned())), ("/b", page("b"))]);
    let arrived = Stage::open().go(&server.url("/a"));
    assert_eq!(arrived, Navigation { url: server.url("/b"), status: Some(200) });
}

#[test]
fn a_redirect_by_script_is_followed_until_the_last_page_is_there() {
    let server = Server::start([
        ("/a", page("<script>onload = () => location.replace('/b')</script>")),
        ("/b", Reply::Slow(HALF, "text/html", "<title>b</title>".to_owned())),
    ]);
    let arrived = Stage::open().go(&server.url("/a"));
    assert_eq!(arrived.url, server.url("/b"));
}

#[test]
fn a_refused_connection_names_address_and_reason() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let mut stage = Stage::open();
    let error = stage.refusal(&url);
    assert_eq!(error.to_string(), format!("failed to load {url}: net::ERR_CONNECTION_REFUSED"));
    assert!(error.is_failure());
    let error = stage.browser.reload(&patient()).unwrap_err();
    assert!(
        matches!(&error, BrowserError::Unreachable { reason, .. } if reason.contains("REFUSED")),
        "{error}"
    );
    let error = stage.refusal("no address at all");
    assert!(matches!(error, BrowserError::Unreachable { .. }), "{error}");
}

#[test]
fn an_error_status_is_a_failure_with_and_without_a_body_unless_it_is_wanted() {
    let server = Server::start([
        ("/gone", Reply::StatusPage(404, "<h1>gone</h1>")),
        ("/broken", Reply::Status(500)),
        ("/ok", page("ok")),
    ]);
    let mut stage = Stage::open();
    for (path, status) in [("/gone", 404), ("/broken", 500)] {
        let error = stage.refusal(&server.url(path));
        let BrowserError::Status { status: came, .. } = error else { panic!("{error}") };
        assert_eq!(came, status);
        let options = NavigateOptions { expect_status: Some(status), ..patient() };
        assert_eq!(stage.browser.navigate(&server.url(path), &options).unwrap().status, Some(status));
    }
    let options = NavigateOptions { expect_status: Some(404), ..patient() };
    let error = stage.browser.navigate(&server.url("/ok"), &options).unwrap_err();
    assert!(error.to_string().ends_with("answered with status 200, expected 404"), "{error}");
}

#[test]
fn slow_parts_of_a_page_are_waited_for_and_so_is_what_its_scripts_ask_for_after_the_load() {
    let server = Server::start([
        ("/", page("<script src=/slow.js></script>")),
        (
            "/slow.js",
            Reply::Slow(
                HALF,
                "text/javascript",
                "onload = () => fetch('/data').then(r => r.text()).then(text => document.title = text)"
                    .to_owned(),
            ),
        ),
        ("/data", Reply::Slow(HALF, "text/plain", "all is here".to_owned())),
    ]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    assert_eq!(stage.browser.location().unwrap().title, "all is here");
}

#[test]
fn a_request_that_never_ends_is_a_timeout_that_names_it() {
    let server = Server::start([("/", page("<script>fetch('/never')</script>")), ("/never", Reply::Never)]);
    let mut stage = Stage::open();
    let error = stage.browser.navigate(&server.url("/"), &within(Duration::from_secs(3))).unwrap_err();
    let BrowserError::LoadTimeout { waiting_for, .. } = &error else { panic!("{error}") };
    assert_eq!(*waiting_for, format!("1 request: {}", server.url("/never")));
    assert!(error.is_failure());
}

#[test]
fn a_server_that_never_answers_is_a_timeout_that_names_the_page() {
    let server = Server::start([("/", Reply::Slow(Duration::from_secs(8), "text/html", String::new()))]);
    let mut stage = Stage::open();
    let error = stage.browser.navigate(&server.url("/"), &within(Duration::from_secs(1))).unwrap_err();
    let BrowserError::LoadTimeout { waiting_for, .. } = &error else { panic!("{error}") };
    assert_eq!(*waiting_for, format!("1 request: {}", server.url("/")));
}

#[test]
fn streams_and_sockets_that_stay_open_by_nature_are_not_waited_for() {
    let server = Server::start([
        (
            "/",
            page(
                "<script>new EventSource('/events'); fetch('/events'); new WebSocket('ws://' + location.host + \
            '/never'); navigator.sendBeacon('/never')</script>",
            ),
        ),
        ("/events", Reply::Events),
        ("/never", Reply::Never),
    ]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    assert!(server.asked().contains(&"/events".to_owned()), "{:?}", server.asked());
}

#[test]
fn places_in_a_page_and_pages_without_http_are_arrived_at() {
    let server = Server::start([("/", page("<h1 id=end>end</h1>"))]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    assert_eq!(stage.go(&server.url("/#end")).url, server.url("/#end"));
    assert_eq!(stage.go("data:text/html,<title>d</title>").status, None);
    assert_eq!(stage.browser.location().unwrap().title, "d");
    assert_eq!(stage.go("about:blank").url, "about:blank");
}

#[test]
fn the_history_goes_both_ways_and_ends() {
    let server = Server::start([("/a", page("a")), ("/b", page("b"))]);
    let mut stage = Stage::open();
    stage.go(&server.url("/a"));
    stage.go(&server.url("/b"));
    stage.go(&server.url("/b#place"));
    assert_eq!(stage.browser.history(-1, &patient()).unwrap().url, server.url("/b"));
    let back = stage.browser.history(-1, &patient()).unwrap();
    assert_eq!(back, Navigation { url: server.url("/a"), status: Some(200) });
    assert_eq!(stage.browser.history(2, &patient()).unwrap().url, server.url("/b#place"));
    assert!(matches!(stage.browser.history(1, &patient()), Err(BrowserError::NoHistory)));
    let asked = server.asked().len();
    assert_eq!(stage.browser.reload(&patient()).unwrap().status, Some(200));
    assert!(server.asked().len() > asked, "a reload asks the server");
}
