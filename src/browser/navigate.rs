//! Going to a page and knowing when it is there: the load event, a wanted status, and a quiet network.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    BrowserError, NavigateOptions, Navigation,
    chromium::Chromium,
    devtools::{CallError, Command, Probe},
    pages::{Document, Load},
};
use crate::clock::Deadline;

/// Chromium's word for an error status that came without a body: its own error page is shown instead.
pub(super) const EMPTY_ERROR_PAGE: &str = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";

/// Chromium's word for a page that is just being replaced.
const BEING_REPLACED: &str = "Not attached to an active page";

/// How long to wait until the replacement is there.
const REPLACED_PAUSE: Duration = Duration::from_millis(5);

/// How long the browser may take to show its error page; a crash is known as fast.
const ERROR_PAGE_LIMIT: Duration = Duration::from_millis(300);

/// How many addresses a message lists.
const LISTED: usize = 5;

/// How a step through the history is called in the protocol.
#[derive(Debug, Clone)]
pub(super) enum Way {
    /// To an address.
    To(String),
    /// The same page again.
    Reload,
    /// So many entries on in the history, or back.
    Steps(i32),
}

impl Chromium {
    /// Goes there and waits for load and network idle.
    pub(super) fn go(&mut self, way: &Way, options: &NavigateOptions) -> Result<Navigation, BrowserError> {
        let deadline = Deadline::after(&*self.clock, options.timeout);
        let front = self.front()?;
        let before = self.devtools.pages(|pages| pages.document(&front));
        let command = self.command(&front, way)?;
        let asked_for = match way {
            Way::To(url) => url.clone(),
            _ => before.url.clone(),
        };
        let answer = self.ask(&front, &command, &asked_for, &deadline)?;
        match answer["errorText"].as_str() {
            None | Some("" | EMPTY_ERROR_PAGE) => {}
            Some(reason) => return Err(self.unreachable(&front, &before, asked_for, reason)),
        }
        let document = self.await_commit(&front, &before, &asked_for, &deadline)?;
        self.await_quiet(&front, &document.url, &deadline)?;
        self.arrived(&front, &asked_for, options)
    }

    fn command(&self, front: &str, way: &Way) -> Result<Command, BrowserError> {
        Ok(match way {
            Way::To(url) => Command::page(front, "Page.navigate", json!({"url": url})),
            Way::Reload => Command::page(front, "Page.reload", json!({})),
            Way::Steps(steps) => {
                let history = self.call(front, "Page.getNavigationHistory", json!({}));
                let history = history.map_err(|error| self.fault(error))?;
                let entry = history_entry(&history, *steps).ok_or(BrowserError::NoHistory)?;
                Command::page(front, "Page.navigateToHistoryEntry", json!({"entryId": entry}))
            }
        })
    }

    /// Sends the command that makes the page go, and waits for the answer of the server.
    fn ask(
        &self,
        front: &str,
        command: &Command,
        url: &str,
        deadline: &Deadline,
    ) -> Result<Value, BrowserError> {
        loop {
            match self.devtools.call(command, deadline.remaining(&*self.clock)) {
                Ok(answer) => return Ok(answer),
                // The page is just being replaced by one in another process.
                Err(CallError::Refused { reason, .. })
                    if reason.contains(BEING_REPLACED) && !deadline.has_passed(&*self.clock) =>
                {
                    self.clock.sleep(REPLACED_PAUSE);
                }
                Err(CallError::TimedOut { .. }) => return Err(self.load_timeout(front, url, deadline)),
                Err(CallError::Refused { reason, .. }) => {
                    return Err(BrowserError::Unreachable { url: url.to_owned(), reason });
                }
                Err(error) => return Err(self.fault(error)),
            }
        }
    }

    /// The page could not be had. Returns once the browser's own error page is there, so that the next step finds a
    /// page at rest; after `ERR_ABORTED` (a download, an empty answer, a crash) there is none.
    fn unreachable(&self, front: &str, before: &Document, url: String, reason: &str) -> BrowserError {
        let deadline = Deadline::after(&*self.clock, ERROR_PAGE_LIMIT);
        let crashed = self.devtools.wait(&deadline, |pages, _| {
            if pages.has_crashed(front) {
                Probe::Done(true)
            } else if pages.document(front).commits > before.commits {
                Probe::Done(false)
            } else {
                Probe::Event
            }
        });
        match crashed {
            Ok(Some(true)) => self.fault(CallError::Crashed),
            Ok(_) => BrowserError::Unreachable { url, reason: reason.to_owned() },
            Err(error) => self.fault(error),
        }
    }

    /// Waits until the page shows another document, or another place of the same.
    fn await_commit(
        &self,
        front: &str,
        before: &Document,
        asked_for: &str,
        deadline: &Deadline,
    ) -> Result<Document, BrowserError> {
        let committed = self.devtools.wait(deadline, |pages, _| {
            let document = pages.document(front);
            if pages.has_crashed(front) {
                Probe::Done(Err(CallError::Crashed))
            } else if document.commits > before.commits {
                Probe::Done(Ok(document))
            } else if let Some(dialog) = pages.dialog() {
                Probe::Done(Err(CallError::Dialog(dialog.clone())))
            } else {
                Probe::Event
            }
        });
        match committed.map_err(|error| self.fault(error))? {
            Some(document) => document.map_err(|error| self.fault(error)),
            None => Err(self.load_timeout(front, asked_for, deadline)),
        }
    }

    /// Waits for the load event of whatever document is there, which may be the next one after a redirection by
    /// script, and for a quiet network.
    fn await_quiet(&self, front: &str, url: &str, deadline: &Deadline) -> Result<(), BrowserError> {
        let quiet = self.devtools.wait(deadline, |pages, now| {
            if pages.has_crashed(front) {
                return Probe::Done(Err(CallError::Crashed));
            }
            match (pages.load(front, now), pages.dialog()) {
                (Load::Done, _) => Probe::Done(Ok(())),
                (Load::QuietIn(pause), _) => Probe::After(pause),
                // A page that greets with an alert is not loaded before somebody closes it.
                (Load::Pending, Some(dialog)) => Probe::Done(Err(CallError::Dialog(dialog.clone()))),
                (Load::Pending, None) => Probe::Event,
            }
        });
        match quiet.map_err(|error| self.fault(error))? {
            Some(quiet) => quiet.map_err(|error| self.fault(error)),
            None => Err(self.load_timeout(front, url, deadline)),
        }
    }

    /// Whether the document that is there came as wanted.
    fn arrived(
        &self,
        front: &str,
        asked_for: &str,
        options: &NavigateOptions,
    ) -> Result<Navigation, BrowserError> {
        let (document, status, failure) = self.devtools.pages(|pages| {
            let document = pages.document(front);
            let status = pages.status(front, &document.loader);
            let failure = pages.failure(front, &document.loader);
            (document, status, failure)
        });
        let url = document.url;
        if let Some(status) = status {
            check_status(&url, status, options.expect_status)?;
        } else if document.unreachable {
            let reason = failure.unwrap_or_else(|| "the browser shows an error page".to_owned());
            return Err(BrowserError::Unreachable { url: asked_for.to_owned(), reason });
        }
        Ok(Navigation { url, status })
    }

    fn load_timeout(&self, front: &str, url: &str, deadline: &Deadline) -> BrowserError {
        let (loaded, pending) =
            self.devtools.pages(|pages| (pages.document(front).loaded_at.is_some(), pages.pending(front)));
        BrowserError::LoadTimeout {
            url: url.to_owned(),
            waited: deadline.limit(),
            waiting_for: waiting_for(loaded, &pending),
        }
    }
}

fn check_status(url: &str, status: u16, wanted: Option<u16>) -> Result<(), BrowserError> {
    let (ok, expected) = match wanted {
        Some(wanted) => (status == wanted, wanted.to_string()),
        None => (status < 400, "below 400".to_owned()),
    };
    if ok { Ok(()) } else { Err(BrowserError::Status { url: url.to_owned(), status, expected }) }
}

fn history_entry(history: &Value, steps: i32) -> Option<i64> {
    let wanted = history["currentIndex"].as_i64()? + i64::from(steps);
    history["entries"].get(usize::try_from(wanted).ok()?)?["id"].as_i64()
}

fn waiting_for(loaded: bool, pending: &[String]) -> String {
    let count = match pending.len() {
        0 if loaded => return "requests kept coming".to_owned(),
        0 => return "no load event".to_owned(),
        1 => "1 request".to_owned(),
        count => format!("{count} requests"),
    };
    let mut listed = pending[..pending.len().min(LISTED)].join(", ");
    if pending.len() > LISTED {
        listed.push_str(", …");
    }
    format!("{count}: {listed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_ends_on_both_sides() {
        let history = json!({"currentIndex": 1, "entries": [{"id": 7}, {"id": 8}]});
        assert_eq!(history_entry(&history, -1), Some(7));
        assert_eq!(history_entry(&history, 1), None);
        assert_eq!(history_entry(&history, -2), None);
    }

    #[test]
    fn a_status_is_good_below_400_unless_one_is_wanted() {
        assert!(check_status("u", 304, None).is_ok());
        assert!(check_status("u", 404, Some(404)).is_ok());
        assert_eq!(
            check_status("u", 404, None).unwrap_err().to_string(),
            "u answered with status 404, expected below 400"
        );
        assert!(check_status("u", 200, Some(201)).is_err());
    }

    #[test]
    fn what_is_missing_is_listed_and_cut() {
        let urls: Vec<_> = (0..7).map(|n| format!("/{n}")).collect();
        assert_eq!(waiting_for(true, &urls), "7 requests: /0, /1, /2, /3, /4, …");
        assert_eq!(waiting_for(false, &[]), "no load event");
    }
}
