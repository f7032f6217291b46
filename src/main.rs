//! The command `cu-run`: see the library's documentation for the map of its rooms.

fn main() {}
