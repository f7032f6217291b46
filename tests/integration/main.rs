//! One test binary for everything that is tested from outside: rooms by their public interfaces, and the program
//! itself on real displays. What a test needs (Xvfb, openbox, Chromium, xterm, zenity) must be there: a test whose
//! tools are missing fails.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accepting;
mod architecture;
mod browser;
mod browsing;
mod cancelling;
mod diff;
mod display;
mod images;
mod invalid;
mod language;
mod ordinary_user;
mod reports;
mod runner;
mod runs;
mod safety;
mod support;
