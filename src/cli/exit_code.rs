//! The exit codes, documented in `--help` and the README.

use std::process::ExitCode;

use crate::outcome::RunReport;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// 0: everything passed.
    Passed,
    /// 1: the application looks or behaves differently.
    Failed,
    /// 2: the command line or a scenario is wrong, or nothing was there to run.
    Usage,
    /// 3: the harness could not tell.
    Fault,
    /// 128 and the signal that ended the run, such as 130 for SIGINT and 143 for SIGTERM.
    Signal(i32),
}

impl Exit {
    /// The exit of a finished run: a signal, then a fault, then a failure outweigh the rest.
    #[must_use]
    pub const fn of(report: &RunReport) -> Self {
        match report.interrupted {
            Some(signal) => Self::Signal(signal),
            None if report.totals.errored > 0 => Self::Fault,
            None if report.totals.failed > 0 => Self::Failed,
            None => Self::Passed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Fault => 3,
            // Signals are numbered from 1 to 64.
            Exit::Signal(signal) => 128 + signal as u8,
        })
    }
}
