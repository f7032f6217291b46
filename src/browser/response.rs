//! Knowing when a page has answered to input or to its load: a click may run scripts, ask for more and lead to another
//! page, all of it before anything is drawn; and what a page is may come to the screen long after it.

use std::time::Duration;

use serde_json::json;

use super::{
    BrowserError,
    chromium::Chromium,
    devtools::{CallError, Command, Probe},
    pages::Load,
};
use crate::clock::Deadline;

/// Answers once two frames were made: what input handlers changed is in the second one at the latest, and
/// a navigation that they began is known to the browser.
const TWO_FRAMES: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))";

/// How long requests of a page that is loaded are waited for: some never end, and are part of the page.
const REQUESTS_LIMIT: Duration = Duration::from_secs(2);

impl Chromium {
    /// See [`super::Browser::await_response`].
    pub(super) fn respond(&mut self, limit: Duration) -> Result<(), BrowserError> {
        let deadline = Deadline::after(&*self.clock, limit);
        let requests_deadline = Deadline::after(&*self.clock, REQUESTS_LIMIT.min(limit));
        // A page that was exchanged for another one has to answer anew.
        let mut alive = true;
        while !deadline.has_passed(&*self.clock) {
            let front = self.front()?;
            let before = self.devtools.pages(|pages| pages.document(&front).commits);
            alive = self.make_two_frames(&front, deadline.remaining(&*self.clock))?;
            let waited = self.await_load(&front, &deadline, &requests_deadline)?;
            let after = self.devtools.pages(|pages| pages.document(&front).commits);
            if !alive || (!waited && before == after) {
                break;
            }
        }
        if alive { self.present(&self.front()?, deadline.remaining(&*self.clock)) } else { Ok(()) }
    }

    /// Waits until what the page is by now has come to the screen.
    ///
    /// On a busy machine a page that had loaded and made its frames was seen to show an early state of itself, half parsed
    /// or before its scripts ran, for longer than any rest that could count as stillness. A screenshot over the protocol is
    /// taken only from a frame that was made for it and presented; the picture itself is thrown away, so its quality is
    /// the lowest.
    fn present(&self, front: &str, limit: Duration) -> Result<(), BrowserError> {
        // The protocol gives a page whose viewport has a size of its own another one for the screenshot.
        if self.devtools.pages(|pages| pages.resized().is_some()) {
            return Ok(());
        }
        let params = json!({"format": "jpeg", "quality": 1, "optimizeForSpeed": true});
        match self.devtools.call(&Command::page(front, "Page.captureScreenshot", params), limit) {
            // A page that opens a dialog or is exchanged meanwhile is seen by whatever comes next.
            Ok(_) | Err(CallError::Refused { .. } | CallError::Dialog(_) | CallError::TimedOut { .. }) => {
                Ok(())
            }
            Err(error @ (CallError::Closed | CallError::Crashed)) => Err(self.fault(error)),
        }
    }

    /// Whether the page can be asked again; one that shows a dialog cannot.
    fn make_two_frames(&self, front: &str, limit: Duration) -> Result<bool, BrowserError> {
        let params = json!({"expression": TWO_FRAMES, "awaitPromise": true, "returnByValue": true});
        let command = Command::page(front, "Runtime.evaluate", params);
        match self.devtools.call(&command, limit) {
            // A refusal: the page is just being exchanged for another one.
            Ok(_) | Err(CallError::Refused { .. }) => Ok(true),
            Err(CallError::Dialog(_) | CallError::TimedOut { .. }) => Ok(false),
            Err(error @ (CallError::Closed | CallError::Crashed)) => Err(self.fault(error)),
        }
    }

    /// Waits while the page loads another document, or still asks for parts of this one; whether there was anything to
    /// wait for.
    fn await_load(
        &self,
        front: &str,
        deadline: &Deadline,
        requests_deadline: &Deadline,
    ) -> Result<bool, BrowserError> {
        let clock = &*self.clock;
        let mut waited = false;
        let ended = self.devtools.wait(deadline, |pages, now| {
            if pages.has_crashed(front) || pages.dialog().is_some() {
                return Probe::Done(());
            }
            let is_loaded = pages.document(front).loaded_at.is_some();
            match pages.load(front, now) {
                Load::Done | Load::QuietIn(_) => Probe::Done(()),
                Load::Pending if is_loaded && requests_deadline.has_passed(clock) => Probe::Done(()),
                Load::Pending => {
                    waited = true;
                    if is_loaded { Probe::After(requests_deadline.remaining(clock)) } else { Probe::Event }
                }
            }
        });
        ended.map_err(|error| self.fault(error))?;
        Ok(waited)
    }
}
