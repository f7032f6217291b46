//! Files that go into a page and come out of it: the chooser that is never shown, and downloads.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    BrowserError,
    chromium::{COMMAND_LIMIT, Chromium},
    devtools::{CallError, Command, Probe},
};
use crate::clock::Deadline;

/// A file that was downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// What the page or server calls it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// A page that asks for files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chooser {
    session: String,
    node: Value,
    takes_several: bool,
}

/// A download under way or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Transfer {
    id: String,
    name: String,
    state: TransferState,
    is_taken: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TransferState {
    Running { received: u64 },
    Completed(Option<PathBuf>),
    Cancelled,
}

/// What is known of choosers and downloads.
#[derive(Debug, Default)]
pub(super) struct Files {
    chooser: Option<Chooser>,
    transfers: Vec<Transfer>,
}

impl Files {
    /// Takes in an event.
    pub(super) fn apply(&mut self, session: &str, method: &str, params: &Value) {
        let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        match method {
            "Page.fileChooserOpened" => {
                let (session, node) = (session.to_owned(), params["backendNodeId"].clone());
                let takes_several = params["mode"] == "selectMultiple";
                self.chooser = Some(Chooser { session, node, takes_several });
            }
            "Browser.downloadWillBegin" => self.transfers.push(Transfer {
                id: text("guid"),
                name: text("suggestedFilename"),
                state: TransferState::Running { received: 0 },
                is_taken: false,
            }),
            "Browser.downloadProgress" => {
                let state = match params["state"].as_str() {
                    Some("completed") => {
                        TransferState::Completed(params["filePath"].as_str().map(PathBuf::from))
                    }
                    Some("canceled") => TransferState::Cancelled,
                    _ => TransferState::Running {
                        received: params["receivedBytes"].as_f64().unwrap_or_default() as u64,
                    },
                };
                let id = text("guid");
                // The last event may come twice.
                let running =
                    |of: &&mut Transfer| of.id == id && matches!(of.state, TransferState::Running { .. });
                if let Some(transfer) = self.transfers.iter_mut().find(running) {
                    transfer.state = state;
                }
            }
            _ => {}
        }
    }

    fn next(&self) -> Option<&Transfer> {
        self.transfers.iter().find(|transfer| !transfer.is_taken)
    }
}

impl Chromium {
    /// Has the page in front give the next chooser that it opens to this program instead of the screen.
    pub(super) fn expect_chooser(&mut self) -> Result<(), BrowserError> {
        let front = self.front()?;
        self.devtools.change_pages(|pages| pages.files.chooser = None);
        for command in self.interceptions(&front, true) {
            match self.devtools.call(&command, COMMAND_LIMIT) {
                // A frame may go away meanwhile.
                Ok(_) | Err(CallError::Refused { .. }) => {}
                Err(error) => return Err(self.fault(error)),
            }
        }
        Ok(())
    }

    fn interceptions(&self, front: &str, enabled: bool) -> Vec<Command> {
        let sessions = self.devtools.pages(|pages| pages.with_frames(front));
        let params = json!({"enabled": enabled});
        let one =
            |session: &String| Command::page(session, "Page.setInterceptFileChooserDialog", params.clone());
        sessions.iter().map(one).collect()
    }

    /// Waits for the chooser and gives it the files.
    pub(super) fn fill_chooser(&mut self, files: &[PathBuf], limit: Duration) -> Result<(), BrowserError> {
        let filled = self.try_to_fill_chooser(files, limit);
        // Whatever became of it: later choosers are shown again.
        if let Ok(front) = self.front() {
            self.interceptions(&front, false).iter().for_each(|command| self.devtools.send(command));
        }
        filled
    }

    fn try_to_fill_chooser(&mut self, files: &[PathBuf], limit: Duration) -> Result<(), BrowserError> {
        let deadline = Deadline::after(&*self.clock, limit);
        let opened = self.devtools.wait(&deadline, |pages, _| match (&pages.files.chooser, pages.dialog()) {
            (Some(chooser), _) => Probe::Done(Ok(chooser.clone())),
            (None, Some(dialog)) => Probe::Done(Err(CallError::Dialog(dialog.clone()))),
            (None, None) => Probe::Event,
        });
        let Some(chooser) = opened.map_err(|error| self.fault(error))? else {
            return Err(BrowserError::NoFileChooser { waited: limit });
        };
        let chooser = chooser.map_err(|error| self.fault(error))?;
        if files.len() > 1 && !chooser.takes_several {
            return Err(BrowserError::OneFileOnly { given: files.len() });
        }
        let params = json!({"files": files, "backendNodeId": chooser.node});
        let done = self.call(&chooser.session, "DOM.setFileInputFiles", params);
        done.map_err(|error| self.fault(error))?;
        Ok(())
    }

    /// Waits until the oldest download that nobody asked for yet is there.
    pub(super) fn await_next_download(&mut self, limit: Duration) -> Result<Download, BrowserError> {
        let deadline = Deadline::after(&*self.clock, limit);
        let ended = self.devtools.wait(&deadline, |pages, _| match pages.files.next() {
            Some(transfer) if !matches!(transfer.state, TransferState::Running { .. }) => {
                Probe::Done(transfer.clone())
            }
            _ => Probe::Event,
        });
        let Some(transfer) = ended.map_err(|error| self.fault(error))? else {
            let running = self.devtools.pages(|pages| pages.files.next().cloned());
            let so_far = running.map_or_else(
                || "none began".to_owned(),
                |transfer| match transfer.state {
                    TransferState::Running { received } => {
                        format!("`{}` has {received} bytes so far", transfer.name)
                    }
                    _ => format!("`{}` has just ended", transfer.name),
                },
            );
            return Err(BrowserError::NoDownload { waited: limit, so_far });
        };
        self.devtools.change_pages(|pages| {
            let mut all = pages.files.transfers.iter_mut();
            all.find(|of| of.id == transfer.id).into_iter().for_each(|of| of.is_taken = true);
        });
        match transfer.state {
            TransferState::Completed(path) => {
                let path = path.unwrap_or_else(|| self.downloads.join(&transfer.name));
                Ok(Download { name: name_of(&transfer.name), path })
            }
            _ => Err(BrowserError::DownloadCancelled { name: transfer.name }),
        }
    }
}

/// The last part of a name: servers can put a path into it.
fn name_of(suggested: &str) -> String {
    Path::new(suggested)
        .file_name()
        .map_or_else(|| "download".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downloads_are_handed_out_in_the_order_in_which_they_began() {
        let mut files = Files::default();
        for (id, name) in [("1", "a.csv"), ("2", "b.csv")] {
            let began = json!({"guid": id, "suggestedFilename": name});
            files.apply("", "Browser.downloadWillBegin", &began);
        }
        let done = json!({"guid": "1", "state": "completed", "filePath": "/d/a.csv"});
        files.apply("", "Browser.downloadProgress", &done);
        files.apply("", "Browser.downloadProgress", &json!({"guid": "1", "state": "inProgress"}));
        assert_eq!(files.next().unwrap().state, TransferState::Completed(Some("/d/a.csv".into())));
        files.transfers[0].is_taken = true;
        assert_eq!(files.next().unwrap().name, "b.csv");
    }

    #[test]
    fn a_name_is_no_path() {
        assert_eq!(name_of("../../etc/passwd"), "passwd");
        assert_eq!(name_of(".."), "download");
    }
}
