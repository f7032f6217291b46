//! What cu-run says about each pair, and what a limit on the mean would say.

use cu_run::{
    compare::{CompareSpec, Comparison, Gate, Numbers, compare},
    geometry::Region,
};

use crate::{
    Outcome,
    corpus::{Corpus, Pair},
};

/// The verdict on one pair.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) numbers: Numbers,
    /// The number that decided, when the pictures were found to differ.
    pub(crate) gate: Option<Gate>,
    /// Where, with the changed pixels and the greatest difference.
    pub(crate) regions: Vec<(Region, u64, u8)>,
}

impl Judged {
    /// Whether the pictures were found to differ.
    pub(crate) const fn differs(&self) -> bool {
        self.gate.is_some()
    }

    /// Whether a reported region overlaps the changed element.
    pub(crate) fn hits(&self, pair: &Pair) -> bool {
        let Some(changed) = pair.changed else { return false };
        self.regions.iter().any(|(region, _, _)| region.intersection(changed).is_some())
    }
}

/// Judges every pair by the default limits.
pub(crate) fn judge(corpus: &Corpus) -> Outcome<Vec<Judged>> {
    let spec = CompareSpec::default();
    corpus
        .pairs
        .iter()
        .map(|pair| {
            let (expected, actual) = corpus.pictures(pair)?;
            match compare(&expected, &actual, &spec, &pair.masks) {
                Comparison::Match { numbers } => Ok(Judged { numbers, gate: None, regions: Vec::new() }),
                Comparison::Mismatch { numbers, gate, regions, .. } => Ok(Judged {
                    numbers,
                    gate: Some(gate),
                    regions: regions
                        .iter()
                        .map(|found| (found.region, found.changed_px, found.max_delta))
                        .collect(),
                }),
                Comparison::SizeMismatch { words, .. } => Err(format!("{}: {words}", pair.id).into()),
            }
        })
        .collect()
}
