//! A finished run in, files out: one file per format.
//!
//! Called by `cli` with the [`RunReport`] alone; must not know a live run, a scenario or a display. A file appears
//! whole or not at all: a reader never sees half a report.

mod error;
mod file;
mod html;
mod json;
mod junit;
mod summary;
mod words;

pub use error::ReportError;
pub use html::Html;
pub use json::{Json, parse, read};
pub use junit::JUnit;
pub use summary::{Colour, Style, summary};
pub use words::{findings, gate};

use std::path::{Path, PathBuf};

use crate::outcome::RunReport;

/// One format of report.
pub trait ReportFormat {
    /// Writes the report into the `artifacts` folder and returns the file.
    fn write(&self, report: &RunReport, artifacts: &Path) -> Result<PathBuf, ReportError>;
}

/// The formats that every run writes, `run.json` first: should a later one fail, the run can still be read.
#[must_use]
pub fn formats() -> Vec<Box<dyn ReportFormat>> {
    vec![Box::new(Json), Box::new(JUnit::default()), Box::new(Html)]
}
