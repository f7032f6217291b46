//! `cu-run accept`: from a red run to an accepted picture, and everything that must not happen on the way.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    time::Duration,
};

use cu_run::clock::{Clock, SystemClock};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::support::{PAGE, Project};

const SCENARIO: &str = "\
name: ships
serve: site
steps:
  - open_browser: /index.html
  - screenshot: first
  - screenshot: {name: part, region: [0, 0, 200, 100]}
";

/// A project whose page has changed since its pictures were accepted, and the red run.
fn red() -> Project {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);
    project.run_expecting(0, &["scenarios", "--update-baselines=missing"]);
    project.write("scenarios/site/index.html", PAGE.replace("Three ships", "Seven ships"));
    project.run_expecting(1, &["scenarios"]);
    project
}

fn zip_of(folder: &Path, prefix: &str, archive: &Path) {
    fn add(zip: &mut ZipWriter<File>, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                add(zip, &path, &format!("{name}/"));
            } else {
                zip.start_file(name, SimpleFileOptions::default()).unwrap();
                zip.write_all(&fs::read(path).unwrap()).unwrap();
            }
        }
    }
    let mut zip = ZipWriter::new(File::create(archive).unwrap());
    add(&mut zip, folder, prefix);
    zip.finish().unwrap();
}

#[test]
fn a_red_run_is_accepted_and_the_next_one_is_green() {
    let project = red();
    let before = fs::read(project.path("baselines/ships/first.png")).unwrap();

    // Nothing is accepted that nobody named.
    let asked = project.run_expecting(2, &["accept"]);
    assert!(asked.stderr.contains("ships/first") && asked.stderr.contains("--all"), "{}", asked.stderr);
    let wrong = project.run_expecting(2, &["accept", "--only", "ships/last"]);
    assert!(wrong.stderr.contains("`--only ships/last` matches no capture"), "{}", wrong.stderr);

    let dry = project.run_expecting(0, &["accept", "--all", "--dry-run"]);
    assert!(dry.stdout.contains("changed  ships/first  baselines/ships/first.png"), "{}", dry.stdout);
    assert_eq!(fs::read(project.path("baselines/ships/first.png")).unwrap(), before);

    let done = project.run_expecting(0, &["accept", "--artifacts", "artifacts", "--only", "ships/*"]);
    assert!(done.stdout.contains("written"), "{}", done.stdout);
    assert_ne!(fs::read(project.path("baselines/ships/first.png")).unwrap(), before);
    project.run_expecting(0, &["scenarios"]);
    let nothing = project.run_expecting(0, &["accept", "--all"]);
    assert!(nothing.stdout.contains("nothing to accept"), "{}", nothing.stdout);
}

#[test]
fn an_archive_of_the_artifacts_does_as_well_wherever_the_report_lies_in_it() {
    for prefix in ["", "artifacts/", "build/out/artifacts/"] {
        let project = red();
        zip_of(&project.path("artifacts"), prefix, &project.path("run.zip"));
        fs::remove_dir_all(project.path("artifacts")).unwrap();
        project.run_expecting(0, &["accept", "--artifacts", "run.zip", "--all"]);
        project.run_expecting(0, &["scenarios"]);
    }
}

#[test]
fn a_baseline_that_changed_since_the_run_is_not_replaced_unless_forced() {
    let project = red();
    let run = project.path("artifacts-of-red");
    fs::rename(project.path("artifacts"), &run).unwrap();
    // Somebody accepts another picture meanwhile.
    project.write("scenarios/site/index.html", PAGE.replace("Three ships", "Nine ships"));
    project.run_expecting(0, &["scenarios", "--update-baselines"]);
    let theirs = fs::read(project.path("baselines/ships/first.png")).unwrap();

    let refused = project.run_expecting(1, &["accept", "--artifacts", "artifacts-of-red", "--all"]);
    assert!(refused.stderr.contains("is not the one the run compared with"), "{}", refused.stderr);
    assert_eq!(fs::read(project.path("baselines/ships/first.png")).unwrap(), theirs);

    project.run_expecting(0, &["accept", "--artifacts", "artifacts-of-red", "--all", "--force"]);
    assert_ne!(fs::read(project.path("baselines/ships/first.png")).unwrap(), theirs);
}

#[test]
fn a_capture_that_is_not_the_one_of_the_run_is_refused() {
    let project = red();
    let before = fs::read(project.path("baselines/ships/first.png")).unwrap();
    let capture = project.path("artifacts/ships/actual/first.png");

    fs::copy(project.path("baselines/ships/first.png"), &capture).unwrap();
    let swapped = project.run_expecting(1, &["accept", "--all"]);
    assert!(swapped.stderr.contains("not the picture that the run noted"), "{}", swapped.stderr);

    fs::write(&capture, "no picture").unwrap();
    project.run_expecting(1, &["accept", "--all"]);

    fs::remove_file(&capture).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &capture).unwrap();
    let linked = project.run_expecting(1, &["accept", "--all"]);
    assert!(linked.stderr.contains("leads out of the folder"), "{}", linked.stderr);
    assert_eq!(fs::read(project.path("baselines/ships/first.png")).unwrap(), before);
}

#[test]
fn what_no_run_left_is_told_apart() {
    let project = Project::new();
    project.write("empty/readme.txt", "nothing");
    project.write("lies.zip", "PK but no archive");
    zip_of(&project.path("empty"), "", &project.path("other.zip"));
    for (artifacts, said) in [
        ("nowhere", "No such file"),
        ("empty", "holds no run.json"),
        ("lies.zip", "neither a folder nor a ZIP archive"),
        ("other.zip", "holds no run.json"),
    ] {
        let outcome = project.run_expecting(2, &["accept", "--artifacts", artifacts, "--all"]);
        assert!(outcome.stderr.contains(said), "{artifacts}: {}", outcome.stderr);
    }
}

#[test]
fn names_and_paths_in_a_report_cannot_lead_out_of_their_folders() {
    let project = red();
    let report = project.read("artifacts/run.json");
    for (from, to) in [
        ("\"name\": \"first\"", "\"name\": \"../../first\""),
        ("\"id\": \"ships\"", "\"id\": \"../ships\""),
        ("\"path\": \"ships/actual/first.png\"", "\"path\": \"../../etc/first.png\""),
        ("\"path\": \"ships/actual/first.png\"", "\"path\": \"/etc/first.png\""),
    ] {
        assert!(report.contains(from), "{report}");
        project.write("artifacts/run.json", report.replace(from, to));
        let outcome = project.run(&["accept", "--all"]);
        assert!(matches!(outcome.code, Some(1 | 2)), "{to}: {:?} {}", outcome.code, outcome.stderr);
    }
}

#[test]
fn killed_at_any_moment_it_leaves_the_old_picture_or_the_new_one_whole() {
    let project = red();
    let place = project.path("baselines/ships/first.png");
    let old = fs::read(&place).unwrap();
    project.run_expecting(0, &["accept", "--all"]);
    let new = fs::read(&place).unwrap();
    assert_ne!(old, new);
    let mut seen = [0, 0];
    for round in 0..50_u64 {
        fs::write(&place, &old).unwrap();
        let mut child = project.command(&["accept", "--all"]).spawn().unwrap();
        SystemClock.sleep(Duration::from_micros(round * 900));
        child.kill().unwrap();
        child.wait().unwrap();
        let present = fs::read(&place).unwrap();
        assert!(present == old || present == new, "round {round}: {} bytes", present.len());
        seen[usize::from(present == new)] += 1;
    }
    assert!(seen[0] > 0, "every round came to its end: the test proves nothing");
}
