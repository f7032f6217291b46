//! A display in use: an Xvfb, its session host, and what runs on it.

use std::{path::PathBuf, time::Duration};

use image::RgbImage;

use super::{
    App, AppId, AppState, Damage, Desktop, DesktopError, Program, Window, XvfbConfig,
    case_folder::release_display,
    containment::{Started, end_marked},
    environment::Variables,
    launch::{Launcher, log_end},
    lifelines::Lifeline,
    x11::Display,
};
use crate::{
    clock::{Clock, Deadline, SystemClock},
    geometry::{Point, Region, Size},
    input::{Button, KeyChord, Press},
};

/// How long everything on the display may take to end.
const CLOSE_LIMIT: Duration = Duration::from_secs(30);

/// How often a window manager that does not answer is asked again: it does not hear questions while it starts.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// How long the end of the X server may take to be known after its connection broke.
const OBITUARY_LIMIT: Duration = Duration::from_millis(200);

/// A display that belongs to one case.
#[derive(Debug)]
pub(super) struct XvfbDesktop {
    pub(super) number: u32,
    /// Lets the display be ended from another thread.
    pub(super) _lifeline: Lifeline,
    pub(super) display: Display,
    pub(super) launcher: Launcher,
    pub(super) server: Started,
    pub(super) manager: Option<Started>,
    pub(super) environment: Variables,
    pub(super) log_dir: PathBuf,
    pub(super) config: XvfbConfig,
}

impl XvfbDesktop {
    /// Does something on the display; when the display is lost, says why.
    fn on<T>(
        &mut self,
        work: impl FnOnce(&mut Display) -> Result<T, DesktopError>,
    ) -> Result<T, DesktopError> {
        work(&mut self.display).map_err(|error| match error {
            DesktopError::DisplayLost(reason) => self.obituary(reason),
            other => other,
        })
    }

    fn obituary(&self, reason: String) -> DesktopError {
        let deadline = Deadline::after(&SystemClock, OBITUARY_LIMIT);
        loop {
            match self.launcher.host.state(self.server.app) {
                Ok(AppState::Running) if !deadline.has_passed(&SystemClock) => {
                    SystemClock.sleep(Duration::from_millis(5));
                }
                Ok(AppState::Running) => return DesktopError::DisplayLost(reason),
                Ok(state) => {
                    let log = log_end(&self.log_dir.join("xvfb.log"));
                    return DesktopError::DisplayLost(format!("the X server {}\n{log}", ended(&state)));
                }
                Err(error) => return DesktopError::DisplayLost(format!("{reason}; {error}")),
            }
        }
    }
}

fn ended(state: &AppState) -> String {
    match state {
        AppState::Running => "runs".to_owned(),
        AppState::Exited(code) => format!("exited with code {code}"),
        AppState::Killed(signal) => format!("was ended by signal {signal}"),
    }
}

impl Desktop for XvfbDesktop {
    fn size(&self) -> Size {
        self.display.size()
    }

    fn name(&self) -> String {
        format!(":{}", self.number)
    }

    fn await_window_manager(&mut self) -> Result<(), DesktopError> {
        let Some(manager) = self.manager else { return Ok(()) };
        let deadline = Deadline::after(&SystemClock, self.config.start_timeout);
        while !self.on(|display| display.is_managed())? {
            let state = self.launcher.host.state(manager.app)?;
            if state != AppState::Running || deadline.has_passed(&SystemClock) {
                return Err(DesktopError::NotReady {
                    program: self.config.openbox.display().to_string(),
                    waited: deadline.elapsed(&SystemClock),
                    reason: match state {
                        AppState::Running => "it does not manage windows".to_owned(),
                        state => format!("it {}", ended(&state)),
                    },
                    log_end: log_end(&self.log_dir.join("openbox.log")),
                });
            }
            // Its answer is a property of our window, which wakes this.
            let soon = ASK_AGAIN.min(deadline.remaining(&SystemClock));
            self.on(|display| display.await_news(Deadline::after(&SystemClock, soon)))?;
        }
        Ok(())
    }

    fn pointer(&mut self) -> Result<Point, DesktopError> {
        self.on(Display::pointer)
    }

    fn rest_pointer(&mut self) -> Result<(), DesktopError> {
        self.on(Display::rest_pointer)
    }

    fn move_pointer(&mut self, to: Point) -> Result<(), DesktopError> {
        self.on(|display| display.move_pointer(to))
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DesktopError> {
        self.on(|display| display.button(button, press))
    }

    fn type_text(&mut self, text: &str) -> Result<(), DesktopError> {
        self.on(|display| display.type_text(text))
    }

    fn chord(&mut self, chord: &KeyChord, press: Press, auto_repeat: bool) -> Result<(), DesktopError> {
        self.on(|display| display.chord(chord, press, auto_repeat))
    }

    fn await_intake(&mut self) -> Result<(), DesktopError> {
        self.on(Display::await_answer)
    }

    fn release_all(&mut self) -> Result<Vec<String>, DesktopError> {
        self.on(Display::release_all)
    }

    fn capture(&mut self, region: Region) -> Result<RgbImage, DesktopError> {
        self.on(|display| display.capture(region))
    }

    fn damage(&mut self, wait: Duration) -> Result<Vec<Damage>, DesktopError> {
        self.on(|display| display.damage(wait))
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        self.on(Display::windows)
    }

    fn focus(&mut self, window: u32) -> Result<(), DesktopError> {
        self.on(|display| display.focus(window))
    }

    fn launch(&mut self, program: &Program) -> Result<App, DesktopError> {
        self.launcher.launch(program, &self.environment, &self.log_dir)
    }

    fn app_state(&mut self, app: AppId) -> Result<AppState, DesktopError> {
        self.launcher.host.state(app.0)
    }

    fn stop_app(&mut self, app: AppId) -> Result<(), DesktopError> {
        self.launcher.host.stop(app.0, self.config.stop_grace).map(drop)
    }

    fn home(&self) -> PathBuf {
        self.launcher.folder.home()
    }

    fn log_dir(&self) -> PathBuf {
        self.log_dir.clone()
    }

    fn close(&mut self) -> Result<(), DesktopError> {
        let closed = self.launcher.host.close(CLOSE_LIMIT);
        if closed.is_err() {
            // The host could not do its work: what still carries the case's mark is ended from here.
            let folder = self.launcher.folder.path();
            end_marked(folder);
            release_display(folder);
            let _ = std::fs::remove_dir_all(folder);
        }
        closed
    }
}

impl Drop for XvfbDesktop {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
