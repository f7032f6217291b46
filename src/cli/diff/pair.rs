//! Two picture files in, a verdict and a difference picture out.

use std::path::{Path, PathBuf};

use image::RgbImage;

use crate::store::png::Limits;
use crate::{
    compare::{CompareSpec, Comparison, Numbers, compare, difference_picture},
    geometry::{Region, Size},
    store::{Decoded, PictureFile, StoreError, Transparency, write_picture},
};

use super::CliError;

/// What is done with pixels that are not opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnAlpha {
    /// They are an error.
    Refuse,
    /// They are compared: pictures are equal when they are so on every ground.
    Compare,
    /// They are laid on this colour.
    Ground([u8; 3]),
}

/// How pictures are compared.
#[derive(Debug)]
pub(super) struct Rules {
    /// The limits.
    pub(super) spec: CompareSpec,
    /// The parts that are ignored.
    pub(super) masks: Vec<Region>,
    /// What is done with pixels that are not opaque.
    pub(super) on_alpha: OnAlpha,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Judged {
    /// What the comparison found.
    pub(super) comparison: Comparison,
    /// Width and height of the expected and the actual picture.
    pub(super) sizes: [Size; 2],
    /// The difference picture that was written.
    pub(super) difference: Option<PathBuf>,
}

/// Share of a picture that masks may hide, in per cent, as in scenarios: beyond it nothing is left to compare.
const MAX_MASKED_PERCENT: u64 = 90;

/// Compares two files and, when they differ, writes the difference picture to `out`.
pub(super) fn judge(
    expected: &Path,
    actual: &Path,
    rules: &Rules,
    out: Option<&Path>,
) -> Result<Judged, CliError> {
    let limits = Limits::DEFAULT;
    let before = PictureFile::read(expected, &limits)?;
    let after = PictureFile::read(actual, &limits)?;
    let (first, second) = rules.on_alpha.grounds();
    if before.same_bytes(&after) {
        // Still decoded once: a file that is no picture equals nothing, not even itself.
        let Decoded { picture, .. } = before.decode(first)?;
        check_masks(&rules.masks, size(&picture), expected)?;
        let comparison = Comparison::Match { numbers: Numbers::EQUAL };
        return Ok(Judged { comparison, sizes: [size(&picture); 2], difference: None });
    }
    let mut found = on_ground(&before, &after, rules, first)?;
    if let Some(second) = second
        && found.comparison.is_match()
        && !found.opaque
    {
        found = on_ground(&before, &after, rules, second)?;
    }
    let Found { pictures: [before, after], comparison, .. } = found;
    let sizes = [size(&before), size(&after)];
    check_masks(&rules.masks, sizes[0], expected)?;
    let out = out.filter(|_| !comparison.is_match());
    if let Some(out) = out {
        let picture = difference_picture(&before, &after, &comparison, &rules.masks);
        write_picture(out, &picture)?;
    }
    Ok(Judged { comparison, sizes, difference: out.map(Path::to_owned) })
}

/// What cannot be read is the caller's mistake; what cannot be written is a fault.
impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let message = format!("error: {error}");
        if error.is_write() { Self::Fault(message) } else { Self::Usage(message) }
    }
}

fn check_masks(masks: &[Region], size: Size, path: &Path) -> Result<(), CliError> {
    let percent = masked_px(masks, size) * 100 / size.area_px().max(1);
    if percent <= MAX_MASKED_PERCENT {
        return Ok(());
    }
    let path = path.display();
    Err(CliError::Usage(format!(
        "error: the masks hide {percent} % of `{path}`, which is {size}\nat most {MAX_MASKED_PERCENT} % may be hidden"
    )))
}

/// Pixels under at least one mask, row by row.
fn masked_px(masks: &[Region], size: Size) -> u64 {
    let mut masks: Vec<Region> = masks.iter().filter_map(|mask| mask.intersection(size.region())).collect();
    masks.sort_unstable_by_key(|mask| mask.x);
    let row = |y: i32| {
        let (mut hidden, mut reached) = (0, 0);
        for mask in masks.iter().filter(|mask| mask.y <= y && y < mask.bottom()) {
            hidden += u64::from((mask.right() - mask.x.max(reached)).max(0).unsigned_abs());
            reached = reached.max(mask.right());
        }
        hidden
    };
    if masks.is_empty() { 0 } else { (0..size.height as i32).map(row).sum() }
}

struct Found {
    pictures: [RgbImage; 2],
    comparison: Comparison,
    opaque: bool,
}

/// Decodes both pictures side by side, since that costs more than comparing them.
fn on_ground(
    expected: &PictureFile,
    actual: &PictureFile,
    rules: &Rules,
    ground: Transparency,
) -> Result<Found, StoreError> {
    let (expected, actual) = rayon::join(|| expected.decode(ground), || actual.decode(ground));
    let (expected, actual) = (expected?, actual?);
    let comparison = compare(&expected.picture, &actual.picture, &rules.spec, &rules.masks);
    Ok(Found {
        comparison,
        opaque: expected.opaque && actual.opaque,
        pictures: [expected.picture, actual.picture],
    })
}

impl OnAlpha {
    /// The ground that is looked at, and a second on which pictures must be equal too. What is equal on black and on
    /// white has the same alpha and the same colours where these can be seen, and so is equal on every ground.
    const fn grounds(self) -> (Transparency, Option<Transparency>) {
        match self {
            Self::Refuse => (Transparency::Refused, None),
            Self::Compare => (Transparency::On([0; 3]), Some(Transparency::On([255; 3]))),
            Self::Ground(colour) => (Transparency::On(colour), None),
        }
    }
}

fn size(picture: &RgbImage) -> Size {
    Size::new(picture.width(), picture.height())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_masks_are_counted_once_and_only_on_the_picture() {
        let size = Size::new(10, 10);
        assert_eq!(masked_px(&[], size), 0);
        assert_eq!(masked_px(&[Region::new(-5, -5, 10, 10), Region::new(4, 0, 2, 5)], size), 30);
        assert_eq!(masked_px(&[Region::new(0, 0, 10, 10), Region::new(2, 2, 3, 3)], size), 100);
        assert_eq!(masked_px(&[Region::new(20, 0, 5, 5)], size), 0);
    }
}
