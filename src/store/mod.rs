//! Pictures on disk: accepted baselines, the evidence of a run, and the PNG codec of both.
//!
//! May be called by the runner, the reviewer and the command line; must not know what a scenario is, nor how
//! pictures are compared. Whatever is read from disk is taken for hostile; whatever is written appears whole
//! or not at all.

mod baseline;
mod chunks;
mod digest;
mod error;
mod evidence;
mod fingerprint;
mod folder;
mod foreign;
pub mod png;
mod variant;

pub use baseline::{Baseline, BaselineStore, Overwrite};
pub use digest::{PixelDigest, PixelDigestError};
pub use error::{FileKind, PictureFault, StoreError};
pub use evidence::{EvidenceImage, EvidenceKind, EvidenceStore};
pub use fingerprint::{EnvironmentChange, Fingerprint};
pub use foreign::{Decoded, PictureFile, Transparency, write_picture};
pub use variant::KnownIssue;
