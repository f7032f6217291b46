//! A page that moved as a whole: rows or columns came in or went, and everything behind them stands elsewhere.
//!
//! Told as one difference; then the baseline is shifted likewise and what still differs is told for itself.

use std::cmp::Ordering;

use image::RgbImage;

use super::{
    Difference, DifferenceKind, explain,
    judge::{Found, Limits, judge},
    mask::Masks,
    shift::{self, Axis, Shift},
};
use crate::geometry::Region;

/// How many insertions are looked for, one after the other.
const MOST_ROUNDS: usize = 6;
/// A changed part that is less long than this along its axis is told by its own words.
const SHORTEST_PX: u32 = 24;
/// So is one that is narrower across: a single line of text, whose words moved behind a longer one.
const NARROWEST_PX: u32 = 32;

/// What a shift explains, and what is left.
pub(super) struct Shifted {
    /// The insertions and removals.
    pub(super) told: Vec<Difference>,
    /// The baseline with all of them applied; `None` when there are none.
    pub(super) aligned: Option<RgbImage>,
    /// The regions that break a limit in spite of them.
    pub(super) left: Vec<Found>,
}

/// Finds the insertions and removals behind `regions`.
pub(super) fn explain(
    (expected, actual): (&RgbImage, &RgbImage),
    limits: &Limits,
    masks: &Masks,
    regions: Vec<Found>,
) -> Shifted {
    let mut shifted = Shifted { told: Vec::new(), aligned: None, left: regions };
    for _ in 0..MOST_ROUNDS {
        let before = shifted.aligned.as_ref().unwrap_or(expected);
        let Some((area, axis, shift)) = found(before, actual, masks, &shifted.left) else { break };
        let aligned = applied(before, actual, area, axis, shift);
        let left = judge(&aligned, actual, limits, masks).regions;
        let changed = |regions: &[Found]| regions.iter().map(|(tally, _)| tally.changed_px).sum::<u64>();
        let explained = changed(&shifted.left).saturating_sub(changed(&left));
        // Telling it must make the rest simpler.
        if explained * 10 < changed(&shifted.left) {
            break;
        }
        let difference = told(&shifted.left, area, axis, shift, explained, actual);
        // The parts of a page on either side of a mask moved together.
        match shifted.told.iter_mut().find(|known| known.words == difference.words) {
            Some(known) => {
                known.region = known.region.union(difference.region);
                known.worst_ssim = known.worst_ssim.min(difference.worst_ssim);
                known.max_delta = known.max_delta.max(difference.max_delta);
                known.changed_px += difference.changed_px;
            }
            None => shifted.told.push(difference),
        }
        shifted.aligned = Some(aligned);
        shifted.left = left;
    }
    shifted
}

/// The first part of the picture in which lines were inserted or removed.
fn found(
    expected: &RgbImage,
    actual: &RgbImage,
    masks: &Masks,
    regions: &[Found],
) -> Option<(Region, Axis, Shift)> {
    for axis in [Axis::Rows, Axis::Columns] {
        for (area, count) in groups(regions, axis) {
            let (long, across) = match axis {
                Axis::Rows => (area.height, area.width),
                Axis::Columns => (area.width, area.height),
            };
            if long < SHORTEST_PX || across < NARROWEST_PX {
                continue;
            }
            let lines = |picture| axis.lines(picture, area, masks);
            let Some(shift) = shift::find(&lines(expected), &lines(actual)) else { continue };
            // One thing that moved on its plain ground is told as that.
            if count > 1 || explain::explain(expected, actual, area).kind != DifferenceKind::Moved {
                return Some((area, axis, shift));
            }
        }
    }
    None
}

/// Boxes of the regions that overlap when seen along the axis, the largest first, and how many regions each holds.
fn groups(regions: &[Found], axis: Axis) -> Vec<(Region, usize)> {
    let side = |region: Region| match axis {
        Axis::Rows => (region.x, region.right()),
        Axis::Columns => (region.y, region.bottom()),
    };
    let mut boxes: Vec<Region> = regions.iter().map(|(tally, _)| tally.region).collect();
    boxes.sort_by_key(|region| side(*region));
    let mut groups: Vec<(Region, usize)> = Vec::new();
    for region in boxes {
        match groups.last_mut() {
            Some((group, count)) if side(region).0 < side(*group).1 => {
                *group = group.union(region);
                *count += 1;
            }
            _ => groups.push((region, 1)),
        }
    }
    groups.sort_by_key(|(group, _)| std::cmp::Reverse(group.area_px()));
    groups.truncate(4);
    groups
}

/// `expected` with the lines of `area` shifted; lines that only the capture has are taken from it.
fn applied(expected: &RgbImage, actual: &RgbImage, area: Region, axis: Axis, shift: Shift) -> RgbImage {
    let mut aligned = expected.clone();
    let long = if axis == Axis::Rows { area.height } else { area.width } as isize;
    for line in 0..long {
        let at = shift.at as isize;
        let source = match (line.cmp(&at), shift.by) {
            (Ordering::Less, _) => continue,
            (_, by) if by > 0 => (line - by >= at).then_some(line - by),
            (_, by) => (line - by < long).then_some(line - by),
        };
        let (picture, from) = source.map_or((actual, line), |source| (expected, source));
        copy_line(picture, &mut aligned, area, axis, (from as i32, line as i32));
    }
    aligned
}

fn copy_line(source: &RgbImage, target: &mut RgbImage, area: Region, axis: Axis, (from, to): (i32, i32)) {
    let pitch = source.width() as usize * 3;
    let byte = |x: i32, y: i32| y as usize * pitch + x as usize * 3;
    let target: &mut [u8] = target;
    let mut copy = |from: usize, to: usize, bytes: usize| {
        target[to..to + bytes].copy_from_slice(&source.as_raw()[from..from + bytes]);
    };
    match axis {
        Axis::Rows => {
            copy(byte(area.x, area.y + from), byte(area.x, area.y + to), area.width as usize * 3);
        }
        Axis::Columns => {
            for y in area.y..area.bottom() {
                copy(byte(area.x + from, y), byte(area.x + to, y), 3);
            }
        }
    }
}

/// The shift as a difference: its box is where the lines are in the capture, or were in the baseline.
fn told(
    regions: &[Found],
    area: Region,
    axis: Axis,
    shift: Shift,
    changed_px: u64,
    picture: &RgbImage,
) -> Difference {
    let count = shift.by.unsigned_abs() as u32;
    let (at, region, end, last, names) = match axis {
        Axis::Rows => {
            let at = area.y + shift.at as i32;
            let region = Region { y: at, height: count, ..area };
            (at, region, area.bottom(), picture.height(), ["row", "y", "below", "down", "up"])
        }
        Axis::Columns => {
            let at = area.x + shift.at as i32;
            let region = Region { x: at, width: count, ..area };
            (at, region, area.right(), picture.width(), ["column", "x", "right of it", "right", "left"])
        }
    };
    let [line, side, behind, on, back] = names;
    let (verb, way) = if shift.by > 0 { ("inserted", on) } else { ("removed", back) };
    // A page often ends in plain ground, which does not change when it moves.
    let reaches_end = (last as i32 - end) < 2 * count as i32 + last as i32 / 8;
    let extent = if reaches_end { behind.to_owned() } else { format!("{behind} as far as {side} = {end}") };
    let plural = if count == 1 { "" } else { "s" };
    let inside = regions.iter().filter(|(tally, _)| tally.region.intersection(area).is_some());
    Difference {
        region,
        worst_ssim: inside.clone().map(|(_, worst)| *worst).fold(1.0, f64::min),
        max_delta: inside.map(|(tally, _)| tally.max_delta).max().unwrap_or(0),
        changed_px,
        kind: if shift.by > 0 { DifferenceKind::Inserted } else { DifferenceKind::Removed },
        words: format!(
            "{count} {line}{plural} {verb} at {side} = {at}; everything {extent} moved {count} px {way}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use crate::compare::{CompareSpec, Comparison, compare};

    /// A page of `lines` of text-like marks, 20 rows apart from `top`, each line different, from column `left`.
    fn page(top: u32, left: u32, lines: std::ops::Range<u32>) -> RgbImage {
        let mut page = RgbImage::from_pixel(300, 400, Rgb([255; 3]));
        for (place, line) in lines.enumerate() {
            let y = top + place as u32 * 20;
            let mut state = (line + 1).wrapping_mul(2_654_435_761);
            for x in (0..240).filter(|_| y + 12 <= 400) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                for row in 0..state >> 29 {
                    page.put_pixel(left + x, y + (state >> 20) % 5 + row, Rgb([20, 30, 40]));
                }
            }
        }
        page
    }

    fn banner(page: &mut RgbImage, top: u32, height: u32) {
        for (x, y) in (30..270).flat_map(|x| (top..top + height).map(move |y| (x, y))) {
            page.put_pixel(x, y, Rgb([200, (y % 5 * 20) as u8, (x % 7) as u8]));
        }
    }

    fn differences(before: &RgbImage, after: &RgbImage) -> Vec<Difference> {
        match compare(before, after, &CompareSpec::default(), &[]) {
            Comparison::Mismatch { regions, .. } => regions,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_under_an_inserted_banner_is_one_difference() {
        let (before, mut after) = (page(60, 30, 0..17), page(100, 30, 0..17));
        banner(&mut after, 60, 40);
        let found = differences(&before, &after);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kind, DifferenceKind::Inserted);
        assert_eq!(found[0].words, "40 rows inserted at y = 60; everything below moved 40 px down");
        assert_eq!((found[0].region.y, found[0].region.height), (60, 40));
        let back = differences(&after, &before);
        assert_eq!(back[0].words, "40 rows removed at y = 60; everything below moved 40 px up");
    }

    #[test]
    fn what_differs_besides_the_shift_is_told_for_itself() {
        let (before, mut after) = (page(60, 30, 0..17), page(100, 30, 0..17));
        banner(&mut after, 60, 40);
        for (x, y) in (200..206).flat_map(|x| (250..256).map(move |y| (x, y))) {
            after.put_pixel(x, y, Rgb([250, 0, 0]));
        }
        let found = differences(&before, &after);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].kind, DifferenceKind::Inserted);
        assert!(Region::new(200, 250, 6, 6).encloses(found[1].region));
    }

    #[test]
    fn two_insertions_are_two_differences() {
        let before = page(60, 30, 0..17);
        let mut after = RgbImage::from_fn(300, 400, |x, y| {
            let source = if y < 80 {
                y
            } else if y < 220 {
                y - 20
            } else {
                (y - 50).max(170)
            };
            *before.get_pixel(x, source)
        });
        banner(&mut after, 60, 20);
        banner(&mut after, 220, 30);
        let words: Vec<_> = differences(&before, &after).into_iter().map(|found| found.words).collect();
        assert_eq!(words.len(), 2, "{words:?}");
        assert!(words[0].starts_with("20 rows inserted at y = 60;"), "{words:?}");
        assert!(words[1].starts_with("30 rows inserted at y = 2"), "{words:?}");
    }

    #[test]
    fn columns_are_told_like_rows() {
        let (before, mut after) = (page(20, 20, 0..17), page(20, 45, 0..17));
        for (x, y) in (20..40).flat_map(|x| (20..380).map(move |y| (x, y))) {
            after.put_pixel(x, y, Rgb([200, (y % 5 * 20) as u8, (x % 7) as u8]));
        }
        let found = differences(&before, &after);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kind, DifferenceKind::Inserted);
        assert!(found[0].words.starts_with("25 columns inserted at x = 20;"), "{}", found[0].words);
        assert!(found[0].words.ends_with("moved 25 px right"), "{}", found[0].words);
    }

    #[test]
    fn all_of_a_page_that_moved_on_plain_ground_is_told_as_a_move() {
        let found = differences(&page(20, 20, 0..17), &page(20, 45, 0..17));
        let words: Vec<_> = found.iter().map(|difference| difference.words.as_str()).collect();
        assert_eq!(words, ["moved 25 px right"]);
    }

    #[test]
    fn pages_that_have_nothing_in_common_are_no_shift() {
        let found = differences(&page(20, 30, 0..17), &page(20, 30, 40..57));
        assert!(found.iter().all(|difference| difference.kind != DifferenceKind::Inserted));
    }

    #[test]
    fn a_mask_over_part_of_the_page_does_not_hide_its_shift() {
        let (before, mut after) = (page(60, 30, 0..17), page(100, 30, 0..17));
        banner(&mut after, 60, 40);
        let masks = [Region::new(90, 5, 60, 390)];
        let found = compare(&before, &after, &CompareSpec::default(), &masks);
        let Comparison::Mismatch { regions, .. } = found else { panic!("{found:?}") };
        assert_eq!(regions.len(), 1, "{regions:?}");
        assert_eq!(regions[0].kind, DifferenceKind::Inserted);
    }
}
