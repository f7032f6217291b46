//! The difference picture: a pale page on which the changes stand out.

use image::{Rgb, RgbImage};

use super::{Comparison, mask::Masks};
use crate::geometry::{Region, Size};

/// A pixel that changed, at full strength.
const CHANGED: Rgb<u8> = Rgb([214, 0, 54]);
/// The frame round a region.
const FRAME: Rgb<u8> = Rgb([255, 0, 200]);
/// The stripes over a mask.
const HATCH: Rgb<u8> = Rgb([70, 110, 200]);
/// The part that only one of two pictures of different sizes has.
const SURPLUS: Rgb<u8> = Rgb([255, 150, 0]);
/// Pixels between a region and its frame, and the frame's thickness.
const MARGIN: i32 = 3;
const THICKNESS: i32 = 2;
/// Rows from one stripe to the next.
const STRIPES: u32 = 8;

/// Paints what `comparison` found: the capture dimmed, every changed pixel outside masks in red, a frame
/// round every region that broke a rule, masks hatched. Pictures of different sizes are laid top left on each
/// other; the part that only one of them has is tinted orange. As large as the larger of the two in either
/// direction.
#[must_use]
pub fn difference_picture(
    expected: &RgbImage,
    actual: &RgbImage,
    comparison: &Comparison,
    masks: &[Region],
) -> RgbImage {
    let size = Size::new(expected.width().max(actual.width()), expected.height().max(actual.height()));
    let masks = Masks::new(masks, size);
    let mut picture = RgbImage::from_fn(size.width, size.height, |x, y| {
        match (expected.get_pixel_checked(x, y), actual.get_pixel_checked(x, y)) {
            _ if masks.cover(x, y) => hatched(actual.get_pixel_checked(x, y), x, y),
            (Some(before), Some(after)) if before == after => dimmed(*after),
            (Some(_), Some(_)) => CHANGED,
            (Some(only), None) | (None, Some(only)) => mixed(dimmed(*only), SURPLUS, 96),
            (None, None) => SURPLUS,
        }
    });
    if let Comparison::Mismatch { regions, .. } = comparison {
        for difference in regions {
            frame(&mut picture, difference.region);
        }
    }
    picture
}

/// Grey and near white: the page can still be read, and no colour of it is taken for a mark.
fn dimmed(Rgb([red, green, blue]): Rgb<u8>) -> Rgb<u8> {
    let luma = (u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114) / 1000;
    Rgb([(166 + luma * 89 / 255) as u8; 3])
}

fn hatched(pixel: Option<&Rgb<u8>>, x: u32, y: u32) -> Rgb<u8> {
    let ground = dimmed(pixel.copied().unwrap_or(Rgb([255; 3])));
    if (x + y) % STRIPES < 2 { mixed(ground, HATCH, 200) } else { mixed(ground, HATCH, 30) }
}

/// `share` of 256 parts of `over`, the rest of `under`.
fn mixed(under: Rgb<u8>, over: Rgb<u8>, share: u32) -> Rgb<u8> {
    let mix = |i: usize| ((u32::from(under.0[i]) * (256 - share) + u32::from(over.0[i]) * share) / 256) as u8;
    Rgb([mix(0), mix(1), mix(2)])
}

fn frame(picture: &mut RgbImage, region: Region) {
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
                picture.put_pixel(x as u32, y as u32, FRAME);
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
}
