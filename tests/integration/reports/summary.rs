//! The summary on the terminal.

use cu_run::{
    outcome::RunReport,
    report::{Colour, Style, summary},
};
use unicode_width::UnicodeWidthStr;

use super::support::{self, report};

fn plain(report: &RunReport) -> String {
    summary(report, &Style { colour: Colour::Off, artifacts: "artifacts".into() })
}

#[test]
fn it_says_what_is_wrong_where_and_what_to_do() {
    insta::assert_snapshot!(plain(&support::everything()));
}

#[test]
fn colours_are_used_only_when_asked_for() {
    let report = report(vec![support::passed("a"), support::difference("b")]);
    assert!(!plain(&report).contains('\x1b'));
    let coloured = summary(&report, &Style { colour: Colour::On, artifacts: "artifacts".into() });
    insta::assert_snapshot!(coloured.replace('\x1b', "ESC"));
    let mut without = coloured;
    for code in ["\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"] {
        without = without.replace(code, "");
    }
    assert_eq!(without, plain(&report));
}

#[test]
fn a_run_in_which_nothing_ran_says_so() {
    let interrupted = RunReport { interrupted: Some(15), ..report(vec![support::cancelled("a")]) };
    let nothing = report(Vec::new());
    let skipped = report(vec![support::skipped("a"), support::skipped("b")]);
    insta::assert_snapshot!([plain(&nothing), plain(&skipped), plain(&interrupted)].join("---\n"));
}

#[test]
fn hostile_text_cannot_act_on_the_terminal() {
    let mut report = report(vec![support::hostile("a")]);
    report.cases[0].file = "scenarios/\x1b]0;title\x07.yaml".into();
    let shown = summary(&report, &Style { colour: Colour::Off, artifacts: "art\x1b[2J".into() });
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    assert!(!shown.contains('\u{202e}'));
    insta::assert_snapshot!(shown);
}

#[test]
fn lines_fit_a_terminal_of_80_columns() {
    let mut report = support::everything();
    for step in report.cases.iter_mut().flat_map(|case| &mut case.steps) {
        step.title = format!("{} {}", step.title, "漢字 and many more words ".repeat(10));
    }
    for line in plain(&report).lines() {
        let path = line.trim_start().starts_with("artifacts") || line.contains("accept it");
        assert!(path || line.width() <= 80, "{} columns: {line}", line.width());
    }
}
