//! A display with a browser on it, as these tests want it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use cu_run::{
    browser::{
        Browser, BrowserError, BrowserSource, BrowserSpec, ChromiumConfig, ChromiumSource, ColorScheme,
        Element, Frame, Freeze, IntoView, NavigateOptions, Navigation,
    },
    clock::{Clock, SystemClock},
    desktop::Desktop,
    geometry::{Point, Region, Size},
    input::{Button, Press},
};
use image::{Rgb, RgbImage};

use super::test_desktop::TestDesktop;

pub(crate) const SCREEN: Size = Size::new(1000, 700);

pub(crate) struct Stage {
    pub(crate) browser: Box<dyn Browser>,
    pub(crate) desktop: TestDesktop,
}

pub(crate) fn spec() -> BrowserSpec {
    BrowserSpec {
        frame: Frame::PageOnly,
        freeze: Freeze::Frozen,
        frozen_clock_ms: None,
        color_scheme: ColorScheme::Light,
        executable: None,
        extra_flags: Vec::new(),
        start_timeout: Duration::from_secs(60),
    }
}

/// Options that fail a test only when something hangs.
pub(crate) fn patient() -> NavigateOptions {
    NavigateOptions { timeout: Duration::from_secs(60), expect_status: None }
}

pub(crate) fn within(timeout: Duration) -> NavigateOptions {
    NavigateOptions { timeout, expect_status: None }
}

pub(crate) fn source() -> ChromiumSource {
    ChromiumSource::new(ChromiumConfig::default(), Arc::new(SystemClock))
}

impl Stage {
    pub(crate) fn open() -> Self {
        Self::with(&spec())
    }

    pub(crate) fn with(spec: &BrowserSpec) -> Self {
        let mut desktop = TestDesktop::open(SCREEN);
        let browser = source().open(&mut desktop, spec).unwrap();
        Self { browser, desktop }
    }

    pub(crate) fn go(&mut self, url: &str) -> Navigation {
        self.browser.navigate(url, &patient()).unwrap()
    }

    /// Shows markup.
    pub(crate) fn show(&mut self, html: &str) {
        let path: PathBuf = self.desktop.home().join("page.html");
        std::fs::write(&path, format!("<!doctype html><meta charset=utf-8>{html}")).unwrap();
        self.go(&format!("file://{}", path.display()));
    }

    pub(crate) fn refusal(&mut self, url: &str) -> BrowserError {
        self.browser.navigate(url, &patient()).unwrap_err()
    }

    pub(crate) fn find(&mut self, css: &str) -> Vec<Element> {
        self.browser.elements(css, IntoView::Leave).unwrap()
    }

    pub(crate) fn one(&mut self, css: &str) -> Element {
        let mut found = self.find(css);
        assert_eq!(found.len(), 1, "{css}: {found:?}");
        found.remove(0)
    }

    pub(crate) fn screen(&mut self) -> RgbImage {
        self.desktop.capture(SCREEN.region()).unwrap()
    }

    /// The box of all pixels of a colour, waited for until it has been the same twice.
    pub(crate) fn painted(&mut self, colour: [u8; 3]) -> Region {
        let mut last = None;
        for _ in 0..400 {
            let seen = box_of(&self.screen(), Rgb(colour));
            if seen.is_some() && seen == last {
                return seen.unwrap();
            }
            last = seen;
            SystemClock.sleep(Duration::from_millis(50));
        }
        self.screen().save("/tmp/cu-run-not-painted.png").unwrap();
        panic!("nothing on the screen has the colour {colour:?}")
    }

    pub(crate) fn click(&mut self, at: Point) {
        self.desktop.move_pointer(at).unwrap();
        self.desktop.button(Button::Left, Press::Down).unwrap();
        SystemClock.sleep(Duration::from_millis(20));
        self.desktop.button(Button::Left, Press::Up).unwrap();
    }

    /// Waits until the page's title is this.
    pub(crate) fn await_title(&mut self, title: &str) {
        let mut last = String::new();
        for _ in 0..400 {
            last = self.browser.location().unwrap().title;
            if last == title {
                return;
            }
            SystemClock.sleep(Duration::from_millis(25));
        }
        panic!("the title is {last:?}, not {title:?}")
    }
}

pub(crate) fn box_of(image: &RgbImage, colour: Rgb<u8>) -> Option<Region> {
    image
        .enumerate_pixels()
        .filter(|(_, _, pixel)| **pixel == colour)
        .map(|(x, y, _)| Region::new(x as i32, y as i32, 1, 1))
        .reduce(Region::union)
}
