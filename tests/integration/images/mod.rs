//! Pictures: reading them from disk, comparing them, keeping them. The inputs under `tests/images` follow
//! public reports about other tools; each test names the kind of fault.

#![expect(
    clippy::unwrap_used,
    reason = "a panic with its place is how a test fails, in what tests share too"
)]

mod broken;
mod corpus;
mod decoder;
mod kinds;
mod names;
mod sizes;
mod stores;
mod verdicts;

use std::path::{Path, PathBuf};

use cu_run::{
    compare::{CompareSpec, Comparison, Numbers, compare},
    store::{PictureFault, png},
};
use image::RgbImage;

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/images").join(relative)
}

fn bytes(relative: &str) -> Vec<u8> {
    std::fs::read(path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
}

fn decode(relative: &str) -> Result<RgbImage, PictureFault> {
    png::decode(&bytes(relative), &png::Limits::DEFAULT)
}

fn load(relative: &str) -> RgbImage {
    decode(relative).unwrap_or_else(|fault| panic!("{relative} {fault}"))
}

fn compare_files(expected: &str, actual: &str) -> Comparison {
    compare(&load(expected), &load(actual), &CompareSpec::default(), &[])
}

fn numbers(comparison: &Comparison) -> Numbers {
    match comparison {
        Comparison::Match { numbers } | Comparison::Mismatch { numbers, .. } => *numbers,
        Comparison::SizeMismatch { .. } => panic!("{comparison:?}"),
    }
}
