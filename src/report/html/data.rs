//! What the page shows, as the JSON that is embedded in it: the run with every text fit to be shown, every path a URL,
//! and nothing that the page does not use.

use std::{borrow::Cow, collections::BTreeMap, path::Path};

use serde::Serialize;

use super::{
    logs::Room,
    places::Places,
    shots::{Shot, shot},
    text::{line, lines, path},
};
use crate::{
    outcome::{CaseOutcome, RunReport, StepOutcome, Totals, Verdict},
    report::words,
};

/// The whole page.
#[derive(Debug, Serialize)]
pub(super) struct Data<'a> {
    run: Run<'a>,
    cases: Vec<Case<'a>>,
}

#[derive(Debug, Serialize)]
struct Run<'a> {
    id: Cow<'a, str>,
    started: String,
    duration_s: f64,
    /// The version of cu-run.
    version: Cow<'a, str>,
    jobs: usize,
    artifacts: String,
    baselines: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted: Option<i32>,
    totals: Totals,
}

#[derive(Debug, Serialize)]
struct Case<'a> {
    id: String,
    name: Cow<'a, str>,
    file: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matrix: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    verdict: Ending<'a>,
    duration_s: f64,
    display: [u32; 2],
    steps: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logs: Vec<Log>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fingerprint: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// How a step or a case ended.
#[derive(Debug, Serialize)]
struct Ending<'a> {
    word: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Cow<'a, str>>,
}

#[derive(Debug, Serialize)]
struct Step<'a> {
    number: u32,
    action: Cow<'a, str>,
    title: Cow<'a, str>,
    /// Where it stands: `file:line`.
    source: String,
    verdict: Ending<'a>,
    /// When it began, in seconds after the case.
    at_s: f64,
    duration_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    retries: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    aimed_at: Option<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<Shot<'a>>,
}

#[derive(Debug, Serialize)]
struct Log {
    name: String,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_bytes: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl<'a> Data<'a> {
    /// What a report in `artifacts` shows of `report`.
    pub(super) fn of(report: &'a RunReport, artifacts: &Path) -> Self {
        let environment = &report.environment;
        let places = Places::of(artifacts, &environment.baselines);
        let mut room = Room::new();
        Self {
            run: Run {
                id: line(&report.run_id),
                started: report.started.to_string(),
                duration_s: report.duration.as_secs_f64(),
                version: line(&environment.cu_run),
                jobs: environment.jobs,
                artifacts: path(artifacts),
                baselines: path(&environment.baselines),
                facts: facts(&environment.facts),
                interrupted: report.interrupted,
                totals: report.totals,
            },
            cases: report.cases.iter().map(|outcome| case(outcome, &places, &mut room)).collect(),
        }
    }

    /// As JSON that can stand inside of a script element whatever it holds: `</script>` and `<!--` cannot occur
    /// without their first character, and line separators cannot end a line for a reader that takes it for a script.
    pub(super) fn to_json(&self) -> serde_json::Result<String> {
        let json = serde_json::to_string(self)?;
        let mut safe = String::with_capacity(json.len() + json.len() / 64);
        for c in json.chars() {
            match c {
                '<' => safe.push_str("\\u003c"),
                '>' => safe.push_str("\\u003e"),
                '&' => safe.push_str("\\u0026"),
                '\u{2028}' => safe.push_str("\\u2028"),
                '\u{2029}' => safe.push_str("\\u2029"),
                c => safe.push(c),
            }
        }
        Ok(safe)
    }
}

fn case<'a>(outcome: &'a CaseOutcome, places: &Places<'_>, room: &mut Room) -> Case<'a> {
    Case {
        id: outcome.id.to_string(),
        name: line(&outcome.name),
        file: path(&outcome.file),
        tags: outcome.tags.iter().map(|tag| line(tag)).collect(),
        matrix: outcome.matrix.iter().map(|(name, value)| (line(name), line(value))).collect(),
        verdict: ending(&outcome.verdict, None),
        duration_s: outcome.duration.as_secs_f64(),
        display: [outcome.display.width, outcome.display.height],
        steps: outcome.steps.iter().map(|done| step(outcome, done, places)).collect(),
        logs: logs(outcome, places, room),
        fingerprint: facts(&outcome.fingerprint),
    }
}

fn step<'a>(case: &CaseOutcome, outcome: &'a StepOutcome, places: &Places<'_>) -> Step<'a> {
    let checkpoint = outcome.checkpoint.as_deref();
    Step {
        number: outcome.number,
        action: line(&outcome.action),
        title: line(&outcome.title),
        source: format!("{}:{}", path(&outcome.source.file), outcome.source.line),
        verdict: ending(&outcome.verdict, Some(outcome)),
        // A clock that was set back in between would make it negative.
        at_s: outcome.started.duration_since(case.started).as_secs_f64().max(0.0),
        duration_s: outcome.duration.as_secs_f64(),
        retries: outcome.retries,
        aimed_at: outcome.aimed_at.map(|point| [point.x, point.y]),
        checkpoint: checkpoint.map(|checkpoint| shot(case, &outcome.verdict, checkpoint, places)),
    }
}

/// The verdict in words; the line of a failed checkpoint says which number decided.
fn ending<'a>(verdict: &'a Verdict, step: Option<&StepOutcome>) -> Ending<'a> {
    let word = verdict.word();
    let checkpoint = step.and_then(|step| step.checkpoint.as_deref());
    match verdict {
        Verdict::Passed => Ending { word, kind: None, message: None, details: Vec::new() },
        Verdict::Failed { failure } | Verdict::Flaky { failure } => Ending {
            word,
            kind: Some(failure.kind.to_string()),
            message: Some(Cow::Owned(lines(&words::message(failure, checkpoint)).into_owned())),
            details: failure.details.iter().map(|detail| lines(detail)).collect(),
        },
        Verdict::Errored { fault } => Ending {
            word,
            kind: Some(fault.kind.to_string()),
            message: Some(lines(&fault.message)),
            details: Vec::new(),
        },
        Verdict::Skipped { reason } => {
            Ending { word, kind: None, message: Some(lines(reason)), details: Vec::new() }
        }
    }
}

/// The logs of a case; their ends where something went wrong.
fn logs(case: &CaseOutcome, places: &Places<'_>, room: &mut Room) -> Vec<Log> {
    let telling = !matches!(case.verdict, Verdict::Passed | Verdict::Skipped { .. });
    let log = |file: &std::path::PathBuf| {
        let tail = telling.then(|| room.tail(&places.log(file)?)).flatten();
        Some(Log {
            name: path(Path::new(file.file_name()?)),
            url: Places::artifact(file)?,
            hidden_bytes: tail.as_ref().map(|tail| tail.hidden),
            tail: tail.map(|tail| tail.text),
        })
    };
    case.logs.iter().filter_map(log).collect()
}

fn facts(facts: &BTreeMap<String, String>) -> BTreeMap<Cow<'_, str>, Cow<'_, str>> {
    facts.iter().map(|(name, value)| (line(name), line(value))).collect()
}
