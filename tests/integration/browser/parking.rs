//! The pointer where it is until a scenario moves it.

use std::time::Duration;

use cu_run::{
    clock::{Clock, SystemClock},
    geometry::Point,
};
use image::Rgb;

use super::stage::{SCREEN, Stage};

/// A page that turns red wherever the pointer is over it.
const REACTS: &str = "<style>html{height:100%;background:#fff} html:hover{background:#f00}</style><p>hover";

#[test]
fn no_page_reacts_to_the_parked_pointer_and_every_page_to_one_that_was_moved() {
    let corner = Point::new(SCREEN.width as i32 - 1, SCREEN.height as i32 - 1);
    let mut stage = Stage::open();
    assert_eq!(stage.display.desktop.pointer().unwrap(), corner);
    for _ in 0..3 {
        stage.show(REACTS);
        stage.display.desktop.rest_pointer().unwrap();
        let white = (0..100).any(|_| {
            SystemClock.sleep(Duration::from_millis(50));
            stage.screen().get_pixel(5, 400) == &Rgb([255; 3])
        });
        assert!(white, "the page is hovered");
    }
    stage.display.desktop.move_pointer(corner).unwrap();
    let red = (0..100).any(|_| {
        SystemClock.sleep(Duration::from_millis(50));
        stage.screen().get_pixel(5, 400) == &Rgb([255, 0, 0])
    });
    assert!(red, "the pointer that was moved hovers nothing: the test proves nothing");
}
