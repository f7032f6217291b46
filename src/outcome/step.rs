//! What a step did, and what a checkpoint saw.

use std::{path::PathBuf, time::Duration};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    compare::{CompareSpec, Comparison},
    diagnostic::Location,
    geometry::{Point, Region, Size},
};

use super::{Verdict, seconds};

/// One step of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutcome {
    /// Its place in the case, from 1.
    pub number: u32,
    /// The verb, such as `left_click`.
    pub action: String,
    /// What people call it; holds no typed text and no secret.
    pub title: String,
    /// Where it stands in its file.
    pub source: Location,
    /// How it ended.
    pub verdict: Verdict,
    /// When it began.
    pub started: Timestamp,
    /// How long it took.
    #[serde(with = "seconds", rename = "duration_s")]
    pub duration: Duration,
    /// How often an observation was repeated before this outcome.
    #[serde(default)]
    pub retries: u32,
    /// The point that was aimed at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aimed_at: Option<Point>,
    /// What a screenshot saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Box<CheckpointOutcome>>,
}

/// What a checkpoint saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointOutcome {
    /// The checkpoint's name.
    pub name: String,
    /// The part of the screen that was looked at.
    pub region: Region,
    /// The accepted picture, when there is one.
    pub baseline: Option<ImageRef>,
    /// What was captured: a candidate for a new baseline. Equal to the baseline's reference when nothing differs.
    pub actual: Option<ImageRef>,
    /// The difference picture.
    pub difference: Option<ImageRef>,
    /// What the comparison found; `None` when there was nothing to compare with.
    pub comparison: Option<Comparison>,
    /// The limits that applied.
    pub rules: CompareSpec,
    /// The parts that were ignored, in coordinates of the compared picture.
    pub masks: Vec<Region>,
    /// How long it took until the screen was still.
    #[serde(with = "seconds", rename = "still_after_s")]
    pub still_after: Duration,
    /// How long it took after that until the picture matched; zero when it never did.
    #[serde(with = "seconds", rename = "matched_after_s")]
    pub matched_after: Duration,
    /// What differs between the environment of the baseline and this one, such as `browser: Chromium 155 -> 156`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment_changes: Vec<String>,
    /// Which further accepted picture matched, when the plain one did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// Whether this run wrote the capture as the baseline.
    #[serde(default)]
    pub accepted: bool,
}

/// A further accepted picture of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its number, from 2.
    pub number: u32,
    /// Where it is tracked that the picture is not right; the pass is then a *soft failure*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The last day on which it counts, such as `2027-01-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// A picture on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageRef {
    /// In which folder `path` starts.
    pub base: ImageBase,
    /// The file.
    pub path: PathBuf,
    /// BLAKE3 digest of its size and pixels, in hexadecimal.
    pub digest: String,
    /// Its size.
    pub size: Size,
}

/// Where a path of an [`ImageRef`] starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageBase {
    /// The artifacts folder.
    Artifacts,
    /// The baselines folder.
    Baselines,
}
