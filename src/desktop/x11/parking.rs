//! Where the pointer stays until a scenario moves it: over a window of one pixel that nobody sees.
//!
//! No place of a screen is one that no program reacts to: in the lowest right corner lies the arrow of a scroll bar,
//! which Chromium draws darker below the pointer. So the pointer is over a window of our own (`InputOnly`, it has no
//! pixels). That alone is not enough: Chromium asks where the pointer is when its window opens, and believes that it is
//! over the page until it is told that it left. So once a page is there the pointer goes over it, and leaves it.

use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        xproto::{ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, StackMode, WindowClass},
    },
};

use super::{
    connection::{Connection, Named},
    pointer,
};
use crate::{desktop::DesktopError, geometry::Point};

/// The place and its window.
#[derive(Debug)]
pub(super) struct Parking {
    /// `None` once the pointer was moved away.
    window: Option<u32>,
}

impl Parking {
    /// Puts the pointer into the lowest right pixel, over a window of its own.
    pub(super) fn new(connection: &Connection) -> Result<Self, DesktopError> {
        let place = place(connection);
        let window = connection.x.generate_id().named("CreateWindow")?;
        let aux = CreateWindowAux::new().override_redirect(1);
        let (x, y) = (place.x as i16, place.y as i16);
        let class = WindowClass::INPUT_ONLY;
        let created = connection.x.create_window(0, window, connection.root, x, y, 1, 1, 0, class, 0, &aux);
        created.named("CreateWindow")?.check().named("CreateWindow")?;
        connection.x.map_window(window).named("MapWindow")?.check().named("MapWindow")?;
        pointer::move_to(connection, place)?;
        Ok(Self { window: Some(window) })
    }

    /// Keeps the window above one that just came or was raised.
    pub(super) fn absorb(&self, connection: &Connection, event: &Event) -> Result<(), DesktopError> {
        let above = match event {
            Event::MapNotify(event) if event.event == connection.root => event.window,
            Event::ConfigureNotify(event) if event.event == connection.root => event.window,
            _ => return Ok(()),
        };
        match self.window {
            Some(window) if window != above => {
                let raise = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
                connection.x.configure_window(window, &raise).map(drop).named("ConfigureWindow")
            }
            _ => Ok(()),
        }
    }

    /// Lets the pointer, when it is here, leave the window beneath in its own sight.
    pub(super) fn leave_what_is_beneath(&self, connection: &Connection) -> Result<(), DesktopError> {
        if self.window.is_none() {
            return Ok(());
        }
        let place = place(connection);
        pointer::move_to(connection, Point::new(place.x - 1, place.y))?;
        pointer::move_to(connection, place)
    }

    /// Gives the place free: from here on the pointer is where the scenario wants it.
    pub(super) fn end(&mut self, connection: &Connection) -> Result<(), DesktopError> {
        match self.window.take() {
            Some(window) => connection.x.destroy_window(window).map(drop).named("DestroyWindow"),
            None => Ok(()),
        }
    }
}

fn place(connection: &Connection) -> Point {
    Point::new(connection.size.width as i32 - 1, connection.size.height as i32 - 1)
}
