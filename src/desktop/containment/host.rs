//! The session host itself: a small single-threaded process between the runner and the programs of one case.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs, io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
    time::Duration,
};

use command_fds::{CommandFdExt, FdMapping};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, test_kill_process, wait},
};

use super::{
    MARK_VARIABLE, ROLE_ARGUMENT,
    child::{Tie, tie},
    processes::{carries_mark, descendants},
    protocol::{Reply, Request, Role, Spawn, receive, send},
};
use crate::{
    clock::{Deadline, SystemClock},
    desktop::case_folder::release_display,
};

/// How long the X server may take to end by itself; it was measured to take 6 ms.
const SERVER_GRACE: Duration = Duration::from_secs(1);

/// How long killed processes may take to be gone; one in an uninterruptible system call takes longest.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// How long to wait at most before looking for living descendants again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Does a session host's whole work when this process was started as one; otherwise returns `None` at once.
///
/// Every program that opens displays through [`XvfbSource`](crate::desktop::XvfbSource) calls this first in `main`,
/// because the program itself is started again as the host.
#[must_use]
pub fn session_host_main() -> Option<ExitCode> {
    if std::env::args_os().nth(1).as_deref() != Some(OsStr::new(ROLE_ARGUMENT)) {
        return None;
    }
    let outcome = Host::new().map(Host::run);
    Some(if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Host {
    socket: UnixStream,
    child_ended: UnixStream,
    folder: Option<PathBuf>,
    /// Held, never read: the folder's lock is free only once this process is gone too.
    lock: Option<OwnedFd>,
    apps: BTreeMap<u32, Program>,
}

struct Program {
    pid: Pid,
    role: Role,
    ended: Option<Ended>,
}

#[derive(Clone, Copy)]
enum Ended {
    Exited(i32),
    Killed(i32),
}

impl Host {
    fn new() -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        let (child_ended, wakes) = UnixStream::pair()?;
        child_ended.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, wakes)?;
        // Handled rather than ignored: what is ignored stays ignored in every program started from here.
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            signal_hook::flag::register(signal, std::sync::Arc::default())?;
        }
        // Standard input stays open as this process's descriptor 0; every program gets `/dev/null` there.
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Self { socket, child_ended, folder: None, lock: None, apps: BTreeMap::new() })
    }

    fn run(mut self) {
        while let Ok(Some((request, descriptors))) = self.next_request() {
            if self.serve(request, descriptors).is_err() {
                break;
            }
        }
        self.end_everything();
        if let Some(folder) = &self.folder {
            release_display(folder);
            // A process outside of this session might still write into it; what is left, a later run removes.
            let _ = fs::remove_dir_all(folder);
        }
        drop(self.lock);
    }

    /// The next request; `None` when the runner is gone. Takes note of ended programs while waiting.
    fn next_request(&mut self) -> io::Result<Option<(Request, Vec<OwnedFd>)>> {
        loop {
            self.reap();
            if self.wait_for_news()? {
                return receive(&self.socket);
            }
        }
    }

    fn serve(&mut self, request: Request, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        let reply = match request {
            Request::Adopt { folder } => {
                self.folder = Some(folder.into());
                self.lock = descriptors.into_iter().next();
                return Ok(());
            }
            Request::Spawn(program) => match self.spawn(program, descriptors) {
                Ok((app, pid)) => Reply::Started { app, pid },
                Err(error) => Reply::NotStarted { errno: error.raw_os_error().unwrap_or_default() },
            },
            Request::State { app } => self.state(app),
            Request::Stop { app, grace_ms } => {
                self.stop(app, Duration::from_millis(grace_ms));
                self.state(app)
            }
        };
        send(&self.socket, &reply, &[])
    }

    fn spawn(&mut self, program: Spawn, descriptors: Vec<OwnedFd>) -> io::Result<(u32, u32)> {
        let app = self.apps.len() as u32;
        let Some((name, arguments)) = program.argv.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut command = Command::new(name);
        command.args(arguments).env_clear().envs(program.env).env(MARK_VARIABLE, self.mark(app));
        command.current_dir(program.cwd).stdin(Stdio::null()).process_group(0);
        let mappings = program.descriptors.iter().zip(descriptors);
        let mappings = mappings.map(|(child_fd, parent_fd)| FdMapping { parent_fd, child_fd: *child_fd });
        command.fd_mappings(mappings.collect()).map_err(io::Error::other)?;
        tie(&mut command, Tie::DieWithParent);
        let child = command.spawn()?;
        self.apps.insert(app, Program { pid: Pid::from_child(&child), role: program.role, ended: None });
        Ok((app, child.id()))
    }

    fn mark(&self, app: u32) -> OsString {
        self.folder.clone().unwrap_or_default().join(app.to_string()).into_os_string()
    }

    fn state(&mut self, app: u32) -> Reply {
        self.reap();
        match self.apps.get(&app).map(|program| program.ended) {
            None => Reply::Unknown,
            Some(None) => Reply::Running,
            Some(Some(Ended::Exited(code))) => Reply::Exited(code),
            Some(Some(Ended::Killed(signal))) => Reply::Killed(signal),
        }
    }

    fn stop(&mut self, app: u32, grace: Duration) {
        Self::send_signal(&self.living_of(app), Signal::TERM);
        if !self.await_end(grace, |host| host.living_of(app)) {
            self.kill_until_none_left(|host| host.living_of(app));
        }
    }

    /// The processes of an app: its tree, and what left the tree but still carries its mark.
    fn living_of(&self, app: u32) -> Vec<Pid> {
        let Some(program) = self.apps.get(&app) else { return Vec::new() };
        let mut found = if program.ended.is_none() {
            [vec![program.pid], descendants(program.pid)].concat()
        } else {
            Vec::new()
        };
        let mark = self.mark(app);
        found.extend(descendants(getpid()).into_iter().filter(|pid| carries_mark(*pid, &mark)));
        found.sort_unstable_by_key(|pid| pid.as_raw_pid());
        found.dedup();
        found
    }

    /// Apps first, so that none sees its display go; then the server, which removes its socket when it ends by SIGTERM.
    fn end_everything(&mut self) {
        self.kill_until_none_left(|host| {
            let servers: Vec<_> = host.servers().collect();
            descendants(getpid()).into_iter().filter(|pid| !servers.contains(pid)).collect()
        });
        let servers: Vec<_> = self.servers().collect();
        Self::send_signal(&servers, Signal::TERM);
        self.await_end(SERVER_GRACE, |_| descendants(getpid()));
        self.kill_until_none_left(|_| descendants(getpid()));
    }

    fn servers(&self) -> impl Iterator<Item = Pid> {
        let running = |program: &&Program| program.role == Role::Server && program.ended.is_none();
        self.apps.values().filter(running).map(|program| program.pid)
    }

    fn send_signal(processes: &[Pid], signal: Signal) {
        for pid in processes {
            let _ = kill_process(*pid, signal);
        }
    }

    fn kill_until_none_left(&mut self, living: impl Fn(&Self) -> Vec<Pid>) {
        // Again and again: a process may have forked after it was listed and before it was killed.
        self.await_end(KILL_LIMIT, |host| {
            let left = living(host);
            Self::send_signal(&left, Signal::KILL);
            left
        });
    }

    /// Waits until `living` finds no process; `false` when some were left after `limit`.
    fn await_end(&mut self, limit: Duration, living: impl Fn(&Self) -> Vec<Pid>) -> bool {
        let deadline = Deadline::after(&SystemClock, limit);
        loop {
            self.reap();
            let left = living(self);
            if left.is_empty() {
                return true;
            }
            if deadline.has_passed(&SystemClock) {
                return false;
            }
            self.await_gone(&left);
        }
    }

    /// Waits until these processes are gone, or [`LOOK_AGAIN`] has passed. To look through all processes of the machine at
    /// the end of each one would cost more than their end does.
    fn await_gone(&mut self, processes: &[Pid]) {
        let deadline = Deadline::after(&SystemClock, LOOK_AGAIN);
        while !deadline.has_passed(&SystemClock)
            && processes.iter().any(|pid| test_kill_process(*pid).is_ok())
        {
            self.wait_for_children(deadline.remaining(&SystemClock));
            self.reap();
        }
    }

    /// Takes note of every ended child, also of those that other processes left behind.
    fn reap(&mut self) {
        let mut wakes = [0; 64];
        while io::Read::read(&mut self.child_ended, &mut wakes).is_ok_and(|length| length > 0) {}
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if let Some(program) = self.apps.values_mut().find(|app| app.pid == pid && app.ended.is_none()) {
                program.ended = Some(match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Ended::Exited(code),
                    (None, signal) => Ended::Killed(signal.unwrap_or_default()),
                });
            }
        }
    }

    fn wait_for_children(&self, limit: Duration) {
        let limit = Timespec::try_from(limit).ok();
        let _ = poll(&mut [PollFd::new(&self.child_ended, PollFlags::IN)], limit.as_ref());
    }

    /// Waits for a request or the end of a child; whether there is a request (or the runner is gone).
    fn wait_for_news(&self) -> io::Result<bool> {
        let mut watched =
            [PollFd::new(&self.socket, PollFlags::IN), PollFd::new(&self.child_ended, PollFlags::IN)];
        rustix::io::retry_on_intr(|| poll(&mut watched, None))?;
        Ok(!watched[0].revents().is_empty())
    }
}
