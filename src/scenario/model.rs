//! A case: a scenario with one matrix row and all variables resolved, the unit that runs, retries and shards.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use crate::{desktop::WindowManager, diagnostic::Location, geometry::Size, id::CaseId};

use super::{Action, BrowserSettings, Template};

/// What runs on one display.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its identity everywhere: path below the scenario root, and matrix row.
    pub id: CaseId,
    /// The file it comes from, as the user named it.
    pub file: PathBuf,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// For `--tag`.
    pub tags: Vec<String>,
    /// The matrix row, in the order of the file; empty without a matrix.
    pub matrix: Vec<(String, String)>,
    /// The screen.
    pub display: DisplaySettings,
    /// The browser, should a step open one.
    pub browser: BrowserSettings,
    /// Names of the secrets it declares; their values are read when it starts.
    pub secrets: Vec<String>,
    /// What must be up while it runs, in order of starting.
    pub services: Vec<Service>,
    /// The folder that cu-run serves to it.
    pub serve: Option<PathBuf>,
    /// What it does, parts unfolded.
    pub steps: Vec<Step>,
}

/// The screen of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplaySettings {
    /// In pixels.
    pub size: Size,
    /// Who manages the windows.
    pub window_manager: WindowManager,
    /// The keyboard layout.
    pub keyboard: Keyboard,
}

/// A keyboard layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Keyboard {
    /// `us`, the layout of an international PC keyboard.
    #[default]
    Us,
}

/// A program that must be up while a case runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Names its log.
    pub name: crate::id::Name,
    /// The program and its arguments; never given to a shell.
    pub command: Vec<Template>,
    /// Variables over the allow-listed environment.
    pub env: BTreeMap<String, Template>,
    /// Where it starts, absolute; the scenario's folder by default.
    pub cwd: PathBuf,
    /// How to know that it is up; up as soon as it runs without it.
    pub ready: Option<Ready>,
    /// How long that may take.
    pub timeout: Duration,
    /// Where it stands in the file.
    pub source: Location,
}

/// How to know that a service is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ready {
    /// This address answers with a status below 400.
    Http(Template),
    /// This `host:port` takes a connection.
    Tcp(Template),
    /// Its log holds this text.
    Log(Template),
}

/// One action and how it is to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// How.
    pub options: StepOptions,
    /// Where it stands: the place in the part when it comes from one.
    pub source: Location,
}

/// What may stand beside the action of a step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepOptions {
    /// What people call the step.
    pub name: Option<String>,
    /// That the author means a step which could do harm.
    pub confirm: bool,
    /// A deadline in place of the built-in one.
    pub timeout: Option<Duration>,
    /// The `if` that does not hold for this case: the step is reported as skipped.
    pub skipped_by: Option<String>,
    /// Whether the case goes on when the step fails.
    pub continue_on_failure: bool,
    /// How often an observation is tried again.
    pub retry: u32,
}

impl Step {
    /// What reports call the step: its name or its action.
    #[must_use]
    pub fn title(&self) -> String {
        self.options.name.clone().unwrap_or_else(|| self.action.to_string())
    }
}
