//! What runner and session host say to each other: a length in four bytes, then JSON, then nothing.
//!
//! ```text
//! → {"Spawn":{"argv":[..],"env":[..],"cwd":..,"descriptors":[1,2,3],"role":"App"}}   + the descriptors
//! ← {"Started":{"app":3,"pid":4711}}
//! ```
//!
//! File descriptors travel with the first byte of a message (`SCM_RIGHTS`), in the order the message names them.

use std::{
    ffi::OsString,
    io::{self, IoSlice, IoSliceMut, Read, Write},
    mem::MaybeUninit,
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The most descriptors that one message carries.
const MOST_DESCRIPTORS: usize = 8;

/// What the runner asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Sent first, with the descriptor that holds the folder's lock. Has no reply.
    Adopt {
        /// The case's folder, to be removed in the end.
        folder: OsString,
    },
    /// Start a program; its descriptors come with the message.
    Spawn(Spawn),
    /// How does this program stand?
    State {
        /// The number given when it was started.
        app: u32,
    },
    /// End this program and all it started.
    Stop {
        /// The number given when it was started.
        app: u32,
        /// How long it may take after SIGTERM before it is killed.
        grace_ms: u64,
    },
}

/// A program to start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Spawn {
    /// The program and its arguments, at least one.
    pub(super) argv: Vec<OsString>,
    /// The whole environment.
    pub(super) env: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub(super) cwd: OsString,
    /// The number that each descriptor of the message gets in the program.
    pub(super) descriptors: Vec<i32>,
    /// What it is to the case.
    pub(super) role: Role,
}

/// What a program is to its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::desktop) enum Role {
    /// The X server: ends last, and by SIGTERM, so that it removes its socket.
    Server,
    /// Everything else.
    App,
}

/// What the session host answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The program runs.
    Started {
        /// Its number from here on.
        app: u32,
        /// Its process.
        pid: u32,
    },
    /// The program does not run.
    NotStarted {
        /// The system's error number.
        errno: i32,
    },
    /// The program is still there.
    Running,
    /// The program ended by itself.
    Exited(i32),
    /// The program was ended by a signal.
    Killed(i32),
    /// No such program was started.
    Unknown,
}

/// Sends one message.
pub(super) fn send(
    mut socket: &UnixStream,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    let bytes = [&length.to_le_bytes()[..], &body].concat();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let sent = rustix::io::retry_on_intr(|| {
        sendmsg(socket, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)
    })?;
    // The descriptors went with the first byte, whatever part of the message was taken.
    socket.write_all(&bytes[sent..])
}

/// Receives one message; `None` when the other side is gone.
pub(super) fn receive<M: DeserializeOwned>(mut socket: &UnixStream) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let first = rustix::io::retry_on_intr(|| {
        recvmsg(socket, &mut [IoSliceMut::new(&mut length)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
    });
    let first = match first {
        Ok(message) => message.bytes,
        Err(rustix::io::Errno::CONNRESET) => 0,
        Err(error) => return Err(error.into()),
    };
    if first == 0 {
        return Ok(None);
    }
    let descriptors = ancillary
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten()
        .collect();
    socket.read_exact(&mut length[first..])?;
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    socket.read_exact(&mut body)?;
    Ok(Some((serde_json::from_slice(&body)?, descriptors)))
}

#[cfg(test)]
mod tests {
    use std::{fs::File, os::fd::AsFd};

    use super::*;

    #[test]
    fn a_message_longer_than_the_socket_buffer_arrives_whole_with_its_descriptors() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let long = "x".repeat(3_000_000);
        let sender = std::thread::spawn({
            let long = long.clone();
            move || {
                let file = File::open("/dev/null").unwrap();
                send(&ours, &long, &[file.as_fd(), file.as_fd()]).unwrap();
            }
        });
        let (message, descriptors) = receive::<String>(&theirs).unwrap().unwrap();
        sender.join().unwrap();
        assert_eq!((message.len(), descriptors.len()), (long.len(), 2));
        assert!(receive::<String>(&theirs).unwrap().is_none());
    }
}
