//! The action log: one line of JSON per event, safe on its way to the disk before the run goes on.
//!
//! ```json
//! {"v":1,"ts":"2026-01-02T03:04:05.678901Z","event":"step","run":"20260102-030405-1a2b","case":"admin/login","step":3,
//!  "action":"left_click","target":"(10, 20)","risk":"local_nondestructive","decision":"allow","approval":null,
//!  "params":{"button":"left"},"result":{"ok":true,"status":"success","error":null},"duration_s":0.104,"evidence":null}
//! ```
//!
//! The events are `run_started`, `case_started`, `step` (when it has ended), `case_finished` and `run_finished`. What
//! may stand in a line is decided where the [`ActionRecord`](super::ActionRecord) is made; nothing is added here.
//! The `ts` of a step is when it began.

mod line;

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use jiff::Timestamp;

use crate::clock::{Clock, SystemClock};

use super::{ObserveError, Observer, RunEvent};

/// The log of one run; lines of cases that run at once never mix.
#[derive(Debug)]
pub struct ActionLog {
    path: PathBuf,
    clock: Box<dyn Clock>,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Bytes of whole lines, where the file is a regular one that can be cut back to them.
    length: Option<u64>,
    run: String,
}

impl ActionLog {
    /// The name of the file in the artifacts folder.
    pub const FILE: &'static str = "actions.jsonl";

    /// Begins an empty log at `path`, readable by its owner alone. A former one is emptied: a log tells of one run.
    pub fn create(path: &Path) -> Result<Self, ObserveError> {
        Self::with_clock(path, Box::new(SystemClock))
    }

    /// The same with another clock for the time stamps of `run_started` and `case_started`.
    pub fn with_clock(path: &Path, clock: Box<dyn Clock>) -> Result<Self, ObserveError> {
        let open = Open::new(path).map_err(|source| ObserveError::Log { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), clock, open: Mutex::new(open) })
    }

    fn now(&self) -> Timestamp {
        Timestamp::try_from(self.clock.wall()).unwrap_or_default()
    }

    fn note(&self, event: &RunEvent<'_>) -> io::Result<()> {
        // Held from the first to the last byte, so that lines keep apart and in order.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let RunEvent::RunStarted { run_id, .. } = event {
            (*run_id).clone_into(&mut open.run);
        }
        let Some(line) = line::of(event, &open.run, || self.now())? else { return Ok(()) };
        open.append(&line)?;
        if matches!(event, RunEvent::RunFinished { .. }) {
            open.finish()?;
        }
        Ok(())
    }
}

impl Observer for ActionLog {
    fn on_event(&self, event: &RunEvent<'_>) -> Result<(), ObserveError> {
        self.note(event).map_err(|source| ObserveError::Log { path: self.path.clone(), source })
    }
}

impl Open {
    fn new(path: &Path) -> io::Result<Self> {
        // No symbolic link is followed: programs under test can write beside the log and must not choose what it
        // overwrites.
        let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let file =
            OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(no_follow).open(path)?;
        let regular = file.metadata()?.is_file();
        if regular {
            file.set_len(0)?;
            // The mode given on opening holds only for a file that did not exist.
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(Self { file, length: regular.then_some(0), run: String::new() })
    }

    /// Adds a whole line or none: half a line would make the next one unreadable too.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(line);
        if let Some(length) = &mut self.length {
            match written {
                Ok(()) => *length += line.len() as u64,
                // Should this fail as well, the first failure is still the one to tell.
                Err(_) => _ = self.file.set_len(*length),
            }
        }
        written
    }

    /// Waits until the disk has everything.
    fn finish(&self) -> io::Result<()> {
        if self.length.is_some() { self.file.sync_all() } else { Ok(()) }
    }
}
