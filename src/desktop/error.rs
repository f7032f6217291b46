//! What can go wrong with a display.

use std::{io, path::PathBuf, time::Duration};

use thiserror::Error;

/// A fault of the display or of a program on it.
#[derive(Debug, Error)]
pub enum DesktopError {
    /// A program that cu-run needs is not installed.
    #[error("`{program}` was not found{}", hint_line(.hint))]
    ProgramMissing {
        /// Its name.
        program: String,
        /// How to get it.
        hint: String,
    },
    /// A program could not be started.
    #[error("failed to start `{program}`: {source}")]
    Start {
        /// Its name.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The X server or window manager was not ready in time or ended first.
    #[error("`{program}` was not ready after {waited:?}: {reason}{}", log_lines(.log_end))]
    NotReady {
        /// Which program.
        program: String,
        /// How long it was waited for.
        waited: Duration,
        /// What was seen.
        reason: String,
        /// The last lines it wrote.
        log_end: String,
    },
    /// The connection to the X server is gone.
    #[error("the display is gone: {0}")]
    DisplayLost(String),
    /// The X server refused a request.
    #[error("the X server refused `{request}`: {reason}")]
    Refused {
        /// The request.
        request: &'static str,
        /// The server's word.
        reason: String,
    },
    /// A character that cannot be typed.
    #[error("the character {0:?} cannot be typed")]
    Untypable(char),
    /// Keys or buttons were still down when a step began.
    #[error("still held down: {}", .0.join(", "))]
    HeldDown(Vec<String>),
    /// No window with this id, or it did not take the focus.
    #[error("window {window:#x} did not take the focus: {reason}")]
    Focus {
        /// The X11 id.
        window: u32,
        /// What was seen.
        reason: String,
    },
    /// A file or folder of the case could not be made or written.
    #[error("failed to write `{}`: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The process that contains the case's programs failed.
    #[error("the session host failed: {0}")]
    Host(String),
}

fn hint_line(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!("\n{hint}") }
}

fn log_lines(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!("\n{}", log.trim_end()) }
}
