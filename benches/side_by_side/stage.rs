//! A display of cu-run's own that the peers share.

use std::{
    error::Error,
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use cu_run::{
    browser::{
        Browser, BrowserSource, BrowserSpec, ChromiumConfig, ChromiumSource, ColorScheme, Frame, Freeze,
        NavigateOptions, Preset,
    },
    clock::{Clock, Deadline, SystemClock},
    desktop::{Desktop, DesktopSource, DesktopSpec, Program, WindowManager, XvfbConfig, XvfbSource},
    geometry::Size,
};
use tempfile::TempDir;

/// How long anything may take before the bench counts as broken.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The size of every screen here.
pub(crate) const SCREEN: Size = Size::new(1920, 1080);

/// An open display.
pub(crate) struct Stage {
    pub(crate) desktop: Box<dyn Desktop>,
    _logs: TempDir,
}

impl Stage {
    /// Opens a display with its window manager.
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        let logs = tempfile::tempdir()?;
        let config = XvfbConfig {
            host_program: Some(env!("CARGO_BIN_EXE_cu-run").into()),
            start_timeout: LIMIT,
            ..XvfbConfig::default()
        };
        let spec = DesktopSpec {
            size: SCREEN,
            window_manager: WindowManager::Openbox,
            log_dir: logs.path().to_owned(),
            env: [].into(),
        };
        let mut desktop = XvfbSource::new(config).open(&spec)?;
        desktop.await_window_manager()?;
        Ok(Self { desktop, _logs: logs })
    }

    /// Opens a browser and goes to `url`.
    pub(crate) fn browse(&mut self, url: &str) -> Result<Box<dyn Browser>, Box<dyn Error>> {
        let spec = BrowserSpec {
            frame: Frame::PageOnly,
            freeze: Freeze::Frozen,
            frozen_clock_ms: None,
            color_scheme: ColorScheme::Light,
            executable: None,
            extra_flags: Vec::new(),
            preset: Preset::default(),
            start_timeout: LIMIT,
        };
        let browsers = ChromiumSource::new(ChromiumConfig::default(), Arc::new(SystemClock));
        let mut browser = browsers.open(&mut *self.desktop, &spec)?;
        browser.navigate(url, &NavigateOptions { timeout: LIMIT, expect_status: None })?;
        self.await_rest()?;
        Ok(browser)
    }

    /// Starts a program and gives its window, the only one, the focus.
    pub(crate) fn launch(&mut self, argv: &[&str]) -> Result<(), Box<dyn Error>> {
        self.desktop.launch(&Program {
            argv: argv.iter().map(ToString::to_string).collect(),
            env: [].into(),
            cwd: None,
            log_name: "app.log".to_owned(),
            pipes: false,
        })?;
        let desktop = &mut self.desktop;
        await_that("a window", || Ok(!desktop.windows()?.is_empty()))?;
        let window = desktop.windows()?.remove(0);
        desktop.focus(window.id)?;
        self.await_rest()
    }

    /// Waits until nothing has been drawn for half a second.
    pub(crate) fn await_rest(&mut self) -> Result<(), Box<dyn Error>> {
        let desktop = &mut self.desktop;
        await_that("stillness", || Ok(desktop.damage(Duration::from_millis(500))?.is_empty()))
    }

    /// A peer's command on this display.
    pub(crate) fn peer(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", self.desktop.name()).env("XAUTHORITY", self.case_folder().join("Xauthority"));
        command.stdin(Stdio::null());
        command
    }

    /// Where programs on this display start.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.case_folder().join("workspace")
    }

    fn case_folder(&self) -> PathBuf {
        self.desktop.home().parent().map(PathBuf::from).unwrap_or_default()
    }
}

/// Looks every millisecond until `condition` holds.
pub(crate) fn await_that(
    what: &str,
    mut condition: impl FnMut() -> Result<bool, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let deadline = Deadline::after(&SystemClock, LIMIT);
    while !condition()? {
        if deadline.has_passed(&SystemClock) {
            return Err(format!("{what} did not come within {LIMIT:?}").into());
        }
        SystemClock.sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Runs a peer's command, which must succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}
