//! What the page shows of a checkpoint: its pictures, the numbers that decided, the regions and the environment.

use std::borrow::Cow;

use serde::Serialize;

use super::{places::Places, text::line};
use crate::{
    compare::{CompareSpec, Comparison, Difference, DifferenceKind, Numbers},
    geometry::Region,
    outcome::{CaseOutcome, CheckpointOutcome, ImageBase, ImageRef, Verdict},
    report::words,
};

/// Regions that are drawn and listed; a page that changed all over can have thousands.
const REGIONS: usize = 200;

/// A checkpoint.
#[derive(Debug, Serialize)]
pub(super) struct Shot<'a> {
    name: Cow<'a, str>,
    region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Picture>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<Picture>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Picture>,
    baseline: Baseline,
    /// Whether `cu-run accept` can make the capture the baseline.
    acceptable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<Finding<'a>>,
    rules: &'a CompareSpec,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    masks: &'a [Region],
    still_after_s: f64,
    matched_after_s: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    environment_changes: Vec<Cow<'a, str>>,
}

/// What became of the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Baseline {
    /// There is none.
    None,
    /// The capture has its pixels, which therefore stand for both.
    Equal,
    /// The capture has other pixels.
    Other,
    /// This run wrote the capture over it, or as the first.
    Written,
}

#[derive(Debug, Serialize)]
struct Picture {
    /// `None` when the report cannot lead to it.
    url: Option<String>,
    width: u32,
    height: u32,
    /// It lies outside of the artifacts, which may have been moved without it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    outside: bool,
}

#[derive(Debug, Serialize)]
struct Finding<'a> {
    result: &'static str,
    /// The number that decided, against its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<&'a Numbers>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<Spot<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_regions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Cow<'a, str>>,
}

#[derive(Debug, Serialize)]
struct Spot<'a> {
    region: Region,
    kind: DifferenceKind,
    words: Cow<'a, str>,
    worst_ssim: f64,
    max_delta: u8,
    changed_px: u64,
}

/// What is shown of a checkpoint whose step ended with `verdict`.
pub(super) fn shot<'a>(
    case: &CaseOutcome,
    verdict: &Verdict,
    checkpoint: &'a CheckpointOutcome,
    places: &Places<'_>,
) -> Shot<'a> {
    let picture = |image: &ImageRef| located(image, places.picture(image));
    let baseline = checkpoint.baseline.as_ref().filter(|_| !checkpoint.accepted);
    let captured = checkpoint.actual.as_ref().filter(|actual| actual.base == ImageBase::Artifacts);
    let at_hand = captured.and_then(|actual| places.picture(actual)).is_some();
    Shot {
        name: line(&checkpoint.name),
        region: checkpoint.region,
        expected: baseline.map(|image| located(image, places.expected(case, checkpoint))),
        actual: checkpoint.actual.as_ref().map(picture),
        difference: checkpoint.difference.as_ref().map(picture),
        baseline: match &checkpoint.baseline {
            _ if checkpoint.accepted => Baseline::Written,
            None => Baseline::None,
            Some(_) if checkpoint.actual == checkpoint.baseline => Baseline::Equal,
            Some(_) => Baseline::Other,
        },
        acceptable: verdict.is_failed() && at_hand && !checkpoint.accepted,
        finding: checkpoint.comparison.as_ref().map(|comparison| finding(comparison, checkpoint)),
        rules: &checkpoint.rules,
        masks: &checkpoint.masks,
        still_after_s: checkpoint.still_after.as_secs_f64(),
        matched_after_s: checkpoint.matched_after.as_secs_f64(),
        environment_changes: checkpoint.environment_changes.iter().map(|change| line(change)).collect(),
    }
}

fn located(image: &ImageRef, url: Option<String>) -> Picture {
    let outside = url.as_ref().is_none_or(|url| url.starts_with("../")) && image.base == ImageBase::Baselines;
    Picture { url, width: image.size.width, height: image.size.height, outside }
}

fn finding<'a>(comparison: &'a Comparison, checkpoint: &CheckpointOutcome) -> Finding<'a> {
    let empty = Finding {
        result: "match",
        gate: words::gate(checkpoint),
        numbers: None,
        regions: Vec::new(),
        more_regions: None,
        words: None,
    };
    match comparison {
        Comparison::Match { numbers } => Finding { numbers: Some(numbers), ..empty },
        Comparison::Mismatch { numbers, regions, .. } => Finding {
            result: "mismatch",
            numbers: Some(numbers),
            regions: regions.iter().take(REGIONS).map(changed).collect(),
            more_regions: regions.len().checked_sub(REGIONS).filter(|more| *more > 0),
            ..empty
        },
        Comparison::SizeMismatch { words, .. } => {
            Finding { result: "size_mismatch", words: Some(line(words)), ..empty }
        }
    }
}

fn changed(difference: &Difference) -> Spot<'_> {
    Spot {
        region: difference.region,
        kind: difference.kind,
        words: line(&difference.words),
        worst_ssim: difference.worst_ssim,
        max_delta: difference.max_delta,
        changed_px: difference.changed_px,
    }
}
