//! A browser without a browser, for tests of the runner: it records what is asked and answers as told.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{
    Browser, BrowserError, BrowserSource, BrowserSpec, Dialog, DialogAnswer, Download, Element, Emulation,
    IntoView, NavigateOptions, Navigation, Notice, PageLocation, Tab,
};
use crate::{
    desktop::Desktop,
    geometry::{Region, Size},
};

/// Makes the error that a call is to fail with.
pub type Failure = Arc<dyn Fn() -> BrowserError + Send + Sync>;

/// What a fake browser answers.
#[derive(Clone)]
pub struct Script {
    /// The elements by selector; a selector that is not there matches nothing.
    pub elements: BTreeMap<String, Vec<Element>>,
    /// Errors by the recorded line of the call they answer, such as `navigate http://a/`.
    pub failures: BTreeMap<String, Failure>,
    /// The place of the viewport.
    pub viewport: Region,
    /// The HTTP status that every navigation reports.
    pub status: Option<u16>,
    /// The title of every page.
    pub title: String,
    /// The tabs.
    pub tabs: Vec<Tab>,
    /// The dialog that is open.
    pub dialog: Option<Dialog>,
    /// The file that every download brings.
    pub download: Option<Download>,
    /// What the page has to say, by the recorded line of the call that makes it speak.
    pub notices: BTreeMap<String, Vec<Notice>>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            elements: BTreeMap::new(),
            failures: BTreeMap::new(),
            viewport: Region::new(0, 0, 1280, 800),
            status: Some(200),
            title: "a page".to_owned(),
            tabs: Vec::new(),
            dialog: None,
            download: None,
            notices: BTreeMap::new(),
        }
    }
}

/// Opens fake browsers that share one record.
#[derive(Clone, Default)]
pub struct FakeBrowserSource {
    calls: Arc<Mutex<Vec<String>>>,
    script: Arc<Mutex<Script>>,
}

/// A browser that only records. Each call is a line: `navigate <url>`, `reload`, `history <steps>`,
/// `elements <css>`, `answer_dialog <answer>`, `expect_files`, `give_files <count>`, `await_download`, `viewport`, `set_viewport <size>`, `location`, `health`, `close`.
#[derive(Clone)]
pub struct FakeBrowser {
    calls: Arc<Mutex<Vec<String>>>,
    script: Arc<Mutex<Script>>,
    url: String,
    said: Arc<Mutex<Vec<Notice>>>,
}

impl FakeBrowserSource {
    /// A source whose browsers write to `calls`, which a fake desktop may share, and answer as `script` says.
    #[must_use]
    pub fn new(calls: Arc<Mutex<Vec<String>>>, script: Script) -> Self {
        Self { calls, script: Arc::new(Mutex::new(script)) }
    }

    /// The calls so far. Opening is `open_browser`.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the answers from now on.
    pub fn change(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl BrowserSource for FakeBrowserSource {
    fn open(&self, _: &mut dyn Desktop, _: &BrowserSpec) -> Result<Box<dyn Browser>, BrowserError> {
        let browser = FakeBrowser {
            calls: Arc::clone(&self.calls),
            script: Arc::clone(&self.script),
            url: "about:blank".to_owned(),
            said: Arc::default(),
        };
        browser.record("open_browser")?;
        Ok(Box::new(browser))
    }
}

impl FakeBrowser {
    fn record(&self, line: &str) -> Result<Script, BrowserError> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        let script = self.script.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let said = script.notices.get(line).into_iter().flatten().cloned();
        self.said.lock().unwrap_or_else(PoisonError::into_inner).extend(said);
        match script.failures.get(line) {
            Some(failure) => Err(failure()),
            None => Ok(script),
        }
    }

    fn arrive(&self, line: &str) -> Result<Navigation, BrowserError> {
        let script = self.record(line)?;
        Ok(Navigation { url: self.url.clone(), status: script.status })
    }
}

impl Browser for FakeBrowser {
    fn version(&self) -> String {
        "Fake 1.0".to_owned()
    }

    fn navigate(&mut self, url: &str, _: &NavigateOptions) -> Result<Navigation, BrowserError> {
        url.clone_into(&mut self.url);
        self.arrive(&format!("navigate {url}"))
    }

    fn reload(&mut self, _: &NavigateOptions) -> Result<Navigation, BrowserError> {
        self.arrive("reload")
    }

    fn history(&mut self, steps: i32, _: &NavigateOptions) -> Result<Navigation, BrowserError> {
        self.arrive(&format!("history {steps}"))
    }

    fn await_response(&mut self, _: Duration) -> Result<(), BrowserError> {
        Ok(())
    }

    fn elements(&mut self, css: &str, _: IntoView) -> Result<Vec<Element>, BrowserError> {
        let script = self.record(&format!("elements {css}"))?;
        Ok(script.elements.get(css).cloned().unwrap_or_default())
    }

    fn viewport(&mut self) -> Result<Region, BrowserError> {
        Ok(self.record("viewport")?.viewport)
    }

    fn set_viewport(&mut self, size: Size) -> Result<(), BrowserError> {
        self.record(&format!("set_viewport {size}"))?;
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        script.viewport = Region { width: size.width, height: size.height, ..script.viewport };
        Ok(())
    }

    fn emulate(&mut self, emulation: &Emulation) -> Result<(), BrowserError> {
        self.record(&format!("emulate {emulation:?}")).map(drop)
    }

    fn tabs(&mut self) -> Result<Vec<Tab>, BrowserError> {
        Ok(self.record("tabs")?.tabs)
    }

    fn show_tab(&mut self, index: usize) -> Result<(), BrowserError> {
        self.record(&format!("show_tab {index}")).map(drop)
    }

    fn close_tab(&mut self) -> Result<(), BrowserError> {
        self.record("close_tab").map(drop)
    }

    fn location(&mut self) -> Result<PageLocation, BrowserError> {
        let script = self.record("location")?;
        Ok(PageLocation { url: self.url.clone(), title: script.title })
    }

    fn dialog(&mut self) -> Option<Dialog> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).dialog.clone()
    }

    fn answer_dialog(&mut self, answer: &DialogAnswer) -> Result<(), BrowserError> {
        self.record(&format!("answer_dialog {answer:?}"))?;
        let open = self.script.lock().unwrap_or_else(PoisonError::into_inner).dialog.take();
        open.map(drop).ok_or(BrowserError::NoDialog)
    }

    fn expect_files(&mut self) -> Result<(), BrowserError> {
        self.record("expect_files").map(drop)
    }

    fn give_files(&mut self, files: &[PathBuf], _: Duration) -> Result<(), BrowserError> {
        self.record(&format!("give_files {}", files.len())).map(drop)
    }

    fn await_download(&mut self, waited: Duration) -> Result<Download, BrowserError> {
        let script = self.record("await_download")?;
        script.download.ok_or(BrowserError::NoDownload { waited, so_far: "none began".to_owned() })
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn health(&mut self, _: &mut dyn Desktop) -> Result<(), BrowserError> {
        self.record("health").map(|_| ())
    }

    fn close(&mut self, _: &mut dyn Desktop) -> Result<(), BrowserError> {
        self.record("close").map(|_| ())
    }
}
