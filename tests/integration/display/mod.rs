//! The desktop room against a real Xvfb: each test opens displays of its own and fails when Xvfb is missing.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails, also inside of the functions that tests share"
)]

mod containment;
mod input;
mod opening;
mod pixels;
mod typing;
mod windows;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use cu_run::{
    clock::{Clock, Deadline, SystemClock},
    desktop::{
        App, AppState, Desktop, DesktopSource, DesktopSpec, Program, Window, WindowManager, XvfbConfig,
        XvfbSource,
    },
    geometry::Size,
};
use tempfile::TempDir;

/// How long anything in these tests may take before it counts as broken.
const LIMIT: Duration = Duration::from_secs(10);

/// An open display and the folder of its logs.
struct Opened {
    desktop: Box<dyn Desktop>,
    logs: TempDir,
}

fn config() -> XvfbConfig {
    XvfbConfig {
        host_program: Some(env!("CARGO_BIN_EXE_cu-run").into()),
        start_timeout: LIMIT,
        ..XvfbConfig::default()
    }
}

fn spec(manager: WindowManager, log_dir: &Path) -> DesktopSpec {
    DesktopSpec {
        size: Size::new(800, 600),
        window_manager: manager,
        log_dir: log_dir.to_owned(),
        env: [("CU_RUN_TEST".to_owned(), "1".to_owned())].into(),
    }
}

fn open(manager: WindowManager) -> Opened {
    let logs = tempfile::tempdir().unwrap();
    let mut desktop = XvfbSource::new(config()).open(&spec(manager, logs.path())).unwrap();
    desktop.await_window_manager().unwrap();
    Opened { desktop, logs }
}

impl Opened {
    fn launch(&mut self, argv: &[&str]) -> App {
        self.desktop.launch(&program(argv)).unwrap()
    }

    /// Waits for a window of this title and gives it the focus.
    fn focus_window(&mut self, title: &str) -> Window {
        let mut found = None;
        wait_until(&format!("a window `{title}`"), || {
            found = self.desktop.windows().unwrap().into_iter().find(|window| window.title == title);
            found.is_some()
        });
        let window = found.unwrap();
        self.desktop.focus(window.id).unwrap();
        window
    }

    fn workspace(&self) -> PathBuf {
        self.desktop.home().parent().unwrap().join("workspace")
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.logs.path().join(name)).unwrap_or_default()
    }

    fn await_exit(&mut self, app: &App) -> AppState {
        let mut state = AppState::Running;
        wait_until("the end of an app", || {
            state = self.desktop.app_state(app.id).unwrap();
            state != AppState::Running
        });
        state
    }
}

fn program(argv: &[&str]) -> Program {
    Program {
        argv: argv.iter().map(ToString::to_string).collect(),
        env: [].into(),
        cwd: None,
        log_name: "app.log".to_owned(),
        pipes: false,
    }
}

/// Looks again and again until `condition` holds; fails after [`LIMIT`].
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Deadline::after(&SystemClock, LIMIT);
    while !condition() {
        assert!(!deadline.has_passed(&SystemClock), "{what} did not come within {LIMIT:?}");
        SystemClock.sleep(Duration::from_millis(10));
    }
}

/// The processes whose command line holds `mark`, this one excluded.
fn processes_with(mark: &str) -> Vec<u32> {
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own)
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(mark)
        })
        .collect()
}
