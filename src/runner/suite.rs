//! All cases of a run: several at once, results in file order.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use crate::{
    id::CaseId,
    observe::{ObserveError, RunEvent},
    outcome::{CaseOutcome, Fault, FaultKind, RunReport, Totals, Verdict},
    scenario::Case,
};

use super::{
    Workbench,
    case::{cancelled, run_case, unstarted},
    step::timestamp,
};

/// A finished run.
pub struct Suite {
    /// What happened.
    pub report: RunReport,
    /// Why the log is not complete, when it is not: the run ended there.
    pub log_failure: Option<ObserveError>,
}

/// Runs `cases` on as many threads as the settings say. Workers mostly wait, so they are plain threads; pixel work
/// alone uses rayon, lest a comparison take another case onto its stack.
pub fn run_suite(bench: &Workbench<'_>, run_id: &str, cases: &[Case]) -> Suite {
    let (began, started) = (bench.clock.now(), timestamp(bench.clock.wall()));
    let ids: Vec<CaseId> = cases.iter().map(|case| case.id.clone()).collect();
    let jobs = bench.settings.jobs.clamp(1, cases.len().max(1));
    let run = Run { next: AtomicUsize::new(0), stop: AtomicBool::new(false), log_failure: Mutex::new(None) };
    if let Err(error) = bench.observer.on_event(&RunEvent::RunStarted { run_id, cases: &ids, jobs }) {
        run.fail(error);
    }
    let mut outcomes: BTreeMap<usize, CaseOutcome> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| run.work(bench, cases))).collect();
        // A worker catches the panics of its cases and has no other.
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    let reason = run.reason(bench);
    for (index, case) in cases.iter().enumerate() {
        outcomes.entry(index).or_insert_with(|| unstarted(bench, case, reason.clone()));
    }
    let cases: Vec<CaseOutcome> = outcomes.into_values().collect();
    let report = RunReport {
        version: RunReport::VERSION,
        run_id: run_id.to_owned(),
        started,
        duration: bench.clock.now().saturating_duration_since(began),
        environment: bench.settings.environment.clone(),
        totals: Totals::of(&cases),
        cases,
        interrupted: bench.cancel.signal(),
    };
    if let Err(error) = bench.observer.on_event(&RunEvent::RunFinished { report: &report }) {
        run.fail(error);
    }
    let log_failure = run.log_failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    Suite { report, log_failure }
}

/// What the workers share.
struct Run {
    next: AtomicUsize,
    stop: AtomicBool,
    log_failure: Mutex<Option<ObserveError>>,
}

impl Run {
    fn work(&self, bench: &Workbench<'_>, cases: &[Case]) -> Vec<(usize, CaseOutcome)> {
        let mut outcomes = Vec::new();
        while !self.stop.load(Ordering::Relaxed) && bench.cancel.signal().is_none() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else { break };
            match catch_unwind(AssertUnwindSafe(|| run_case(bench, case))) {
                Ok(Ok(outcome)) => {
                    if bench.settings.fail_fast
                        && (outcome.verdict.is_failed() || outcome.verdict.is_errored())
                    {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                    outcomes.push((index, outcome));
                }
                Ok(Err(error)) => {
                    let fault = Fault::new(FaultKind::Write, error.to_string());
                    outcomes.push((index, unstarted(bench, case, fault.into())));
                    self.fail(error);
                }
                Err(panic) => {
                    let message = panic_message(&*panic);
                    let fault = Fault::new(FaultKind::Internal, format!("cu-run panicked: {message}"));
                    outcomes.push((index, unstarted(bench, case, fault.into())));
                }
            }
        }
        outcomes
    }

    fn fail(&self, error: ObserveError) {
        self.stop.store(true, Ordering::Relaxed);
        self.log_failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Why the cases that did not start did not.
    fn reason(&self, bench: &Workbench<'_>) -> Verdict {
        let log_failed = self.log_failure.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if log_failed {
            let message = "not started: the action log cannot be written";
            Fault::new(FaultKind::Write, message).into()
        } else if bench.cancel.signal().is_some() {
            cancelled().into()
        } else {
            Verdict::Skipped { reason: "not started: an earlier case did not pass (--fail-fast)".to_owned() }
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}
