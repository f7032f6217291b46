//! The border of the decoder: no bytes whatever make it panic, hang or take much memory.

use cu_run::store::{Fingerprint, PictureFault, png};
use image::{Rgb, RgbImage};
use proptest::prelude::*;

use super::bytes;

/// One chunk with a right checksum.
pub(super) fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&kind);
    checksum.update(data);
    let mut out = (data.len() as u32).to_be_bytes().to_vec();
    out.extend(kind);
    out.extend(data);
    out.extend(checksum.finalize().to_be_bytes());
    out
}

/// A PNG with this header and these compressed bytes.
fn png_of(width: u32, height: u32, depth: u8, colour: u8, interlace: u8, data: &[u8]) -> Vec<u8> {
    let mut header = width.to_be_bytes().to_vec();
    header.extend(height.to_be_bytes());
    header.extend([depth, colour, 0, 0, interlace]);
    let parts = [chunk(*b"IHDR", &header), chunk(*b"IDAT", data), chunk(*b"IEND", &[])];
    [b"\x89PNG\r\n\x1a\n".to_vec(), parts.concat()].concat()
}

fn sample() -> RgbImage {
    RgbImage::from_fn(23, 17, |x, y| Rgb([(x * 11) as u8, (y * 13) as u8, (x * y) as u8]))
}

#[test]
fn what_is_encoded_is_decoded() {
    let picture = sample();
    let fingerprint = Fingerprint::default().with("browser", "Chromium “142”").with("dpi", "96");
    for bytes in
        [png::encode_evidence(&picture).unwrap(), png::encode_baseline(&picture, &fingerprint).unwrap()]
    {
        assert_eq!(png::decode(&bytes, &png::Limits::DEFAULT).unwrap(), picture);
    }
    let empty = png::encode_evidence(&RgbImage::new(0, 4));
    assert!(matches!(empty, Err(PictureFault::ZeroSize { .. })));
}

#[test]
fn declared_sizes_are_judged_before_anything_is_allocated() {
    for (file, declared) in [
        ("bomb/header-2e31.png", None),
        ("bomb/header-max.png", None),
        ("bomb/header-60000x60000.png", Some("60000x60000")),
    ] {
        match super::decode(file) {
            Err(fault @ PictureFault::TooLarge { .. }) => {
                let message = fault.to_string();
                assert!(declared.is_none_or(|declared| message.contains(declared)), "{file}: {message}");
            }
            other => panic!("{file}: {other:?}"),
        }
    }
    assert!(matches!(super::decode("bomb/header-0x0.png"), Err(PictureFault::ZeroSize { .. })));
    // 400 million pixels of grey, compressed to 390 KB: refused by its header.
    let large = png_of(20_000, 20_000, 8, 0, 0, &vec![0; 390_000]);
    let fault = png::decode(&large, &png::Limits::DEFAULT).unwrap_err();
    assert!(matches!(fault, PictureFault::TooLarge { declared, .. } if declared.width == 20_000));
    // Within the limits, and without the data to fill them.
    let hollow = png_of(6000, 6000, 16, 6, 1, &[0x78, 0x9c, 3, 0, 0, 0, 0, 1]);
    assert!(matches!(png::decode(&hollow, &png::Limits::DEFAULT), Err(PictureFault::Truncated { .. })));
}

#[test]
fn data_far_beyond_the_picture_is_refused() {
    match super::decode("bomb/idat-longer-than-image.png") {
        Err(PictureFault::Surplus { declared, bytes }) => {
            assert_eq!(declared.to_string(), "8x8");
            assert!(bytes > 60_000);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn limits_are_the_callers() {
    let bytes = png::encode_evidence(&sample()).unwrap();
    let limits = png::Limits { side: 23, area_px: 23 * 17, file_bytes: bytes.len() as u64 };
    assert!(png::decode(&bytes, &limits).is_ok());
    for tighter in [png::Limits { side: 22, ..limits }, png::Limits { area_px: 23 * 17 - 1, ..limits }] {
        assert!(matches!(png::decode(&bytes, &tighter), Err(PictureFault::TooLarge { .. })));
    }
    let short = png::Limits { file_bytes: limits.file_bytes - 1, ..limits };
    assert!(matches!(png::decode(&bytes, &short), Err(PictureFault::TooManyBytes { .. })));
}

#[test]
fn every_prefix_of_a_picture_is_an_error_and_so_is_every_flipped_bit() {
    let whole = png::encode_baseline(&sample(), &Fingerprint::default().with("a", "b")).unwrap();
    for length in 0..whole.len() {
        let fault = png::decode(&whole[..length], &png::Limits::DEFAULT).unwrap_err();
        let right = if length == 0 {
            fault == PictureFault::Empty
        } else {
            fault == PictureFault::Truncated { bytes: length as u64 }
        };
        assert!(right, "{length} bytes: {fault:?}");
    }
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(png::decode(&flipped, &png::Limits::DEFAULT).is_err(), "bit {bit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(png::decode(&bytes, &png::Limits::DEFAULT).is_err());
    }

    #[test]
    fn well_formed_chunks_of_any_content_never_panic(
        width in 0_u32..300, height in 0_u32..300,
        depth in prop::sample::select(vec![1_u8, 2, 4, 8, 16, 3]),
        colour in 0_u8..8, interlace in 0_u8..3,
        data in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let _ = png::decode(&png_of(width, height, depth, colour, interlace, &data), &png::Limits::DEFAULT);
    }

    #[test]
    fn chunks_in_any_order_never_panic(
        order in prop::collection::vec((0_usize..9, prop::collection::vec(any::<u8>(), 0..40)), 0..12)
    ) {
        let good = bytes("png-kinds/colour-P256.png");
        let kinds = [*b"IHDR", *b"PLTE", *b"IDAT", *b"tRNS", *b"IEND", *b"acTL", *b"fcTL", *b"fdAT", *b"iTXt"];
        let parts = order.iter().map(|(kind, data)| chunk(kinds[*kind], data));
        let mut file = good[..33].to_vec();
        file.extend(parts.collect::<Vec<_>>().concat());
        file.extend(chunk(*b"IEND", &[]));
        let _ = png::decode(&file, &png::Limits::DEFAULT);
    }

    #[test]
    fn any_picture_survives_both_encoders(
        width in 1_u32..40, height in 1_u32..40, seed in any::<u32>(), key in "\\PC{0,9}", value in "\\PC{0,30}",
    ) {
        let mut state = seed | 1;
        let picture = RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Rgb([(state >> 24) as u8, (state >> 16) as u8, (state >> 8) as u8])
        });
        let baseline = png::encode_baseline(&picture, &Fingerprint::default().with(key, value)).unwrap();
        prop_assert_eq!(&png::decode(&baseline, &png::Limits::DEFAULT).unwrap(), &picture);
        let evidence = png::encode_evidence(&picture).unwrap();
        prop_assert_eq!(&png::decode(&evidence, &png::Limits::DEFAULT).unwrap(), &picture);
    }
}
