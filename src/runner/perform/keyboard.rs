//! Typing, keys and held keys.

use std::time::Duration;

use crate::{
    clock::Deadline,
    input::{KeyChord, Press},
    scenario::{HoldKey, TypeText},
};

use super::{Done, Stage, Stop};

/// How long nothing may be drawn before typed text counts as taken in.
const TAKEN_IN: Duration = Duration::from_millis(100);

/// How long taking in one character may need at most: Chromium was measured at 0.9 ms on an idle machine.
const PER_CHARACTER: Duration = Duration::from_millis(10);

/// How long taking in may need at least.
const AT_LEAST: Duration = Duration::from_secs(2);

impl Stage<'_> {
    pub(super) fn type_text(&mut self, text: &TypeText) -> Result<Done, Stop> {
        let text = self.render(&text.text)?;
        self.desktop.type_text(&text)?;
        self.screen.touch(self.bench.clock);
        let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.let_arrive(AT_LEAST.max(PER_CHARACTER.saturating_mul(characters)))?;
        Ok(Done::default())
    }

    pub(super) fn key(&mut self, chord: &KeyChord) -> Result<Done, Stop> {
        self.desktop.chord(chord, Press::Down, false)?;
        self.desktop.chord(chord, Press::Up, false)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::default())
    }

    pub(super) fn hold_key(&mut self, hold: &HoldKey) -> Result<Done, Stop> {
        self.desktop.chord(&hold.chord, Press::Down, true)?;
        let held = self.pause(hold.duration);
        // What was pressed is released even when the run ends here.
        self.desktop.chord(&hold.chord, Press::Up, false)?;
        self.screen.touch(self.bench.clock);
        held.map(|()| Done::default())
    }

    /// Typed is not arrived: waits until the program has drawn what it was sent. A screen that never rests is no
    /// failure here; the next checkpoint judges that.
    fn let_arrive(&mut self, limit: Duration) -> Result<(), Stop> {
        let clock = self.bench.clock;
        let deadline = Deadline::after(clock, limit);
        self.await_answer(limit)?;
        let watched = self.desktop.size().region();
        let mut wait = Duration::ZERO;
        loop {
            self.check_cancelled()?;
            self.screen.look(&mut *self.desktop, clock, wait, watched, &[])?;
            let quiet_for = clock.now().saturating_duration_since(self.screen.disturbed_at());
            if quiet_for >= TAKEN_IN || deadline.has_passed(clock) {
                return Ok(());
            }
            wait = TAKEN_IN
                .saturating_sub(quiet_for)
                .min(deadline.remaining(clock))
                .max(Duration::from_millis(1));
        }
    }
}
