//! The connection to the X server: never waits without a limit, and names the request that failed.

use std::{
    collections::VecDeque,
    fmt,
    io::{self, IoSlice},
    os::{
        fd::{AsFd, BorrowedFd},
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixStream},
    },
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::{
    connection::Connection as _,
    errors::{ConnectionError, ReplyError, ReplyOrIdError},
    protocol::{
        Event,
        xproto::{
            AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
            Window, WindowClass,
        },
    },
    rust_connection::{DefaultStream, PollMode, RustConnection, Stream},
    utils::RawFdContainer,
    wrapper::ConnectionExt as _,
};

use crate::{
    clock::{Deadline, SystemClock},
    desktop::{DesktopError, case_folder::socket_path},
    geometry::Size,
};

/// A server that has not answered for this long hangs: it was measured to answer within 8 µs.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

x11rb::atom_manager! {
    /// The atoms that are used.
    pub(super) Atoms: AtomsCookie {
        UTF8_STRING,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST_STACKING,
        _NET_FRAME_EXTENTS,
        _NET_REQUEST_FRAME_EXTENTS,
        _NET_WM_NAME,
        _NET_WM_PING,
        WM_PROTOCOLS,
        CU_RUN_TIME,
    }
}

/// The x11rb connection below [`Connection`].
pub(super) type RawConnection = RustConnection<LimitedStream>;

/// A connection and what is known about its server.
pub(super) struct Connection {
    pub(super) x: RawConnection,
    pub(super) root: Window,
    pub(super) size: Size,
    pub(super) atoms: Atoms,
    /// A window of our own that is never mapped: its properties tell the server's time and the manager's answers.
    pub(super) own: Window,
    /// Requests without a reply that the server refused since the last round trip.
    refused: Vec<String>,
    /// Events that have been read and not been handled.
    events: VecDeque<Event>,
}

impl Connection {
    /// Connects to a display with its `MIT-MAGIC-COOKIE-1`.
    pub(super) fn open(display: u32, cookie: &[u8]) -> Result<Self, DesktopError> {
        let stream = LimitedStream::connect(display).map_err(|error| lost(&error))?;
        let method = b"MIT-MAGIC-COOKIE-1".to_vec();
        let x = RustConnection::connect_to_stream_with_auth_info(stream, 0, method, cookie.to_vec());
        let x = x.map_err(|error| lost(&error))?;
        let screen = &x.setup().roots[0];
        let (root, size) =
            (screen.root, Size::new(screen.width_in_pixels.into(), screen.height_in_pixels.into()));
        let atoms = Atoms::new(&x).named("InternAtom")?.reply().named("InternAtom")?;
        let own = x.generate_id().named("CreateWindow")?;
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE).override_redirect(1);
        x.create_window(0, own, root, -1, -1, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &aux)
            .named("CreateWindow")?;
        let mask = EventMask::PROPERTY_CHANGE | EventMask::SUBSTRUCTURE_NOTIFY;
        let aux = ChangeWindowAttributesAux::new().event_mask(mask);
        x.change_window_attributes(root, &aux).named("ChangeWindowAttributes")?;
        Ok(Self { x, root, size, atoms, own, refused: Vec::new(), events: VecDeque::new() })
    }

    /// An event that has arrived, without waiting.
    pub(super) fn next_event(&mut self) -> Result<Option<Event>, DesktopError> {
        self.collect()?;
        Ok(self.events.pop_front())
    }

    /// Waits until an event arrives from the server; `false` when none did before the deadline.
    pub(super) fn await_event(&mut self, deadline: Deadline) -> Result<bool, DesktopError> {
        // Events that came along with earlier answers wait in a queue, not in the socket.
        self.collect()?;
        if !self.events.is_empty() {
            return Ok(true);
        }
        self.x.flush().named("flush")?;
        self.x
            .stream()
            .wait(PollFlags::IN, deadline.remaining(&SystemClock))
            .map_err(|error| lost(&error))?;
        self.collect()?;
        Ok(!self.events.is_empty())
    }

    /// Returns once the server has carried out everything sent so far; fails when it refused any of `request`.
    pub(super) fn finish(&mut self, request: &'static str) -> Result<(), DesktopError> {
        self.x.get_input_focus().named("GetInputFocus")?.reply().named("GetInputFocus")?;
        // An error precedes the reply, so it has been read.
        self.collect()?;
        match self.refused.drain(..).next() {
            Some(reason) => Err(DesktopError::Refused { request, reason }),
            None => Ok(()),
        }
    }

    /// Sorts everything that has been read into events and errors.
    fn collect(&mut self) -> Result<(), DesktopError> {
        while let Some(event) = self.x.poll_for_event().named("poll")? {
            match event {
                Event::Error(error) => self.refused.push(describe(&error)),
                event => self.events.push_back(event),
            }
        }
        Ok(())
    }

    /// The server's present time, as activation requests must carry it.
    pub(super) fn time(&mut self) -> Result<u32, DesktopError> {
        let property = self.atoms.CU_RUN_TIME;
        self.x
            .change_property8(PropMode::APPEND, self.own, property, AtomEnum::STRING, &[])
            .named("ChangeProperty")?;
        let mut time = None;
        let own = self.own;
        let is_ours = |event: &Event| match event {
            Event::PropertyNotify(event) if event.window == own && event.atom == property => {
                time = Some(event.time);
                true
            }
            _ => false,
        };
        self.await_matching(is_ours, Deadline::after(&SystemClock, ANSWER_LIMIT))?;
        time.ok_or_else(|| DesktopError::DisplayLost("the X server did not tell its time".to_owned()))
    }

    /// Waits until an event of a kind arrives; `false` when none did before the deadline. Others are kept.
    pub(super) fn await_matching(
        &mut self,
        mut is_wanted: impl FnMut(&Event) -> bool,
        deadline: Deadline,
    ) -> Result<bool, DesktopError> {
        let mut seen = self.events.len();
        self.x.flush().named("flush")?;
        loop {
            self.collect()?;
            if self.events.range(seen..).any(&mut is_wanted) {
                return Ok(true);
            }
            seen = self.events.len();
            let left = deadline.remaining(&SystemClock);
            if left.is_zero() {
                return Ok(false);
            }
            self.x.stream().wait(PollFlags::IN, left).map_err(|error| lost(&error))?;
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A socket to the server on which no wait is endless.
pub(super) struct LimitedStream(DefaultStream);

impl LimitedStream {
    fn connect(display: u32) -> io::Result<Self> {
        let path = socket_path(display);
        // The abstract name exists even where the folder of the socket files cannot be written.
        let address = SocketAddr::from_abstract_name(path.as_os_str().as_encoded_bytes())?;
        let stream = UnixStream::connect_addr(&address).or_else(|_| UnixStream::connect(&path))?;
        DefaultStream::from_unix_stream(stream).map(|(stream, _)| Self(stream))
    }

    /// Waits until the socket is ready; `false` when it was not within `limit`.
    fn wait(&self, events: PollFlags, limit: Duration) -> io::Result<bool> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        let mut watched = [PollFd::from_borrowed_fd(self.as_fd(), events)];
        Ok(rustix::io::retry_on_intr(|| poll(&mut watched, Some(&limit)))? > 0)
    }
}

impl AsFd for LimitedStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Stream for LimitedStream {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut events = PollFlags::empty();
        events.set(PollFlags::IN, mode.readable());
        events.set(PollFlags::OUT, mode.writable());
        if self.wait(events, ANSWER_LIMIT)? {
            return Ok(());
        }
        let reason = format!("the X server did not answer within {ANSWER_LIMIT:?}");
        Err(io::Error::new(io::ErrorKind::TimedOut, reason))
    }

    fn read(&self, buf: &mut [u8], fd_storage: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.0.read(buf, fd_storage)
    }

    fn write(&self, buf: &[u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.0.write(buf, fds)
    }

    fn write_vectored(&self, bufs: &[IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.0.write_vectored(bufs, fds)
    }
}

/// Turns x11rb's errors into the room's, with the name of the request.
pub(super) trait Named<T> {
    /// The value, or the error of this request.
    fn named(self, request: &'static str) -> Result<T, DesktopError>;
}

impl<T> Named<T> for Result<T, ConnectionError> {
    fn named(self, _: &'static str) -> Result<T, DesktopError> {
        self.map_err(|error| lost(&error))
    }
}

impl<T> Named<T> for Result<T, ReplyError> {
    fn named(self, request: &'static str) -> Result<T, DesktopError> {
        self.map_err(|error| match error {
            ReplyError::ConnectionError(error) => lost(&error),
            ReplyError::X11Error(error) => DesktopError::Refused { request, reason: describe(&error) },
        })
    }
}

impl<T> Named<T> for Result<T, ReplyOrIdError> {
    fn named(self, request: &'static str) -> Result<T, DesktopError> {
        self.map_err(|error| match error {
            ReplyOrIdError::IdsExhausted => {
                DesktopError::Refused { request, reason: "no resource ids left".to_owned() }
            }
            ReplyOrIdError::ConnectionError(error) => lost(&error),
            ReplyOrIdError::X11Error(error) => DesktopError::Refused { request, reason: describe(&error) },
        })
    }
}

fn lost(error: &dyn fmt::Display) -> DesktopError {
    DesktopError::DisplayLost(error.to_string())
}

/// The kind of an X error and the request it belongs to; never its parameters, which may tell what was typed.
fn describe(error: &x11rb::x11_utils::X11Error) -> String {
    let request = error.request_name.unwrap_or("an unknown request");
    format!("{:?} in {request}", error.error_kind)
}
