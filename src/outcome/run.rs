//! What a whole run did.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CaseOutcome, Verdict, seconds};

/// Everything that happened: the content of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The version of this format; raised when a reader must change.
    pub version: u32,
    /// Names the run in the log and the reports.
    pub run_id: String,
    /// When it began.
    pub started: Timestamp,
    /// How long it took.
    #[serde(with = "seconds", rename = "duration_s")]
    pub duration: Duration,
    /// Where it ran.
    pub environment: Environment,
    /// Every case, in file order, whatever the order in which they ended.
    pub cases: Vec<CaseOutcome>,
    /// How many ended how.
    pub totals: Totals,
    /// The signal that ended it early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<i32>,
}

/// The machine and the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The version of cu-run.
    pub cu_run: String,
    /// The baselines folder, as the user named it.
    pub baselines: PathBuf,
    /// How many cases ran at once.
    pub jobs: usize,
    /// More facts by name, such as `arch` or `browser`.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
}

/// Numbers of cases and checkpoints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// All cases.
    pub cases: usize,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases with a fault.
    pub errored: usize,
    /// Cases not run.
    pub skipped: usize,
    /// Cases that passed when tried again.
    pub flaky: usize,
    /// Checkpoints that were captured.
    pub checkpoints: usize,
    /// Baselines written by this run.
    pub accepted: usize,
}

impl RunReport {
    /// The version of the format that this program writes.
    pub const VERSION: u32 = 1;
}

impl Totals {
    /// Counts `cases`.
    #[must_use]
    pub fn of(cases: &[CaseOutcome]) -> Self {
        let mut totals = Self { cases: cases.len(), ..Self::default() };
        for case in cases {
            *match case.verdict {
                Verdict::Passed => &mut totals.passed,
                Verdict::Failed { .. } => &mut totals.failed,
                Verdict::Errored { .. } => &mut totals.errored,
                Verdict::Skipped { .. } => &mut totals.skipped,
                Verdict::Flaky { .. } => &mut totals.flaky,
            } += 1;
            for (_, checkpoint) in case.checkpoints() {
                totals.checkpoints += usize::from(checkpoint.actual.is_some());
                totals.accepted += usize::from(checkpoint.accepted);
            }
        }
        totals
    }
}
