//! The command `cu-run`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The program starts itself again as the process that contains a case.
    if let Some(code) = cu_run::desktop::session_host_main() {
        return code;
    }
    ExitCode::SUCCESS
}
