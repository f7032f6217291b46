//! What a page asks for and gives out: dialogs, files, downloads.

use std::time::Duration;

use crate::{
    browser::{Cookie, Credentials, Preset, StoredValues},
    clock::Deadline,
    geometry::Point,
    input::Button,
    outcome::{Failure, FailureKind},
    scenario::{AnswerDialog, KeepDownload, Target, Template, Upload},
};

use super::{Done, Stage, Stop};

/// How long to wait before a dialog is looked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Stage<'_> {
    /// What the browser of this case has before its first page, late values filled in.
    pub(super) fn preset(&self) -> Result<Preset, Stop> {
        let settings = &self.case.browser;
        let credentials = settings.auth.iter().map(|auth| {
            let [origin, user, password] =
                [&auth.origin, &auth.user, &auth.password].map(|text| self.render(text));
            Ok(Credentials { origin: origin?, user: user?, password: password? })
        });
        let cookies = settings.cookies.iter().map(|cookie| {
            let [value, url] = [&cookie.value, &cookie.url].map(|text| self.render(text));
            Ok(Cookie { name: cookie.name.clone(), value: value?, url: url? })
        });
        let storage = settings.storage.iter().map(|stored| {
            let one = |(key, value): &(String, Template)| Ok((key.clone(), self.render(value)?));
            let values = stored.values.iter().map(one).collect::<Result<_, Stop>>()?;
            Ok(StoredValues { origin: self.render(&stored.origin)?, values })
        });
        Ok(Preset {
            dialogs: settings.dialogs,
            credentials: credentials.collect::<Result<_, Stop>>()?,
            cookies: cookies.collect::<Result<_, Stop>>()?,
            storage: storage.collect::<Result<_, Stop>>()?,
            downloads: None,
        })
    }

    /// Waits for a dialog, checks what it says and answers it.
    pub(super) fn dialog(&mut self, wanted: &AnswerDialog, limit: Duration) -> Result<Done, Stop> {
        let answer = wanted.answer.filled(|text| self.render(text))?;
        let deadline = Deadline::after(self.bench.clock, limit);
        let dialog = loop {
            let Some(browser) = &mut self.browser else { return Err(no_browser("dialog")) };
            if let Some(dialog) = browser.dialog() {
                break dialog;
            }
            if deadline.has_passed(self.bench.clock) {
                let message = format!("no dialog opened within {limit:?}");
                return Err(Stop::failed(FailureKind::Dialog, message));
            }
            browser.health(&mut *self.desktop)?;
            self.pause(LOOK_AGAIN.min(deadline.remaining(self.bench.clock)))?;
        };
        if let Some(says) = wanted.says.as_ref().filter(|says| !dialog.message.contains(*says)) {
            let message = format!("the {} says {:?}, not {says:?}", dialog.kind, dialog.message);
            return Err(Stop::failed(FailureKind::Dialog, message));
        }
        let Some(browser) = &mut self.browser else { return Err(no_browser("dialog")) };
        browser.answer_dialog(&answer)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::default())
    }

    /// Clicks what opens a file chooser, and gives the page the files.
    pub(super) fn upload(&mut self, upload: &Upload, limit: Duration) -> Result<Done, Stop> {
        let deadline = Deadline::after(self.bench.clock, limit);
        match &mut self.browser {
            Some(browser) => browser.expect_files()?,
            None => return Err(no_browser("upload")),
        }
        let point = self.left_click(upload.at.as_ref(), limit)?;
        let remaining = deadline.remaining(self.bench.clock);
        let Some(browser) = &mut self.browser else { return Err(no_browser("upload")) };
        browser.give_files(&upload.files, remaining)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::at(point))
    }

    /// Waits for a file that the page gives out and keeps it with the artifacts.
    pub(super) fn download(&mut self, wanted: &KeepDownload, limit: Duration) -> Result<Done, Stop> {
        let deadline = Deadline::after(self.bench.clock, limit);
        let done = match &wanted.at {
            Some(at) => Done::at(self.left_click(Some(at), limit)?),
            None => Done::default(),
        };
        let Some(browser) = &mut self.browser else { return Err(no_browser("download")) };
        let download = browser.await_download(deadline.remaining(self.bench.clock))?;
        if let Some(name) = wanted.name.as_ref().filter(|name| **name != download.name) {
            let message = format!("the download is called `{}`, not `{name}`", download.name);
            return Err(Stop::Failed(Failure::new(FailureKind::App, message)));
        }
        self.bench.evidence.keep_download(&self.case.id, &download.path)?;
        Ok(done)
    }

    fn left_click(&mut self, at: Option<&Target>, limit: Duration) -> Result<Point, Stop> {
        let point = self.aim_or_stay(at, limit)?;
        self.press_and_release(Button::Left)?;
        Ok(point)
    }
}

pub(super) fn no_browser(verb: &str) -> Stop {
    Stop::failed(FailureKind::Navigation, format!("`{verb}` needs a page, and no browser is open"))
}
