//! The pointer: XTEST motion and buttons, each confirmed by the server's word.

use x11rb::protocol::{
    xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, KeyButMask, MOTION_NOTIFY_EVENT},
    xtest::ConnectionExt as _,
};

use super::connection::{Connection, Named};
use crate::{
    desktop::DesktopError,
    geometry::Point,
    input::{Button, Press},
};

/// Every button, for releasing.
const BUTTONS: [(Button, &str); 7] = [
    (Button::Left, "left button"),
    (Button::Middle, "middle button"),
    (Button::Right, "right button"),
    (Button::ScrollUp, "scroll up"),
    (Button::ScrollDown, "scroll down"),
    (Button::ScrollLeft, "scroll left"),
    (Button::ScrollRight, "scroll right"),
];

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

/// Releases the buttons that the server or `held` says are down; gives their names.
pub(super) fn release_all(
    connection: &mut Connection,
    held: &mut Vec<Button>,
) -> Result<Vec<String>, DesktopError> {
    let root = connection.root;
    let state = connection.x.query_pointer(root).named("QueryPointer")?.reply().named("QueryPointer")?.mask;
    let masks = [
        KeyButMask::BUTTON1,
        KeyButMask::BUTTON2,
        KeyButMask::BUTTON3,
        KeyButMask::BUTTON4,
        KeyButMask::BUTTON5,
    ];
    // The protocol's mask ends at button 5; the others are known only from what was sent.
    let is_down = |button: Button| match masks.get(usize::from(button.number()) - 1) {
        Some(mask) => state.contains(*mask),
        None => held.contains(&button),
    };
    let down: Vec<_> = BUTTONS.into_iter().filter(|(button, _)| is_down(*button)).collect();
    held.clear();
    for (button, _) in &down {
        send(connection, *button, Press::Up)?;
    }
    if !down.is_empty() {
        connection.finish("XTEST button")?;
    }
    Ok(down.into_iter().map(|(_, name)| name.to_owned()).collect())
}

fn send(connection: &Connection, button: Button, press: Press) -> Result<(), DesktopError> {
    let kind = match press {
        Press::Down => BUTTON_PRESS_EVENT,
        Press::Up => BUTTON_RELEASE_EVENT,
    };
    let request = connection.x.xtest_fake_input(kind, button.number(), 0, x11rb::NONE, 0, 0, 0);
    request.map(drop).named("XTEST button")
}
