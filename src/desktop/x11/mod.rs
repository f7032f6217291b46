//! The primitives of a screen over one X11 connection. The only part of the program that knows X11.

mod capture;
mod connection;
mod damage;
mod keyboard;
mod keymap;
mod parking;
mod pointer;
mod windows;

use std::time::Duration;

use image::RgbImage;
use xkeysym::Keysym;

use self::{
    capture::Capture,
    connection::Connection,
    damage::Damage,
    keyboard::{Due, Keyboard},
    parking::Parking,
    windows::Windows,
};
use super::{DesktopError, Window, WindowManager};
use crate::{
    clock::{Clock, Deadline, SystemClock},
    geometry::{Point, Region, Size},
    input::{Button, KeyChord, Press},
};

/// How long nothing may be drawn for typed keys to count as taken in.
const INTAKE_QUIET: Duration = Duration::from_secs(1);

/// How long to wait for that on a screen that never rests.
const INTAKE_LIMIT: Duration = Duration::from_secs(10);

/// A display under control: input, pixels, damage and windows.
#[derive(Debug)]
pub(super) struct Display {
    connection: Connection,
    keyboard: Keyboard,
    capture: Capture,
    damage: Damage,
    windows: Windows,
    parking: Parking,
    /// Buttons pressed and not released.
    buttons: Vec<Button>,
}

impl Display {
    /// Takes over a fresh display: uploads the keyboard map, parks the pointer where no program
    /// reacts to it, and starts to watch damage and windows. Must come before the first client.
    pub(super) fn open(number: u32, cookie: &[u8], manager: WindowManager) -> Result<Self, DesktopError> {
        let mut connection = Connection::open(number, cookie)?;
        let keyboard = Keyboard::new(&mut connection)?;
        let parking = Parking::new(&connection)?;
        let capture = Capture::new(&connection)?;
        let damage = Damage::new(&connection)?;
        let windows = Windows::new(manager);
        let mut display =
            Self { connection, keyboard, capture, damage, windows, parking, buttons: Vec::new() };
        // The first report names the whole screen, drawn to or not.
        display.settle()?;
        display.damage.take();
        Ok(display)
    }

    /// Size of the screen.
    pub(super) fn size(&self) -> Size {
        self.connection.size
    }

    /// Whether a window manager runs.
    pub(super) fn is_managed(&self) -> Result<bool, DesktopError> {
        windows::is_managed(&self.connection)
    }

    /// Waits until an event arrives from the server, at the latest until `deadline`, and handles what came.
    pub(super) fn await_news(&mut self, deadline: Deadline) -> Result<(), DesktopError> {
        self.connection.await_event(deadline)?;
        self.pump()
    }

    /// Where the pointer is.
    pub(super) fn pointer(&mut self) -> Result<Point, DesktopError> {
        pointer::position(&self.connection)
    }

    /// See [`super::Desktop::rest_pointer`].
    pub(super) fn rest_pointer(&mut self) -> Result<(), DesktopError> {
        self.settle()?;
        self.parking.leave_what_is_beneath(&self.connection)
    }

    /// Moves the pointer.
    pub(super) fn move_pointer(&mut self, to: Point) -> Result<(), DesktopError> {
        self.pump()?;
        self.parking.end(&self.connection)?;
        pointer::move_to(&self.connection, to)
    }

    /// Presses or releases a button.
    pub(super) fn button(&mut self, button: Button, press: Press) -> Result<(), DesktopError> {
        self.pump()?;
        self.parking.end(&self.connection)?;
        self.buttons.retain(|held| *held != button);
        if press == Press::Down {
            self.buttons.push(button);
        }
        pointer::button(&mut self.connection, button, press)?;
        if press == Press::Down && self.windows.are_managed() {
            windows::await_manager(&mut self.connection)?;
        }
        Ok(())
    }

    /// Types a text.
    pub(super) fn type_text(&mut self, text: &str) -> Result<(), DesktopError> {
        self.pump()?;
        let symbols = self.keyboard.prepare(&mut self.connection, text)?;
        let mut rest = &symbols[..];
        while !rest.is_empty() {
            self.await_intake(rest)?;
            let typed = self.keyboard.type_batch(&mut self.connection, &SystemClock, rest)?;
            rest = &rest[typed..];
        }
        Ok(())
    }

    /// Presses or releases a chord.
    pub(super) fn chord(
        &mut self,
        chord: &KeyChord,
        press: Press,
        auto_repeat: bool,
    ) -> Result<(), DesktopError> {
        self.pump()?;
        self.await_intake(chord.keys())?;
        self.keyboard.chord(&mut self.connection, &SystemClock, chord, press, auto_repeat)
    }

    /// Waits until these symbols may be typed.
    fn await_intake(&mut self, symbols: &[Keysym]) -> Result<(), DesktopError> {
        let due = self.keyboard.due(symbols);
        let (Due::Pause(earliest) | Due::Intake(earliest)) = due else { return Ok(()) };
        if self.windows.answers_ping(&mut self.connection)? {
            return Ok(());
        }
        SystemClock.sleep(earliest.saturating_duration_since(SystemClock.now()));
        if matches!(due, Due::Intake(_)) { self.await_quiet() } else { Ok(()) }
    }

    /// Waits until a program that answers no ping has probably taken in what was typed: while it lags behind, it
    /// is still drawing that.
    fn await_quiet(&mut self) -> Result<(), DesktopError> {
        let limit = Deadline::after(&SystemClock, INTAKE_LIMIT);
        while !limit.has_passed(&SystemClock) {
            self.settle()?;
            let (seen, quiet) = (self.damage.reports(), Deadline::after(&SystemClock, INTAKE_QUIET));
            while seen == self.damage.reports() && !quiet.has_passed(&SystemClock) {
                self.await_news(quiet)?;
            }
            if seen == self.damage.reports() {
                break;
            }
        }
        Ok(())
    }

    /// Waits until the program with the focus has handled every event up to now, if it can tell.
    pub(super) fn await_answer(&mut self) -> Result<(), DesktopError> {
        self.settle()?;
        self.windows.answers_ping(&mut self.connection).map(drop)
    }

    /// Releases what is down.
    pub(super) fn release_all(&mut self) -> Result<Vec<String>, DesktopError> {
        self.pump()?;
        let keys = self.keyboard.release_all(&mut self.connection)?;
        let buttons = pointer::release_all(&mut self.connection, &mut self.buttons)?;
        Ok([keys, buttons].concat())
    }

    /// The pixels of a region.
    pub(super) fn capture(&mut self, region: Region) -> Result<RgbImage, DesktopError> {
        self.pump()?;
        self.capture.take(&self.connection, region)
    }

    /// What was drawn to since the last call.
    pub(super) fn damage(&mut self, wait: Duration) -> Result<Vec<super::Damage>, DesktopError> {
        let deadline = Deadline::after(&SystemClock, wait);
        self.settle()?;
        while self.damage.is_empty() && !deadline.has_passed(&SystemClock) {
            self.await_news(deadline)?;
        }
        Ok(self.damage.take())
    }

    /// The top-level windows.
    pub(super) fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        self.settle()?;
        self.windows.list(&self.connection)
    }

    /// Gives the focus to a window and confirms that it has it.
    pub(super) fn focus(&mut self, window: u32) -> Result<(), DesktopError> {
        self.settle()?;
        self.windows.request_focus(&mut self.connection, window)?;
        if self.windows.are_managed() {
            // The focus comes before the window is raised.
            windows::await_manager(&mut self.connection)?;
        }
        let (deadline, look_again) = windows::focus_deadline();
        while !self.windows.has_focus(&self.connection, window)? {
            if deadline.has_passed(&SystemClock) {
                let reason = format!("it had not taken it after {:?}", deadline.limit());
                return Err(DesktopError::Focus { window, reason });
            }
            let soon = look_again.min(deadline.remaining(&SystemClock));
            self.await_news(Deadline::after(&SystemClock, soon))?;
        }
        Ok(())
    }

    /// Handles every event up to now: what the server did before this call is known after it.
    fn settle(&mut self) -> Result<(), DesktopError> {
        self.connection.finish("an earlier request")?;
        self.pump()
    }

    /// Handles the events that have arrived.
    fn pump(&mut self) -> Result<(), DesktopError> {
        while let Some(event) = self.connection.next_event()? {
            self.damage.absorb(&event);
            self.windows.absorb(&self.connection, &event);
            self.parking.absorb(&self.connection, &event)?;
        }
        self.windows.follow_newest(&self.connection)
    }
}
