//! What pages say about themselves: console messages, exceptions that nobody caught, requests that failed.
//!
//! Collected as the events come and handed out to whoever asks; nobody here decides what is a mistake of the application.

use std::collections::HashMap;

use serde_json::Value;

use super::navigate::EMPTY_ERROR_PAGE;

/// Most notices that are kept until somebody asks: a page that complains in a loop must not fill the memory.
const KEPT: usize = 1000;

/// Longest text of one, in characters.
const LONGEST: usize = 2000;

/// Something that a page said, or that happened to one of its requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it is.
    pub kind: NoticeKind,
    /// How bad the page or the browser finds it.
    pub level: NoticeLevel,
    /// The words.
    pub text: String,
    /// The line of code that did it, such as `http://a/app.js:12:5`, lines and columns counted from 1.
    pub source: Option<String>,
    /// The address of the page.
    pub page: String,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// A message on the console.
    Console,
    /// An exception or rejection that nobody caught.
    Exception,
    /// A request that got no answer, or one with an error status.
    Request {
        /// The HTTP status, when an answer came.
        status: Option<u16>,
        /// Whether a document was asked for.
        is_document: bool,
    },
    /// A JavaScript dialog.
    Dialog,
}

/// How bad a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeLevel {
    /// Anything else.
    Info,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// The notices that nobody has taken yet.
#[derive(Debug, Default)]
pub(super) struct Notices {
    kept: Vec<Notice>,
    dropped: u64,
    /// The requests under way, by session and id: what fails is named only by its id.
    asked: HashMap<(String, String), Asked>,
}

/// A request as it was sent.
#[derive(Debug)]
struct Asked {
    line: String,
    is_document: bool,
    /// The browser asks for a page's icon by itself.
    is_icon: bool,
    source: Option<String>,
}

impl Notices {
    /// Takes in an event of a session whose page has the address `page`.
    pub(super) fn apply(&mut self, session: &str, page: &str, method: &str, params: &Value) {
        let notice = match method {
            "Runtime.consoleAPICalled" => console(params),
            "Runtime.exceptionThrown" => Some(exception(&params["exceptionDetails"])),
            "Log.entryAdded" => log_entry(&params["entry"]),
            "Network.requestWillBeSent" => {
                self.asked.insert(key(session, params), asked(params));
                None
            }
            "Network.responseReceived" => self.answered(session, params),
            "Network.loadingFailed" => self.failed(session, params),
            "Network.loadingFinished" => {
                self.asked.remove(&key(session, params));
                None
            }
            _ => None,
        };
        if let Some(notice) = notice {
            self.add(Notice { page: page.to_owned(), ..notice });
        }
    }

    /// Adds a notice.
    pub(super) fn add(&mut self, mut notice: Notice) {
        if self.kept.len() >= KEPT {
            self.dropped += 1;
            return;
        }
        if let Some((end, _)) = notice.text.char_indices().nth(LONGEST) {
            notice.text.truncate(end);
            notice.text.push('…');
        }
        self.kept.push(notice);
    }

    /// All of them; the last one says how many more there were.
    pub(super) fn take(&mut self) -> Vec<Notice> {
        let mut taken = std::mem::take(&mut self.kept);
        let dropped = std::mem::take(&mut self.dropped);
        if let Some(last) = taken.last().filter(|_| dropped > 0) {
            let text = format!("{dropped} more messages were not kept");
            let more = Notice { text, source: None, kind: NoticeKind::Console, ..last.clone() };
            taken.push(Notice { level: NoticeLevel::Info, ..more });
        }
        taken
    }

    /// Forgets the requests of a session that is gone.
    pub(super) fn session_gone(&mut self, session: &str) {
        self.asked.retain(|(of, _), _| of != session);
    }

    fn answered(&mut self, session: &str, params: &Value) -> Option<Notice> {
        let status = u16::try_from(params["response"]["status"].as_u64()?).ok()?;
        let asked = self.asked.get(&key(session, params)).filter(|_| status >= 400)?;
        let text = format!("{} answered with status {status}", asked.line);
        Some(asked.notice(text, Some(status)))
    }

    fn failed(&mut self, session: &str, params: &Value) -> Option<Notice> {
        let asked = self.asked.remove(&key(session, params))?;
        let reason = params["errorText"].as_str().unwrap_or_default();
        // Given up by the page or the browser, or an error status without content that was told with its answer.
        if params["canceled"] == true || matches!(reason, "net::ERR_ABORTED" | EMPTY_ERROR_PAGE) {
            return None;
        }
        let detail =
            params["blockedReason"].as_str().or_else(|| params["corsErrorStatus"]["corsError"].as_str());
        let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
        let reason = if reason.is_empty() { "blocked" } else { reason };
        Some(asked.notice(format!("{} failed: {reason}{detail}", asked.line), None))
    }
}

impl Asked {
    fn notice(&self, text: String, status: Option<u16>) -> Notice {
        Notice {
            kind: NoticeKind::Request { status, is_document: self.is_document },
            // Nobody wrote the request for an icon that is not there.
            level: if self.is_icon { NoticeLevel::Info } else { NoticeLevel::Error },
            text,
            source: self.source.clone(),
            page: String::new(),
        }
    }
}

fn key(session: &str, params: &Value) -> (String, String) {
    (session.to_owned(), params["requestId"].as_str().unwrap_or_default().to_owned())
}

fn asked(params: &Value) -> Asked {
    let (request, initiator) = (&params["request"], &params["initiator"]);
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = word(&params["type"]);
    Asked {
        line: format!("{} {}", word(&request["method"]), shortened(&word(&request["url"]))),
        is_document: kind == "Document",
        is_icon: kind == "Other" && initiator["type"] == "other",
        source: place(&initiator["stack"]["callFrames"][0]).or_else(|| place(initiator)),
    }
}

/// `data:` addresses hold their whole content.
fn shortened(url: &str) -> String {
    const LONGEST_URL: usize = 300;
    match url.char_indices().nth(LONGEST_URL) {
        Some((end, _)) => format!("{}…", &url[..end]),
        None => url.to_owned(),
    }
}

fn console(params: &Value) -> Option<Notice> {
    let level = match params["type"].as_str()? {
        "error" | "assert" => NoticeLevel::Error,
        "warning" => NoticeLevel::Warning,
        "clear" | "endGroup" | "profile" | "profileEnd" => return None,
        _ => NoticeLevel::Info,
    };
    let arguments = params["args"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = formatted(arguments);
    if params["type"] == "assert" {
        text = format!("Assertion failed: {text}");
    }
    let source = place(&params["stackTrace"]["callFrames"][0]);
    Some(Notice { kind: NoticeKind::Console, level, text, source, page: String::new() })
}

fn exception(details: &Value) -> Notice {
    let word = details["text"].as_str().unwrap_or("Uncaught");
    let thrown = described(&details["exception"]);
    // The description of an error is its stack; the first line is what people say of it.
    let first = thrown.lines().next().unwrap_or_default();
    let frame = &details["stackTrace"]["callFrames"][0];
    Notice {
        kind: NoticeKind::Exception,
        level: NoticeLevel::Error,
        text: if first.is_empty() { word.to_owned() } else { format!("{word} {first}") },
        source: place(frame).or_else(|| place(details)),
        page: String::new(),
    }
}

/// What the browser itself writes on the console. Failed requests and exceptions have events of their own.
fn log_entry(entry: &Value) -> Option<Notice> {
    if matches!(entry["source"].as_str(), Some("network" | "javascript" | "console-api")) {
        return None;
    }
    let level = match entry["level"].as_str() {
        Some("error") => NoticeLevel::Error,
        Some("warning") => NoticeLevel::Warning,
        _ => NoticeLevel::Info,
    };
    let text = entry["text"].as_str().unwrap_or_default().to_owned();
    Some(Notice { kind: NoticeKind::Console, level, text, source: place(entry), page: String::new() })
}

/// `url:line:column` of a call frame or whatever has such fields; the protocol counts from 0.
fn place(at: &Value) -> Option<String> {
    let url = at["url"].as_str().filter(|url| !url.is_empty())?;
    let number = |key: &str| at[key].as_f64().map(|number| number as i64 + 1);
    let mut place = shortened(url);
    for number in [number("lineNumber"), number("columnNumber")].into_iter().map_while(|number| number) {
        place = format!("{place}:{number}");
    }
    Some(place)
}

/// The arguments of a console call as the console shows them: `%s` and its like are filled in, the rest is joined.
fn formatted(arguments: &[Value]) -> String {
    let Some((first, mut rest)) = arguments.split_first() else { return String::new() };
    let mut text = described(first);
    if first["type"] == "string" && text.contains('%') {
        let mut filled = String::new();
        let mut pieces = text.split('%');
        filled.push_str(pieces.next().unwrap_or_default());
        let mut is_escaped = false;
        for piece in pieces {
            let format = piece.chars().next();
            match (format, rest.split_first()) {
                _ if std::mem::take(&mut is_escaped) => filled.push_str(piece),
                (None, _) => {
                    is_escaped = true;
                    filled.push('%');
                }
                // A style for the text that follows.
                (Some('c'), Some((_, others))) => {
                    rest = others;
                    filled.push_str(&piece[1..]);
                }
                (Some('s' | 'd' | 'i' | 'f' | 'o' | 'O'), Some((value, others))) => {
                    rest = others;
                    filled.push_str(&described(value));
                    filled.push_str(&piece[1..]);
                }
                _ => {
                    filled.push('%');
                    filled.push_str(piece);
                }
            }
        }
        text = filled;
    }
    for value in rest {
        text.push(' ');
        text.push_str(&described(value));
    }
    text
}

/// A value of the page as one text.
fn described(value: &Value) -> String {
    if let Some(properties) =
        value["preview"]["properties"].as_array().filter(|_| value["subtype"] != "error")
    {
        let is_list = value["subtype"] == "array";
        let one = |property: &Value| {
            let text = property["value"].as_str().unwrap_or_default();
            let name = property["name"].as_str().unwrap_or_default();
            if is_list { text.to_owned() } else { format!("{name}: {text}") }
        };
        let inner = properties.iter().map(one).collect::<Vec<_>>().join(", ");
        return if is_list { format!("[{inner}]") } else { format!("{{{inner}}}") };
    }
    match &value["value"] {
        Value::String(text) => text.clone(),
        Value::Null => {
            let word = |key: &str| value[key].as_str();
            let known = word("unserializableValue").or_else(|| word("description"));
            known.or_else(|| word("subtype")).or_else(|| word("type")).unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(method: &str, params: &Value) -> Vec<Notice> {
        let mut notices = Notices::default();
        notices.apply("S", "http://a/", method, params);
        notices.take()
    }

    #[test]
    fn console_arguments_are_filled_in_and_joined() {
        let text = |value: &str| json!({"type": "string", "value": value});
        let number = json!({"type": "number", "value": 3});
        let object = json!({"type": "object", "preview": {"properties": [{"name": "a", "value": "1"}]}});
        let arguments = [text("%c%s of %d, 100%% %x"), text("color: red"), text("two"), number, object];
        assert_eq!(formatted(&arguments), "two of 3, 100% %x {a: 1}");
        assert_eq!(formatted(&[json!({"type": "undefined"})]), "undefined");
    }

    #[test]
    fn an_error_on_the_console_names_the_line_that_wrote_it() {
        let frame = json!({"url": "http://a/app.js", "lineNumber": 11, "columnNumber": 4});
        let params = json!({"type": "error", "args": [{"type": "string", "value": "bad"}],
            "stackTrace": {"callFrames": [frame]}});
        let wanted = Notice {
            kind: NoticeKind::Console,
            level: NoticeLevel::Error,
            text: "bad".to_owned(),
            source: Some("http://a/app.js:12:5".to_owned()),
            page: "http://a/".to_owned(),
        };
        assert_eq!(said("Runtime.consoleAPICalled", &params), [wanted]);
    }

    #[test]
    fn an_exception_is_its_first_line() {
        let details = json!({"text": "Uncaught", "url": "http://a/", "lineNumber": 0, "columnNumber": 0,
            "exception": {"type": "object", "subtype": "error", "description": "TypeError: x\n    at y"}});
        let said = said("Runtime.exceptionThrown", &json!({"exceptionDetails": details}));
        assert_eq!(said[0].text, "Uncaught TypeError: x");
        assert_eq!(said[0].source.as_deref(), Some("http://a/:1:1"));
    }

    #[test]
    fn a_request_fails_by_its_status_or_without_an_answer_but_not_by_being_given_up() {
        let mut notices = Notices::default();
        let request = json!({"method": "GET", "url": "http://a/x"});
        for id in ["1", "2", "3"] {
            let sent = json!({"requestId": id, "type": "Fetch", "request": request, "initiator": {"type": "script"}});
            notices.apply("S", "http://a/", "Network.requestWillBeSent", &sent);
        }
        let answer = json!({"requestId": "1", "response": {"status": 500}});
        notices.apply("S", "http://a/", "Network.responseReceived", &answer);
        let refused = json!({"requestId": "2", "errorText": "net::ERR_CONNECTION_REFUSED"});
        notices.apply("S", "http://a/", "Network.loadingFailed", &refused);
        let gone = json!({"requestId": "3", "errorText": "net::ERR_ABORTED", "canceled": true});
        notices.apply("S", "http://a/", "Network.loadingFailed", &gone);
        let texts: Vec<_> = notices.take().into_iter().map(|notice| notice.text).collect();
        assert_eq!(
            texts,
            ["GET http://a/x answered with status 500", "GET http://a/x failed: net::ERR_CONNECTION_REFUSED"]
        );
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut notices = Notices::default();
        let params = json!({"type": "log", "args": [{"type": "string", "value": "x".repeat(3000)}]});
        for _ in 0..KEPT + 5 {
            notices.apply("S", "", "Runtime.consoleAPICalled", &params);
        }
        let taken = notices.take();
        assert_eq!(taken.len(), KEPT + 1);
        assert_eq!(taken[0].text.chars().count(), LONGEST + 1);
        assert_eq!(taken[KEPT].text, "5 more messages were not kept");
    }
}
