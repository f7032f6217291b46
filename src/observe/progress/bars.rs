//! Bars on a terminal, redrawn in place.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{id::CaseId, outcome::CaseOutcome, visible};

use super::{super::RunEvent, ended};

/// How often the elapsed time is drawn anew; slow, since the cases need the processor.
const TICK: Duration = Duration::from_millis(500);

/// The bar over all cases and the lines of the running ones.
pub(super) struct Bars {
    all: MultiProgress,
    pub(super) shown: Mutex<Shown>,
}

/// What is on the terminal.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) total: Option<ProgressBar>,
    pub(super) running: HashMap<CaseId, Running>,
    failed: usize,
}

/// A case that runs.
pub(super) struct Running {
    pub(super) bar: ProgressBar,
    steps: usize,
}

impl Bars {
    /// Bars that are drawn on `target`.
    pub(super) fn new(target: ProgressDrawTarget) -> Self {
        Self { all: MultiProgress::with_draw_target(target), shown: Mutex::default() }
    }

    /// Draws what `event` changes.
    pub(super) fn show(&self, event: &RunEvent<'_>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            RunEvent::RunStarted { cases, .. } => shown.total = Some(self.total(cases.len())),
            RunEvent::CaseStarted { case, steps } => {
                let bar = self.case(case, shown.total.as_ref());
                // A case that is tried again begins twice.
                if let Some(former) = shown.running.insert((*case).clone(), Running { bar, steps: *steps }) {
                    self.remove(&former.bar);
                }
            }
            RunEvent::StepStarted { case, number, step } => {
                if let Some(Running { bar, steps }) = shown.running.get(*case) {
                    let title = step.title();
                    bar.set_message(format!("step {number}/{steps} {}", visible::line(&title)));
                }
            }
            RunEvent::StepFinished { .. } => {}
            RunEvent::CaseFinished { outcome } => self.case_finished(outcome, &mut shown),
            RunEvent::RunFinished { .. } => {
                for (_, running) in shown.running.drain() {
                    self.remove(&running.bar);
                }
                if let Some(total) = shown.total.take() {
                    total.disable_steady_tick();
                    self.remove(&total);
                }
                let _ = self.all.clear();
            }
        }
    }

    fn case_finished(&self, outcome: &CaseOutcome, shown: &mut Shown) {
        if let Some(running) = shown.running.remove(&outcome.id) {
            self.remove(&running.bar);
        }
        if outcome.verdict.is_failed() || outcome.verdict.is_errored() {
            shown.failed += 1;
        }
        if let Some(total) = &shown.total {
            if shown.failed > 0 {
                total.set_message(format!(", {} failed", shown.failed));
            }
            total.inc(1);
        }
        // What passed is in the count; what did not is told at once and stays above the bars.
        if !outcome.verdict.is_passed() {
            let _ = self.all.println(ended(outcome));
        }
    }

    fn total(&self, cases: usize) -> ProgressBar {
        let total = self.all.add(ProgressBar::hidden());
        total.set_length(cases as u64);
        total.set_style(style("{bar:24} {pos}/{len} cases{msg}  {elapsed}"));
        total.enable_steady_tick(TICK);
        total
    }

    fn case(&self, case: &CaseId, total: Option<&ProgressBar>) -> ProgressBar {
        let bar = ProgressBar::hidden();
        let bar = match total {
            Some(total) => self.all.insert_before(total, bar),
            None => self.all.add(bar),
        };
        bar.set_style(style("  {prefix}  {wide_msg}"));
        bar.set_prefix(case.to_string());
        bar.set_message("starting");
        bar
    }

    fn remove(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        self.all.remove(bar);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
