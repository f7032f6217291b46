//! Chromium as a [`BrowserSource`]: started with a fresh profile, watched and set up over its `DevTools` pipe.
//!
//! The process is started while the window manager may still be starting; its window is made only afterwards, so
//! that it gets its place in one go.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustix::process::Pid;
use serde_json::{Value, json};

use super::{
    Browser, BrowserError, BrowserSource, BrowserSpec, Frame,
    devtools::{CallError, Command, DevTools, Probe},
    freeze, launch,
    pages::{Kind, Pages},
};
use crate::{
    clock::{Clock, Deadline},
    desktop::{App, AppId, AppPipes, AppState, Desktop, Program},
    geometry::{Region, Size},
};

/// How long a command that needs no network may take. A loaded machine takes tenths of a second.
pub(super) const COMMAND_LIMIT: Duration = Duration::from_secs(15);

/// The world beside the page's own in which this program's scripts run; also names the handles kept there.
pub(super) const WORLD: &str = "cu-run";

/// How long a browser that closed its pipe may take to exit, and how often it is looked at.
const EXIT_LIMIT: Duration = Duration::from_secs(1);
const EXIT_PAUSE: Duration = Duration::from_millis(5);

/// What it writes when the system does not let it make its sandbox.
const NO_SANDBOX: &str = "No usable sandbox!";

/// How many lines of the browser's log a message shows.
const LOG_LINES: usize = 15;

/// What all browsers of a run have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChromiumConfig {
    /// The executable, when a case does not name its own; found on the machine when absent.
    pub executable: Option<PathBuf>,
    /// Flags for every browser, before those of the case.
    pub extra_flags: Vec<String>,
}

/// Starts Chromium (or Chrome) browsers.
#[derive(Debug)]
pub struct ChromiumSource {
    config: ChromiumConfig,
    clock: Arc<dyn Clock>,
}

/// A running Chromium.
pub(super) struct Chromium {
    pub(super) devtools: DevTools,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) app: AppId,
    /// Its process, to end it.
    pub(super) process: Option<Pid>,
    pub(super) version: String,
    pub(super) frame: Frame,
    pub(super) screen: Size,
    /// Screen pixels in a pixel of the browser's own measures.
    pub(super) scale: f64,
    /// The last known place of the viewport, for when a dialog keeps the page from answering.
    pub(super) viewport: Region,
    /// What it calls itself to servers.
    pub(super) user_agent: String,
    /// Where downloaded files go.
    pub(super) downloads: PathBuf,
    log: PathBuf,
}

impl ChromiumSource {
    /// A source of browsers that waits by `clock`.
    #[must_use]
    pub fn new(config: ChromiumConfig, clock: Arc<dyn Clock>) -> Self {
        Self { config, clock }
    }

    /// The executable that would be started: `given`, the configured one, or the one found on this machine.
    pub fn executable(&self, given: Option<&Path>) -> Result<PathBuf, BrowserError> {
        launch::find(given.or(self.config.executable.as_deref()))
    }

    fn program(&self, desktop: &dyn Desktop, spec: &BrowserSpec) -> Result<Program, BrowserError> {
        let executable = self.executable(spec.executable.as_deref())?;
        let (profile, number) = launch::fresh_profile(&desktop.home())?;
        let mut spec = spec.clone();
        spec.extra_flags.splice(0..0, self.config.extra_flags.iter().cloned());
        let mut argv = vec![executable.display().to_string()];
        argv.extend(launch::arguments(&spec, &profile, desktop.size()));
        let log_name = if number == 1 { "browser.log".to_owned() } else { format!("browser-{number}.log") };
        Ok(Program { argv, env: BTreeMap::new(), cwd: None, log_name, pipes: true })
    }
}

impl BrowserSource for ChromiumSource {
    fn open(&self, desktop: &mut dyn Desktop, spec: &BrowserSpec) -> Result<Box<dyn Browser>, BrowserError> {
        let deadline = Deadline::after(&*self.clock, spec.start_timeout);
        let program = self.program(desktop, spec)?;
        let log = desktop.log_dir().join(&program.log_name);
        let mut app = desktop.launch(&program)?;
        let opened = app.pipes.take().ok_or_else(no_pipes).and_then(|pipes| {
            let mut chromium = self.connect(pipes, &app, spec, log.clone(), desktop.size(), &deadline)?;
            desktop.await_window_manager()?;
            chromium.open_window(&deadline)?;
            let downloads = spec.preset.downloads.clone();
            chromium.downloads = downloads.unwrap_or_else(|| desktop.home().join("Downloads"));
            chromium.apply_preset(&spec.preset, &deadline)?;
            Ok(chromium)
        });
        match opened {
            Ok(chromium) => Ok(Box::new(chromium)),
            Err(error) => {
                let error = self.with_exit(error, desktop, app.id, &log);
                // The reason of the failed start says more than a failure to clean up after it.
                let _ = desktop.stop_app(app.id);
                Err(error)
            }
        }
    }
}

impl ChromiumSource {
    fn connect(
        &self,
        pipes: AppPipes,
        app: &App,
        spec: &BrowserSpec,
        log: PathBuf,
        screen: Size,
        deadline: &Deadline,
    ) -> Result<Chromium, BrowserError> {
        let pages = Pages::new(freeze::setup(spec), &spec.preset);
        let devtools = DevTools::connect(pipes, pages, Arc::clone(&self.clock)).map_err(|error| {
            BrowserError::Protocol { method: "connect".to_owned(), reason: error.to_string() }
        })?;
        let mut chromium = Chromium {
            devtools,
            clock: Arc::clone(&self.clock),
            app: app.id,
            process: i32::try_from(app.pid).ok().and_then(Pid::from_raw),
            version: String::new(),
            frame: spec.frame,
            screen,
            scale: launch::device_scale(&self.config.extra_flags, &spec.extra_flags),
            viewport: screen.region(),
            user_agent: String::new(),
            downloads: PathBuf::new(),
            log,
        };
        let version = Command::browser("Browser.getVersion", json!({}));
        let answer = chromium.devtools.call(&version, deadline.remaining(&*self.clock));
        let answer = answer.map_err(|error| chromium.not_ready(error, deadline, "it did not answer"))?;
        let product = answer["product"].as_str().unwrap_or_default();
        answer["userAgent"].as_str().unwrap_or_default().clone_into(&mut chromium.user_agent);
        chromium.devtools.change_pages(|pages| pages.user_agent.clone_from(&chromium.user_agent));
        chromium.version = version_of(product, self.executable(spec.executable.as_deref())?.as_path());
        chromium.devtools.send(&Command::browser("Target.setAutoAttach", freeze::auto_attach()));
        Ok(chromium)
    }

    /// A death during the start, told with the exit code.
    fn with_exit(
        &self,
        error: BrowserError,
        desktop: &mut dyn Desktop,
        app: AppId,
        log: &Path,
    ) -> BrowserError {
        let BrowserError::Died { reason, log_end } = error else { return error };
        // A long list of addresses follows it.
        if String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).contains(NO_SANDBOX) {
            return BrowserError::NoSandbox { log_end };
        }
        let exit = await_exit(desktop, app, &*self.clock);
        BrowserError::Died { reason: exit.unwrap_or(reason), log_end }
    }
}

impl Chromium {
    /// Sends a command to the page or frame of `session` and waits for its result.
    pub(super) fn call(&self, session: &str, method: &str, params: Value) -> Result<Value, CallError> {
        self.devtools.call(&Command::page(session, method, params), COMMAND_LIMIT)
    }

    /// The session of the page in front: the newest one that is visible.
    pub(super) fn front(&self) -> Result<String, BrowserError> {
        let pages: Vec<String> =
            self.devtools.pages(|pages| pages.pages().map(|page| page.id.clone()).collect());
        let Some(newest) = pages.first() else {
            let reason =
                if self.devtools.is_closed() { "its process ended" } else { "its last page was closed" };
            return Err(self.died(reason));
        };
        if pages.len() > 1 {
            for page in &pages {
                let expression = json!({"expression": "document.visibilityState", "returnByValue": true});
                match self.call(page, "Runtime.evaluate", expression) {
                    Ok(answer) if answer["result"]["value"] == "visible" => return Ok(page.clone()),
                    // Dialogs are only shown by the page in front.
                    Err(CallError::Dialog(_)) => return Ok(page.clone()),
                    Err(CallError::Closed) => return Err(self.died("its process ended")),
                    _ => {}
                }
            }
        }
        Ok(newest.clone())
    }

    /// What a failed command means for the case.
    pub(super) fn fault(&self, error: CallError) -> BrowserError {
        match error {
            CallError::Closed => self.died("its process ended"),
            CallError::Crashed => self.died("the page crashed"),
            CallError::Refused { method, reason } => BrowserError::Protocol { method, reason },
            CallError::TimedOut { method, waited } => {
                BrowserError::Protocol { method, reason: format!("no answer within {waited:?}") }
            }
            CallError::Dialog(dialog) => BrowserError::Dialog { kind: dialog.kind, message: dialog.message },
        }
    }

    /// The browser or its page ended.
    pub(super) fn died(&self, reason: &str) -> BrowserError {
        BrowserError::Died { reason: reason.to_owned(), log_end: log_end(&self.log) }
    }

    fn not_ready(&self, error: CallError, deadline: &Deadline, reason: &str) -> BrowserError {
        match error {
            CallError::TimedOut { .. } => BrowserError::NotReady {
                waited: deadline.limit(),
                reason: reason.to_owned(),
                log_end: log_end(&self.log),
            },
            other => self.fault(other),
        }
    }

    /// Makes the window and waits until its page is attached and the window has its place.
    fn open_window(&mut self, deadline: &Deadline) -> Result<(), BrowserError> {
        let state = match self.frame {
            Frame::PageOnly => "fullscreen",
            Frame::Shown => "maximized",
        };
        let window = json!({"url": "about:blank", "newWindow": true, "windowState": state});
        let command = Command::browser("Target.createTarget", window);
        let made = self.devtools.call(&command, deadline.remaining(&*self.clock));
        let made = made.map_err(|error| self.not_ready(error, deadline, "it made no window"))?;
        let target = made["targetId"].as_str().unwrap_or_default().to_owned();
        let attached = self.devtools.wait(deadline, |pages, _| match pages.of_target(&target) {
            Some(page) if page.kind == Kind::Page => Probe::Done(page.id.clone()),
            _ => Probe::Event,
        });
        let session = attached.map_err(|error| self.fault(error))?.ok_or_else(|| {
            let reason = "its page did not appear".to_owned();
            BrowserError::NotReady { waited: deadline.limit(), reason, log_end: log_end(&self.log) }
        })?;
        self.await_window(&session, deadline)
    }

    /// Waits until the window fills the screen; what is drawn before has another size.
    fn await_window(&mut self, session: &str, deadline: &Deadline) -> Result<(), BrowserError> {
        /// Between two looks at the window, which the window manager sizes in some 20 ms.
        const PAUSE: Duration = Duration::from_millis(4);
        /// Chromium makes windows one pixel smaller than the screen and has them enlarged by the window manager. One
        /// that stays like this for so long has none.
        const UNMANAGED_AFTER: Duration = Duration::from_secs(2);
        let since = Deadline::after(&*self.clock, UNMANAGED_AFTER);
        loop {
            let window = self.geometry(session).map_err(|error| self.fault(error))?;
            self.viewport = window.viewport();
            let filled = match self.frame {
                Frame::PageOnly => self.viewport,
                Frame::Shown => window.outer(),
            };
            let unmanaged = Region { width: self.screen.width - 1, height: self.screen.height - 1, ..filled };
            if filled == self.screen.region() || (filled == unmanaged && since.has_passed(&*self.clock)) {
                break;
            }
            if deadline.has_passed(&*self.clock) {
                let reason = format!("its window is at {}, not on the whole screen", window.outer());
                let log_end = log_end(&self.log);
                return Err(BrowserError::NotReady { waited: deadline.limit(), reason, log_end });
            }
            self.clock.sleep(PAUSE);
        }
        // The address bar has the focus of a new window; keys are meant for the page.
        self.call(session, "Page.bringToFront", json!({})).map_err(|error| self.fault(error))?;
        Ok(())
    }
}

impl Chromium {
    /// How the browser ended, when it did.
    pub(super) fn ended(&self, desktop: &mut dyn Desktop) -> Option<BrowserError> {
        let reason = if self.devtools.is_closed() {
            await_exit(desktop, self.app, &*self.clock)
                .unwrap_or_else(|| "it closed its connection".to_owned())
        } else {
            exit_reason(&desktop.app_state(self.app).ok()?)?
        };
        Some(self.died(&reason))
    }
}

fn no_pipes() -> BrowserError {
    BrowserError::Protocol { method: "launch".to_owned(), reason: "the desktop gave no pipes".to_owned() }
}

/// How a program ended whose pipe is closed: its exit follows within milliseconds.
fn await_exit(desktop: &mut dyn Desktop, app: AppId, clock: &dyn Clock) -> Option<String> {
    let deadline = Deadline::after(clock, EXIT_LIMIT);
    loop {
        let reason = exit_reason(&desktop.app_state(app).ok()?);
        if reason.is_some() || deadline.has_passed(clock) {
            return reason;
        }
        clock.sleep(EXIT_PAUSE);
    }
}

fn exit_reason(state: &AppState) -> Option<String> {
    match state {
        AppState::Running => None,
        AppState::Exited(code) => Some(format!("it exited with code {code}")),
        AppState::Killed(signal) => Some(format!("it was killed by signal {signal}")),
    }
}

/// `Chromium 156.0` from `Chrome/156.0`: both call themselves Chrome here.
fn version_of(product: &str, executable: &Path) -> String {
    let number = product.split_once('/').map_or(product, |(_, number)| number);
    let is_chrome = executable.to_string_lossy().contains("chrome");
    format!("{} {number}", if is_chrome { "Chrome" } else { "Chromium" })
}

/// The last lines that the browser wrote.
pub(super) fn log_end(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    // Without a session bus, which a case has no use for, every start writes the same lines.
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty() && !line.contains(":ERROR:dbus/")).collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_log_leaves_the_missing_session_bus_out() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("browser.log");
        fs::write(&log, "first\n[1:2:3/4:ERROR:dbus/bus.cc:405] Failed\n\nlast\n").unwrap();
        assert_eq!(log_end(&log), "first\nlast");
    }

    #[test]
    fn a_version_is_named_after_the_program() {
        assert_eq!(version_of("Chrome/156.0.1", Path::new("/usr/lib/chromium/chromium")), "Chromium 156.0.1");
        assert_eq!(version_of("Chrome/156.0.1", Path::new("/opt/google/chrome/chrome")), "Chrome 156.0.1");
    }
}
