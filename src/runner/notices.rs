//! What pages said and which of their requests failed: written down beside the logs, and judged when the scenario wants.

use std::{fmt::Write as _, time::Duration};

use serde_json::json;

use crate::{
    browser::{Notice, NoticeKind, NoticeLevel},
    outcome::{Failure, FailureKind},
    scenario::{Action, FailOn, Navigate, OpenBrowser, Step},
};

use super::{Stage, Stop};

/// The log of a case that holds them, one JSON object for each line.
const LOG: &str = "console.jsonl";

/// How many a message lists.
const LISTED: usize = 5;

/// How long a page may take to answer to a step before what it has said so far is judged.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

impl Stage<'_> {
    /// Takes over what the browser's pages said, before the browser goes.
    pub(crate) fn collect_notices(&mut self) {
        if let Some(browser) = &mut self.browser {
            self.notices.extend(browser.take_notices());
        }
    }

    /// Writes down what pages said during a step and judges it: `stop` as it was, told more, or the failure that the
    /// scenario wants it to be.
    pub(crate) fn judge_notices(&mut self, number: u32, step: &Step, stop: Option<Stop>) -> Option<Stop> {
        let fail_on = self.case.browser.fail_on;
        let stop = stop.or_else(|| self.hear_out(fail_on).err());
        self.collect_notices();
        let notices = std::mem::take(&mut self.notices);
        if let Err(error) = self.write_notices(Some(number), &notices) {
            return Some(error);
        }
        let wanted = expected_status(&step.action);
        match stop {
            None => failure(&notices, fail_on, wanted).map(Stop::Failed),
            Some(Stop::Failed(failure)) => {
                let failure = explained(failure, &notices);
                Some(Stop::Failed(match self.browser.as_mut().and_then(|browser| browser.dialog()) {
                    Some(dialog) if failure.kind != FailureKind::Dialog => {
                        let detail =
                            format!("the page waits in its {} dialog: {:?}", dialog.kind, dialog.message);
                        failure.with_details([detail])
                    }
                    _ => failure,
                }))
            }
            errored => errored,
        }
    }

    /// Writes down what pages said after the last step.
    pub(crate) fn write_rest_of_notices(&mut self) -> Result<(), Stop> {
        self.collect_notices();
        let notices = std::mem::take(&mut self.notices);
        self.write_notices(None, &notices)
    }

    /// Lets the page answer to a step first, when what it says could be a failure of this step.
    fn hear_out(&mut self, fail_on: FailOn) -> Result<(), Stop> {
        if !fail_on.is_anything() || !self.screen.is_unanswered() {
            return Ok(());
        }
        self.desktop.await_intake()?;
        match &mut self.browser {
            Some(browser) => Ok(browser.await_response(ANSWER_LIMIT)?),
            None => Ok(()),
        }
    }

    fn write_notices(&self, step: Option<u32>, notices: &[Notice]) -> Result<(), Stop> {
        if notices.is_empty() {
            return Ok(());
        }
        let clean = |text: &str| self.redactor.apply(text);
        let lines = notices.iter().fold(String::new(), |mut lines, notice| {
            let line = json!({
                "step": step,
                "kind": kind_word(notice.kind),
                "level": level_word(notice.level),
                "text": clean(&notice.text),
                "source": notice.source.as_deref().map(clean),
                "page": clean(&notice.page),
            });
            // Writing to a String cannot fail.
            let _ = writeln!(lines, "{line}");
            lines
        });
        Ok(self.bench.evidence.append_log(&self.case.id, LOG, &lines)?)
    }
}

/// The failure that a step has by what pages said; `expected_status` is no failure of the document that was asked for.
fn failure(notices: &[Notice], fail_on: FailOn, expected_status: Option<u16>) -> Option<Failure> {
    let counts = |notice: &&Notice| match notice.kind {
        NoticeKind::Console | NoticeKind::Exception => {
            fail_on.console.is_some_and(|level| notice.level >= level)
        }
        NoticeKind::Request { status, is_document } => {
            let is_expected = is_document && status.is_some() && status == expected_status;
            fail_on.requests && notice.level == NoticeLevel::Error && !is_expected
        }
        NoticeKind::Dialog => false,
    };
    let mut counted = notices.iter().filter(counts);
    let first = counted.next()?;
    let what = match (first.kind, first.level) {
        (NoticeKind::Request { .. }, _) => "a request failed",
        (NoticeKind::Exception, _) => "the page threw",
        (_, NoticeLevel::Error) => "the page reported an error",
        _ => "the page reported a warning",
    };
    let others: Vec<String> = counted.map(told).collect();
    Some(
        Failure::new(FailureKind::PageError, format!("{what}: {}", told(first)))
            .with_details(listed(&others))
            .with_details([format!("all that pages said is in logs/{LOG}")]),
    )
}

/// A failure with the errors of the page beside it, which may be its reason.
fn explained(failure: Failure, notices: &[Notice]) -> Failure {
    let errors: Vec<String> = notices
        .iter()
        .filter(|notice| notice.level == NoticeLevel::Error)
        .map(|notice| format!("the page said: {}", told(notice)))
        .collect();
    failure.with_details(listed(&errors))
}

fn listed(lines: &[String]) -> Vec<String> {
    let mut listed: Vec<String> = lines.iter().take(LISTED).cloned().collect();
    if lines.len() > LISTED {
        listed.push(format!("and {} more", lines.len() - LISTED));
    }
    listed
}

fn told(notice: &Notice) -> String {
    match &notice.source {
        Some(source) => format!("{} ({source})", notice.text),
        None => notice.text.clone(),
    }
}

const fn expected_status(action: &Action) -> Option<u16> {
    match action {
        Action::OpenBrowser(OpenBrowser { expect_status, .. })
        | Action::Navigate(Navigate { expect_status, .. }) => *expect_status,
        _ => None,
    }
}

const fn kind_word(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Console => "console",
        NoticeKind::Exception => "exception",
        NoticeKind::Request { .. } => "request",
        NoticeKind::Dialog => "dialog",
    }
}

const fn level_word(level: NoticeLevel) -> &'static str {
    match level {
        NoticeLevel::Info => "info",
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    }
}
