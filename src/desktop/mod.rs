//! The screen as the runner sees it: about ten primitives on a display that belongs to one case alone.
//!
//! Gestures, waits and stillness are composed above this room (in `runner`). It must not know scenarios,
//! browsers or reports. The production implementation is an Xvfb with real XTEST input (`x11`); tests of the
//! runner use [`fake`].

mod case_folder;
mod containment;
mod environment;
mod error;
pub mod fake;
mod launch;
mod lifelines;
mod session;
mod window_manager;
mod x11;
mod xvfb;

pub use case_folder::sweep_stale;
pub use containment::session_host_main;
pub use error::DesktopError;
pub use launch::log_end;
pub use xvfb::{XvfbConfig, XvfbSource};

use std::{collections::BTreeMap, fs::File, path::PathBuf, time::Duration};

use image::RgbImage;

use crate::{
    geometry::{Point, Region, Size},
    input::{Button, KeyChord, Press},
};

/// What a fresh display must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesktopSpec {
    /// Size of the screen in pixels; always 24 bits deep, 96 dpi.
    pub size: Size,
    /// Whether windows are managed.
    pub window_manager: WindowManager,
    /// The folder into which the logs of the server, the window manager and the apps are written.
    pub log_dir: PathBuf,
    /// Variables added to the environment of everything on this display, over the built-in ones.
    pub env: BTreeMap<String, String>,
}

/// Who manages the windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WindowManager {
    /// openbox without decorations for the browser, with them for other windows.
    #[default]
    Openbox,
    /// Nobody: the focus is set explicitly on the newest window.
    None,
}

/// A program to start on the display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; never given to a shell.
    pub argv: Vec<String>,
    /// Variables over those of the display.
    pub env: BTreeMap<String, String>,
    /// Where it starts; the case's workspace by default.
    pub cwd: Option<PathBuf>,
    /// The file name of its log in the case's log folder, such as `app-1.log`.
    pub log_name: String,
    /// Whether to connect its file descriptors 3 (it reads) and 4 (it writes), as `DevTools` pipes want.
    pub pipes: bool,
}

/// A started program.
#[derive(Debug)]
pub struct App {
    /// Names it in later calls.
    pub id: AppId,
    /// Its process.
    pub pid: u32,
    /// What it writes to descriptor 4, and what it reads from descriptor 3, when [`Program::pipes`] was set.
    pub pipes: Option<AppPipes>,
}

/// Our ends of an app's pipes.
#[derive(Debug)]
pub struct AppPipes {
    /// Yields what the app writes.
    pub from_app: File,
    /// Takes what the app reads.
    pub to_app: File,
}

/// Names an app of this desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppId(pub u32);

/// How an app stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppState {
    /// Still there.
    Running,
    /// Ended by itself, with this code.
    Exited(i32),
    /// Ended by this signal.
    Killed(i32),
}

/// Something that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub region: Region,
    /// How long ago, by the X server's clock.
    pub age: Duration,
}

/// A top-level window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The X11 id.
    pub id: u32,
    /// Title, from `_NET_WM_NAME` or `WM_NAME`.
    pub title: String,
    /// The class part of `WM_CLASS`.
    pub class: String,
    /// Where its content is on the screen.
    pub region: Region,
    /// Whether keys go to it.
    pub focused: bool,
}

/// A display of its own with everything that runs on it. Dropping it ends all of that.
pub trait Desktop: Send {
    /// Size of the screen.
    fn size(&self) -> Size;
    /// What the display is called, such as `:7`.
    fn name(&self) -> String;
    /// Waits until the window manager (if any) manages windows; what is started before may be placed wrongly.
    fn await_window_manager(&mut self) -> Result<(), DesktopError>;
    /// Where the pointer is.
    fn pointer(&mut self) -> Result<Point, DesktopError>;
    /// Lets a pointer that no scenario has moved yet leave the window beneath it: what programs show does not depend on
    /// a pointer that only happens to be there.
    fn rest_pointer(&mut self) -> Result<(), DesktopError>;
    /// Moves the pointer in one motion and returns once the server has it there.
    fn move_pointer(&mut self, to: Point) -> Result<(), DesktopError>;
    /// Presses or releases a button at the pointer.
    fn button(&mut self, button: Button, press: Press) -> Result<(), DesktopError>;
    /// Types `text` exactly, whatever the keyboard layout; `\n` is Return, `\t` is Tab.
    fn type_text(&mut self, text: &str) -> Result<(), DesktopError>;
    /// Presses (in order) or releases (in reverse) the keys of a chord; `auto_repeat` while they are held.
    fn chord(&mut self, chord: &KeyChord, press: Press, auto_repeat: bool) -> Result<(), DesktopError>;
    /// Waits until the program with the focus has taken in all input sent so far; one that cannot tell is not waited
    /// for.
    fn await_intake(&mut self) -> Result<(), DesktopError>;
    /// Releases every key and button that is still down and says which there were.
    fn release_all(&mut self) -> Result<Vec<String>, DesktopError>;
    /// The pixels of `region`, which lies on the screen, without the pointer.
    fn capture(&mut self, region: Region) -> Result<RgbImage, DesktopError>;
    /// What was drawn since the last call; waits up to `wait` for the first of it.
    fn damage(&mut self, wait: Duration) -> Result<Vec<Damage>, DesktopError>;
    /// The mapped top-level windows, lowest first.
    fn windows(&mut self) -> Result<Vec<Window>, DesktopError>;
    /// Raises a window, gives it the focus and confirms that it has it.
    fn focus(&mut self, window: u32) -> Result<(), DesktopError>;
    /// Starts a program on this display.
    fn launch(&mut self, program: &Program) -> Result<App, DesktopError>;
    /// How a program stands.
    fn app_state(&mut self, app: AppId) -> Result<AppState, DesktopError>;
    /// Ends a program and all it started.
    fn stop_app(&mut self, app: AppId) -> Result<(), DesktopError>;
    /// The case's own home folder, for profiles and settings.
    fn home(&self) -> PathBuf;
    /// The folder of the case's logs.
    fn log_dir(&self) -> PathBuf;
    /// Ends everything on the display and waits until it is gone; dropping does the same without a report.
    fn close(&mut self) -> Result<(), DesktopError>;
}

/// Opens displays: an Xvfb for each in production, a fake in tests.
pub trait DesktopSource: Sync {
    /// Opens a fresh display. It is ready for programs on return; its window manager may still be starting.
    fn open(&self, spec: &DesktopSpec) -> Result<Box<dyn Desktop>, DesktopError>;
    /// Ends every display that is open and opens no other: calls in progress on them fail soon.
    fn abort(&self);
}
