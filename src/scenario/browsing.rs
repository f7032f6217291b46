//! The browser of a case: how it is started, and what of it is a failure.

use std::{fmt, path::PathBuf};

use crate::browser::{ColorScheme, DialogAnswer, DialogPolicy, Emulation, Frame, Freeze, NoticeLevel};

use super::{Target, Template};

/// The browser of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSettings {
    /// Which.
    pub name: BrowserName,
    /// What surrounds the page.
    pub frame: Frame,
    /// Whether the page is kept from moving by itself.
    pub freeze: Freeze,
    /// The instant at which the page's clock stands, in milliseconds since 1970.
    pub clock_ms: Option<i64>,
    /// The colour scheme that pages see.
    pub color_scheme: ColorScheme,
    /// More command-line flags.
    pub flags: Vec<String>,
    /// What pages are told of the device.
    pub emulation: Emulation,
    /// What of a page is a failure of the step in which it happens.
    pub fail_on: FailOn,
    /// What is done with the dialogs that scripts open.
    pub dialogs: DialogPolicy,
    /// Who signs in where by HTTP authentication.
    pub auth: Vec<SignIn>,
    /// Cookies that it has before its first page.
    pub cookies: Vec<PresetCookie>,
    /// Values that local storages hold before its first page.
    pub storage: Vec<PresetStorage>,
}

/// A browser by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BrowserName {
    /// Chromium or Google Chrome.
    #[default]
    Chromium,
}

/// What of a page is a failure of the step in which it happens; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailOn {
    /// Messages on the console from this level on; exceptions that nobody caught are errors.
    pub console: Option<NoticeLevel>,
    /// Requests that got no answer, or one with an error status.
    pub requests: bool,
}

impl FailOn {
    /// Whether anything is a failure.
    #[must_use]
    pub const fn is_anything(self) -> bool {
        self.console.is_some() || self.requests
    }
}

/// Who signs in where by HTTP authentication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// Scheme, host and port of the server: no other one is given the password.
    pub origin: Template,
    /// The name.
    pub user: Template,
    /// The password.
    pub password: Template,
}

/// A cookie that is there before the first page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetCookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Template,
    /// An address that it is for.
    pub url: Template,
}

/// Values that a local storage holds before the first page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetStorage {
    /// Scheme, host and port whose storage it is.
    pub origin: Template,
    /// Keys and values.
    pub values: Vec<(String, Template)>,
}

/// `dialog`: answers the JavaScript dialog that is open or opens soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerDialog {
    /// A part of what it must say.
    pub says: Option<String>,
    /// The answer.
    pub answer: Answer,
}

/// How a dialog is answered, late values not yet filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// As by its button that agrees; a `prompt` gets this text.
    Accept(Option<Template>),
    /// As by the other one.
    Dismiss,
}

impl Answer {
    /// The answer with its late values, which `render` fills in.
    pub fn filled<E>(&self, render: impl FnOnce(&Template) -> Result<String, E>) -> Result<DialogAnswer, E> {
        Ok(match self {
            Self::Accept(text) => DialogAnswer::Accept(text.as_ref().map(render).transpose()?),
            Self::Dismiss => DialogAnswer::Dismiss,
        })
    }
}

/// `upload`: clicks what opens a file chooser, and gives the page files without showing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// What is clicked; the present position of the pointer without it.
    pub at: Option<Target>,
    /// The files, at least one.
    pub files: Vec<PathBuf>,
}

/// `download`: waits for a file that the page gives out, and keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepDownload {
    /// What is clicked first.
    pub at: Option<Target>,
    /// What the file must be called.
    pub name: Option<String>,
}

/// Never the text, which may be a secret.
impl fmt::Display for AnswerDialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.answer {
            Answer::Accept(None) => "accept",
            Answer::Accept(Some(_)) => "accept with a text",
            Answer::Dismiss => "dismiss",
        })
    }
}

impl fmt::Display for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.files.len() {
            1 => f.write_str("1 file")?,
            count => write!(f, "{count} files")?,
        }
        match &self.at {
            Some(at) => write!(f, " at {at}"),
            None => Ok(()),
        }
    }
}

impl KeepDownload {
    /// What it aims at and waits for.
    pub(super) fn subject(&self) -> Option<String> {
        match (&self.name, &self.at) {
            (Some(name), Some(at)) => Some(format!("`{name}` at {at}")),
            (Some(name), None) => Some(format!("`{name}`")),
            (None, Some(at)) => Some(format!("at {at}")),
            (None, None) => None,
        }
    }
}

/// `switch_tab`: which tab comes to the front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TabQuery {
    /// The one whose title has this part.
    Title(String),
    /// The one whose address has this part.
    Url(String),
    /// By the order in which they were opened, from 0.
    Index(u32),
}

impl fmt::Display for TabQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Title(part) => write!(f, "title `{part}`"),
            Self::Url(part) => write!(f, "url `{part}`"),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}
