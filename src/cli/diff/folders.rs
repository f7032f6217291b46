//! Two folders, compared file by file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rayon::prelude::*;

use crate::clock::Clock;

use super::{
    CliError,
    pair::{self, Judged, Rules},
};

/// Endings of pictures, also of kinds that cannot be read: leaving these out would be a comparison that nobody made.
const PICTURES: &[&str] = &["png", "jpg", "jpeg", "webp", "gif", "bmp", "tif", "tiff", "avif", "apng"];

/// One picture of either folder.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its path below the folders.
    pub(super) path: PathBuf,
    /// The expected file, when there is one.
    pub(super) expected: Option<PathBuf>,
    /// The actual file, when there is one.
    pub(super) actual: Option<PathBuf>,
    /// What was found.
    pub(super) found: Found,
    /// How long that took.
    pub(super) duration: Duration,
}

/// What was found about a picture.
#[derive(Debug)]
pub(super) enum Found {
    /// Both are there and were compared.
    Judged(Judged),
    /// Only the expected one is there.
    Missing,
    /// Only the actual one is there.
    Extra,
    /// One of them cannot be read.
    Unreadable(String),
}

impl Entry {
    /// Whether the pictures agree.
    pub(super) fn is_same(&self) -> bool {
        matches!(&self.found, Found::Judged(judged) if judged.comparison.is_match())
    }

    /// One word for what was found.
    pub(super) fn word(&self) -> &'static str {
        use crate::compare::Comparison;
        match &self.found {
            Found::Judged(Judged { comparison: Comparison::Match { .. }, .. }) => "same",
            Found::Judged(Judged { comparison: Comparison::Mismatch { .. }, .. }) => "different",
            Found::Judged(Judged { comparison: Comparison::SizeMismatch { .. }, .. }) => "size_mismatch",
            Found::Missing => "missing",
            Found::Extra => "extra",
            Found::Unreadable(_) => "unreadable",
        }
    }
}

/// Compares every picture below `expected` and `actual`, several at once; sorted by path. Difference pictures go to
/// the same path below `out`. The only errors are a folder that cannot be listed and a picture that cannot be written.
pub(super) fn compare(
    expected: &Path,
    actual: &Path,
    rules: &Rules,
    out: Option<&Path>,
    clock: &dyn Clock,
) -> Result<Vec<Entry>, CliError> {
    let mut pictures: BTreeMap<PathBuf, [bool; 2]> = BTreeMap::new();
    for (side, root) in [expected, actual].into_iter().enumerate() {
        for path in list(root)? {
            pictures.entry(path).or_default()[side] = true;
        }
    }
    let taken: BTreeSet<PathBuf> = pictures.keys().cloned().collect();
    let pictures: Vec<(PathBuf, [bool; 2])> = pictures.into_iter().collect();
    let compared = pictures.into_par_iter().map(|(path, [is_expected, is_actual])| {
        let began = clock.now();
        let there = [is_expected.then(|| expected.join(&path)), is_actual.then(|| actual.join(&path))];
        let found = match &there {
            [Some(expected), Some(actual)] => {
                let out = out.map(|out| out.join(difference_name(&path, &taken)));
                match pair::judge(expected, actual, rules, out.as_deref()) {
                    Ok(judged) => Found::Judged(judged),
                    Err(CliError::Usage(message)) => Found::Unreadable(message),
                    Err(fault) => return Err(fault),
                }
            }
            [Some(_), None] => Found::Missing,
            _ => Found::Extra,
        };
        let [expected, actual] = there;
        let duration = clock.now().saturating_duration_since(began);
        Ok(Entry { path, expected, actual, found, duration })
    });
    compared.collect()
}

/// The path itself, with `.png` behind it where the file is no PNG; no two pictures get the same.
fn difference_name(path: &Path, taken: &BTreeSet<PathBuf>) -> PathBuf {
    let mut name = path.to_owned();
    while name.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png"))
        || (name != path && taken.contains(&name))
    {
        name.as_mut_os_string().push(".png");
    }
    name
}

/// The pictures below `root`, relative to it. Folders behind symbolic links may lead anywhere, also back up.
fn list(root: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let real = root.join(&folder);
        let failed = |error: io::Error| {
            CliError::Usage(format!("error: failed to list `{}`: {error}", real.display()))
        };
        for entry in fs::read_dir(&real).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type().map_err(failed)?);
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|target| target.is_dir()) {
                return Err(CliError::Usage(format!(
                    "error: `{}` is a symbolic link to a folder, which is not followed",
                    entry.path().display()
                )));
            } else if is_picture(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn is_picture(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    PICTURES.contains(&ending.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_pictures_are_png_and_never_share_a_name() {
        let taken = BTreeSet::from(["a.png", "a.jpg", "a.jpg.png", "b.webp"].map(PathBuf::from));
        let name = |path: &str| difference_name(Path::new(path), &taken).display().to_string();
        assert_eq!(name("a.png"), "a.png");
        assert_eq!(name("a.jpg.png"), "a.jpg.png");
        assert_eq!(name("a.jpg"), "a.jpg.png.png");
        assert_eq!(name("b.webp"), "b.webp.png");
    }
}
