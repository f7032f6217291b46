//! Stage three: the SSIM map, computed only where windows hold changed pixels.
//!
//! The map has a value per pixel and channel, as `scipy.ndimage.uniform_filter` gives it: past an edge the
//! picture is mirrored (`d c b a | a b c d | d c b a`), as often as needed, so that pictures smaller than the
//! window have values too. The mean leaves out the three pixels at each edge like scikit-image's, except
//! along a side that is shorter than the window; the worst value is taken over all of the map, so that a
//! change at the very edge counts.

use image::RgbImage;
use rayon::prelude::*;

use super::{
    kernel::{CHANNELS, Kernel, RADIUS, Sums, WINDOW},
    mask::Masks,
    regions::RegionMap,
};

/// Columns are taken in tiles of this many pixels, at most [`TILES`] at once: the sums then stay in the
/// first-level cache.
const TILE: usize = 64;
const TILES: usize = 4;
/// Rows of one task; the six rows that a task reads beyond its own are then a small part.
const BAND: usize = 64;
/// Windows from which on other threads help.
const PARALLEL_FROM: usize = 1 << 15;

/// The map's summary.
pub(super) struct Measured {
    /// Mean of the map over the three channels.
    pub(super) mean: f64,
    /// Lowest value of the map in any channel.
    pub(super) worst: f64,
    /// The same for each region: of the windows that touch one of its changed pixels.
    pub(super) worst_by_region: Vec<f64>,
}

/// Two pictures of one size.
pub(super) struct Pair<'a> {
    pub(super) expected: &'a RgbImage,
    pub(super) actual: &'a RgbImage,
    pub(super) masks: &'a Masks,
}

/// A rectangle of windows, by their centres.
#[derive(Clone, Copy)]
struct Block {
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
}

/// What one block adds: the sum of its deficits inside the edges, and the greatest deficit per region.
struct BlockSum {
    deficit: f64,
    greatest: Vec<(u32, f32)>,
}

/// The summary of the map of `pair`, where `regions` tells which windows may hold changed pixels.
pub(super) fn measure(pair: &Pair<'_>, regions: &RegionMap, kernel: Kernel) -> Measured {
    let (width, height) = (pair.expected.width() as usize, pair.expected.height() as usize);
    let blocks = blocks(regions, width, height);
    let windows: usize = blocks.iter().map(|b| (b.right - b.left) * (b.bottom - b.top)).sum();
    let sum = |block: &Block| Worker::new(pair, *block, kernel).sum(regions);
    // The blocks depend on the pictures alone and are added in order: the mean does not depend on the
    // threads.
    let sums: Vec<BlockSum> = if windows < PARALLEL_FROM {
        blocks.iter().map(sum).collect()
    } else {
        blocks.par_iter().map(sum).collect()
    };
    let mut greatest = vec![0.0_f32; regions.count()];
    for &(region, deficit) in sums.iter().flat_map(|sum| &sum.greatest) {
        let greatest = &mut greatest[region as usize];
        *greatest = greatest.max(deficit);
    }
    let deficit: f64 = sums.iter().map(|sum| sum.deficit).sum();
    let values = inner(width).len() * inner(height).len() * CHANNELS;
    let worst_by_region: Vec<f64> = greatest.iter().map(|&deficit| 1.0 - f64::from(deficit)).collect();
    Measured {
        mean: 1.0 - deficit / values as f64,
        worst: worst_by_region.iter().copied().fold(1.0, f64::min),
        worst_by_region,
    }
}

/// The positions along a side that enter the mean.
fn inner(length: usize) -> std::ops::Range<usize> {
    if length < WINDOW { 0..length } else { RADIUS..length - RADIUS }
}

/// Rectangles that cover every run of `regions`.
fn blocks(regions: &RegionMap, width: usize, height: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for top in (0..height).step_by(BAND) {
        let mut tiles: Vec<Option<(usize, usize)>> = vec![None; width.div_ceil(TILE)];
        for y in top..height.min(top + BAND) {
            for run in regions.runs(y) {
                for tile in &mut tiles[run.left as usize / TILE..=(run.right as usize - 1) / TILE] {
                    *tile = Some((tile.map_or(y, |(first, _)| first), y + 1));
                }
            }
        }
        let start = blocks.len();
        for (index, tile) in tiles.into_iter().enumerate() {
            let Some((top, bottom)) = tile else { continue };
            let (left, right) = (index * TILE, width.min(index * TILE + TILE));
            match blocks[start..].last_mut() {
                Some(last) if last.right == left && right - last.left <= TILE * TILES => {
                    last.right = right;
                    last.top = last.top.min(top);
                    last.bottom = last.bottom.max(bottom);
                }
                _ => blocks.push(Block { left, right, top, bottom }),
            }
        }
    }
    blocks
}

/// Computes one block.
struct Worker<'a> {
    pair: &'a Pair<'a>,
    block: Block,
    kernel: Kernel,
    sums: Sums,
    /// The last seven rows of both pictures, three pixels wider than the block on either side.
    ring: Vec<[Vec<u8>; 2]>,
}

impl<'a> Worker<'a> {
    fn new(pair: &'a Pair<'a>, block: Block, kernel: Kernel) -> Self {
        let bytes = (block.right - block.left + 2 * RADIUS) * CHANNELS;
        let ring = vec![[vec![0; bytes], vec![0; bytes]]; WINDOW + 1];
        Self { pair, block, kernel, sums: Sums::new(bytes), ring }
    }

    fn sum(self, regions: &RegionMap) -> BlockSum {
        let Block { left, right, .. } = self.block;
        let (width, height) = (self.pair.expected.width() as usize, self.pair.expected.height() as usize);
        let columns = inner(width);
        let columns = columns.start.max(left)..columns.end.min(right);
        let mut sum = BlockSum { deficit: 0.0, greatest: Vec::new() };
        self.each_row(|y, deficits| {
            let part = |from: usize, to: usize| &deficits[(from - left) * CHANNELS..(to - left) * CHANNELS];
            if inner(height).contains(&y) && !columns.is_empty() {
                sum.deficit += total(part(columns.start, columns.end));
            }
            for run in regions.runs(y) {
                let (from, to) = (left.max(run.left as usize), right.min(run.right as usize));
                if from < to {
                    note(&mut sum.greatest, run.region, greatest(part(from, to)));
                }
            }
        });
        sum
    }

    /// Calls `with` for each row of the block: its place in the picture, and three deficits per pixel.
    fn each_row(mut self, mut with: impl FnMut(usize, &[f32])) {
        let Block { left, right, top, bottom } = self.block;
        let height = self.pair.expected.height() as usize;
        let mut deficits = vec![0.0_f32; (right - left) * CHANNELS];
        for step in 0..bottom - top + 2 * RADIUS {
            self.enter(step, mirrored(top + step, height));
            // The window is full once three rows below its centre have entered.
            if let Some(done) = step.checked_sub(2 * RADIUS) {
                (self.kernel.deficits)(&mut self.sums, &mut deficits);
                with(top + done, &deficits);
            }
        }
    }

    /// Takes row `y` of the pictures into the sums as the `step`th row, and the one seven before out of them.
    fn enter(&mut self, step: usize, y: usize) {
        let (slot, leaving) = (step % (WINDOW + 1), (step + 1) % (WINDOW + 1));
        load_row(self.pair, self.block, y, &mut self.ring[slot]);
        let [enter, leave] = [&self.ring[slot], &self.ring[leaving]];
        (self.kernel.slide)(&mut self.sums, [&enter[0], &enter[1]], [&leave[0], &leave[1]]);
    }
}

/// The row of the picture that a row counted from three above its top stands for.
fn mirrored(from_above: usize, length: usize) -> usize {
    let period = 2 * length;
    // Adding whole periods keeps the difference from going below zero; a side of one pixel needs three.
    let position = (from_above + period * RADIUS - RADIUS) % period;
    if position < length { position } else { period - 1 - position }
}

/// Row `y` of both pictures around `block`, mirrored past the sides, and equal under masks.
fn load_row(pair: &Pair<'_>, block: Block, y: usize, row: &mut [Vec<u8>; 2]) {
    let width = pair.expected.width() as usize;
    let (from, to) = (block.left.saturating_sub(RADIUS), width.min(block.right + RADIUS));
    // Where column `from` goes: the columns are counted from `RADIUS` left of the block.
    let offset = from + RADIUS - block.left;
    let inside = offset * CHANNELS..(offset + to - from) * CHANNELS;
    let source = (y * width + from) * CHANNELS..(y * width + to) * CHANNELS;
    let [a, b] = row;
    a[inside.clone()].copy_from_slice(&pair.expected.as_raw()[source.clone()]);
    b[inside.clone()].copy_from_slice(&pair.actual.as_raw()[source]);
    for (left, right) in pair.masks.columns(y) {
        let (left, right) = (left.max(from), right.min(to));
        if left < right {
            let masked = (left - from + offset) * CHANNELS..(right - from + offset) * CHANNELS;
            b[masked.clone()].copy_from_slice(&a[masked]);
        }
    }
    for column in (0..offset).chain(offset + to - from..a.len() / CHANNELS) {
        // `column` is three more than its distance from the block's left edge.
        let source = mirrored(block.left + column, width) + offset - from;
        for row in [&mut *a, &mut *b] {
            row.copy_within(source * CHANNELS..(source + 1) * CHANNELS, column * CHANNELS);
        }
    }
}

fn note(greatest: &mut Vec<(u32, f32)>, region: u32, deficit: f32) {
    match greatest.iter_mut().rev().find(|(known, _)| *known == region) {
        Some((_, known)) => *known = known.max(deficit),
        None => greatest.push((region, deficit)),
    }
}

/// Sum in eight lanes of a fixed order, which the compiler may keep in one register.
fn total(values: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (lane, &value) in lanes.iter_mut().zip(eight) {
            *lane += f64::from(value);
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|&value| f64::from(value)).sum::<f64>()
}

fn greatest(values: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (lane, &value) in lanes.iter_mut().zip(eight) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    lanes.iter().chain(rest).copied().fold(0.0, f32::max)
}

/// The whole map, three deficits per pixel, computed everywhere.
#[cfg(test)]
pub(super) fn map(expected: &RgbImage, actual: &RgbImage, masks: &Masks, kernel: Kernel) -> Vec<f32> {
    let (width, height) = (expected.width() as usize, expected.height() as usize);
    let pair = Pair { expected, actual, masks };
    let mut map = vec![0.0; width * height * CHANNELS];
    let block = Block { left: 0, right: width, top: 0, bottom: height };
    Worker::new(&pair, block, kernel).each_row(|y, row| {
        map[y * width * CHANNELS..(y + 1) * width * CHANNELS].copy_from_slice(row);
    });
    map
}
