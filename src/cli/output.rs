//! What is said to the user. A reader that has seen enough (`cu-run --list | head`) is no error.

use std::io::{self, Write};

/// Says `text` on standard output, as the command's result.
pub(super) fn say(text: impl std::fmt::Display) {
    // Nobody is left who could be told.
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// Says `text` on standard error.
pub(super) fn complain(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
