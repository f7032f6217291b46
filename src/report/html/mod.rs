//! `report.html`: a run as one page that opens from disk or as a build's artifact, without a server.
//!
//! The page holds its style, its script and the run as JSON, and asks no other host for anything; only pictures and
//! whole logs lie beside it. The script in `assets/` builds what is looked at, when it is looked at. Which picture is
//! shown for what is decided here, in [`places`]; the script knows no rule about folders.

mod data;
mod logs;
mod page;
mod places;
mod shots;
mod text;

use std::path::{Path, PathBuf};

use super::{ReportError, ReportFormat, file};
use crate::outcome::RunReport;
use data::Data;

/// The name of the page in the artifacts folder.
const FILE: &str = "report.html";

/// The HTML report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl ReportFormat for Html {
    fn write(&self, report: &RunReport, artifacts: &Path) -> Result<PathBuf, ReportError> {
        let path = artifacts.join(FILE);
        let json = Data::of(report, artifacts)
            .to_json()
            .map_err(|error| ReportError::Write { path: path.clone(), source: error.into() })?;
        file::write(&path, page::page(report, artifacts, &json).as_bytes())?;
        Ok(path)
    }
}
