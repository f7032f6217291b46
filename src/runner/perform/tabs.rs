//! The tabs of the browser, and the device that its pages are told of.

use std::time::Duration;

use crate::{
    browser::{Emulation, Tab},
    clock::Deadline,
    geometry::Size,
    outcome::{Failure, FailureKind},
    scenario::TabQuery,
};

use super::{Done, Stage, Stop, page::no_browser};

/// How long to wait before the tabs are looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Stage<'_> {
    pub(super) fn emulate(&mut self, emulation: &Emulation) -> Result<Done, Stop> {
        let Some(browser) = &mut self.browser else { return Err(no_browser("emulate")) };
        browser.emulate(emulation)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::default())
    }

    pub(super) fn set_viewport(&mut self, size: Size) -> Result<Done, Stop> {
        let Some(browser) = &mut self.browser else { return Err(no_browser("set_viewport")) };
        browser.set_viewport(size)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::default())
    }

    /// Waits for the tab, which a click may just be opening, and brings it to the front.
    pub(super) fn switch_tab(&mut self, wanted: &TabQuery, limit: Duration) -> Result<Done, Stop> {
        let deadline = Deadline::after(self.bench.clock, limit);
        loop {
            let Some(browser) = &mut self.browser else { return Err(no_browser("switch_tab")) };
            let tabs = browser.tabs()?;
            let matching: Vec<usize> =
                (0..tabs.len()).filter(|&index| is_meant(&tabs[index], index, wanted)).collect();
            let failure = match matching[..] {
                [index] => {
                    browser.show_tab(index)?;
                    self.screen.touch(self.bench.clock);
                    return Ok(Done::default());
                }
                [] => Failure::new(FailureKind::TargetNotFound, format!("no tab {wanted}")),
                _ => Failure::new(
                    FailureKind::TargetAmbiguous,
                    format!("{wanted} names {} tabs", matching.len()),
                ),
            };
            if deadline.has_passed(self.bench.clock) {
                return Err(Stop::Failed(failure.with_details(tabs.iter().enumerate().map(described))));
            }
            self.pause(LOOK_AGAIN.min(deadline.remaining(self.bench.clock)))?;
        }
    }

    pub(super) fn close_tab(&mut self) -> Result<Done, Stop> {
        let Some(browser) = &mut self.browser else { return Err(no_browser("close_tab")) };
        browser.close_tab()?;
        self.screen.touch(self.bench.clock);
        Ok(Done::default())
    }
}

fn is_meant(tab: &Tab, index: usize, wanted: &TabQuery) -> bool {
    match wanted {
        TabQuery::Title(part) => tab.location.title.contains(part),
        TabQuery::Url(part) => tab.location.url.contains(part),
        TabQuery::Index(wanted) => index == *wanted as usize,
    }
}

fn described((index, tab): (usize, &Tab)) -> String {
    let front = if tab.is_front { ", in front" } else { "" };
    format!("tab {index} is `{}` at {}{front}", tab.location.title, tab.location.url)
}
