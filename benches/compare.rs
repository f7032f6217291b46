//! What a comparison costs at 1920x1080, beside reading both pictures once (`memcmp`) and beside
//! `image-compare`.
//!
//! `cargo bench --bench compare`; the ratios to `memcmp` are what `docs/verdict.md` promises.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use cu_run::{
    compare::{CompareSpec, compare, difference_picture},
    geometry::Region,
    store::{Fingerprint, PixelDigest, png},
};
use image::{Rgb, RgbImage};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// A page of text-like strokes: dark runs of one to three pixels in lines of 12 rows, eight rows apart.
fn page(shift: f32) -> RgbImage {
    let mut state = 0x2545_f491_u32;
    let mut ink = vec![0.0_f32; (WIDTH * HEIGHT) as usize];
    for line in 0..HEIGHT / 20 {
        for x in 40..WIDTH - 40 {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            if state.is_multiple_of(3) {
                let (top, height) = (state >> 8 & 7, 2 + (state >> 16 & 3));
                for y in top..(top + height).min(12) {
                    ink[((line * 20 + 4 + y) * WIDTH + x) as usize] = 1.0;
                }
            }
        }
    }
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let at = |x: u32| ink[(y * WIDTH + x.min(WIDTH - 1)) as usize];
        let cover = at(x) * (1.0 - shift) + at(x + 1) * shift;
        Rgb([255 - (cover * 230.0) as u8, 255 - (cover * 220.0) as u8, 255 - (cover * 200.0) as u8])
    })
}

/// `page` with the lines of each rectangle replaced by those 40 rows further down.
fn edited(page: &RgbImage, parts: &[Region]) -> RgbImage {
    let mut other = page.clone();
    for part in parts {
        for (x, y) in (part.x..part.right()).flat_map(|x| (part.y..part.bottom()).map(move |y| (x, y))) {
            let source = *page.get_pixel(x as u32, y as u32 + 40);
            other.put_pixel(x as u32, y as u32, source);
        }
    }
    other
}

fn scrolled(page: &RgbImage) -> RgbImage {
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| *page.get_pixel(x, (y + 37) % HEIGHT))
}

fn inverted(page: &RgbImage) -> RgbImage {
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| Rgb(page.get_pixel(x, y).0.map(|level| 255 - level)))
}

fn benches(criterion: &mut Criterion) {
    let page_a = page(0.0);
    let spec = CompareSpec::default();
    let mut group = criterion.benchmark_group("1920x1080");
    let equal = page_a.clone();
    group.bench_function("memcmp", |bench| {
        bench.iter(|| black_box(page_a.as_raw()) == black_box(equal.as_raw()));
    });
    let pairs = [
        ("equal", equal.clone()),
        ("words", edited(&page_a, &[Region::new(300, 64, 60, 12), Region::new(900, 904, 60, 12)])),
        ("column", edited(&page_a, &[Region::new(300, 100, 400, 600)])),
        ("aa", page(0.3)),
        ("scroll", scrolled(&page_a)),
        ("all", inverted(&page_a)),
    ];
    for (name, other) in &pairs {
        let changed = page_a.pixels().zip(other.pixels()).filter(|(a, b)| a != b).count();
        let share = changed as f64 * 100.0 / f64::from(WIDTH * HEIGHT);
        group.bench_function(format!("compare/{name} ({share:.2} % changed)"), |bench| {
            bench.iter(|| compare(black_box(&page_a), black_box(other), &spec, &[]));
        });
    }
    let masks = [Region::new(880, 890, 120, 40)];
    group.bench_function("compare/words with a mask", |bench| {
        bench.iter(|| compare(black_box(&page_a), black_box(&pairs[1].1), &spec, &masks));
    });
    let found = compare(&page_a, &pairs[1].1, &spec, &masks);
    group.bench_function("difference picture", |bench| {
        bench.iter(|| difference_picture(&page_a, &pairs[1].1, black_box(&found), &masks));
    });
    group.sample_size(10);
    for (name, other) in &pairs {
        group.bench_function(format!("image-compare RGB MSSIM/{name}"), |bench| {
            let algorithm = image_compare::Algorithm::MSSIMSimple;
            bench.iter(|| image_compare::rgb_similarity_structure(&algorithm, &page_a, other));
        });
    }
    group.finish();
}

/// The way of a picture to disk and back.
fn codec(criterion: &mut Criterion) {
    let page = page(0.0);
    let evidence = png::encode_evidence(&page).expect("a picture with pixels");
    let baseline = png::encode_baseline(&page, &Fingerprint::default()).expect("a picture with pixels");
    let mut group = criterion.benchmark_group(format!(
        "png 1920x1080, evidence {} KB, baseline {} KB",
        evidence.len() / 1000,
        baseline.len() / 1000
    ));
    group.sample_size(20);
    group.bench_function("pixel digest", |bench| bench.iter(|| PixelDigest::of(black_box(&page))));
    group.bench_function("encode evidence", |bench| bench.iter(|| png::encode_evidence(black_box(&page))));
    for (name, bytes) in [("evidence", &evidence), ("baseline", &baseline)] {
        group.bench_function(format!("decode {name}"), |bench| {
            bench.iter(|| png::decode(black_box(bytes), &png::Limits::DEFAULT));
        });
    }
    group.sample_size(10);
    group.bench_function("encode baseline", |bench| {
        bench.iter(|| png::encode_baseline(black_box(&page), &Fingerprint::default()));
    });
    group.finish();
}

criterion_group!(compare_benches, benches, codec);
criterion_main!(compare_benches);
