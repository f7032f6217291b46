//! A headless Chromium that a report is opened in, spoken to over its debugging pipe.

use std::{
    io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe},
    os::fd::OwnedFd,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long one answer may take; a loaded machine starts a browser slowly.
const LIMIT: Duration = Duration::from_secs(90);

/// A browser with one page; it ends with this value.
pub(super) struct Chromium {
    process: Child,
    to: PipeWriter,
    messages: Receiver<Value>,
    page: Option<String>,
    last_id: u64,
    _profile: TempDir,
}

impl Chromium {
    pub(super) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let (for_it, to) = pipe().unwrap();
        let (from, by_it) = pipe().unwrap();
        let executable = std::env::var_os("CU_RUN_CHROMIUM").unwrap_or_else(|| "chromium".into());
        let mut command = Command::new(executable);
        command
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("--window-size=1280,800")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Chromium reads commands from descriptor 3 and answers on 4.
        let mapping = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
        command.fd_mappings(vec![mapping(for_it.into(), 3), mapping(by_it.into(), 4)]).unwrap();
        let process = command.spawn().expect("Chromium is installed");
        // The command keeps its ends of the pipes open, and with them the reader.
        drop(command);
        let mut browser =
            Self { process, to, messages: received(from), page: None, last_id: 0, _profile: profile };
        let target = browser.call(
            "Target.createTarget",
            &json!({ "url": "about:blank", "newWindow": true, "width": 1280, "height": 800 }),
        );
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attach);
        browser.page = Some(session["sessionId"].as_str().unwrap().to_owned());
        browser.call("Page.enable", &json!({}));
        browser
    }

    /// Opens a file at `hash` and waits until it has loaded.
    pub(super) fn open(&mut self, file: &Path, hash: &str) {
        // From a page of its own: another hash of the same page would not load it again.
        for url in ["about:blank".to_owned(), format!("file://{}{hash}", file.display())] {
            self.call("Page.navigate", &json!({ "url": url }));
            while self.message()["method"] != "Page.loadEventFired" {}
        }
    }

    /// The value of an expression as soon as it is neither empty nor false.
    pub(super) fn eventually(&mut self, expression: &str) -> Value {
        self.value(&format!(
            "new Promise(done => {{ const look = () => {{ const value = {expression}; \
             if (value) done(value); else setTimeout(look, 50); }}; look(); }})"
        ))
    }

    /// The value of a JavaScript expression, or of the promise that it is.
    pub(super) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", &params);
        assert!(answer["exceptionDetails"].is_null(), "{answer:#}");
        answer["result"]["value"].take()
    }

    /// Chooses files in the input that `expression` is, as a person does in the dialog.
    pub(super) fn choose(&mut self, expression: &str, file: &Path) {
        let object = self.call("Runtime.evaluate", &json!({ "expression": expression }));
        let params = json!({ "files": [file], "objectId": object["result"]["objectId"] });
        self.call("DOM.setFileInputFiles", &params);
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(page) = &self.page {
            command["sessionId"] = json!(page);
        }
        self.to.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let mut message = self.message();
            if message["id"] == self.last_id {
                assert!(message["error"].is_null(), "{method}: {message:#}");
                return message["result"].take();
            }
        }
    }

    fn message(&self) -> Value {
        self.messages.recv_timeout(LIMIT).expect("Chromium answers")
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The messages on a pipe, read on a thread of its own so that waiting for one has an end.
fn received(from: PipeReader) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for message in BufReader::new(from).split(b'\0').map_while(Result::ok) {
            let Ok(message) = serde_json::from_slice(&message) else { continue };
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}
