//! Where pictures and logs lie, as relative URLs seen from the report.
//!
//! A URL never leaves its folder, names no scheme and means the same from disk as from a server.

use std::{
    fmt::Write,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

use crate::{
    outcome::{CaseOutcome, CheckpointOutcome, ImageBase, ImageRef},
    report::file::relative,
};

/// The folder of the report and the way from it to the baselines.
pub(super) struct Places<'a> {
    artifacts: &'a Path,
    /// `None` when the baselines are not on this machine.
    baselines: Option<PathBuf>,
}

impl<'a> Places<'a> {
    /// For a report in `artifacts`.
    pub(super) fn of(artifacts: &'a Path, baselines: &Path) -> Self {
        let way =
            artifacts.canonicalize().and_then(|from| Ok(relative(&baselines.canonicalize()?, &from))).ok();
        Self { artifacts, baselines: way }
    }

    /// The URL of a picture; `None` when the report cannot lead to it.
    pub(super) fn picture(&self, picture: &ImageRef) -> Option<String> {
        match picture.base {
            ImageBase::Artifacts => Self::artifact(&picture.path),
            ImageBase::Baselines => {
                is_below(&picture.path).then_some(())?;
                Some(url(&self.baselines.as_ref()?.join(&picture.path)))
            }
        }
    }

    /// The URL of the picture that a checkpoint was compared with.
    ///
    /// This is the one rule for it: a checkpoint that differs leaves a copy at `<case>/expected/<name>.png`, which the
    /// artifacts keep also when they travel without the baselines; otherwise the baseline itself is shown. After this
    /// run has replaced the baseline, the picture it was compared with is gone.
    pub(super) fn expected(&self, case: &CaseOutcome, checkpoint: &CheckpointOutcome) -> Option<String> {
        if checkpoint.accepted {
            return None;
        }
        let baseline = checkpoint.baseline.as_ref()?;
        let copy = case.folder.join("expected").join(format!("{}.png", checkpoint.name));
        if baseline.base == ImageBase::Baselines && is_below(&copy) && self.artifacts.join(&copy).is_file() {
            return Some(url(&copy));
        }
        self.picture(baseline)
    }

    /// The URL of a file below the artifacts.
    pub(super) fn artifact(path: &Path) -> Option<String> {
        is_below(path).then(|| url(path))
    }

    /// The file of a log below the artifacts.
    pub(super) fn log(&self, path: &Path) -> Option<PathBuf> {
        is_below(path).then(|| self.artifacts.join(path))
    }
}

/// Whether `path` stays in the folder it starts from.
fn is_below(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// `path` percent-encoded byte by byte, so that names that are not UTF-8 lead to their file too (RFC 3986, 2.3: only
/// unreserved characters stay).
fn url(path: &Path) -> String {
    let mut url = String::with_capacity(path.as_os_str().len() + 8);
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            url.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::geometry::Size;

    fn picture(base: ImageBase, path: &str) -> ImageRef {
        ImageRef { base, path: path.into(), digest: String::new(), size: Size::new(1, 1) }
    }

    #[test]
    fn every_byte_that_means_something_in_a_url_is_encoded() {
        assert_eq!(url(Path::new("a/Ü ?#%.png")), "a/%C3%9C%20%3F%23%25.png");
        assert_eq!(url(Path::new("javascript:alert(1)")), "javascript%3Aalert%281%29");
        assert_eq!(url(Path::new(OsStr::from_bytes(b"\xff.png"))), "%FF.png");
    }

    #[test]
    fn a_path_that_leaves_the_artifacts_has_no_url() {
        let places = Places { artifacts: Path::new("art"), baselines: Some("../base".into()) };
        for path in ["../x.png", "/etc/passwd", "a/../../x", ""] {
            assert_eq!(places.picture(&picture(ImageBase::Artifacts, path)), None, "{path}");
            assert_eq!(places.picture(&picture(ImageBase::Baselines, path)), None, "{path}");
            assert_eq!(places.log(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn the_baselines_are_reached_from_the_artifacts_when_both_are_here() {
        let root = tempfile::tempdir().unwrap();
        let (artifacts, baselines) = (root.path().join("out/a b"), root.path().join("base"));
        std::fs::create_dir_all(&artifacts).unwrap();
        let wanted = picture(ImageBase::Baselines, "x/home.png");
        assert_eq!(Places::of(&artifacts, &baselines).picture(&wanted), None);
        std::fs::create_dir_all(&baselines).unwrap();
        let url = Places::of(&artifacts, &baselines).picture(&wanted);
        assert_eq!(url.as_deref(), Some("../../base/x/home.png"));
    }
}
