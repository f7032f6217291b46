//! The lines of the action log: which keys, in which order.

use std::{io, time::Duration};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    id::CaseId,
    outcome::{RunReport, Verdict, seconds},
};

use super::super::{ActionRecord, ActionStatus, RunEvent};

/// The version of the lines; raised when a reader must change.
const VERSION: u32 = 1;

/// The line of `event` with its line feed; `None` for an event that the log does not keep.
pub(super) fn of(
    event: &RunEvent<'_>,
    run: &str,
    now: impl FnOnce() -> Timestamp,
) -> io::Result<Option<Vec<u8>>> {
    let line = match event {
        RunEvent::RunStarted { cases, jobs, .. } => line(&Mark {
            params: Some(json!({"cases": cases, "jobs": jobs})),
            ..Mark::new("run_started", now(), run)
        }),
        RunEvent::CaseStarted { case, steps } => line(&Mark {
            case: Some(case),
            params: Some(json!({"steps": steps})),
            ..Mark::new("case_started", now(), run)
        }),
        RunEvent::StepStarted { .. } => return Ok(None),
        RunEvent::StepFinished { case, outcome, record } => {
            line(&StepLine::new(case, outcome.number, record, run))
        }
        RunEvent::CaseFinished { outcome } => line(&Mark {
            case: Some(&outcome.id),
            result: Some(Outcome::of_case(&outcome.verdict)),
            duration_s: Some(Seconds(outcome.duration)),
            ..Mark::new("case_finished", end(outcome.started, outcome.duration), run)
        }),
        RunEvent::RunFinished { report } => line(&Mark {
            params: Some(json!({"totals": report.totals})),
            result: Some(Outcome::of_run(report)),
            duration_s: Some(Seconds(report.duration)),
            ..Mark::new("run_finished", end(report.started, report.duration), run)
        }),
    };
    line.map(Some)
}

/// The one place where a line gets its form.
fn line(entry: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(entry).map_err(io::Error::other)?;
    line.push(b'\n');
    Ok(line)
}

/// The line of a step. Every key is always there, in this order.
#[derive(Serialize)]
struct StepLine<'a> {
    v: u32,
    ts: String,
    event: &'static str,
    run: &'a str,
    case: &'a CaseId,
    step: u32,
    action: &'a str,
    target: Option<&'a str>,
    risk: &'a str,
    decision: &'a str,
    approval: Option<&'a str>,
    params: &'a Value,
    result: Outcome<'a>,
    #[serde(with = "seconds")]
    duration_s: Duration,
    evidence: Option<&'a str>,
}

impl<'a> StepLine<'a> {
    fn new(case: &'a CaseId, step: u32, record: &'a ActionRecord, run: &'a str) -> Self {
        Self {
            v: VERSION,
            ts: stamp(record.started),
            event: "step",
            run,
            case,
            step,
            action: &record.action,
            target: record.target.as_deref(),
            risk: &record.risk,
            decision: &record.decision,
            approval: record.approval.as_deref(),
            params: &record.params,
            result: Outcome {
                ok: record.status == ActionStatus::Success,
                status: Status::Action(record.status),
                error: record.error.as_deref(),
            },
            duration_s: record.duration,
            evidence: record.evidence.as_deref(),
        }
    }
}

/// The line of a beginning or an end; keys without a meaning are left out.
#[derive(Serialize)]
struct Mark<'a> {
    v: u32,
    ts: String,
    event: &'static str,
    run: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'a CaseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Outcome<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_s: Option<Seconds>,
}

impl<'a> Mark<'a> {
    fn new(event: &'static str, time: Timestamp, run: &'a str) -> Self {
        let (case, params, result, duration_s) = (None, None, None, None);
        Self { v: VERSION, ts: stamp(time), event, run, case, params, result, duration_s }
    }
}

#[derive(Serialize)]
struct Seconds(#[serde(with = "seconds")] Duration);

#[derive(Serialize)]
struct Outcome<'a> {
    ok: bool,
    status: Status,
    error: Option<&'a str>,
}

/// A word from either vocabulary.
enum Status {
    Action(ActionStatus),
    Verdict(&'static str),
}

impl Serialize for Status {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Action(status) => status.serialize(serializer),
            Self::Verdict(word) => word.serialize(serializer),
        }
    }
}

impl<'a> Outcome<'a> {
    fn of_case(verdict: &'a Verdict) -> Self {
        let ok = matches!(verdict, Verdict::Passed | Verdict::Flaky { .. });
        Self { ok, status: Status::Verdict(verdict.word()), error: verdict.message() }
    }

    fn of_run(report: &RunReport) -> Self {
        let word = match (report.interrupted, report.totals.errored, report.totals.failed) {
            (Some(_), ..) => "interrupted",
            (None, 1.., _) => "errored",
            (None, 0, 1..) => "failed",
            (None, 0, 0) => "passed",
        };
        Self { ok: word == "passed", status: Status::Verdict(word), error: None }
    }
}

/// UTC with microseconds.
fn stamp(time: Timestamp) -> String {
    format!("{time:.6}")
}

fn end(started: Timestamp, duration: Duration) -> Timestamp {
    let end = SignedDuration::try_from(duration).ok().and_then(|duration| started.checked_add(duration).ok());
    end.unwrap_or(started)
}
