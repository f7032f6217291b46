//! Opens displays: starts an Xvfb for each case and waits until it is ready.

use std::{
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
};

use super::{
    AppState, Desktop, DesktopError, DesktopSource, DesktopSpec, WindowManager,
    case_folder::{CaseFolder, sweep_stale},
    containment::{Role, SessionHost, Started},
    environment,
    launch::{Launcher, Log, program_missing},
    lifelines::Lifelines,
    session::XvfbDesktop,
    window_manager::OPENBOX_CONFIG,
    x11::Display,
};
use crate::clock::{Deadline, SystemClock};

/// Longest path of the folder for temporary files. Programs put sockets below it, whose paths end at 107 bytes;
/// Chromium's adds 50.
const LONGEST_ROOT: usize = 40;

/// With which programs displays are opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XvfbConfig {
    /// The program that is started as session host; by default the running one, whose `main` must then begin with
    /// [`session_host_main`](super::session_host_main).
    pub host_program: Option<PathBuf>,
    /// The X server; by default `Xvfb` from the `PATH`.
    pub xvfb: PathBuf,
    /// The window manager; by default `openbox` from the `PATH`.
    pub openbox: PathBuf,
    /// Where the cases' folders are made; by default `TMPDIR`, or `/tmp` when that is too long for socket paths.
    pub temp_root: Option<PathBuf>,
    /// How long the X server and the window manager may each take to start.
    pub start_timeout: Duration,
    /// How long an app may take to end after SIGTERM before it is killed.
    pub stop_grace: Duration,
}

impl Default for XvfbConfig {
    fn default() -> Self {
        Self {
            host_program: None,
            xvfb: "Xvfb".into(),
            openbox: "openbox".into(),
            temp_root: None,
            start_timeout: Duration::from_secs(10),
            stop_grace: Duration::from_secs(2),
        }
    }
}

impl XvfbConfig {
    /// Where the cases' folders are made.
    #[must_use]
    pub fn temp_root(&self) -> PathBuf {
        self.temp_root.clone().unwrap_or_else(|| {
            let root = std::env::temp_dir();
            if root.as_os_str().len() > LONGEST_ROOT { "/tmp".into() } else { root }
        })
    }
}

/// Opens a fresh Xvfb for each case.
#[derive(Debug)]
pub struct XvfbSource {
    config: XvfbConfig,
    lifelines: Arc<Lifelines>,
}

impl XvfbSource {
    /// A source of displays. Clears away first what killed runs left behind.
    #[must_use]
    pub fn new(config: XvfbConfig) -> Self {
        sweep_stale(&config.temp_root());
        Self { config, lifelines: Arc::default() }
    }
}

impl DesktopSource for XvfbSource {
    fn abort(&self) {
        self.lifelines.abort();
    }

    fn open(&self, spec: &DesktopSpec) -> Result<Box<dyn Desktop>, DesktopError> {
        self.lifelines.check()?;
        let folder = CaseFolder::create(&self.config.temp_root())?;
        let path = folder.path().to_owned();
        std::fs::create_dir_all(&spec.log_dir)
            .map_err(|source| DesktopError::File { path: spec.log_dir.clone(), source })?;
        let host = SessionHost::start(self.config.host_program.as_deref(), &path, folder.lock());
        // From here on the host removes the folder.
        let host = host.inspect_err(|_| drop(std::fs::remove_dir_all(&path)))?;
        let lifeline = self.lifelines.add(host.lifeline()?)?;
        let mut random = [0; 16];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
            .map_err(|error| DesktopError::Host(error.to_string()))?;
        let authority = folder.write("Xauthority", &authority(&random))?;

        let (number_pipe, number_end) = pipe()?;
        let log = Log::create(&spec.log_dir, "xvfb.log")?;
        let launcher = Launcher { host, folder };
        let server = self.start_server(&launcher, spec, &authority, &log, &number_end)?;
        drop(number_end);
        // Written while the server starts.
        environment::write_settings(&launcher.folder)?;
        launcher.folder.write("openbox.xml", OPENBOX_CONFIG.as_bytes())?;
        let number = self.await_number(&launcher.host, server, number_pipe, &log)?;
        launcher.folder.record_display(number, server.pid)?;

        let display = Display::open(number, &random, spec.window_manager)?;
        if display.size() != spec.size {
            let reason = format!("the screen is {} instead of {}", display.size(), spec.size);
            return Err(DesktopError::Refused { request: "a screen of this size", reason });
        }
        let mut environment = environment::base(&launcher.folder, number);
        environment.extend(spec.env.iter().map(|(name, value)| (name.into(), value.into())));
        let manager = match spec.window_manager {
            WindowManager::Openbox => Some(self.start_openbox(&launcher, spec, environment.clone())?),
            WindowManager::None => None,
        };
        Ok(Box::new(XvfbDesktop {
            number,
            _lifeline: lifeline,
            display,
            launcher,
            server,
            manager,
            environment,
            log_dir: spec.log_dir.clone(),
            config: self.config.clone(),
        }))
    }
}

impl XvfbSource {
    fn start_server(
        &self,
        launcher: &Launcher,
        spec: &DesktopSpec,
        authority: &std::path::Path,
        log: &Log,
        number_end: &OwnedFd,
    ) -> Result<Started, DesktopError> {
        let screen = format!("{}x24", spec.size);
        let mut argv = vec![self.config.xvfb.clone().into_os_string()];
        argv.extend(["-displayfd", "3", "-screen", "0", &screen, "-dpi", "96"].map(Into::into));
        argv.extend(["-nolisten", "tcp", "-noreset", "-auth"].map(Into::into));
        argv.push(authority.into());
        // The server reads keyboard tables by way of the `PATH`; nothing else of the environment concerns it.
        let env = environment::server(&launcher.folder);
        let descriptors = vec![(1, log.as_fd()), (2, log.as_fd()), (3, number_end.as_fd())];
        let started = launcher.start(argv, env, &launcher.folder.workspace(), descriptors, Role::Server);
        started.map_err(|error| program_missing(error, "install it (`apt-get install xvfb`)"))
    }

    fn start_openbox(
        &self,
        launcher: &Launcher,
        spec: &DesktopSpec,
        environment: environment::Variables,
    ) -> Result<Started, DesktopError> {
        let log = Log::create(&spec.log_dir, "openbox.log")?;
        let mut argv = vec![self.config.openbox.clone().into_os_string()];
        argv.extend(["--sm-disable", "--config-file"].map(Into::into));
        argv.push(launcher.folder.path().join("openbox.xml").into());
        let descriptors = vec![(1, log.as_fd()), (2, log.as_fd())];
        let started = launcher.start(argv, environment, &launcher.folder.workspace(), descriptors, Role::App);
        started.map_err(|error| {
            program_missing(error, "install it (`apt-get install openbox`) or choose `window_manager: none`")
        })
    }

    /// Waits until the server says its number, which it does once it takes connections.
    fn await_number(
        &self,
        host: &SessionHost,
        server: Started,
        pipe: OwnedFd,
        log: &Log,
    ) -> Result<u32, DesktopError> {
        let deadline = Deadline::after(&SystemClock, self.config.start_timeout);
        let not_ready = |reason: String| DesktopError::NotReady {
            program: self.config.xvfb.display().to_string(),
            waited: deadline.elapsed(&SystemClock),
            reason,
            log_end: log.end(),
        };
        match read_line(File::from(pipe), deadline) {
            Ok(Some(line)) => line.trim().parse().map_err(|_| not_ready(format!("it said {line:?}"))),
            // The pipe closes with the server's end.
            Ok(None) => Err(not_ready(match host.stop(server.app, Duration::ZERO)? {
                AppState::Exited(code) => format!("it exited with code {code}"),
                AppState::Killed(signal) => format!("it was ended by signal {signal}"),
                AppState::Running => "it closed its pipe".to_owned(),
            })),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(not_ready("it did not say its display number".to_owned()))
            }
            Err(error) => Err(DesktopError::Host(error.to_string())),
        }
    }
}

/// A pipe that no other child of this process inherits: its reading and its writing end.
pub(super) fn pipe() -> Result<(OwnedFd, OwnedFd), DesktopError> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|error| DesktopError::Host(error.to_string()))
}

/// Reads up to and including a line feed; `None` when the other end closes first.
fn read_line(mut pipe: File, deadline: Deadline) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        let limit = Timespec::try_from(deadline.remaining(&SystemClock)).map_err(io::Error::other)?;
        let mut watched = [PollFd::new(&pipe, PollFlags::IN)];
        if rustix::io::retry_on_intr(|| poll(&mut watched, Some(&limit)))? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut bytes = [0; 16];
        match io::Read::read(&mut pipe, &mut bytes)? {
            0 => return Ok(None),
            length => line.extend_from_slice(&bytes[..length]),
        }
    }
    String::from_utf8(line).map(Some).map_err(io::Error::other)
}

/// An Xauthority file with one entry: family Wild (65535), which fits every display and address, then address,
/// display number, method and secret, each as a length in two bytes (big-endian) and its bytes.
fn authority(secret: &[u8; 16]) -> Vec<u8> {
    let mut file = vec![0xff, 0xff];
    for field in [&b""[..], b"", b"MIT-MAGIC-COOKIE-1", secret] {
        file.extend_from_slice(&(field.len() as u16).to_be_bytes());
        file.extend_from_slice(field);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_file_has_one_wild_entry() {
        let file = authority(&[7; 16]);
        assert_eq!(file[..8], [0xff, 0xff, 0, 0, 0, 0, 0, 18]);
        assert_eq!(file.len(), 8 + 18 + 2 + 16);
    }

    #[test]
    fn a_line_is_read_whole_and_a_closed_pipe_is_noticed() {
        let soon = || Deadline::after(&SystemClock, Duration::from_secs(5));
        let (reads, writes) = pipe().unwrap();
        let mut writes = File::from(writes);
        io::Write::write_all(&mut writes, b"12").unwrap();
        io::Write::write_all(&mut writes, b"3\n").unwrap();
        assert_eq!(read_line(reads.into(), soon()).unwrap().as_deref(), Some("123\n"));
        let (reads, writes) = pipe().unwrap();
        drop(writes);
        assert_eq!(read_line(reads.into(), soon()).unwrap(), None);
    }
}
