//! What a case did.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{geometry::Size, id::CaseId};

use super::{CheckpointOutcome, StepOutcome, Verdict, seconds};

/// One case from its display's start to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// Its identity.
    pub id: CaseId,
    /// The scenario file, as the user named it.
    pub file: PathBuf,
    /// What people call it.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its matrix row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrix: Vec<(String, String)>,
    /// How it ended: the worst of its steps, or what prevented them.
    pub verdict: Verdict,
    /// When it began.
    pub started: Timestamp,
    /// How long it took.
    #[serde(with = "seconds", rename = "duration_s")]
    pub duration: Duration,
    /// The size of its screen.
    pub display: Size,
    /// Its steps, in order; those never begun are skipped.
    pub steps: Vec<StepOutcome>,
    /// Its folder below the artifacts.
    pub folder: PathBuf,
    /// The logs in that folder, relative to the artifacts.
    pub logs: Vec<PathBuf>,
    /// What its pictures depend on: browser and version, fonts, screen.
    pub fingerprint: BTreeMap<String, String>,
}

impl CaseOutcome {
    /// Its checkpoints with their steps, in order.
    pub fn checkpoints(&self) -> impl Iterator<Item = (&StepOutcome, &CheckpointOutcome)> {
        self.steps.iter().filter_map(|step| Some((step, step.checkpoint.as_deref()?)))
    }
}
