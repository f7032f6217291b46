//! What can go wrong with a browser.

use std::time::Duration;

use thiserror::Error;

use crate::{desktop::DesktopError, geometry::Size};

/// A browser that could not be used, or a page that is not what it should be.
///
/// [`BrowserError::is_failure`] tells the application's failures from the harness's faults.
#[derive(Debug, Error)]
pub enum BrowserError {
    /// No browser on this machine.
    #[error("no Chromium was found (looked for {})\ninstall it (`apt-get install chromium`) or set CU_RUN_CHROMIUM", .looked_for.join(", "))]
    Missing {
        /// The names and paths tried.
        looked_for: Vec<String>,
    },
    /// It did not get ready in time.
    #[error("the browser was not ready after {waited:?}: {reason}\n{log_end}")]
    NotReady {
        /// How long it was waited for.
        waited: Duration,
        /// What was seen.
        reason: String,
        /// The last lines of its log.
        log_end: String,
    },
    /// The browser or its page ended during the case.
    #[error("the browser died: {reason}\n{log_end}")]
    Died {
        /// What was seen: an exit code, a signal, a crashed page.
        reason: String,
        /// The last lines of its log.
        log_end: String,
    },
    /// The browser's own sandbox cannot be had.
    #[error(
        "the browser could not make its sandbox: this user may make no user namespaces\nallow them (see docs/browsers.md), or, when what it opens is trusted, set `browser: {{flags: [--no-sandbox]}}`\n{log_end}"
    )]
    NoSandbox {
        /// The last lines of its log.
        log_end: String,
    },
    /// The page could not be reached: refused, unknown host, certificate.
    #[error("failed to load {url}: {reason}")]
    Unreachable {
        /// The address asked for.
        url: String,
        /// The browser's error, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
    },
    /// The document came with another HTTP status than wanted.
    #[error("{url} answered with status {status}, expected {expected}")]
    Status {
        /// The address.
        url: String,
        /// What came.
        status: u16,
        /// What was wanted, such as `200` or `below 400`.
        expected: String,
    },
    /// Load or network idle did not come in time.
    #[error("{url} was not loaded after {waited:?}: {waiting_for}")]
    LoadTimeout {
        /// The address.
        url: String,
        /// How long it was waited for.
        waited: Duration,
        /// What was still missing, such as `2 requests: http://…`.
        waiting_for: String,
    },
    /// The selector is not valid css.
    #[error("`{css}` is not a css selector: {reason}")]
    Selector {
        /// As written.
        css: String,
        /// The browser's word.
        reason: String,
    },
    /// There is no page to go back or forward to.
    #[error("the history has no such entry")]
    NoHistory,
    /// A JavaScript dialog stops the page. It stays open: real input can close it.
    #[error("the page waits in {kind} dialog: {message:?}", kind = article(.kind))]
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// What it says.
        message: String,
    },
    /// The screen is too small for a viewport.
    #[error("a viewport of {viewport} needs {pixels} pixels of screen, there are {screen}")]
    ViewportTooLarge {
        /// In css pixels.
        viewport: Size,
        /// In pixels of the screen.
        pixels: Size,
        /// What there is.
        screen: Size,
    },
    /// There is no such tab.
    #[error("there is no tab {index}")]
    NoTab {
        /// From 0.
        index: usize,
    },
    /// The only tab cannot be closed.
    #[error("it is the only tab: `close_browser` ends the browser")]
    LastTab,
    /// There is no dialog to answer.
    #[error("no dialog is open")]
    NoDialog,
    /// The page did not ask for files.
    #[error("the page opened no file chooser within {waited:?}")]
    NoFileChooser {
        /// How long it was waited for.
        waited: Duration,
    },
    /// The page takes one file and was given several.
    #[error("the page asks for one file, and {given} are given")]
    OneFileOnly {
        /// How many.
        given: usize,
    },
    /// Nothing was downloaded.
    #[error("no download was complete within {waited:?}: {so_far}")]
    NoDownload {
        /// How long it was waited for.
        waited: Duration,
        /// What there was.
        so_far: String,
    },
    /// A download ended before it was complete.
    #[error("the download of `{name}` was cancelled")]
    DownloadCancelled {
        /// What the page or server calls the file.
        name: String,
    },
    /// The `DevTools` connection answered in an unexpected way.
    #[error("the browser refused `{method}`: {reason}")]
    Protocol {
        /// The method called.
        method: String,
        /// The browser's word.
        reason: String,
    },
    /// The desktop below failed.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
}

impl BrowserError {
    /// Whether the application is at fault (a failure) and not the harness (a fault).
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Status { .. }
                | Self::LoadTimeout { .. }
                | Self::Dialog { .. }
                | Self::NoDialog
                | Self::NoTab { .. }
                | Self::LastTab
                | Self::NoFileChooser { .. }
                | Self::OneFileOnly { .. }
                | Self::NoDownload { .. }
                | Self::DownloadCancelled { .. }
                | Self::NoHistory
        )
    }
}

fn article(kind: &str) -> String {
    if kind.starts_with('a') { format!("an {kind}") } else { format!("a {kind}") }
}
