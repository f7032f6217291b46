//! The pages of a browser beside each other: tabs and windows.

use serde_json::json;

use super::{
    BrowserError, PageLocation,
    chromium::{COMMAND_LIMIT, Chromium},
    devtools::{CallError, Command, Probe},
    pages::Pages,
};
use crate::clock::Deadline;

/// A tab or window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// What its page calls itself.
    pub location: PageLocation,
    /// Whether it is the one that is seen and acted on.
    pub is_front: bool,
}

impl Chromium {
    /// All of them, in the order in which they were opened.
    pub(super) fn all_tabs(&mut self) -> Result<Vec<Tab>, BrowserError> {
        let front = self.front()?;
        let targets = self.devtools.pages(Pages::tabs);
        let one = |(session, target): (String, String)| {
            let command = Command::browser("Target.getTargetInfo", json!({"targetId": target}));
            match self.devtools.call(&command, COMMAND_LIMIT) {
                Ok(answer) => {
                    let text = |key: &str| answer["targetInfo"][key].as_str().unwrap_or_default().to_owned();
                    let location = PageLocation { url: text("url"), title: text("title") };
                    Some(Ok(Tab { location, is_front: session == front }))
                }
                // Closed meanwhile.
                Err(CallError::Refused { .. }) => None,
                Err(error) => Some(Err(self.fault(error))),
            }
        };
        targets.into_iter().filter_map(one).collect()
    }

    /// Brings one to the front, by its place in [`Chromium::all_tabs`].
    pub(super) fn bring_to_front(&mut self, index: usize) -> Result<(), BrowserError> {
        let tab = self.devtools.change_pages(|pages| {
            let session = pages.tabs().into_iter().nth(index).map(|(session, _)| session)?;
            pages.activate(&session);
            Some(session)
        });
        let Some(session) = tab else { return Err(BrowserError::NoTab { index }) };
        match self.call(&session, "Page.bringToFront", json!({})) {
            // A page in a dialog is in front all the same.
            Ok(_) | Err(CallError::Dialog(_)) => Ok(()),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Closes the one in front; the last one is not closed, which would end the browser.
    pub(super) fn close_front(&mut self) -> Result<(), BrowserError> {
        let front = self.front()?;
        let (target, count) = self.devtools.pages(|pages| (pages.target_of(&front), pages.tabs().len()));
        if count < 2 {
            return Err(BrowserError::LastTab);
        }
        let deadline = Deadline::after(&*self.clock, COMMAND_LIMIT);
        let close = Command::browser("Target.closeTarget", json!({"targetId": target}));
        self.devtools.call(&close, COMMAND_LIMIT).map_err(|error| self.fault(error))?;
        let gone = self.devtools.wait(&deadline, |pages, _| match pages.dialog() {
            _ if pages.target_of(&front).is_none() => Probe::Done(Ok(())),
            Some(dialog) => Probe::Done(Err(CallError::Dialog(dialog.clone()))),
            None => Probe::Event,
        });
        match gone.map_err(|error| self.fault(error))? {
            Some(closed) => closed.map_err(|error| self.fault(error)),
            None => Err(BrowserError::Protocol {
                method: "Target.closeTarget".to_owned(),
                reason: format!("the page was still there after {COMMAND_LIMIT:?}"),
            }),
        }
    }
}
