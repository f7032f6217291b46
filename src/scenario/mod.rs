//! What the author wrote: one YAML file is a scenario, and each of its matrix rows becomes a [`Case`].
//!
//! Data that never runs: files are found, parsed, checked and planned here, and every mistake of every file is a
//! [`crate::diagnostic::Diagnostic`]. The runner, policy, observe and cli rooms read it. It must not know displays, browsers or
//! what happened.

mod access;
mod action;
mod aim;
mod authored;
mod browser_actions;
mod browser_settings;
mod browsing;
mod build;
mod build_checkpoint;
mod checkpoint;
mod declare;
mod decode;
mod discover;
mod emulation;
mod error;
mod library;
mod matrix;
mod model;
mod numbers;
mod parse;
mod payload;
mod plan;
mod schema;
mod settings;
mod steps;
mod target;
mod template;
mod tree;
mod validate;
mod values;
mod vars;
mod words;
mod wrappers;

pub use action::{
    Action, Click, Drag, HoldKey, Launch, Navigate, OpenBrowser, ScrollDirection, ScrollWheel, TypeText,
    WaitStill,
};
pub use browsing::{
    Answer, AnswerDialog, BrowserName, BrowserSettings, FailOn, KeepDownload, PresetCookie, PresetStorage,
    SignIn, TabQuery, Upload,
};
pub use checkpoint::{Checkpoint, CompareRules, Mask};
pub use model::{Case, DisplaySettings, Keyboard, Ready, Service, Step, StepOptions};
pub use plan::load;
pub use schema::json_schema;
pub use target::Target;
pub use template::{Bindings, Piece, Template};
pub use vars::Overrides;
