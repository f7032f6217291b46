//! A fresh display with a browser on it, as the runner would open them.

use std::{sync::Arc, time::Duration};

use cu_run::{
    browser::{
        Browser, BrowserSource, BrowserSpec, ChromiumConfig, ChromiumSource, ColorScheme, Frame, Freeze,
        IntoView, NavigateOptions, Preset,
    },
    clock::{Clock, Deadline, SystemClock},
    desktop::{Desktop, DesktopSource, DesktopSpec, WindowManager, XvfbConfig, XvfbSource},
    geometry::{Region, Size},
    input::{Button, Press},
};
use image::RgbImage;
use serde::Deserialize;
use tempfile::TempDir;

use crate::{Outcome, site::CLOCK};

/// The screen of every picture.
pub(crate) const SCREEN: Size = Size::new(1280, 800);

/// How long nothing may be drawn before a screen counts as still, as in the runner.
const QUIET: Duration = Duration::from_millis(200);

/// A loaded machine is slow; only a hang takes this long.
const LIMIT: Duration = Duration::from_secs(60);

/// A display and its browser.
pub(crate) struct Stage {
    browser: Box<dyn Browser>,
    pub(crate) desktop: Box<dyn Desktop>,
    _logs: TempDir,
}

/// What the script of a page did.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Told {
    /// The kind of change.
    pub(crate) kind: String,
    /// The element and what became of it.
    pub(crate) what: String,
    /// Where, before and after, in pixels of the page's viewport.
    #[serde(rename = "box")]
    pub(crate) region: Region,
}

impl Stage {
    /// Opens both.
    pub(crate) fn open() -> Outcome<Self> {
        let logs = tempfile::tempdir()?;
        let config = XvfbConfig { start_timeout: LIMIT, ..XvfbConfig::default() };
        let spec = DesktopSpec {
            size: SCREEN,
            window_manager: WindowManager::Openbox,
            log_dir: logs.path().to_owned(),
            env: [].into(),
        };
        let mut desktop = XvfbSource::new(config).open(&spec)?;
        let spec = BrowserSpec {
            frame: Frame::PageOnly,
            freeze: Freeze::Frozen,
            frozen_clock_ms: None,
            color_scheme: ColorScheme::Light,
            executable: None,
            extra_flags: Vec::new(),
            preset: Preset::default(),
            start_timeout: LIMIT,
        };
        let source = ChromiumSource::new(ChromiumConfig::default(), Arc::new(SystemClock));
        let browser = source.open(&mut *desktop, &spec)?;
        Ok(Self { browser, desktop, _logs: logs })
    }

    /// Shows a page and returns the screen once it is still.
    pub(crate) fn show(&mut self, url: &str) -> Outcome<RgbImage> {
        self.browser.navigate(url, &NavigateOptions { timeout: LIMIT, expect_status: None })?;
        self.desktop.rest_pointer()?;
        self.still()
    }

    /// Shows a page whose script does something; `None` when it found nothing to do.
    pub(crate) fn show_changed(&mut self, url: &str) -> Outcome<Option<(Told, RgbImage)>> {
        self.browser.navigate(url, &NavigateOptions { timeout: LIMIT, expect_status: None })?;
        self.desktop.rest_pointer()?;
        let deadline = Deadline::after(&SystemClock, LIMIT);
        let title = loop {
            let title = self.browser.location()?.title;
            if title.starts_with("verdict ") {
                break title;
            }
            if deadline.has_passed(&SystemClock) {
                return Err(format!("{url}: the script did not say what it did").into());
            }
            SystemClock.sleep(Duration::from_millis(10));
        };
        let told: Option<Told> = serde_json::from_str(title.trim_start_matches("verdict "))?;
        let Some(told) = told else { return Ok(None) };
        Ok(Some((told, self.still()?)))
    }

    /// The screen when nothing was drawn for a while.
    pub(crate) fn still(&mut self) -> Outcome<RgbImage> {
        self.desktop.await_intake()?;
        self.browser.await_response(LIMIT)?;
        let deadline = Deadline::after(&SystemClock, LIMIT);
        while !self.desktop.damage(QUIET)?.is_empty() {
            if deadline.has_passed(&SystemClock) {
                return Err("the screen does not come to rest".into());
            }
        }
        Ok(self.desktop.capture(SCREEN.region())?)
    }

    /// Where the clocks of the page are.
    pub(crate) fn clocks(&mut self) -> Outcome<Vec<Region>> {
        let found = self.browser.elements(CLOCK, IntoView::Leave)?;
        Ok(found.into_iter().map(|element| element.region).collect())
    }

    /// Where the visible elements that match `css` are.
    pub(crate) fn regions(&mut self, css: &str) -> Outcome<Vec<Region>> {
        let found = self.browser.elements(css, IntoView::Leave)?;
        Ok(found.into_iter().map(|element| element.region).filter(|region| !region.is_empty()).collect())
    }

    /// Presses and releases a button at the pointer.
    pub(crate) fn press(&mut self, button: Button) -> Outcome<()> {
        self.desktop.button(button, Press::Down)?;
        self.desktop.button(button, Press::Up)?;
        Ok(())
    }
}
