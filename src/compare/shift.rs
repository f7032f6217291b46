//! Lines of two pictures (rows or columns), and where one has lines that the other has not.

use std::collections::HashMap;

use image::RgbImage;

use super::mask::Masks;
use crate::geometry::Region;

/// Lines that must agree before a shift is believed.
const FEWEST_VOTES: usize = 8;
/// Columns are told by at most this many of their pixels; all of them would cost more than the comparison.
const SAMPLED_ROWS: usize = 256;

/// Which lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Rows,
    Columns,
}

/// Lines that were inserted or removed at one place, and how well that explains what is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    /// Index of the first line that was inserted or removed.
    pub(super) at: usize,
    /// How many were inserted; removed when below zero.
    pub(super) by: isize,
    /// Lines that differ in spite of it.
    pub(super) differing: usize,
}

impl Axis {
    /// A digest of each line of `area`, masked pixels left out.
    pub(super) fn lines(self, picture: &RgbImage, area: Region, masks: &Masks) -> Vec<u64> {
        match self {
            Self::Rows => rows(picture, area, masks),
            Self::Columns => columns(picture, area, masks),
        }
    }
}

/// The first shift by which lines that occur once on either side agree, when such shifts explain much of what differs.
pub(super) fn find(before: &[u64], after: &[u64]) -> Option<Shift> {
    let (once_before, once_after) = (occurring_once(before), occurring_once(after));
    // For each shift its first line, and how many lines agree on it.
    let mut votes: HashMap<isize, (usize, usize)> = HashMap::new();
    for (line, &from) in &once_before {
        if let Some(&to) = once_after.get(line).filter(|to| **to != from) {
            let (first, count) = votes.entry(to as isize - from as isize).or_insert((from, 0));
            *first = (*first).min(from);
            *count += 1;
        }
    }
    votes.retain(|_, (_, count)| *count >= FEWEST_VOTES && *count * 8 >= once_before.len());
    let agreeing: usize = votes.values().map(|(_, count)| count).sum();
    if agreeing * 3 < once_before.len() {
        return None;
    }
    // A later shift is counted from where an earlier one left the lines, so the earlier one is told first.
    let (&by, _) = votes.iter().min_by_key(|&(by, &(first, _))| (first, by.abs(), *by))?;
    let shift = place(before, after, by)?;
    let unaligned = before.iter().zip(after).filter(|(a, b)| a != b).count();
    (shift.differing * 10 <= unaligned * 9).then_some(shift)
}

/// Where `by` lines were inserted or removed so that fewest others differ; the last such place, as lines above it are
/// then the same.
pub(super) fn place(before: &[u64], after: &[u64], by: isize) -> Option<Shift> {
    let (skipped, added) = (by.min(0).unsigned_abs(), by.max(0).unsigned_abs());
    let length = before.len().checked_sub(skipped)?.min(after.len().checked_sub(added)?);
    let behind = |line: usize| usize::from(before[line + skipped] != after[line + added]);
    let ahead = |line: usize| usize::from(before[line] != after[line]);
    let mut differing: usize = (0..length).map(behind).sum();
    let mut best = Shift { at: 0, by, differing };
    for line in 0..length {
        differing = differing + ahead(line) - behind(line);
        if differing <= best.differing {
            best = Shift { at: line + 1, by, differing };
        }
    }
    Some(best)
}

fn occurring_once(lines: &[u64]) -> HashMap<u64, usize> {
    let mut places: HashMap<u64, Option<usize>> = HashMap::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        places.entry(*line).and_modify(|place| *place = None).or_insert(Some(index));
    }
    places.into_iter().filter_map(|(line, place)| Some((line, place?))).collect()
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(digest: u64, word: u64) -> u64 {
    (digest ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

fn rows(picture: &RgbImage, area: Region, masks: &Masks) -> Vec<u64> {
    let pitch = picture.width() as usize * 3;
    // A mask leaves its columns out of every row, as the row may stand elsewhere in the other picture.
    let parts = unmasked(
        (area.x as usize, area.right() as usize),
        masks.regions().iter().filter(|mask| mask.intersection(area).is_some()),
        |mask| (mask.x as usize, mask.right() as usize),
    );
    (area.y as usize..area.bottom() as usize)
        .map(|y| {
            let row = &picture.as_raw()[y * pitch..][..pitch];
            parts.iter().fold(0, |digest, &(left, right)| digest_of(digest, &row[left * 3..right * 3]))
        })
        .collect()
}

/// Four digests at once, so that no multiplication waits for the one before.
fn digest_of(start: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [start, 1, 2, 3];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let digest = lanes.into_iter().fold(0, mix);
    rest.iter().fold(digest, |digest, &byte| mix(digest, u64::from(byte)))
}

fn columns(picture: &RgbImage, area: Region, masks: &Masks) -> Vec<u64> {
    let parts = unmasked(
        (area.y as usize, area.bottom() as usize),
        masks.regions().iter().filter(|mask| mask.intersection(area).is_some()),
        |mask| (mask.y as usize, mask.bottom() as usize),
    );
    let pitch = picture.width() as usize * 3;
    let mut digests = vec![0; area.width as usize];
    let every = (area.height as usize).div_ceil(SAMPLED_ROWS);
    for y in parts.into_iter().flat_map(|(top, bottom)| (top..bottom).step_by(every)) {
        let row = &picture.as_raw()[y * pitch + area.x as usize * 3..][..digests.len() * 3];
        for (digest, [red, green, blue]) in digests.iter_mut().zip(row.as_chunks::<3>().0) {
            *digest = mix(*digest, u64::from(u32::from_le_bytes([*red, *green, *blue, 1])));
        }
    }
    digests
}

/// What masks leave of the stretch from `from` to before `to`.
fn unmasked<'a>(
    (from, to): (usize, usize),
    masks: impl Iterator<Item = &'a Region>,
    side: impl Fn(&Region) -> (usize, usize),
) -> Vec<(usize, usize)> {
    let mut hidden: Vec<_> = masks.map(side).collect();
    hidden.sort_unstable();
    let (mut parts, mut reached) = (Vec::new(), from);
    for (start, end) in hidden {
        if reached < start.min(to) {
            parts.push((reached, start.min(to)));
        }
        reached = reached.max(end);
    }
    if reached < to {
        parts.push((reached, to));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_and_removed_lines_are_found_in_spite_of_other_changes() {
        let before: Vec<u64> = (0..100).collect();
        let mut after: Vec<u64> = before.clone();
        after.splice(30..30, 900..907);
        after[60] = 999;
        after.truncate(100);
        assert_eq!(find(&before, &after), Some(Shift { at: 30, by: 7, differing: 1 }));
        let mut shorter = before.clone();
        shorter.drain(20..25);
        shorter.extend([800, 801, 802, 803, 804]);
        assert_eq!(find(&before, &shorter), Some(Shift { at: 20, by: -5, differing: 0 }));
    }

    #[test]
    fn lines_that_all_differ_or_all_look_alike_have_no_shift() {
        let (before, other): (Vec<u64>, Vec<u64>) = ((0..100).collect(), (200..300).collect());
        assert_eq!(find(&before, &other), None);
        assert_eq!(find(&[7; 100], &[7; 100]), None);
        assert_eq!(find(&before, &before), None);
    }

    #[test]
    fn masks_leave_the_rest_of_a_stretch() {
        let masks = [Region::new(5, 0, 10, 1), Region::new(12, 0, 10, 1), Region::new(40, 0, 90, 1)];
        let side = |mask: &Region| (mask.x as usize, mask.right() as usize);
        assert_eq!(unmasked((0, 50), masks.iter(), side), [(0, 5), (22, 40)]);
        assert_eq!(unmasked((7, 14), masks.iter(), side), []);
    }
}
