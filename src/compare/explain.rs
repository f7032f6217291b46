//! A changed region in words: a first, honest guess; whatever it cannot tell apart is *content changed*.
//!
//! The background is the colour that most of the ring of pixels just outside the region's box have. What
//! differs from it inside the box is the content of either picture, and the two contents are compared: none,
//! the same elsewhere, the same in other colours.

use std::collections::HashMap;

use image::{Rgb, RgbImage};

use super::{Difference, DifferenceKind};
use crate::geometry::{Region, Size};

/// A recoloured area has few colours; with more, a consistent mapping proves nothing.
const MOST_COLOURS: usize = 1024;
/// Of a larger box only every other row, or fewer, is asked for its colours: on a whole page that costs more than
/// all of the comparison and tells no more.
const MOST_PIXELS: u64 = 200_000;
/// Levels by which blended edges may miss: glyphs of equal coverage in one colour are not quite so in
/// another.
const ROUNDING: u8 = 24;
/// Differences between which a moved content is looked for.
const MOST_PAIRED: usize = 200;

/// What happened inside a box.
pub(super) struct Explanation {
    pub(super) kind: DifferenceKind,
    pub(super) words: String,
    /// The box of the content that was there or is there, for a later pairing.
    content: Option<Region>,
}

/// Explains the change inside `region`; `actual` has the masked pixels of `expected`.
pub(super) fn explain(expected: &RgbImage, actual: &RgbImage, region: Region) -> Explanation {
    let simple = |kind, words: &str, content| Explanation { kind, words: words.to_owned(), content };
    if let Some(background) = background(expected, region) {
        let before = content(expected, region, background);
        let after = content(actual, region, background);
        match (before, after) {
            (None, Some(there)) => return simple(DifferenceKind::Appeared, "appeared", Some(there)),
            (Some(there), None) => return simple(DifferenceKind::Disappeared, "disappeared", Some(there)),
            (Some(before), Some(after)) if before != after && same((expected, before), (actual, after)) => {
                let words = format!("moved {}", shift(before, after));
                return Explanation { kind: DifferenceKind::Moved, words, content: None };
            }
            _ => {}
        }
    }
    if let Some((from, to)) = recolouring(expected, actual, region) {
        let words = format!("recoloured {} -> {}", hex(from), hex(to));
        return Explanation { kind: DifferenceKind::Recoloured, words, content: None };
    }
    simple(DifferenceKind::ContentChanged, "content changed", None)
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
fn content(picture: &RgbImage, region: Region, background: Rgb<u8>) -> Option<Region> {
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
fn row(picture: &RgbImage, region: Region, y: i32) -> &[u8] {
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

/// The most frequent change of colour, when each colour of the box always became the same other one and
/// colours that differed still do (text that vanished in its button was not recoloured).
fn recolouring(expected: &RgbImage, actual: &RgbImage, region: Region) -> Option<(Rgb<u8>, Rgb<u8>)> {
    let mut seen = ColourChanges::default();
    let every = (region.area_px() / MOST_PIXELS + 1) as usize;
    for y in (region.y..region.bottom()).step_by(every) {
        let (before, after) = (row(expected, region, y), row(actual, region, y));
        for (from, to) in before.as_chunks::<3>().0.iter().zip(after.as_chunks::<3>().0) {
            if !seen.count(*from, *to) {
                return None;
            }
        }
    }
    let became = seen.finish()?;
    let mut colours: Vec<_> = became.values().map(|(to, _)| to).collect();
    colours.sort_unstable();
    colours.dedup();
    // Neighbouring shades of an antialiased edge may fall together by rounding.
    if colours.len() * 2 <= became.len() {
        return None;
    }
    let changed = became.into_iter().filter(|(from, (to, _))| from != to);
    let (from, (to, _)) = changed.max_by_key(|(from, (_, count))| (*count, *from))?;
    Some((Rgb(from), Rgb(to)))
}

/// What each colour became, and how often.
type Became = HashMap<[u8; 3], ([u8; 3], u64)>;

/// Counts what becomes of each colour.
struct ColourChanges {
    became: Became,
    /// Counts of recently seen changes, by a few bits of the colour: a page has far fewer colours than
    /// pixels.
    recent: [Option<Change>; 256],
}

#[derive(Clone, Copy)]
struct Change {
    from: [u8; 3],
    to: [u8; 3],
    count: u64,
}

impl Default for ColourChanges {
    fn default() -> Self {
        Self { became: HashMap::new(), recent: [None; 256] }
    }
}

impl ColourChanges {
    /// Counts one pixel; false once a colour has become two.
    fn count(&mut self, from: [u8; 3], to: [u8; 3]) -> bool {
        let place = from[0].wrapping_mul(31).wrapping_add(from[1].wrapping_mul(7)).wrapping_add(from[2]);
        let recent = &mut self.recent[usize::from(place)];
        match recent {
            Some(change) if change.from == from => {
                change.count += 1;
                near(change.to, to)
            }
            _ => {
                let evicted = recent.replace(Change { from, to, count: 1 });
                evicted.is_none_or(|change| self.keep(change))
            }
        }
    }

    fn keep(&mut self, change: Change) -> bool {
        let known = self.became.entry(change.from).or_insert((change.to, 0));
        known.1 += change.count;
        near(known.0, change.to) && self.became.len() <= MOST_COLOURS
    }

    fn finish(mut self) -> Option<Became> {
        let recent = self.recent;
        recent.into_iter().flatten().all(|change| self.keep(change)).then_some(self.became)
    }
}

/// The same but for the rounding of blended edges.
fn near(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= ROUNDING)
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
