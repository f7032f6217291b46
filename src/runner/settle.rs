//! Stillness: nothing has changed for a while, seen by damage and confirmed by two equal frames.

use std::time::Duration;

use image::RgbImage;

use crate::{
    clock::Deadline,
    geometry::Region,
    outcome::{Failure, FailureKind},
};

use super::{
    Stage, Stop,
    screen::{changed_box, is_blank},
};

/// How long nothing may change before a screen counts as still. Chosen from measurement: the longest pause between
/// two paints of one page load was under 150 ms with four browsers on two cores.
pub(crate) const QUIET: Duration = Duration::from_millis(200);

/// The same for a screen of one colour: most likely something is about to be drawn on it. Page and browser may be
/// ready long before the processor has got to the drawing.
const QUIET_WHEN_BLANK: Duration = Duration::from_secs(1);

/// Longest wait for damage, so that a signal is noticed.
const SLICE: Duration = Duration::from_millis(100);

/// What must be still, for how long and until when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stillness<'a> {
    /// The part of the screen that is watched.
    pub(crate) watched: Region,
    /// The parts of it that may change.
    pub(crate) masks: &'a [Region],
    /// How long nothing may change.
    pub(crate) quiet: Duration,
    /// How long it may take until then.
    pub(crate) limit: Duration,
}

/// A screen that was still.
pub(crate) struct Still {
    /// The whole screen.
    pub(crate) frame: RgbImage,
    /// How long it took to get still.
    pub(crate) after: Duration,
}

impl Stage<'_> {
    /// Waits until the screen is still. Input that was just sent counts as a disturbance: its effect is to come.
    pub(crate) fn settle(&mut self, wanted: Stillness<'_>) -> Result<Still, Stop> {
        let clock = self.bench.clock;
        let deadline = Deadline::after(clock, wanted.limit);
        self.screen.forget_changes();
        self.await_answer(wanted.limit)?;
        let mut wait = Duration::ZERO;
        loop {
            self.check_cancelled()?;
            self.screen.look(&mut *self.desktop, clock, wait, wanted.watched, wanted.masks)?;
            let quiet_for = clock.now().saturating_duration_since(self.screen.disturbed_at());
            let blank =
                self.screen.frame().is_some_and(|frame| is_blank(frame, wanted.watched, wanted.masks));
            let quiet = if blank { wanted.quiet.max(QUIET_WHEN_BLANK) } else { wanted.quiet };
            if quiet_for >= quiet {
                let frame = self.desktop.capture(self.desktop.size().region())?;
                let seen = self.screen.frame();
                let equal = seen
                    .is_some_and(|seen| changed_box(seen, &frame, wanted.watched, wanted.masks).is_none());
                if equal {
                    return Ok(Still { frame, after: deadline.elapsed(clock) });
                }
                // Something was drawn whose damage is still on its way: the next look takes it in.
                wait = Duration::from_millis(1);
            } else {
                wait = quiet.saturating_sub(quiet_for).min(SLICE);
            }
            if deadline.has_passed(clock) {
                return Err(Stop::Failed(self.not_still(wanted)));
            }
            wait = wait.min(deadline.remaining(clock)).max(Duration::from_millis(1));
        }
    }

    /// Waits until input has arrived where it was sent. A screen on which nothing moves may just be one whose program
    /// has not yet come to what it was told.
    pub(crate) fn await_answer(&mut self, limit: Duration) -> Result<(), Stop> {
        if self.screen.take_unanswered() {
            self.desktop.await_intake()?;
            if let Some(browser) = &mut self.browser {
                browser.await_response(limit)?;
            }
        }
        Ok(())
    }

    /// The whole screen, still for the usual time.
    pub(crate) fn settle_screen(&mut self, limit: Duration) -> Result<Still, Stop> {
        let watched = self.desktop.size().region();
        self.settle(Stillness { watched, masks: &[], quiet: QUIET, limit })
    }

    fn not_still(&self, wanted: Stillness<'_>) -> Failure {
        let changes = self.screen.recent_changes();
        let places: Vec<String> = changes.iter().map(|(region, _)| region.to_string()).collect();
        Failure::new(
            FailureKind::NotStill,
            format!(
                "the screen was not still for {:?} within {:?}; {} kept changing",
                wanted.quiet,
                wanted.limit,
                if places.is_empty() { "nothing visible".to_owned() } else { places.join(", ") }
            ),
        )
        .with_details(changes.iter().map(|(region, count)| format!("{region} changed {count} times")))
        .with_details(["mask what is meant to move, or stop it on the page".to_owned()])
    }
}
