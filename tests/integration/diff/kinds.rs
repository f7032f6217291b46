//! JPEG and WebP.

use std::{fs, io::Cursor, path::Path};

use image::{
    ImageFormat, Rgb, RgbImage, Rgba, RgbaImage, codecs::jpeg::JpegEncoder, codecs::webp::WebPEncoder,
};

use super::expecting;

/// A picture with some of everything.
fn picture() -> RgbImage {
    RgbImage::from_fn(70, 50, |x, y| Rgb([(x * 3) as u8, (y * 5) as u8, if x > 30 { 200 } else { 20 }]))
}

fn jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(picture).unwrap();
    bytes
}

fn webp(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(WebPEncoder::new_lossless(&mut bytes)).unwrap();
    bytes
}

fn png(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// What is said about a file with this name and content beside a good PNG.
fn said(code: i32, name: &str, bytes: &[u8], more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path(name), bytes).unwrap();
    fs::write(path("good.png"), png(&picture())).unwrap();
    let outcome = expecting(code, &[&[path("good.png").as_str(), path(name).as_str()], more].concat());
    assert!(code != 2 || outcome.stderr.contains(&path(name)), "{}", outcome.stderr);
    outcome.stdout + &outcome.stderr
}

#[test]
fn a_lossless_webp_equals_its_png() {
    said(0, "a.webp", &webp(&picture()), &["--method", "exact"]);
    let mut other = picture();
    other.put_pixel(3, 3, Rgb([255, 0, 255]));
    said(1, "a.webp", &webp(&other), &["--method", "exact"]);
}

#[test]
fn a_jpeg_equals_the_pixels_it_holds() {
    let bytes = jpeg(&picture());
    let seen = image::load_from_memory_with_format(&bytes, ImageFormat::Jpeg).unwrap().into_rgb8();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.jpeg"), &bytes).unwrap();
    fs::write(path("seen.png"), png(&seen)).unwrap();
    expecting(0, &["--method", "exact", &path("seen.png"), &path("a.jpeg")]);
    said(1, "a.JPG", &bytes, &["--method", "exact"]);
}

#[test]
fn a_cut_file_is_no_part_of_a_picture() {
    for (name, whole) in [("a.jpg", jpeg(&picture())), ("a.webp", webp(&picture()))] {
        for length in [whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            let message = said(2, name, &whole[..length], &[]);
            assert!(message.contains(&format!("ends early, after {length} bytes")), "{message}");
        }
    }
    let long = [webp(&picture()), vec![0; 7]].concat();
    assert!(said(2, "a.webp", &long, &[]).contains("has 7 bytes after the end"));
}

#[test]
fn a_name_must_not_lie() {
    assert!(said(2, "a.png", &jpeg(&picture()), &[]).contains("is JPEG, not PNG as its name says"));
    assert!(said(2, "a.webp", &png(&picture()), &[]).contains("is PNG, not WebP as its name says"));
    // A name that says nothing cannot lie.
    said(0, "a.shot", &png(&picture()), &[]);
}

#[test]
fn a_jpeg_that_declares_a_huge_picture_is_refused_by_its_header() {
    let mut bytes = jpeg(&picture());
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    bytes[frame + 5..frame + 9].fill(0xff);
    let message = said(2, "a.jpg", &bytes, &[]);
    assert!(message.contains("declares 65535x65535"), "{message}");
}

#[test]
fn transparency_in_webp_follows_the_same_rule() {
    let clear = RgbaImage::from_fn(70, 50, |x, y| {
        let Rgb([red, green, blue]) = *picture().get_pixel(x, y);
        Rgba([red, green, blue, if (x, y) == (9, 4) { 0 } else { 255 }])
    });
    let mut bytes = Vec::new();
    clear.write_with_encoder(WebPEncoder::new_lossless(&mut bytes)).unwrap();
    let message = said(2, "a.webp", &bytes, &[]);
    assert!(message.contains("the pixel at (9, 4) has alpha 0 of 255"), "{message}");
    said(1, "a.webp", &bytes, &["--on-alpha", "compare"]);
    let Rgb([red, green, blue]) = *picture().get_pixel(9, 4);
    let ground = format!("#{red:02x}{green:02x}{blue:02x}");
    said(0, "a.webp", &bytes, &["--on-alpha", &ground, "--method", "exact"]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let missing = Path::new("/nowhere/at-all.png").display().to_string();
    let outcome = expecting(2, &[&missing, &missing]);
    assert!(outcome.stderr.contains("`/nowhere/at-all.png`"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("no such file"), "{}", outcome.stderr);
}
