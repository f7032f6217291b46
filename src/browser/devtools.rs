//! The `DevTools` connection: JSON messages, each ended by a NUL byte, over the browser's descriptors 3 and 4.
//!
//! A pipe instead of a port: nobody else can connect, and its end of file is the surest sign of the browser's
//! death. A thread reads all messages and keeps [`Pages`] up to date *whether or not anyone is asking*: a
//! cross-site frame opened by a click stays paused until this side has set it up, so the answer may not wait for
//! the next call. This file knows the transport; what events mean is known by [`Pages`].

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use thiserror::Error;

use super::{dialogs::Dialog, pages::Pages};
use crate::{
    clock::{Clock, Deadline},
    desktop::AppPipes,
};

/// How long a command may stay unanswered while a dialog is open. A dialog stops the page's scripts, so an answer
/// that needs them never comes; answers that do not need them take a few milliseconds.
const DIALOG_GRACE: Duration = Duration::from_millis(400);

/// A message to the browser, or to one of its pages when it names a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Command {
    /// The page or frame it is for; the browser itself when absent.
    pub(super) session: Option<String>,
    /// Such as `Page.navigate`.
    pub(super) method: String,
    /// An object.
    pub(super) params: Value,
}

impl Command {
    /// A command to the browser itself.
    pub(super) fn browser(method: &str, params: Value) -> Self {
        Self { session: None, method: method.to_owned(), params }
    }

    /// A command to the page or frame attached as `session`.
    pub(super) fn page(session: &str, method: &str, params: Value) -> Self {
        Self { session: Some(session.to_owned()), method: method.to_owned(), params }
    }
}

/// Why a command has no answer.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum CallError {
    /// The browser closed its end.
    #[error("the connection closed")]
    Closed,
    /// The page that was asked crashed.
    #[error("the page crashed")]
    Crashed,
    /// The browser answered with an error.
    #[error("`{method}`: {reason}")]
    Refused { method: String, reason: String },
    /// The answer did not come in time.
    #[error("`{method}` was not answered within {waited:?}")]
    TimedOut { method: String, waited: Duration },
    /// A dialog stops the page.
    #[error("a dialog is open")]
    Dialog(Dialog),
}

/// What a probe of [`DevTools::wait`] found.
pub(super) enum Probe<T> {
    /// What was waited for.
    Done(T),
    /// Nothing can have changed before the next event.
    Event,
    /// Look again after this time, or at the next event.
    After(Duration),
}

/// The connection to one browser.
pub(super) struct DevTools {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
}

struct Shared {
    to_browser: Mutex<File>,
    state: Mutex<State>,
    changed: Condvar,
    last_id: AtomicU64,
}

struct State {
    /// The commands that somebody waits for, and their answers once they are there.
    replies: HashMap<u64, Option<Value>>,
    closed: bool,
    pages: Pages,
}

impl DevTools {
    /// Takes over both ends of the pipes and starts to read.
    pub(super) fn connect(pipes: AppPipes, pages: Pages, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            to_browser: Mutex::new(pipes.to_app),
            state: Mutex::new(State { replies: HashMap::new(), closed: false, pages }),
            changed: Condvar::new(),
            last_id: AtomicU64::new(0),
        });
        let (reading, reader_clock) = (Arc::clone(&shared), Arc::clone(&clock));
        thread::Builder::new()
            .name("devtools".to_owned())
            .spawn(move || read_messages(&reading, pipes.from_app, &*reader_clock))?;
        Ok(Self { shared, clock })
    }

    /// Sends a command and waits for its result.
    pub(super) fn call(&self, command: &Command, limit: Duration) -> Result<Value, CallError> {
        let deadline = Deadline::after(&*self.clock, limit);
        let id = self.shared.next_id();
        self.shared.state().replies.insert(id, None);
        let sent = self.shared.write(id, command);
        let answer = sent.map_or(Err(CallError::Closed), |()| self.await_reply(id, command, &deadline));
        self.shared.state().replies.remove(&id);
        answer
    }

    /// Sends a command whose answer nobody needs; a closed connection is noticed by the next call.
    pub(super) fn send(&self, command: &Command) {
        let _ = self.shared.write(self.shared.next_id(), command);
    }

    /// Waits until `probe` is done; `None` when the deadline passes first.
    pub(super) fn wait<T>(
        &self,
        deadline: &Deadline,
        mut probe: impl FnMut(&Pages, Instant) -> Probe<T>,
    ) -> Result<Option<T>, CallError> {
        let mut state = self.shared.state();
        loop {
            let pause = match probe(&state.pages, self.clock.now()) {
                Probe::Done(value) => return Ok(Some(value)),
                Probe::Event => deadline.remaining(&*self.clock),
                Probe::After(pause) => pause.min(deadline.remaining(&*self.clock)),
            };
            if state.closed {
                return Err(CallError::Closed);
            }
            if deadline.has_passed(&*self.clock) {
                return Ok(None);
            }
            state = self.shared.wait(state, pause);
        }
    }

    /// Looks at the pages as they are.
    pub(super) fn pages<T>(&self, look: impl FnOnce(&Pages) -> T) -> T {
        look(&self.shared.state().pages)
    }

    /// Changes what is known of the pages, and so what later ones are told.
    pub(super) fn change_pages<T>(&self, change: impl FnOnce(&mut Pages) -> T) -> T {
        change(&mut self.shared.state().pages)
    }

    /// Whether the browser closed its end.
    pub(super) fn is_closed(&self) -> bool {
        self.shared.state().closed
    }

    fn await_reply(&self, id: u64, command: &Command, deadline: &Deadline) -> Result<Value, CallError> {
        let mut state = self.shared.state();
        loop {
            if let Some(reply) = state.replies.get_mut(&id).and_then(Option::take) {
                return result_of(reply, &command.method);
            }
            if state.closed {
                return Err(CallError::Closed);
            }
            let mut remaining = deadline.remaining(&*self.clock);
            if let Some(session) = &command.session {
                if state.pages.has_crashed(session) {
                    return Err(CallError::Crashed);
                }
                if let Some(dialog) = state.pages.dialog() {
                    let grace = DIALOG_GRACE.saturating_sub(deadline.elapsed(&*self.clock));
                    if grace.is_zero() {
                        return Err(CallError::Dialog(dialog.clone()));
                    }
                    remaining = remaining.min(grace);
                }
            }
            if deadline.has_passed(&*self.clock) {
                let waited = deadline.limit();
                return Err(CallError::TimedOut { method: command.method.clone(), waited });
            }
            state = self.shared.wait(state, remaining);
        }
    }
}

impl Shared {
    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, pause: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0
    }

    fn write(&self, id: u64, command: &Command) -> io::Result<()> {
        let mut message = json!({ "id": id, "method": command.method, "params": command.params });
        if let Some(session) = &command.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to_browser.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes)
    }
}

fn result_of(mut reply: Value, method: &str) -> Result<Value, CallError> {
    match reply.get("error") {
        Some(error) => {
            let word = |key: &str| error.get(key).and_then(Value::as_str);
            let mut reason = word("message").unwrap_or("no reason given").to_owned();
            if let Some(detail) = word("data") {
                reason = format!("{reason}: {detail}");
            }
            Err(CallError::Refused { method: method.to_owned(), reason })
        }
        None => Ok(reply["result"].take()),
    }
}

fn read_messages(shared: &Shared, mut from_browser: File, clock: &dyn Clock) {
    let mut pending = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match from_browser.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let mut rest = &chunk[..count];
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            pending.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            // What is no JSON cannot be answered either; the command it belonged to runs into its deadline.
            if let Ok(message) = serde_json::from_slice::<Value>(&pending) {
                take_in(shared, message, clock.now());
            }
            pending.clear();
        }
        pending.extend_from_slice(rest);
    }
    shared.state().closed = true;
    shared.changed.notify_all();
}

fn take_in(shared: &Shared, message: Value, now: Instant) {
    let answers = {
        let mut state = shared.state();
        if let Some(id) = message.get("id").and_then(Value::as_u64) {
            if let Some(reply) = state.replies.get_mut(&id) {
                *reply = Some(message);
            }
            Vec::new()
        } else {
            state.pages.apply(&message, now)
        }
    };
    shared.changed.notify_all();
    for command in answers {
        if shared.write(shared.next_id(), &command).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;
    use crate::clock::SystemClock;

    const LIMIT: Duration = Duration::from_secs(20);

    /// A connection, and the browser's ends: what it reads and what it writes.
    fn connection() -> (DevTools, File, File) {
        let (browser_reads, to_app) = io::pipe().unwrap();
        let (from_app, browser_writes) = io::pipe().unwrap();
        let file = |fd: OwnedFd| File::from(fd);
        let pipes = AppPipes { from_app: file(from_app.into()), to_app: file(to_app.into()) };
        let devtools = DevTools::connect(
            pipes,
            Pages::new(Vec::new(), &super::super::Preset::default()),
            Arc::new(SystemClock),
        )
        .unwrap();
        (devtools, file(browser_reads.into()), file(browser_writes.into()))
    }

    fn read_message(from: &mut File) -> Value {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while from.read(&mut byte).unwrap() == 1 && byte[0] != 0 {
            bytes.push(byte[0]);
        }
        serde_json::from_slice(&bytes).unwrap()
    }

    #[test]
    fn an_answer_reaches_its_command_though_it_comes_in_pieces_and_after_events() {
        let (devtools, mut reads, mut writes) = connection();
        let browser = thread::spawn(move || {
            let command = read_message(&mut reads);
            writes.write_all(b"{\"method\":\"Some.event\",\"params\":{}}\0{\"id\":").unwrap();
            writes.flush().unwrap();
            write!(writes, "{},\"result\":{{\"ok\":true}}}}\0", command["id"]).unwrap();
            (command, reads, writes)
        });
        let answer = devtools.call(&Command::page("S", "A.b", json!({"x": 1})), LIMIT).unwrap();
        let (command, ..) = browser.join().unwrap();
        assert_eq!(answer, json!({"ok": true}));
        assert_eq!(command, json!({"id": 1, "method": "A.b", "params": {"x": 1}, "sessionId": "S"}));
    }

    #[test]
    fn an_error_names_the_method_and_the_browsers_word() {
        let (devtools, mut reads, mut writes) = connection();
        let browser = thread::spawn(move || {
            read_message(&mut reads);
            writes
                .write_all(b"{\"id\":1,\"error\":{\"code\":-1,\"message\":\"bad\",\"data\":\"worse\"}}\0")
                .unwrap();
            (reads, writes)
        });
        let refused = devtools.call(&Command::browser("A.b", json!({})), LIMIT).unwrap_err();
        assert_eq!(refused.to_string(), "`A.b`: bad: worse");
        drop(browser.join().unwrap());
    }

    #[test]
    fn the_end_of_the_browser_ends_a_waiting_command() {
        let (devtools, reads, writes) = connection();
        let browser = thread::spawn(move || {
            let mut reads = reads;
            read_message(&mut reads);
            drop((reads, writes));
        });
        assert_eq!(devtools.call(&Command::browser("A.b", json!({})), LIMIT), Err(CallError::Closed));
        browser.join().unwrap();
        assert!(devtools.is_closed());
    }

    #[test]
    fn silence_is_a_timeout_that_names_the_method() {
        let (devtools, _reads, _writes) = connection();
        let silent =
            devtools.call(&Command::browser("A.b", json!({})), Duration::from_millis(5)).unwrap_err();
        assert_eq!(silent.to_string(), "`A.b` was not answered within 5ms");
    }
}
