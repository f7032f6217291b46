//! The runner's side of the session host.

use std::{
    ffi::{OsStr, OsString},
    io,
    net::Shutdown,
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};

use super::{
    ROLE_ARGUMENT,
    child::{Tie, tie},
    protocol::{Reply, Request, Role, Spawn, receive, send},
};
use crate::desktop::{AppState, DesktopError};

/// Longest wait for an answer; the slowest one follows the grace of [`SessionHost::stop`].
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// A program to start, with everything it gets.
#[derive(Debug)]
pub(in crate::desktop) struct ToStart<'a> {
    /// The program and its arguments.
    pub(in crate::desktop) argv: Vec<OsString>,
    /// The whole environment.
    pub(in crate::desktop) env: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub(in crate::desktop) cwd: &'a Path,
    /// The number of each descriptor in the program, and the descriptor; 0 is always `/dev/null`.
    pub(in crate::desktop) descriptors: Vec<(i32, BorrowedFd<'a>)>,
    /// What it is to the case.
    pub(in crate::desktop) role: Role,
}

/// A started program.
#[derive(Debug, Clone, Copy)]
pub(in crate::desktop) struct Started {
    /// Names it in later requests.
    pub(in crate::desktop) app: u32,
    /// Its process.
    pub(in crate::desktop) pid: u32,
}

/// A running session host. Dropping it ends everything it started.
#[derive(Debug)]
pub(in crate::desktop) struct SessionHost {
    socket: Option<UnixStream>,
    process: Child,
}

impl SessionHost {
    /// Starts a host for the case of this folder, whose lock it keeps and which it removes in the end.
    pub(in crate::desktop) fn start(
        program: Option<&Path>,
        folder: &Path,
        lock: BorrowedFd<'_>,
    ) -> Result<Self, DesktopError> {
        // The running program's file may have been replaced or deleted meanwhile; this link still reaches it.
        let program = program.unwrap_or(Path::new("/proc/self/exe"));
        let start = |source| DesktopError::Start { program: program.display().to_string(), source };
        let (ours, theirs) = UnixStream::pair().map_err(start)?;
        ours.set_read_timeout(Some(ANSWER_LIMIT)).map_err(start)?;
        let mut command = Command::new(program);
        command.arg(ROLE_ARGUMENT).current_dir("/").stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
        tie(&mut command, Tie::NewSession);
        let process = command.spawn().map_err(start)?;
        // Closes our copy of the host's end, without which its death would go unnoticed.
        drop(command);
        let host = Self { socket: Some(ours), process };
        host.tell(&Request::Adopt { folder: folder.into() }, &[lock])?;
        Ok(host)
    }

    /// A copy of our end of its socket: shutting that down ends the host from another thread.
    pub(in crate::desktop) fn lifeline(&self) -> Result<UnixStream, DesktopError> {
        self.socket()?.try_clone().map_err(|error| DesktopError::Host(error.to_string()))
    }

    /// Starts a program.
    pub(in crate::desktop) fn spawn(&self, program: ToStart<'_>) -> Result<Started, DesktopError> {
        let name = program.argv.first().map(OsString::as_os_str).unwrap_or_default().to_owned();
        let (numbers, descriptors): (Vec<_>, Vec<_>) = program.descriptors.into_iter().unzip();
        let request = Request::Spawn(Spawn {
            argv: program.argv,
            env: program.env,
            cwd: program.cwd.into(),
            descriptors: numbers,
            role: program.role,
        });
        self.tell(&request, &descriptors)?;
        match self.answer()? {
            Reply::Started { app, pid } => Ok(Started { app, pid }),
            Reply::NotStarted { errno } => Err(not_started(&name, program.cwd, errno)),
            other => Err(unexpected(&other)),
        }
    }

    /// How a program stands.
    pub(in crate::desktop) fn state(&self, app: u32) -> Result<AppState, DesktopError> {
        self.tell(&Request::State { app }, &[])?;
        self.state_answer()
    }

    /// Ends a program and all it started: by SIGTERM, and by SIGKILL what is left after `grace`.
    pub(in crate::desktop) fn stop(&self, app: u32, grace: Duration) -> Result<AppState, DesktopError> {
        self.tell(&Request::Stop { app, grace_ms: grace.as_millis() as u64 }, &[])?;
        self.state_answer()
    }

    /// Ends everything and waits until the host itself is gone.
    pub(in crate::desktop) fn close(&mut self, limit: Duration) -> Result<(), DesktopError> {
        let Some(socket) = self.socket.take() else { return Ok(()) };
        // Not only dropped: whoever could cut this line holds a copy.
        let _ = socket.shutdown(Shutdown::Both);
        let ended = self.await_exit(limit);
        if !matches!(ended, Ok(true)) {
            // Its direct children die with it; the caller looks for the others.
            let _ = self.process.kill();
        }
        let status = self.process.wait().map_err(|error| DesktopError::Host(error.to_string()))?;
        match ended {
            Ok(true) if status.success() => Ok(()),
            Ok(true) => Err(DesktopError::Host(format!("it ended early ({status})"))),
            Ok(false) => Err(DesktopError::Host(format!("it was not done after {limit:?}"))),
            Err(error) => Err(DesktopError::Host(error.to_string())),
        }
    }

    fn await_exit(&self, limit: Duration) -> io::Result<bool> {
        let pid = Pid::from_child(&self.process);
        let handle = pidfd_open(pid, PidfdFlags::empty())?;
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        let mut watched = [PollFd::new(&handle, PollFlags::IN)];
        Ok(rustix::io::retry_on_intr(|| poll(&mut watched, Some(&limit)))? > 0)
    }

    fn state_answer(&self) -> Result<AppState, DesktopError> {
        match self.answer()? {
            Reply::Running => Ok(AppState::Running),
            Reply::Exited(code) => Ok(AppState::Exited(code)),
            Reply::Killed(signal) => Ok(AppState::Killed(signal)),
            other => Err(unexpected(&other)),
        }
    }

    fn tell(&self, request: &Request, descriptors: &[BorrowedFd<'_>]) -> Result<(), DesktopError> {
        match send(self.socket()?, request, descriptors) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(gone()),
            other => other.map_err(|error| DesktopError::Host(error.to_string())),
        }
    }

    fn answer(&self) -> Result<Reply, DesktopError> {
        match receive(self.socket()?) {
            Ok(Some((reply, _))) => Ok(reply),
            Ok(None) => Err(gone()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(DesktopError::Host(format!("it did not answer within {ANSWER_LIMIT:?}")))
            }
            Err(error) => Err(DesktopError::Host(error.to_string())),
        }
    }

    fn socket(&self) -> Result<&UnixStream, DesktopError> {
        self.socket.as_ref().ok_or_else(|| DesktopError::Host("the display was closed".to_owned()))
    }
}

impl Drop for SessionHost {
    fn drop(&mut self) {
        let _ = self.close(ANSWER_LIMIT);
    }
}

fn not_started(name: &OsStr, cwd: &Path, errno: i32) -> DesktopError {
    let (program, source) = (name.to_string_lossy().into_owned(), io::Error::from_raw_os_error(errno));
    if source.kind() != io::ErrorKind::NotFound {
        DesktopError::Start { program, source }
    } else if cwd.is_dir() {
        DesktopError::ProgramMissing { program, hint: String::new() }
    } else {
        let reason = format!("its folder `{}` does not exist", cwd.display());
        DesktopError::Start { program, source: io::Error::new(io::ErrorKind::NotFound, reason) }
    }
}

fn unexpected(reply: &Reply) -> DesktopError {
    DesktopError::Host(format!("it answered {reply:?}"))
}

fn gone() -> DesktopError {
    DesktopError::Host(
        "it is gone (a program that opens displays must call `session_host_main` first in its `main`)"
            .to_owned(),
    )
}
