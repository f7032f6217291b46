//! Tabs and windows beside each other.

use cu_run::browser::{BrowserError, BrowserSpec, Frame};

use super::{
    server::{Reply, Server},
    stage::{Stage, spec},
};

fn server() -> Server {
    let first = "<title>first</title><body style='background:#0f6'><a href=/second target=_blank>tab</a> <button \
                 onclick=\"open('/third', '', 'width=400,height=300,left=50,top=60')\">window</button>";
    let page = |title: &str, colour: &str| {
        Reply::Html(format!(
            "<title>{title}</title><body style='margin:0;background:{colour}'><em>{title}</em>"
        ))
    };
    Server::start([
        ("/", Reply::Html(first.to_owned())),
        ("/second", page("second", "#f0f")),
        ("/third", page("third", "#06f")),
    ])
}

fn titles(stage: &mut Stage) -> Vec<(String, bool)> {
    stage.browser.tabs().unwrap().into_iter().map(|tab| (tab.location.title, tab.is_front)).collect()
}

#[test]
fn tabs_come_to_the_front_and_go_by_their_order() {
    for frame in [Frame::PageOnly, Frame::Shown] {
        let server = server();
        let mut stage = Stage::with(&BrowserSpec { frame, ..spec() });
        stage.go(&server.url("/"));
        let error = stage.browser.close_tab().unwrap_err();
        assert!(matches!(error, BrowserError::LastTab), "{error}");
        let link = stage.one("a").point;
        stage.click(link);
        stage.await_title("second");
        stage.browser.show_tab(0).unwrap();
        stage.await_title("first");
        assert_eq!(titles(&mut stage), [("first".to_owned(), true), ("second".to_owned(), false)]);
        stage.painted([0, 255, 102]);
        stage.browser.show_tab(1).unwrap();
        assert_eq!(stage.painted([255, 0, 255]), stage.browser.viewport().unwrap(), "{frame:?}");
        stage.browser.close_tab().unwrap();
        stage.await_title("first");
        stage.painted([0, 255, 102]);
        assert!(matches!(stage.browser.show_tab(1), Err(BrowserError::NoTab { index: 1 })));
    }
}

#[test]
fn a_window_that_a_page_opens_is_in_front_until_another_tab_is_wanted() {
    let server = server();
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    let button = stage.one("button").point;
    stage.click(button);
    stage.await_title("third");
    assert_eq!(stage.painted([0, 102, 255]), stage.browser.viewport().unwrap());
    assert_eq!(stage.one("em").description, "em \"third\"");
    stage.browser.show_tab(0).unwrap();
    stage.await_title("first");
    assert_eq!(stage.find("em").len(), 0);
    let link = stage.one("a");
    assert_eq!(link.obscured_by, None);
}
