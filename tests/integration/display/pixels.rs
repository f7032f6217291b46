//! Screenshots and damage of what a client draws.

use std::time::Duration;

use cu_run::{
    desktop::{DesktopError, WindowManager},
    geometry::{Point, Region},
};
use image::Rgb;
use x11rb::{
    connection::Connection,
    protocol::xproto::{
        ConnectionExt, CreateGCAux, CreateWindowAux, Gcontext, Rectangle, Window, WindowClass,
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{Opened, open};

/// A client that draws rectangles into a window that covers the screen.
struct Painter {
    x: RustConnection,
    window: Window,
    colour: Gcontext,
}

impl Painter {
    fn new(opened: &Opened) -> Self {
        // The test process has no XAUTHORITY of its own, so the secret is read from the case's file.
        let file = std::fs::read(opened.desktop.home().parent().unwrap().join("Xauthority")).unwrap();
        let number: u32 = opened.desktop.name().trim_start_matches(':').parse().unwrap();
        let stream = std::os::unix::net::UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).unwrap();
        let (stream, _) = x11rb::rust_connection::DefaultStream::from_unix_stream(stream).unwrap();
        let secret = file[file.len() - 16..].to_vec();
        let x = RustConnection::connect_to_stream_with_auth_info(
            stream,
            0,
            b"MIT-MAGIC-COOKIE-1".to_vec(),
            secret,
        );
        let x = x.unwrap();
        let (root, window, colour) =
            (x.setup().roots[0].root, x.generate_id().unwrap(), x.generate_id().unwrap());
        let aux = CreateWindowAux::new().background_pixel(0x0010_2030).override_redirect(1);
        x.create_window(24, window, root, 0, 0, 800, 600, 0, WindowClass::INPUT_OUTPUT, 0, &aux).unwrap();
        x.map_window(window).unwrap();
        x.create_gc(colour, window, &CreateGCAux::new()).unwrap();
        x.sync().unwrap();
        Self { x, window, colour }
    }

    fn fill(&self, region: Region, colour: u32) {
        let aux = x11rb::protocol::xproto::ChangeGCAux::new().foreground(colour);
        self.x.change_gc(self.colour, &aux).unwrap();
        let (x, y, width, height) =
            (region.x as i16, region.y as i16, region.width as u16, region.height as u16);
        let rectangle = Rectangle { x, y, width, height };
        self.x.poly_fill_rectangle(self.window, self.colour, &[rectangle]).unwrap();
        self.x.sync().unwrap();
    }
}

#[test]
fn a_capture_shows_exactly_what_was_drawn() {
    let mut opened = open(WindowManager::None);
    let painter = Painter::new(&opened);
    let (red, mixed) = (Region::new(5, 7, 31, 13), Region::new(797, 590, 3, 10));
    painter.fill(red, 0x00ff_0000);
    painter.fill(mixed, 0x0012_3456);
    let screen = Region::new(0, 0, 800, 600);
    let whole = opened.desktop.capture(screen).unwrap();
    for (x, y, pixel) in whole.enumerate_pixels() {
        let point = Point::new(x as i32, y as i32);
        let expected = match () {
            () if red.contains(point) => [0xff, 0, 0],
            () if mixed.contains(point) => [0x12, 0x34, 0x56],
            () => [0x10, 0x20, 0x30],
        };
        assert_eq!(*pixel, Rgb(expected), "at {point}");
    }
    // An odd part, so that no row begins at a round address.
    let part = Region::new(3, 6, 77, 19);
    let expected = image::imageops::crop_imm(&whole, 3, 6, 77, 19).to_image();
    assert_eq!(opened.desktop.capture(part).unwrap(), expected);
}

#[test]
fn the_pointer_is_not_in_a_capture() {
    let mut opened = open(WindowManager::None);
    let _painter = Painter::new(&opened);
    opened.desktop.move_pointer(Point::new(400, 300)).unwrap();
    let part = opened.desktop.capture(Region::new(380, 280, 40, 40)).unwrap();
    assert!(part.pixels().all(|pixel| *pixel == Rgb([0x10, 0x20, 0x30])));
}

#[test]
fn a_region_that_is_not_on_the_screen_is_refused() {
    let mut opened = open(WindowManager::None);
    for region in [Region::new(0, 0, 801, 10), Region::new(-1, 0, 5, 5), Region::new(0, 0, 0, 5)] {
        assert!(matches!(opened.desktop.capture(region), Err(DesktopError::Refused { .. })), "{region}");
    }
}

/// The regions that were drawn.
fn drawn(opened: &mut Opened, wait: Duration) -> Vec<Region> {
    opened.desktop.damage(wait).unwrap().into_iter().map(|damage| damage.region).collect()
}

#[test]
fn damage_names_what_was_drawn_and_nothing_else() {
    let mut opened = open(WindowManager::None);
    assert_eq!(drawn(&mut opened, Duration::ZERO), [], "a fresh display has no damage");
    let painter = Painter::new(&opened);
    assert_eq!(drawn(&mut opened, Duration::ZERO), [Region::new(0, 0, 800, 600)]);
    let (first, second) = (Region::new(10, 20, 30, 40), Region::new(500, 400, 5, 6));
    painter.fill(first, 1);
    painter.fill(second, 2);
    let mut found = drawn(&mut opened, Duration::from_secs(10));
    found.sort_by_key(|region| region.x);
    assert_eq!(found, [first, second]);
    // What was reported once is reported again when it is drawn again.
    painter.fill(first, 3);
    assert_eq!(drawn(&mut opened, Duration::from_secs(10)), [first]);
}

#[test]
fn the_pointer_does_no_damage() {
    let mut opened = open(WindowManager::None);
    let _painter = Painter::new(&opened);
    opened.desktop.damage(Duration::ZERO).unwrap();
    for step in 0..50 {
        opened.desktop.move_pointer(Point::new(step * 10, step * 5)).unwrap();
    }
    assert_eq!(opened.desktop.damage(Duration::from_millis(200)).unwrap(), []);
}
