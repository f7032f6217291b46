//! A screenshot: settle, capture, compare with the accepted picture, keep the evidence.

use std::time::Duration;

use image::RgbImage;

use crate::{
    clock::Deadline,
    compare::{Comparison, Numbers, compare, difference_picture},
    geometry::{Region, Size},
    outcome::{CheckpointOutcome, Failure, FailureKind, FaultKind, ImageBase, ImageRef},
    scenario::{Checkpoint, Mask},
    store::{Baseline, BaselineStore, EvidenceKind, Fingerprint, Overwrite, PixelDigest},
};

use super::{
    Stage, Stop, Update,
    perform::Done,
    settle::{QUIET, Stillness},
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
            rules: checkpoint.compare.clone(),
            masks: within(&masks, watched),
            still_after: still.after,
            matched_after: Duration::ZERO,
            environment_changes: Vec::new(),
            accepted: false,
        };
        let actual = cropped(still.frame, watched);
        let baseline = match self.bench.baselines.lookup(&self.case.id, &checkpoint.name) {
            Ok(baseline) => baseline,
            Err(error) => {
                // The candidate is kept, so that accepting it needs no other run.
                outcome.actual = Some(self.keep(EvidenceKind::Actual, checkpoint, &actual)?);
                return Ok(stopped(outcome, error.into()));
            }
        };
        let Some(baseline) = baseline else {
            return self.without_baseline(checkpoint, outcome, &actual);
        };
        outcome.baseline = Some(baseline_ref(&baseline));
        let now = self.fingerprint();
        let changes = baseline.fingerprint().map(|then| then.changes_to(&now)).unwrap_or_default();
        outcome.environment_changes = changes.iter().map(ToString::to_string).collect();
        self.judge(checkpoint, outcome, &baseline, actual, limit)
    }

    /// Looks until the picture matches or the checkpoint's time is over.
    fn judge(
        &mut self,
        checkpoint: &Checkpoint,
        mut outcome: CheckpointOutcome,
        baseline: &Baseline,
        mut actual: RgbImage,
        limit: Duration,
    ) -> Result<Done, Stop> {
        let clock = self.bench.clock;
        let deadline = Deadline::after(clock, checkpoint.match_within);
        let watched = outcome.region;
        let mut expected = None;
        let comparison = loop {
            let digest = PixelDigest::of(&actual);
            let comparison = if baseline.digest() == Some(digest) {
                Comparison::Match { numbers: Numbers::EQUAL }
            } else {
                if expected.is_none() {
                    match baseline.load() {
                        Ok(picture) => expected = Some(picture),
                        Err(error) => {
                            outcome.actual = Some(self.keep(EvidenceKind::Actual, checkpoint, &actual)?);
                            return Ok(stopped(outcome, error.into()));
                        }
                    }
                }
                let expected = expected.as_ref().unwrap_or(&actual);
                compare(expected, &actual, &checkpoint.compare, &outcome.masks)
            };
            outcome.matched_after = deadline.elapsed(clock);
            if comparison.is_match() || deadline.has_passed(clock) {
                break comparison;
            }
            self.await_change(deadline.remaining(clock).min(LOOK_AGAIN))?;
            let masks = self.screen_masks(&checkpoint.masks)?;
            let still = self.settle(Stillness { watched, masks: &masks, quiet: QUIET, limit })?;
            outcome.masks = within(&masks, watched);
            actual = cropped(still.frame, watched);
        };
        if comparison.is_match() {
            self.matched(checkpoint, outcome, baseline, comparison, &actual)
        } else {
            // A match never came.
            outcome.matched_after = Duration::ZERO;
            let expected = match expected {
                Some(expected) => expected,
                None => baseline.load()?,
            };
            self.differed(checkpoint, outcome, comparison, &expected, &actual)
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
        outcome.actual = if exactly && outcome.masks.is_empty() {
            // The same pixels: the accepted picture is the evidence.
            Some(baseline_ref(baseline))
        } else {
            Some(self.keep(EvidenceKind::Actual, checkpoint, actual)?)
        };
        if self.bench.settings.update == Update::All {
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

fn failure_of(name: &str, comparison: &Comparison, environment_changes: &[String]) -> Failure {
    let failure = match comparison {
        Comparison::Match { .. } => {
            Failure::new(FailureKind::Difference, format!("checkpoint `{name}` differs"))
        }
        Comparison::SizeMismatch { expected, actual, words } => Failure::new(
            FailureKind::SizeDifference,
            format!("checkpoint `{name}` is {actual}, its baseline {expected}: {words}"),
        ),
        // The numbers and limits are in the comparison, from which every report takes them.
        Comparison::Mismatch { regions, .. } => Failure::new(
            FailureKind::Difference,
            format!("checkpoint `{name}` differs in {}", counted(regions.len(), "region")),
        )
        .with_details(
            regions.iter().map(|difference| format!("{}: {}", difference.region, difference.words)),
        ),
    };
    if environment_changes.is_empty() {
        return failure;
    }
    let message = format!("{}; the environment differs from the baseline's", failure.message);
    Failure { kind: FailureKind::EnvironmentChanged, message, details: failure.details }
        .with_details(environment_changes.iter().map(|change| format!("environment: {change}")))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
