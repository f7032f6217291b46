//! Stages one and two: which pixels changed. Reads every byte once, at the speed of `memcmp` where nothing
//! changed.

use image::RgbImage;
use rayon::prelude::*;

use super::mask::Masks;

/// Pixels in a tile: one tile is one word of the bit map, and 192 bytes of a row.
const TILE: usize = 64;
/// Pictures of fewer bytes are scanned on the calling thread; waking others costs more than they save.
const PARALLEL_FROM: usize = 1 << 20;
/// Rows that one task scans.
const BAND: usize = 64;

/// Where two pictures of one size differ outside masks.
pub(super) struct Changes {
    /// Pixels from left to right.
    pub(super) width: usize,
    /// Pixels from top to bottom.
    pub(super) height: usize,
    /// Words in a row of `bits`.
    pub(super) words: usize,
    /// One bit per pixel, lowest bit leftmost, row after row: set where any channel differs.
    pub(super) bits: Vec<u64>,
    /// The greatest difference of the three channels, per pixel.
    pub(super) delta: Vec<u8>,
    /// Rows that hold a changed pixel.
    pub(super) rows: Vec<bool>,
}

impl Changes {
    /// The differences of two pictures of equal size; `None` when no pixel outside `masks` differs.
    pub(super) fn between(expected: &RgbImage, actual: &RgbImage, masks: &Masks) -> Option<Self> {
        let (width, height) = (expected.width() as usize, expected.height() as usize);
        let (expected, actual) = (expected.as_raw().as_slice(), actual.as_raw().as_slice());
        let pitch = width * 3;
        if pitch == 0 || height == 0 {
            return None;
        }
        let first = first_changed_row(expected, actual, pitch)?;
        let words = width.div_ceil(TILE);
        // Fresh zeroed pages cost nothing until they are written, so unchanged rows stay free.
        let mut changes = Self {
            width,
            height,
            words,
            bits: vec![0; words * height],
            delta: vec![0; width * height],
            rows: vec![false; height],
        };
        let kernel = row_kernel();
        let scan = |band: usize, bits: &mut [u64], delta: &mut [u8], rows: &mut [bool]| {
            let lines = bits.chunks_exact_mut(words).zip(delta.chunks_exact_mut(width)).zip(rows);
            for (offset, ((bits, delta), row)) in lines.enumerate() {
                let y = first + band * BAND + offset;
                let (a, b) = (&expected[y * pitch..][..pitch], &actual[y * pitch..][..pitch]);
                if a != b {
                    kernel(a, b, delta, bits);
                    masks.clear_row(y, delta, bits);
                    *row = bits.iter().any(|&word| word != 0);
                }
            }
        };
        let bits = &mut changes.bits[first * words..];
        let delta = &mut changes.delta[first * width..];
        let rows = &mut changes.rows[first..];
        if delta.len() * 3 >= PARALLEL_FROM {
            bits.par_chunks_mut(words * BAND)
                .zip(delta.par_chunks_mut(width * BAND))
                .zip(rows.par_chunks_mut(BAND))
                .enumerate()
                .for_each(|(band, ((bits, delta), rows))| scan(band, bits, delta, rows));
        } else {
            scan(0, bits, delta, rows);
        }
        changes.rows.contains(&true).then_some(changes)
    }

    /// The differences in row `y` from `left` to before `right`.
    pub(super) fn delta_row(&self, y: usize, left: usize, right: usize) -> &[u8] {
        &self.delta[y * self.width + left..y * self.width + right]
    }
}

/// Row by row, because one comparison of the whole would have to start again from the top to find the place.
fn first_changed_row(expected: &[u8], actual: &[u8], pitch: usize) -> Option<usize> {
    expected.chunks_exact(pitch).zip(actual.chunks_exact(pitch)).position(|(a, b)| a != b)
}

type RowKernel = fn(&[u8], &[u8], &mut [u8], &mut [u64]);

fn row_kernel() -> RowKernel {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return |a, b, delta, bits| {
            #[expect(
                unsafe_code,
                reason = "the processor was asked for AVX2 just above; the body is safe code"
            )]
            unsafe {
                row_avx2(a, b, delta, bits);
            }
        };
    }
    row
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn row_avx2(a: &[u8], b: &[u8], delta: &mut [u8], bits: &mut [u64]) {
    row(a, b, delta, bits);
}

/// Fills `delta` and `bits` of one row; the tiles that are equal stay as they are, zero.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once more inside `row_avx2` with wider registers")]
fn row(a: &[u8], b: &[u8], delta: &mut [u8], bits: &mut [u64]) {
    let tiles = a.chunks(TILE * 3).zip(b.chunks(TILE * 3)).zip(delta.chunks_mut(TILE)).zip(bits);
    for (((a, b), delta), bits) in tiles {
        if a == b {
            continue;
        }
        let mut channels = [0_u8; TILE * 3];
        for ((channel, &a), &b) in channels.iter_mut().zip(a).zip(b) {
            *channel = a.abs_diff(b);
        }
        let mut greatest = [0_u8; TILE];
        for (greatest, channel) in greatest.iter_mut().zip(channels.chunks_exact(3)) {
            *greatest = channel[0].max(channel[1]).max(channel[2]);
        }
        *bits = set_bits(&greatest);
        delta.copy_from_slice(&greatest[..delta.len()]);
    }
}

/// One bit per byte, set where the byte is not zero.
#[inline(always)]
fn set_bits(bytes: &[u8; TILE]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut word = 0;
    for (index, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        let ones = (((eight & LOW) + LOW) | eight) >> 7 & 0x0101_0101_0101_0101;
        // Gathers the lowest bit of each byte in the top byte: byte i moves by 56 - 7 i.
        word |= (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (index * 8);
    }
    word
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use crate::geometry::{Region, Size};

    #[test]
    fn every_changed_pixel_and_no_other_is_marked() {
        for width in [1, 3, 63, 64, 65, 130] {
            let size = Size::new(width, 5);
            let blank = RgbImage::new(width, 5);
            for x in 0..width {
                let mut other = blank.clone();
                other.put_pixel(x, 3, Rgb([0, 7, 2]));
                let changes = Changes::between(&blank, &other, &Masks::new(&[], size)).unwrap();
                let mut delta = vec![0; 5 * width as usize];
                delta[3 * width as usize + x as usize] = 7;
                assert_eq!(changes.delta, delta);
                let set: Vec<_> = changes.bits.iter().map(|word| word.count_ones()).collect();
                assert_eq!(set.iter().sum::<u32>(), 1);
                assert_eq!(changes.bits[3 * changes.words + x as usize / 64], 1 << (x % 64));
                assert_eq!(changes.rows, [false, false, false, true, false]);
            }
        }
    }

    #[test]
    fn masked_pixels_do_not_count() {
        let size = Size::new(100, 4);
        let (blank, mut other) = (RgbImage::new(100, 4), RgbImage::new(100, 4));
        other.put_pixel(63, 1, Rgb([9, 9, 9]));
        other.put_pixel(64, 1, Rgb([9, 9, 9]));
        let right = Masks::new(&[Region::new(64, 0, 500, 4)], size);
        let changes = Changes::between(&blank, &other, &right).unwrap();
        assert_eq!(changes.bits.iter().map(|word| word.count_ones()).sum::<u32>(), 1);
        let both = Masks::new(&[Region::new(-5, 1, 500, 1)], size);
        assert!(Changes::between(&blank, &other, &both).is_none());
    }

    #[test]
    fn all_paths_of_the_row_kernel_agree() {
        // Mostly zero, so that some pixels are equal and others differ.
        let bytes = |seed: u32| -> Vec<u8> {
            let byte = |i: u32| (i.wrapping_mul(2_654_435_761).rotate_left(seed) >> 24) as u8;
            (0..300).map(|i| if byte(i) > 200 { byte(i) & 3 } else { 0 }).collect()
        };
        let (a, b) = (bytes(0), bytes(9));
        let (mut plain, mut chosen) = ((vec![0; 100], vec![0; 2]), (vec![0; 100], vec![0; 2]));
        row(&a, &b, &mut plain.0, &mut plain.1);
        row_kernel()(&a, &b, &mut chosen.0, &mut chosen.1);
        assert_eq!(plain, chosen);
        assert!(plain.0.contains(&0) && plain.0.contains(&3));
    }
}
