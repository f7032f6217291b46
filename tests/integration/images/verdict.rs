//! The compact corpus under `tests/images/verdict`: regressions of real pages that the default limits must see, and
//! noise of real browsers that they must let pass. `cargo bench --bench verdict -- --export` makes it from whole pages.

use cu_run::{
    compare::{CompareSpec, Comparison, Method, compare},
    geometry::Region,
};
use image::{RgbImage, imageops};
use serde::Deserialize;

use super::{bytes, load};

/// One pair, stored as a single picture: what was accepted above what came later.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    kind: String,
    what: String,
    /// Where the changed element is on the part that was kept; `None` for noise.
    changed: Option<Region>,
    /// Whether the later picture must be found to differ.
    regression: bool,
}

fn pairs() -> Vec<(Pair, RgbImage, RgbImage)> {
    let pairs: Vec<Pair> = serde_json::from_slice(&bytes("verdict/pairs.json")).unwrap();
    let halves = |pair: Pair| {
        let both = load(&format!("verdict/{}.png", pair.id));
        let (width, height) = (both.width(), both.height() / 2);
        let half = |row| imageops::crop_imm(&both, 0, row, width, height).to_image();
        (pair, half(0), half(height))
    };
    pairs.into_iter().map(halves).collect()
}

/// The pairs on which `spec` is wrong, in words.
fn wrong(spec: &CompareSpec) -> Vec<String> {
    let judge = |(pair, expected, actual): (Pair, RgbImage, RgbImage)| {
        let fault = match compare(&expected, &actual, spec, &[]) {
            Comparison::Match { .. } if pair.regression => "missed",
            Comparison::Mismatch { .. } if !pair.regression => "a false alarm",
            Comparison::Mismatch { regions, .. } => {
                // The kept part of a long page may lie beside the element when all below it moved.
                let element = pair.changed?;
                let told = regions.iter().any(|found| found.region.intersection(element).is_some());
                (!told).then_some("told elsewhere")?
            }
            _ => return None,
        };
        Some(format!("{} {} ({}): {fault}", pair.id, pair.kind, pair.what))
    };
    pairs().into_iter().filter_map(judge).collect()
}

#[test]
fn the_default_limits_see_every_regression_where_it_is_and_let_noise_pass() {
    let all = pairs();
    let regressions = all.iter().filter(|(pair, _, _)| pair.regression).count();
    assert!(regressions >= 120, "{regressions}");
    let wrong = wrong(&CompareSpec::default());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corpus_has_regressions_that_either_limit_alone_would_miss() {
    let count_alone =
        CompareSpec { min_ssim: -1.0, max_delta: 8, max_pixels: 1000, ..CompareSpec::default() };
    assert!(!wrong(&count_alone).is_empty());
    let ssim_alone = CompareSpec { max_pixels: u64::MAX, ..CompareSpec::default() };
    assert!(!wrong(&ssim_alone).is_empty());
    let hybrid = CompareSpec { method: Method::Hybrid, ..CompareSpec::default() };
    assert!(!wrong(&hybrid).is_empty());
}
