//! The map against scikit-image's, on pairs that `scripts/ssim_reference.py` generates in the same way.

use image::{Rgb, RgbImage};

use super::{CompareSpec, Comparison, Numbers, changes::Changes, compare, kernel::Kernel, mask::Masks, ssim};
use crate::geometry::Size;

/// Seed, width, height, mean, lowest value, samples of the map: x, y, channel, value.
type Row = (u32, u32, u32, f64, f64, Vec<(u32, u32, usize, f64)>);

struct Random(u32);

impl Random {
    fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(2_654_435_761) | 1)
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) % limit
    }

    fn colour(&mut self) -> Rgb<u8> {
        Rgb([(); 3].map(|()| self.below(256) as u8))
    }

    fn noise(&mut self, width: u32, height: u32) -> RgbImage {
        let bytes = (0..width * height * 3).map(|_| self.below(256) as u8).collect();
        RgbImage::from_raw(width, height, bytes).unwrap()
    }

    fn rectangle(&mut self, picture: &mut RgbImage) {
        let (width, height) = picture.dimensions();
        let (left, top) = (self.below(width), self.below(height));
        let (right, bottom) = (left + 1 + self.below(width), top + 1 + self.below(height));
        let colour = self.colour();
        for (x, y) in (left..right.min(width)).flat_map(|x| (top..bottom.min(height)).map(move |y| (x, y))) {
            picture.put_pixel(x, y, colour);
        }
    }
}

fn pair(seed: u32, width: u32, height: u32) -> (RgbImage, RgbImage) {
    let mut random = Random::new(seed);
    let a = if seed.is_multiple_of(3) {
        random.noise(width, height)
    } else {
        let mut a = RgbImage::from_pixel(width, height, random.colour());
        for _ in 0..if seed % 3 == 1 { 6 } else { 0 } {
            random.rectangle(&mut a);
        }
        a
    };
    let mut b = a.clone();
    match seed % 5 {
        0 => b = random.noise(width, height),
        1 => {
            for _ in 0..=random.below(5) {
                let (x, y) = (random.below(width), random.below(height));
                b.put_pixel(x, y, random.colour());
            }
        }
        2 => b.iter_mut().for_each(|byte| *byte = byte.saturating_add(1)),
        3 => (1..width).for_each(|x| (0..height).for_each(|y| b.put_pixel(x, y, *a.get_pixel(x - 1, y)))),
        _ => random.rectangle(&mut b),
    }
    (a, b)
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("../../tests/images/ssim_reference.json")).unwrap()
}

fn numbers(a: &RgbImage, b: &RgbImage) -> Numbers {
    match compare(a, b, &CompareSpec { min_ssim: 1.0, ..CompareSpec::default() }, &[]) {
        Comparison::Match { numbers } | Comparison::Mismatch { numbers, .. } => numbers,
        Comparison::SizeMismatch { .. } => panic!("equal sizes"),
    }
}

#[test]
fn mean_and_worst_are_those_of_scikit_image() {
    let rows = rows();
    assert!(rows.len() >= 200);
    let mut below_one = 0;
    for (seed, width, height, mean, worst, _) in rows {
        let (a, b) = pair(seed, width, height);
        let numbers = numbers(&a, &b);
        assert!((numbers.mean_ssim - mean).abs() < 1e-6, "seed {seed}: {} {mean}", numbers.mean_ssim);
        assert!((numbers.worst_ssim - worst).abs() < 1e-4, "seed {seed}: {} {worst}", numbers.worst_ssim);
        below_one += usize::from(worst < 0.999);
    }
    assert!(below_one > 150, "the reference holds pairs that differ");
}

#[test]
fn the_map_is_that_of_scikit_image_up_to_the_edges() {
    for (seed, width, height, _, _, samples) in rows() {
        let (a, b) = pair(seed, width, height);
        let masks = Masks::new(&[], Size::new(width, height));
        let map = ssim::map(&a, &b, &masks, Kernel::best());
        for (x, y, channel, value) in samples {
            let ours = 1.0 - f64::from(map[((y * width + x) * 3) as usize + channel]);
            assert!((ours - value).abs() < 1e-4, "seed {seed} at ({x}, {y}, {channel}): {ours} {value}");
        }
    }
}

#[test]
fn windows_that_are_not_computed_would_have_been_exactly_one() {
    for seed in [1, 4, 9, 14, 16, 31] {
        let (a, b) = pair(seed, 150, 90);
        let masks = Masks::new(&[], Size::new(150, 90));
        let map = ssim::map(&a, &b, &masks, Kernel::best());
        let Some(changes) = Changes::between(&a, &b, &masks) else { continue };
        for (y, x) in (0..90_usize).flat_map(|y| (0..150_usize).map(move |x| (y, x))) {
            let (left, right) = (x.saturating_sub(3), (x + 4).min(150));
            let touched = (y.saturating_sub(3)..(y + 4).min(90))
                .any(|y| changes.delta_row(y, left, right).iter().any(|&delta| delta != 0));
            let deficits = &map[(y * 150 + x) * 3..][..3];
            assert_eq!(touched, deficits.iter().any(|&deficit| deficit != 0.0), "seed {seed} at ({x}, {y})");
        }
        let mean = map
            .chunks_exact(150 * 3)
            .take(87)
            .skip(3)
            .flat_map(|row| &row[9..147 * 3])
            .map(|&deficit| f64::from(deficit))
            .sum::<f64>()
            / f64::from(144 * 84 * 3);
        assert!((numbers(&a, &b).mean_ssim - (1.0 - mean)).abs() < 1e-12);
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let (a, b) = pair(15, 700, 300);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare(&a, &b, &CompareSpec::default(), &[]))
    };
    let alone = with(1);
    for threads in [2, 3, 8] {
        assert_eq!(with(threads), alone);
    }
}
