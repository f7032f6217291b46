//! The browser room against a real Chromium on a real display.

#![expect(clippy::unwrap_used, reason = "what these tests stand on must be there; otherwise they fail")]

mod console;
mod dialogs;
mod dying;
mod emulating;
mod files;
mod finding;
mod freezing;
mod loading;
mod opening;
mod parking;
mod preset;
mod server;
mod stage;
mod tabs;
