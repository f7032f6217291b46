//! A comparison that found a difference, as the failure of its step.

use crate::{
    compare::Comparison,
    outcome::{Failure, FailureKind},
};

/// The failure of the checkpoint `name`; `environment_changes` is what differs from where its baseline was accepted.
pub(crate) fn failure_of(name: &str, comparison: &Comparison, environment_changes: &[String]) -> Failure {
    let failure = match comparison {
        Comparison::Match { .. } => {
            Failure::new(FailureKind::Difference, format!("checkpoint `{name}` differs"))
        }
        Comparison::SizeMismatch { expected, actual, words } => Failure::new(
            FailureKind::SizeDifference,
            format!("checkpoint `{name}` is {actual}, its baseline {expected}: {words}"),
        ),
        // The numbers and limits are in the comparison, from which every report takes them.
        Comparison::Mismatch { regions, more, .. } => Failure::new(
            FailureKind::Difference,
            format!("checkpoint `{name}` differs in {}", counted(regions.len() + more, "region")),
        )
        .with_details(
            regions
                .iter()
                .map(|difference| format!("{}: {}", difference.region, difference.words))
                .chain((*more > 0).then(|| format!("and {}", counted(*more, "more region")))),
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
