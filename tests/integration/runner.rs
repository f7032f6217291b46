//! The runner on a fake desktop and a fake clock: whole lists of calls, no display.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use cu_run::{
    browser::fake::FakeBrowserSource,
    clock::{Clock, FakeClock},
    desktop::{
        DesktopError, Window,
        fake::{FakeDesktop, FakeDesktopSource},
    },
    geometry::{Region, Size},
    observe::{ObserveError, Observer, RunEvent},
    outcome::{Environment, RunReport, Variant},
    runner::{Cancel, RunSettings, Suite, Update, Workbench, run_suite},
    scenario::{Overrides, load},
    store::{BaselineStore, EvidenceStore, Fingerprint, png},
};
use image::{Rgb, RgbImage};

const SIZE: Size = Size::new(640, 480);

/// Everything that a run borrows, with fakes for what is outside.
struct Bench {
    folder: tempfile::TempDir,
    clock: Arc<FakeClock>,
    desktops: FakeDesktopSource,
    browsers: FakeBrowserSource,
    cancel: Cancel,
    update: Update,
    fail_fast: bool,
    jobs: usize,
}

/// Hears everything; fails from the given event on.
#[derive(Default)]
struct Listener {
    heard: Mutex<Vec<String>>,
    fails_at: Option<&'static str>,
}

impl Observer for Listener {
    fn on_event(&self, event: &RunEvent<'_>) -> Result<(), ObserveError> {
        let word = match event {
            RunEvent::RunStarted { .. } => "run started",
            RunEvent::CaseStarted { .. } => "case started",
            RunEvent::StepStarted { .. } => "step started",
            RunEvent::StepFinished { .. } => "step finished",
            RunEvent::CaseFinished { .. } => "case finished",
            RunEvent::RunFinished { .. } => "run finished",
        };
        self.heard.lock().unwrap().push(word.to_owned());
        if self.fails_at == Some(word) {
            return Err(ObserveError::Log {
                path: "actions.jsonl".into(),
                source: std::io::Error::from(std::io::ErrorKind::StorageFull),
            });
        }
        Ok(())
    }
}

impl Bench {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            clock: Arc::new(FakeClock::new()),
            desktops: FakeDesktopSource::new(),
            browsers: FakeBrowserSource::default(),
            cancel: Cancel::default(),
            update: Update::None,
            fail_fast: false,
            jobs: 1,
        }
    }

    /// A desktop that shows a grey window.
    fn desktop(&self) -> FakeDesktop {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let fake = FakeDesktop::new(SIZE).with_clock(clock);
        fake.push_frame(plain(128));
        fake.set_windows([Window {
            id: 7,
            title: "Editor".to_owned(),
            class: "Editor".to_owned(),
            region: SIZE.region(),
            focused: true,
        }]);
        self.desktops.push(fake.clone());
        fake
    }

    /// Runs one scenario for each of the texts, which are lists of steps.
    fn run_all(&self, steps: &[&str], observer: &dyn Observer) -> Suite {
        let scenarios = self.folder.path().join("scenarios");
        fs::create_dir_all(&scenarios).unwrap();
        for (number, steps) in steps.iter().enumerate() {
            let text = format!("name: case {number}\ndisplay: {{width: 640, height: 480}}\nsteps:\n{steps}");
            fs::write(scenarios.join(format!("case-{number}.yaml")), text).unwrap();
        }
        let cases = load(&[scenarios], &Overrides::default()).unwrap_or_else(|mistakes| {
            panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        });
        let settings = RunSettings {
            jobs: self.jobs,
            fail_fast: self.fail_fast,
            update: self.update,
            environment: Environment {
                cu_run: "0".to_owned(),
                baselines: "baselines".into(),
                jobs: self.jobs,
                facts: BTreeMap::new(),
            },
            step_timeout: Duration::from_secs(10),
        };
        let bench = Workbench {
            desktops: &self.desktops,
            browsers: &self.browsers,
            clock: &*self.clock,
            baselines: &BaselineStore::new(self.path().join("baselines")),
            evidence: &EvidenceStore::new(self.path().join("artifacts")),
            observer,
            cancel: &self.cancel,
            secrets: &BTreeMap::new(),
            settings: &settings,
        };
        run_suite(&bench, "run", &cases)
    }

    fn run(&self, steps: &str) -> RunReport {
        self.run_all(&[steps], &Listener::default()).report
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A screen of one grey, but for one pixel: it is not blank.
fn plain(level: u8) -> RgbImage {
    let mut frame = RgbImage::from_pixel(SIZE.width, SIZE.height, Rgb([level; 3]));
    frame.put_pixel(0, 0, Rgb([255, 0, 0]));
    frame
}

fn words(report: &RunReport) -> Vec<&'static str> {
    report.cases[0].steps.iter().map(|step| step.verdict.word()).collect()
}

/// The calls that act, without those that look.
fn acts(fake: &FakeDesktop) -> Vec<String> {
    let looks = ["capture", "windows", "pointer", "open"];
    fake.calls().into_iter().filter(|call| !looks.iter().any(|look| call.starts_with(look))).collect()
}

#[test]
fn a_click_settles_aims_presses_and_releases() {
    let bench = Bench::new();
    let fake = bench.desktop();
    let report = bench.run("  - left_click: [10, 20]\n");
    assert_eq!(words(&report), ["passed"]);
    assert_eq!(
        fake.calls(),
        [
            "open 640x480 openbox",
            "pointer",
            "capture [0, 0, 640, 480]",
            "capture [0, 0, 640, 480]",
            "move (10, 20)",
            "button left down",
            "button left up",
            "release all",
            "close",
        ]
    );
}

#[test]
fn a_triple_click_leaves_gaps_that_no_toolkit_drops() {
    let bench = Bench::new();
    let fake = bench.desktop();
    bench.run("  - triple_click: [10, 20]\n");
    let press = ["button left down", "button left up"];
    assert_eq!(
        acts(&fake),
        [&["move (10, 20)"][..], &press, &press, &press, &["release all", "close"]].concat()
    );
    // The stillness before, three presses of 10 ms and two gaps of 60 ms.
    assert_eq!(bench.clock.elapsed(), Duration::from_millis(200 + 3 * 10 + 2 * 60));
}

#[test]
fn a_motion_to_a_coordinate_waits_for_nothing_and_the_click_after_it_for_its_effect() {
    let bench = Bench::new();
    let fake = bench.desktop();
    bench.run("  - mouse_move: [10, 20]\n  - mouse_move: [20, 30]\n");
    assert_eq!(acts(&fake), ["move (10, 20)", "move (20, 30)", "release all", "close"]);
    assert_eq!(bench.clock.elapsed(), Duration::ZERO);
    let bench = Bench::new();
    bench.desktop();
    bench.run("  - mouse_move: [10, 20]\n  - left_click\n");
    assert_eq!(bench.clock.elapsed(), Duration::from_millis(200 + 10));
}

#[test]
fn a_drag_finds_its_end_before_it_presses_and_moves_in_many_small_steps() {
    let bench = Bench::new();
    let fake = bench.desktop();
    bench.run("  - left_click_drag: {from: [0, 40], to: [120, 40]}\n    confirm: true\n");
    let calls = acts(&fake);
    assert_eq!(calls[..4], ["move (0, 40)", "move (120, 40)", "move (0, 40)", "button left down"]);
    let moves: Vec<String> = (1..=12).map(|step| format!("move ({}, 40)", step * 10)).collect();
    assert_eq!(calls[4..16], moves);
    assert_eq!(calls[16..], ["button left up", "release all", "close"]);
}

#[test]
fn keys_text_and_the_wheel_reach_the_desktop_in_order() {
    let bench = Bench::new();
    let fake = bench.desktop();
    bench.run(
        "  - type: \"Grüße\\n\"\n  - key: ctrl+s\n  - hold_key: {key: Down, duration: 300ms}\n  - scroll: {direction: up, amount: 2, at: [5, 5]}\n",
    );
    assert_eq!(
        acts(&fake),
        [
            "type \"Grüße\\n\"",
            "chord ctrl+s down",
            "chord ctrl+s up",
            "chord Down down repeating",
            "chord Down up",
            "move (5, 5)",
            "button scroll-up down",
            "button scroll-up up",
            "button scroll-up down",
            "button scroll-up up",
            "release all",
            "close",
        ]
    );
}

#[test]
fn a_screen_that_never_rests_fails_and_names_the_place() {
    let bench = Bench::new();
    let fake = bench.desktop();
    for step in 0..1000 {
        let mut frame = plain(128);
        frame.put_pixel(100, 50, Rgb([step as u8, 0, 0]));
        fake.push_frame(frame);
        fake.push_damage([Region::new(90, 40, 30, 30)]);
        fake.push_damage([]);
    }
    let report = bench.run("  - wait_still: {}\n    timeout: 2s\n");
    let message = report.cases[0].steps[0].verdict.message().unwrap();
    assert!(message.contains("[100, 50, 1, 1] kept changing"), "{message}");
}

#[test]
fn a_blank_screen_is_looked_at_longer() {
    let bench = Bench::new();
    let fake = bench.desktop();
    let blank = RgbImage::from_pixel(SIZE.width, SIZE.height, Rgb([255; 3]));
    fake.push_frame(blank);
    // The first frame is the grey one: it is drawn over by blank, which stays.
    fake.push_damage([]);
    fake.push_damage([SIZE.region()]);
    assert_eq!(words(&bench.run("  - wait_still: {}\n")), ["passed"]);
    assert_eq!(bench.clock.elapsed(), Duration::from_secs(1));
}

#[test]
fn drawing_the_same_again_is_still() {
    let bench = Bench::new();
    let fake = bench.desktop();
    for _ in 0..3 {
        fake.push_damage([SIZE.region()]);
    }
    assert_eq!(words(&bench.run("  - wait_still: {}\n")), ["passed"]);
}

#[test]
fn a_checkpoint_is_missing_then_accepted_then_equal_then_different() {
    let mut bench = Bench::new();
    let screenshot = "  - screenshot: home\n";
    let kind = |report: &RunReport| {
        serde_json::to_value(&report.cases[0].verdict).unwrap()["failure"]["kind"].clone()
    };

    bench.desktop();
    assert_eq!(kind(&bench.run(screenshot)), "missing_baseline");
    assert!(!bench.path().join("baselines").exists());

    bench.update = Update::Missing;
    bench.desktop();
    let report = bench.run(screenshot);
    assert_eq!((words(&report), report.totals.accepted), (vec!["passed"], 1));

    bench.update = Update::None;
    bench.desktop();
    let report = bench.run(screenshot);
    let checkpoint = report.cases[0].steps[0].checkpoint.as_ref().unwrap();
    assert_eq!(checkpoint.actual, checkpoint.baseline);

    let fake = bench.desktop();
    fake.push_frame(plain(100));
    fake.push_damage([]);
    fake.push_damage([SIZE.region()]);
    let report = bench.run(screenshot);
    assert_eq!(kind(&report), "difference");
    assert!(bench.path().join("artifacts/case-0/difference/home.png").exists());
}

#[test]
fn a_further_accepted_picture_passes_softly_until_its_last_day() {
    let bench = Bench::new();
    let folder = bench.path().join("baselines/case-0");
    fs::create_dir_all(&folder).unwrap();
    let keep = |name: &str, level| {
        let bytes = png::encode_baseline(&plain(level), &Fingerprint::default()).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    };
    let run = || {
        bench.desktop();
        bench.run("  - screenshot: {name: home, match_within: 0}\n")
    };
    keep("home.png", 50);
    keep("home@2.png", 90);
    assert_eq!(words(&run()), ["failed"]);

    keep("home@3.png", 128);
    let report = run();
    let checkpoint = report.cases[0].steps[0].checkpoint.as_ref().unwrap();
    let plain_variant = Variant { number: 3, issue: None, expires: None };
    assert_eq!((words(&report), checkpoint.variant.as_ref()), (vec!["passed"], Some(&plain_variant)));
    assert_eq!(checkpoint.baseline.as_ref().unwrap().path, Path::new("case-0/home@3.png"));

    // The fake clock begins at 1970-01-01.
    fs::write(folder.join("home@3.yaml"), "issue: tracker/17\nexpires: 1970-01-01\n").unwrap();
    let report = run();
    let variant = report.cases[0].steps[0].checkpoint.as_ref().unwrap().variant.clone().unwrap();
    assert_eq!((words(&report), variant.issue.as_deref()), (vec!["passed"], Some("tracker/17")));

    fs::write(folder.join("home@3.yaml"), "issue: tracker/17\nexpires: 1969-12-31\n").unwrap();
    assert_eq!(words(&run()), ["failed"]);
    fs::write(folder.join("home@3.yaml"), "issue: tracker/17\nexpires: never\n").unwrap();
    assert_eq!(words(&run()), ["errored"]);
}

#[test]
fn tolerance_regions_of_the_screen_hold_in_the_part_that_is_compared() {
    let mut bench = Bench::new();
    let step = |tolerance: &str| {
        format!(
            "  - screenshot: {{name: home, region: [100, 100, 200, 200], match_within: 0, tolerance: [{tolerance}]}}\n"
        )
    };
    let lenient = step("{region: [120, 130, 40, 40], min_ssim: 0.001, max_delta: 255}");
    let elsewhere = step("{region: [220, 130, 40, 40], min_ssim: 0.001, max_delta: 255}");
    let mut marked = plain(128);
    marked.put_pixel(140, 150, Rgb([20; 3]));
    bench.update = Update::Missing;
    bench.desktop();
    assert_eq!(words(&bench.run(&lenient)), ["passed"]);
    bench.update = Update::None;
    for (steps, word) in [(&lenient, "passed"), (&elsewhere, "failed")] {
        let fake = bench.desktop();
        fake.push_frame(marked.clone());
        fake.push_damage([]);
        fake.push_damage([SIZE.region()]);
        assert_eq!(words(&bench.run(steps)), [word]);
    }
}

#[test]
fn a_picture_that_comes_to_match_passes_and_says_when() {
    let mut bench = Bench::new();
    bench.update = Update::Missing;
    bench.desktop();
    bench.run("  - screenshot: home\n");
    bench.update = Update::None;
    let clock: Arc<dyn Clock> = Arc::clone(&bench.clock) as Arc<dyn Clock>;
    let fake = FakeDesktop::new(SIZE).with_clock(clock);
    fake.set_windows([Window {
        id: 7,
        title: String::new(),
        class: String::new(),
        region: SIZE.region(),
        focused: true,
    }]);
    // Wrong while it settles, right when it is looked at again.
    for _ in 0..2 {
        fake.push_frame(plain(100));
    }
    fake.push_frame(plain(128));
    // A look without waiting, and two waits of 100 ms.
    for _ in 0..3 {
        fake.push_damage([]);
    }
    fake.push_damage([SIZE.region()]);
    bench.desktops.push(fake);
    let report = bench.run("  - screenshot: home\n");
    assert_eq!(words(&report), ["passed"]);
    assert!(report.cases[0].steps[0].checkpoint.as_ref().unwrap().matched_after > Duration::ZERO);
}

#[test]
fn a_black_screen_or_one_without_windows_is_a_fault() {
    let bench = Bench::new();
    bench.desktop().set_windows([]);
    let report = bench.run("  - screenshot: home\n");
    assert_eq!(serde_json::to_value(&report.cases[0].verdict).unwrap()["fault"]["kind"], "blank_screen");
}

#[test]
fn a_fault_skips_the_rest_and_still_closes_the_display() {
    let bench = Bench::new();
    let fake = bench.desktop();
    fake.fail("move", DesktopError::DisplayLost("gone".to_owned()));
    let report = bench.run("  - mouse_move: [1, 1]\n  - key: a\n");
    assert_eq!(words(&report), ["errored", "skipped"]);
    assert_eq!(fake.calls().last().unwrap(), "close");
}

#[test]
fn a_failed_action_skips_the_rest_unless_it_says_otherwise() {
    let bench = Bench::new();
    bench.desktop();
    let report = bench.run("  - focus: nobody\n    timeout: 1s\n  - key: a\n");
    assert_eq!(words(&report), ["failed", "skipped"]);
    bench.desktop();
    let report = bench.run("  - focus: nobody\n    timeout: 1s\n    continue_on_failure: true\n  - key: a\n");
    assert_eq!(words(&report), ["failed", "passed"]);
}

#[test]
fn what_needs_an_approval_is_not_done() {
    let bench = Bench::new();
    let fake = bench.desktop();
    let report = bench.run("  - right_click: [10, 20]\n");
    assert_eq!(words(&report), ["failed"]);
    assert_eq!(acts(&fake), ["release all", "close"]);
}

#[test]
fn a_person_in_the_corner_stops_the_case_and_a_scenario_there_does_not() {
    let bench = Bench::new();
    let fake = bench.desktop();
    let report = bench.run("  - mouse_move: [0, 0]\n    confirm: true\n  - key: a\n");
    assert_eq!(words(&report), ["passed", "passed"]);
    drop(fake);
    let fake = bench.desktop();
    cu_run::desktop::Desktop::move_pointer(&mut fake.clone(), cu_run::geometry::Point::new(0, 0)).unwrap();
    assert_eq!(words(&bench.run("  - key: a\n")), ["errored"]);
}

#[test]
fn results_come_in_file_order_whatever_the_timing() {
    let mut bench = Bench::new();
    bench.jobs = 4;
    for _ in 0..6 {
        bench.desktop();
    }
    let steps: Vec<String> = (0..6).map(|number| format!("  - wait: {}ms\n", 60 - number * 10)).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let report = bench.run_all(&steps, &Listener::default()).report;
    let ids: Vec<String> = report.cases.iter().map(|case| case.id.to_string()).collect();
    assert_eq!(ids, ["case-0", "case-1", "case-2", "case-3", "case-4", "case-5"]);
    assert_eq!(report.totals.passed, 6);
}

#[test]
fn fail_fast_leaves_the_rest_unstarted() {
    let mut bench = Bench::new();
    bench.fail_fast = true;
    bench.desktop();
    let report = bench.run_all(&["  - screenshot: a\n", "  - key: a\n"], &Listener::default()).report;
    assert_eq!(
        report.cases.iter().map(|case| case.verdict.word()).collect::<Vec<_>>(),
        ["failed", "skipped"]
    );
}

#[test]
fn an_action_that_cannot_be_logged_ends_the_run() {
    let bench = Bench::new();
    let fake = bench.desktop();
    let listener = Listener { fails_at: Some("step started"), ..Listener::default() };
    let suite = bench.run_all(&["  - key: a\n", "  - key: b\n"], &listener);
    assert!(suite.log_failure.is_some());
    assert_eq!(suite.report.totals.errored, 2);
    assert!(!fake.calls().iter().any(|call| call.starts_with("chord")), "{:?}", fake.calls());
}

#[test]
fn a_signal_before_the_run_leaves_everything_cancelled() {
    let bench = Bench::new();
    bench.cancel.request(15);
    let report = bench.run_all(&["  - key: a\n"], &Listener::default()).report;
    assert_eq!(report.interrupted, Some(15));
    assert_eq!(report.totals.errored, 1);
    assert!(bench.desktops.opened().is_empty());
}
