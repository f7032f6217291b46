//! The events of a run.

use std::{io, path::PathBuf, time::Duration};

use jiff::Timestamp;
use serde::Serialize;
use thiserror::Error;

use crate::{
    id::CaseId,
    outcome::{CaseOutcome, RunReport, StepOutcome},
    scenario::Step,
};

/// Something that happened, borrowed from whoever made it happen.
#[derive(Debug, Clone, Copy)]
pub enum RunEvent<'a> {
    /// A run begins.
    RunStarted {
        /// Names the run.
        run_id: &'a str,
        /// The cases that will run, in file order.
        cases: &'a [CaseId],
        /// How many at once.
        jobs: usize,
    },
    /// A case begins.
    CaseStarted {
        /// Which.
        case: &'a CaseId,
        /// How many steps it has.
        steps: usize,
    },
    /// A step begins.
    StepStarted {
        /// Of which case.
        case: &'a CaseId,
        /// Its place, from 1.
        number: u32,
        /// The step.
        step: &'a Step,
    },
    /// A step has ended.
    StepFinished {
        /// Of which case.
        case: &'a CaseId,
        /// How it ended.
        outcome: &'a StepOutcome,
        /// What the action log keeps of it.
        record: &'a ActionRecord,
    },
    /// A case has ended and its display is gone.
    CaseFinished {
        /// How.
        outcome: &'a CaseOutcome,
    },
    /// A run has ended.
    RunFinished {
        /// How.
        report: &'a RunReport,
    },
}

/// What the action log keeps of an action: never typed text, clipboard content, file content or a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionRecord {
    /// When it began.
    pub started: Timestamp,
    /// The verb.
    pub action: String,
    /// What it aimed at, redacted.
    pub target: Option<String>,
    /// The risk class, such as `local_nondestructive`.
    pub risk: String,
    /// `allow`, `needs_approval` or `blocked`.
    pub decision: String,
    /// By what the step was approved, when it needed to be.
    pub approval: Option<String>,
    /// The parameters, redacted: `text_length` and `sensitive` in place of text.
    pub params: serde_json::Value,
    /// How it ended.
    pub status: ActionStatus,
    /// The failure or fault in one line, redacted.
    pub error: Option<String>,
    /// How long it took.
    #[serde(with = "crate::outcome::seconds", rename = "duration_s")]
    pub duration: Duration,
    /// The digest of the picture that proves it, when one was taken.
    pub evidence: Option<String>,
}

/// How an action ended, in the words of the audit boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionStatus {
    /// Done; a checkpoint matched.
    Success,
    /// Done or tried, and the application was not as it should be.
    Failure,
    /// Not done for want of an approval.
    NeedsApproval,
    /// Never allowed.
    Blocked,
    /// Not possible here.
    Unsupported,
    /// The harness failed.
    Error,
    /// Not begun.
    Skipped,
}

/// Listens to a run; called from several threads at once.
pub trait Observer: Sync {
    /// Takes note of `event`. Returns once the note is safe.
    fn on_event(&self, event: &RunEvent<'_>) -> Result<(), ObserveError>;
}

/// Why an observer could not take note.
#[derive(Debug, Error)]
pub enum ObserveError {
    /// The action log cannot be written.
    #[error("failed to write the action log `{}`: {source}", .path.display())]
    Log {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Everyone in the array, in order; all hear of an event even when one of them fails.
impl<const N: usize> Observer for [&dyn Observer; N] {
    fn on_event(&self, event: &RunEvent<'_>) -> Result<(), ObserveError> {
        let results: Vec<_> = self.iter().map(|observer| observer.on_event(event)).collect();
        results.into_iter().collect()
    }
}
