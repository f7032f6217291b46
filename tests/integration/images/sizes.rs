//! Pictures of different sizes, and pictures smaller than the SSIM window.

use cu_run::{
    compare::{CompareSpec, Comparison, Limit, Method, compare, difference_picture},
    geometry::{Region, Size},
};
use image::{RgbImage, imageops};

use super::{compare_files, load, numbers};

#[test]
fn different_sizes_always_fail_and_state_both() {
    let others = ["1x1", "16x16", "200x101", "201x100", "199x100", "200x99", "100x200"];
    for (small, base) in others.iter().flat_map(|other| [(other, "106x106"), (other, "200x100")]) {
        for (a, b) in [(*small, base), (base, *small)] {
            let found = compare_files(&format!("sizes/{a}.png"), &format!("sizes/{b}.png"));
            let Comparison::SizeMismatch { expected, actual, words } = &found else { panic!("{found:?}") };
            assert_eq!((expected.to_string(), actual.to_string()), (a.to_owned(), b.to_owned()));
            assert!(words.starts_with(&format!("expected {a}, got {b}: ")), "{words}");
            let (a, b) = (load(&format!("sizes/{a}.png")), load(&format!("sizes/{b}.png")));
            let picture = difference_picture(&a, &b, &found, &[]);
            let largest = (a.width().max(b.width()), a.height().max(b.height()));
            assert_eq!(picture.dimensions(), largest);
        }
    }
}

const TINY: [&str; 13] =
    ["1x1", "2x2", "3x3", "6x6", "7x5", "8x7", "10x3", "10x10", "11x11", "13x17", "15x15", "1x400", "400x1"];

#[test]
fn pictures_smaller_than_the_window_have_scores() {
    for size in TINY.iter().chain(&["33x31"]) {
        let file = |kind: &str| format!("tiny/{size}-{kind}.png");
        let same = compare_files(&file("a"), &file("same"));
        assert!(
            same.is_match() && numbers(&same).mean_ssim.to_bits() == 1.0_f64.to_bits(),
            "{size}: {same:?}"
        );
        for kind in ["centre", "corner"] {
            let found = compare_files(&file("a"), &file(kind));
            let Comparison::Mismatch { numbers, gate, regions, .. } = &found else {
                panic!("{size} {kind}: {found:?}")
            };
            assert!(numbers.worst_ssim < 0.98 && numbers.worst_ssim >= -1.0, "{size} {kind}: {found:?}");
            assert!(numbers.mean_ssim <= 1.0 && numbers.mean_ssim >= -1.0, "{size} {kind}: {found:?}");
            assert!(gate.limit == Limit::MinSsim && !regions.is_empty(), "{size} {kind}: {found:?}");
            assert!(regions.iter().all(|region| region.changed_px > 0 && !region.words.is_empty()));
        }
    }
}

#[test]
fn a_change_at_any_single_pixel_is_seen_with_its_place() {
    for (width, height) in [(1, 1), (2, 9), (7, 7), (8, 5), (67, 13)] {
        let plain = RgbImage::from_pixel(width, height, image::Rgb([200; 3]));
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            let mut other = plain.clone();
            other.put_pixel(x, y, image::Rgb([200, 100, 200]));
            let found = compare(&plain, &other, &CompareSpec::default(), &[]);
            let Comparison::Mismatch { numbers, regions, .. } = &found else { panic!("{found:?}") };
            assert!(numbers.worst_ssim < 0.98, "{width}x{height} ({x}, {y}): {found:?}");
            assert_eq!(regions[0].region, Region::new(x as i32, y as i32, 1, 1));
        }
    }
}

#[test]
fn a_part_cut_out_of_a_larger_picture_compares_like_a_picture_of_its_own() {
    for size in TINY {
        let file = |kind: &str| load(&format!("tiny/{size}-{kind}.png"));
        let inset = |part: &RgbImage| {
            let mut screen = RgbImage::from_pixel(500, 450, image::Rgb([240; 3]));
            imageops::replace(&mut screen, part, 31, 17);
            imageops::crop_imm(&screen, 31, 17, part.width(), part.height()).to_image()
        };
        for kind in ["same", "centre", "corner"] {
            let (a, b) = (file("a"), file(kind));
            assert_eq!(Size::new(a.width(), a.height()).to_string(), size);
            let alone = compare(&a, &b, &CompareSpec::default(), &[]);
            assert_eq!(compare(&inset(&a), &inset(&b), &CompareSpec::default(), &[]), alone);
        }
    }
}

#[test]
fn no_method_stumbles_over_a_small_picture() {
    for size in TINY {
        let file = |kind: &str| load(&format!("tiny/{size}-{kind}.png"));
        for method in [Method::Exact, Method::Hybrid] {
            let spec = CompareSpec { method, min_ssim: 1.0, ..CompareSpec::default() };
            assert!(compare(&file("a"), &file("same"), &spec, &[]).is_match(), "{size} {method:?}");
            let found = compare(&file("a"), &file("centre"), &spec, &[]);
            let Comparison::Mismatch { gate, .. } = found else { panic!("{size} {method:?}: {found:?}") };
            assert!(gate.measured.is_finite(), "{size} {method:?}: {gate:?}");
        }
    }
}
