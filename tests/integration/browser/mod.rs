//! The browser room against a real Chromium on a real display.

mod dialogs;
mod dying;
mod finding;
mod freezing;
mod loading;
mod opening;
mod server;
mod stage;
