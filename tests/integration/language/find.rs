//! Which files are found, and what their cases are called.

use std::path::PathBuf;

use cu_run::scenario::{Overrides, load};

use super::{Folder, ids, shipped};

const WAIT: &str = "steps: [wait]\n";

fn found(folder: &Folder, names: &[&str]) -> Vec<String> {
    ids(&folder.load(names, &Overrides::default()).unwrap_or_else(|said| panic!("{said}")))
}

fn said(folder: &Folder, names: &[&str]) -> String {
    folder.load(names, &Overrides::default()).expect_err("no mistake was found")
}

#[test]
fn a_folder_gives_its_scenarios_sorted_and_without_parts_and_hidden_files() {
    let folder = Folder::of(&[
        ("scenarios/b.yaml", WAIT),
        ("scenarios/a/z.yml", WAIT),
        ("scenarios/a/parts/p.yaml", "nonsense"),
        ("scenarios/_part.yaml", "nonsense"),
        ("scenarios/_drafts/x.yaml", "nonsense"),
        ("scenarios/.hidden.yaml", "nonsense"),
        ("scenarios/.git/x.yaml", "nonsense"),
        ("scenarios/site/index.html", ""),
    ]);
    assert_eq!(found(&folder, &["scenarios"]), ["a/z", "b"]);
}

#[test]
fn a_case_has_the_same_id_however_its_file_is_named_and_runs_once() {
    let folder = Folder::of(&[("scenarios/admin/login.yaml", WAIT), ("scenarios/user/login.yaml", WAIT)]);
    assert_eq!(found(&folder, &["scenarios"]), ["admin/login", "user/login"]);
    assert_eq!(found(&folder, &["scenarios/admin/login.yaml"]), ["admin/login"]);
    assert_eq!(found(&folder, &["scenarios/user", "scenarios"]), ["user/login", "admin/login"]);
    let other = Folder::of(&[("checks/login.yaml", WAIT)]);
    assert_eq!(found(&other, &["checks"]), ["login"]);
    assert_eq!(found(&other, &["checks/login.yaml"]), ["login"]);
}

#[test]
fn nothing_to_run_is_a_mistake_that_says_what_was_there() {
    let folder = Folder::of(&[("wrong/login.yml.bak", WAIT), ("wrong/notes.txt", "")]);
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert!(said(&folder, &["empty"]).contains("the folder is empty"));
    assert!(said(&folder, &["wrong"]).contains("passed over: `login.yml.bak`, `notes.txt`"));
    assert!(said(&folder, &["missing"]).contains("failed to find the path"));
    assert!(said(&folder, &["wrong/notes.txt"]).contains("not a scenario"));
    assert!(load(&[], &Overrides::default()).is_err());
    let backup = load(&[shipped("nothing-ran/wrong-ext")], &Overrides::default()).unwrap_err();
    assert_eq!(backup[0].hint.as_deref(), Some("passed over: `login.yml.bak`"));
}

#[test]
fn names_that_make_no_folder_or_share_one_are_mistakes() {
    let spaced = Folder::of(&[("scenarios/a b.yaml", WAIT)]);
    assert!(said(&spaced, &["scenarios"]).contains("`a b` is no name"));
    let dashed = Folder::of(&[("scenarios/-rf/a.yaml", WAIT)]);
    assert!(said(&dashed, &["scenarios"]).contains("must not start with `-`"));
    for (first, second) in [("Login.yaml", "login.yaml"), ("login.yaml", "login.yml")] {
        let folder = Folder::of(&[(first, WAIT), (second, WAIT)]);
        assert!(said(&folder, &["."]).contains("would share its folder with"), "{first} {second}");
    }
    let row = Folder::of(&[
        ("scenarios/home.yaml", "matrix: {theme: [dark]}\nsteps: [wait]\n"),
        ("scenarios/home/theme-dark.yaml", WAIT),
    ]);
    assert!(said(&row, &["scenarios"]).contains("the case `home/theme-dark`"));
}

#[test]
fn a_wrong_file_does_not_hide_the_mistakes_of_the_others() {
    let folder = Folder::of(&[
        ("scenarios/a.yaml", "steps:\n  - clik: [1, 1]\n"),
        ("scenarios/b.yaml", "steps: [\n"),
        ("scenarios/c.yaml", "steps:\n  - left_click: [9999, 1]\n  - wait: soon\ntimeouts: 1\n"),
    ]);
    let said = said(&folder, &["scenarios"]);
    let places: Vec<&str> =
        said.lines().filter_map(|line| line.trim().strip_prefix("--> scenarios/")).collect();
    assert_eq!(places, ["a.yaml:2:5", "b.yaml:1:8", "c.yaml:2:17", "c.yaml:3:11", "c.yaml:4:1"]);
}

#[test]
fn a_pipe_that_nobody_writes_into_is_refused_and_not_waited_for() {
    let folder = Folder::of(&[("scenarios/a.yaml", WAIT)]);
    let made = std::process::Command::new("mkfifo").arg(folder.path("scenarios/b.yaml")).status().unwrap();
    assert!(made.success());
    assert!(said(&folder, &["scenarios"]).contains("not a regular file"));
}

#[test]
fn equal_names_in_different_folders_are_different_cases() {
    let cases = load(&[shipped("same-name/scenarios")], &Overrides::default()).unwrap();
    assert_eq!(ids(&cases), ["admin/login", "user/login"]);
    let folders: Vec<PathBuf> = cases.iter().map(|case| case.id.to_path()).collect();
    assert_ne!(folders[0], folders[1]);
}
