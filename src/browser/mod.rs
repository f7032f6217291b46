//! A real browser on a desktop: its profile, how it is started, and what it says about its page.
//!
//! Called by `runner` and `find`. It never sends input: clicks and keys are real X input. It knows the desktop it
//! runs on, but neither scenarios nor reports.

mod chromium;
mod devtools;
mod dialogs;
mod elements;
mod emulate;
mod error;
pub mod fake;
mod files;
mod freeze;
mod guard;
mod launch;
mod navigate;
mod notices;
mod pages;
mod preset;
mod requests;
mod response;
mod session;
mod tabs;
mod window;

pub use chromium::{ChromiumConfig, ChromiumSource};
pub use dialogs::{Dialog, DialogAnswer};
pub use emulate::{Emulation, UserAgent};
pub use error::BrowserError;
pub use files::Download;
pub use notices::{Notice, NoticeKind, NoticeLevel};
pub use preset::{Cookie, Credentials, DialogPolicy, Preset, StoredValues};
pub use tabs::Tab;

use std::{path::PathBuf, time::Duration};

use crate::{
    desktop::Desktop,
    geometry::{Point, Region, Size},
};

/// How a browser must be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSpec {
    /// Whether tabs and address bar are shown, or the page alone fills the screen.
    pub frame: Frame,
    /// Whether animations, caret, smooth scrolling and motion are stopped.
    pub freeze: Freeze,
    /// The instant (milliseconds since 1970) at which the page's clock stands, when it is to stand.
    pub frozen_clock_ms: Option<i64>,
    /// `prefers-color-scheme` that pages see.
    pub color_scheme: ColorScheme,
    /// The executable; found on the machine when absent.
    pub executable: Option<PathBuf>,
    /// More command-line flags.
    pub extra_flags: Vec<String>,
    /// What it holds and answers before its first page.
    pub preset: Preset,
    /// How long the browser may take to start.
    pub start_timeout: Duration,
}

/// What surrounds the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frame {
    /// The page alone.
    PageOnly,
    /// Tabs, address bar and page.
    Shown,
}

/// Whether the page is kept from moving by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Freeze {
    /// Animations, transitions and the caret are stopped.
    Frozen,
    /// The page moves as it likes.
    Moving,
}

/// The colour scheme that pages see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorScheme {
    /// `prefers-color-scheme: light`.
    Light,
    /// `prefers-color-scheme: dark`.
    Dark,
}

/// What a navigation may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigateOptions {
    /// How long load and network idle may take.
    pub timeout: Duration,
    /// The HTTP status the document must have; by default anything below 400.
    pub expect_status: Option<u16>,
}

/// How a navigation went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Navigation {
    /// The address after redirects.
    pub url: String,
    /// The HTTP status of the document; `None` for pages that come without HTTP.
    pub status: Option<u16>,
}

/// An element of the page as it lies on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The visible part on the screen, in screen pixels; empty when the element is out of view.
    pub region: Region,
    /// The pixel to click: the middle of the visible part, or of its largest line when the element is broken into
    /// lines.
    pub point: Point,
    /// A short description for messages, such as `button#sign-in "Sign in"`.
    pub description: String,
    /// The element that lies over its centre, described likewise.
    pub obscured_by: Option<String>,
}

/// Whether a wanted element is brought into view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntoView {
    /// The first match is scrolled to when it is not wholly visible.
    Scroll,
    /// The match with this index, counted from zero, is scrolled to likewise.
    ScrollNth(usize),
    /// Left where it is.
    Leave,
}

/// A running browser with one page in front.
pub trait Browser: Send {
    /// Name and version, such as `Chromium 156.0.8078.114`.
    fn version(&self) -> String;
    /// Goes to `url` and waits for load and network idle. A status that is not wanted is [`BrowserError::Status`].
    fn navigate(&mut self, url: &str, options: &NavigateOptions) -> Result<Navigation, BrowserError>;
    /// Loads the page again, likewise.
    fn reload(&mut self, options: &NavigateOptions) -> Result<Navigation, BrowserError>;
    /// Goes one step back in the history, likewise; `forward` goes one step on.
    fn history(&mut self, steps: i32, options: &NavigateOptions) -> Result<Navigation, BrowserError>;
    /// Waits until the page has answered to the input that the browser has taken in: its scripts ran, what they load is
    /// there, and a frame was made of it. What takes longer than `limit` is not waited for: whoever looks at the screen
    /// judges what is there.
    fn await_response(&mut self, limit: Duration) -> Result<(), BrowserError>;
    /// The elements that match a css selector in any frame, in document order; those without a box or with
    /// `visibility: hidden` are left out.
    fn elements(&mut self, css: &str, into_view: IntoView) -> Result<Vec<Element>, BrowserError>;
    /// Where the page's viewport lies on the screen.
    fn viewport(&mut self) -> Result<Region, BrowserError>;
    /// Gives the window such a size that the page's viewport has this one, in css pixels.
    fn set_viewport(&mut self, size: Size) -> Result<(), BrowserError>;
    /// Tells the present and all later pages of another device.
    fn emulate(&mut self, emulation: &Emulation) -> Result<(), BrowserError>;
    /// The tabs and windows, in the order in which they were opened.
    fn tabs(&mut self) -> Result<Vec<Tab>, BrowserError>;
    /// Brings a tab to the front, by its place in [`Browser::tabs`].
    fn show_tab(&mut self, index: usize) -> Result<(), BrowserError>;
    /// Closes the tab in front.
    fn close_tab(&mut self) -> Result<(), BrowserError>;
    /// The address and title of the page in front.
    fn location(&mut self) -> Result<PageLocation, BrowserError>;
    /// The JavaScript dialog that waits for an answer.
    fn dialog(&mut self) -> Option<Dialog>;
    /// Answers it; fails with [`BrowserError::NoDialog`] when there is none.
    fn answer_dialog(&mut self, answer: &DialogAnswer) -> Result<(), BrowserError>;
    /// Has the next file chooser of the page in front wait for [`Browser::give_files`] instead of being shown.
    fn expect_files(&mut self) -> Result<(), BrowserError>;
    /// Waits for the chooser and gives it these files, named by absolute paths.
    fn give_files(&mut self, files: &[PathBuf], limit: Duration) -> Result<(), BrowserError>;
    /// Waits until the oldest download that was not returned yet is complete.
    fn await_download(&mut self, limit: Duration) -> Result<Download, BrowserError>;
    /// What the pages said, and what happened to their requests, since the last call.
    fn take_notices(&mut self) -> Vec<Notice>;
    /// Fails with [`BrowserError::Died`] (with the end of its log) when the browser or its page is gone.
    fn health(&mut self, desktop: &mut dyn Desktop) -> Result<(), BrowserError>;
    /// Ends the browser and waits until its process is gone.
    fn close(&mut self, desktop: &mut dyn Desktop) -> Result<(), BrowserError>;
}

/// What the page in front calls itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLocation {
    /// The address.
    pub url: String,
    /// The title.
    pub title: String,
}

/// Starts browsers; a fake in tests of the runner.
pub trait BrowserSource: Sync {
    /// Starts a browser with a fresh profile on `desktop`, showing an empty page.
    fn open(&self, desktop: &mut dyn Desktop, spec: &BrowserSpec) -> Result<Box<dyn Browser>, BrowserError>;
}
