//! A changed region in words: an honest guess; whatever it cannot tell apart is *content changed*.
//!
//! The background is the colour that most of the ring of pixels just outside the region's box have. What
//! differs from it inside the box is the content of either picture, and the two contents are compared: none,
//! the same elsewhere, the same in other colours.

use std::collections::HashMap;

use image::{Rgb, RgbImage};

use super::{
    Difference, DifferenceKind,
    mask::Masks,
    recolour::recolouring,
    resized::{self, Growth},
    shift::{self, Axis},
};
use crate::geometry::{Region, Size};

/// Differences between which a moved content is looked for.
const MOST_PAIRED: usize = 200;

/// What happened inside a box.
pub(super) struct Explanation {
    pub(super) kind: DifferenceKind,
    pub(super) words: String,
    /// The box of the content that was there or is there, for a later pairing.
    content: Option<Region>,
    /// How a box changed its size, likewise.
    growth: Option<Growth>,
}

/// Explains the change inside `region`; `actual` has the masked pixels of `expected`.
pub(super) fn explain(expected: &RgbImage, actual: &RgbImage, region: Region) -> Explanation {
    let simple =
        |kind, words: &str, content| Explanation { kind, words: words.to_owned(), content, growth: None };
    let background = background(expected, region);
    let growth = background.and_then(|colour| resized::growth(expected, actual, region, colour));
    if let Some(grown) = growth {
        return Explanation { growth, ..simple(DifferenceKind::SizeChanged, &grown.words(), None) };
    }
    if let Some(background) = background {
        let before = content(expected, region, background);
        let after = content(actual, region, background);
        match (before, after) {
            (None, Some(there)) => return simple(DifferenceKind::Appeared, "appeared", Some(there)),
            (Some(there), None) => return simple(DifferenceKind::Disappeared, "disappeared", Some(there)),
            (Some(before), Some(after)) if before != after && same((expected, before), (actual, after)) => {
                let words = format!("moved {}", shift(before, after));
                return simple(DifferenceKind::Moved, &words, None);
            }
            _ => {}
        }
    }
    if let Some((from, to)) = recolouring(expected, actual, region) {
        let words = format!("recoloured {} -> {}", hex(from), hex(to));
        return simple(DifferenceKind::Recoloured, &words, None);
    }
    let words = moved_inside(expected, actual, region)
        .map_or_else(|| "content changed".to_owned(), |moved| format!("content changed; {moved}"));
    simple(DifferenceKind::ContentChanged, &words, None)
}

/// Where a part of a region that changed stands elsewhere by whole pixels, as the words behind a longer one do.
fn moved_inside(expected: &RgbImage, actual: &RgbImage, region: Region) -> Option<String> {
    // The caller has put the baseline's pixels under the masks.
    let masks = Masks::new(&[], Size::new(expected.width(), expected.height()));
    [(Axis::Columns, "x", "right", "left"), (Axis::Rows, "y", "down", "up")].into_iter().find_map(
        |(axis, side, on, back)| {
            let lines = |picture| axis.lines(picture, region, &masks);
            let found = shift::find(&lines(expected), &lines(actual))?;
            let start = if axis == Axis::Columns { region.x } else { region.y };
            let way = if found.by > 0 { on } else { back };
            let (from, by) = (start + found.at as i32, found.by.unsigned_abs());
            Some(format!("what follows {side} = {from} moved {by} px {way}"))
        },
    )
}

/// Where one edge of a box moved and so did the opposite one, the box moved.
pub(super) fn pair_edges(differences: &mut [Difference], explanations: &[Explanation]) {
    let boxes: Vec<(usize, Growth)> =
        explanations.iter().enumerate().filter_map(|(i, e)| Some((i, e.growth?))).take(MOST_PAIRED).collect();
    let mut taken = vec![false; explanations.len()];
    for (place, &(first, growth)) in boxes.iter().enumerate() {
        for &(second, other) in &boxes[place + 1..] {
            let (a, b) = (differences[first].region, differences[second].region);
            let (beside, below) = (a.y == b.y && a.height == b.height, a.x == b.x && a.width == b.width);
            let along = if growth.wider != 0 { beside } else { below };
            // The left or upper edge comes first.
            let ordered = (a.x, a.y) <= (b.x, b.y);
            let (near, far) = if ordered { (growth, other) } else { (other, growth) };
            let Some((dx, dy)) = near.as_move(far).filter(|_| along && !taken[first] && !taken[second])
            else {
                continue;
            };
            for index in [first, second] {
                taken[index] = true;
                differences[index].kind = DifferenceKind::Moved;
                differences[index].words = format!("moved {}", shift(a, a.offset(dx, dy)));
            }
        }
    }
}

/// Where something disappeared and the very same appeared elsewhere, it moved.
pub(super) fn pair_moves(
    expected: &RgbImage,
    actual: &RgbImage,
    differences: &mut [Difference],
    explanations: &[Explanation],
) {
    let of_kind = |kind| move |&&(index, _): &&(usize, Region)| explanations[index].kind == kind;
    let contents: Vec<(usize, Region)> =
        explanations.iter().enumerate().filter_map(|(i, e)| Some((i, e.content?))).collect();
    if contents.len() > MOST_PAIRED {
        return;
    }
    let mut taken = vec![false; explanations.len()];
    for &(gone, before) in contents.iter().filter(of_kind(DifferenceKind::Disappeared)) {
        let found = contents
            .iter()
            .filter(of_kind(DifferenceKind::Appeared))
            .find(|(come, after)| !taken[*come] && same((expected, before), (actual, *after)));
        let Some(&(come, after)) = found else { continue };
        taken[come] = true;
        let shift = shift(before, after);
        for (index, words) in
            [(gone, format!("moved {shift}, to {after}")), (come, format!("moved {shift}, from {before}"))]
        {
            differences[index].kind = DifferenceKind::Moved;
            differences[index].words = words;
        }
    }
}

/// The colour that at least half of the pixels around `region` have.
fn background(picture: &RgbImage, region: Region) -> Option<Rgb<u8>> {
    let around = Region::new(region.x - 1, region.y - 1, region.width + 2, region.height + 2);
    let all = Size::new(picture.width(), picture.height()).region();
    let mut counts: HashMap<Rgb<u8>, usize> = HashMap::new();
    let mut total = 0;
    let mut count = |x: i32, y: i32| {
        if all.contains(crate::geometry::Point::new(x, y)) {
            total += 1;
            *counts.entry(*picture.get_pixel(x as u32, y as u32)).or_default() += 1;
        }
    };
    for x in around.x..around.right() {
        count(x, around.y);
        count(x, around.bottom() - 1);
    }
    for y in region.y..region.bottom() {
        count(around.x, y);
        count(around.right() - 1, y);
    }
    // The greater colour wins a tie, so that the order of the map does not show.
    let (colour, count) = counts.into_iter().max_by_key(|(colour, count)| (*count, colour.0))?;
    (count * 2 >= total).then_some(colour)
}

/// The bounding box, inside `region`, of what is not `background`.
pub(super) fn content(picture: &RgbImage, region: Region, background: Rgb<u8>) -> Option<Region> {
    let differs = |pixel: &[u8]| pixel != background.0;
    let filled = |y: &i32| row(picture, region, *y).chunks_exact(3).any(differs);
    let top = (region.y..region.bottom()).find(filled)?;
    let bottom = (top..region.bottom()).rev().find(filled)? + 1;
    let (mut left, mut right) = (region.width as usize, 0);
    for y in top..bottom {
        let row = row(picture, region, y);
        if let Some(first) = row.chunks_exact(3).take(left).position(differs) {
            left = first;
        }
        if let Some(last) = row[right * 3..].chunks_exact(3).rposition(differs) {
            right += last + 1;
        }
    }
    Some(Region::new(region.x + left as i32, top, right.saturating_sub(left) as u32, (bottom - top) as u32))
}

/// The bytes of `region` in row `y` of the picture.
pub(super) fn row(picture: &RgbImage, region: Region, y: i32) -> &[u8] {
    let start = y as usize * picture.width() as usize + region.x as usize;
    &picture.as_raw()[start * 3..(start + region.width as usize) * 3]
}

/// Whether two parts hold the same pixels.
fn same((a, in_a): (&RgbImage, Region), (b, in_b): (&RgbImage, Region)) -> bool {
    in_a.size() == in_b.size()
        && (0..in_a.height as i32).all(|y| row(a, in_a, in_a.y + y) == row(b, in_b, in_b.y + y))
}

fn shift(before: Region, after: Region) -> String {
    let (dx, dy) = (after.x - before.x, after.y - before.y);
    let along = |by: i32, forward, back| match by {
        0 => None,
        _ => Some(format!("{} px {}", by.unsigned_abs(), if by > 0 { forward } else { back })),
    };
    let parts: Vec<_> = [along(dx, "right", "left"), along(dy, "down", "up")].into_iter().flatten().collect();
    parts.join(" and ")
}

fn hex(Rgb([red, green, blue]): Rgb<u8>) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{CompareSpec, Comparison, compare};

    const INK: [u8; 3] = [10, 20, 30];

    /// A white page with a glyph-like mark of two colours at each place.
    fn page(places: &[(u32, u32)], ink: [u8; 3]) -> RgbImage {
        let mut page = RgbImage::from_pixel(200, 100, Rgb([255; 3]));
        for &(x, y) in places {
            for i in 0..8 {
                page.put_pixel(x + i, y, Rgb(ink));
                page.put_pixel(x + 2, y + i, Rgb(ink));
                page.put_pixel(x + i / 2, y + i, Rgb(ink.map(|level| level / 2 + 100)));
            }
        }
        page
    }

    fn found(before: &RgbImage, after: &RgbImage) -> Vec<(DifferenceKind, String)> {
        match compare(before, after, &CompareSpec::default(), &[]) {
            Comparison::Mismatch { regions, .. } => regions.into_iter().map(|d| (d.kind, d.words)).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_move_inside_one_region_is_told_by_its_distance() {
        let (before, after) = (page(&[(50, 50)], INK), page(&[(53, 45)], INK));
        assert_eq!(
            found(&before, &after),
            [(DifferenceKind::Moved, "moved 3 px right and 5 px up".to_owned())]
        );
    }

    #[test]
    fn a_move_to_a_far_place_pairs_the_two_regions() {
        let (before, after) = (page(&[(50, 10)], INK), page(&[(50, 52)], INK));
        let words: Vec<_> = found(&before, &after)
            .into_iter()
            .map(|(kind, words)| {
                assert_eq!(kind, DifferenceKind::Moved);
                words
            })
            .collect();
        assert_eq!(words, ["moved 42 px down, to [50, 52, 8, 8]", "moved 42 px down, from [50, 10, 8, 8]"]);
    }

    #[test]
    fn what_moved_behind_longer_text_is_told() {
        let line = |words: &[u32]| {
            let mut page = RgbImage::from_pixel(300, 40, Rgb([255; 3]));
            let mut x = 20;
            for &word in words {
                let mut state = word.wrapping_mul(2_654_435_761);
                for column in x..x + 30 {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    for row in 0..=state >> 29 {
                        page.put_pixel(column, 12 + row, Rgb([20, 20, (state >> 20) as u8]));
                    }
                }
                x += 33 + word % 5;
            }
            page
        };
        let found = found(&line(&[1, 2, 3, 4]), &line(&[1, 9, 3, 4]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, DifferenceKind::ContentChanged);
        assert!(found[0].1.ends_with(" moved 2 px right"), "{found:?}");
    }

    #[test]
    fn what_appears_and_disappears_is_told_apart() {
        let (one, two) = (page(&[(20, 20)], INK), page(&[(20, 20), (120, 60)], INK));
        assert_eq!(found(&one, &two)[0].0, DifferenceKind::Appeared);
        assert_eq!(found(&two, &one)[0].0, DifferenceKind::Disappeared);
    }

    #[test]
    fn a_changed_colour_is_named() {
        let found = found(&page(&[(20, 20)], [0x2d, 0xa4, 0x4e]), &page(&[(20, 20)], [0xc0, 0x39, 0x2b]));
        assert_eq!(found, [(DifferenceKind::Recoloured, "recoloured #2da44e -> #c0392b".to_owned())]);
    }

    #[test]
    fn a_button_with_blended_text_is_recoloured_in_spite_of_rounding() {
        let button = |colour: [u8; 3], shake: u32| {
            let mut page = page(&[], INK);
            for (x, y) in (40..120).flat_map(|x| (40..60).map(move |y| (x, y))) {
                // White text of eight degrees of coverage, its blending rounded one way or the other.
                let cover = if x % 7 < 3 { (x + y) % 8 } else { 0 };
                let round = (x * 31 + y * 17) % 3 * shake;
                let blend = |level: u8| (u32::from(level) * (8 - cover) + 255 * cover) / 8;
                page.put_pixel(x, y, Rgb(colour.map(|level| (blend(level) + round).min(255) as u8)));
            }
            page
        };
        let (green, red) = (button([0x2d, 0xa4, 0x4e], 0), button([0xc0, 0x39, 0x2b], 1));
        let (kind, words) = &found(&green, &red)[0];
        assert_eq!(*kind, DifferenceKind::Recoloured);
        assert!(words.starts_with("recoloured #2da44e -> #c"), "{words}");
    }

    #[test]
    fn text_that_vanished_in_its_button_is_not_recoloured() {
        let mut button = page(&[], INK);
        for (x, y) in (40..80).flat_map(|x| (40..60).map(move |y| (x, y))) {
            button.put_pixel(x, y, Rgb([0, 90, 200]));
        }
        let mut text = button.clone();
        text.put_pixel(50, 50, Rgb([255; 3]));
        text.put_pixel(52, 51, Rgb([255; 3]));
        assert_eq!(found(&text, &button)[0].0, DifferenceKind::Disappeared);
    }
}
