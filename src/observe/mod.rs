//! What is announced while a run goes on, and who listens: the action log, the progress display, later the live page.
//!
//! The runner announces [`RunEvent`]s; observers never answer back. An observer that cannot do its duty (a full disk
//! under the log) says so, and the run ends with a fault: an action that cannot be logged is not done.

mod action_log;
mod event;
mod progress;

pub use action_log::ActionLog;
pub use event::{ActionRecord, ActionStatus, ObserveError, Observer, RunEvent};
pub use progress::{Progress, ProgressKind};
