//! The five ways in which a step or a case can end.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a step or a case ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be.
    Passed,
    /// The application looks or behaves differently.
    Failed {
        /// How.
        failure: Failure,
    },
    /// The harness could not tell.
    Errored {
        /// Why.
        fault: Fault,
    },
    /// Not done.
    Skipped {
        /// Why.
        reason: String,
    },
    /// A case that passed only when it was tried again.
    Flaky {
        /// What failed before.
        failure: Failure,
    },
}

/// What was different about the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of difference.
    pub kind: FailureKind,
    /// One line that says what was wanted and what was found.
    pub message: String,
    /// More lines: regions, numbers, what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A checkpoint differs from its baseline.
    Difference,
    /// A checkpoint and its baseline have different sizes.
    SizeDifference,
    /// A checkpoint has no baseline.
    MissingBaseline,
    /// A checkpoint differs, and so does the environment it was accepted in.
    EnvironmentChanged,
    /// The screen did not get still.
    NotStill,
    /// No element, text or window like the target.
    TargetNotFound,
    /// More than one.
    TargetAmbiguous,
    /// Something lies over the target.
    TargetObscured,
    /// A page could not be loaded as wanted.
    Navigation,
    /// A JavaScript dialog stops the page, or one that should be there is not.
    Dialog,
    /// A page wrote an error on its console or had a request fail, and the scenario wants none.
    PageError,
    /// A step needs `confirm: true` or another approval.
    NeedsApproval,
    /// A step that is never allowed.
    Blocked,
    /// A program on the display ended or never showed a window.
    App,
}

/// Why the harness could not tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// Which part failed.
    pub kind: FaultKind,
    /// What happened, with the hint of what to do on a line of its own.
    pub message: String,
}

/// The parts of the harness that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The display or a program on it.
    Desktop,
    /// The browser.
    Browser,
    /// A service was not up in time or ended.
    Service,
    /// A stored picture cannot be read: damaged, not fetched, not a picture.
    Baseline,
    /// A file of the artifacts or baselines cannot be written.
    Write,
    /// The run was ended by a signal.
    Cancelled,
    /// The screen was blank where an application should be.
    BlankScreen,
    /// A secret that the scenario declares has no value.
    Secret,
    /// An error in cu-run itself.
    Internal,
}

impl Verdict {
    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_passed(&self) -> bool {
        matches!(self, Self::Passed)
    }

    /// Whether it counts as an application failure.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }

    /// Whether it counts as a fault of the harness.
    #[must_use]
    pub const fn is_errored(&self) -> bool {
        matches!(self, Self::Errored { .. })
    }

    /// The word for it in logs and reports.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed { .. } => "failed",
            Self::Errored { .. } => "errored",
            Self::Skipped { .. } => "skipped",
            Self::Flaky { .. } => "flaky",
        }
    }

    /// The line that explains it; `None` when it passed.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::Failed { failure } | Self::Flaky { failure } => Some(&failure.message),
            Self::Errored { fault } => Some(&fault.message),
            Self::Skipped { reason } => Some(reason),
        }
    }
}

impl Failure {
    /// A failure without details.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Vec::new() }
    }

    /// The same with more lines.
    #[must_use]
    pub fn with_details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}

impl Fault {
    /// A fault of this part.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<Failure> for Verdict {
    fn from(failure: Failure) -> Self {
        Self::Failed { failure }
    }
}

impl From<Fault> for Verdict {
    fn from(fault: Fault) -> Self {
        Self::Errored { fault }
    }
}

/// The kind as JUnit's `type` attribute and the log spell it.
fn snake_case(kind: &impl Serialize) -> String {
    serde_json::to_value(kind).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&snake_case(self))
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&snake_case(self))
    }
}
