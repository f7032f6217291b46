//! From measurements to a verdict: which regions break a rule, and which number decided.

use std::borrow::Cow;

use image::RgbImage;

use super::{
    CompareSpec, Comparison, Difference, DifferenceKind, Gate, Limit, MOST_LISTED, Method, Numbers,
    Tolerance,
    changes::Changes,
    explain, hybrid, inserted,
    kernel::Kernel,
    mask::Masks,
    regions::{RegionMap, Tally},
    size,
    ssim::{self, Pair},
    zones,
};
use crate::geometry::{Region, Size};

/// Compares a capture with its baseline. Pixels under `masks` influence nothing: they do not count, and in
/// the windows of the map the capture has the baseline's pixels there. Masks may reach past the picture and
/// overlap.
///
/// Never fails: pictures of different sizes are a [`Comparison::SizeMismatch`], empty pictures are equal.
/// The result is the same to the last bit on any processor and with any number of threads.
#[must_use]
pub fn compare(expected: &RgbImage, actual: &RgbImage, spec: &CompareSpec, masks: &[Region]) -> Comparison {
    let sizes = [expected, actual].map(|picture| Size::new(picture.width(), picture.height()));
    if sizes[0] != sizes[1] {
        let words = size::explain(expected, actual);
        return Comparison::SizeMismatch { expected: sizes[0], actual: sizes[1], words };
    }
    let masks = Masks::new(masks, sizes[0]);
    let zones::Parts { whole, base_masks, own } = zones::judge(expected, actual, spec, &masks);
    let Some(gate) = whole.gate else { return Comparison::Match { numbers: whole.numbers } };
    let limits = Limits::of(spec);
    let shifted = inserted::explain((expected, actual), &limits, &base_masks, whole.regions);
    let total = shifted.told.len() + shifted.left.len() + own.len();
    let mut differences = shifted.told;
    let aligned = shifted.aligned.as_ref().unwrap_or(expected);
    let left = largest(shifted.left, MOST_LISTED.saturating_sub(differences.len()));
    differences.extend(describe(aligned, actual, &base_masks, &left));
    let own = largest(own, MOST_LISTED.saturating_sub(differences.len()));
    differences.extend(describe(expected, actual, &masks, &own));
    differences.sort_by_key(|difference| (difference.region.y, difference.region.x));
    let more = total - differences.len();
    Comparison::Mismatch { numbers: whole.numbers, gate, regions: differences, more }
}

/// A region that breaks a rule, and the lowest SSIM in it.
pub(super) type Found = (Tally, f64);

/// What a comparison by one set of limits found.
pub(super) struct Judged {
    pub(super) numbers: Numbers,
    /// The limit that was broken; `None` when the pictures agree.
    pub(super) gate: Option<Gate>,
    /// The regions that break a limit, in no order.
    pub(super) regions: Vec<Found>,
}

/// Judges two pictures of one size by one set of limits.
pub(super) fn judge(expected: &RgbImage, actual: &RgbImage, limits: &Limits, masks: &Masks) -> Judged {
    let Some(changes) = Changes::between(expected, actual, masks) else {
        return Judged { numbers: Numbers::EQUAL, gate: None, regions: Vec::new() };
    };
    let map = RegionMap::of(&changes, limits.max_delta);
    let measured = ssim::measure(&Pair { expected, actual, masks }, &map, Kernel::best());
    let mut numbers = Numbers {
        mean_ssim: measured.mean,
        worst_ssim: measured.worst,
        changed_px: map.changed().iter().map(|changed| changed.changed_px).sum(),
        max_delta: map.changed().iter().map(|changed| changed.max_delta).max().unwrap_or(0),
    };
    let mut regions: Vec<Found> = map.changed().iter().copied().zip(measured.worst_by_region).collect();
    let gate = if limits.method == Method::Hybrid {
        let score = hybrid::score(expected, &masks.applied(expected, actual));
        numbers.mean_ssim = score;
        let broken = score < limits.min_ssim;
        broken.then_some(Gate {
            limit: Limit::MinSsim,
            measured: score,
            allowed: limits.min_ssim,
            within: None,
        })
    } else {
        regions.retain(|region| limits.broken_by(region));
        limits.gate(&regions)
    };
    Judged { numbers, gate, regions }
}

/// The limits that hold for one part of the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    method: Method,
    min_ssim: f64,
    max_delta: u8,
    max_pixels: u64,
}

impl Limits {
    /// The limits of the picture.
    pub(super) fn of(spec: &CompareSpec) -> Self {
        match spec.method {
            // The map is computed for the report and decides nothing.
            Method::Exact => {
                Self { method: spec.method, min_ssim: f64::NEG_INFINITY, max_delta: 0, max_pixels: 0 }
            }
            method @ (Method::Ssim | Method::Hybrid) => Self {
                method,
                min_ssim: spec.min_ssim,
                max_delta: spec.max_delta,
                max_pixels: spec.max_pixels,
            },
        }
    }

    /// The limits of a tolerance region. Beside `exact` they are those of the SSIM: a part that must be equal needs no
    /// limits of its own.
    pub(super) fn within(tolerance: &Tolerance, method: Method) -> Self {
        let method = if method == Method::Exact { Method::Ssim } else { method };
        let Tolerance { min_ssim, max_delta, max_pixels, .. } = *tolerance;
        Self { method, min_ssim, max_delta, max_pixels }
    }

    fn broken_by(&self, (changed, worst): &Found) -> bool {
        *worst < self.min_ssim || changed.over_px > self.max_pixels
    }

    /// The lowest SSIM where one is too low, as that is the stronger sign; else the highest count of pixels.
    fn gate(&self, broken: &[Found]) -> Option<Gate> {
        let worst = broken.iter().map(|(_, worst)| *worst).fold(f64::INFINITY, f64::min);
        if worst < self.min_ssim {
            let allowed = self.min_ssim;
            return Some(Gate { limit: Limit::MinSsim, measured: worst, allowed, within: None });
        }
        let most = broken.iter().map(|(changed, _)| changed.over_px).max()?;
        let allowed = self.max_pixels as f64;
        Some(Gate { limit: Limit::MaxPixels, measured: most as f64, allowed, within: None })
    }
}

/// The `count` regions with most changed pixels, top to bottom.
fn largest(mut regions: Vec<Found>, count: usize) -> Vec<Found> {
    let place = |region: Region| (region.y, region.x);
    regions.sort_by_key(|(tally, _)| (std::cmp::Reverse(tally.changed_px), place(tally.region)));
    regions.truncate(count);
    regions.sort_by_key(|(tally, _)| place(tally.region));
    regions
}

/// The regions as the report has them, with what happened in words.
fn describe(expected: &RgbImage, actual: &RgbImage, masks: &Masks, regions: &[Found]) -> Vec<Difference> {
    let masked = regions.iter().any(|(tally, _)| masks.overlap(tally.region));
    let actual = if masked { masks.applied(expected, actual) } else { Cow::Borrowed(actual) };
    let explanations: Vec<_> =
        regions.iter().map(|(changed, _)| explain::explain(expected, &actual, changed.region)).collect();
    let mut differences: Vec<_> = regions
        .iter()
        .zip(&explanations)
        .map(|((changed, worst), explanation)| Difference {
            region: changed.region,
            worst_ssim: *worst,
            max_delta: changed.max_delta,
            changed_px: changed.changed_px,
            kind: explanation.kind,
            words: explanation.words.clone(),
        })
        .collect();
    explain::pair_edges(&mut differences, &explanations);
    if differences.iter().any(|difference| difference.kind == DifferenceKind::Disappeared) {
        explain::pair_moves(expected, &actual, &mut differences, &explanations);
    }
    differences
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    fn spec(min_ssim: f64, max_delta: u8, max_pixels: u64) -> CompareSpec {
        CompareSpec { min_ssim, max_delta, max_pixels, ..CompareSpec::default() }
    }

    /// Grey, with `count` pixels in a row raised by `delta`.
    fn raised(count: u32, delta: u8) -> (RgbImage, RgbImage) {
        let plain = RgbImage::from_pixel(60, 40, Rgb([120; 3]));
        let mut other = plain.clone();
        for x in 0..count {
            other.put_pixel(5 + x, 20, Rgb([120 + delta, 120, 120]));
        }
        (plain, other)
    }

    #[test]
    fn one_level_on_a_few_corner_pixels_is_noise_and_two_levels_on_a_page_are_not() {
        let (a, b) = raised(4, 1);
        let found = compare(&a, &b, &CompareSpec::default(), &[]);
        assert!(found.is_match());
        let Comparison::Match { numbers } = found else { unreachable!() };
        assert_eq!((numbers.changed_px, numbers.max_delta), (4, 1));
        assert!(numbers.worst_ssim < 1.0 && numbers.worst_ssim > 0.98);

        let shaded = RgbImage::from_pixel(60, 40, Rgb([122; 3]));
        let found = compare(&a, &shaded, &CompareSpec::default(), &[]);
        let Comparison::Mismatch { gate, regions, .. } = found else { panic!("{found:?}") };
        assert_eq!(gate, Gate { limit: Limit::MaxPixels, measured: 2400.0, allowed: 4.0, within: None });
        assert_eq!(regions[0].region, Region::new(0, 0, 60, 40));
        assert_eq!(regions[0].words, "recoloured #787878 -> #7a7a7a");
    }

    #[test]
    fn the_count_must_exceed_its_limit_and_so_must_the_level() {
        let (a, b) = raised(10, 8);
        assert!(compare(&a, &b, &spec(0.1, 7, 10), &[]).is_match());
        assert!(compare(&a, &b, &spec(0.1, 8, 0), &[]).is_match());
        let found = compare(&a, &b, &spec(0.1, 7, 9), &[]);
        let Comparison::Mismatch { gate, .. } = found else { panic!("{found:?}") };
        assert_eq!(gate, Gate { limit: Limit::MaxPixels, measured: 10.0, allowed: 9.0, within: None });
    }

    #[test]
    fn a_score_equal_to_the_limit_passes_and_the_gate_is_the_unrounded_worst() {
        let (a, b) = raised(1, 60);
        let found = compare(&a, &b, &spec(1.0, 255, 0), &[]);
        let Comparison::Mismatch { gate, numbers, .. } = found else { panic!("{found:?}") };
        assert_eq!(gate.measured.to_bits(), numbers.worst_ssim.to_bits());
        assert!(compare(&a, &b, &spec(gate.measured, 255, 0), &[]).is_match());
        assert!(!compare(&a, &b, &spec(gate.measured.next_up(), 255, 0), &[]).is_match());
    }

    #[test]
    fn exact_fails_at_one_level_of_one_pixel() {
        let (a, b) = raised(1, 1);
        let exact = CompareSpec { method: Method::Exact, ..spec(0.1, 9, 9) };
        let found = compare(&a, &b, &exact, &[]);
        let Comparison::Mismatch { gate, .. } = found else { panic!("{found:?}") };
        assert_eq!(gate, Gate { limit: Limit::MaxPixels, measured: 1.0, allowed: 0.0, within: None });
        assert!(compare(&a, &a, &exact, &[]).is_match());
    }

    #[test]
    fn hybrid_judges_its_own_score() {
        let hybrid = CompareSpec { method: Method::Hybrid, ..spec(0.999, 0, 0) };
        let (a, b) = raised(20, 120);
        let found = compare(&a, &b, &hybrid, &[]);
        let Comparison::Mismatch { gate, numbers, regions, .. } = found else { panic!("{found:?}") };
        assert!(gate.measured < 0.999 && gate.measured.to_bits() == numbers.mean_ssim.to_bits());
        assert_eq!(regions.len(), 1);
        assert!(compare(&a, &b, &CompareSpec { min_ssim: gate.measured, ..hybrid }, &[]).is_match());
    }

    #[test]
    fn masked_pixels_influence_neither_counts_nor_windows() {
        let (a, mut b) = raised(1, 60);
        let alone = compare(&a, &b, &CompareSpec::default(), &[]);
        let mask = Region::new(7, 17, 400, 9);
        for x in 7..30 {
            b.put_pixel(x, 21, Rgb([255, 0, 9]));
        }
        assert_ne!(compare(&a, &b, &CompareSpec::default(), &[]), alone);
        assert_eq!(compare(&a, &b, &CompareSpec::default(), &[mask]), alone);
    }

    #[test]
    fn masks_past_the_picture_and_over_each_other_are_clipped() {
        let (a, b) = raised(20, 99);
        let masks =
            [Region::new(-50, -50, 60, 200), Region::new(8, 10, 1000, 1000), Region::new(500, 0, 9, 9)];
        assert!(compare(&a, &b, &CompareSpec::default(), &masks).is_match());
    }

    #[test]
    fn empty_pictures_are_equal() {
        let empty = RgbImage::new(0, 0);
        assert!(compare(&empty, &empty, &CompareSpec::default(), &[]).is_match());
        assert!(compare(&RgbImage::new(0, 5), &RgbImage::new(0, 5), &CompareSpec::default(), &[]).is_match());
        assert!(!compare(&empty, &RgbImage::new(1, 1), &CompareSpec::default(), &[]).is_match());
    }
}
