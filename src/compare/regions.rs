//! Tally pixels that stand near each other make a region.
//!
//! Two changed pixels belong together when at most ten unchanged ones lie between them, in the direction
//! where there are most: the letters of a line of text join, its lines at the usual spacing too, and separate
//! widgets do not. The gap is also wider than the 7x7 window, so that no window touches two regions.

use super::changes::Changes;
use crate::geometry::Region;

/// Tally pixels are widened by this many pixels; those that then touch are joined.
const REACH: usize = 5;

/// A stretch of a row that belongs to one region: its changed pixels and [`REACH`] around them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// First column.
    pub(super) left: u32,
    /// One past the last column.
    pub(super) right: u32,
    /// Index of the region.
    pub(super) region: u32,
}

/// Which region each pixel belongs to.
pub(super) struct RegionMap {
    runs: Vec<Run>,
    /// Where the runs of each row start, and where those of the last end.
    starts: Vec<usize>,
    changed: Vec<Tally>,
}

/// What was counted in one region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    /// Bounding box of the changed pixels.
    pub(super) region: Region,
    /// Pixels that differ.
    pub(super) changed_px: u64,
    /// Pixels that differ by more than the limit.
    pub(super) over_px: u64,
    /// The greatest difference of a channel.
    pub(super) max_delta: u8,
}

impl RegionMap {
    /// Joins `changes` to regions, and counts the pixels that differ by more than `max_delta`.
    pub(super) fn of(changes: &Changes, max_delta: u8) -> Self {
        let (mut runs, starts) = wide_runs(changes);
        let count = label(&mut runs, &starts);
        let mut map = Self { runs, starts, changed: Vec::new() };
        map.changed = map.count_pixels(changes, count, max_delta);
        map
    }

    /// How many regions there are.
    pub(super) fn count(&self) -> usize {
        self.changed.len()
    }

    /// What was counted, by region.
    pub(super) fn changed(&self) -> &[Tally] {
        &self.changed
    }

    /// The runs of row `y`, left to right.
    pub(super) fn runs(&self, y: usize) -> &[Run] {
        &self.runs[self.starts[y]..self.starts[y + 1]]
    }

    fn count_pixels(&self, changes: &Changes, count: usize, max_delta: u8) -> Vec<Tally> {
        let mut found: Vec<Option<Tally>> = vec![None; count];
        for y in (0..changes.height).filter(|&y| changes.rows[y]) {
            for run in self.runs(y) {
                let delta = changes.delta_row(y, run.left as usize, run.right as usize);
                let Some(first) = delta.iter().position(|&value| value != 0) else { continue };
                let last = delta.iter().rposition(|&value| value != 0).unwrap_or(first);
                let row = Tally {
                    region: Region::new(
                        run.left as i32 + first as i32,
                        y as i32,
                        (last - first + 1) as u32,
                        1,
                    ),
                    changed_px: count_above(delta, 0),
                    over_px: count_above(delta, max_delta),
                    max_delta: delta.iter().copied().max().unwrap_or(0),
                };
                let known = &mut found[run.region as usize];
                *known = Some(known.map_or(row, |known| known.with(row)));
            }
        }
        found.into_iter().flatten().collect()
    }
}

impl Tally {
    fn with(self, other: Self) -> Self {
        Self {
            region: self.region.union(other.region),
            changed_px: self.changed_px + other.changed_px,
            over_px: self.over_px + other.over_px,
            max_delta: self.max_delta.max(other.max_delta),
        }
    }
}

/// Counted in bytes first, which the compiler does many at once.
fn count_above(values: &[u8], limit: u8) -> u64 {
    values
        .chunks(255)
        .map(|chunk| u64::from(chunk.iter().map(|&value| u8::from(value > limit)).sum::<u8>()))
        .sum()
}

/// The stretches of each row within [`REACH`] of a changed pixel, not yet labelled.
fn wide_runs(changes: &Changes) -> (Vec<Run>, Vec<usize>) {
    let (words, height) = (changes.words, changes.height);
    let mut wide = vec![0_u64; words * height];
    for y in (0..height).filter(|&y| changes.rows[y]) {
        widen(&changes.bits[y * words..][..words], &mut wide[y * words..][..words]);
    }
    let (mut runs, mut starts) = (Vec::new(), Vec::with_capacity(height + 1));
    let mut row = vec![0_u64; words];
    for y in 0..height {
        starts.push(runs.len());
        let near = y.saturating_sub(REACH)..height.min(y + REACH + 1);
        row.fill(0);
        let mut any = false;
        for other in near.filter(|&other| changes.rows[other]) {
            any = true;
            for (word, more) in row.iter_mut().zip(&wide[other * words..]) {
                *word |= more;
            }
        }
        if any {
            push_runs(&row, changes.width as u32, &mut runs);
        }
    }
    starts.push(runs.len());
    (runs, starts)
}

/// Sets every bit within [`REACH`] of a set bit of `row`.
fn widen(row: &[u64], out: &mut [u64]) {
    let at = |index: Option<usize>| index.and_then(|index| row.get(index)).copied().unwrap_or(0);
    for (index, out) in out.iter_mut().enumerate() {
        let (left, here, right) = (at(index.checked_sub(1)), row[index], at(Some(index + 1)));
        *out = here;
        for by in 1..=REACH {
            *out |= here << by | left >> (64 - by) | here >> by | right << (64 - by);
        }
    }
}

/// Appends the runs of set bits; bits past `width` do not count.
fn push_runs(row: &[u64], width: u32, runs: &mut Vec<Run>) {
    let first_of_row = runs.len();
    for (index, &word) in row.iter().enumerate() {
        let (base, mut rest) = (index as u32 * 64, word);
        while rest != 0 {
            let from = rest.trailing_zeros();
            let length = (rest >> from).trailing_ones();
            let (left, right) = (base + from, (base + from + length).min(width));
            match runs[first_of_row..].last_mut() {
                Some(last) if last.right == left => last.right = right,
                _ if left < right => runs.push(Run { left, right, region: 0 }),
                _ => {}
            }
            rest = if from + length == 64 { 0 } else { rest >> (from + length) << (from + length) };
        }
    }
}

/// Gives runs that touch, diagonally too, the same number; returns how many numbers there are.
fn label(runs: &mut [Run], starts: &[usize]) -> usize {
    let mut parents: Vec<u32> = (0..runs.len() as u32).collect();
    for rows in starts.windows(3) {
        let (mut above, mut here) = (rows[0], rows[1]);
        while above < rows[1] && here < rows[2] {
            let (a, b) = (runs[above], runs[here]);
            if a.left <= b.right && b.left <= a.right {
                join(&mut parents, above as u32, here as u32);
            }
            if a.right <= b.right { above += 1 } else { here += 1 }
        }
    }
    let mut count = 0;
    for index in 0..runs.len() {
        // The root of a set is its first run, so that it is numbered before the others.
        let root = root(&mut parents, index as u32) as usize;
        runs[index].region = if root == index {
            count += 1;
            count - 1
        } else {
            runs[root].region
        };
    }
    count as usize
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

fn root(parents: &mut [u32], mut index: u32) -> u32 {
    while parents[index as usize] != index {
        parents[index as usize] = parents[parents[index as usize] as usize];
        index = parents[index as usize];
    }
    index
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;
    use crate::{compare::mask::Masks, geometry::Size};

    fn regions(width: u32, height: u32, pixels: &[(u32, u32)]) -> Vec<Tally> {
        let blank = RgbImage::new(width, height);
        let mut other = blank.clone();
        for &(x, y) in pixels {
            other.put_pixel(x, y, Rgb([0, 0, 9]));
        }
        let masks = Masks::new(&[], Size::new(width, height));
        RegionMap::of(&Changes::between(&blank, &other, &masks).unwrap(), 1).changed().to_vec()
    }

    #[test]
    fn ten_unchanged_pixels_join_and_eleven_part_wherever_they_stand() {
        for at in [0, 1, 52, 57, 60, 63, 64, 100] {
            assert_eq!(regions(200, 30, &[(at, 7), (at + 11, 7)]).len(), 1, "{at}");
            assert_eq!(regions(200, 30, &[(at, 7), (at + 12, 7)]).len(), 2, "{at}");
            assert_eq!(regions(30, 200, &[(7, at), (7, at + 11)]).len(), 1, "{at}");
            assert_eq!(regions(30, 200, &[(7, at), (7, at + 12)]).len(), 2, "{at}");
            assert_eq!(regions(200, 200, &[(at + 11, at), (at, at + 11)]).len(), 1, "{at}");
            assert_eq!(regions(200, 200, &[(at + 11, at), (at, at + 12)]).len(), 2, "{at}");
        }
    }

    #[test]
    fn the_box_holds_the_changed_pixels_and_nothing_around_them() {
        let found = regions(130, 40, &[(0, 0), (9, 3), (129, 39)]);
        assert_eq!(found[0].region, Region::new(0, 0, 10, 4));
        assert_eq!(found[1].region, Region::new(129, 39, 1, 1));
        assert_eq!((found[0].changed_px, found[0].over_px, found[0].max_delta), (2, 2, 9));
    }

    #[test]
    fn branches_that_meet_further_down_are_one_region() {
        let mut fork: Vec<_> = (0..60).flat_map(|i| [(100 - i, i), (101 + i, i)]).collect();
        assert_eq!(regions(200, 60, &fork).len(), 1);
        fork.reverse();
        let upside_down: Vec<_> = fork.iter().map(|&(x, y)| (x, 59 - y)).collect();
        assert_eq!(regions(200, 60, &upside_down).len(), 1);
    }

    #[test]
    fn a_count_is_right_past_one_byte() {
        let row: Vec<_> = (0..700).map(|x| (x, 0)).collect();
        assert_eq!(regions(700, 1, &row)[0].changed_px, 700);
    }
}
