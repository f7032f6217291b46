//! The artifacts folder: made ready for a run, and the reports written into it at the end.

use std::{fs, io, path::Path};

use crate::{
    outcome::RunReport,
    report::{self, ReportError},
};

use super::CliError;

/// Files that a run writes at the top of the folder.
const FILES: &[&str] = &["junit.xml", "run.json", "actions.jsonl", "report.html"];

/// Makes the folder and removes what an earlier run left there, and nothing else: somebody may have named a folder
/// with files of their own.
pub(super) fn prepare(folder: &Path) -> Result<(), CliError> {
    let fault = |error: io::Error| {
        CliError::Fault(format!(
            "error: failed to prepare the artifacts folder `{}`: {error}",
            folder.display()
        ))
    };
    fs::create_dir_all(folder).map_err(fault)?;
    for file in FILES {
        match fs::remove_file(folder.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fault(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Writes every report; a failure of one does not keep the others from being written.
pub(super) fn write_reports(report: &RunReport, folder: &Path) -> Vec<ReportError> {
    report::formats().iter().filter_map(|format| format.write(report, folder).err()).collect()
}
