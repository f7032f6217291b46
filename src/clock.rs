//! Time: the only way anything in cu-run waits or asks what time it is.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// Reads time and waits. Production code uses [`SystemClock`]; tests of waiting use [`FakeClock`].
pub trait Clock: Send + Sync + fmt::Debug {
    /// A monotonic reading, for durations and deadlines.
    fn now(&self) -> Instant;
    /// The calendar time, for time stamps.
    fn wall(&self) -> SystemTime;
    /// Waits for `duration`.
    fn sleep(&self, duration: Duration);
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

/// A clock that moves only when something sleeps on it.
#[derive(Debug)]
pub struct FakeClock {
    start: Instant,
    slept: Mutex<Duration>,
}

impl FakeClock {
    /// A fake clock that has not moved; its calendar starts at the Unix epoch.
    #[must_use]
    pub fn new() -> Self {
        Self { start: SystemClock.now(), slept: Mutex::new(Duration::ZERO) }
    }

    /// The time slept so far.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        *self.slept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Instant {
        self.start + self.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        *self.slept.lock().unwrap_or_else(PoisonError::into_inner) += duration;
    }
}

/// A moment after which waiting ends.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    start: Instant,
    limit: Duration,
}

impl Deadline {
    /// The moment `limit` after the present reading of `clock`.
    #[must_use]
    pub fn after(clock: &dyn Clock, limit: Duration) -> Self {
        Self { start: clock.now(), limit }
    }

    /// The time allowed in all.
    #[must_use]
    pub const fn limit(&self) -> Duration {
        self.limit
    }

    /// The time used so far.
    #[must_use]
    pub fn elapsed(&self, clock: &dyn Clock) -> Duration {
        clock.now().saturating_duration_since(self.start)
    }

    /// The time left; zero once passed.
    #[must_use]
    pub fn remaining(&self, clock: &dyn Clock) -> Duration {
        self.limit.saturating_sub(self.elapsed(clock))
    }

    /// Whether the moment has come.
    #[must_use]
    pub fn has_passed(&self, clock: &dyn Clock) -> bool {
        self.remaining(clock).is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fake_clock_moves_only_by_sleeping() {
        let clock = FakeClock::new();
        let deadline = Deadline::after(&clock, Duration::from_secs(10));
        assert!(!deadline.has_passed(&clock));
        clock.sleep(Duration::from_secs(4));
        assert_eq!(deadline.remaining(&clock), Duration::from_secs(6));
        clock.sleep(Duration::from_secs(6));
        assert!(deadline.has_passed(&clock));
    }
}
