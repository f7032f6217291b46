//! What can go wrong when a report is written.

use std::{io, path::PathBuf};

use thiserror::Error;

/// A report that could not be written or read.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The file could not be written.
    #[error("failed to write `{}`: {source}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be read.
    #[error("failed to read `{}`: {reason}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}
