//! The file itself: encodings, line ends, implicit types, sizes, and bytes that are nothing at all.

use std::{fmt::Write as _, fs};

use cu_run::scenario::{Action, Bindings, Overrides, json_schema, load};
use proptest::prelude::*;

use super::{Folder, case_of, cases_of, mistakes_of, shipped, titles};

fn typed(case: &cu_run::scenario::Case) -> String {
    case.steps
        .iter()
        .filter_map(|step| match &step.action {
            Action::Type(text) => Some(text.text.render(&Bindings::default()).unwrap()),
            _ => None,
        })
        .collect()
}

#[test]
fn text_arrives_as_it_stands_in_the_file() {
    let folder = shipped("implicit-types");
    let cases = load(&[folder.join("scenario.yaml")], &Overrides::default()).unwrap();
    assert_eq!(typed(&cases[0]), fs::read_to_string(folder.join("expected.txt")).unwrap());
    assert_eq!(titles(&cases[0])[1], "left_click (10, 20)");
}

#[test]
fn marks_and_line_ends_change_nothing() {
    let plain = ["wait 1s"];
    for name in ["bom", "bom-list-first", "crlf", "no-newline-at-end"] {
        let cases = load(&[shipped("encoding").join(format!("{name}.yaml"))], &Overrides::default()).unwrap();
        assert_eq!(titles(&cases[0]), plain, "{name}");
    }
    let cases = load(&[shipped("encoding/crlf-block-text.yaml")], &Overrides::default()).unwrap();
    assert_eq!(typed(&cases[0]), "one\ntwo\n");
}

#[test]
fn the_whole_language_in_one_file_is_understood() {
    let environment = [("HOME".to_owned(), "/home/alice".to_owned())];
    let overrides = Overrides { env: environment.into(), ..Overrides::default() };
    let cases = load(&[shipped("whole-language")], &overrides).unwrap();
    let shown: Vec<String> =
        cases.iter().map(|case| format!("{}: {} steps", case.id, case.steps.len())).collect();
    assert_eq!(
        shown,
        [
            "scenario/theme-light_lang-en: 55 steps",
            "scenario/theme-light_lang-de: 55 steps",
            "scenario/theme-dark_lang-en: 55 steps",
        ]
    );
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("whole-language", titles(&cases[2]).join("\n"));
    });
}

#[test]
fn aliases_in_good_measure_are_fine() {
    let cases = load(&[shipped("aliases/fair-use.yaml")], &Overrides::default()).unwrap();
    assert_eq!(titles(&cases[0]), ["launch xclock", "wait 1s", "wait 1s", "wait 1s"]);
}

#[test]
fn thresholds_in_their_range_are_taken() {
    let cases = load(&[shipped("threshold")], &Overrides::default()).unwrap();
    let limits: Vec<f64> = cases
        .iter()
        .map(|case| match &case.steps[0].action {
            Action::Screenshot(checkpoint) => checkpoint.compare.min_ssim,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(limits, [0.98, 1.0, 1.0, 0.98, 0.01, 0.98]);
}

#[test]
fn floods_of_brackets_and_text_are_one_mistake_each() {
    let flow = format!("steps: {}", "[".repeat(100_000));
    assert!(mistakes_of(&flow).contains("nested deeper than 64 levels"));
    let mut block = "steps:\n".to_owned();
    for level in 0..3000 {
        writeln!(block, "{}-", "  ".repeat(level)).unwrap();
    }
    assert!(mistakes_of(&block).contains("larger than 2 MiB"));
    let block: String = block.lines().take(500).fold(String::new(), |text, line| text + line + "\n");
    assert!(mistakes_of(&block).contains("nested deeper than 64 levels"));
    let scalar = format!("name: {}\nsteps: [wait]\n", "x".repeat(8 << 20));
    assert!(mistakes_of(&scalar).contains("larger than 2 MiB"));
    let nested: String = (0..60).fold(String::new(), |text, level| {
        if level == 0 {
            "a0: &a0 [x]\n".to_owned()
        } else {
            text + &format!("a{level}: &a{level} [[[*a{}]]]\n", level - 1)
        }
    });
    assert!(mistakes_of(&nested).contains("nested deeper than 64 levels"));
}

#[test]
fn anchors_around_anchors_cost_what_they_hold() {
    let many = "x, ".repeat(40_000);
    let text = format!(
        "a: {}{many}{}\nsteps: [wait]\n",
        (0..40).fold(String::new(), |text, level| text + &format!("&b{level} [")),
        "]".repeat(40)
    );
    assert!(mistakes_of(&text).contains("too large with its aliases"));
}

#[test]
fn ten_thousand_steps_are_one_case() {
    let mut text = "vars: {x: 7}\nsteps:\n".to_owned();
    for index in 0..2_500 {
        writeln!(text, "  - left_click: [\"${{x}}\", 20]\n  - type: hello\n  - screenshot: shot-{index}\n  - wait: 1ms\n    name: rest").unwrap();
    }
    assert_eq!(case_of(&text).steps.len(), 10_000);
}

#[test]
fn a_variable_in_flow_style_is_told_to_be_quoted() {
    let said = mistakes_of("vars: {w: 800}\ndisplay: {width: ${w}, height: 600}\nsteps: [wait]\n");
    assert!(said.contains("in quotes"), "{said}");
}

#[test]
fn the_schema_in_the_repository_is_the_one_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/scenario.schema.json");
    let current = format!("{:#}\n", json_schema());
    if std::env::var_os("CU_RUN_BLESS").is_some() {
        fs::write(path, &current).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap() == current,
        "run this test with CU_RUN_BLESS=1 to renew {path}"
    );
}

/// A whole scenario whose bytes the property test changes.
const WHOLE: &str = "name: Größe\ndisplay: {width: 800, height: 600}\nvars: {a: &x 1, b: '${a}'}\nmatrix: {t: [l, d], exclude: [{t: d}]}\nsecrets: [s]\nservices: [{name: s, command: [a], ready: {tcp: 'x:1'}}]\nsteps:\n  - {action: scroll, coordinate: [1, 2], scroll_direction: up}\n  - screenshot: {name: a, masks: [{css: b}, {region: [0, 0, 5, 5]}]}\n    if: ${t} == l\n  - type: |\n      ${secret.s} $${x}\n  - *x\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_the_loader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let folder = Folder::of(&[]);
        fs::write(folder.path("a.yaml"), bytes).unwrap();
        let _ = folder.load(&["a.yaml"], &Overrides::default());
    }

    #[test]
    fn no_yaml_like_text_makes_the_loader_panic(text in "([a-z]{1,4}|[-:?&*!|>%@`{}\\[\\],#'\"\\$ \t\r\n0-9]|steps|left_click|\\$\\{){0,80}") {
        let _ = cases_of(&text, &Overrides::default());
    }

    #[test]
    fn no_damage_to_a_scenario_makes_the_loader_panic(at in 0..WHOLE.len(), cut in 0usize..6, put in "[-:{}\\[\\]&*$a0\n\t ]{0,4}") {
        let mut bytes = WHOLE.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put.bytes());
        let folder = Folder::of(&[]);
        fs::write(folder.path("a.yaml"), bytes).unwrap();
        let result = folder.load(&["a.yaml"], &Overrides::default());
        if let Err(said) = result {
            prop_assert!(said.starts_with("error: "), "{}", said);
        }
    }
}
