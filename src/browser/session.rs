//! Chromium as a [`Browser`]: each call of the runner, told in terms of the files around.

use std::{path::PathBuf, time::Duration};

use rustix::process::{Signal, kill_process};
use serde_json::json;

use super::{
    Browser, BrowserError, Dialog, DialogAnswer, Download, Element, Emulation, IntoView, NavigateOptions,
    Navigation, Notice, PageLocation, Tab,
    chromium::Chromium,
    devtools::{CallError, Command},
    navigate::Way,
};
use crate::{
    desktop::{AppState, Desktop},
    geometry::{Region, Size},
};

impl Browser for Chromium {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn navigate(&mut self, url: &str, options: &NavigateOptions) -> Result<Navigation, BrowserError> {
        self.go(&Way::To(url.to_owned()), options)
    }

    fn reload(&mut self, options: &NavigateOptions) -> Result<Navigation, BrowserError> {
        self.go(&Way::Reload, options)
    }

    fn history(&mut self, steps: i32, options: &NavigateOptions) -> Result<Navigation, BrowserError> {
        self.go(&Way::Steps(steps), options)
    }

    fn await_response(&mut self, limit: Duration) -> Result<(), BrowserError> {
        self.respond(limit)
    }

    fn elements(&mut self, css: &str, into_view: IntoView) -> Result<Vec<Element>, BrowserError> {
        self.find(css, into_view)
    }

    fn viewport(&mut self) -> Result<Region, BrowserError> {
        self.read_viewport()
    }

    fn set_viewport(&mut self, size: Size) -> Result<(), BrowserError> {
        self.size_viewport(size)
    }

    fn emulate(&mut self, emulation: &Emulation) -> Result<(), BrowserError> {
        self.emulate_device(emulation)
    }

    fn tabs(&mut self) -> Result<Vec<Tab>, BrowserError> {
        self.all_tabs()
    }

    fn show_tab(&mut self, index: usize) -> Result<(), BrowserError> {
        self.bring_to_front(index)
    }

    fn close_tab(&mut self) -> Result<(), BrowserError> {
        self.close_front()
    }

    fn location(&mut self) -> Result<PageLocation, BrowserError> {
        let front = self.front()?;
        let target = self.devtools.pages(|pages| pages.target_of(&front));
        // The browser knows both, also while a dialog keeps the page from answering.
        let command = Command::browser("Target.getTargetInfo", json!({"targetId": target}));
        let answer = self.devtools.call(&command, super::chromium::COMMAND_LIMIT);
        let answer = answer.map_err(|error| self.fault(error))?;
        let text = |key: &str| answer["targetInfo"][key].as_str().unwrap_or_default().to_owned();
        Ok(PageLocation { url: text("url"), title: text("title") })
    }

    fn dialog(&mut self) -> Option<Dialog> {
        self.devtools.pages(|pages| pages.dialog().cloned())
    }

    fn answer_dialog(&mut self, answer: &DialogAnswer) -> Result<(), BrowserError> {
        self.answer_open_dialog(answer)
    }

    fn expect_files(&mut self) -> Result<(), BrowserError> {
        self.expect_chooser()
    }

    fn give_files(&mut self, files: &[PathBuf], limit: Duration) -> Result<(), BrowserError> {
        self.fill_chooser(files, limit)
    }

    fn await_download(&mut self, limit: Duration) -> Result<Download, BrowserError> {
        self.await_next_download(limit)
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        self.devtools.change_pages(|pages| pages.notices.take())
    }

    fn health(&mut self, desktop: &mut dyn Desktop) -> Result<(), BrowserError> {
        if let Some(error) = self.ended(desktop) {
            return Err(error);
        }
        if self.devtools.pages(super::pages::Pages::any_crashed) {
            return Err(self.fault(CallError::Crashed));
        }
        Ok(())
    }

    /// Kills it: a browser that ends by itself writes its profile, which nobody will read, for 170 ms, and one whose
    /// page asks before it is left does not end at all.
    fn close(&mut self, desktop: &mut dyn Desktop) -> Result<(), BrowserError> {
        if desktop.app_state(self.app)? == AppState::Running {
            // It may have ended meanwhile.
            let _ = self.process.map(|process| kill_process(process, Signal::KILL));
        }
        Ok(desktop.stop_app(self.app)?)
    }
}
