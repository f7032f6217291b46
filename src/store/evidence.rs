//! The pictures of a run.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use image::RgbImage;
use serde::{Deserialize, Serialize};

use super::{
    PixelDigest, StoreError,
    folder::{self, Durability},
    png,
};
use crate::{
    geometry::Size,
    id::{CaseId, Name},
};

/// The folder of a case's logs, in the folder of the case.
const LOGS: &str = "logs";

/// The folder of the files that a case downloaded, likewise.
const DOWNLOADS: &str = "downloads";

/// The artifacts folder of a run: `<root>/<case id>/{expected,actual,difference}/<checkpoint>.png`.
#[derive(Debug, Clone)]
pub struct EvidenceStore {
    root: PathBuf,
}

/// Which of a checkpoint's pictures. Each kind has a folder of its own, so that no checkpoint's name can
/// collide with another picture's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// The baseline it was compared with.
    Expected,
    /// The capture.
    Actual,
    /// Where they differ.
    Difference,
}

/// A picture that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceImage {
    /// Below the artifacts folder.
    pub path: PathBuf,
    /// Its pixels.
    pub digest: PixelDigest,
    /// Width and height.
    pub size: Size,
}

impl EvidenceStore {
    /// Pictures go below `root`, which is made when the first is written.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The artifacts folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a picture goes, below the root.
    #[must_use]
    pub fn relative_path(case: &CaseId, kind: EvidenceKind, checkpoint: &Name) -> PathBuf {
        case.to_path().join(kind.folder()).join(format!("{checkpoint}.png"))
    }

    /// Makes the folder of a case ready: what an earlier run left in it goes, other cases below it stay. Returns the
    /// folder for its logs.
    pub fn prepare(&self, case: &CaseId) -> Result<PathBuf, StoreError> {
        let folder = self.root.join(case.to_path());
        let kinds = [EvidenceKind::Expected, EvidenceKind::Actual, EvidenceKind::Difference];
        for own in kinds.map(EvidenceKind::folder).into_iter().chain([LOGS, DOWNLOADS]) {
            let path = folder.join(own);
            match fs::remove_dir_all(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::Write { path, source });
                }
                _ => {}
            }
        }
        let logs = folder.join(LOGS);
        fs::create_dir_all(&logs).map_err(|source| StoreError::Write { path: logs.clone(), source })?;
        // Programs on the display have other working folders.
        fs::canonicalize(&logs).map_err(|source| StoreError::Write { path: logs, source })
    }

    /// The logs of a case that hold anything, below the root, sorted. Empty ones are removed.
    #[must_use]
    pub fn logs(&self, case: &CaseId) -> Vec<PathBuf> {
        let relative = case.to_path().join(LOGS);
        let Ok(entries) = fs::read_dir(self.root.join(&relative)) else { return Vec::new() };
        let mut logs = Vec::new();
        for entry in entries.flatten() {
            if entry.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                // Only tidiness: a log that stays is no harm.
                let _ = fs::remove_file(entry.path());
            } else {
                logs.push(relative.join(entry.file_name()));
            }
        }
        logs.sort();
        logs
    }

    /// Keeps a copy of a file that a case downloaded; returns where it is, below the root.
    pub fn keep_download(&self, case: &CaseId, file: &Path) -> Result<PathBuf, StoreError> {
        let name = file.file_name().unwrap_or_default();
        let relative = case.to_path().join(DOWNLOADS).join(name);
        let place = folder::place(&self.root, &relative)?;
        fs::copy(file, &place).map_err(|source| StoreError::Write { path: place, source })?;
        Ok(relative)
    }

    /// Adds whole lines to a log of a case.
    pub fn append_log(&self, case: &CaseId, name: &str, lines: &str) -> Result<(), StoreError> {
        let path = self.root.join(case.to_path()).join(LOGS).join(name);
        // Programs under test can put a link in its place.
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let file = File::options().create(true).append(true).custom_flags(flags).open(&path);
        file.and_then(|mut file| file.write_all(lines.as_bytes()))
            .map_err(|source| StoreError::Write { path, source })
    }

    /// Rewrites the logs of a case by `clean`, line by line; what is not UTF-8 in a line that changes is replaced. Each log
    /// is the old one or the new one, whole.
    pub fn clean_logs(&self, case: &CaseId, clean: impl Fn(&str) -> String) -> Result<(), StoreError> {
        for log in self.logs(case) {
            let path = self.root.join(&log);
            rewrite_lines(&path, &clean).map_err(|source| StoreError::Write { path, source })?;
        }
        Ok(())
    }

    /// Writes a picture, whole or not at all, over one of an earlier try.
    pub fn write(
        &self,
        case: &CaseId,
        kind: EvidenceKind,
        checkpoint: &Name,
        picture: &RgbImage,
    ) -> Result<EvidenceImage, StoreError> {
        let relative = Self::relative_path(case, kind, checkpoint);
        let bytes = png::encode_evidence(picture)
            .map_err(|fault| StoreError::Picture { path: self.root.join(&relative), fault })?;
        let place = folder::place(&self.root, &relative)?;
        folder::write(&place, &bytes, Durability::Unsynced)?;
        Ok(EvidenceImage {
            path: relative,
            digest: PixelDigest::of(picture),
            size: Size::new(picture.width(), picture.height()),
        })
    }
}

/// Writes a changed copy beside the file and renames it; a file in which nothing changes is left alone.
fn rewrite_lines(path: &Path, clean: impl Fn(&str) -> String) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(path)?);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut copy = BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
    let (mut line, mut has_changed) = (Vec::new(), false);
    while reader.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let cleaned = clean(&text);
        if cleaned == *text {
            copy.write_all(&line)?;
        } else {
            has_changed = true;
            copy.write_all(cleaned.as_bytes())?;
        }
        line.clear();
    }
    let copy = copy.into_inner().map_err(io::IntoInnerError::into_error)?;
    if has_changed {
        copy.as_file().set_permissions(fs::metadata(path)?.permissions())?;
        copy.persist(path).map_err(|error| error.error)?;
    }
    Ok(())
}

impl EvidenceKind {
    const fn folder(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Actual => "actual",
            Self::Difference => "difference",
        }
    }
}
