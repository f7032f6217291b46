//! The action log: its lines, its safety, and that a line which cannot be written is not lost silently.

use std::{
    collections::HashMap,
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
    thread,
    time::Duration,
};

use cu_run::{
    clock::FakeClock,
    geometry::Point,
    id::CaseId,
    observe::{ActionLog, ActionRecord, ActionStatus, ObserveError, Observer, RunEvent},
    outcome::{CaseOutcome, RunReport, Verdict},
};
use serde_json::{Value, json};

use super::support::{self, HOSTILE};

fn record(target: &str, status: ActionStatus) -> ActionRecord {
    ActionRecord {
        started: support::moment(),
        action: "left_click".into(),
        target: Some(target.into()),
        risk: "local_nondestructive".into(),
        decision: "allow".into(),
        approval: None,
        params: json!({"button": "left", "at": Point::new(10, 20)}),
        status,
        error: (status != ActionStatus::Success).then(|| "no text `Save`".into()),
        duration: Duration::from_micros(104_200),
        evidence: None,
    }
}

/// Announces all of `report`, with a record made up for each step.
fn announce(log: &ActionLog, report: &RunReport) -> Result<(), ObserveError> {
    let cases: Vec<CaseId> = report.cases.iter().map(|case| case.id.clone()).collect();
    log.on_event(&RunEvent::RunStarted { run_id: &report.run_id, cases: &cases, jobs: 2 })?;
    for case in &report.cases {
        announce_case(log, case)?;
    }
    log.on_event(&RunEvent::RunFinished { report })
}

fn announce_case(log: &ActionLog, case: &CaseOutcome) -> Result<(), ObserveError> {
    log.on_event(&RunEvent::CaseStarted { case: &case.id, steps: case.steps.len() })?;
    for outcome in &case.steps {
        let status = if outcome.verdict.is_passed() { ActionStatus::Success } else { ActionStatus::Failure };
        let record = record(&outcome.title, status);
        log.on_event(&RunEvent::StepFinished { case: &case.id, outcome, record: &record })?;
    }
    log.on_event(&RunEvent::CaseFinished { outcome: case })
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_event_has_its_line_with_its_keys_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("actions.jsonl");
    let log = ActionLog::with_clock(&path, Box::new(FakeClock::new())).unwrap();
    announce(&log, &support::report(vec![support::difference("admin/start"), support::cancelled("b")]))
        .unwrap();
    insta::assert_snapshot!(fs::read_to_string(&path).unwrap());
}

#[test]
fn only_its_owner_reads_it_and_it_tells_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("actions.jsonl");
    fs::write(&path, "a former run, open to all\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    announce(&ActionLog::create(&path).unwrap(), &support::report(Vec::new())).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let events: Vec<_> = lines(&path).iter().map(|line| line["event"].clone()).collect();
    assert_eq!(events, ["run_started", "run_finished"]);
}

#[test]
fn a_symbolic_link_does_not_choose_what_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("actions.jsonl"), folder.path().join("precious"));
    fs::write(&other, "precious").unwrap();
    symlink(&other, &path).unwrap();
    let error = ActionLog::create(&path).unwrap_err().to_string();
    assert!(error.contains(&path.display().to_string()), "{error}");
    assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
}

#[test]
fn hostile_text_stays_one_line_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("actions.jsonl");
    let case = support::case("a", Verdict::Passed, vec![support::step(1, HOSTILE, Verdict::Passed)]);
    announce(&ActionLog::create(&path).unwrap(), &support::report(vec![case])).unwrap();
    let lines = lines(&path);
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[2]["target"], HOSTILE);
}

#[test]
fn lines_of_cases_that_run_at_once_stay_whole_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("actions.jsonl");
    let log = ActionLog::create(&path).unwrap();
    let names: Vec<_> = (0..8).map(|number| format!("case-{number}")).collect();
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| {
                let step = |number| support::step(number, &"long ".repeat(2000), Verdict::Passed);
                let case = support::case(name, Verdict::Passed, (1..=25).map(step).collect());
                announce_case(&log, &case).unwrap();
            });
        }
    });
    let mut steps: HashMap<String, u64> = HashMap::new();
    for line in lines(&path).iter().filter(|line| line["event"] == "step") {
        let last = steps.entry(line["case"].as_str().unwrap().to_owned()).or_default();
        *last += 1;
        assert_eq!(line["step"], *last);
    }
    assert_eq!(steps, names.into_iter().map(|name| (name, 25)).collect());
}

#[test]
fn a_full_disk_is_told_at_once() {
    let path = Path::new("/dev/full");
    let log = ActionLog::create(path).unwrap();
    let ObserveError::Log { path: named, source } =
        announce(&log, &support::report(Vec::new())).expect_err("the disk is full");
    assert_eq!((named.as_path(), source.raw_os_error()), (path, Some(28)));
}

/// Runs itself again under a limit on the size of files, which cuts a write in the middle as a full disk does.
#[test]
fn a_line_that_was_cut_is_taken_back() {
    const PATH: &str = "CU_RUN_TEST_LIMITED_LOG";
    if let Some(path) = env::var_os(PATH) {
        let log = ActionLog::create(Path::new(&path)).unwrap();
        let case = support::id("a");
        let start = RunEvent::CaseStarted { case: &case, steps: 1 };
        let results: Vec<_> = (0..100).map(|_| log.on_event(&start).is_ok()).collect();
        assert!(results[0] && !results[99]);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("actions.jsonl");
    // The signal would end the process; ignored, the write itself fails after the bytes that fitted.
    let script = r#"trap "" XFSZ; ulimit -f 1; exec "$0" --exact reports::action_log::a_line_that_was_cut_is_taken_back"#;
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(env::current_exe().unwrap())
        .env(PATH, &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    let lines = lines(&path);
    assert!(!lines.is_empty() && lines.iter().all(|line| line["event"] == "case_started"));
}
