//! cu-run runs YAML scenarios of computer actions, each on a fresh X display with a real browser, and compares
//! the screenshots with accepted baselines.

pub mod browser;
pub mod clock;
pub mod compare;
pub mod desktop;
pub mod diagnostic;
pub mod geometry;
pub mod id;
pub mod input;
pub mod observe;
pub mod outcome;
pub mod report;
pub mod scenario;
pub mod visible;
