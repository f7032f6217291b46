//! `junit.xml`: a suite per case and a test case per step, for Jenkins, GitLab, GitHub and everything else in CI.
//!
//! The only file that knows the JUnit crate. What the crate leaves out (counts of skipped steps, times with three
//! decimals, line breaks in attributes) is added by `complete`; pictures are named by `attachments`.
//!
//! ```xml
//! <testsuite name="admin/login" tests="2" failures="1" errors="0" skipped="0" time="2.310" ...>
//!   <testcase name="01 open_browser" classname="admin.login" time="1.204"/>
//!   <testcase name="02 screenshot home" classname="admin.login" time="0.311">
//!     <failure type="difference" message="... (worst_ssim 0.2790 &lt; min_ssim 0.98)">...</failure>
//!     <system-out>[[ATTACHMENT|admin/login/home.difference.png]]</system-out>
//! ```

mod attachments;
mod complete;

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use junit_report::{OffsetDateTime, Report, TestCase, TestResult, TestSuite};

use crate::{
    outcome::{CaseOutcome, RunReport, StepOutcome, Verdict},
    visible,
};

use self::{
    attachments::Attachments,
    complete::{RootFacts, SuiteFacts},
};
use super::{ReportError, ReportFormat, file, words};

/// Writes the JUnit file.
#[derive(Debug, Clone, Default)]
pub struct JUnit {
    path: Option<PathBuf>,
}

impl JUnit {
    /// The name of the file in the artifacts folder.
    pub const FILE: &'static str = "junit.xml";

    /// Writes to `path` in place of `junit.xml` in the artifacts folder.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()) }
    }
}

impl ReportFormat for JUnit {
    fn write(&self, report: &RunReport, artifacts: &Path) -> Result<PathBuf, ReportError> {
        let path = self.path.clone().unwrap_or_else(|| artifacts.join(Self::FILE));
        let attachments = Attachments::of(&path, artifacts, &report.environment.baselines);
        let text =
            text(report, &attachments).map_err(|source| ReportError::Write { path: path.clone(), source })?;
        file::write(&path, &text)?;
        Ok(path)
    }
}

/// The whole file.
fn text(report: &RunReport, attachments: &Attachments) -> io::Result<Vec<u8>> {
    let mut document = Report::new();
    let mut root = RootFacts { time: report.duration, ..RootFacts::default() };
    let mut facts = Vec::with_capacity(report.cases.len());
    let mut names = Unique::default();
    for case in &report.cases {
        let suite = suite(case, attachments, &mut names);
        root.tests += suite.tests();
        root.failures += suite.failures();
        root.errors += suite.errors();
        facts.push(SuiteFacts {
            time: case.duration,
            skipped: suite.skipped(),
            file: visible::line(&case.file.to_string_lossy()).into_owned(),
        });
        document.add_testsuite(suite);
    }
    let mut xml = Vec::new();
    document.write_xml(&mut xml).map_err(io::Error::other)?;
    complete::complete(&xml, &root, &facts).map_err(io::Error::other)
}

fn suite(case: &CaseOutcome, attachments: &Attachments, names: &mut Unique) -> TestSuite {
    let id = case.id.to_string();
    // A dot may stand in a name too, so that `a/b` and `a.b` would become one class.
    let class = names.claim(&id.replace('/', "."));
    let mut suite = TestSuite::new(&id);
    // Jenkins puts a package in front of the suite's name, which is complete as it is.
    suite.package = String::new();
    suite.timestamp = timestamp(case);
    let mut titles = Unique::default();
    // The logs tell why the first bad step is bad; repeated at every step they would only hide the pictures.
    let mut logs = Some(case.logs.as_slice());
    let own = whole_case(case).into_iter();
    let steps = case.steps.iter().map(|step| (step_case(step), Some(step)));
    for (mut test, step) in own.map(|test| (test, None)).chain(steps) {
        let mut notes: Vec<_> = step.and_then(remark).into_iter().chain(test.system_out.take()).collect();
        notes.extend(step.into_iter().flat_map(|step| attachments.pictures(step)));
        if matches!(test.result, TestResult::Error { .. } | TestResult::Failure { .. }) {
            notes.extend(logs.take().into_iter().flatten().filter_map(|log| attachments.log(log)));
        }
        test.system_out = (!notes.is_empty()).then(|| character_data(&notes.join("\n")));
        test.name = titles.claim(&test.name);
        test.classname = Some(class.clone());
        suite.add_testcase(test);
    }
    suite
}

/// The test case of a step.
fn step_case(step: &StepOutcome) -> TestCase {
    let title = if step.title.trim().is_empty() { &step.action } else { &step.title };
    let mut lines = step.checkpoint.as_deref().map(words::findings).unwrap_or_default();
    let source = &step.source;
    lines.push(format!("at {}:{}:{}", source.file.display(), source.line, source.column));
    let message = match &step.verdict {
        Verdict::Failed { failure } => words::message(failure, step.checkpoint.as_deref()),
        other => other.message().unwrap_or_default().to_owned(),
    };
    test_case(&format!("{:02} {title}", step.number), step.duration, &step.verdict, &message, &lines)
}

/// A test case for what no step can show: a case that ended before its first step, or went wrong between steps.
fn whole_case(case: &CaseOutcome) -> Option<TestCase> {
    let shown = match case.verdict {
        Verdict::Failed { .. } => case.steps.iter().any(|step| step.verdict.is_failed()),
        Verdict::Errored { .. } => case.steps.iter().any(|step| step.verdict.is_errored()),
        Verdict::Flaky { .. } => false,
        Verdict::Passed | Verdict::Skipped { .. } => !case.steps.is_empty(),
    };
    if shown {
        return None;
    }
    let steps: Duration =
        case.steps.iter().fold(Duration::ZERO, |sum, step| sum.saturating_add(step.duration));
    let message = case.verdict.message().unwrap_or_default();
    let lines = vec![format!("in {}", case.file.display())];
    let rest = case.duration.saturating_sub(steps);
    Some(test_case(&format!("00 case {}", case.id), rest, &case.verdict, message, &lines))
}

/// A test case that ended with `verdict`; `lines` follow the message and the details in the body.
fn test_case(name: &str, time: Duration, verdict: &Verdict, message: &str, lines: &[String]) -> TestCase {
    // A reader takes an empty message or body for no failure at all.
    let message = if message.trim().is_empty() { verdict.word() } else { message };
    let body = |details: &[String]| {
        let details = details.iter().filter(|detail| !lines.contains(detail));
        let all = [message].into_iter().chain(details.chain(lines).map(String::as_str));
        // Made visible one by one: joined first, a carriage return at the end of one would become a line break.
        Some(character_data(&all.map(visible::block).collect::<Vec<_>>().join("\n")))
    };
    let shown = visible::block(message).into_owned();
    let mut test = TestCase::success(visible::block(name).trim(), whole_millis(time));
    test.result = match verdict {
        Verdict::Passed => TestResult::Success,
        Verdict::Flaky { failure } => {
            // The readers know no flaky test; a success with a remark is the truth nearest to it.
            let before = &failure.message;
            test.system_out = Some(note(&format!("flaky: passed when tried again, before that: {before}")));
            TestResult::Success
        }
        Verdict::Failed { failure } => TestResult::Failure {
            type_: failure.kind.to_string(),
            message: shown,
            cause: body(&failure.details),
        },
        Verdict::Errored { fault } => {
            TestResult::Error { type_: fault.kind.to_string(), message: shown, cause: body(&[]) }
        }
        Verdict::Skipped { .. } => {
            TestResult::SkippedWithCause { type_: verdict.word().to_owned(), message: shown, cause: None }
        }
    };
    test
}

/// What is remarkable about a step that is not wrong.
fn remark(step: &StepOutcome) -> Option<String> {
    let accepted = step.checkpoint.as_deref().filter(|checkpoint| checkpoint.accepted)?;
    Some(note(&format!("checkpoint `{}`: baseline written", accepted.name)))
}

/// A remark for the output of a test case, where readers look for attachments: text from outside must name none.
fn note(text: &str) -> String {
    visible::line(text).replace("[[ATTACHMENT|", "[[attachment|")
}

/// `text` as the content of a CDATA section: `]]>` would end it, so the section ends within and another one begins.
fn character_data(text: &str) -> String {
    visible::block(text).replace("]]>", "]]]]><![CDATA[>")
}

/// Whole milliseconds: the crate prints them with at most three decimals. A century at most, since it adds them up.
fn whole_millis(duration: Duration) -> junit_report::Duration {
    const CENTURY: u64 = 100 * 366 * 24 * 3600;
    let millis = (duration.min(Duration::from_secs(CENTURY)).as_nanos() + 500_000) / 1_000_000;
    junit_report::Duration::milliseconds(i64::try_from(millis).unwrap_or_default())
}

/// The beginning in UTC with milliseconds. The format has no years before 0, and the crate panics at them.
fn timestamp(case: &CaseOutcome) -> OffsetDateTime {
    let nanos = i128::from(case.started.as_millisecond()) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanos)
        .ok()
        .filter(|time| time.year() >= 0)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// Names that were given away: readers keep only one of two test cases with the same class and name.
#[derive(Default)]
struct Unique(HashSet<String>);

impl Unique {
    /// `name`, with a number behind it when it is taken.
    fn claim(&mut self, name: &str) -> String {
        let numbered = (2_u32..).map(|number| format!("{name} ({number})"));
        let free = [name.to_owned()].into_iter().chain(numbered).find(|name| !self.0.contains(name));
        let free = free.unwrap_or_else(|| name.to_owned());
        self.0.insert(free.clone());
        free
    }
}
