//! The pointer: XTEST motion and buttons, each confirmed by the server's word.

use x11rb::protocol::{
    xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, MOTION_NOTIFY_EVENT},
    xtest::ConnectionExt as _,
};

use super::connection::{Connection, Named};
use crate::{
    desktop::DesktopError,
    geometry::Point,
    input::{Button, Press},
};

/// Where the pointer is.
pub(super) fn position(connection: &Connection) -> Result<Point, DesktopError> {
    let root = connection.root;
    let reply = connection.x.query_pointer(root).named("QueryPointer")?.reply().named("QueryPointer")?;
    Ok(Point::new(reply.root_x.into(), reply.root_y.into()))
}

/// Moves the pointer and returns once it is there.
pub(super) fn move_to(connection: &Connection, to: Point) -> Result<(), DesktopError> {
    let refused = |reason| DesktopError::Refused { request: "pointer motion", reason };
    if !connection.size.contains(to) {
        return Err(refused(format!("{to} is not on the screen of {}", connection.size)));
    }
    let (x, y) = (to.x as i16, to.y as i16);
    connection
        .x
        .xtest_fake_input(MOTION_NOTIFY_EVENT, 0, 0, connection.root, x, y, 0)
        .named("XTEST motion")?;
    let found = position(connection)?;
    if found == to { Ok(()) } else { Err(refused(format!("the pointer is at {found} instead of {to}"))) }
}

/// Presses or releases a button.
pub(super) fn button(connection: &mut Connection, button: Button, press: Press) -> Result<(), DesktopError> {
    send(connection, button, press)?;
    connection.finish("XTEST button")
}

/// Releases these buttons; gives their names. The server's own word, the mask of `QueryPointer`, is not asked: it ends
/// at button 5, and it lags behind while openbox holds a click back to raise the window first.
pub(super) fn release_all(
    connection: &mut Connection,
    held: &mut Vec<Button>,
) -> Result<Vec<String>, DesktopError> {
    let names = held.iter().map(|button| name_of(*button).to_owned()).collect();
    for button in held.drain(..) {
        send(connection, button, Press::Up)?;
    }
    connection.finish("XTEST button")?;
    Ok(names)
}

const fn name_of(button: Button) -> &'static str {
    match button {
        Button::Left => "left button",
        Button::Middle => "middle button",
        Button::Right => "right button",
        Button::ScrollUp => "scroll up",
        Button::ScrollDown => "scroll down",
        Button::ScrollLeft => "scroll left",
        Button::ScrollRight => "scroll right",
    }
}

fn send(connection: &Connection, button: Button, press: Press) -> Result<(), DesktopError> {
    let kind = match press {
        Press::Down => BUTTON_PRESS_EVENT,
        Press::Up => BUTTON_RELEASE_EVENT,
    };
    let request = connection.x.xtest_fake_input(kind, button.number(), 0, x11rb::NONE, 0, 0, 0);
    request.map(drop).named("XTEST button")
}
