//! The browser's life and its pages.

use std::time::Duration;

use crate::{
    browser::{Browser, BrowserError, BrowserSpec, Emulation, NavigateOptions, Navigation},
    outcome::{FailureKind, FaultKind},
    scenario::{OpenBrowser, Template},
};

use super::{Done, Stage, Stop};

/// How long a browser may take to start: generous, since many may start at once on a busy machine.
const START: Duration = Duration::from_secs(30);

impl Stage<'_> {
    pub(super) fn open_browser(&mut self, open: &OpenBrowser, limit: Duration) -> Result<Done, Stop> {
        self.collect_notices();
        if let Some(browser) = &mut self.browser {
            browser.close(&mut *self.desktop)?;
            self.browser = None;
        }
        let settings = &self.case.browser;
        let spec = BrowserSpec {
            frame: settings.frame,
            freeze: settings.freeze,
            frozen_clock_ms: settings.clock_ms,
            color_scheme: settings.color_scheme,
            executable: None,
            extra_flags: settings.flags.clone(),
            preset: self.preset()?,
            start_timeout: START,
        };
        let mut browser = self.bench.browsers.open(&mut *self.desktop, &spec)?;
        if settings.emulation != Emulation::default() {
            browser.emulate(&settings.emulation)?;
        }
        self.browser_version = Some(browser.version());
        self.browser = Some(browser);
        match &open.url {
            Some(url) => self.navigate(url, open.expect_status, limit),
            None => Ok(Done::default()),
        }
    }

    pub(super) fn navigate(
        &mut self,
        url: &Template,
        expect_status: Option<u16>,
        limit: Duration,
    ) -> Result<Done, Stop> {
        let url = self.render(url)?;
        let url = match (&self.bindings.serve, url.starts_with('/')) {
            (Some(base), true) => format!("{base}{url}"),
            (None, true) => {
                return Err(Stop::failed(
                    FailureKind::Navigation,
                    format!(
                        "`{url}` is no whole address, and the scenario has no `serve` that it could belong to"
                    ),
                ));
            }
            (_, false) => url,
        };
        self.on_page(limit, expect_status, |browser, options| browser.navigate(&url, options))
    }

    pub(super) fn reload(&mut self, limit: Duration) -> Result<Done, Stop> {
        self.on_page(limit, None, |browser, options| browser.reload(options))
    }

    pub(super) fn history(&mut self, steps: i32, limit: Duration) -> Result<Done, Stop> {
        self.on_page(limit, None, |browser, options| browser.history(steps, options))
    }

    pub(super) fn close_browser(&mut self) -> Result<Done, Stop> {
        self.collect_notices();
        match self.browser.take() {
            Some(mut browser) => browser.close(&mut *self.desktop)?,
            None => return Err(Stop::failed(FailureKind::App, "no browser is open")),
        }
        Ok(Done::default())
    }

    fn on_page(
        &mut self,
        timeout: Duration,
        expect_status: Option<u16>,
        go: impl FnOnce(&mut dyn Browser, &NavigateOptions) -> Result<Navigation, BrowserError>,
    ) -> Result<Done, Stop> {
        let Some(browser) = &mut self.browser else {
            return Err(Stop::failed(
                FailureKind::Navigation,
                "no browser is open: `open_browser` comes first",
            ));
        };
        go(&mut **browser, &NavigateOptions { timeout, expect_status })?;
        self.desktop.rest_pointer()?;
        self.screen.expect_answer();
        Ok(Done::default())
    }

    /// Fails when a browser that should be there is not.
    pub(crate) fn check_browser(&mut self) -> Result<(), Stop> {
        match &mut self.browser {
            Some(browser) => browser
                .health(&mut *self.desktop)
                .map_err(|error| Stop::errored(FaultKind::Browser, error.to_string())),
            None => Ok(()),
        }
    }
}
