//! The `[[ATTACHMENT|path]]` lines by which readers find pictures and logs.
//!
//! Paths are relative to the folder of the JUnit file, so that it can be moved together with the artifacts; only files
//! that exist are named.

use std::path::{Path, PathBuf};

use crate::{
    outcome::{ImageBase, ImageRef, StepOutcome},
    report::file::relative,
    visible,
};

/// Where pictures and logs lie, seen from the JUnit file.
pub(super) struct Attachments {
    artifacts: Option<Folder>,
    baselines: Option<Folder>,
}

/// A folder on disk and the way to it from the JUnit file.
struct Folder {
    real: PathBuf,
    way: PathBuf,
}

impl Attachments {
    /// For a JUnit file at `junit`. A folder that does not exist has no attachments.
    pub(super) fn of(junit: &Path, artifacts: &Path, baselines: &Path) -> Self {
        let here = nearest_folder(junit);
        let folder = |path: &Path| {
            let real = path.canonicalize().ok()?;
            let way = relative(&real, here.as_deref()?);
            Some(Folder { real, way })
        };
        Self { artifacts: folder(artifacts), baselines: folder(baselines) }
    }

    /// The pictures of a step, the most telling first: some readers show only one. A step that passed needs no baseline
    /// beside its capture.
    pub(super) fn pictures(&self, step: &StepOutcome) -> Vec<String> {
        let Some(checkpoint) = step.checkpoint.as_deref() else { return Vec::new() };
        let baseline = checkpoint.baseline.as_ref().filter(|_| !step.verdict.is_passed());
        let actual = checkpoint.actual.as_ref().filter(|actual| actual.base == ImageBase::Artifacts);
        let pictures = [checkpoint.difference.as_ref(), actual, baseline];
        pictures.into_iter().flatten().filter_map(|picture| self.picture(picture)).collect()
    }

    fn picture(&self, picture: &ImageRef) -> Option<String> {
        let folder = match picture.base {
            ImageBase::Artifacts => &self.artifacts,
            ImageBase::Baselines => &self.baselines,
        };
        line(folder.as_ref()?, &picture.path)
    }

    /// A log below the artifacts.
    pub(super) fn log(&self, path: &Path) -> Option<String> {
        line(self.artifacts.as_ref()?, path)
    }
}

/// The line for `path` below `folder`; `None` when there is no such file or no reader could make out its name.
fn line(folder: &Folder, path: &Path) -> Option<String> {
    if !folder.real.join(path).is_file() {
        return None;
    }
    let shown = folder.way.join(path);
    let shown = shown.to_str()?;
    let legible = !shown.contains("]]") && visible::line(shown) == shown;
    legible.then(|| format!("[[ATTACHMENT|{shown}]]"))
}

/// The real folder that `file` will be in, whether or not it exists yet.
fn nearest_folder(file: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(file).ok()?.parent()?.to_owned();
    let there = folder.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    let (there, real) = there?;
    Some(real.join(folder.strip_prefix(there).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_leads_over_the_common_folder() {
        let way = |to: &str, from: &str| relative(Path::new(to), Path::new(from)).display().to_string();
        assert_eq!(way("/a/b/c", "/a/b/c"), "");
        assert_eq!(way("/a/art [1]", "/a/w d/reports/deep"), "../../../art [1]");
        assert_eq!(way("/a/b", "/"), "a/b");
    }

    #[test]
    fn only_files_that_exist_and_can_be_named_are_attached() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        for name in ["good [1].png", "bad]].png", "bad\n.png"] {
            std::fs::write(real.join(name), "").unwrap();
        }
        let folder = Folder { real, way: PathBuf::from("../art") };
        let of = |name: &str| line(&folder, Path::new(name));
        assert_eq!(of("good [1].png").as_deref(), Some("[[ATTACHMENT|../art/good [1].png]]"));
        assert_eq!((of("bad]].png"), of("bad\n.png"), of("missing.png"), of("")), (None, None, None, None));
    }
}
