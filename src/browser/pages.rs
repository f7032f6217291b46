//! What is known of the browser's pages and cross-site frames, kept by their events.
//!
//! Every page and every frame that runs in a process of its own is a *session*. Each is paused at its birth, set up
//! (frozen, watched) and then let go, so that no script of it runs unfrozen.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    Emulation, Preset,
    devtools::Command,
    dialogs::{Dialog, Dialogs},
    files::Files,
    guard::Guard,
    notices::Notices,
    requests::Requests,
};
use crate::geometry::Size;

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
    /// Counts pages as they come to the front: by being opened, or by being brought there.
    activation: u64,
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
    /// What pages are told of the device.
    emulation: Emulation,
    /// What the browser calls itself.
    pub(super) user_agent: String,
    /// The size that the viewport of every page is told to have, instead of that of its window.
    viewport: Option<Size>,
    sessions: Vec<Session>,
    requests: Requests,
    /// The dialog that is open.
    pub(super) dialogs: Dialogs,
    /// Choosers and downloads.
    pub(super) files: Files,
    /// Who answers for which server.
    pub(super) guard: Guard,
    /// What the pages said since somebody asked.
    pub(super) notices: Notices,
}

impl Pages {
    /// No page yet; each will be given the commands of `setup` before its first script.
    pub(super) fn new(mut setup: Vec<(String, Value)>, preset: &Preset) -> Self {
        let guard = Guard::new(&preset.credentials);
        setup.extend(guard.enabling());
        Self { setup, guard, dialogs: Dialogs::new(preset.dialogs), ..Self::default() }
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
                let (answer, notice) = self.dialogs.opened(session, params);
                self.notices.add(notice);
                return answer.into_iter().collect();
            }
            "Page.javascriptDialogClosed" => self.dialogs.closed(),
            "Page.fileChooserOpened" | "Browser.downloadWillBegin" | "Browser.downloadProgress" => {
                self.files.apply(session, method, params);
            }
            "Fetch.requestPaused" | "Fetch.authRequired" => return self.guard.apply(session, method, params),
            _ => {
                let page = self.session(session).map(|of| of.document.url.clone()).unwrap_or_default();
                self.notices.apply(session, &page, method, params);
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
        self.viewport_command(session, size)
    }

    /// The size of the viewport when it has another one than its window, in css pixels.
    pub(super) const fn resized(&self) -> Option<Size> {
        self.viewport
    }

    fn viewport_command(&self, session: &str, size: Size) -> Command {
        let mobile = self.emulation.mobile == Some(true);
        let metrics =
            json!({"width": size.width, "height": size.height, "deviceScaleFactor": 0, "mobile": mobile});
        Command::page(session, "Emulation.setDeviceMetricsOverride", metrics)
    }

    /// The open dialog, if any.
    pub(super) fn dialog(&self) -> Option<&Dialog> {
        self.dialogs.open()
    }

    /// Whether the page or frame of a session crashed.
    pub(super) fn has_crashed(&self, session: &str) -> bool {
        self.session(session).is_some_and(|session| session.crashed)
    }

    /// Whether any page crashed.
    pub(super) fn any_crashed(&self) -> bool {
        self.sessions.iter().any(|session| session.crashed)
    }

    /// The page sessions, the one that came to the front last first.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Session> {
        let mut pages: Vec<_> = self.sessions.iter().filter(|session| session.kind == Kind::Page).collect();
        pages.sort_by_key(|page| std::cmp::Reverse(page.activation));
        pages.into_iter()
    }

    /// Sessions and targets of the pages, in the order in which they were opened.
    pub(super) fn tabs(&self) -> Vec<(String, String)> {
        let pages = self.sessions.iter().filter(|session| session.kind == Kind::Page);
        pages.map(|page| (page.id.clone(), page.target.clone())).collect()
    }

    /// Notes that a page is brought to the front.
    pub(super) fn activate(&mut self, session: &str) {
        let next = self.next_activation();
        if let Some(page) = self.session_mut(session) {
            page.activation = next;
        }
    }

    fn next_activation(&self) -> u64 {
        self.sessions.iter().map(|session| session.activation).max().unwrap_or_default() + 1
    }

    /// The sessions of all pages and frames.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.sessions.iter().map(|session| session.id.as_str())
    }

    /// Has this and every later page told of another device.
    pub(super) fn emulate(&mut self, wanted: &Emulation) {
        self.emulation = wanted.over(&self.emulation);
    }

    /// What pages are told of the device.
    pub(super) const fn emulation(&self) -> &Emulation {
        &self.emulation
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

    /// A session with all frames below it that have one.
    pub(super) fn with_frames(&self, session: &str) -> Vec<String> {
        self.tree(session).into_iter().map(str::to_owned).collect()
    }

    /// The same.
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
            activation: self.next_activation(),
            document: Document { url: text(&info["url"]), ..Document::default() },
            statuses: Vec::new(),
            failures: Vec::new(),
        });
        let emulation = self.emulation.commands(&self.user_agent);
        let setup = self.setup.iter().chain(&emulation);
        let setup =
            setup.map(|(method, params)| Command::page(&id, method, params.clone())).collect::<Vec<_>>();
        let go = Command::page(&id, "Runtime.runIfWaitingForDebugger", json!({}));
        let size = self.viewport.filter(|_| kind == Kind::Page).map(|size| self.viewport_command(&id, size));
        setup.into_iter().chain(size).chain([go]).collect()
    }

    fn detach(&mut self, session: &str) {
        self.sessions.retain(|of| of.id != session);
        self.requests.session_gone(session);
        self.notices.session_gone(session);
        self.dialogs.session_gone(session);
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

/// Only answers of a server have a status; the browser makes one up for files and `data:` addresses.
fn is_http(url: &Value) -> bool {
    url.as_str().is_some_and(|url| url.starts_with("http:") || url.starts_with("https:"))
}
