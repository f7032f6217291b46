//! Two folders, compared file by file.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use super::{expecting, image};
use crate::support::{Outcome, Project};

/// A project with the folders `before` and `after`, whose files are copies of these test pictures.
fn project(before: &[(&str, &str)], after: &[(&str, &str)]) -> Project {
    let project = Project::new();
    for (folder, files) in [("before", before), ("after", after)] {
        fs::create_dir_all(project.path(folder)).unwrap();
        for (name, picture) in files {
            project.write(&format!("{folder}/{name}"), fs::read(image(picture)).unwrap());
        }
    }
    project
}

fn run(project: &Project, code: i32, more: &[&str]) -> Outcome {
    project.run_expecting(code, &[&["diff", "before", "after"], more].concat())
}

const BEFORE: &[(&str, &str)] = &[
    ("home.png", "colour/blue-a.png"),
    ("deep/er/login page@2x.png", "colour/601-a.png"),
    ("gone.png", "colour/709-a.png"),
    ("small.png", "sizes/16x16.png"),
    ("broken.png", "broken-files/good.png"),
    ("notes.txt", "lfs/home.png"),
];

const AFTER: &[(&str, &str)] = &[
    ("home.png", "colour/blue-a.png"),
    ("deep/er/login page@2x.png", "colour/601-b.png"),
    ("fresh.png", "colour/709-a.png"),
    ("small.png", "sizes/1x1.png"),
    ("broken.png", "broken-files/cut-half.png"),
];

#[test]
fn every_file_has_its_verdict() {
    let project = project(BEFORE, AFTER);
    let outcome = run(&project, 2, &["--json"]);
    let found: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(found["verdict"], "unreadable");
    let files: Vec<(&str, &str)> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["file"].as_str().unwrap(), file["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        files,
        [
            ("broken.png", "unreadable"),
            ("deep/er/login page@2x.png", "different"),
            ("fresh.png", "extra"),
            ("gone.png", "missing"),
            ("home.png", "same"),
            ("small.png", "size_mismatch"),
        ]
    );
    assert!(found["files"][0]["words"].as_str().unwrap().contains("after/broken.png` ends early"));
    let totals: BTreeMap<String, u64> = serde_json::from_value(found["totals"].clone()).unwrap();
    assert!(totals.values().all(|&count| count == 1) && totals.len() == 6, "{totals:?}");
}

#[test]
fn the_summary_names_what_is_not_the_same_and_counts() {
    let project = project(BEFORE, AFTER);
    let text = run(&project, 2, &[]).stdout;
    assert!(text.contains("deep/er/login page@2x.png  different: worst_ssim"), "{text}");
    assert!(text.contains("gone.png  missing: ") && text.contains("fresh.png  extra: "), "{text}");
    assert!(text.contains("broken.png  unreadable: `after/broken.png` ends early"), "{text}");
    assert!(!text.contains("home.png"), "{text}");
    assert!(text.ends_with("1 same, 2 different, 1 missing, 1 extra, 1 unreadable\n"), "{text}");
}

#[test]
fn without_unreadable_files_a_difference_decides_and_equal_folders_pass() {
    let same = project(&BEFORE[..3], &BEFORE[..3]);
    assert_eq!(run(&same, 0, &[]).stdout, "3 same, 0 different, 0 missing, 0 extra, 0 unreadable\n");
    for (before, after) in
        [(&BEFORE[..1], &BEFORE[..3]), (&BEFORE[..3], &BEFORE[..1]), (&BEFORE[..2], &AFTER[..2])]
    {
        run(&project(before, after), 1, &[]);
    }
}

#[test]
fn difference_pictures_and_junit_lie_where_they_are_wanted() {
    let project = project(BEFORE, AFTER);
    run(&project, 2, &["--out", "differences", "--junit", "reports/junit.xml"]);
    let written: Vec<String> = project
        .files("differences")
        .iter()
        .map(|(path, _)| path.strip_prefix(project.path("differences")).unwrap().display().to_string())
        .collect();
    assert_eq!(written, ["deep/er/login page@2x.png", "small.png"]);
    let xml = project.read("reports/junit.xml");
    assert!(xml.contains("tests=\"6\" failures=\"4\" errors=\"1\""), "{xml}");
    let attached: Vec<&str> =
        xml.split("[[ATTACHMENT|").skip(1).map(|rest| rest.split("]]").next().unwrap()).collect();
    assert!(attached.contains(&"../differences/deep/er/login page@2x.png"), "{attached:?}");
    for path in attached {
        assert!(project.path("reports").join(path).is_file(), "{path}");
    }
}

#[test]
fn masks_and_limits_hold_for_every_file() {
    let project = project(&BEFORE[..2], &AFTER[..2]);
    run(&project, 0, &["--mask", "130,80,140,80"]);
    run(&project, 1, &["--mask", "0,0,10,10"]);
    // A mask may lie beside some of the pictures.
    run(&project, 1, &["--mask", "5000,0,10,10"]);
}

#[test]
fn a_folder_and_a_file_are_no_pair() {
    let project = project(BEFORE, AFTER);
    for pair in [["before", "after/home.png"], ["before/home.png", "after"]] {
        let outcome = project.run_expecting(2, &[&["diff"], &pair[..]].concat());
        assert!(outcome.stderr.contains("is a folder and") && outcome.stderr.contains("is a file"));
    }
    let outcome = project.run_expecting(2, &["diff", "before", "nowhere"]);
    assert!(outcome.stderr.contains("`nowhere`") || outcome.stderr.contains("`before` is a folder"));
}

#[test]
fn folders_without_any_picture_are_no_success() {
    let outcome = run(&project(&BEFORE[5..], &[]), 2, &[]);
    assert!(outcome.stderr.contains("no picture in `before` nor in `after`"), "{}", outcome.stderr);
}

#[test]
fn outputs_within_the_folders_would_be_compared_next_time() {
    let project = project(BEFORE, AFTER);
    let outcome = run(&project, 2, &["--out", "after/differences"]);
    assert!(outcome.stderr.contains("which is compared"), "{}", outcome.stderr);
}

#[test]
fn a_link_to_a_folder_is_not_followed_in_silence() {
    let project = project(&BEFORE[..1], &AFTER[..1]);
    std::os::unix::fs::symlink("..", project.path("after/up")).unwrap();
    let outcome = run(&project, 2, &[]);
    assert!(outcome.stderr.contains("`after/up` is a symbolic link"), "{}", outcome.stderr);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let (a, b) = (image("tiny"), image("colour"));
    let text = |threads: &str| {
        let project = project(BEFORE, AFTER);
        let mut command = project.command(&["diff", "--json", "before", "after"]);
        command.env("RAYON_NUM_THREADS", threads);
        crate::support::finish(command.spawn().unwrap()).stdout
    };
    assert_eq!(text("1"), text("7"));
    assert!(Path::new(&a).is_dir() && Path::new(&b).is_dir());
    expecting(1, &[&a, &b]);
}
