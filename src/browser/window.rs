//! Where the browser's window and its page lie on the screen.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    BrowserError, Frame,
    chromium::{COMMAND_LIMIT, Chromium, WORLD},
    devtools::{CallError, Command},
    pages::Pages,
};
use crate::geometry::{Region, Size};

/// What the page in front says of its window. Lengths are in screen pixels unless they are said to be css.
const GEOMETRY: &str = "({
    inner: [innerWidth, innerHeight], outer: [outerWidth, outerHeight], at: [screenX, screenY],
    ratio: devicePixelRatio, visual: [visualViewport.offsetLeft, visualViewport.offsetTop],
    pinch: visualViewport.scale })";

/// Between two looks at a window whose size changes; each step takes some 20 ms.
const STILL_PAUSE: Duration = Duration::from_millis(60);

/// How many looks are enough.
const STILL_LOOKS: usize = 30;

/// The geometry of a window and its page.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Geometry {
    /// Size of the viewport in css pixels, scroll bars included.
    inner: [f64; 2],
    /// Size of the window.
    outer: [f64; 2],
    /// Where the window lies on the screen.
    at: [f64; 2],
    /// Screen pixels in a css pixel; another number than 1 when the page is zoomed.
    ratio: f64,
    /// Where the visible part begins in the viewport, in css pixels; not zero only when pinched.
    visual: [f64; 2],
    /// How much the page is pinched.
    pinch: f64,
    /// Screen pixels in a pixel of `outer` and `at`: the device scale factor the browser was started with.
    #[serde(skip)]
    scale: f64,
    /// The size in css pixels that the viewport was given instead of the window's; it then lies at its top left.
    #[serde(skip)]
    resized: Option<Size>,
}

impl Geometry {
    /// The window.
    pub(super) fn outer(&self) -> Region {
        let [left, top] = self.at.map(|at| at * self.scale);
        edges(left, top, left + self.outer[0] * self.scale, top + self.outer[1] * self.scale)
    }

    /// The page's viewport. What the window has more in width are its two side borders; the lower one is as thick.
    pub(super) fn viewport(&self) -> Region {
        let window = self.outer();
        if let Some(size) = self.resized {
            // A page that is laid out for phones may have another idea of its size.
            let size = scaled(size, self.scale);
            return Region::new(window.x, window.y, size.width, size.height);
        }
        let [width, height] = self.inner.map(|css| css * self.ratio);
        // A scaled viewport has whole css pixels: up to one of them is lost to rounding, and is no border.
        let slack = if (self.ratio - self.ratio.round()).abs() > 1e-6 { self.ratio.max(1.0) } else { 0.5 };
        let beyond = |outer: u32, inner: f64| match f64::from(outer) - inner {
            rest if rest < slack => 0,
            rest => rest.round() as u32,
        };
        let side = beyond(window.width, width) / 2;
        let above = beyond(window.height, height).saturating_sub(side);
        let lower = if above > 0 { side } else { 0 };
        Region::new(
            window.x + side as i32,
            window.y + above as i32,
            window.width - 2 * side,
            window.height - above - lower,
        )
    }

    /// A rectangle (left, top, right, bottom) in css pixels of the page's viewport as screen pixels. Chromium paints
    /// boxes with their edges rounded to the nearest pixel.
    pub(super) fn to_screen(&self, [left, top, right, bottom]: [f64; 4]) -> Region {
        let origin = self.viewport();
        let scale = self.ratio * self.pinch;
        let x = |css: f64| f64::from(origin.x) + (css - self.visual[0]) * scale;
        let y = |css: f64| f64::from(origin.y) + (css - self.visual[1]) * scale;
        edges(x(left), y(top), x(right), y(bottom))
    }
}

/// A size in css pixels as one in screen pixels.
fn scaled(size: Size, scale: f64) -> Size {
    let side = |css: u32| (f64::from(css) * scale).round() as u32;
    Size::new(side(size.width), side(size.height))
}

fn edges(left: f64, top: f64, right: f64, bottom: f64) -> Region {
    let (x, y) = (left.round() as i32, top.round() as i32);
    Region::new(x, y, (right.round() as i32 - x).max(0) as u32, (bottom.round() as i32 - y).max(0) as u32)
}

impl Chromium {
    /// The geometry of a page's window.
    pub(super) fn geometry(&self, session: &str) -> Result<Geometry, CallError> {
        // In a world of its own, where the page's scripts have not replaced what is read.
        let target = self.devtools.pages(|pages| pages.target_of(session).unwrap_or_default());
        let world =
            self.call(session, "Page.createIsolatedWorld", json!({"frameId": target, "worldName": WORLD}))?;
        let context = &world["executionContextId"];
        let params = json!({"expression": GEOMETRY, "returnByValue": true, "contextId": context});
        let mut answer = self.call(session, "Runtime.evaluate", params)?;
        let geometry: Geometry =
            serde_json::from_value(answer["result"]["value"].take()).map_err(|error| {
                let reason = format!("the window has no geometry: {error}");
                CallError::Refused { method: "Runtime.evaluate".to_owned(), reason }
            })?;
        Ok(Geometry { scale: self.scale, resized: self.devtools.pages(Pages::resized), ..geometry })
    }

    /// The place of the viewport; the last known one while a dialog is open.
    pub(super) fn read_viewport(&mut self) -> Result<Region, BrowserError> {
        let front = self.front()?;
        match self.geometry(&front) {
            Ok(geometry) => {
                self.viewport = geometry.viewport();
                Ok(self.viewport)
            }
            Err(CallError::Dialog(_)) => Ok(self.viewport),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Sizes the viewport, in css pixels. The bare page gets a part of the full screen, at its top left; otherwise the window
    /// changes its size.
    pub(super) fn size_viewport(&mut self, size: Size) -> Result<(), BrowserError> {
        /// On a busy machine the borders may be measured before the window has its new ones.
        const TRIES: u32 = 4;
        let pixels = scaled(size, self.scale);
        if pixels.width > self.screen.width || pixels.height > self.screen.height {
            return Err(BrowserError::ViewportTooLarge { viewport: size, pixels, screen: self.screen });
        }
        let front = self.front()?;
        let mut reached = self.viewport;
        for _ in 0..TRIES {
            match self.frame {
                Frame::PageOnly => {
                    let command = self.devtools.change_pages(|pages| pages.resize(&front, size));
                    let done = self.devtools.call(&command, COMMAND_LIMIT);
                    done.map_err(|error| self.fault(error))?;
                }
                Frame::Shown => self.size_window(&front, pixels)?,
            }
            reached = self.await_size(&front, pixels)?;
            if reached.size() == pixels {
                return Ok(());
            }
        }
        Err(BrowserError::Protocol {
            method: "set_viewport".to_owned(),
            reason: format!("the viewport became {}, not {pixels}", reached.size()),
        })
    }

    fn size_window(&self, session: &str, size: Size) -> Result<(), BrowserError> {
        let target = self.devtools.pages(|pages| pages.target_of(session).unwrap_or_default());
        let browser = |method: &str, params: Value| {
            let command = Command::browser(method, params);
            self.devtools.call(&command, COMMAND_LIMIT).map_err(|error| self.fault(error))
        };
        let window = browser("Browser.getWindowForTarget", json!({"targetId": target}))?["windowId"].clone();
        let bounds = |bounds: Value| json!({"windowId": window, "bounds": bounds});
        browser("Browser.setWindowBounds", bounds(json!({"windowState": "normal"})))?;
        // A normal window has other borders than a maximised one, so only its own geometry shows how thick they are.
        let before = self.await_still(session)?;
        let (outer, inner) = (before.outer(), before.viewport());
        let dip = |outer: u32, inner: u32, wanted: u32| {
            (f64::from((outer + wanted).saturating_sub(inner)) / self.scale).round()
        };
        let (width, height) =
            (dip(outer.width, inner.width, size.width), dip(outer.height, inner.height, size.height));
        let wanted = json!({"left": 0, "top": 0, "width": width, "height": height});
        browser("Browser.setWindowBounds", bounds(wanted))?;
        Ok(())
    }

    /// Waits until the viewport has a size and keeps it.
    fn await_size(&mut self, session: &str, size: Size) -> Result<Region, BrowserError> {
        for _ in 0..STILL_LOOKS {
            self.viewport = self.await_still(session)?.viewport();
            if self.viewport.size() == size {
                break;
            }
        }
        Ok(self.viewport)
    }

    /// Waits until the window is the same twice: the browser and the window manager size it in several steps.
    fn await_still(&self, session: &str) -> Result<Geometry, BrowserError> {
        let look = || self.geometry(session).map_err(|error| self.fault(error));
        let mut last = look()?;
        for _ in 0..STILL_LOOKS {
            self.clock.sleep(STILL_PAUSE);
            let next = look()?;
            if next == last {
                break;
            }
            last = next;
        }
        Ok(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(inner: [f64; 2], outer: [f64; 2], ratio: f64) -> Geometry {
        Geometry {
            inner,
            outer,
            at: [0.0, 0.0],
            ratio,
            visual: [0.0, 0.0],
            pinch: 1.0,
            scale: 1.0,
            resized: None,
        }
    }

    #[test]
    fn the_bare_page_is_the_whole_screen_also_when_zoomed() {
        let screen = Region::new(0, 0, 1280, 800);
        assert_eq!(geometry([1280.0, 800.0], [1280.0, 800.0], 1.0).viewport(), screen);
        assert_eq!(geometry([1163.0, 727.0], [1280.0, 800.0], 1.1).viewport(), screen);
    }

    #[test]
    fn a_device_scale_counts_for_the_window_and_a_resized_viewport_is_at_its_corner() {
        let scaled = Geometry { scale: 1.25, ..geometry([800.0, 560.0], [800.0, 560.0], 1.25) };
        assert_eq!(scaled.viewport(), Region::new(0, 0, 1000, 700));
        let resized =
            Geometry { resized: Some(Size::new(640, 480)), ..geometry([640.0, 480.0], [1000.0, 700.0], 1.0) };
        assert_eq!(resized.viewport(), Region::new(0, 0, 640, 480));
    }

    #[test]
    fn tabs_and_address_bar_lie_above_the_page_and_borders_on_three_sides() {
        let maximised = geometry([1280.0, 713.0], [1280.0, 800.0], 1.0);
        assert_eq!(maximised.viewport(), Region::new(0, 87, 1280, 713));
        let normal = geometry([1000.0, 600.0], [1008.0, 700.0], 1.0);
        assert_eq!(normal.viewport(), Region::new(4, 96, 1000, 600));
    }

    #[test]
    fn css_pixels_become_screen_pixels_at_the_pages_place_and_zoom() {
        let zoomed = geometry([640.0, 350.0], [1280.0, 800.0], 2.0);
        assert_eq!(zoomed.to_screen([10.25, 10.0, 20.0, 20.0]), Region::new(21, 120, 19, 20));
    }
}
