//! What pages say about themselves.

use std::time::Duration;

use cu_run::browser::{Notice, NoticeKind, NoticeLevel};

use super::{
    server::{Reply, Server},
    stage::Stage,
};

const SCRIPT: &str = "console.error('bad %s', 'news', {a: 1});
console.info('hello');
function fail() { throw new TypeError('boom') }
setTimeout(fail);
Promise.reject(new Error('nobody cares'));
fetch('/broken').then(() => fetch('http://127.0.0.1:1/')).catch(() => document.title = 'done');
";

fn of_kind(notices: &[Notice], wanted: impl Fn(NoticeKind) -> bool) -> Vec<(NoticeLevel, String, String)> {
    let chosen = notices.iter().filter(|notice| wanted(notice.kind));
    let mut told: Vec<_> = chosen
        .map(|notice| (notice.level, notice.text.clone(), notice.source.clone().unwrap_or_default()))
        .collect();
    told.sort();
    told
}

#[test]
fn messages_exceptions_and_failed_requests_come_with_their_lines() {
    let frame =
        Server::start([("/", Reply::Html("<script>console.warn('from the frame')</script>".to_owned()))]);
    let page = format!(
        "<title>-</title><script src=/app.js></script><img src=/gone.png><iframe src='{}'></iframe>",
        frame.other_site("/")
    );
    let server = Server::start([
        ("/", Reply::Html(page)),
        ("/app.js", Reply::Slow(Duration::ZERO, "text/javascript", SCRIPT.to_owned())),
        ("/broken", Reply::Status(503)),
    ]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    stage.await_title("done");
    let notices = stage.browser.take_notices();
    let at = |place: &str| server.url(&format!("/app.js{place}"));
    assert_eq!(
        of_kind(&notices, |kind| kind == NoticeKind::Console),
        [
            (NoticeLevel::Info, "hello".to_owned(), at(":2:9")),
            (NoticeLevel::Warning, "from the frame".to_owned(), format!("{}:1:17", frame.other_site("/"))),
            (NoticeLevel::Error, "bad news {a: 1}".to_owned(), at(":1:9")),
        ]
    );
    assert_eq!(
        of_kind(&notices, |kind| kind == NoticeKind::Exception),
        [
            (NoticeLevel::Error, "Uncaught (in promise) Error: nobody cares".to_owned(), at(":5:16")),
            (NoticeLevel::Error, "Uncaught TypeError: boom".to_owned(), at(":3:25")),
        ]
    );
    let failed = of_kind(&notices, |kind| matches!(kind, NoticeKind::Request { .. }));
    let errors: Vec<_> = failed.iter().filter(|(level, ..)| *level == NoticeLevel::Error).collect();
    assert_eq!(errors.len(), 3, "{failed:#?}");
    assert!(errors[0].1.contains("http://127.0.0.1:1/ failed: net::ERR_"), "{errors:#?}");
    assert_eq!(errors[1].1, format!("GET {} answered with status 503", server.url("/broken")));
    assert_eq!(errors[1].2, at(":6:1"));
    assert_eq!(errors[2].1, format!("GET {} answered with status 404", server.url("/gone.png")));
    assert!(notices.iter().all(|notice| !notice.page.is_empty()), "{notices:#?}");
    assert!(stage.browser.take_notices().is_empty(), "each is told once");
}

#[test]
fn a_page_that_is_left_gives_up_its_requests_without_failing() {
    let server = Server::start([
        ("/", Reply::Html("<script>fetch('/never')</script><link rel=icon href=data:,>".to_owned())),
        ("/never", Reply::Never),
    ]);
    let mut stage = Stage::open();
    // Never idle: the navigation gives up, and the next one leaves the page.
    stage.browser.navigate(&server.url("/"), &super::stage::within(Duration::from_millis(500))).unwrap_err();
    stage.show("<p>elsewhere");
    let failed = of_kind(&stage.browser.take_notices(), |kind| matches!(kind, NoticeKind::Request { .. }));
    assert!(failed.is_empty(), "{failed:?}");
}
