//! A screenshot: settle, capture, compare with the accepted picture, keep the evidence.

use std::time::Duration;

use image::RgbImage;

use crate::{
    clock::Deadline,
    compare::{CompareSpec, Comparison, Numbers, compare, difference_picture},
    geometry::{Region, Size},
    outcome::{CheckpointOutcome, Failure, FailureKind, FaultKind, ImageBase, ImageRef, Variant},
    scenario::{Checkpoint, Mask},
    store::{
        Baseline, BaselineStore, EvidenceKind, Fingerprint, KnownIssue, Overwrite, PixelDigest, StoreError,
    },
};

use super::{
    Stage, Stop, Update,
    difference::failure_of,
    perform::Done,
    settle::{QUIET, Stillness},
    step::timestamp,
};

/// How often a picture that differs is looked at again when nothing on the screen changes: a change outside of
/// what was damaged (a capture that raced with a paint) would otherwise never be seen.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Stage<'_> {
    /// Compares what is on the screen with the baseline of `checkpoint`.
    pub(crate) fn checkpoint(&mut self, checkpoint: &Checkpoint, limit: Duration) -> Result<Done, Stop> {
        let watched = checkpoint.region.unwrap_or_else(|| self.desktop.size().region());
        let masks = self.screen_masks(&checkpoint.masks)?;
        let still = self.settle(Stillness { watched, masks: &masks, quiet: QUIET, limit })?;
        self.check_not_blank(&still.frame)?;
        // Elements may have come or moved until the screen was still.
        let masks = self.screen_masks(&checkpoint.masks)?;
        let mut outcome = CheckpointOutcome {
            name: checkpoint.name.to_string(),
            region: watched,
            baseline: None,
            actual: None,
            difference: None,
            comparison: None,
            rules: checkpoint.compare.clone().offset(-watched.x, -watched.y),
            masks: within(&masks, watched),
            still_after: still.after,
            matched_after: Duration::ZERO,
            environment_changes: Vec::new(),
            variant: None,
            accepted: false,
        };
        let actual = cropped(still.frame, watched);
        let mut baselines = match self.bench.baselines.lookup_variants(&self.case.id, &checkpoint.name) {
            Ok(baselines) => baselines,
            Err(error) => {
                // The candidate is kept, so that accepting it needs no other run.
                outcome.actual = Some(self.keep(EvidenceKind::Actual, checkpoint, &actual)?);
                return Ok(stopped(outcome, error.into()));
            }
        };
        let today = jiff::tz::Offset::UTC.to_datetime(timestamp(self.bench.clock.wall())).date();
        baselines.retain(|found| !found.known_issue().is_some_and(|known| known.is_expired_on(today)));
        let Some(first) = baselines.first() else {
            return self.without_baseline(checkpoint, outcome, &actual);
        };
        outcome.baseline = Some(baseline_ref(first));
        let now = self.fingerprint();
        let changes = first.fingerprint().map(|then| then.changes_to(&now)).unwrap_or_default();
        outcome.environment_changes = changes.iter().map(ToString::to_string).collect();
        self.judge(checkpoint, outcome, Accepted::of(baselines), actual, limit)
    }

    /// Looks until the picture matches an accepted one or the checkpoint's time is over.
    fn judge(
        &mut self,
        checkpoint: &Checkpoint,
        mut outcome: CheckpointOutcome,
        mut accepted: Accepted,
        mut actual: RgbImage,
        limit: Duration,
    ) -> Result<Done, Stop> {
        let clock = self.bench.clock;
        let deadline = Deadline::after(clock, checkpoint.match_within);
        let watched = outcome.region;
        let (comparison, matching) = loop {
            let compared = match accepted.compare(&actual, &outcome.rules, &outcome.masks) {
                Ok(compared) => compared,
                Err(error) => {
                    outcome.actual = Some(self.keep(EvidenceKind::Actual, checkpoint, &actual)?);
                    return Ok(stopped(outcome, error.into()));
                }
            };
            outcome.matched_after = deadline.elapsed(clock);
            if compared.0.is_match() || deadline.has_passed(clock) {
                break compared;
            }
            self.await_change(deadline.remaining(clock).min(LOOK_AGAIN))?;
            let masks = self.screen_masks(&checkpoint.masks)?;
            let still = self.settle(Stillness { watched, masks: &masks, quiet: QUIET, limit })?;
            outcome.masks = within(&masks, watched);
            actual = cropped(still.frame, watched);
        };
        if comparison.is_match() {
            let baseline = accepted.baseline(matching);
            outcome.variant = variant_of(baseline);
            self.matched(checkpoint, outcome, baseline, comparison, &actual)
        } else {
            // A match never came.
            outcome.matched_after = Duration::ZERO;
            let expected = accepted.picture(0)?;
            self.differed(checkpoint, outcome, comparison, expected, &actual)
        }
    }

    fn matched(
        &self,
        checkpoint: &Checkpoint,
        mut outcome: CheckpointOutcome,
        baseline: &Baseline,
        comparison: Comparison,
        actual: &RgbImage,
    ) -> Result<Done, Stop> {
        let exactly = matches!(&comparison, Comparison::Match { numbers } if numbers.changed_px == 0);
        outcome.comparison = Some(comparison);
        outcome.baseline = Some(baseline_ref(baseline));
        outcome.actual = if exactly && outcome.masks.is_empty() {
            // The same pixels: the accepted picture is the evidence.
            Some(baseline_ref(baseline))
        } else {
            Some(self.keep(EvidenceKind::Actual, checkpoint, actual)?)
        };
        // What matches a variant must not become the plain picture.
        if self.bench.settings.update == Update::All && outcome.variant.is_none() {
            self.accept(checkpoint, &mut outcome, actual)?;
        }
        Ok(Done { checkpoint: Some(Box::new(outcome)), ..Done::default() })
    }

    fn differed(
        &self,
        checkpoint: &Checkpoint,
        mut outcome: CheckpointOutcome,
        comparison: Comparison,
        expected: &RgbImage,
        actual: &RgbImage,
    ) -> Result<Done, Stop> {
        outcome.actual = Some(self.keep(EvidenceKind::Actual, checkpoint, actual)?);
        if matches!(self.bench.settings.update, Update::Changed | Update::All) {
            outcome.comparison = Some(comparison);
            self.accept(checkpoint, &mut outcome, actual)?;
            return Ok(Done { checkpoint: Some(Box::new(outcome)), ..Done::default() });
        }
        self.keep(EvidenceKind::Expected, checkpoint, expected)?;
        let picture = difference_picture(expected, actual, &comparison, &outcome.masks);
        outcome.difference = Some(self.keep(EvidenceKind::Difference, checkpoint, &picture)?);
        let failure = failure_of(&checkpoint.name.to_string(), &comparison, &outcome.environment_changes);
        outcome.comparison = Some(comparison);
        Ok(stopped(outcome, Stop::Failed(failure)))
    }

    fn without_baseline(
        &self,
        checkpoint: &Checkpoint,
        mut outcome: CheckpointOutcome,
        actual: &RgbImage,
    ) -> Result<Done, Stop> {
        outcome.actual = Some(self.keep(EvidenceKind::Actual, checkpoint, actual)?);
        if self.bench.settings.update == Update::None {
            let failure = Failure::new(
                FailureKind::MissingBaseline,
                format!("checkpoint `{}` has no baseline", checkpoint.name),
            )
            .with_details([
                "look at the captured picture and accept it with --update-baselines=missing".to_owned(),
            ]);
            return Ok(stopped(outcome, Stop::Failed(failure)));
        }
        self.accept(checkpoint, &mut outcome, actual)?;
        Ok(Done { checkpoint: Some(Box::new(outcome)), ..Done::default() })
    }

    fn accept(
        &self,
        checkpoint: &Checkpoint,
        outcome: &mut CheckpointOutcome,
        actual: &RgbImage,
    ) -> Result<(), Stop> {
        let (case, name) = (&self.case.id, &checkpoint.name);
        self.bench.baselines.accept(case, name, actual, &self.fingerprint(), Overwrite::Pictures)?;
        outcome.baseline = Some(ImageRef {
            base: ImageBase::Baselines,
            path: BaselineStore::relative_path(case, name),
            digest: PixelDigest::of(actual).to_string(),
            size: Size::new(actual.width(), actual.height()),
        });
        outcome.accepted = true;
        Ok(())
    }

    /// What the pixels depend on besides the application.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let facts: Fingerprint = self.bench.settings.environment.facts.clone().into_iter().collect();
        let facts = facts.with("display", self.case.display.size.to_string());
        match &self.browser_version {
            Some(version) => facts.with("browser", version),
            None => facts,
        }
    }

    fn keep(
        &self,
        kind: EvidenceKind,
        checkpoint: &Checkpoint,
        picture: &RgbImage,
    ) -> Result<ImageRef, Stop> {
        let kept = self.bench.evidence.write(&self.case.id, kind, &checkpoint.name, picture)?;
        Ok(ImageRef {
            base: ImageBase::Artifacts,
            path: kept.path,
            digest: kept.digest.to_string(),
            size: kept.size,
        })
    }

    fn await_change(&mut self, wait: Duration) -> Result<(), Stop> {
        let watched = self.desktop.size().region();
        self.check_cancelled()?;
        self.screen.look(&mut *self.desktop, self.bench.clock, wait, watched, &[])
    }

    fn screen_masks(&mut self, masks: &[Mask]) -> Result<Vec<Region>, Stop> {
        let mut regions = Vec::new();
        for mask in masks {
            match mask {
                Mask::Region(region) => regions.push(*region),
                Mask::Target(target) => regions.extend(self.regions_of(target)?),
            }
        }
        Ok(regions)
    }

    /// A black screen without any window must not pass by being equal to a black baseline.
    fn check_not_blank(&mut self, frame: &RgbImage) -> Result<(), Stop> {
        self.check_browser()?;
        if frame.as_raw().iter().all(|&level| level == 0) || self.desktop.windows()?.is_empty() {
            return Err(Stop::errored(
                FaultKind::BlankScreen,
                "there is nothing on the screen: no window is shown (did the program start?)",
            ));
        }
        Ok(())
    }
}

fn stopped(outcome: CheckpointOutcome, stop: Stop) -> Done {
    Done { checkpoint: Some(Box::new(outcome)), stop: Some(stop), aimed_at: None }
}

fn cropped(frame: RgbImage, region: Region) -> RgbImage {
    if region.size() == Size::new(frame.width(), frame.height()) {
        return frame;
    }
    image::imageops::crop_imm(&frame, region.x as u32, region.y as u32, region.width, region.height)
        .to_image()
}

/// Screen regions as regions of the picture of `watched`.
fn within(regions: &[Region], watched: Region) -> Vec<Region> {
    regions
        .iter()
        .filter_map(|region| region.intersection(watched))
        .map(|region| region.offset(-watched.x, -watched.y))
        .collect()
}

fn baseline_ref(baseline: &Baseline) -> ImageRef {
    ImageRef {
        base: ImageBase::Baselines,
        path: baseline.relative_path().to_owned(),
        digest: baseline.digest().map(|digest| digest.to_string()).unwrap_or_default(),
        size: baseline.size(),
    }
}

fn variant_of(baseline: &Baseline) -> Option<Variant> {
    let known = baseline.known_issue();
    (baseline.variant() > 1).then(|| Variant {
        number: baseline.variant(),
        issue: known.map(|KnownIssue { issue, .. }| issue.clone()),
        expires: known.map(|KnownIssue { expires, .. }| expires.to_string()),
    })
}

/// The accepted pictures of one checkpoint, at least one, each decoded when it is first needed.
struct Accepted(Vec<(Baseline, Option<RgbImage>)>);

impl Accepted {
    fn of(baselines: Vec<Baseline>) -> Self {
        Self(baselines.into_iter().map(|baseline| (baseline, None)).collect())
    }

    /// The first picture that matches, and its place; when none does, what the first one is like.
    fn compare(
        &mut self,
        actual: &RgbImage,
        rules: &CompareSpec,
        masks: &[Region],
    ) -> Result<(Comparison, usize), StoreError> {
        let digest = PixelDigest::of(actual);
        let mut first = None;
        for index in 0..self.0.len() {
            let found = if self.0[index].0.digest() == Some(digest) {
                Comparison::Match { numbers: Numbers::EQUAL }
            } else {
                compare(self.picture(index)?, actual, rules, masks)
            };
            if found.is_match() {
                return Ok((found, index));
            }
            first.get_or_insert(found);
        }
        // There is at least one, so there is a first.
        Ok((first.unwrap_or(Comparison::Match { numbers: Numbers::EQUAL }), 0))
    }

    fn baseline(&self, index: usize) -> &Baseline {
        &self.0[index].0
    }

    fn picture(&mut self, index: usize) -> Result<&RgbImage, StoreError> {
        let (baseline, picture) = &mut self.0[index];
        match picture {
            Some(picture) => Ok(picture),
            empty => Ok(empty.insert(baseline.load()?)),
        }
    }
}
