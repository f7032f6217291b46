//! The one integration test binary.

mod images;
