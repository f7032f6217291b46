//! A finished run in, files out: one file per format.
//!
//! Called by `cli` with the [`RunReport`] alone; must not know a live run, a scenario or a display.

mod error;

pub use error::ReportError;

use std::path::{Path, PathBuf};

use crate::outcome::RunReport;

/// One format of report.
pub trait ReportFormat {
    /// Writes the report into the `artifacts` folder and returns the file.
    fn write(&self, report: &RunReport, artifacts: &Path) -> Result<PathBuf, ReportError>;
}
