//! The dialogs that scripts open: seen by the events, answered by a command or by real input.

use serde_json::{Value, json};

use super::{
    BrowserError, DialogPolicy, Notice, NoticeKind, NoticeLevel,
    chromium::Chromium,
    devtools::{CallError, Command, Probe},
};
use crate::clock::Deadline;

/// A JavaScript dialog that stops its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it says.
    pub message: String,
}

/// How a dialog is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogAnswer {
    /// As by its button that agrees; a `prompt` gets this text, or the one it offers.
    Accept(Option<String>),
    /// As by the other one.
    Dismiss,
}

/// The open dialog, and what is done with those to come.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    policy: DialogPolicy,
    /// With the session of its page.
    open: Option<(String, Dialog)>,
}

impl Dialogs {
    pub(super) fn new(policy: DialogPolicy) -> Self {
        Self { policy, open: None }
    }

    /// The open dialog, if any.
    pub(super) fn open(&self) -> Option<&Dialog> {
        self.open.as_ref().map(|(_, dialog)| dialog)
    }

    /// The command that answers the open dialog.
    fn answering(&self, answer: &DialogAnswer) -> Option<(Dialog, Command)> {
        self.open.as_ref().map(|(session, dialog)| (dialog.clone(), answer_command(session, answer, "")))
    }

    /// Takes in that a dialog opened; the answer, when the policy has one, and what there is to say about it.
    pub(super) fn opened(&mut self, session: &str, params: &Value) -> (Option<Command>, Notice) {
        let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let dialog = Dialog { kind: text("type"), message: text("message") };
        let notice = Notice {
            kind: NoticeKind::Dialog,
            level: NoticeLevel::Info,
            text: format!("{}: {}", dialog.kind, dialog.message),
            source: None,
            page: text("url"),
        };
        let answer = match self.policy {
            DialogPolicy::Show => {
                self.open = Some((session.to_owned(), dialog));
                return (None, notice);
            }
            DialogPolicy::Accept => DialogAnswer::Accept(None),
            DialogPolicy::Dismiss => DialogAnswer::Dismiss,
        };
        (Some(answer_command(session, &answer, &text("defaultPrompt"))), notice)
    }

    /// Takes in that the dialog was closed.
    pub(super) fn closed(&mut self) {
        self.open = None;
    }

    /// Forgets the dialog of a page that is gone.
    pub(super) fn session_gone(&mut self, session: &str) {
        self.open.take_if(|(of, _)| of == session);
    }
}

fn answer_command(session: &str, answer: &DialogAnswer, offered: &str) -> Command {
    let params = match answer {
        DialogAnswer::Accept(text) => {
            json!({"accept": true, "promptText": text.as_deref().unwrap_or(offered)})
        }
        DialogAnswer::Dismiss => json!({"accept": false}),
    };
    Command::page(session, "Page.handleJavaScriptDialog", params)
}

impl Chromium {
    /// Answers the open dialog and waits until it is gone.
    pub(super) fn answer_open_dialog(&mut self, answer: &DialogAnswer) -> Result<(), BrowserError> {
        let Some((dialog, command)) = self.devtools.pages(|pages| pages.dialogs.answering(answer)) else {
            return Err(BrowserError::NoDialog);
        };
        let deadline = Deadline::after(&*self.clock, super::chromium::COMMAND_LIMIT);
        match self.devtools.call(&command, deadline.limit()) {
            // The answer may wait for the next dialog of the same script.
            Ok(_) | Err(CallError::Dialog(_)) => {}
            // Real input, or the end of its page, was faster.
            Err(CallError::Refused { .. }) => return Err(BrowserError::NoDialog),
            Err(error) => return Err(self.fault(error)),
        }
        let gone = self.devtools.wait(&deadline, |pages, _| match pages.dialog() {
            Some(open) if *open == dialog => Probe::Event,
            _ => Probe::Done(()),
        });
        gone.map_err(|error| self.fault(error))?;
        Ok(())
    }
}
