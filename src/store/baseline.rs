//! The accepted pictures.

use std::path::{Path, PathBuf};

use image::RgbImage;

use super::{
    Fingerprint, PictureFault, PixelDigest, StoreError,
    chunks::Layout,
    folder::{self, Durability},
    png::{self, Limits},
    variant::{self, KnownIssue, LAST_VARIANT},
};
use crate::{
    geometry::Size,
    id::{CaseId, Name},
};

/// A folder of accepted pictures: `<root>/<case id>/<checkpoint>.png`, and variants `<checkpoint>@2.png` to `@9.png`.
#[derive(Debug, Clone)]
pub struct BaselineStore {
    root: PathBuf,
    limits: Limits,
}

/// An accepted picture whose file has been checked and not yet decoded.
#[derive(Debug, Clone)]
pub struct Baseline {
    path: PathBuf,
    relative: PathBuf,
    size: Size,
    digest: Option<PixelDigest>,
    fingerprint: Option<Fingerprint>,
    variant: u32,
    known_issue: Option<KnownIssue>,
    limits: Limits,
    bytes: Vec<u8>,
}

/// What accepting may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Only a picture that can be read. A Git LFS pointer or a damaged file stays, and is an error.
    Pictures,
    /// Any file.
    AnyFile,
}

impl BaselineStore {
    /// The pictures below `root`, which need not exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), limits: Limits::DEFAULT }
    }

    /// The same pictures under other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { root: self.root, limits }
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the picture of a checkpoint lies, below the root.
    #[must_use]
    pub fn relative_path(case: &CaseId, checkpoint: &Name) -> PathBuf {
        // Not `with_extension`: a checkpoint `home.diff` must not become `home.png`.
        case.to_path().join(format!("{checkpoint}.png"))
    }

    /// The baseline of a checkpoint; `None` only when there is no file. A file that is no picture is an
    /// error. Reads and checks the file without decoding the pixels.
    pub fn lookup(&self, case: &CaseId, checkpoint: &Name) -> Result<Option<Baseline>, StoreError> {
        self.read(Self::relative_path(case, checkpoint), 1)
    }

    /// All accepted pictures of a checkpoint in the order in which they are tried: the plain one, then its variants by
    /// number; none when there is no file.
    pub fn lookup_variants(&self, case: &CaseId, checkpoint: &Name) -> Result<Vec<Baseline>, StoreError> {
        let plain = self.lookup(case, checkpoint)?;
        let variants = (2..=LAST_VARIANT).filter_map(|number| {
            let relative = case.to_path().join(format!("{checkpoint}@{number}.png"));
            self.read(relative, number).transpose()
        });
        plain.map(Ok).into_iter().chain(variants).collect()
    }

    fn read(&self, relative: PathBuf, variant: u32) -> Result<Option<Baseline>, StoreError> {
        let path = self.root.join(&relative);
        let Some(bytes) = folder::read(&path, &self.limits)? else { return Ok(None) };
        let known_issue = if variant > 1 { variant::note(&path)? } else { None };
        match Layout::read(&bytes, |size| self.limits.check(size)) {
            Ok(layout) => Ok(Some(Baseline {
                digest: layout.believed_digest(),
                size: layout.size,
                fingerprint: layout.fingerprint,
                variant,
                known_issue,
                limits: self.limits,
                path,
                relative,
                bytes,
            })),
            Err(fault) => Err(StoreError::Picture { path, fault }),
        }
    }

    /// Makes `picture` the baseline of a checkpoint and returns where it lies: the only way a baseline
    /// changes. The file appears whole, and is on the disk when this returns. A symbolic link within the root
    /// is written through; one that leaves it is an error.
    pub fn accept(
        &self,
        case: &CaseId,
        checkpoint: &Name,
        picture: &RgbImage,
        fingerprint: &Fingerprint,
        overwrite: Overwrite,
    ) -> Result<PathBuf, StoreError> {
        let relative = Self::relative_path(case, checkpoint);
        let path = self.root.join(&relative);
        let bytes = png::encode_baseline(picture, fingerprint)
            .map_err(|fault| StoreError::Picture { path: path.clone(), fault })?;
        let place = folder::place(&self.root, &relative)?;
        if overwrite == Overwrite::Pictures
            && let Some(fault) = self.present_fault(&place)?
        {
            return Err(StoreError::NotReplaced { path, fault });
        }
        folder::write(&place, &bytes, Durability::Synced)?;
        Ok(path)
    }

    /// What is wrong with the file that is there, if one is.
    fn present_fault(&self, path: &Path) -> Result<Option<PictureFault>, StoreError> {
        match folder::read(path, &self.limits) {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => Ok(png::decode(&bytes, &self.limits).err()),
            Err(StoreError::Picture { fault, .. }) => Ok(Some(fault)),
            Err(error) => Err(error),
        }
    }
}

impl Baseline {
    /// The pixels.
    pub fn load(&self) -> Result<RgbImage, StoreError> {
        png::decode(&self.bytes, &self.limits)
            .map_err(|fault| StoreError::Picture { path: self.path.clone(), fault })
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same, below the root.
    #[must_use]
    pub fn relative_path(&self) -> &Path {
        &self.relative
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The digest of the pixels; `None` when another program has written the file, so that it must be
    /// decoded.
    #[must_use]
    pub const fn digest(&self) -> Option<PixelDigest> {
        self.digest
    }

    /// 1 for the plain picture, its number for a variant.
    #[must_use]
    pub const fn variant(&self) -> u32 {
        self.variant
    }

    /// Why it is accepted for a while only, when that is noted beside it.
    #[must_use]
    pub const fn known_issue(&self) -> Option<&KnownIssue> {
        self.known_issue.as_ref()
    }

    /// The environment in which it was accepted, when the file says so.
    #[must_use]
    pub const fn fingerprint(&self) -> Option<&Fingerprint> {
        self.fingerprint.as_ref()
    }
}
