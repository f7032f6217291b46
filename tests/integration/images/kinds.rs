//! PNG colour types and alpha: a verdict depends on the pixels, never on their encoding.

use cu_run::{
    geometry::Point,
    store::{PictureFault, PixelDigest, png},
};

use super::{bytes, compare_files, decode, load, numbers};

#[test]
fn every_encoding_of_the_same_pixels_is_equal() {
    let grey = ["2bit", "4bit", "L", "LA", "P-2bit", "P-tRNS-opaque", "P", "RGBA"];
    let mut pairs: Vec<_> = grey.iter().map(|kind| (format!("grey-{kind}"), "grey-RGB")).collect();
    for (a, b) in [
        ("bw-1bit", "bw-RGB"),
        ("bw-1bit-interlaced", "bw-RGB"),
        ("colour-P256", "colour-P256-as-RGB"),
        ("colour-interlaced", "colour-P256-as-RGB"),
        ("grey-L-interlaced", "grey-RGB"),
        ("grey-RGB-16bit-interlaced", "grey-RGB"),
    ] {
        pairs.push((a.to_owned(), b));
    }
    for (a, b) in pairs {
        let (a, b) = (format!("png-kinds/{a}.png"), format!("png-kinds/{b}.png"));
        let found = compare_files(&a, &b);
        assert!(found.is_match() && numbers(&found).changed_px == 0, "{a}: {found:?}");
        assert_eq!(PixelDigest::of(&load(&a)), PixelDigest::of(&load(&b)));
    }
}

#[test]
fn a_pixel_that_is_not_opaque_is_refused_with_its_place() {
    for (file, at) in [
        ("alpha/white-disc-on-nothing.png", None),
        ("alpha/black-disc-on-nothing.png", None),
        ("alpha/grey-half.png", Some(Point::new(0, 0))),
        ("alpha/red-invisible.png", Some(Point::new(0, 0))),
        ("alpha/blue-invisible.png", Some(Point::new(0, 0))),
        ("png-kinds/grey-P-tRNS-first-invisible.png", None),
        ("png-kinds/grey-RGBA-interlaced-invisible.png", None),
    ] {
        match decode(file) {
            Err(PictureFault::NotOpaque { at: found, alpha, opaque }) => {
                assert!(alpha < opaque, "{file}");
                assert!(at.is_none_or(|at| at == found), "{file}: {found}");
            }
            other => panic!("{file}: {other:?}"),
        }
    }
    for file in ["white-opaque", "black-opaque", "grey-127-opaque"] {
        load(&format!("alpha/{file}.png"));
    }
}

/// A PNG of `samples` (one row, big endian where a sample has 16 bits) made by the encoder the store uses.
fn one_row(colour: ::png::ColorType, depth: ::png::BitDepth, width: u32, samples: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut out, width, 1);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(samples).unwrap();
    writer.finish().unwrap();
    out
}

#[test]
fn sixteen_bits_give_their_upper_eight_and_must_be_opaque_to_the_last_bit() {
    use ::png::{BitDepth::Sixteen, ColorType};
    let rgb = one_row(ColorType::Rgb, Sixteen, 2, &[1, 255, 2, 128, 3, 0, 254, 255, 255, 0, 0, 9]);
    let picture = png::decode(&rgb, &png::Limits::DEFAULT).unwrap();
    assert_eq!(picture.as_raw(), &[1, 2, 3, 254, 255, 0]);
    let grey = one_row(ColorType::Grayscale, Sixteen, 1, &[77, 200]);
    assert_eq!(png::decode(&grey, &png::Limits::DEFAULT).unwrap().as_raw(), &[77; 3]);
    let alpha = one_row(ColorType::GrayscaleAlpha, Sixteen, 2, &[9, 9, 255, 255, 9, 9, 255, 254]);
    assert_eq!(
        png::decode(&alpha, &png::Limits::DEFAULT),
        Err(PictureFault::NotOpaque { at: Point::new(1, 0), alpha: 65_534, opaque: 65_535 })
    );
}

#[test]
fn colour_and_text_chunks_of_others_change_nothing() {
    let plain = bytes("png-kinds/grey-RGB.png");
    let (header, rest) = plain.split_at(8 + 25);
    let mut dressed = header.to_vec();
    // Compressed parts whose data is not even deflate: nobody may try to inflate them.
    let compressed = [b"Title\0\0not deflate at all".to_vec(), b"Title\0\x01\0\0\0not deflate".to_vec()];
    dressed.extend(super::decoder::chunk(*b"gAMA", &[0, 1, 0x86, 0xa0]));
    dressed.extend(super::decoder::chunk(*b"iCCP", &compressed[0]));
    dressed.extend(super::decoder::chunk(*b"zTXt", &compressed[0]));
    dressed.extend(super::decoder::chunk(*b"iTXt", &compressed[1]));
    dressed.extend(super::decoder::chunk(*b"eXIf", b"nonsense"));
    dressed.extend_from_slice(rest);
    let picture = png::decode(&dressed, &png::Limits::DEFAULT).unwrap();
    assert_eq!(picture, load("png-kinds/grey-RGB.png"));
}
