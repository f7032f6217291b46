//! The wish to end a run early.

use std::sync::atomic::{AtomicI32, Ordering};

/// Set once, by a signal; looked at between and inside steps.
#[derive(Debug, Default)]
pub struct Cancel(AtomicI32);

impl Cancel {
    /// Asks the run to end because of `signal`; the first signal counts.
    pub fn request(&self, signal: i32) {
        // Nothing else is published with the flag.
        let _ = self.0.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The signal, once there was one.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal),
        }
    }
}
