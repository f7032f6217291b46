//! The progress of a run on standard error: bars on a terminal, a line per case in CI, or nothing.
//!
//! Nothing depends on it. When standard error is closed or full the run goes on: what matters is in the log and the
//! report.

use std::{
    collections::HashMap,
    fmt,
    io::{self, Write},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    id::CaseId,
    outcome::{CaseOutcome, Verdict},
    visible,
};

use super::{ObserveError, Observer, RunEvent};

/// How often the elapsed time is drawn anew; slow, since the cases need the processor.
const TICK: Duration = Duration::from_millis(500);

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgressKind {
    /// A bar over all cases and a line for each running one, redrawn in place; for a terminal.
    Bars,
    /// A line for each case that has ended; for a log.
    Lines,
    /// Not at all.
    Hidden,
}

/// Shows the progress of a run.
#[derive(Debug)]
pub struct Progress(Display);

enum Display {
    Bars(Bars),
    Lines(Mutex<Box<dyn Write + Send>>),
    Hidden,
}

impl Progress {
    /// Progress of this kind on standard error.
    #[must_use]
    pub fn new(kind: ProgressKind) -> Self {
        match kind {
            ProgressKind::Bars => Self::bars(ProgressDrawTarget::stderr()),
            ProgressKind::Lines => Self::lines(Box::new(io::stderr())),
            ProgressKind::Hidden => Self(Display::Hidden),
        }
    }

    fn bars(target: ProgressDrawTarget) -> Self {
        Self(Display::Bars(Bars { all: MultiProgress::with_draw_target(target), shown: Mutex::default() }))
    }

    fn lines(out: Box<dyn Write + Send>) -> Self {
        Self(Display::Lines(Mutex::new(out)))
    }
}

impl Observer for Progress {
    fn on_event(&self, event: &RunEvent<'_>) -> Result<(), ObserveError> {
        match &self.0 {
            Display::Bars(bars) => bars.show(event),
            Display::Lines(out) => {
                if let Some(line) = line(event) {
                    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
                    // One write per line keeps it whole beside the output of other programs.
                    let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
                }
            }
            Display::Hidden => {}
        }
        Ok(())
    }
}

impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bars(_) => "Bars",
            Self::Lines(_) => "Lines",
            Self::Hidden => "Hidden",
        })
    }
}

/// What a log shows of an event.
fn line(event: &RunEvent<'_>) -> Option<String> {
    match event {
        RunEvent::RunStarted { cases, jobs, .. } => {
            let cases = if cases.len() == 1 { "1 case".to_owned() } else { format!("{} cases", cases.len()) };
            Some(format!("running {cases}, {jobs} at once"))
        }
        RunEvent::CaseFinished { outcome } => Some(ended(outcome)),
        RunEvent::CaseStarted { .. }
        | RunEvent::StepStarted { .. }
        | RunEvent::StepFinished { .. }
        | RunEvent::RunFinished { .. } => None,
    }
}

/// `FAIL admin/login (1.2 s): checkpoint ...`
fn ended(case: &CaseOutcome) -> String {
    let word = match case.verdict {
        Verdict::Passed => "PASS",
        Verdict::Failed { .. } => "FAIL",
        Verdict::Errored { .. } => "FAULT",
        Verdict::Skipped { .. } => "SKIP",
        Verdict::Flaky { .. } => "FLAKY",
    };
    let seconds = case.duration.as_secs_f64();
    // The hint on the further lines of a message is shown in the summary.
    let reason = case.verdict.message().and_then(|message| message.lines().next()).map(visible::line);
    match reason {
        None => format!("{word} {} ({seconds:.1} s)", case.id),
        Some(reason) => format!("{word} {} ({seconds:.1} s): {reason}", case.id),
    }
}

struct Bars {
    all: MultiProgress,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    total: Option<ProgressBar>,
    running: HashMap<CaseId, Running>,
    failed: usize,
}

struct Running {
    bar: ProgressBar,
    steps: usize,
}

impl Bars {
    fn show(&self, event: &RunEvent<'_>) {
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
