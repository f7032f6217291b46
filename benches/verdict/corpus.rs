//! Pairs of pictures on disk with what is known about them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cu_run::{geometry::Region, store::png};
use image::RgbImage;
use serde::{Deserialize, Serialize};

use crate::Outcome;

/// The file with what is known about the pairs.
const INDEX: &str = "pairs.json";

/// All pairs of one run.
#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) folder: PathBuf,
    pub(crate) pairs: Vec<Pair>,
}

/// An accepted picture and a later one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// Names the files of the pair.
    pub(crate) id: String,
    pub(crate) page: String,
    /// What kind of change or noise it is.
    pub(crate) kind: String,
    /// What was done, in words.
    pub(crate) what: String,
    /// File of the accepted picture.
    pub(crate) expected: String,
    /// File of the later one.
    pub(crate) actual: String,
    /// What is masked; the later picture has the pixels of the accepted one there already for the peers, which know
    /// no masks.
    pub(crate) masks: Vec<Region>,
    /// Where the changed element is, before and after; `None` for noise, which must pass.
    pub(crate) changed: Option<Region>,
}

impl Corpus {
    /// An empty corpus in a fresh folder.
    pub(crate) fn create(folder: &Path) -> Outcome<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), pairs: Vec::new() })
    }

    /// The corpus of an earlier run.
    pub(crate) fn load(folder: &Path) -> Outcome<Self> {
        let text =
            fs::read_to_string(folder.join(INDEX)).map_err(|error| format!("no earlier run: {error}"))?;
        Ok(Self { folder: folder.to_owned(), pairs: serde_json::from_str(&text)? })
    }

    /// Writes the index.
    pub(crate) fn save(&self) -> Outcome<()> {
        Ok(fs::write(self.index(), serde_json::to_vec_pretty(&self.pairs)?)?)
    }

    /// The path of the index.
    pub(crate) fn index(&self) -> PathBuf {
        self.folder.join(INDEX)
    }

    /// Keeps a picture under a name and returns its file name.
    pub(crate) fn keep(&self, name: &str, picture: &RgbImage) -> Outcome<String> {
        let file = format!("{name}.png");
        fs::write(self.folder.join(&file), png::encode_evidence(picture)?)?;
        Ok(file)
    }

    /// Adds a pair whose later picture is `actual`.
    pub(crate) fn add(&mut self, mut pair: Pair, expected: &RgbImage, actual: &RgbImage) -> Outcome<()> {
        pair.actual = self.keep(&pair.id, &masked(expected, actual, &pair.masks))?;
        self.pairs.push(pair);
        Ok(())
    }

    /// The two pictures of a pair.
    pub(crate) fn pictures(&self, pair: &Pair) -> Outcome<(RgbImage, RgbImage)> {
        let read = |file: &str| -> Outcome<RgbImage> {
            Ok(png::decode(&fs::read(self.folder.join(file))?, &png::Limits::DEFAULT)?)
        };
        Ok((read(&pair.expected)?, read(&pair.actual)?))
    }
}

/// `actual` with the pixels of `expected` under the masks.
fn masked(expected: &RgbImage, actual: &RgbImage, masks: &[Region]) -> RgbImage {
    let mut picture = actual.clone();
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        if masks.iter().any(|mask| mask.contains(cu_run::geometry::Point::new(x as i32, y as i32))) {
            *pixel = *expected.get_pixel(x, y);
        }
    }
    picture
}
