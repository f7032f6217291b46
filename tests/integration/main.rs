//! The integration tests: one binary, a module for each part.

mod browser;
mod display;
