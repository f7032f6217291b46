//! The browser room against a real Chromium on a real display.

#![expect(clippy::unwrap_used, reason = "what these tests stand on must be there; otherwise they fail")]

mod dialogs;
mod dying;
mod finding;
mod freezing;
mod loading;
mod opening;
mod parking;
mod server;
mod stage;
