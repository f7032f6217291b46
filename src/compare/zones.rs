//! Parts of the picture with rules of their own: tolerance regions and floating regions.
//!
//! Each is judged as a picture by itself. For the rest of the picture it is a mask: what happens in a tolerance region
//! lowers no window outside of it.

use image::{RgbImage, imageops};
use rayon::prelude::*;

use super::{
    CompareSpec, Floating, Gate, Limit, Numbers,
    judge::{Found, Judged, Limits, judge as judge_by},
    mask::Masks,
};
use crate::geometry::{Region, Size};

/// How many of the most similar places of a floating region are judged by the limits when none is equal.
const JUDGED_PLACES: usize = 12;

/// A whole comparison and its parts.
pub(super) struct Parts {
    /// Numbers and gate of everything, and the regions outside of parts with own rules.
    pub(super) whole: Judged,
    /// What was not judged by the picture's own limits.
    pub(super) base_masks: Masks,
    /// The regions that break the rules of a part.
    pub(super) own: Vec<Found>,
}

/// Judges two pictures of one size by all the rules of `spec`.
pub(super) fn judge(expected: &RgbImage, actual: &RgbImage, spec: &CompareSpec, masks: &Masks) -> Parts {
    let limits = Limits::of(spec);
    let all = Size::new(expected.width(), expected.height()).region();
    let mut hidden: Vec<Region> = Vec::new();
    let mut parts: Vec<(Region, Judged)> = Vec::new();
    for floating in &spec.floating {
        let Some(region) = floating.region.intersection(all) else { continue };
        let place = place_of(expected, actual, &limits, masks, Floating { region, ..*floating });
        // When it is nowhere near, what differs is told at its place, by the rules around it.
        if let Some(place) = place {
            parts.push((region, at(expected, actual, &limits, masks, region, place)));
            hidden.extend([region, place]);
        }
    }
    for tolerance in &spec.tolerance {
        let Some(region) = tolerance.region.intersection(all) else { continue };
        let limits = Limits::within(tolerance, spec.method);
        let mut judged = at(expected, actual, &limits, &masks.with(hidden.iter().copied()), region, region);
        if let Some(gate) = &mut judged.gate {
            gate.within = Some(tolerance.region);
        }
        parts.push((region, judged));
        hidden.push(region);
    }
    let base_masks = masks.with(hidden);
    let mut whole = judge_by(expected, actual, &limits, &base_masks);
    let mut own = Vec::new();
    for (region, part) in parts {
        let share = region.area_px() as f64 / all.area_px() as f64;
        whole.numbers = together(whole.numbers, part.numbers, share);
        whole.gate = stronger(whole.gate, part.gate);
        own.extend(part.regions.into_iter().map(|(mut tally, worst)| {
            tally.region = tally.region.offset(region.x, region.y);
            (tally, worst)
        }));
    }
    Parts { whole, base_masks, own }
}

/// Judges `before` in the baseline against `after`, a region of the same size, in the capture.
fn at(
    expected: &RgbImage,
    actual: &RgbImage,
    limits: &Limits,
    masks: &Masks,
    before: Region,
    after: Region,
) -> Judged {
    let moved = masks.within(after);
    judge_by(
        &crop(expected, before),
        &crop(actual, after),
        limits,
        &masks.within(before).with(moved.regions().iter().copied()),
    )
}

/// Where in the capture the content of a floating region stands; `None` when it is not near enough or differs.
fn place_of(
    expected: &RgbImage,
    actual: &RgbImage,
    limits: &Limits,
    masks: &Masks,
    floating: Floating,
) -> Option<Region> {
    let Floating { region, by_px } = floating;
    let (by, all) = (by_px as i32, Size::new(expected.width(), expected.height()).region());
    let mut places: Vec<(i32, i32)> = (-by..=by).flat_map(|dy| (-by..=by).map(move |dx| (dx, dy))).collect();
    places.retain(|&(dx, dy)| all.encloses(region.offset(dx, dy)));
    // The nearest first, so that content that did not move is found at its place.
    places.sort_by_key(|&(dx, dy)| (dx * dx + dy * dy, dy, dx));
    let places: Vec<Region> = places.into_iter().map(|(dx, dy)| region.offset(dx, dy)).collect();
    let mut distances: Vec<(u64, usize)> = places
        .par_iter()
        .enumerate()
        .map(|(index, place)| (distance(expected, actual, region, *place), index))
        .collect();
    distances.sort_unstable();
    let likely = distances.into_iter().take(JUDGED_PLACES).map(|(_, index)| places[index]);
    likely.into_iter().find(|place| at(expected, actual, limits, masks, region, *place).gate.is_none())
}

/// The sum of the differences of all bytes.
fn distance(expected: &RgbImage, actual: &RgbImage, before: Region, after: Region) -> u64 {
    let part = |picture: &RgbImage, region: Region, row: i32| {
        let start = ((region.y + row) as usize * picture.width() as usize + region.x as usize) * 3;
        start..start + region.width as usize * 3
    };
    (0..before.height as i32)
        .map(|row| {
            let a = &expected.as_raw()[part(expected, before, row)];
            let b = &actual.as_raw()[part(actual, after, row)];
            a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>()
        })
        .sum()
}

fn crop(picture: &RgbImage, region: Region) -> RgbImage {
    imageops::crop_imm(picture, region.x as u32, region.y as u32, region.width, region.height).to_image()
}

/// Numbers of the whole, to which the part, `share` of its area, was equal so far.
fn together(whole: Numbers, part: Numbers, share: f64) -> Numbers {
    Numbers {
        mean_ssim: whole.mean_ssim - (1.0 - part.mean_ssim) * share,
        worst_ssim: whole.worst_ssim.min(part.worst_ssim),
        changed_px: whole.changed_px + part.changed_px,
        max_delta: whole.max_delta.max(part.max_delta),
    }
}

/// A low SSIM before a count of pixels; of two of a kind the one further from its limit.
fn stronger(one: Option<Gate>, other: Option<Gate>) -> Option<Gate> {
    let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
    let beyond = |gate: &Gate| (gate.measured - gate.allowed).abs();
    let first = match (a.limit, b.limit) {
        (Limit::MinSsim, Limit::MaxPixels) => true,
        (Limit::MaxPixels, Limit::MinSsim) => false,
        _ => beyond(&a) >= beyond(&b),
    };
    Some(if first { a } else { b })
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use crate::compare::{Comparison, Tolerance, compare};

    /// White, with a dark mark of 12 x 8 at each place.
    fn page(places: &[(u32, u32)]) -> RgbImage {
        let mut page = RgbImage::from_pixel(200, 100, Rgb([255; 3]));
        for (x, y) in places {
            for (i, j) in (0..12).flat_map(|i| (0..8).map(move |j| (i, j))) {
                page.put_pixel(x + i, y + j, Rgb([(i * 7) as u8, (j * 9) as u8, 40]));
            }
        }
        page
    }

    fn tolerant(region: Region) -> CompareSpec {
        let tolerance = Tolerance { region, min_ssim: 0.01, max_delta: 255, max_pixels: 0 };
        CompareSpec { tolerance: vec![tolerance], ..CompareSpec::default() }
    }

    fn floating(region: Region, by_px: u32) -> CompareSpec {
        CompareSpec { floating: vec![Floating { region, by_px }], ..CompareSpec::default() }
    }

    #[test]
    fn a_tolerance_region_has_its_own_limits_and_the_rest_keeps_its() {
        let (before, mut after) = (page(&[(20, 20), (120, 60)]), page(&[(20, 20), (120, 60)]));
        for x in 20..32 {
            after.put_pixel(x, 24, Rgb([90; 3]));
        }
        let spec = tolerant(Region::new(15, 15, 30, 20));
        assert!(!compare(&before, &after, &CompareSpec::default(), &[]).is_match());
        let Comparison::Match { numbers } = compare(&before, &after, &spec, &[]) else { panic!() };
        assert!(numbers.changed_px == 12 && numbers.worst_ssim < 0.9 && numbers.mean_ssim < 1.0);
        after.put_pixel(46, 24, Rgb([90; 3]));
        let Comparison::Mismatch { gate, regions, .. } = compare(&before, &after, &spec, &[]) else {
            panic!()
        };
        assert_eq!((gate.within, regions.len()), (None, 1));
        assert_eq!(regions[0].region, Region::new(46, 24, 1, 1));
    }

    #[test]
    fn what_breaks_the_limits_of_its_tolerance_region_names_it() {
        let (before, after) = (page(&[(20, 20)]), page(&[]));
        let region = Region::new(10, 10, 40, 30);
        let tolerance = Tolerance { region, min_ssim: 0.001, max_delta: 9, max_pixels: 50 };
        let spec = CompareSpec { tolerance: vec![tolerance], ..CompareSpec::default() };
        let Comparison::Mismatch { gate, regions, .. } = compare(&before, &after, &spec, &[]) else {
            panic!()
        };
        assert_eq!(gate.within, Some(region));
        assert_eq!(regions[0].region, Region::new(20, 20, 12, 8));
        assert_eq!(spec.max_delta_at(gate.within), 9);
    }

    #[test]
    fn floating_content_may_move_by_its_distance_and_no_further() {
        let before = page(&[(60, 40), (150, 10)]);
        let spec = floating(Region::new(55, 35, 22, 18), 4);
        for (x, y) in [(60, 40), (64, 40), (56, 36), (61, 43)] {
            assert!(compare(&before, &page(&[(x, y), (150, 10)]), &spec, &[]).is_match(), "{x} {y}");
        }
        for (x, y) in [(65, 40), (60, 45), (60, 35)] {
            assert!(!compare(&before, &page(&[(x, y), (150, 10)]), &spec, &[]).is_match(), "{x} {y}");
        }
    }

    #[test]
    fn floating_content_must_be_the_same_and_the_rest_must_not_move() {
        let before = page(&[(60, 40), (150, 10)]);
        let spec = floating(Region::new(55, 35, 22, 18), 4);
        let mut other = page(&[(62, 41), (150, 10)]);
        other.put_pixel(66, 44, Rgb([200; 3]));
        assert!(!compare(&before, &other, &spec, &[]).is_match());
        assert!(!compare(&before, &page(&[(62, 41), (151, 10)]), &spec, &[]).is_match());
        assert!(!compare(&before, &page(&[(150, 10)]), &spec, &[]).is_match());
    }

    #[test]
    fn regions_off_the_picture_do_no_harm() {
        let page = page(&[(60, 40)]);
        let off = Region::new(500, 500, 9, 9);
        let spec = CompareSpec { floating: vec![Floating { region: off, by_px: 3 }], ..tolerant(off) };
        assert!(compare(&page, &page, &spec, &[]).is_match());
    }
}
