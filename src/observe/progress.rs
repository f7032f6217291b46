//! The progress of a run on standard error: bars on a terminal, a line per case in CI, or nothing.
//!
//! Nothing depends on it. When standard error is closed or full the run goes on: what matters is in the log and the
//! report.

mod bars;

use std::{
    fmt,
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use indicatif::ProgressDrawTarget;

use crate::{
    outcome::{CaseOutcome, Verdict},
    visible,
};

use self::bars::Bars;
use super::{ObserveError, Observer, RunEvent};

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
        Self(Display::Bars(Bars::new(target)))
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

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc, time::Duration};

    use indicatif::TermLike;
    use jiff::Timestamp;

    use crate::{
        diagnostic::Location,
        geometry::Size,
        id::CaseId,
        outcome::{Environment, Failure, FailureKind, Fault, FaultKind, RunReport, Totals},
        scenario::{Action, Step, StepOptions},
    };

    use super::*;

    /// What was written, or a device that takes nothing.
    #[derive(Debug, Clone)]
    enum Device {
        Open(Arc<Mutex<String>>),
        Closed,
    }

    impl Device {
        fn open() -> Self {
            Self::Open(Arc::default())
        }

        fn text(&self) -> String {
            match self {
                Self::Open(text) => text.lock().unwrap().clone(),
                Self::Closed => String::new(),
            }
        }

        fn put(&self, more: &str) -> io::Result<()> {
            match self {
                Self::Open(text) => text.lock().unwrap().push_str(more),
                Self::Closed => return Err(io::ErrorKind::BrokenPipe.into()),
            }
            Ok(())
        }
    }

    impl Write for Device {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.put(str::from_utf8(bytes).unwrap()).map(|()| bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.put("")
        }
    }

    impl TermLike for Device {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            self.put("")
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            self.put("")
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            self.put("")
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            self.put("")
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.put(text).and_then(|()| self.put("\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.put(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.put("")
        }
        fn flush(&self) -> io::Result<()> {
            self.put("")
        }
    }

    fn case(name: &str, verdict: Verdict) -> CaseOutcome {
        CaseOutcome {
            id: CaseId::try_from(name.to_owned()).unwrap(),
            file: format!("{name}.yaml").into(),
            name: name.to_owned(),
            tags: Vec::new(),
            matrix: Vec::new(),
            verdict,
            started: Timestamp::UNIX_EPOCH,
            duration: Duration::from_millis(1234),
            display: Size::new(640, 480),
            steps: Vec::new(),
            folder: name.into(),
            logs: Vec::new(),
            fingerprint: BTreeMap::new(),
        }
    }

    fn cases() -> Vec<CaseOutcome> {
        vec![
            case("a/passed", Verdict::Passed),
            case("a/failed", Failure::new(FailureKind::App, "it \x1b[31mended\r\nsecond line").into()),
            case("a/fault", Fault::new(FaultKind::Desktop, "no display\nhint: install xvfb").into()),
            case("skipped", Verdict::Skipped { reason: "`skip: true`".into() }),
        ]
    }

    /// A whole run of `cases`, the first of them begun twice, each with one step of a hostile name.
    fn announce(progress: &Progress, cases: Vec<CaseOutcome>) {
        let tell = |event: RunEvent<'_>| progress.on_event(&event).unwrap();
        let ids: Vec<_> = cases.iter().map(|case| case.id.clone()).collect();
        let options = StepOptions { name: Some("press \x1b[2J\u{202e}".into()), ..StepOptions::default() };
        let source = Location { file: "a.yaml".into(), line: 1, column: 1 };
        let step = Step { action: Action::Reload, options, source };
        tell(RunEvent::RunStarted { run_id: "run", cases: &ids, jobs: 2 });
        tell(RunEvent::CaseStarted { case: &ids[0], steps: 3 });
        for (case, outcome) in ids.iter().zip(&cases) {
            tell(RunEvent::CaseStarted { case, steps: 3 });
            tell(RunEvent::StepStarted { case, number: 1, step: &step });
            if let Display::Bars(bars) = &progress.0 {
                let shown = bars.shown.lock().unwrap();
                assert_eq!(shown.running[case].bar.message(), r"step 1/3 press \u{1b}[2J\u{202e}");
                assert_eq!(shown.running.len(), 1, "a case that begins again takes no second line");
                shown.running[case].bar.force_draw();
            }
            tell(RunEvent::CaseFinished { outcome });
        }
        if let Display::Bars(bars) = &progress.0 {
            let total = bars.shown.lock().unwrap().total.clone().unwrap();
            assert_eq!(
                (total.position(), total.length(), total.message().as_str()),
                (4, Some(4), ", 2 failed")
            );
            total.force_draw();
        }
        let environment =
            Environment { cu_run: "0".into(), baselines: "b".into(), jobs: 2, facts: BTreeMap::new() };
        let report = RunReport {
            version: RunReport::VERSION,
            run_id: "run".into(),
            started: Timestamp::UNIX_EPOCH,
            duration: Duration::from_secs(2),
            environment,
            totals: Totals::of(&cases),
            cases,
            interrupted: None,
        };
        tell(RunEvent::RunFinished { report: &report });
    }

    #[test]
    fn a_log_gets_a_line_for_each_case_that_ended() {
        let device = Device::open();
        announce(&Progress::lines(Box::new(device.clone())), cases());
        insta::assert_snapshot!(device.text(), @r"
        running 4 cases, 2 at once
        PASS a/passed (1.2 s)
        FAIL a/failed (1.2 s): it \u{1b}[31mended
        FAULT a/fault (1.2 s): no display
        SKIP skipped (1.2 s): `skip: true`
        ");
    }

    #[test]
    fn a_terminal_shows_the_step_of_a_running_case_and_keeps_what_went_wrong() {
        let device = Device::open();
        announce(&Progress::bars(ProgressDrawTarget::term_like(Box::new(device.clone()))), cases());
        let text = device.text();
        assert!(text.contains(r"  a/passed  step 1/3 press \u{1b}[2J\u{202e}"), "{text:?}");
        assert!(text.contains("4/4 cases, 2 failed"), "{text:?}");
        assert!(text.contains(r"FAIL a/failed (1.2 s): it \u{1b}[31mended"), "{text:?}");
        assert!(!text.contains("PASS"), "{text:?}");
        assert!(!text.contains("\x1b[2J") && !text.contains("\x1b[31mended"), "{text:?}");
    }

    #[test]
    fn a_closed_device_stops_nothing() {
        announce(&Progress::lines(Box::new(Device::Closed)), cases());
        announce(&Progress::bars(ProgressDrawTarget::term_like(Box::new(Device::Closed))), cases());
        announce(&Progress::new(ProgressKind::Hidden), cases());
    }
}
