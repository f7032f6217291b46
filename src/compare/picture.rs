//! The difference picture: a pale page on which the changes stand out.

use image::{Rgb, RgbImage, imageops};
use rayon::prelude::*;

use super::{Comparison, DifferenceKind, mask::Masks, shift::Axis, size};
use crate::geometry::{Region, Size};

/// A pixel that changed, at full strength.
const CHANGED: Rgb<u8> = Rgb([214, 0, 54]);
/// The frame round a region.
const FRAME: Rgb<u8> = Rgb([255, 0, 200]);
/// The frame round rows or columns that came in or went.
const SHIFT_FRAME: Rgb<u8> = Rgb([255, 120, 0]);
/// The stripes over a mask.
const HATCH: Rgb<u8> = Rgb([70, 110, 200]);
/// The part that only one of two pictures of different sizes has.
const SURPLUS: Rgb<u8> = Rgb([255, 150, 0]);
/// Between the three pictures of a strip.
const GUTTER: Rgb<u8> = Rgb([96, 96, 104]);
const GUTTER_PX: u32 = 8;
/// Pixels between a region and its frame, and the frame's thickness.
const MARGIN: i32 = 3;
const THICKNESS: i32 = 2;
/// Rows from one stripe to the next.
const STRIPES: u32 = 8;
/// Rows that one task paints.
const BAND: usize = 32;

/// Paints what `comparison` found: the capture dimmed, every changed pixel outside masks in red, a frame
/// round every region that broke a rule (orange where rows or columns came in or went), masks hatched.
///
/// Pictures of different sizes are laid on each other so that the lines which both have fall together, else top left;
/// the part that only one of them has is tinted orange. As large as the larger of the two in either direction.
#[must_use]
pub fn difference_picture(
    expected: &RgbImage,
    actual: &RgbImage,
    comparison: &Comparison,
    masks: &[Region],
) -> RgbImage {
    let size = Size::new(expected.width().max(actual.width()), expected.height().max(actual.height()));
    let masks = Masks::new(masks, size);
    let mut picture = RgbImage::new(size.width, size.height);
    let pitch = size.width as usize * 3;
    if pitch == 0 || size.height == 0 {
        return picture;
    }
    let layout = Layout::of(expected, actual);
    let bytes: &mut [u8] = &mut picture;
    bytes.par_chunks_mut(pitch * BAND).enumerate().for_each(|(band, rows)| {
        for (offset, row) in rows.chunks_exact_mut(pitch).enumerate() {
            let y = (band * BAND + offset) as u32;
            layout.paint_row(y, row);
            for (left, right) in masks.columns(y as usize) {
                for x in left as u32..right as u32 {
                    let pixel = hatched(layout.pixel(Side::Actual, x, y), x, y);
                    row[x as usize * 3..][..3].copy_from_slice(&pixel.0);
                }
            }
        }
    });
    if let Comparison::Mismatch { regions, .. } = comparison {
        for difference in regions {
            let shifted = matches!(difference.kind, DifferenceKind::Inserted | DifferenceKind::Removed);
            frame(&mut picture, difference.region, if shifted { SHIFT_FRAME } else { FRAME });
        }
    }
    picture
}

/// The baseline, the difference picture and the capture beside each other, for looking from one to the next.
#[must_use]
pub fn side_by_side(expected: &RgbImage, difference: &RgbImage, actual: &RgbImage) -> RgbImage {
    let parts = [expected, difference, actual];
    let height = parts.iter().map(|part| part.height()).max().unwrap_or(0);
    let width: u32 = parts.iter().map(|part| part.width()).sum::<u32>() + 2 * GUTTER_PX;
    let mut strip = RgbImage::from_pixel(width, height, GUTTER);
    let mut left = 0;
    for part in parts {
        imageops::replace(&mut strip, part, i64::from(left), 0);
        left += part.width() + GUTTER_PX;
    }
    strip
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Expected,
    Actual,
}

/// Which lines of the two pictures fall on which line of the difference picture.
struct Layout<'a> {
    expected: &'a RgbImage,
    actual: &'a RgbImage,
    /// Lines from `at` to before `at + by` belong to `longer` alone.
    gap: Option<Gap>,
}

#[derive(Clone, Copy)]
struct Gap {
    axis: Axis,
    at: u32,
    by: u32,
    longer: Side,
}

impl<'a> Layout<'a> {
    fn of(expected: &'a RgbImage, actual: &'a RgbImage) -> Self {
        let gap = if expected.dimensions() == actual.dimensions() {
            None
        } else {
            size::alignment(expected, actual).map(|(axis, shift)| Gap {
                axis,
                at: shift.at as u32,
                by: shift.by.unsigned_abs() as u32,
                longer: if shift.by > 0 { Side::Actual } else { Side::Expected },
            })
        };
        Self { expected, actual, gap }
    }

    fn pixel(&self, side: Side, x: u32, y: u32) -> Option<Rgb<u8>> {
        let picture = if side == Side::Expected { self.expected } else { self.actual };
        let (x, y) = match self.gap {
            Some(gap) if gap.longer != side => match gap.axis {
                Axis::Rows => (x, gap.source(y)?),
                Axis::Columns => (gap.source(x)?, y),
            },
            _ => (x, y),
        };
        picture.get_pixel_checked(x, y).copied()
    }

    fn paint_row(&self, y: u32, row: &mut [u8]) {
        let same_size = self.expected.dimensions() == self.actual.dimensions();
        if same_size {
            let start = y as usize * row.len();
            let (before, after) =
                (&self.expected.as_raw()[start..][..row.len()], &self.actual.as_raw()[start..][..row.len()]);
            let pixels = before.as_chunks::<3>().0.iter().zip(after.as_chunks::<3>().0);
            for (pixel, (before, after)) in row.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
                *pixel = if before == after { dimmed(Rgb(*after)).0 } else { CHANGED.0 };
            }
            return;
        }
        for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let at = |side| self.pixel(side, x as u32, y);
            *pixel = match (at(Side::Expected), at(Side::Actual)) {
                (Some(before), Some(after)) if before == after => dimmed(after),
                (Some(_), Some(_)) => CHANGED,
                (Some(only), None) | (None, Some(only)) => mixed(dimmed(only), SURPLUS, 96),
                (None, None) => SURPLUS,
            }
            .0;
        }
    }
}

impl Gap {
    /// The line of the shorter picture; `None` inside the gap.
    fn source(self, line: u32) -> Option<u32> {
        if line < self.at {
            Some(line)
        } else {
            line.checked_sub(self.by).filter(|source| *source >= self.at)
        }
    }
}

/// Grey and near white: the page can still be read, and no colour of it is taken for a mark.
fn dimmed(Rgb([red, green, blue]): Rgb<u8>) -> Rgb<u8> {
    let luma = (u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114) / 1000;
    Rgb([(166 + luma * 89 / 255) as u8; 3])
}

fn hatched(pixel: Option<Rgb<u8>>, x: u32, y: u32) -> Rgb<u8> {
    let ground = dimmed(pixel.unwrap_or(Rgb([255; 3])));
    if (x + y) % STRIPES < 2 { mixed(ground, HATCH, 200) } else { mixed(ground, HATCH, 30) }
}

/// `share` of 256 parts of `over`, the rest of `under`.
fn mixed(under: Rgb<u8>, over: Rgb<u8>, share: u32) -> Rgb<u8> {
    let mix = |i: usize| ((u32::from(under.0[i]) * (256 - share) + u32::from(over.0[i]) * share) / 256) as u8;
    Rgb([mix(0), mix(1), mix(2)])
}

fn frame(picture: &mut RgbImage, region: Region, colour: Rgb<u8>) {
    let out = MARGIN + THICKNESS;
    let outer = Region::new(
        region.x - out,
        region.y - out,
        region.width + 2 * out as u32,
        region.height + 2 * out as u32,
    );
    let (right, bottom) = (outer.right() - THICKNESS, outer.bottom() - THICKNESS);
    for band in [
        Region { height: THICKNESS as u32, ..outer },
        Region { y: bottom, height: THICKNESS as u32, ..outer },
        Region { width: THICKNESS as u32, ..outer },
        Region { x: right, width: THICKNESS as u32, ..outer },
    ] {
        let all = Size::new(picture.width(), picture.height()).region();
        let Some(band) = band.intersection(all) else { continue };
        for y in band.y..band.bottom() {
            for x in band.x..band.right() {
                picture.put_pixel(x as u32, y as u32, colour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{CompareSpec, compare};

    #[test]
    fn changed_pixels_frames_and_masks_each_have_their_mark() {
        let before = RgbImage::from_pixel(60, 50, Rgb([255; 3]));
        let mut after = before.clone();
        after.put_pixel(20, 20, Rgb([0; 3]));
        after.put_pixel(50, 40, Rgb([0; 3]));
        let masks = [Region::new(45, 35, 100, 10)];
        let found = compare(&before, &after, &CompareSpec::default(), &masks);
        let picture = difference_picture(&before, &after, &found, &masks);
        assert_eq!(picture.dimensions(), (60, 50));
        assert_eq!(*picture.get_pixel(20, 20), CHANGED);
        assert_eq!(*picture.get_pixel(15, 15), FRAME);
        assert_eq!(*picture.get_pixel(25, 25), FRAME);
        assert_eq!(*picture.get_pixel(18, 18), dimmed(Rgb([255; 3])));
        assert_ne!(*picture.get_pixel(50, 40), CHANGED);
        assert_ne!(*picture.get_pixel(50, 36), dimmed(Rgb([255; 3])));
    }

    #[test]
    fn the_surplus_of_the_larger_picture_is_marked() {
        let (wide, tall) = (RgbImage::new(30, 10), RgbImage::new(20, 15));
        let found = compare(&wide, &tall, &CompareSpec::default(), &[]);
        let picture = difference_picture(&wide, &tall, &found, &[]);
        assert_eq!(picture.dimensions(), (30, 15));
        assert_eq!(*picture.get_pixel(5, 5), dimmed(Rgb([0; 3])));
        for (x, y) in [(25, 5), (5, 12)] {
            assert_eq!(*picture.get_pixel(x, y), mixed(dimmed(Rgb([0; 3])), SURPLUS, 96));
        }
        assert_eq!(*picture.get_pixel(25, 12), SURPLUS);
    }

    #[test]
    fn inserted_rows_are_marked_where_they_are_and_the_rest_falls_together() {
        let row = |y: u32| Rgb([(y * 7) as u8, (y * 3) as u8, 90]);
        let before = RgbImage::from_fn(20, 30, |_, y| row(y));
        let after = RgbImage::from_fn(20, 34, |_, y| match y {
            0..10 => row(y),
            10..14 => Rgb([255; 3]),
            _ => row(y - 4),
        });
        for (a, b) in [(&before, &after), (&after, &before)] {
            let found = compare(a, b, &CompareSpec::default(), &[]);
            let picture = difference_picture(a, b, &found, &[]);
            assert_eq!(picture.dimensions(), (20, 34));
            assert!(picture.pixels().all(|pixel| *pixel != CHANGED));
            assert_eq!(*picture.get_pixel(5, 12), mixed(dimmed(Rgb([255; 3])), SURPLUS, 96));
            assert_eq!(*picture.get_pixel(5, 20), dimmed(row(16)));
        }
    }

    #[test]
    fn a_strip_shows_all_three_beside_each_other() {
        let colours = [[1; 3], [2; 3], [3; 3]].map(Rgb);
        let [a, b, c] = colours.map(|colour| RgbImage::from_pixel(10, 6, colour));
        let strip = side_by_side(&a, &b, &c);
        assert_eq!(strip.dimensions(), (10 * 3 + 16, 6));
        assert_eq!([0, 18, 36].map(|x| *strip.get_pixel(x, 3)), colours);
        assert_eq!(*strip.get_pixel(12, 0), GUTTER);
    }
}
