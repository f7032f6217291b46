//! cu-run runs YAML scenarios of computer actions, each on a fresh X display with a real browser, and compares
//! the screenshots with accepted baselines.
//!
//! Every module is a room; the first lines of each say what it holds, who may call it and what it must not know.
//! `docs/architecture.md` shows how they hang together.
//!
//! * what the author wrote: [`scenario`]; may it be done: [`policy`]
//! * what happened: [`outcome`]; announced while it happens: [`observe`]; shown afterwards: [`report`]
//! * the screen: [`desktop`]; a browser on it: [`browser`]; what is where on it: [`find`]
//! * pixels: [`compare`]; pictures on disk: [`store`]
//! * what people decide afterwards: [`review`]
//! * who makes it happen: [`runner`]; who puts it all together: [`cli`]
//! * leaves: [`geometry`], [`id`], [`input`], [`clock`], [`diagnostic`], [`visible`]

pub mod browser;
pub mod cli;
pub mod clock;
pub mod compare;
pub mod desktop;
pub mod diagnostic;
pub mod find;
pub mod geometry;
pub mod id;
pub mod input;
pub mod observe;
pub mod outcome;
pub mod policy;
pub mod report;
pub mod review;
pub mod runner;
pub mod scenario;
pub mod store;
pub mod visible;
