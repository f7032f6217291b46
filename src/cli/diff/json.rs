//! What `cu-run diff --json` prints.
//!
//! ```json
//! {"verdict":"different","mean_ssim":0.9999,"worst_ssim":0.0024,"changed_pixels":98,"max_delta":187,
//!  "gate":{"limit":"min_ssim","measured":0.0024,"allowed":0.98},
//!  "regions":[{"box":[900,2994,9,11],"worst_ssim":0.0024,"max_delta":187,"changed_pixels":49,
//!              "kind":"content_changed","words":"content changed"}],
//!  "expected_size":[1920,6000],"actual_size":[1920,6000],"words":null,"difference":null}
//! ```

use serde::Serialize;

use crate::{
    compare::{Comparison, Difference, DifferenceKind, Gate, Numbers},
    geometry::{Region, Size},
};

use super::folders::{Entry, Found};

/// One pair. Every key is always there, so that readers need not ask; numbers are null where nothing was measured.
#[derive(Debug, Serialize)]
struct PairObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    verdict: &'static str,
    mean_ssim: Option<f64>,
    worst_ssim: Option<f64>,
    changed_pixels: Option<u64>,
    max_delta: Option<u8>,
    gate: Option<Gate>,
    regions: Vec<RegionObject>,
    expected_size: Option<[u32; 2]>,
    actual_size: Option<[u32; 2]>,
    /// What happened to the size, or why a file cannot be read.
    words: Option<String>,
    difference: Option<String>,
}

#[derive(Debug, Serialize)]
struct RegionObject {
    r#box: Region,
    worst_ssim: f64,
    max_delta: u8,
    changed_pixels: u64,
    kind: DifferenceKind,
    words: String,
}

#[derive(Debug, Serialize)]
struct FoldersObject {
    /// `unreadable` outweighs `different`.
    verdict: &'static str,
    totals: serde_json::Map<String, serde_json::Value>,
    files: Vec<PairObject>,
}

/// The object for two files.
pub(super) fn pair(entry: &Entry) -> String {
    printed(&PairObject { file: None, ..object(entry) })
}

/// The object for two folders.
pub(super) fn folders(entries: &[Entry]) -> String {
    let count = |word: &str| entries.iter().filter(|entry| entry.word() == word).count();
    let words = ["same", "different", "size_mismatch", "missing", "extra", "unreadable"];
    let verdict = match (count("unreadable"), count("same") == entries.len()) {
        (0, true) => "same",
        (0, false) => "different",
        _ => "unreadable",
    };
    printed(&FoldersObject {
        verdict,
        totals: words.into_iter().map(|word| (word.to_owned(), count(word).into())).collect(),
        files: entries.iter().map(object).collect(),
    })
}

fn printed(object: &impl Serialize) -> String {
    // Numbers, texts and lists always have a JSON form.
    serde_json::to_string(object).unwrap_or_default()
}

fn object(entry: &Entry) -> PairObject {
    let mut object = PairObject {
        file: Some(entry.path.to_string_lossy().into_owned()),
        verdict: entry.word(),
        mean_ssim: None,
        worst_ssim: None,
        changed_pixels: None,
        max_delta: None,
        gate: None,
        regions: Vec::new(),
        expected_size: None,
        actual_size: None,
        words: None,
        difference: None,
    };
    match &entry.found {
        Found::Judged(judged) => {
            let [expected, actual] = judged.sizes.map(|Size { width, height }| [width, height]);
            object.expected_size = Some(expected);
            object.actual_size = Some(actual);
            object.difference = judged.difference.as_ref().map(|path| path.to_string_lossy().into_owned());
            object.take(&judged.comparison);
        }
        Found::Unreadable(message) => {
            object.words = Some(message.strip_prefix("error: ").unwrap_or(message).to_owned());
        }
        Found::Missing | Found::Extra => {}
    }
    object
}

impl PairObject {
    fn take(&mut self, comparison: &Comparison) {
        match comparison {
            Comparison::Match { numbers } => self.take_numbers(*numbers),
            Comparison::Mismatch { numbers, gate, regions, .. } => {
                self.take_numbers(*numbers);
                self.gate = Some(*gate);
                self.regions = regions.iter().map(RegionObject::of).collect();
            }
            Comparison::SizeMismatch { words, .. } => self.words = Some(words.clone()),
        }
    }

    const fn take_numbers(&mut self, numbers: Numbers) {
        self.mean_ssim = Some(numbers.mean_ssim);
        self.worst_ssim = Some(numbers.worst_ssim);
        self.changed_pixels = Some(numbers.changed_px);
        self.max_delta = Some(numbers.max_delta);
    }
}

impl RegionObject {
    fn of(difference: &Difference) -> Self {
        Self {
            r#box: difference.region,
            worst_ssim: difference.worst_ssim,
            max_delta: difference.max_delta,
            changed_pixels: difference.changed_px,
            kind: difference.kind,
            words: difference.words.clone(),
        }
    }
}
