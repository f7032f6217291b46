//! Variables, conditions and matrices.

use std::{collections::BTreeMap, fmt::Write as _};

use cu_run::{
    browser::{ColorScheme, Frame, Freeze},
    desktop::WindowManager,
    geometry::Size,
    scenario::{Action, Bindings, Overrides, Piece, Ready, Template},
};

use super::{Folder, actions, case_of, cases_of, ids, mistakes_of, titles};

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn typed(case: &cu_run::scenario::Case) -> Vec<String> {
    actions(case)
        .iter()
        .filter_map(|action| match action {
            Action::Type(text) => Some(text.text.render(&Bindings::default()).unwrap()),
            _ => None,
        })
        .collect()
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_the_file() {
    let text = "vars: {a: file, b: file, c: file, d: '${a}-${b}'}\nsteps:\n  - type: ${a} ${b} ${c} ${d} ${env.HOME}\n";
    let overrides = Overrides {
        vars: map(&[("a", "line")]),
        env: map(&[("CU_RUN_VAR_a", "environment"), ("CU_RUN_VAR_b", "environment"), ("HOME", "/h")]),
    };
    let cases = cases_of(text, &overrides).unwrap();
    assert_eq!(typed(&cases[0]), ["line environment file line-environment /h"]);
}

#[test]
fn a_variable_without_a_value_must_be_given() {
    let text = "vars:\n  base_url:\nsteps:\n  - open_browser: ${base_url}\n";
    let mistakes = mistakes_of(text);
    assert!(mistakes.contains("the variable `base_url` has no value"), "{mistakes}");
    assert!(mistakes.contains("--var base_url=…"), "{mistakes}");
    let given = Overrides { vars: map(&[("base_url", "http://localhost:1/")]), ..Overrides::default() };
    assert_eq!(titles(&cases_of(text, &given).unwrap()[0]), ["open_browser http://localhost:1/"]);
}

#[test]
fn a_value_for_a_variable_that_no_file_declares_is_a_slip() {
    let given = Overrides { vars: map(&[("base_ulr", "x")]), ..Overrides::default() };
    let mistakes = cases_of("vars: {base_url: y}\nsteps: [wait]\n", &given).unwrap_err();
    assert!(mistakes.contains("no scenario declares the variable `base_ulr`"), "{mistakes}");
    assert!(mistakes.contains("did you mean `base_url`?"), "{mistakes}");
}

#[test]
fn variables_work_where_numbers_and_words_are_expected() {
    let case = case_of(
        "vars: {w: 800, dark: dark, flag: true, x: 5}
display: {width: \"${w}\", height: 600}
browser: {color_scheme: \"${dark}\", frame: \"${flag}\"}
steps:
  - left_click: [\"${x}\", \"1${x}\"]
",
    );
    assert_eq!(case.display.size, Size::new(800, 600));
    assert_eq!((case.browser.color_scheme, case.browser.frame), (ColorScheme::Dark, Frame::Shown));
    assert_eq!(titles(&case), ["left_click (5, 15)"]);
}

#[test]
fn late_values_stay_templates_and_are_refused_where_the_plan_needs_them() {
    let case = case_of(
        "secrets: [token]
services:
  - name: site
    command: [fossil, server, --port, '${port.site}', demo.fossil]
    ready: {http: 'http://localhost:${port.site}/'}
steps:
  - open_browser: http://localhost:${port.site}/?t=${secret.token}
",
    );
    let Action::OpenBrowser(open) = &case.steps[0].action else { panic!("{:?}", case.steps[0]) };
    assert_eq!(
        open.url.as_ref().unwrap().pieces(),
        [
            Piece::Literal("http://localhost:".to_owned()),
            Piece::Port("site".to_owned()),
            Piece::Literal("/?t=".to_owned()),
            Piece::Secret("token".to_owned()),
        ]
    );
    let service = &case.services[0];
    assert_eq!(service.command[3], Template::new(vec![Piece::Port("site".to_owned())]));
    assert!(matches!(service.ready, Some(Ready::Http(_))));
    for step in [
        "screenshot: ${secret.token}",
        "left_click: {css: \"${secret.token}\"}",
        "wait: ${secret.token}",
        "key: ${secret.token}",
    ] {
        let mistakes = mistakes_of(&format!("secrets: [token]\nsteps:\n  - {step}\n"));
        assert!(mistakes.contains("known only while the case runs"), "{step}: {mistakes}");
    }
}

#[test]
fn every_row_of_a_matrix_is_a_case_with_a_name_of_its_own() {
    let text = "name: Home in ${theme}
matrix:
  theme: [light, dark]
  lang: [en, de]
  exclude: [{theme: dark, lang: de}]
browser: {color_scheme: \"${theme}\"}
steps:
  - type: ${theme} ${lang}
  - screenshot: home
    if: ${theme} == dark
  - screenshot: home
    if: ${theme} != dark
";
    let cases = cases_of(text, &Overrides::default()).unwrap();
    assert_eq!(
        ids(&cases),
        ["scenario/theme-light_lang-en", "scenario/theme-light_lang-de", "scenario/theme-dark_lang-en"]
    );
    assert_eq!(cases[2].name, "Home in dark");
    assert_eq!(typed(&cases[2]), ["dark en"]);
    assert_eq!(cases[2].browser.color_scheme, ColorScheme::Dark);
    assert_eq!(
        cases[2].matrix,
        [("theme".to_owned(), "dark".to_owned()), ("lang".to_owned(), "en".to_owned())]
    );
    let skipped = |case: usize| -> Vec<Option<&str>> {
        cases[case].steps.iter().map(|step| step.options.skipped_by.as_deref()).collect()
    };
    assert_eq!(skipped(0), [None, Some("${theme} == dark"), None]);
    assert_eq!(skipped(2), [None, None, Some("${theme} != dark")]);
}

#[test]
fn a_case_without_settings_has_the_documented_ones() {
    let case = case_of("steps: [wait]\n");
    assert_eq!(case.name, "scenario");
    assert_eq!(case.display.size, Size::new(1280, 800));
    assert_eq!(case.display.window_manager, WindowManager::Openbox);
    assert_eq!((case.browser.frame, case.browser.freeze), (Frame::PageOnly, Freeze::Frozen));
    assert_eq!((case.browser.color_scheme, case.browser.clock_ms), (ColorScheme::Light, None));
    assert!(
        case.secrets.is_empty() && case.services.is_empty() && case.serve.is_none() && case.matrix.is_empty()
    );
}

#[test]
fn folders_are_relative_to_the_scenario_file() {
    let folder = Folder::of(&[
        (
            "scenarios/a.yaml",
            "serve: ../site\nservices: [{name: s, command: [true], cwd: data}]\nsteps:\n  - navigate: /index.html\n  - launch: {command: [xterm], cwd: data}\n",
        ),
        ("scenarios/data/x", ""),
        ("site/index.html", ""),
    ]);
    let case = folder.load(&["scenarios"], &Overrides::default()).unwrap().remove(0);
    let real = |name: &str| folder.path(name).canonicalize().unwrap();
    assert_eq!(case.serve, Some(real("site")));
    assert_eq!(case.services[0].cwd, real("scenarios/data"));
    let Action::Launch(launch) = &case.steps[1].action else { panic!() };
    assert_eq!(launch.cwd, Some(real("scenarios/data")));
}

#[test]
fn variables_that_double_are_stopped_before_they_fill_the_memory() {
    let mut text = "vars:\n  v0: xxxxxxxxxxxxxxxx\n".to_owned();
    for index in 1..64 {
        let before = index - 1;
        writeln!(text, "  v{index}: ${{v{before}}}${{v{before}}}").unwrap();
    }
    text += "steps: [wait]\n";
    let mistakes = mistakes_of(&text);
    assert!(mistakes.contains("variables make more than 16 MiB of text"), "{}", &mistakes[..300]);
}
