//! Numbers and regions of a checkpoint in words; the same words in every report.

use std::time::Duration;

use crate::{
    compare::{Comparison, Gate, Limit, Method, Numbers},
    outcome::{CheckpointOutcome, Failure},
};

/// Regions listed one by one; the rest is counted.
const REGIONS_LISTED: usize = 20;

/// The number that decided against its limit, such as `worst_ssim 0.2790 < min_ssim 0.98`; the sizes when those decided.
#[must_use]
pub fn gate(checkpoint: &CheckpointOutcome) -> Option<String> {
    match checkpoint.comparison.as_ref()? {
        Comparison::Match { .. } => None,
        Comparison::Mismatch { gate, .. } => Some(limit(gate, checkpoint)),
        Comparison::SizeMismatch { expected, actual, .. } => {
            Some(format!("size {actual}, expected {expected}"))
        }
    }
}

fn limit(gate: &Gate, checkpoint: &CheckpointOutcome) -> String {
    let Gate { measured, allowed, within, .. } = *gate;
    match gate.limit {
        Limit::MinSsim => {
            let name = if checkpoint.rules.method == Method::Hybrid { "hybrid_score" } else { "worst_ssim" };
            format!("{name} {} < min_ssim {allowed}", distinct(measured, allowed))
        }
        Limit::MaxPixels => {
            let delta = checkpoint.rules.max_delta_at(within);
            format!("{measured} pixels differ by more than {delta} levels > max_pixels {allowed}")
        }
    }
}

/// `measured` with four decimals, or as many more as it takes to see on which side of `allowed` it lies.
fn distinct(measured: f64, allowed: f64) -> String {
    (4..=17)
        .map(|decimals| format!("{measured:.decimals$}"))
        .find(|text| {
            text.parse::<f64>()
                .is_ok_and(|shown| shown.partial_cmp(&allowed) == measured.partial_cmp(&allowed))
        })
        .unwrap_or_else(|| measured.to_string())
}

/// The failure's line with the number that decided, unless it already says so.
pub(super) fn message(failure: &Failure, checkpoint: Option<&CheckpointOutcome>) -> String {
    match checkpoint.and_then(gate) {
        Some(gate) if !failure.message.contains(&gate) => format!("{} ({gate})", failure.message),
        _ => failure.message.clone(),
    }
}

/// What the comparison measured and where, a line each.
#[must_use]
pub fn findings(checkpoint: &CheckpointOutcome) -> Vec<String> {
    let mut lines = match &checkpoint.comparison {
        None => Vec::new(),
        Some(Comparison::Match { numbers: measured }) => vec![numbers(measured)],
        Some(Comparison::SizeMismatch { expected, actual, words }) => {
            vec![format!("size: expected {expected}, got {actual}: {words}")]
        }
        Some(Comparison::Mismatch { numbers: measured, regions, more, .. }) => {
            let listed = regions.iter().take(REGIONS_LISTED).map(|found| {
                format!(
                    "region {}: {} (worst_ssim {:.4}, {} changed, greatest difference {})",
                    found.region,
                    found.words,
                    found.worst_ssim,
                    pixels(found.changed_px),
                    found.max_delta
                )
            });
            let mut lines: Vec<_> = listed.chain([numbers(measured)]).collect();
            let more = more + regions.len().saturating_sub(REGIONS_LISTED);
            if more > 0 {
                lines.insert(regions.len().min(REGIONS_LISTED), format!("and {more} more regions"));
            }
            lines
        }
    };
    lines.extend(checkpoint.environment_changes.iter().map(|change| format!("environment: {change}")));
    lines
}

fn numbers(numbers: &Numbers) -> String {
    let Numbers { mean_ssim, worst_ssim, changed_px, max_delta } = *numbers;
    format!(
        "picture: mean_ssim {mean_ssim:.4}, worst_ssim {worst_ssim:.4}, {} changed, greatest difference {max_delta}",
        pixels(changed_px)
    )
}

fn pixels(count: u64) -> String {
    if count == 1 { "1 pixel".to_owned() } else { format!("{count} pixels") }
}

/// `duration` in seconds with three decimals, rounded half up, without exponent or grouping: `14029.255`.
pub(super) fn seconds(duration: Duration) -> String {
    let millis = (duration.as_nanos() + 500_000) / 1_000_000;
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_value_near_its_limit_is_shown_on_its_own_side() {
        assert_eq!(distinct(0.279, 0.98), "0.2790");
        assert_eq!(distinct(0.979_999_9, 0.98), "0.9799999");
        assert_eq!(distinct(f64::NAN, 0.98), "NaN");
    }

    #[test]
    fn seconds_have_three_decimals_whatever_their_size() {
        // Seconds and nanoseconds beside the text wanted.
        for (seconds_part, nanos, wanted) in [
            (0, 0, "0.000"),
            (0, 80_803, "0.000"),
            (0, 500_000, "0.001"),
            (0, 999_600_000, "1.000"),
            (59, 999_400_000, "59.999"),
            (14_029, 255_300_000, "14029.255"),
            (1_515_069_223, 854_000_000, "1515069223.854"),
            (u64::MAX, 0, "18446744073709551615.000"),
        ] {
            assert_eq!(seconds(Duration::new(seconds_part, nanos)), wanted);
        }
    }
}
