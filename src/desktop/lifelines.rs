//! The sockets of all session hosts, so that another thread can end every display at once.

use std::{
    collections::BTreeMap,
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::DesktopError;

/// The session hosts that are alive.
#[derive(Debug, Default)]
pub(super) struct Lifelines(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    aborted: bool,
    next: u64,
    open: BTreeMap<u64, UnixStream>,
}

/// One session host among the [`Lifelines`], until it is dropped.
#[derive(Debug)]
pub(super) struct Lifeline {
    id: u64,
    all: Arc<Lifelines>,
}

impl Lifelines {
    /// Adds a host by a copy of the runner's end of its socket. After [`Lifelines::abort`] it is ended at once.
    pub(super) fn add(self: &Arc<Self>, socket: UnixStream) -> Result<Lifeline, DesktopError> {
        let mut state = self.state();
        if state.aborted {
            return Err(aborted());
        }
        let id = state.next;
        state.next += 1;
        state.open.insert(id, socket);
        drop(state);
        Ok(Lifeline { id, all: Arc::clone(self) })
    }

    /// Cuts every line: each host sees the end of its runner and ends everything it started.
    pub(super) fn abort(&self) {
        let mut state = self.state();
        state.aborted = true;
        for socket in state.open.values() {
            // A socket that is closed already has no host to end.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Fails once displays are no longer opened.
    pub(super) fn check(&self) -> Result<(), DesktopError> {
        if self.state().aborted { Err(aborted()) } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn aborted() -> DesktopError {
    DesktopError::Host("the run is ending".to_owned())
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        self.all.state().open.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn cutting_the_lines_ends_every_host_and_lets_no_other_start() {
        let lines = Arc::new(Lifelines::default());
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let line = lines.add(ours.try_clone().unwrap()).unwrap();
        lines.check().unwrap();
        lines.abort();
        assert_eq!(theirs.read(&mut [0]).unwrap(), 0);
        assert!(lines.check().is_err());
        assert!(lines.add(ours).is_err());
        drop(line);
        assert!(lines.state().open.is_empty());
    }
}
