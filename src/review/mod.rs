//! What people decide after a run: which of its captures become baselines.
//!
//! Works on what a run left on disk, here or in an archive from another machine. May be called by the command line; must
//! not know how a run is done. Whatever is read is taken for hostile: it may come from a machine nobody here controls.

mod accept;
mod run_folder;

pub use accept::{AcceptError, Accepted, Candidate, Change, Plan, Refusal, plan};
pub use run_folder::{RunFolder, RunFolderError};
