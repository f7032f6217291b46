//! The pointer: XTEST motion and buttons, each confirmed by the server's word.

use std::time::Duration;

use x11rb::protocol::{
    xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, KeyButMask, MOTION_NOTIFY_EVENT},
    xtest::ConnectionExt as _,
};

use super::connection::{Connection, Named};
use crate::{
    clock::{Clock, Deadline, SystemClock},
    desktop::DesktopError,
    geometry::Point,
    input::{Button, Press},
};

/// How long a motion or a press may be held back.
const ARRIVAL_LIMIT: Duration = Duration::from_secs(5);

/// Between two looks at a pointer that is held back.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

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
    let arrived = eventually(|| Ok(position(connection)? == to))?;
    if arrived {
        Ok(())
    } else {
        Err(refused(format!("the pointer is at {} instead of {to}", position(connection)?)))
    }
}

/// Presses or releases a button.
pub(super) fn button(connection: &mut Connection, button: Button, press: Press) -> Result<(), DesktopError> {
    send(connection, button, press)?;
    connection.finish("XTEST button")?;
    let Some(mask) = mask_of(button) else { return Ok(()) };
    let taken = eventually(|| Ok(state(connection)?.contains(mask) == (press == Press::Down)))?;
    if taken {
        return Ok(());
    }
    let reason = format!("a program has held the {} back for {ARRIVAL_LIMIT:?}", name_of(button));
    Err(DesktopError::Refused { request: "XTEST button", reason })
}

/// Looks again and again until `condition` holds; `false` when it never does.
///
/// A program that grabs the pointer synchronously (openbox does, to raise a window before its click) freezes it at a
/// press: until that program has thought, the press and all that follows it are held back, and keys would overtake them.
fn eventually(condition: impl Fn() -> Result<bool, DesktopError>) -> Result<bool, DesktopError> {
    let deadline = Deadline::after(&SystemClock, ARRIVAL_LIMIT);
    loop {
        if condition()? {
            return Ok(true);
        }
        if deadline.has_passed(&SystemClock) {
            return Ok(false);
        }
        SystemClock.sleep(LOOK_AGAIN);
    }
}

/// The buttons and modifiers that the server says are down.
fn state(connection: &Connection) -> Result<KeyButMask, DesktopError> {
    let root = connection.root;
    Ok(connection.x.query_pointer(root).named("QueryPointer")?.reply().named("QueryPointer")?.mask)
}

/// The button's bit in the server's word, which ends at button 5.
const fn mask_of(button: Button) -> Option<KeyButMask> {
    match button {
        Button::Left => Some(KeyButMask::BUTTON1),
        Button::Middle => Some(KeyButMask::BUTTON2),
        Button::Right => Some(KeyButMask::BUTTON3),
        Button::ScrollUp => Some(KeyButMask::BUTTON4),
        Button::ScrollDown => Some(KeyButMask::BUTTON5),
        Button::ScrollLeft | Button::ScrollRight => None,
    }
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
