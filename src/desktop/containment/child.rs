//! What happens in a child process between fork and exec.

use std::{io, os::unix::process::CommandExt, process::Command};

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal, setsid};

/// How a child process is tied to the process that starts it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tie {
    /// Not at all: it leads a session of its own.
    NewSession,
    /// The kernel kills it when the *thread* that started it ends, so this is for single-threaded processes.
    DieWithParent,
}

/// Makes the child of `command` tie itself before it becomes the program.
#[expect(unsafe_code, reason = "there is no safe way to run code between fork and exec")]
pub(super) fn tie(command: &mut Command, tie: Tie) {
    let parent = getpid();
    let prepare = move || match tie {
        Tie::NewSession => Ok(setsid().map(drop)?),
        Tie::DieWithParent => {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have ended before the signal was asked for.
            if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotConnected.into()) }
        }
    };
    // SAFETY: the closure makes plain system calls only. It allocates nothing, takes no lock and touches no state of
    // the parent, which is all that is asked for between fork and exec.
    unsafe { command.pre_exec(prepare) };
}
