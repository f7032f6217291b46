//! A desktop without a display: records every call as a line and answers from a script.
//!
//! ```
//! use cu_run::{desktop::{Desktop, fake::FakeDesktop}, geometry::{Point, Size}};
//!
//! let fake = FakeDesktop::new(Size::new(640, 480));
//! fake.clone().move_pointer(Point::new(10, 20)).unwrap();
//! assert_eq!(fake.calls(), ["move (10, 20)"]);
//! ```

mod source;

pub use source::FakeDesktopSource;

use std::{
    collections::{BTreeMap, VecDeque},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use image::{RgbImage, imageops::crop_imm};

use super::{App, AppId, AppPipes, AppState, Damage, Desktop, DesktopError, Program, Window};
use crate::{
    clock::Clock,
    geometry::{Point, Region, Size},
    input::{Button, KeyChord, Press},
};

/// A scripted desktop. Clones are the same desktop, so that a test keeps one to look at the calls.
///
/// Every call becomes one line, recorded before it fails if it is to fail:
///
/// ```text
/// open 1280x800 openbox      await window manager       pointer
/// move (10, 20)              button left down           type "abc"
/// chord ctrl+c down          chord a down repeating     release all
/// capture [0, 0, 1280, 800]  windows                    focus 0x200001
/// launch xterm -e sh         state 0                    stop 0            close
/// ```
///
/// `damage` is not recorded: how often a wait looks is no behaviour to fix.
#[derive(Debug, Clone)]
pub struct FakeDesktop(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    size: Size,
    calls: Vec<String>,
    frames: VecDeque<RgbImage>,
    damage: VecDeque<Vec<Damage>>,
    failures: Vec<(String, DesktopError)>,
    windows: Vec<Window>,
    app_states: BTreeMap<AppId, AppState>,
    app_pipes: VecDeque<AppPipes>,
    launched: u32,
    pointer: Point,
    down: Vec<String>,
    log_dir: PathBuf,
    home: PathBuf,
    clock: Option<Arc<dyn Clock>>,
}

impl FakeDesktop {
    /// A desktop of this size that shows black, draws nothing and lets everything succeed.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self(Arc::new(Mutex::new(State {
            size,
            calls: Vec::new(),
            frames: VecDeque::new(),
            damage: VecDeque::new(),
            failures: Vec::new(),
            windows: Vec::new(),
            app_states: BTreeMap::new(),
            app_pipes: VecDeque::new(),
            launched: 0,
            pointer: Point::new(size.width as i32 - 1, size.height as i32 - 1),
            down: Vec::new(),
            log_dir: PathBuf::from("/nonexistent/logs"),
            home: PathBuf::from("/nonexistent/home"),
            clock: None,
        })))
    }

    /// The clock on which [`Desktop::damage`] waits when no damage is scripted. Without one it does not wait, and a
    /// wait that ends by a deadline of a fake clock would never end.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        self.state().clock = Some(clock);
        self
    }

    /// The folders that [`Desktop::home`] and [`Desktop::log_dir`] name; by default ones that do not exist.
    #[must_use]
    pub fn with_folders(self, home: impl Into<PathBuf>, log_dir: impl Into<PathBuf>) -> Self {
        {
            let mut state = self.state();
            state.home = home.into();
            state.log_dir = log_dir.into();
        }
        self
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.state().calls.clone()
    }

    /// The calls so far, which are forgotten with this.
    #[must_use]
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state().calls)
    }

    /// Adds a frame: each capture shows the next one, the last one stays. A frame has the size of the screen.
    pub fn push_frame(&self, frame: RgbImage) {
        self.state().frames.push_back(frame);
    }

    /// Adds the answer of one [`Desktop::damage`] call, drawn just now; an empty one means that its whole wait passed.
    pub fn push_damage(&self, regions: impl Into<Vec<Region>>) {
        let drawn = regions.into().into_iter().map(|region| Damage { region, age: Duration::ZERO }).collect();
        self.state().damage.push_back(drawn);
    }

    /// Lets the next call whose line begins with `call` fail.
    pub fn fail(&self, call: impl Into<String>, error: DesktopError) {
        self.state().failures.push((call.into(), error));
    }

    /// The windows that are there; the order is the stacking order.
    pub fn set_windows(&self, windows: impl Into<Vec<Window>>) {
        self.state().windows = windows.into();
    }

    /// How an app stands from here on. Apps are numbered from 0 in the order they are launched.
    pub fn set_app_state(&self, app: AppId, state: AppState) {
        self.state().app_states.insert(app, state);
    }

    /// Adds the pipes of the next program that is launched with [`Program::pipes`].
    pub fn push_app_pipes(&self, pipes: AppPipes) {
        self.state().app_pipes.push_back(pipes);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, call: impl Into<String>) -> Result<MutexGuard<'_, State>, DesktopError> {
        let (mut state, call) = (self.state(), call.into());
        let failure = state.failures.iter().position(|(start, _)| call.starts_with(start));
        state.calls.push(call);
        match failure {
            Some(position) => Err(state.failures.remove(position).1),
            None => Ok(state),
        }
    }
}

impl State {
    fn hold(&mut self, what: String, press: Press) {
        self.down.retain(|held| *held != what);
        if press == Press::Down {
            self.down.push(what);
        }
    }
}

impl Desktop for FakeDesktop {
    fn size(&self) -> Size {
        self.state().size
    }

    fn name(&self) -> String {
        ":fake".to_owned()
    }

    fn await_window_manager(&mut self) -> Result<(), DesktopError> {
        self.record("await window manager").map(drop)
    }

    fn pointer(&mut self) -> Result<Point, DesktopError> {
        Ok(self.record("pointer")?.pointer)
    }

    fn rest_pointer(&mut self) -> Result<(), DesktopError> {
        Ok(())
    }

    fn move_pointer(&mut self, to: Point) -> Result<(), DesktopError> {
        self.record(format!("move {to}"))?.pointer = to;
        Ok(())
    }

    fn button(&mut self, button: Button, press: Press) -> Result<(), DesktopError> {
        let name = button_name(button);
        self.record(format!("button {name} {}", press_name(press)))?.hold(format!("{name} button"), press);
        Ok(())
    }

    fn type_text(&mut self, text: &str) -> Result<(), DesktopError> {
        self.record(format!("type {text:?}")).map(drop)
    }

    fn chord(&mut self, chord: &KeyChord, press: Press, auto_repeat: bool) -> Result<(), DesktopError> {
        let repeating = if auto_repeat && press == Press::Down { " repeating" } else { "" };
        let mut state = self.record(format!("chord {chord} {}{repeating}", press_name(press)))?;
        state.hold(format!("key {chord}"), press);
        Ok(())
    }

    fn await_intake(&mut self) -> Result<(), DesktopError> {
        Ok(())
    }

    fn release_all(&mut self) -> Result<Vec<String>, DesktopError> {
        Ok(std::mem::take(&mut self.record("release all")?.down))
    }

    fn capture(&mut self, region: Region) -> Result<RgbImage, DesktopError> {
        let mut state = self.record(format!("capture {region}"))?;
        let frame = match state.frames.len() {
            0 => RgbImage::new(state.size.width, state.size.height),
            1 => state.frames[0].clone(),
            _ => state.frames.pop_front().unwrap_or_default(),
        };
        Ok(crop_imm(&frame, region.x as u32, region.y as u32, region.width, region.height).to_image())
    }

    fn damage(&mut self, wait: Duration) -> Result<Vec<Damage>, DesktopError> {
        let (scripted, clock) = {
            let mut state = self.state();
            if let Some(position) = state.failures.iter().position(|(call, _)| call == "damage") {
                return Err(state.failures.remove(position).1);
            }
            (state.damage.pop_front().unwrap_or_default(), state.clock.clone())
        };
        if let (true, Some(clock)) = (scripted.is_empty(), clock) {
            clock.sleep(wait);
        }
        Ok(scripted)
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        Ok(self.record("windows")?.windows.clone())
    }

    fn focus(&mut self, window: u32) -> Result<(), DesktopError> {
        let mut state = self.record(format!("focus {window:#x}"))?;
        if !state.windows.iter().any(|known| known.id == window) {
            return Err(DesktopError::Focus { window, reason: "there is no such window".to_owned() });
        }
        for known in &mut state.windows {
            known.focused = known.id == window;
        }
        Ok(())
    }

    fn launch(&mut self, program: &Program) -> Result<App, DesktopError> {
        let mut state = self.record(format!("launch {}", program.argv.join(" ")))?;
        let id = AppId(state.launched);
        state.launched += 1;
        let pipes = if program.pipes { state.app_pipes.pop_front() } else { None };
        Ok(App { id, pid: 1000 + id.0, pipes })
    }

    fn app_state(&mut self, app: AppId) -> Result<AppState, DesktopError> {
        let state = self.record(format!("state {}", app.0))?;
        Ok(state.app_states.get(&app).cloned().unwrap_or(AppState::Running))
    }

    fn stop_app(&mut self, app: AppId) -> Result<(), DesktopError> {
        let mut state = self.record(format!("stop {}", app.0))?;
        state.app_states.insert(app, AppState::Killed(15));
        Ok(())
    }

    fn home(&self) -> PathBuf {
        self.state().home.clone()
    }

    fn log_dir(&self) -> PathBuf {
        self.state().log_dir.clone()
    }

    fn close(&mut self) -> Result<(), DesktopError> {
        self.record("close").map(drop)
    }
}

const fn button_name(button: Button) -> &'static str {
    match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
        Button::ScrollUp => "scroll-up",
        Button::ScrollDown => "scroll-down",
        Button::ScrollLeft => "scroll-left",
        Button::ScrollRight => "scroll-right",
    }
}

const fn press_name(press: Press) -> &'static str {
    match press {
        Press::Down => "down",
        Press::Up => "up",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;

    #[test]
    fn calls_are_recorded_also_when_they_fail_and_only_the_scripted_one_fails() {
        let fake = FakeDesktop::new(Size::new(4, 4));
        let mut desktop = fake.clone();
        fake.fail("type", DesktopError::Untypable('\u{7}'));
        assert!(desktop.type_text("a\u{7}").is_err());
        desktop.type_text("b").unwrap();
        desktop.chord(&KeyChord::parse("ctrl+c").unwrap(), Press::Down, true).unwrap();
        assert_eq!(desktop.release_all().unwrap(), ["key ctrl+c"]);
        assert_eq!(
            fake.calls(),
            ["type \"a\\u{7}\"", "type \"b\"", "chord ctrl+c down repeating", "release all"]
        );
    }

    #[test]
    fn the_last_frame_stays_and_regions_are_cut_out() {
        let fake = FakeDesktop::new(Size::new(4, 4));
        let mut desktop = fake.clone();
        for shade in [1, 2] {
            fake.push_frame(RgbImage::from_pixel(4, 4, image::Rgb([shade; 3])));
        }
        let shades = [0; 3].map(|_| desktop.capture(Region::new(1, 1, 2, 1)).unwrap().into_raw());
        assert_eq!(shades, [vec![1; 6], vec![2; 6], vec![2; 6]]);
    }

    #[test]
    fn waiting_for_damage_moves_the_fake_clock() {
        let clock = Arc::new(FakeClock::new());
        let fake = FakeDesktop::new(Size::new(4, 4)).with_clock(clock.clone());
        fake.push_damage([Region::new(0, 0, 1, 1)]);
        let mut desktop = fake;
        assert_eq!(desktop.damage(Duration::from_secs(1)).unwrap().len(), 1);
        assert_eq!(clock.elapsed(), Duration::ZERO);
        assert!(desktop.damage(Duration::from_secs(1)).unwrap().is_empty());
        assert_eq!(clock.elapsed(), Duration::from_secs(1));
    }
}
