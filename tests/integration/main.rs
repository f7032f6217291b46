//! Everything that starts the real thing: one test binary, so that it links once.

mod browser;
