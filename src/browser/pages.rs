//! What is known of the browser's pages and cross-site frames, kept by their events.
//!
//! Every page and every frame that runs in a process of its own is a *session*. Each is paused at its birth, set up
//! (frozen, watched) and then let go, so that no script of it runs unfrozen.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{devtools::Command, requests::Requests};
use crate::geometry::Size;

/// A JavaScript dialog that stops its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dialog {
    session: String,
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub(super) kind: String,
    /// What it says.
    pub(super) message: String,
}

/// What a session shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tab or window.
    Page,
    /// A frame in a process of its own.
    Frame,
}

/// A page or cross-site frame.
#[derive(Debug)]
pub(super) struct Session {
    /// The browser's name for the connection to it.
    pub(super) id: String,
    /// The browser's name for the page; also the id of its main frame.
    pub(super) target: String,
    /// What it shows.
    pub(super) kind: Kind,
    /// The session that contains a frame.
    parent: Option<String>,
    crashed: bool,
    document: Document,
    /// Status codes of main documents by loader, newest last.
    statuses: Vec<(String, u16)>,
    /// Network errors of main documents, likewise.
    failures: Vec<(String, String)>,
}

/// The document in the main frame of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// Counts navigations, also those within a document.
    pub(super) commits: u64,
    /// The browser's id of this load.
    pub(super) loader: String,
    /// The address, with its fragment.
    pub(super) url: String,
    /// When the load event fired.
    pub(super) loaded_at: Option<Instant>,
    /// Whether the browser shows its own error page instead.
    pub(super) unreachable: bool,
}

/// How the load of a page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// Loaded and quiet.
    Done,
    /// The load event or an answer is missing.
    Pending,
    /// Quiet, but not yet for long enough.
    QuietIn(Duration),
}

/// All sessions of a browser.
#[derive(Debug, Default)]
pub(super) struct Pages {
    setup: Vec<(String, Value)>,
    /// The size that the viewport of every page is told to have, instead of that of its window.
    viewport: Option<Size>,
    sessions: Vec<Session>,
    requests: Requests,
    dialog: Option<Dialog>,
}

impl Pages {
    /// No page yet; each will be given the commands of `setup` before its first script.
    pub(super) fn new(setup: Vec<(String, Value)>) -> Self {
        Self { setup, ..Self::default() }
    }

    /// Takes in an event; the answers must be sent at once.
    pub(super) fn apply(&mut self, message: &Value, now: Instant) -> Vec<Command> {
        let session = message.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let params = &message["params"];
        let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
        match method {
            "Target.attachedToTarget" => return self.attach(session, params),
            "Target.detachedFromTarget" => self.detach(text("sessionId")),
            "Target.targetCrashed" => self.crashed(|of| of.target == text("targetId")),
            "Inspector.targetCrashed" => self.crashed(|of| of.id == session),
            "Page.frameNavigated" => self.navigated(session, &params["frame"]),
            "Page.navigatedWithinDocument" => self.moved_within(session, text("frameId"), text("url")),
            "Page.lifecycleEvent" if text("name") == "load" => self.loaded(session, text("loaderId"), now),
            "Page.frameDetached" => self.requests.frame_gone(session, text("frameId")),
            "Page.javascriptDialogOpening" => {
                let (kind, message) = (text("type").to_owned(), text("message").to_owned());
                self.dialog = Some(Dialog { session: session.to_owned(), kind, message });
            }
            "Page.javascriptDialogClosed" => self.dialog = None,
            _ => {
                if let Some(event) = method.strip_prefix("Network.") {
                    self.note_document(session, event, params);
                    self.requests.apply(session, event, params, now);
                }
            }
        }
        Vec::new()
    }

    /// Gives the viewport of this and every later page a size of its own, at the top left of its window.
    pub(super) fn resize(&mut self, session: &str, size: Size) -> Command {
        self.viewport = Some(size);
        viewport_command(session, size)
    }

    /// Whether the viewport has another size than its window.
    pub(super) const fn is_resized(&self) -> bool {
        self.viewport.is_some()
    }

    /// The open dialog, if any.
    pub(super) const fn dialog(&self) -> Option<&Dialog> {
        self.dialog.as_ref()
    }

    /// Whether the page or frame of a session crashed.
    pub(super) fn has_crashed(&self, session: &str) -> bool {
        self.session(session).is_some_and(|session| session.crashed)
    }

    /// Whether any page crashed.
    pub(super) fn any_crashed(&self) -> bool {
        self.sessions.iter().any(|session| session.crashed)
    }

    /// The page sessions, newest first.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter().rev().filter(|session| session.kind == Kind::Page)
    }

    /// The session that is attached to a page or frame.
    pub(super) fn of_target(&self, target: &str) -> Option<&Session> {
        self.sessions.iter().find(|session| session.target == target)
    }

    /// The page or frame that a session is attached to.
    pub(super) fn target_of(&self, session: &str) -> Option<String> {
        self.session(session).map(|session| session.target.clone())
    }

    /// The frames in processes of their own that lie directly in `session`.
    pub(super) fn frames_in(&self, session: &str) -> Vec<&Session> {
        self.sessions.iter().filter(|of| of.parent.as_deref() == Some(session)).collect()
    }

    /// The document that a page shows.
    pub(super) fn document(&self, session: &str) -> Document {
        self.session(session).map(|session| session.document.clone()).unwrap_or_default()
    }

    /// The HTTP status with which a document came.
    pub(super) fn status(&self, session: &str, loader: &str) -> Option<u16> {
        let session = self.session(session)?;
        session.statuses.iter().rev().find(|(of, _)| of == loader).map(|(_, status)| *status)
    }

    /// The network error with which a document did not come.
    pub(super) fn failure(&self, session: &str, loader: &str) -> Option<String> {
        let session = self.session(session)?;
        session.failures.iter().rev().find(|(of, _)| of == loader).map(|(_, reason)| reason.clone())
    }

    /// How the load of a page and its frames stands.
    pub(super) fn load(&self, session: &str, now: Instant) -> Load {
        let Some(loaded_at) = self.session(session).and_then(|session| session.document.loaded_at) else {
            return Load::Pending;
        };
        match self.requests.quiet_in(&self.tree(session), loaded_at, now) {
            None => Load::Pending,
            Some(Duration::ZERO) => Load::Done,
            Some(pause) => Load::QuietIn(pause),
        }
    }

    /// The addresses that a page and its frames wait for.
    pub(super) fn pending(&self, session: &str) -> Vec<String> {
        self.requests.pending(&self.tree(session))
    }

    /// A session with all frames below it.
    fn tree<'a>(&'a self, session: &'a str) -> Vec<&'a str> {
        let mut tree = vec![session];
        let mut at = 0;
        while at < tree.len() {
            tree.extend(self.frames_in(tree[at]).into_iter().map(|frame| frame.id.as_str()));
            at += 1;
        }
        tree
    }

    fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.iter().find(|session| session.id == id)
    }

    fn session_mut(&mut self, id: &str) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.id == id)
    }

    fn attach(&mut self, parent: &str, params: &Value) -> Vec<Command> {
        let info = &params["targetInfo"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = text(&params["sessionId"]);
        let kind = match info["type"].as_str() {
            Some("page") => Kind::Page,
            Some("iframe") => Kind::Frame,
            // Workers and the like have no pixels; they only must not stay paused.
            _ => return vec![Command::page(&id, "Runtime.runIfWaitingForDebugger", json!({}))],
        };
        self.sessions.push(Session {
            id: id.clone(),
            target: text(&info["targetId"]),
            kind,
            parent: (kind == Kind::Frame && !parent.is_empty()).then(|| parent.to_owned()),
            crashed: false,
            document: Document { url: text(&info["url"]), ..Document::default() },
            statuses: Vec::new(),
            failures: Vec::new(),
        });
        let setup = self.setup.iter().map(|(method, params)| Command::page(&id, method, params.clone()));
        let go = Command::page(&id, "Runtime.runIfWaitingForDebugger", json!({}));
        let size = self.viewport.filter(|_| kind == Kind::Page).map(|size| viewport_command(&id, size));
        setup.chain(size).chain([go]).collect()
    }

    fn detach(&mut self, session: &str) {
        self.sessions.retain(|of| of.id != session);
        self.requests.session_gone(session);
        if self.dialog.as_ref().is_some_and(|dialog| dialog.session == session) {
            self.dialog = None;
        }
    }

    fn crashed(&mut self, is_it: impl Fn(&Session) -> bool) {
        self.sessions.iter_mut().filter(|session| is_it(session)).for_each(|session| session.crashed = true);
    }

    fn navigated(&mut self, session: &str, frame: &Value) {
        let text = |key: &str| frame.get(key).and_then(Value::as_str).unwrap_or_default();
        self.requests.document_changed(session, text("id"), text("loaderId"));
        let Some(known) = self.session_mut(session) else { return };
        if known.target == text("id") {
            known.document = Document {
                commits: known.document.commits + 1,
                loader: text("loaderId").to_owned(),
                url: format!("{}{}", text("url"), text("urlFragment")),
                loaded_at: None,
                unreachable: !text("unreachableUrl").is_empty(),
            };
        }
    }

    fn moved_within(&mut self, session: &str, frame: &str, url: &str) {
        if let Some(known) = self.session_mut(session).filter(|known| known.target == frame) {
            known.document.commits += 1;
            url.clone_into(&mut known.document.url);
        }
    }

    fn loaded(&mut self, session: &str, loader: &str, now: Instant) {
        if let Some(known) = self.session_mut(session).filter(|known| known.document.loader == loader) {
            known.document.loaded_at = Some(now);
        }
    }

    /// Remembers how main documents came. The answer of a load comes before its `frameNavigated`.
    fn note_document(&mut self, session: &str, event: &str, params: &Value) {
        /// Loads that can be under way at once; a redirect loop must not fill the memory.
        const REMEMBERED: usize = 16;
        let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
        let Some(known) = self.session_mut(session).filter(|_| text("type") == "Document") else { return };
        match event {
            "responseReceived" if text("frameId") == known.target && is_http(&params["response"]["url"]) => {
                let status =
                    params["response"]["status"].as_u64().and_then(|status| u16::try_from(status).ok());
                known
                    .statuses
                    .extend(status.filter(|status| *status > 0).map(|s| (text("loaderId").to_owned(), s)));
            }
            // A document's request bears the id of its loader.
            "loadingFailed" => {
                known.failures.push((text("requestId").to_owned(), text("errorText").to_owned()));
            }
            _ => {}
        }
        let surplus = known.statuses.len().saturating_sub(REMEMBERED);
        known.statuses.drain(..surplus);
        let surplus = known.failures.len().saturating_sub(REMEMBERED);
        known.failures.drain(..surplus);
    }
}

fn viewport_command(session: &str, size: Size) -> Command {
    let metrics =
        json!({"width": size.width, "height": size.height, "deviceScaleFactor": 0, "mobile": false});
    Command::page(session, "Emulation.setDeviceMetricsOverride", metrics)
}

/// Only answers of a server have a status; the browser makes one up for files and `data:` addresses.
fn is_http(url: &Value) -> bool {
    url.as_str().is_some_and(|url| url.starts_with("http:") || url.starts_with("https:"))
}
