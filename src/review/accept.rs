//! Making captures of a run the baselines, without running again.
//!
//! Everything is checked before anything is written: that a capture is the one the run saw, and that the baseline is still
//! the one the run compared with. So a picture that somebody accepted meanwhile is not lost.

use std::path::PathBuf;

use thiserror::Error;

use crate::{
    id::{CaseId, Name, NameError},
    outcome::{CheckpointOutcome, ImageBase, RunReport},
    store::{BaselineStore, Fingerprint, Overwrite, PixelDigest, StoreError},
};

use super::{RunFolder, RunFolderError};

/// A capture that can be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its case.
    pub case: CaseId,
    /// Its checkpoint.
    pub checkpoint: Name,
    /// The capture, below the artifacts.
    capture: PathBuf,
    /// Its pixels, as the run noted them.
    digest: String,
    /// The pixels of the baseline that the run compared with; `None` when there was none.
    compared_with: Option<String>,
    fingerprint: Fingerprint,
}

impl Candidate {
    /// How people name it: `case/checkpoint`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.case, self.checkpoint)
    }
}

/// What accepting a candidate does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// `case/checkpoint`.
    pub name: String,
    /// Where the baseline lies.
    pub path: PathBuf,
    /// What becomes of the file.
    pub change: Change,
}

/// What becomes of a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// There was none.
    New,
    /// Another picture takes its place.
    Replaced,
    /// It is this picture already; nothing is written.
    Kept,
}

/// Why a capture is not accepted.
#[derive(Debug, Error)]
pub enum Refusal {
    /// Somebody changed the baseline after the run.
    #[error(
        "{name}: the baseline `{}` is not the one the run compared with\nrun the scenarios again, or accept with --force", .path.display()
    )]
    OtherBaseline {
        /// `case/checkpoint`.
        name: String,
        /// The baseline.
        path: PathBuf,
    },
    /// The capture is not what the run saw.
    #[error(
        "{name}: the capture is not the picture that the run noted in its report\nrun the scenarios again"
    )]
    OtherCapture {
        /// `case/checkpoint`.
        name: String,
    },
    /// The capture or the baseline cannot be read.
    #[error("{name}: {reason}")]
    Unreadable {
        /// `case/checkpoint`.
        name: String,
        /// Why.
        reason: String,
    },
}

/// Why nothing can be planned, or a write failed.
#[derive(Debug, Error)]
pub enum AcceptError {
    /// The artifacts.
    #[error(transparent)]
    Run(#[from] RunFolderError),
    /// A name in the report could lead anywhere.
    #[error("the report names a checkpoint `{name}`: {source}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        source: NameError,
    },
    /// A baseline.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The captures of a run that are no baselines yet.
#[derive(Debug)]
pub struct Plan<'a> {
    run: &'a RunFolder,
    /// In the order of the report.
    pub candidates: Vec<Candidate>,
}

/// What can be accepted of a run.
pub fn plan<'a>(run: &'a RunFolder, report: &RunReport) -> Result<Plan<'a>, AcceptError> {
    let mut candidates = Vec::new();
    for case in &report.cases {
        for (step, checkpoint) in case.checkpoints() {
            let Some(capture) = capture_of(checkpoint).filter(|_| step.verdict.is_failed()) else { continue };
            let name = checkpoint.name.clone();
            candidates.push(Candidate {
                case: case.id.clone(),
                checkpoint: Name::new(&*name).map_err(|source| AcceptError::Name { name, source })?,
                capture: capture.0,
                digest: capture.1,
                compared_with: checkpoint.baseline.as_ref().map(|baseline| baseline.digest.clone()),
                fingerprint: case.fingerprint.clone().into_iter().collect(),
            });
        }
    }
    Ok(Plan { run, candidates })
}

/// A capture that the artifacts hold and that no run has accepted.
fn capture_of(checkpoint: &CheckpointOutcome) -> Option<(PathBuf, String)> {
    let actual = checkpoint.actual.as_ref().filter(|actual| actual.base == ImageBase::Artifacts)?;
    (!checkpoint.accepted).then(|| (actual.path.clone(), actual.digest.clone()))
}

impl Plan<'_> {
    /// Why candidates may not be accepted into `baselines`; empty when all may. With `force` only unreadable pictures
    /// are refused.
    #[must_use]
    pub fn refusals(&self, baselines: &BaselineStore, force: bool) -> Vec<Refusal> {
        self.candidates.iter().filter_map(|candidate| self.check(candidate, baselines, force).err()).collect()
    }

    fn check(&self, candidate: &Candidate, baselines: &BaselineStore, force: bool) -> Result<(), Refusal> {
        let name = candidate.name();
        let unreadable = |reason: String| Refusal::Unreadable { name: name.clone(), reason };
        let picture = self.run.picture(&candidate.capture).map_err(|error| unreadable(error.to_string()))?;
        if PixelDigest::of(&picture).to_string() != candidate.digest {
            return Err(Refusal::OtherCapture { name });
        }
        let present = match present(candidate, baselines) {
            // What lies there is no picture; only force replaces it.
            Err(error) if !force => return Err(unreadable(error.to_string())),
            Err(_) => return Ok(()),
            Ok(present) => present,
        };
        let is_known = present == candidate.compared_with || present.as_ref() == Some(&candidate.digest);
        if is_known || force {
            return Ok(());
        }
        let path =
            baselines.root().join(BaselineStore::relative_path(&candidate.case, &candidate.checkpoint));
        Err(Refusal::OtherBaseline { name, path })
    }

    /// What accepting a candidate changes; nothing is written.
    #[must_use]
    pub fn preview(&self, candidate: &Candidate, baselines: &BaselineStore) -> Accepted {
        let relative = BaselineStore::relative_path(&candidate.case, &candidate.checkpoint);
        let change = match present(candidate, baselines) {
            Ok(None) => Change::New,
            Ok(Some(digest)) if digest == candidate.digest => Change::Kept,
            Ok(Some(_)) | Err(_) => Change::Replaced,
        };
        Accepted { name: candidate.name(), path: baselines.root().join(relative), change }
    }

    /// Makes a candidate the baseline. At every moment the file is the old picture or the new one, whole.
    pub fn accept(
        &self,
        candidate: &Candidate,
        baselines: &BaselineStore,
        overwrite: Overwrite,
    ) -> Result<Accepted, AcceptError> {
        let accepted = self.preview(candidate, baselines);
        if accepted.change != Change::Kept {
            let picture = self.run.picture(&candidate.capture)?;
            let (case, checkpoint) = (&candidate.case, &candidate.checkpoint);
            baselines.accept(case, checkpoint, &picture, &candidate.fingerprint, overwrite)?;
        }
        Ok(accepted)
    }
}

/// The pixels of the baseline that is there.
fn present(candidate: &Candidate, baselines: &BaselineStore) -> Result<Option<String>, StoreError> {
    let Some(baseline) = baselines.lookup(&candidate.case, &candidate.checkpoint)? else { return Ok(None) };
    let digest = match baseline.digest() {
        Some(digest) => digest,
        None => PixelDigest::of(&baseline.load()?),
    };
    Ok(Some(digest.to_string()))
}
