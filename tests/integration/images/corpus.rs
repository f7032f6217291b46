//! The compact corpus of `docs/verdict-quality.md`: parts of real pages before and after one seeded change each.

use cu_run::{
    compare::{CompareSpec, Comparison, compare},
    geometry::Region,
};
use image::imageops;
use serde::Deserialize;

use super::{bytes, load};

#[derive(Debug, Deserialize)]
struct Pair {
    id: String,
    kind: String,
    what: String,
    regression: bool,
    /// The changed element, in the part that was kept.
    changed: Option<Region>,
}

#[test]
fn the_defaults_see_every_seeded_change_where_it_is_and_nothing_else() {
    let pairs: Vec<Pair> = serde_json::from_slice(&bytes("verdict/pairs.json")).unwrap();
    assert!(pairs.iter().filter(|pair| pair.regression).count() >= 120, "{}", pairs.len());
    let mut wrong = Vec::new();
    for pair in pairs {
        let both = load(&format!("verdict/{}.png", pair.id));
        let (width, height) = (both.width(), both.height() / 2);
        let expected = imageops::crop_imm(&both, 0, 0, width, height).to_image();
        let actual = imageops::crop_imm(&both, 0, height, width, height).to_image();
        let found = compare(&expected, &actual, &CompareSpec::default(), &[]);
        let is_right = match (&found, pair.changed) {
            (Comparison::Mismatch { regions, .. }, Some(changed)) => {
                pair.regression && regions.iter().any(|found| found.region.intersection(changed).is_some())
            }
            (Comparison::Mismatch { .. }, None) => pair.regression,
            (other, _) => other.is_match() != pair.regression,
        };
        if !is_right {
            wrong.push(format!("{} {} ({}): {found:?}", pair.id, pair.kind, pair.what));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
