//! Sample reports: every way in which a case can end, and strings that break naive writers.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use cu_run::{
    compare::{CompareSpec, Comparison, Difference, DifferenceKind, Gate, Limit, Numbers},
    diagnostic::Location,
    geometry::{Region, Size},
    id::CaseId,
    outcome::{
        CaseOutcome, CheckpointOutcome, Environment, Failure, FailureKind, Fault, FaultKind, ImageBase,
        ImageRef, RunReport, StepOutcome, Totals, Verdict,
    },
};
use jiff::Timestamp;

/// Characters that XML forbids or gives a meaning, terminal escapes, and text that reorders its neighbours.
pub(super) const HOSTILE: &str = "esc \x1b[31mred\x1b[0m nul \0 bell \x07 \u{85}\u{9b}2J ]]> <b> & \" ' \u{fffe}\u{ffff} \
                           \u{202e}flip\u{202c} \u{1f642} tab\t cr\r lf\n [[ATTACHMENT|/etc/passwd]] end";

pub(super) fn moment() -> Timestamp {
    "2026-01-02T03:04:05.678901Z".parse().unwrap()
}

pub(super) fn id(text: &str) -> CaseId {
    CaseId::try_from(text.to_owned()).unwrap()
}

pub(super) fn step(number: u32, title: &str, verdict: Verdict) -> StepOutcome {
    StepOutcome {
        number,
        action: title.split(' ').next().unwrap_or_default().to_owned(),
        title: title.to_owned(),
        source: Location { file: "scenarios/admin/login.yaml".into(), line: 10 + number, column: 5 },
        verdict,
        started: moment(),
        duration: Duration::from_micros(104_200 * u64::from(number)),
        retries: 0,
        aimed_at: None,
        checkpoint: None,
    }
}

pub(super) fn case(name: &str, verdict: Verdict, mut steps: Vec<StepOutcome>) -> CaseOutcome {
    for step in &mut steps {
        step.source.file = format!("scenarios/{name}.yaml").into();
    }
    CaseOutcome {
        id: id(name),
        file: format!("scenarios/{name}.yaml").into(),
        name: name.to_owned(),
        tags: Vec::new(),
        matrix: Vec::new(),
        verdict,
        started: moment(),
        duration: Duration::from_millis(1234),
        display: Size::new(1280, 800),
        steps,
        folder: name.into(),
        logs: vec![format!("{name}/xvfb.log").into()],
        fingerprint: BTreeMap::from([("browser".to_owned(), "Chromium 155".to_owned())]),
    }
}

pub(super) fn report(cases: Vec<CaseOutcome>) -> RunReport {
    RunReport {
        version: RunReport::VERSION,
        run_id: "20260102-030405-1a2b".into(),
        started: moment(),
        duration: Duration::from_millis(4217),
        environment: Environment {
            cu_run: "0.1.0".into(),
            baselines: "baselines".into(),
            jobs: 2,
            facts: BTreeMap::from([("arch".to_owned(), "x86_64".to_owned())]),
        },
        totals: Totals::of(&cases),
        cases,
        interrupted: None,
    }
}

fn image(base: ImageBase, path: &str) -> ImageRef {
    ImageRef { base, path: path.into(), digest: "ab".repeat(32), size: Size::new(1280, 800) }
}

/// A checkpoint `home` of the case `name` with baseline and capture, but not compared.
pub(super) fn checkpoint(name: &str) -> CheckpointOutcome {
    CheckpointOutcome {
        name: "home".into(),
        region: Region::new(0, 0, 1280, 800),
        baseline: Some(image(ImageBase::Baselines, &format!("{name}/home.png"))),
        actual: Some(image(ImageBase::Artifacts, &format!("{name}/home.actual.png"))),
        difference: None,
        comparison: None,
        rules: CompareSpec::default(),
        masks: Vec::new(),
        still_after: Duration::from_millis(180),
        matched_after: Duration::ZERO,
        environment_changes: Vec::new(),
        variant: None,
        accepted: false,
    }
}

fn screenshot(number: u32, verdict: Verdict, checkpoint: CheckpointOutcome) -> StepOutcome {
    StepOutcome { checkpoint: Some(Box::new(checkpoint)), ..step(number, "screenshot home", verdict) }
}

fn failure(kind: FailureKind, message: &str) -> Verdict {
    Failure::new(kind, message).into()
}

pub(super) fn fault(kind: FaultKind, message: &str) -> Verdict {
    Fault::new(kind, message).into()
}

pub(super) fn passed(name: &str) -> CaseOutcome {
    let numbers = Numbers::EQUAL;
    let same = CheckpointOutcome {
        actual: Some(image(ImageBase::Baselines, &format!("{name}/home.png"))),
        comparison: Some(Comparison::Match { numbers }),
        ..checkpoint(name)
    };
    let steps = vec![
        step(1, "open_browser http://localhost/", Verdict::Passed),
        screenshot(2, Verdict::Passed, same),
    ];
    case(name, Verdict::Passed, steps)
}

pub(super) fn difference(name: &str) -> CaseOutcome {
    let numbers = Numbers { mean_ssim: 0.998_51, worst_ssim: 0.279, changed_px: 7200, max_delta: 160 };
    let region = |region, kind, words: &str| Difference {
        region,
        worst_ssim: 0.279,
        max_delta: 160,
        changed_px: 3600,
        kind,
        words: words.to_owned(),
    };
    let regions = vec![
        region(Region::new(140, 90, 120, 60), DifferenceKind::Recoloured, "recoloured #2da44e -> #c0392b"),
        region(Region::new(10, 300, 80, 20), DifferenceKind::Moved, "moved 12 px down"),
    ];
    let gate = Gate { limit: Limit::MinSsim, measured: 0.279, allowed: 0.98, within: None };
    let differs = CheckpointOutcome {
        difference: Some(image(ImageBase::Artifacts, &format!("{name}/home.difference.png"))),
        comparison: Some(Comparison::Mismatch { numbers, gate, regions, more: 0 }),
        environment_changes: vec!["browser: Chromium 155 -> 156".into()],
        ..checkpoint(name)
    };
    let verdict = Verdict::from(
        Failure::new(FailureKind::Difference, "checkpoint `home` differs from its baseline in 2 regions")
            .with_details(["look at the difference picture, then accept or repair".to_owned()]),
    );
    let steps = vec![
        step(1, "left_click (10, 20)", Verdict::Passed),
        screenshot(2, verdict.clone(), differs),
        step(3, "wait 10ms", Verdict::Passed),
    ];
    case(name, verdict, steps)
}

pub(super) fn size_mismatch(name: &str) -> CaseOutcome {
    let (expected, actual) = (Size::new(1280, 800), Size::new(1280, 840));
    let words = "40 rows inserted at y = 120".to_owned();
    let differs = CheckpointOutcome {
        difference: Some(image(ImageBase::Artifacts, &format!("{name}/home.difference.png"))),
        comparison: Some(Comparison::SizeMismatch { expected, actual, words }),
        ..checkpoint(name)
    };
    let verdict =
        failure(FailureKind::SizeDifference, "checkpoint `home` and its baseline have different sizes");
    case(name, verdict.clone(), vec![screenshot(1, verdict, differs)])
}

pub(super) fn missing_baseline(name: &str) -> CaseOutcome {
    let candidate = CheckpointOutcome { baseline: None, ..checkpoint(name) };
    let verdict = failure(FailureKind::MissingBaseline, "checkpoint `home` has no baseline");
    case(name, verdict.clone(), vec![screenshot(1, verdict, candidate)])
}

pub(super) fn accepted(name: &str) -> CaseOutcome {
    let candidate = CheckpointOutcome { baseline: None, accepted: true, ..checkpoint(name) };
    case(name, Verdict::Passed, vec![screenshot(1, Verdict::Passed, candidate)])
}

pub(super) fn fault_in_a_step(name: &str) -> CaseOutcome {
    let verdict = fault(
        FaultKind::Browser,
        "the browser ended with signal 11 while the page was loading\nhint: its last lines are in `browser.log`",
    );
    let rest = Verdict::Skipped { reason: "the case had ended".into() };
    let steps =
        vec![step(1, "navigate http://localhost/", verdict.clone()), step(2, "screenshot home", rest)];
    case(name, verdict, steps)
}

pub(super) fn fault_before_the_first_step(name: &str) -> CaseOutcome {
    let verdict =
        fault(FaultKind::Desktop, "failed to start `Xvfb`: no such file\nhint: install the package xvfb");
    let rest = Verdict::Skipped { reason: "the case had ended".into() };
    case(name, verdict, vec![step(1, "wait 10ms", rest)])
}

pub(super) fn cancelled(name: &str) -> CaseOutcome {
    let verdict = fault(FaultKind::Cancelled, "the run was ended by SIGTERM before this case began");
    CaseOutcome { duration: Duration::ZERO, logs: Vec::new(), ..case(name, verdict, Vec::new()) }
}

pub(super) fn skipped(name: &str) -> CaseOutcome {
    case(name, Verdict::Skipped { reason: "`skip: true`".into() }, Vec::new())
}

pub(super) fn flaky(name: &str) -> CaseOutcome {
    let verdict =
        Verdict::Flaky { failure: Failure::new(FailureKind::TargetNotFound, "no text `Save` on the screen") };
    CaseOutcome { verdict, ..passed(name) }
}

pub(super) fn hostile(name: &str) -> CaseOutcome {
    let verdict = Verdict::from(Failure::new(FailureKind::App, HOSTILE).with_details([HOSTILE.to_owned()]));
    let skipped = Verdict::Skipped { reason: HOSTILE.into() };
    let steps = vec![
        step(1, HOSTILE, verdict.clone()),
        step(2, HOSTILE, fault(FaultKind::Service, HOSTILE)),
        step(3, HOSTILE, skipped),
    ];
    case(name, fault(FaultKind::Service, HOSTILE), steps)
}

pub(super) fn hostile_flaky(name: &str) -> CaseOutcome {
    let message = format!("{HOSTILE}\n[[ATTACHMENT|/etc/passwd]]\n");
    CaseOutcome {
        verdict: Verdict::Flaky { failure: Failure::new(FailureKind::App, message) },
        ..passed(name)
    }
}

/// A run with a case of each sort.
pub(super) fn everything() -> RunReport {
    report(vec![
        passed("admin/login"),
        difference("admin/start"),
        size_mismatch("admin/list"),
        missing_baseline("shop/cart"),
        accepted("shop/pay"),
        fault_in_a_step("shop/search"),
        fault_before_the_first_step("start"),
        skipped("unfinished"),
        flaky("user/flaky"),
        cancelled("user/login"),
    ])
}

/// Puts a file at every place below `artifacts` that `report` speaks of.
pub(super) fn place_evidence(report: &RunReport, artifacts: &Path) {
    let pictures = report.cases.iter().flat_map(CaseOutcome::checkpoints).flat_map(|(_, checkpoint)| {
        [&checkpoint.actual, &checkpoint.difference].into_iter().flatten().map(|image| &image.path)
    });
    for path in pictures.chain(report.cases.iter().flat_map(|case| &case.logs)) {
        let path = artifacts.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "evidence").unwrap();
    }
}
