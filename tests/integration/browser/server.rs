//! A web server of a few lines on a free port of this machine.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use cu_run::clock::{Clock, SystemClock};

/// What a path answers.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A page.
    Html(String),
    /// A status without a body.
    Status(u16),
    /// A status with a page.
    StatusPage(u16, &'static str),
    /// Any content, after a while.
    Slow(Duration, &'static str, String),
    /// The head, and then nothing until the browser leaves.
    Never,
    /// An event stream that stays open.
    Events,
    /// Go there instead.
    Redirect(String),
    /// A page with more header lines.
    Headers(&'static str, String),
    /// A page for those who send this `Authorization`; others are asked for a password.
    Guarded(&'static str, String),
}

pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start<const N: usize>(pages: [(&str, Reply); N]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let pages: BTreeMap<String, Reply> =
            pages.into_iter().map(|(path, reply)| (path.to_owned(), reply)).collect();
        let (pages, asked) = (Arc::new(pages), Arc::new(Mutex::new(Vec::new())));
        let record = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, record) = (Arc::clone(&pages), Arc::clone(&record));
                thread::spawn(move || answer(stream, &pages, &record));
            }
        });
        Self { port, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same server under another name: another site for the browser.
    pub(crate) fn other_site(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, pages: &BTreeMap<String, Reply>, record: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    if reader.read_line(&mut first).is_err() {
        return;
    }
    let (mut line, mut authorization) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
        if let Some(value) = line.to_lowercase().strip_prefix("authorization: ") {
            line["authorization: ".len()..][..value.len()].trim().clone_into(&mut authorization);
        }
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    record.lock().unwrap().push(path.clone());
    let reply = pages.get(&path).cloned().unwrap_or(Reply::StatusPage(404, "no such page"));
    let mut send = |status: u16, kind: &str, more: &str, body: &[u8]| {
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n{more}\r\n",
            body.len()
        );
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body);
    };
    match reply {
        Reply::Html(page) => send(200, "text/html; charset=utf-8", "", page.as_bytes()),
        Reply::Status(status) => send(status, "text/html", "", b""),
        Reply::StatusPage(status, page) => send(status, "text/html", "", page.as_bytes()),
        Reply::Slow(pause, kind, body) => {
            SystemClock.sleep(pause);
            send(200, kind, "", body.as_bytes());
        }
        Reply::Redirect(to) => send(302, "text/html", &format!("Location: {to}\r\n"), b""),
        Reply::Headers(more, page) => send(200, "text/html; charset=utf-8", more, page.as_bytes()),
        Reply::Guarded(wanted, page) if wanted == authorization => {
            send(200, "text/html", "", page.as_bytes());
        }
        Reply::Guarded(..) => {
            send(401, "text/html", "WWW-Authenticate: Basic realm=\"the vault\"\r\n", b"<p>go away</p>");
        }
        Reply::Never => hold(&mut stream, "text/plain", reader),
        Reply::Events => hold(&mut stream, "text/event-stream", reader),
    }
}

fn hold(stream: &mut TcpStream, kind: &str, mut reader: BufReader<TcpStream>) {
    let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n: hello\n").as_bytes());
    let _ = stream.flush();
    let mut end = String::new();
    let _ = reader.read_line(&mut end);
}
