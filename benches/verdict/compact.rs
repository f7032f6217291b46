//! The compact corpus of the tests: of each pair the part that changed, the accepted picture above the later one.

use std::{fs, path::PathBuf};

use cu_run::{
    compare::{CompareSpec, Comparison, Method, compare},
    geometry::Region,
    store::{Fingerprint, png},
};
use image::{RgbImage, imageops};
use serde_json::json;

use crate::{
    Outcome,
    corpus::{Corpus, Pair},
    stage::SCREEN,
};

/// Kept around the changed pixels: more than a window of the map and a gap between regions.
const MARGIN: i32 = 14;

/// The largest part that is kept.
const LARGEST: (u32, u32) = (360, 240);

/// Writes the corpus into `tests/images/verdict/`. What is equal in the part that is kept is left out: it proves nothing
/// there.
pub(crate) fn export(corpus: &Corpus) -> Outcome<()> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/images/verdict");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let (mut index, mut bytes) = (Vec::new(), 0);
    for pair in &corpus.pairs {
        let (expected, actual) = corpus.pictures(pair)?;
        let Some(part) = part(pair, &expected, &actual) else { continue };
        let picture = stacked(&expected, &actual, part);
        let half = picture.as_raw().len() / 2;
        if picture.as_raw()[..half] == picture.as_raw()[half..] {
            continue;
        }
        let png = png::encode_baseline(&picture, &Fingerprint::default())?;
        bytes += png.len();
        fs::write(folder.join(format!("{}.png", pair.id)), png)?;
        index.push(json!({
            "id": pair.id,
            "kind": pair.kind,
            "what": pair.what,
            "regression": pair.changed.is_some(),
            "changed": changed_in(pair, part, &expected, &actual),
        }));
    }
    fs::write(folder.join("pairs.json"), serde_json::to_vec_pretty(&index)?)?;
    println!("\n{} pairs, {} KB in {}", index.len(), bytes / 1000, folder.display());
    Ok(())
}

/// What to keep of a pair: its changed pixels with a margin, or the part of them around the changed element.
fn part(pair: &Pair, expected: &RgbImage, actual: &RgbImage) -> Option<Region> {
    let exact = CompareSpec { method: Method::Exact, ..CompareSpec::default() };
    let Comparison::Mismatch { regions, .. } = compare(expected, actual, &exact, &pair.masks) else {
        return None;
    };
    let all = regions.iter().map(|found| found.region).reduce(Region::union)?;
    let grown = Region::new(
        all.x - MARGIN,
        all.y - MARGIN,
        all.width + 2 * MARGIN as u32,
        all.height + 2 * MARGIN as u32,
    );
    let whole = grown.intersection(SCREEN.region())?;
    let centre = pair.changed.and_then(|changed| changed.intersection(whole)).unwrap_or(whole).centre();
    let (width, height) = (whole.width.min(LARGEST.0), whole.height.min(LARGEST.1));
    let place = |centre: i32, length: u32, from: i32, to: i32| {
        (centre - length as i32 / 2).clamp(from, to - length as i32)
    };
    let left = place(centre.x, width, whole.x, whole.right());
    let top = place(centre.y, height, whole.y, whole.bottom());
    Some(Region::new(left, top, width, height))
}

/// The changed element in the part, where a change can be seen on it: a margin shows beside its element only.
fn changed_in(pair: &Pair, part: Region, expected: &RgbImage, actual: &RgbImage) -> Option<Region> {
    let changed = pair.changed?.intersection(part)?;
    let [before, after] = [expected, actual].map(|picture| {
        imageops::crop_imm(picture, changed.x as u32, changed.y as u32, changed.width, changed.height)
            .to_image()
    });
    (before != after).then(|| changed.offset(-part.x, -part.y))
}

fn stacked(expected: &RgbImage, actual: &RgbImage, part: Region) -> RgbImage {
    let mut picture = RgbImage::new(part.width, part.height * 2);
    for (source, row) in [(expected, 0), (actual, part.height)] {
        let view = imageops::crop_imm(source, part.x as u32, part.y as u32, part.width, part.height);
        imageops::replace(&mut picture, &*view, 0, i64::from(row));
    }
    picture
}
