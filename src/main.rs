//! The command `cu-run`: see the library's documentation for the map of its rooms.

use std::process::ExitCode;

use cu_run::{cli, desktop};

fn main() -> ExitCode {
    // The same program, started by itself, contains the processes of a case.
    if let Some(code) = desktop::session_host_main() {
        return code;
    }
    cli::run().into()
}
