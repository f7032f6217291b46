//! Top-level windows and the focus, with and without a window manager.

use std::time::Duration;

use x11rb::protocol::{
    Event,
    xproto::{
        AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _,
        EventMask, InputFocus, MapState, Property, StackMode, Window as WindowId, WindowClass,
    },
};

use super::connection::{Connection, Named};
use crate::{
    clock::{Deadline, SystemClock},
    desktop::{DesktopError, Window, WindowManager},
    geometry::Region,
};

/// How long a window may take to accept the focus.
const FOCUS_LIMIT: Duration = Duration::from_secs(5);

/// How long the window manager may take to answer.
const MANAGER_LIMIT: Duration = Duration::from_secs(5);

/// How long a program may take to answer.
const PING_LIMIT: Duration = Duration::from_secs(10);

/// A change of the focus between two windows of one client sends no event that is seen here: look again after this.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Longest title or class that is read, in words of four bytes.
const LONGEST_TEXT: u32 = 1024;

/// The windows of a display.
#[derive(Debug)]
pub(super) struct Windows {
    manager: WindowManager,
    /// Without a manager: the mapped windows, the one that is to have the focus last.
    mapped: Vec<WindowId>,
    /// Without a manager: whether the last of `mapped` has yet to be given the focus.
    is_focus_due: bool,
}

impl Windows {
    /// The windows of a fresh display.
    pub(super) fn new(manager: WindowManager) -> Self {
        Self { manager, mapped: Vec::new(), is_focus_due: false }
    }

    /// Takes note of an event.
    pub(super) fn absorb(&mut self, connection: &Connection, event: &Event) {
        match event {
            Event::MapNotify(event) if event.event == connection.root && !event.override_redirect => {
                self.mapped.retain(|window| *window != event.window);
                self.mapped.push(event.window);
                self.is_focus_due = true;
            }
            Event::UnmapNotify(event) => self.forget(event.window),
            Event::DestroyNotify(event) => self.forget(event.window),
            _ => {}
        }
    }

    fn forget(&mut self, window: WindowId) {
        // Without a manager the focus went with its window: the one before it is next.
        self.is_focus_due |= self.mapped.last() == Some(&window);
        self.mapped.retain(|known| *known != window);
    }

    /// Whether a window manager gets the clicks first.
    pub(super) fn are_managed(&self) -> bool {
        self.manager == WindowManager::Openbox
    }

    /// Gives the focus to the newest window where no window manager does.
    pub(super) fn follow_newest(&mut self, connection: &Connection) -> Result<(), DesktopError> {
        if self.manager != WindowManager::None || !self.is_focus_due {
            return Ok(());
        }
        self.is_focus_due = false;
        let Some(newest) = self.mapped.last() else { return Ok(()) };
        match set_focus(connection, *newest) {
            // It went meanwhile; its UnmapNotify is on the way.
            Err(DesktopError::Refused { .. }) => Ok(()),
            other => other,
        }
    }

    /// The mapped top-level windows, lowest first.
    pub(super) fn list(&self, connection: &Connection) -> Result<Vec<Window>, DesktopError> {
        let managed = match self.manager {
            WindowManager::Openbox => managed_windows(connection)?,
            WindowManager::None => None,
        };
        let ids = match managed {
            Some(ids) => ids,
            None => viewable_children(connection)?,
        };
        let active = self.active(connection)?;
        let mut windows = Vec::with_capacity(ids.len());
        for id in ids {
            match describe(connection, id, active) {
                Ok(window) => windows.push(window),
                // It was closed since the list was made.
                Err(DesktopError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(windows)
    }

    /// Gives the focus to a window and waits until it has it.
    pub(super) fn request_focus(
        &mut self,
        connection: &mut Connection,
        window: WindowId,
    ) -> Result<(), DesktopError> {
        let missing = |_| DesktopError::Focus { window, reason: "there is no such window".to_owned() };
        // Its own focus events tell when to look again.
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::FOCUS_CHANGE);
        connection
            .x
            .change_window_attributes(window, &aux)
            .named("ChangeWindowAttributes")?
            .check()
            .map_err(missing)?;
        match self.manager {
            WindowManager::None => {
                self.mapped.retain(|known| *known != window);
                self.mapped.push(window);
                self.is_focus_due = false;
                set_focus(connection, window)
            }
            WindowManager::Openbox => activate(connection, window),
        }
    }

    /// Whether keys go to this window.
    pub(super) fn has_focus(&self, connection: &Connection, window: WindowId) -> Result<bool, DesktopError> {
        let root = connection.root;
        if self.manager == WindowManager::Openbox
            && window_property(connection, root, connection.atoms._NET_ACTIVE_WINDOW)? != Some(window)
        {
            return Ok(false);
        }
        // Toolkits move the focus on to a window inside of the top-level one.
        let focus =
            connection.x.get_input_focus().named("GetInputFocus")?.reply().named("GetInputFocus")?.focus;
        is_within(connection, focus, window)
    }

    /// Waits until the program with the focus has handled every event up to now; `false` when it cannot tell.
    ///
    /// Toolkits answer `_NET_WM_PING` in the order in which events come, so after all keys before it.
    pub(super) fn answers_ping(&self, connection: &mut Connection) -> Result<bool, DesktopError> {
        let Some(window) = self.active(connection)? else { return Ok(false) };
        let (list, ping) = (connection.atoms.WM_PROTOCOLS, connection.atoms._NET_WM_PING);
        let request = connection.x.get_property(false, window, list, AtomEnum::ATOM, 0, 64);
        let protocols = match request.named("GetProperty")?.reply().named("GetProperty") {
            Ok(reply) => reply,
            Err(DesktopError::Refused { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if !protocols.value32().is_some_and(|mut values| values.any(|atom| atom == ping)) {
            return Ok(false);
        }
        let data = [ping, connection.time()?, window, 0, 0];
        let message = ClientMessageEvent::new(32, window, list, data);
        connection.x.send_event(false, window, EventMask::NO_EVENT, message).named("SendEvent")?;
        let root = connection.root;
        let is_answer = |event: &Event| matches!(event, Event::ClientMessage(event) if event.window == root && event.data.as_data32() == data);
        connection.await_matching(is_answer, Deadline::after(&SystemClock, PING_LIMIT))
    }

    fn active(&self, connection: &Connection) -> Result<Option<WindowId>, DesktopError> {
        match self.manager {
            WindowManager::Openbox => {
                window_property(connection, connection.root, connection.atoms._NET_ACTIVE_WINDOW)
            }
            WindowManager::None => Ok(self.mapped.last().copied().filter(|_| !self.is_focus_due)),
        }
    }
}

/// The moment at which a window that does not take the focus is given up, and how often to look.
pub(super) fn focus_deadline() -> (Deadline, Duration) {
    (Deadline::after(&SystemClock, FOCUS_LIMIT), LOOK_AGAIN)
}

/// Whether the window manager answers; asks it, when it has not answered yet.
///
/// openbox announces itself (`_NET_SUPPORTING_WM_CHECK`) before it listens, and a window that is mapped in between is
/// never managed: that happened to 3 of 24 programs started right after the announcement. So it counts as ready when it answers a question, which for this purpose is how wide the frame of our own window would be.
pub(super) fn is_managed(connection: &Connection) -> Result<bool, DesktopError> {
    let (own, property) = (connection.own, connection.atoms._NET_FRAME_EXTENTS);
    let request = connection.x.get_property(false, own, property, AtomEnum::CARDINAL, 0, 4);
    if request.named("GetProperty")?.reply().named("GetProperty")?.format != 0 {
        return Ok(true);
    }
    ask_manager(connection)?;
    Ok(false)
}

/// Returns once the window manager has handled every event up to now.
///
/// openbox holds each click on a window back (a synchronous grab) until it has raised the window. Keys pressed
/// meanwhile would overtake the click: "click, then type" went wrong in 5 of 8 runs of 50 clicks without this.
pub(super) fn await_manager(connection: &mut Connection) -> Result<(), DesktopError> {
    let (own, property) = (connection.own, connection.atoms._NET_FRAME_EXTENTS);
    connection.x.delete_property(own, property).named("DeleteProperty")?;
    ask_manager(connection)?;
    let is_answer = |event: &Event| {
        matches!(event, Event::PropertyNotify(event)
            if event.window == own && event.atom == property && event.state == Property::NEW_VALUE)
    };
    if connection.await_matching(is_answer, Deadline::after(&SystemClock, MANAGER_LIMIT))? {
        return Ok(());
    }
    let reason = format!("the window manager did not answer within {MANAGER_LIMIT:?}");
    Err(DesktopError::Refused { request: "_NET_REQUEST_FRAME_EXTENTS", reason })
}

fn ask_manager(connection: &Connection) -> Result<(), DesktopError> {
    let property = connection.atoms._NET_REQUEST_FRAME_EXTENTS;
    let message = ClientMessageEvent::new(32, connection.own, property, [0_u32; 5]);
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    connection.x.send_event(false, connection.root, mask, message).map(drop).named("SendEvent")
}

fn activate(connection: &mut Connection, window: WindowId) -> Result<(), DesktopError> {
    // Source 2 says that a person asks through a tool, which no focus-stealing rule holds up.
    let data = [2, connection.time()?, 0, 0, 0];
    let message = ClientMessageEvent::new(32, window, connection.atoms._NET_ACTIVE_WINDOW, data);
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    connection.x.send_event(false, connection.root, mask, message).map(drop).named("SendEvent")
}

fn set_focus(connection: &Connection, window: WindowId) -> Result<(), DesktopError> {
    let aux = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
    connection.x.configure_window(window, &aux).named("ConfigureWindow")?.check().named("ConfigureWindow")?;
    let request = connection.x.set_input_focus(InputFocus::POINTER_ROOT, window, x11rb::CURRENT_TIME);
    request.named("SetInputFocus")?.check().named("SetInputFocus")
}

fn is_within(connection: &Connection, inner: WindowId, outer: WindowId) -> Result<bool, DesktopError> {
    let mut at = inner;
    // 0 and 1 stand for "no window" and "the one under the pointer".
    while at > 1 && at != connection.root {
        if at == outer {
            return Ok(true);
        }
        match connection.x.query_tree(at).named("QueryTree")?.reply().named("QueryTree") {
            Ok(tree) => at = tree.parent,
            Err(DesktopError::Refused { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

fn managed_windows(connection: &Connection) -> Result<Option<Vec<WindowId>>, DesktopError> {
    let property = connection.atoms._NET_CLIENT_LIST_STACKING;
    let request = connection.x.get_property(false, connection.root, property, AtomEnum::WINDOW, 0, 4096);
    let reply = request.named("GetProperty")?.reply().named("GetProperty")?;
    Ok(reply.value32().map(Iterator::collect))
}

fn viewable_children(connection: &Connection) -> Result<Vec<WindowId>, DesktopError> {
    let x = &connection.x;
    let tree = x.query_tree(connection.root).named("QueryTree")?.reply().named("QueryTree")?;
    let mut cookies = Vec::with_capacity(tree.children.len());
    for child in tree.children {
        cookies.push((child, x.get_window_attributes(child).named("GetWindowAttributes")?));
    }
    let is_viewable = |(child, cookie): (WindowId, x11rb::cookie::Cookie<'_, _, _>)| {
        let attributes: x11rb::protocol::xproto::GetWindowAttributesReply = cookie.reply().ok()?;
        let is_seen = attributes.class == WindowClass::INPUT_OUTPUT;
        (is_seen && attributes.map_state == MapState::VIEWABLE).then_some(child)
    };
    Ok(cookies.into_iter().filter_map(is_viewable).collect())
}

fn describe(connection: &Connection, id: WindowId, active: Option<WindowId>) -> Result<Window, DesktopError> {
    let (x, atoms) = (&connection.x, &connection.atoms);
    // All requests go out before the first answer is read.
    let text =
        |property, kind| x.get_property(false, id, property, kind, 0, LONGEST_TEXT).named("GetProperty");
    let modern_title = text(atoms._NET_WM_NAME, atoms.UTF8_STRING)?;
    let old_title = text(AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?;
    let class = text(AtomEnum::WM_CLASS.into(), AtomEnum::STRING.into())?;
    let geometry = x.get_geometry(id).named("GetGeometry")?;
    let corner = x.translate_coordinates(id, connection.root, 0, 0).named("TranslateCoordinates")?;
    // Each answer is read before any is looked at: the error of one left unread would turn up at a later request.
    let (title, old_title) = (modern_title.reply(), old_title.reply());
    let (class, geometry, corner) = (class.reply(), geometry.reply(), corner.reply());
    let title = title.named("GetProperty")?.value;
    let old_title = latin1(&old_title.named("GetProperty")?.value);
    let class = latin1(&class.named("GetProperty")?.value);
    let geometry = geometry.named("GetGeometry")?;
    let corner = corner.named("TranslateCoordinates")?;
    Ok(Window {
        id,
        title: if title.is_empty() { old_title } else { String::from_utf8_lossy(&title).into_owned() },
        // `instance\0Class\0`
        class: class.split('\0').nth(1).unwrap_or_default().to_owned(),
        region: Region::new(
            corner.dst_x.into(),
            corner.dst_y.into(),
            geometry.width.into(),
            geometry.height.into(),
        ),
        focused: active == Some(id),
    })
}

fn window_property(
    connection: &Connection,
    of: WindowId,
    property: u32,
) -> Result<Option<WindowId>, DesktopError> {
    let request = connection.x.get_property(false, of, property, AtomEnum::WINDOW, 0, 1);
    let reply = request.named("GetProperty")?.reply().named("GetProperty")?;
    Ok(reply.value32().and_then(|mut values| values.next()).filter(|window| *window != x11rb::NONE))
}

/// Text properties of the type `STRING` are Latin-1, whose bytes are the first 256 characters of Unicode.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
