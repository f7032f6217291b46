//! Pages that are told of another device.

use cu_run::{
    browser::{BrowserError, BrowserSpec, Emulation, UserAgent},
    geometry::{Region, Size},
};

use super::{
    server::{Reply, Server},
    stage::{Stage, spec},
};

const MAGENTA: [u8; 3] = [255, 0, 255];

fn phone() -> Emulation {
    Emulation {
        viewport: Some(Size::new(300, 500)),
        mobile: Some(true),
        touch: Some(true),
        user_agent: Some(UserAgent::Phone),
        ..Emulation::default()
    }
}

#[test]
fn a_page_sees_the_language_the_time_zone_and_the_name_that_it_is_told_and_sends_them() {
    let page = "<title>-</title><script>document.title = [navigator.language, (1.5).toLocaleString(), \
        new Date(1e12).getTimezoneOffset(), navigator.userAgent].join(' ')</script>";
    let server = Server::start([("/", Reply::Html(page.to_owned()))]);
    let mut stage = Stage::open();
    let german = Emulation {
        locale: Some("de-DE".to_owned()),
        time_zone: Some("Asia/Kolkata".to_owned()),
        user_agent: Some(UserAgent::Text("Harbour/1".to_owned())),
        ..Emulation::default()
    };
    stage.browser.emulate(&german).unwrap();
    stage.go(&server.url("/"));
    stage.await_title("de-DE 1,5 -330 Harbour/1");
    // What is not said again stays.
    stage.browser.emulate(&Emulation { time_zone: Some("UTC".to_owned()), ..Emulation::default() }).unwrap();
    stage.go(&server.other_site("/"));
    stage.await_title("de-DE 1,5 0 Harbour/1");
}

#[test]
fn a_phone_has_its_viewport_its_touches_and_its_layout_and_boxes_are_where_they_are_painted() {
    for scale in ["1", "1.25"] {
        let extra_flags = vec![format!("--force-device-scale-factor={scale}")];
        let mut stage = Stage::with(&BrowserSpec { extra_flags, ..spec() });
        stage.browser.emulate(&phone()).unwrap();
        stage.show(
            "<meta name=viewport content='width=device-width'><title>-</title><body style='margin:0;height:100vh'>\
             <b style='position:absolute;left:120px;top:40px;width:80px;height:60px;background:#f0f'></b><script>\
             document.title = [innerWidth, innerHeight, /Android.*Mobile/.test(navigator.userAgent)];\
             ontouchstart = e => document.title = 'touched ' + Math.round(e.touches[0].clientX)</script>",
        );
        stage.await_title("300,500,true");
        let pixels = |css: f64| (css * scale.parse::<f64>().unwrap()).round() as u32;
        let viewport = stage.browser.viewport().unwrap();
        assert_eq!(viewport, Region::new(0, 0, pixels(300.0), pixels(500.0)), "{scale}");
        let it = stage.one("b");
        assert_eq!(it.region, stage.painted(MAGENTA), "{scale}");
        assert_eq!(it.region.size(), Size::new(pixels(80.0), pixels(60.0)), "{scale}");
        stage.click(it.point);
        stage.await_title("touched 160");
    }
}

#[test]
fn a_page_without_a_viewport_of_its_own_is_shrunk_as_on_a_phone_and_boxes_follow() {
    let mut stage = Stage::open();
    stage.browser.emulate(&phone()).unwrap();
    stage.show(
        "<title>-</title><body style='margin:0'><b style='position:absolute;left:490px;top:98px;width:196px;\
         height:196px;background:#f0f'></b><p style='width:980px'>wide",
    );
    let (it, painted) = (stage.one("b").region, stage.painted(MAGENTA));
    let near = |a: i32, b: i32| (a - b).abs() <= 1;
    assert!(near(it.x, painted.x) && near(it.right(), painted.right()), "{it} is painted at {painted}");
    assert!(near(it.y, painted.y) && near(it.bottom(), painted.bottom()), "{it} is painted at {painted}");
    assert!(painted.width < 100, "{painted} is as wide as on a desktop");
}

#[test]
fn the_network_goes_and_comes_back() {
    let page = "<title>-</title><script>const say = () => document.title = navigator.onLine; say(); \
                ononline = onoffline = say</script>";
    let server = Server::start([("/", Reply::Html(page.to_owned()))]);
    let offline = |offline| Emulation { offline: Some(offline), ..Emulation::default() };
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    stage.await_title("true");
    stage.browser.emulate(&offline(true)).unwrap();
    stage.await_title("false");
    let error = stage.refusal(&server.url("/"));
    assert!(error.to_string().contains("ERR_INTERNET_DISCONNECTED"), "{error}");
    stage.browser.emulate(&offline(false)).unwrap();
    stage.go(&server.url("/"));
    stage.await_title("true");
}

#[test]
fn a_viewport_that_the_screen_cannot_hold_is_an_error_that_says_so() {
    let mut stage = Stage::open();
    let error = stage.browser.set_viewport(Size::new(1200, 500)).unwrap_err();
    assert!(matches!(error, BrowserError::ViewportTooLarge { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "a viewport of 1200x500 needs 1200x500 pixels of screen, there are 1000x700"
    );
}
