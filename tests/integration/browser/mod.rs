//! The browser room against a real Chromium on a real display.

mod opening;
mod server;
mod stage;
mod test_desktop;
