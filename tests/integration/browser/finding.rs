//! Elements and the pixels they are painted in.

use cu_run::{
    browser::{BrowserError, BrowserSpec, Frame, IntoView},
    geometry::{Point, Region, Size},
};

use super::{
    server::{Reply, Server},
    stage::{SCREEN, Stage, spec},
};

const MAGENTA: [u8; 3] = [255, 0, 255];
const FIT: &str = "<style>body{margin:0} b{display:block;width:80px;height:30px;background:#f0f}</style>";

#[test]
fn an_element_is_where_its_pixels_are_with_and_without_a_frame_around_the_page() {
    for frame in [Frame::PageOnly, Frame::Shown] {
        let mut stage = Stage::with(&BrowserSpec { frame, ..spec() });
        stage
            .show(&format!("{FIT}<b style='position:absolute;left:120px;top:77px' id=it class='a b'>go</b>"));
        // The letters are of another colour, the box around them is not.
        let painted = stage.painted(MAGENTA);
        let found = stage.one("b");
        assert_eq!(found.region, painted);
        assert_eq!(found.description, "b#it \"go\"");
        assert_eq!((found.obscured_by, found.point), (None, painted.centre()));
    }
}

#[test]
fn fractions_of_pixels_are_rounded_like_chromium_paints_them() {
    let mut stage = Stage::open();
    for (left, width) in [("10.3px", "20.4px"), ("10.6px", "20.3px"), ("10.5px", "20px")] {
        stage.show(&format!(
            "{FIT}<b style='position:absolute;left:{left};top:{left};width:{width};height:{width}'></b>"
        ));
        assert_eq!(stage.painted(MAGENTA), stage.one("b").region, "{left} {width}");
    }
}

#[test]
fn nested_frames_of_this_and_another_site_shadow_roots_scrolling_and_zoom_add_up() {
    let server = Server::start([
        ("/leaf", Reply::Html(format!("{FIT}<body style='height:3000px'><x-host></x-host><script>
            const root = document.querySelector('x-host').attachShadow({{mode: 'open'}});
            root.innerHTML = '<style>b{{display:block;width:80px;height:30px;background:#f0f;margin:400px 60px}}</style><b id=deep>x</b>';
            scrollTo(0, 350)</script>"))),
    ]);
    let middle = format!(
        "<body style='margin:0;height:2000px;background:#eee'><iframe src='{}' \
         style='position:absolute;left:50px;top:900px;width:400px;height:200px;border:7px solid;padding:5px'>\
         </iframe><script>onload = () => scrollTo(0, 850)</script>",
        server.other_site("/leaf")
    );
    let outer = Server::start([("/middle", Reply::Html(middle)), ("/", Reply::Html(
        "<body style='margin:0;height:1500px'><iframe src=/middle style='position:absolute;left:33px;top:111px;\
         width:600px;height:400px;border:3px solid'></iframe><script>onload = () => scrollTo(0, 40)</script>".to_owned(),
    ))]);
    for (scale, zooms, frame) in [
        ("1", 0, Frame::PageOnly),
        ("1", 0, Frame::Shown),
        ("1.25", 0, Frame::PageOnly),
        ("1", 2, Frame::PageOnly),
    ] {
        let extra_flags = vec![format!("--force-device-scale-factor={scale}")];
        let mut stage = Stage::with(&BrowserSpec { frame, extra_flags, ..spec() });
        stage.go(&outer.url("/"));
        for _ in 0..zooms {
            stage.chord("ctrl+plus");
        }
        let painted = stage.painted(MAGENTA);
        let found = stage.one("#deep");
        let is_scaled = scale != "1" || zooms > 0;
        // Where the pixels of a scaled frame of another process begin is up to its compositor: one pixel either way.
        let slack = i32::from(is_scaled);
        let off = |a: i32, b: i32| (a - b).abs() <= slack;
        let region = found.region;
        assert!(
            off(region.x, painted.x)
                && off(region.y, painted.y)
                && off(region.right(), painted.right())
                && off(region.bottom(), painted.bottom()),
            "scale {scale} zooms {zooms} {frame:?}: {region} is painted at {painted}"
        );
        assert_eq!(found.obscured_by, None);
        assert_eq!(region.width, if is_scaled { 100 } else { 80 }, "the zoom arrived");
    }
}

#[test]
fn a_frame_scaled_by_a_transform_scales_what_is_in_it() {
    let mut stage = Stage::open();
    stage.show(&format!(
        "<iframe style='position:absolute;left:40px;top:20px;border:0;transform:scale(.5);\
        transform-origin:0 0' srcdoc=\"{FIT}<b style='position:absolute;left:100px;top:40px'></b>\"></iframe>"
    ));
    assert_eq!(stage.painted(MAGENTA), Region::new(90, 40, 40, 15));
    assert_eq!(stage.one("b").region, Region::new(90, 40, 40, 15));
}

#[test]
fn the_region_is_the_visible_part() {
    let mut stage = Stage::open();
    stage.show(&format!(
        "{FIT}<div style='overflow:hidden;width:50px;height:20px;border:4px solid'><b></b></div>\
         <div style='overflow:hidden;width:50px;height:20px'><b class=free style='position:absolute'></b></div>"
    ));
    let found = stage.find("b");
    assert_eq!(found[0].region, Region::new(4, 4, 50, 20));
    assert_eq!(
        found[1].region,
        Region::new(0, 28, 80, 30),
        "an absolute box is not clipped by a static parent"
    );
}

#[test]
fn what_is_out_of_view_is_empty_until_it_is_scrolled_to() {
    let server = Server::start([(
        "/leaf",
        Reply::Html(format!(
            "{FIT}<div style='height:2500px'></div><b>2</b>\
        <div style='height:2500px'></div>"
        )),
    )]);
    let outer = Server::start([(
        "/",
        Reply::Html(format!(
            "{FIT}<style>html{{scroll-behavior:smooth}}</style><div style='height:1700px'></div><b style='background:#0ff'>1</b>\
         <iframe src='{}' style='display:block;margin-top:1800px;width:300px;height:200px'></iframe>",
            server.other_site("/leaf")
        )),
    )]);
    let mut stage = Stage::open();
    stage.go(&outer.url("/"));
    let found = stage.find("b");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|element| element.region.is_empty()), "{found:?}");
    let found = stage.browser.elements("b", IntoView::Scroll).unwrap();
    assert_eq!(found[0].region.size(), Size::new(80, 30));
    assert_eq!(stage.painted([0, 255, 255]), found[0].region);
    let found = stage.browser.elements("b", IntoView::ScrollNth(1)).unwrap();
    assert_eq!(stage.painted(MAGENTA), found[1].region);
    assert_eq!(found[1].region.size(), Size::new(80, 30));
    assert!(found[0].region.is_empty());
}

#[test]
fn what_lies_over_an_element_is_named_but_not_what_belongs_to_it() {
    let mut stage = Stage::open();
    stage.show(
        "<button id=covered>Pay</button><div class='cookie bar' style='position:fixed;inset:0 0 auto 0;height:60px'>\
         Accept all</div><p style='margin-top:200px'><button id=free><span style='pointer-events:none'>icon</span></button>\
         <label>Name <input id=field type=checkbox style='opacity:0'><i style='position:absolute;margin-left:-20px;\
         width:30px;height:30px'></i></label>",
    );
    assert_eq!(stage.one("#covered").obscured_by.as_deref(), Some("div.cookie.bar \"Accept all\""));
    for free in ["#free", "#free span", "#field"] {
        assert_eq!(stage.one(free).obscured_by, None, "{free}");
    }
}

#[test]
fn an_overlay_of_the_outer_page_obscures_what_is_in_a_frame() {
    let mut stage = Stage::open();
    stage.show(
        "<iframe srcdoc='<button>in</button>' style='width:300px;height:200px'></iframe>\
         <dialog id=d>wait</dialog><script>d.showModal()</script>",
    );
    assert_eq!(stage.one("button").obscured_by.as_deref(), Some("dialog#d \"wait\""));
}

#[test]
fn hidden_and_boxless_elements_are_left_out_and_order_is_that_of_the_document() {
    let mut stage = Stage::open();
    stage.show(
        "<p>1</p><p hidden>-</p><p style='visibility:hidden'>-</p><iframe srcdoc='<p>2</p>'></iframe><p>3</p>\
         <iframe style='display:none' srcdoc='<p>-</p>'></iframe><div><template shadowrootmode=open><p>4</p></template></div>",
    );
    let said: Vec<_> = stage.find("p").into_iter().map(|element| element.description).collect();
    assert_eq!(said, ["p \"1\"", "p \"2\"", "p \"3\"", "p \"4\""]);
    assert!(stage.find("video").is_empty());
}

#[test]
fn a_broken_selector_is_an_error_of_its_own() {
    let mut stage = Stage::open();
    let error = stage.browser.elements("a[[", IntoView::Leave).unwrap_err();
    assert!(matches!(&error, BrowserError::Selector { css, .. } if css == "a[["), "{error}");
    assert!(!error.is_failure());
}

#[test]
fn a_link_broken_into_lines_is_clicked_on_one_of_them() {
    let mut stage = Stage::open();
    stage.show(
        "<title>-</title><p style='width:300px;font:20px monospace'>aaaaaaaaaaaaaaaa <a href='#' \
         onclick=\"document.title='clicked'\">b bbbbbbb</a> cccccccccccccc",
    );
    let link = stage.one("a");
    assert_eq!(link.obscured_by, None);
    stage.click(link.point);
    stage.await_title("clicked");
}

#[test]
fn the_page_cannot_lie_about_itself() {
    let mut stage = Stage::open();
    stage.show(
        "<b id=it>x</b><script>Element.prototype.getBoundingClientRect = () => ({left:1,top:1,right:2,bottom:2});\
         Element.prototype.matches = () => false; window.innerWidth = 5; Document.prototype.elementFromPoint = () => null\
         </script>",
    );
    let it = stage.one("#it");
    assert!(it.region.height > 10 && it.obscured_by.is_none(), "{it:?}");
}

#[test]
fn a_new_tab_is_the_page_in_front() {
    let server = Server::start([
        ("/", Reply::Html("<title>first</title><a href=/next target=_blank>next</a>".to_owned())),
        ("/next", Reply::Html("<title>second</title><em>here</em>".to_owned())),
    ]);
    let mut stage = Stage::open();
    stage.go(&server.url("/"));
    let at = stage.one("a").point;
    stage.click(at);
    stage.await_title("second");
    assert_eq!(stage.one("em").description, "em \"here\"");
}

#[test]
fn the_viewport_takes_the_wanted_size_and_the_pointer_still_hits() {
    for frame in [Frame::PageOnly, Frame::Shown] {
        let mut stage = Stage::with(&BrowserSpec { frame, ..spec() });
        let size = Size::new(640, 480);
        stage.browser.set_viewport(size).unwrap();
        stage.show("<title>-</title><body style='margin:0;height:100vh;background:#f0f' onclick='document.title=[event.clientX,event.clientY]'>");
        let viewport = stage.browser.viewport().unwrap();
        assert_eq!(viewport.size(), size);
        assert_eq!(stage.painted(MAGENTA), viewport, "{frame:?}");
        assert!(SCREEN.region().encloses(viewport));
        stage.click(Point::new(viewport.x + 600, viewport.y + 400));
        stage.await_title("600,400");
    }
}
