//! Whether a changed region has the same shapes in other colours.

use std::collections::HashMap;

use image::{Rgb, RgbImage};

use super::explain::row;
use crate::geometry::Region;

/// A recoloured area has few colours; with more, a consistent mapping proves nothing.
const MOST_COLOURS: usize = 1024;
/// Of a larger box only every other row, or fewer, is asked for its colours: on a whole page that costs more than
/// all of the comparison and tells no more.
const MOST_PIXELS: u64 = 200_000;
/// Levels by which blended edges may miss: glyphs of equal coverage in one colour are not quite so in
/// another.
const ROUNDING: u8 = 24;

/// The most frequent change of colour, when each colour of the box always became the same other one and
/// colours that differed still do (text that vanished in its button was not recoloured).
pub(super) fn recolouring(
    expected: &RgbImage,
    actual: &RgbImage,
    region: Region,
) -> Option<(Rgb<u8>, Rgb<u8>)> {
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
