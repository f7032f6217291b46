//! `run`: parts that scenarios share.

use cu_run::scenario::Overrides;

use super::{Folder, titles};

const LOGIN: &str = "vars:
  user: alice
  prefix:
steps:
  - type: ${user}
  - screenshot: ${prefix}-done
";

fn with(scenario: &str) -> Folder {
    Folder::of(&[("scenarios/main.yaml", scenario), ("scenarios/parts/login.yaml", LOGIN)])
}

fn mistakes(folder: &Folder) -> String {
    folder.load(&["scenarios"], &Overrides::default()).expect_err("no mistake was found")
}

#[test]
fn the_steps_of_a_part_stand_in_its_place_with_its_own_variables() {
    let folder = with(
        "vars: {name: bob}
steps:
  - wait: 1s
  - run: {file: parts/login.yaml, vars: {prefix: first}}
  - run: {file: parts/login.yaml, vars: {prefix: second, user: \"${name}\"}}
  - run: {file: parts/login.yaml, vars: {prefix: third}}
    if: ${name} == alice
  - key: Return
",
    );
    let case = folder.load(&["scenarios"], &Overrides::default()).unwrap().remove(0);
    assert_eq!(
        titles(&case),
        [
            "wait 1s",
            "type 5 characters",
            "screenshot first-done",
            "type 3 characters",
            "screenshot second-done",
            "type 5 characters",
            "screenshot third-done",
            "key Return",
        ]
    );
    let source = &case.steps[1].source;
    assert!(source.file.ends_with("scenarios/parts/login.yaml"), "{}", source.file.display());
    assert_eq!((source.line, source.column), (5, 5));
    let skipped: Vec<bool> = case.steps.iter().map(|step| step.options.skipped_by.is_some()).collect();
    assert_eq!(skipped, [false, false, false, false, false, true, true, false]);
}

#[test]
fn a_secret_passes_through_a_part_unseen() {
    let folder = with(
        "secrets: [pw]\nsteps:\n  - run: {file: parts/login.yaml, vars: {prefix: a, user: \"${secret.pw}\"}}\n",
    );
    let case = folder.load(&["scenarios"], &Overrides::default()).unwrap().remove(0);
    assert_eq!(titles(&case)[0], "type a secret");
}

#[test]
fn a_part_does_not_see_the_variables_of_its_scenario() {
    let folder = Folder::of(&[
        ("main.yaml", "vars: {theme: dark}\nsteps:\n  - run: _part.yaml\n"),
        ("_part.yaml", "steps:\n  - type: ${theme}\n"),
    ]);
    let said = folder.load(&["."], &Overrides::default()).unwrap_err();
    assert!(said.contains("unknown variable `theme`") && said.contains("_part.yaml:2:11"), "{said}");
}

#[test]
fn mistakes_about_parts_name_their_place() {
    for (step, expected) in [
        ("run: parts/logn.yaml", "no part `scenarios/parts/logn.yaml`"),
        ("run: /etc/passwd", "relative to this file"),
        ("run: {file: parts/login.yaml, vars: {prefx: a}}", "did you mean `prefix`?"),
        ("run: parts/login.yaml", "the variable `prefix` has no value"),
        (
            "run: {file: parts/login.yaml, vars: {prefix: a}}\n    retry: 2",
            "`retry` does nothing beside `run`",
        ),
        ("run: main.yaml", "parts that run each other: main.yaml → main.yaml"),
    ] {
        let said = mistakes(&with(&format!("steps:\n  - {step}\n")));
        assert!(said.contains(expected) && said.contains("  --> scenarios/"), "{step}: {said}");
    }
}

#[test]
fn a_checkpoint_in_a_part_used_twice_needs_two_names() {
    let twice = "  - run: {file: parts/login.yaml, vars: {prefix: a}}\n".repeat(2);
    let said = mistakes(&with(&format!("steps:\n{twice}")));
    assert!(said.contains("these lines are used more than once"), "{said}");
    assert!(said.contains("scenarios/parts/login.yaml:6:17"), "{said}");
}

#[test]
fn settings_do_not_hide_in_a_part() {
    let folder = Folder::of(&[
        ("main.yaml", "steps:\n  - run: _part.yaml\n"),
        ("_part.yaml", "display: 640x480\nsteps: [wait]\n"),
    ]);
    let said = folder.load(&["main.yaml"], &Overrides::default()).unwrap_err();
    assert!(said.contains("unknown key `display`") && said.contains("_part.yaml:1:1"), "{said}");
}

#[test]
fn parts_that_double_with_every_level_are_stopped() {
    let mut files = vec![("main.yaml".to_owned(), "steps:\n  - run: _0.yaml\n".to_owned())];
    for level in 0..15 {
        let next = format!("  - run: _{}.yaml\n", level + 1);
        files.push((format!("_{level}.yaml"), format!("steps:\n{}", next.repeat(8))));
    }
    files.push(("_15.yaml".to_owned(), "steps: [wait]\n".to_owned()));
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let said = Folder::of(&borrowed).load(&["main.yaml"], &Overrides::default()).unwrap_err();
    assert!(said.contains("more than 200000 steps"), "{said}");
}
