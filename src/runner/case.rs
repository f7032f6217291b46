//! One case: a display of its own, its services, its steps, and the end of all of them.

use std::collections::BTreeMap;

use crate::{
    desktop::DesktopSpec,
    observe::{ObserveError, RunEvent},
    outcome::{CaseOutcome, Failure, Fault, FaultKind, StepOutcome, Verdict},
    policy::{Redactor, SHORTEST_SECRET},
    scenario::{Bindings, Case},
};

use super::{Screen, Stage, Stop, Workbench, step::timestamp, web_server::WebServer};

/// Why the rest of a case is not done.
const AFTER_FAULT: &str = "an earlier step had a fault";

/// The fault of everything that a signal ended.
pub(crate) fn cancelled() -> Fault {
    Fault::new(FaultKind::Cancelled, "cancelled: the run was ended by a signal")
}

/// Runs `case` from its display's start to its end. The only error is a log that cannot be written.
pub(crate) fn run_case(bench: &Workbench<'_>, case: &Case) -> Result<CaseOutcome, ObserveError> {
    let (began, started) = (bench.clock.now(), timestamp(bench.clock.wall()));
    bench.observer.on_event(&RunEvent::CaseStarted { case: &case.id, steps: case.steps.len() })?;
    let mut fingerprint = BTreeMap::new();
    let (steps, fault) = match open_stage(bench, case) {
        Ok((mut stage, _server)) => {
            let steps = stage.steps();
            fingerprint = stage.fingerprint().entries().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            let closed = stage.close();
            (steps?, closed.err())
        }
        Err(stop) => (skip_all(case, "the case could not be started", started), Some(stop)),
    };
    let fault = fault.or(clean_logs(bench, case).err());
    let prevented = match fault {
        Some(_) if bench.cancel.signal().is_some() => Some(cancelled().into()),
        Some(stop) => Some(stop.into()),
        None => None,
    };
    let outcome = CaseOutcome {
        id: case.id.clone(),
        file: case.file.clone(),
        name: case.name.clone(),
        tags: case.tags.clone(),
        matrix: case.matrix.clone(),
        verdict: worst(&steps, prevented),
        started,
        duration: bench.clock.now().saturating_duration_since(began),
        display: case.display.size,
        steps,
        folder: case.id.to_path(),
        logs: bench.evidence.logs(&case.id),
        fingerprint,
    };
    bench.observer.on_event(&RunEvent::CaseFinished { outcome: &outcome })?;
    Ok(outcome)
}

/// The outcome of a case that is not begun.
pub(crate) fn unstarted(bench: &Workbench<'_>, case: &Case, verdict: Verdict) -> CaseOutcome {
    let started = timestamp(bench.clock.wall());
    let reason = verdict.message().unwrap_or_default().to_owned();
    CaseOutcome {
        id: case.id.clone(),
        file: case.file.clone(),
        name: case.name.clone(),
        tags: case.tags.clone(),
        matrix: case.matrix.clone(),
        verdict,
        started,
        duration: std::time::Duration::ZERO,
        display: case.display.size,
        steps: skip_all(case, &reason, started),
        folder: case.id.to_path(),
        logs: Vec::new(),
        fingerprint: BTreeMap::new(),
    }
}

/// Keeps secrets out of what services and programs have printed themselves. Everything that writes there has ended.
fn clean_logs(bench: &Workbench<'_>, case: &Case) -> Result<(), Stop> {
    // A case without its secrets was not begun.
    let secrets = secrets(bench, case).unwrap_or_default();
    let redactor = Redactor::new(secrets.values().map(String::as_str));
    if redactor.is_empty() {
        return Ok(());
    }
    Ok(bench.evidence.clean_logs(&case.id, |line| redactor.apply(line))?)
}

fn open_stage<'a>(bench: &'a Workbench<'a>, case: &'a Case) -> Result<(Stage<'a>, Option<WebServer>), Stop> {
    let mut bindings = Bindings { secrets: secrets(bench, case)?, ..Bindings::default() };
    let server = case.serve.as_deref().map(WebServer::start).transpose()?;
    bindings.serve = server.as_ref().map(WebServer::address);
    bindings.ports = super::services::free_ports(case)?;
    let log_dir = bench.evidence.prepare(&case.id)?;
    let spec = DesktopSpec {
        size: case.display.size,
        window_manager: case.display.window_manager,
        log_dir,
        env: BTreeMap::new(),
    };
    let desktop = bench.desktops.open(&spec)?;
    let mut stage = Stage {
        bench,
        case,
        desktop,
        browser: None,
        notices: Vec::new(),
        browser_version: None,
        screen: Screen::new(bench.clock),
        redactor: Redactor::new(bindings.secrets.values().map(String::as_str)),
        bindings,
        services: Vec::new(),
        launched: 0,
        went_to_corner: false,
    };
    stage.start_services()?;
    Ok((stage, server))
}

/// The values of the secrets that `case` declares.
fn secrets(bench: &Workbench<'_>, case: &Case) -> Result<BTreeMap<String, String>, Stop> {
    let value_of = |name: &String| match bench.secrets.get(name) {
        Some(value) if value.chars().count() >= SHORTEST_SECRET => Ok((name.clone(), value.clone())),
        Some(_) => Err(Stop::errored(
            FaultKind::Secret,
            format!(
                "the secret `{name}` has fewer than {SHORTEST_SECRET} characters: it could not be kept out of the reports"
            ),
        )),
        None => Err(Stop::errored(
            FaultKind::Secret,
            format!(
                "the secret `{name}` has no value\nset CU_RUN_SECRET_{name} or {} in the environment",
                name.to_uppercase()
            ),
        )),
    };
    case.secrets.iter().map(value_of).collect()
}

impl Stage<'_> {
    /// Every step in order; after a fault, or a failure that nothing can be built on, the rest is skipped.
    fn steps(&mut self) -> Result<Vec<StepOutcome>, ObserveError> {
        let mut outcomes = Vec::with_capacity(self.case.steps.len());
        let mut skip: Option<&str> = None;
        for (index, step) in self.case.steps.iter().enumerate() {
            let number = index as u32 + 1;
            let now = timestamp(self.bench.clock.wall());
            let reason = skip.map(str::to_owned).or_else(|| {
                step.options.skipped_by.as_ref().map(|condition| format!("`if: {condition}` does not hold"))
            });
            if let Some(reason) = reason {
                outcomes.push(Self::skipped(number, step, &reason, now));
                continue;
            }
            let mut outcome = self.step(number, step)?;
            if matches!(outcome.verdict, Verdict::Passed) {
                self.check_services(&mut outcome);
            }
            match &outcome.verdict {
                Verdict::Errored { .. } => skip = Some(AFTER_FAULT),
                // What a checkpoint sees does not change what the next step can do; a failed action does.
                Verdict::Failed { .. }
                    if outcome.checkpoint.is_none() && !step.options.continue_on_failure =>
                {
                    skip = Some("an earlier step failed");
                }
                _ => {}
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Ends everything. The browser ends with its display, which kills it before the X server: to end it by itself
    /// first would only look for its processes once more.
    fn close(mut self) -> Result<(), Stop> {
        let released = self.desktop.release_all();
        let written = self.write_rest_of_notices();
        self.desktop.close()?;
        released?;
        written
    }
}

fn skip_all(case: &Case, reason: &str, at: jiff::Timestamp) -> Vec<StepOutcome> {
    let number = |index: usize| index as u32 + 1;
    case.steps
        .iter()
        .enumerate()
        .map(|(index, step)| Stage::skipped(number(index), step, reason, at))
        .collect()
}

/// A fault outweighs a failure, a failure a pass; a case without any step that ran is skipped.
fn worst(steps: &[StepOutcome], prevented: Option<Verdict>) -> Verdict {
    let errored = steps.iter().map(|step| &step.verdict).find(|verdict| verdict.is_errored());
    if let Some(verdict) = errored {
        return verdict.clone();
    }
    if let Some(verdict) = prevented {
        return verdict;
    }
    let failed: Vec<&Failure> = steps
        .iter()
        .filter_map(|step| match &step.verdict {
            Verdict::Failed { failure } => Some(failure),
            _ => None,
        })
        .collect();
    match failed[..] {
        [] if steps.iter().all(|step| matches!(step.verdict, Verdict::Skipped { .. })) => {
            Verdict::Skipped { reason: "every step was skipped".to_owned() }
        }
        [] => Verdict::Passed,
        [failure] => failure.clone().into(),
        [first, ..] => {
            Failure::new(first.kind, format!("{} steps failed; first: {}", failed.len(), first.message))
                .into()
        }
    }
}
