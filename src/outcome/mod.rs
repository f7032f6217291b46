//! What happened: plain data, the content of `run.json` and the only input of every report.
//!
//! Written by `runner`, read by `report`, `store` and later commands. It must not know how anything was done or how
//! it is shown. Durations are seconds, times are UTC, paths are relative to the artifacts folder.

mod case;
mod run;
mod step;
mod verdict;

pub use case::CaseOutcome;
pub use run::{Environment, RunReport, Totals};
pub use step::{CheckpointOutcome, ImageBase, ImageRef, StepOutcome, Variant};
pub use verdict::{Failure, FailureKind, Fault, FaultKind, Verdict};

/// `Duration` as a number of seconds.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes seconds with microseconds.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64((duration.as_secs_f64() * 1e6).round() / 1e6)
    }

    /// Reads a number of seconds.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
    }
}
