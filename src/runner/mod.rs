//! Makes it happen: cases on displays, steps on a case, pictures against baselines.
//!
//! Besides `cli` the only room that knows scenario *and* desktop. Everything it acts through is borrowed by the
//! [`Workbench`], so that tests run it on a fake desktop, a fake browser and a fake clock.

mod aim;
mod cancel;
mod case;
mod checkpoint;
mod difference;
mod notices;
mod perform;
mod screen;
mod services;
mod settle;
mod step;
mod stop;
mod suite;
mod web_server;

pub use cancel::Cancel;
pub use suite::{Suite, run_suite};

use std::{collections::BTreeMap, time::Duration};

use crate::{
    browser::{Browser, BrowserSource, Notice},
    clock::Clock,
    desktop::{AppId, Desktop, DesktopSource},
    observe::Observer,
    outcome::Environment,
    policy::Redactor,
    scenario::{Bindings, Case},
    store::{BaselineStore, EvidenceStore},
};

use screen::Screen;
use stop::Stop;

/// The version of the way in which pictures are taken: raised when the same page gives other pixels than before.
pub const RECIPE: &str = "1";

/// What all cases of a run share.
pub struct Workbench<'a> {
    /// Opens displays.
    pub desktops: &'a dyn DesktopSource,
    /// Starts browsers.
    pub browsers: &'a dyn BrowserSource,
    /// Reads time and waits.
    pub clock: &'a dyn Clock,
    /// Accepted pictures.
    pub baselines: &'a BaselineStore,
    /// Where this run's pictures and logs go.
    pub evidence: &'a EvidenceStore,
    /// Who is told what happens.
    pub observer: &'a dyn Observer,
    /// Looks at the wish to end early.
    pub cancel: &'a Cancel,
    /// Values of declared secrets, by name.
    pub secrets: &'a BTreeMap<String, String>,
    /// How to run.
    pub settings: &'a RunSettings,
}

/// How to run.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// How many cases at once, at least 1.
    pub jobs: usize,
    /// Whether the first case that does not pass ends the run.
    pub fail_fast: bool,
    /// Which baselines this run writes.
    pub update: Update,
    /// Where it runs; its facts are part of every baseline's fingerprint.
    pub environment: Environment,
    /// How long a step may take when it says nothing else.
    pub step_timeout: Duration,
}

/// Which baselines a run writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Update {
    /// None.
    #[default]
    None,
    /// Those that do not exist.
    Missing,
    /// Those, and those that differ.
    Changed,
    /// Every one, also equal ones: their fingerprint is renewed.
    All,
}

/// What one case acts on.
struct Stage<'a> {
    bench: &'a Workbench<'a>,
    case: &'a Case,
    desktop: Box<dyn Desktop>,
    browser: Option<Box<dyn Browser>>,
    /// What pages said in this step so far.
    notices: Vec<Notice>,
    /// The version of the browser that was opened last, for the fingerprint.
    browser_version: Option<String>,
    screen: Screen,
    bindings: Bindings,
    redactor: Redactor,
    services: Vec<(String, AppId)>,
    /// Numbers the logs of launched programs.
    launched: u32,
    /// Whether the scenario itself moved the pointer to the top left corner.
    went_to_corner: bool,
}

impl Stage<'_> {
    fn clock(&self) -> &dyn Clock {
        self.bench.clock
    }

    /// Fails once the run is to end.
    fn check_cancelled(&self) -> Result<(), Stop> {
        match self.bench.cancel.signal() {
            Some(_) => Err(Stop::Errored(case::cancelled())),
            None => Ok(()),
        }
    }

    /// Waits, but not past a wish to end the run.
    fn pause(&self, duration: Duration) -> Result<(), Stop> {
        /// Longest time in which a signal goes unnoticed.
        const SLICE: Duration = Duration::from_millis(50);
        let mut left = duration;
        while !left.is_zero() {
            self.check_cancelled()?;
            let slice = left.min(SLICE);
            self.clock().sleep(slice);
            left -= slice;
        }
        self.check_cancelled()
    }
}
