//! One step: decided, announced, done, judged and logged.

use std::time::Duration;

use jiff::Timestamp;

use crate::{
    geometry::Point,
    observe::{ActionRecord, ActionStatus, ObserveError, RunEvent},
    outcome::{Failure, FailureKind, Fault, FaultKind, StepOutcome, Verdict},
    policy::{Decision, decide, risk},
    scenario::Step,
};

use super::{
    Stage, Stop,
    perform::{Done, logged_params},
};

impl Stage<'_> {
    /// Does the step with this number (from 1) and tells how it ended. The only error is a log that cannot be written.
    pub(crate) fn step(&mut self, number: u32, step: &Step) -> Result<StepOutcome, ObserveError> {
        let clock = self.bench.clock;
        let (began, started) = (clock.now(), timestamp(clock.wall()));
        self.bench.observer.on_event(&RunEvent::StepStarted { case: &self.case.id, number, step })?;
        let decision = decide(step);
        let mut retries = 0;
        let done = loop {
            let done = self.attempt(step, &decision);
            let again = retries < step.options.retry && can_be_retried(&done);
            if !again {
                break done;
            }
            retries += 1;
        };
        let mut done = done.unwrap_or_else(|stop| Done { stop: Some(stop), ..Done::default() });
        done.stop = self.judge_notices(number, step, done.stop);
        let verdict = self.verdict(step, done.stop);
        let outcome = StepOutcome {
            number,
            action: step.action.verb().to_owned(),
            title: self.redactor.apply(&step.title()),
            source: step.source.clone(),
            verdict,
            started,
            duration: clock.now().saturating_duration_since(began),
            retries,
            aimed_at: done.aimed_at,
            checkpoint: done.checkpoint,
        };
        let record = self.record(step, &decision, &outcome);
        let event = RunEvent::StepFinished { case: &self.case.id, outcome: &outcome, record: &record };
        self.bench.observer.on_event(&event)?;
        Ok(outcome)
    }

    /// The outcome of a step that is not begun.
    pub(crate) fn skipped(number: u32, step: &Step, reason: &str, at: Timestamp) -> StepOutcome {
        StepOutcome {
            number,
            action: step.action.verb().to_owned(),
            title: step.title(),
            source: step.source.clone(),
            verdict: Verdict::Skipped { reason: reason.to_owned() },
            started: at,
            duration: Duration::ZERO,
            retries: 0,
            aimed_at: None,
            checkpoint: None,
        }
    }

    fn attempt(&mut self, step: &Step, decision: &Decision) -> Result<Done, Stop> {
        self.check_cancelled()?;
        match decision {
            Decision::Allow => {}
            Decision::NeedsApproval(reason) => return Err(Stop::failed(FailureKind::NeedsApproval, reason)),
            Decision::Blocked(reason) => return Err(Stop::failed(FailureKind::Blocked, reason)),
        }
        self.check_corner()?;
        self.perform(step)
    }

    /// A pointer in the top left corner that the scenario did not send there is a person's wish to stop.
    fn check_corner(&mut self) -> Result<(), Stop> {
        if !self.went_to_corner && self.desktop.pointer()? == Point::new(0, 0) {
            return Err(Stop::errored(
                FaultKind::Cancelled,
                "the pointer was moved to the top left corner, which stops the case",
            ));
        }
        Ok(())
    }

    /// The verdict, without secrets; an error after a signal is the signal's doing.
    fn verdict(&self, step: &Step, stop: Option<Stop>) -> Verdict {
        let Some(stop) = stop else {
            return Verdict::Passed;
        };
        if self.bench.cancel.signal().is_some() && matches!(stop, Stop::Errored(_)) {
            return super::case::cancelled().into();
        }
        let clean = |text: &str| self.redactor.apply(text);
        match stop {
            Stop::Failed(failure) => Verdict::Failed {
                failure: Failure {
                    kind: failure.kind,
                    message: clean(&failure.message),
                    details: failure.details.iter().map(|line| clean(line)).collect(),
                },
            },
            Stop::Errored(fault) => Verdict::Errored {
                fault: Fault {
                    kind: fault.kind,
                    message: clean(&format!("{}: {}", step.action.verb(), fault.message)),
                },
            },
        }
    }

    fn record(&self, step: &Step, decision: &Decision, outcome: &StepOutcome) -> ActionRecord {
        let approved = *decision == Decision::Allow && step.options.confirm;
        let picture = outcome.checkpoint.as_ref().and_then(|checkpoint| checkpoint.actual.as_ref());
        ActionRecord {
            started: outcome.started,
            action: outcome.action.clone(),
            target: step.action.subject().map(|subject| self.redactor.apply(&subject)),
            risk: risk(&step.action).to_string(),
            decision: decision.word().to_owned(),
            approval: approved.then(|| format!("scenario:{}:confirm", step.source.line)),
            params: logged_params(&step.action),
            status: status(&outcome.verdict),
            error: outcome.verdict.message().map(str::to_owned),
            duration: outcome.duration,
            evidence: picture.map(|picture| picture.digest.clone()),
        }
    }
}

/// Observations that found something different; a missing baseline stays missing however often one looks.
fn can_be_retried(done: &Result<Done, Stop>) -> bool {
    let stop = match done {
        Ok(done) => done.stop.as_ref(),
        Err(stop) => Some(stop),
    };
    matches!(stop, Some(Stop::Failed(failure)) if !matches!(failure.kind,
        FailureKind::MissingBaseline | FailureKind::NeedsApproval | FailureKind::Blocked))
}

fn status(verdict: &Verdict) -> ActionStatus {
    match verdict {
        Verdict::Passed | Verdict::Flaky { .. } => ActionStatus::Success,
        Verdict::Failed { failure } => match failure.kind {
            FailureKind::NeedsApproval => ActionStatus::NeedsApproval,
            FailureKind::Blocked => ActionStatus::Blocked,
            _ => ActionStatus::Failure,
        },
        Verdict::Errored { .. } => ActionStatus::Error,
        Verdict::Skipped { .. } => ActionStatus::Skipped,
    }
}

/// `time` for people and logs. A clock outside of the calendar (years -9999 to 9999) reads as the epoch.
pub(crate) fn timestamp(time: std::time::SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}
