//! `cu-run calibrate`: real displays, a real browser.

use crate::support::Project;

/// A page with a patch that has another colour each time, and one whose shade changes by a few levels at most.
const RESTLESS: &str = "<!doctype html><meta charset=utf-8><title>Page</title>
<style>body{margin:40px;font:16px 'DejaVu Sans'}i{position:absolute;left:200px;top:120px;width:60px;height:40px}</style>
<h1>Harbour</h1><i id=patch></i>
<script>const bytes=crypto.getRandomValues(new Uint8Array(3));
patch.style.background='rgb('+bytes.join(',')+')'</script>";

const SCENARIO: &str = "name: Ships
serve: site
steps:
  - open_browser: /index.html
  - screenshot: first
";

#[test]
fn a_still_page_has_no_noise_and_nothing_but_artifacts_is_written() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);
    let scenarios = project.files("scenarios");
    let outcome = project.run_expecting(0, &["calibrate", "scenarios", "--repeat", "3"]);
    assert!(outcome.stdout.contains("first: 3 captures of 3 runs, no pixel differs"), "{}", outcome.stdout);
    assert_eq!(project.files("scenarios"), scenarios);
    assert!(!project.path("baselines").exists());
    assert!(project.path("artifacts/repeat-3/ships/actual/first.png").is_file());
    assert!(project.files("tmp").is_empty(), "temporary files are left");
}

#[test]
fn what_differs_is_measured_and_the_proposed_mask_silences_it() {
    let project = Project::new();
    project.write("scenarios/site/index.html", RESTLESS);
    project.write("scenarios/ships.yaml", SCENARIO);
    let text = project.run_expecting(0, &["calibrate", "scenarios", "--repeat", "3"]).stdout;
    assert!(text.contains("first: 3 captures of 3 runs, 3 different: up to 2400 pixels"), "{text}");
    let start = text.find("      - screenshot:").unwrap_or_else(|| panic!("{text}"));
    assert!(text.contains("- region: [198, 118, 64, 44]"), "{text}");

    // Pasted as it is printed, in place of the screenshot, it is a scenario that passes.
    let step = text[start..].lines().map(|line| &line[4..]).collect::<Vec<_>>().join("\n");
    project.write("scenarios/ships.yaml", SCENARIO.replace("  - screenshot: first\n", &step));
    let text = project.run_expecting(0, &["calibrate", "scenarios", "--repeat", "3"]).stdout;
    assert!(text.contains("first: 3 captures of 3 runs, ") && text.contains("no pixel differs"), "{text}");
}

#[test]
fn a_case_that_does_not_get_to_its_checkpoint_is_told() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO.replace("/index.html", "/nowhere.html"));
    let text = project.run_expecting(1, &["calibrate", "scenarios", "--repeat", "2"]).stdout;
    assert!(text.contains("run 1 of 2 failed") && text.contains("run 2 of 2 failed"), "{text}");
    let outcome = project.run_expecting(2, &["calibrate", "scenarios", "--repeat", "1"]);
    assert!(outcome.stderr.contains("--repeat"), "{}", outcome.stderr);
}
