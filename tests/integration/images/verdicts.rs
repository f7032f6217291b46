//! Verdicts that other tools got wrong: colours that luma cannot see, a word on a very tall page.

use cu_run::{
    compare::{CompareSpec, Comparison, Limit, Method, compare, difference_picture},
    geometry::Region,
};
use image::Rgb;

use super::{compare_files, load, numbers};

#[test]
fn changes_of_equal_luma_fail_in_their_channel() {
    for (name, worst) in [("601", Some(0.004)), ("709", None), ("blue", Some(-0.49))] {
        let (a, b) = (format!("colour/{name}-a.png"), format!("colour/{name}-b.png"));
        let found = compare_files(&a, &b);
        let Comparison::Mismatch { numbers, gate, regions, .. } = &found else { panic!("{name}: {found:?}") };
        assert_eq!(gate.limit, Limit::MinSsim);
        assert_eq!(regions.len(), 1, "{name}: {regions:?}");
        // Columns 140 to 259, rows 90 to 149.
        assert_eq!(regions[0].region, Region::new(140, 90, 120, 60), "{name}");
        if let Some(worst) = worst {
            assert!((numbers.worst_ssim - worst).abs() < 0.01, "{name}: {numbers:?}");
        }
        let picture = difference_picture(&load(&a), &load(&b), &found, &[]);
        let red = |x, y| matches!(*picture.get_pixel(x, y), Rgb([214, 0, 54]));
        assert!(red(140, 90) && red(259, 149) && !red(139, 90) && !red(260, 149), "{name}");
    }
}

#[test]
fn a_moved_word_on_a_very_tall_page_is_not_drowned() {
    let (base, actual) = (load("large/base.png"), load("large/actual.png"));
    for spec in [
        CompareSpec::default(),
        CompareSpec { method: Method::Exact, ..CompareSpec::default() },
        CompareSpec { min_ssim: 0.01, max_pixels: 0, ..CompareSpec::default() },
    ] {
        let found = compare(&base, &actual, &spec, &[]);
        let Comparison::Mismatch { numbers, gate, regions, .. } = &found else { panic!("{found:?}") };
        assert_eq!(numbers.changed_px, 98);
        assert!((numbers.mean_ssim - 0.99998).abs() < 1e-5, "{numbers:?}");
        assert!((numbers.worst_ssim - 0.0024).abs() < 1e-4, "{numbers:?}");
        assert_eq!(regions.len(), 2, "{regions:?}");
        for (region, (x, y)) in regions.iter().zip([(900, 3000), (1000, 3001)]) {
            let near = Region::new(x - 20, y - 20, 60, 40);
            assert!(near.encloses(region.region), "{region:?}");
        }
        match gate.limit {
            Limit::MinSsim => assert_eq!(gate.measured.to_bits(), numbers.worst_ssim.to_bits()),
            Limit::MaxPixels => {
                assert!(regions.iter().any(|r| r.changed_px as f64 >= gate.measured && gate.measured > 0.0));
            }
        }
    }
}

#[test]
fn a_limit_equal_to_the_score_passes() {
    let (a, b) = (load("colour/blue-a.png"), load("colour/601-a.png"));
    let all = CompareSpec { max_delta: 255, ..CompareSpec::default() };
    let worst = numbers(&compare(&a, &b, &all, &[])).worst_ssim;
    assert!(compare(&a, &b, &CompareSpec { min_ssim: worst, ..all.clone() }, &[]).is_match());
    assert!(!compare(&a, &b, &CompareSpec { min_ssim: worst.next_up(), ..all }, &[]).is_match());
}
