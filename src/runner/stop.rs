//! Why a step ends without having done what it says.

use crate::{
    browser::BrowserError,
    desktop::DesktopError,
    outcome::{Failure, FailureKind, Fault, FaultKind, Verdict},
    store::StoreError,
};

/// A failure of the application or a fault of the harness; the two never mix.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The application is different.
    Failed(Failure),
    /// The harness could not tell.
    Errored(Fault),
}

impl Stop {
    pub(crate) fn failed(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::Failed(Failure::new(kind, message))
    }

    pub(crate) fn errored(kind: FaultKind, message: impl Into<String>) -> Self {
        Self::Errored(Fault::new(kind, message))
    }
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed(failure) => failure.into(),
            Stop::Errored(fault) => fault.into(),
        }
    }
}

impl From<DesktopError> for Stop {
    fn from(error: DesktopError) -> Self {
        match error {
            DesktopError::Focus { .. } => Self::failed(FailureKind::App, error.to_string()),
            _ => Self::errored(FaultKind::Desktop, error.to_string()),
        }
    }
}

impl From<BrowserError> for Stop {
    fn from(error: BrowserError) -> Self {
        match error {
            BrowserError::Desktop(error) => error.into(),
            BrowserError::Dialog { .. } | BrowserError::NoDialog => {
                Self::failed(FailureKind::Dialog, error.to_string())
            }
            BrowserError::NoTab { .. } => Self::failed(FailureKind::TargetNotFound, error.to_string()),
            BrowserError::LastTab
            | BrowserError::NoFileChooser { .. }
            | BrowserError::OneFileOnly { .. }
            | BrowserError::NoDownload { .. }
            | BrowserError::DownloadCancelled { .. } => Self::failed(FailureKind::App, error.to_string()),
            error if error.is_failure() => Self::failed(FailureKind::Navigation, error.to_string()),
            error => Self::errored(FaultKind::Browser, error.to_string()),
        }
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        let kind = if error.is_write() { FaultKind::Write } else { FaultKind::Baseline };
        Self::errored(kind, error.to_string())
    }
}
