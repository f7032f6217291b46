//! The network requests of a browser's pages: which are still pending, and since when nothing has moved.
//!
//! Requests that by nature never end do not count: web sockets (which are no requests in the protocol),
//! `EventSource` and other event streams, media, motion JPEG, beacons and reports.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::Value;

/// How long the network must be quiet after a request that ran after the page's load event. It was this long in
/// every measured flow that was found stable.
const QUIET: Duration = Duration::from_millis(500);

/// How long it must be quiet when nothing was asked for since the load event: long enough for scripts to react to
/// the load and ask for more, short enough not to slow a still page down.
const QUIET_SINCE_LOAD: Duration = Duration::from_millis(100);

/// Names a request: its session and the browser's id, which is unique only within the session.
type Key = (String, String);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Request {
    url: String,
    frame: String,
    loader: String,
    is_icon: bool,
}

/// The pending requests of all sessions.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pending: BTreeMap<Key, Request>,
    /// When a request last began or ended, by session.
    moved: BTreeMap<String, Instant>,
}

impl Requests {
    /// Takes in an event of the `Network` domain.
    pub(super) fn apply(&mut self, session: &str, event: &str, params: &Value, now: Instant) {
        let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
        let key = (session.to_owned(), text("requestId").to_owned());
        match event {
            "requestWillBeSent" if !is_endless(text("type")) => {
                let url = params["request"]["url"].as_str().unwrap_or_default().to_owned();
                let request = Request {
                    url,
                    frame: text("frameId").to_owned(),
                    loader: text("loaderId").to_owned(),
                    is_icon: is_icon(text("type"), &params["initiator"]),
                };
                if !request.is_icon {
                    self.moved.insert(session.to_owned(), now);
                }
                self.pending.insert(key, request);
            }
            "responseReceived" if is_stream(params) => self.end(&key, now),
            "loadingFinished" | "loadingFailed" => self.end(&key, now),
            _ => {}
        }
    }

    /// Forgets what a frame's former document asked for: it may never be reported as ended.
    pub(super) fn document_changed(&mut self, session: &str, frame: &str, loader: &str) {
        self.pending.retain(|(of, _), request| {
            of != session || request.frame != frame || request.loader.is_empty() || request.loader == loader
        });
    }

    /// Forgets a frame that is gone.
    pub(super) fn frame_gone(&mut self, session: &str, frame: &str) {
        self.pending.retain(|(of, _), request| of != session || request.frame != frame);
    }

    /// Forgets a session that is gone.
    pub(super) fn session_gone(&mut self, session: &str) {
        self.pending.retain(|(of, _), _| of != session);
        self.moved.remove(session);
    }

    /// The addresses that `sessions` still wait for.
    pub(super) fn pending(&self, sessions: &[&str]) -> Vec<String> {
        let of_these = |key: &Key| sessions.contains(&key.0.as_str());
        self.pending.iter().filter(|(key, _)| of_these(key)).map(|(_, request)| request.url.clone()).collect()
    }

    /// How much longer `sessions`, loaded at `loaded_at`, must stay quiet; `None` while a request is pending.
    pub(super) fn quiet_in(&self, sessions: &[&str], loaded_at: Instant, now: Instant) -> Option<Duration> {
        if self.pending.keys().any(|(of, _)| sessions.contains(&of.as_str())) {
            return None;
        }
        let moved = sessions.iter().filter_map(|session| self.moved.get(*session)).max().copied();
        let until = match moved {
            Some(moved) if moved > loaded_at => moved + QUIET,
            _ => loaded_at + QUIET_SINCE_LOAD,
        };
        Some(until.saturating_duration_since(now))
    }

    fn end(&mut self, key: &Key, now: Instant) {
        if self.pending.remove(key).is_some_and(|request| !request.is_icon) {
            self.moved.insert(key.0.clone(), now);
        }
    }
}

fn is_endless(kind: &str) -> bool {
    matches!(kind, "WebSocket" | "EventSource" | "Media" | "Ping" | "CSPViolationReport" | "Prefetch")
}

/// The browser itself asks for a page's icon, always after its load event. Nothing on the page follows from it, so it is
/// waited for but asks for no long quiet after it.
fn is_icon(kind: &str, initiator: &Value) -> bool {
    kind == "Other" && initiator["type"] == "other"
}

fn is_stream(params: &Value) -> bool {
    let mime = params["response"]["mimeType"].as_str().unwrap_or_default();
    matches!(mime, "text/event-stream" | "multipart/x-mixed-replace")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::{Clock, SystemClock};

    fn sent(requests: &mut Requests, id: &str, kind: &str, now: Instant) {
        let params = json!({"requestId": id, "type": kind, "frameId": "F", "loaderId": "L",
            "request": {"url": format!("http://a/{id}")}});
        requests.apply("S", "requestWillBeSent", &params, now);
    }

    #[test]
    fn a_still_page_is_quiet_a_tenth_of_a_second_after_its_load() {
        let (mut requests, start) = (Requests::default(), SystemClock.now());
        sent(&mut requests, "1", "Image", start);
        requests.apply("S", "loadingFinished", &json!({"requestId": "1"}), start);
        assert_eq!(requests.quiet_in(&["S"], start, start), Some(QUIET_SINCE_LOAD));
        assert_eq!(requests.quiet_in(&["S"], start, start + QUIET_SINCE_LOAD), Some(Duration::ZERO));
    }

    #[test]
    fn a_request_after_the_load_asks_for_the_long_quiet_counted_from_its_end() {
        let (mut requests, start) = (Requests::default(), SystemClock.now());
        let ended = start + Duration::from_millis(300);
        sent(&mut requests, "1", "Fetch", start + Duration::from_millis(1));
        assert_eq!(requests.quiet_in(&["S"], start, ended), None);
        requests.apply("S", "loadingFailed", &json!({"requestId": "1"}), ended);
        assert_eq!(requests.quiet_in(&["S"], start, ended), Some(QUIET));
    }

    #[test]
    fn the_icon_of_a_page_is_waited_for_and_asks_for_no_long_quiet() {
        let (mut requests, start) = (Requests::default(), SystemClock.now());
        let asked = start + Duration::from_millis(5);
        let params = json!({"requestId": "1", "type": "Other", "initiator": {"type": "other"}, "frameId": "F",
            "loaderId": "L", "request": {"url": "http://a/favicon.ico"}});
        requests.apply("S", "requestWillBeSent", &params, asked);
        assert_eq!(requests.quiet_in(&["S"], start, asked), None);
        requests.apply("S", "loadingFinished", &json!({"requestId": "1"}), asked);
        assert_eq!(requests.quiet_in(&["S"], start, start), Some(QUIET_SINCE_LOAD));
    }

    #[test]
    fn endless_requests_and_streams_do_not_count() {
        let (mut requests, start) = (Requests::default(), SystemClock.now());
        for kind in ["EventSource", "Media", "Ping"] {
            sent(&mut requests, kind, kind, start);
        }
        sent(&mut requests, "9", "Fetch", start);
        assert_eq!(requests.pending(&["S"]), ["http://a/9"]);
        let stream = json!({"requestId": "9", "response": {"mimeType": "text/event-stream"}});
        requests.apply("S", "responseReceived", &stream, start);
        assert!(requests.pending(&["S"]).is_empty());
    }

    #[test]
    fn a_new_document_forgets_the_requests_of_the_former_one_and_keeps_its_own() {
        let (mut requests, start) = (Requests::default(), SystemClock.now());
        sent(&mut requests, "1", "Image", start);
        requests.document_changed("S", "F", "L");
        assert_eq!(requests.pending(&["S"]).len(), 1);
        requests.document_changed("S", "F", "other");
        assert!(requests.pending(&["S"]).is_empty());
    }
}
