//! `run.json`: the whole report as data, for later commands and for other programs.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::outcome::RunReport;

use super::{ReportError, ReportFormat, file};

/// Writes `run.json`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json;

impl Json {
    /// The name of the file in the artifacts folder.
    pub const FILE: &'static str = "run.json";
}

impl ReportFormat for Json {
    fn write(&self, report: &RunReport, artifacts: &Path) -> Result<PathBuf, ReportError> {
        let path = artifacts.join(Self::FILE);
        let mut text = serde_json::to_vec_pretty(report)
            .map_err(|error| ReportError::Write { path: path.clone(), source: io::Error::other(error) })?;
        text.push(b'\n');
        file::write(&path, &text)?;
        Ok(path)
    }
}

/// The only part that every version of the format has.
#[derive(Deserialize)]
#[serde(expecting = "a run report")]
struct Versioned {
    version: u32,
}

/// Reads a `run.json`; `path` is the file or the artifacts folder that holds it.
pub fn read(path: &Path) -> Result<RunReport, ReportError> {
    let path = if path.is_dir() { path.join(Json::FILE) } else { path.to_owned() };
    let failed = |reason: String| ReportError::Read { path: path.clone(), reason };
    parse(&fs::read(&path).map_err(|error| failed(error.to_string()))?, &path)
}

/// Reads the text of a `run.json`; `path` is where it came from, for messages.
pub fn parse(text: &[u8], path: &Path) -> Result<RunReport, ReportError> {
    let failed = |reason: String| ReportError::Read { path: path.to_owned(), reason };
    // The version comes first: the fields of another one would only give a riddle about a missing field.
    let Versioned { version } = serde_json::from_slice(text).map_err(|error| failed(error.to_string()))?;
    if version != RunReport::VERSION {
        return Err(failed(format!(
            "it has version {version} of the format, and cu-run {} reads version {}\n\
             hint: read it with the cu-run that wrote it, or run the scenarios again",
            env!("CARGO_PKG_VERSION"),
            RunReport::VERSION,
        )));
    }
    serde_json::from_slice(text).map_err(|error| failed(error.to_string()))
}
