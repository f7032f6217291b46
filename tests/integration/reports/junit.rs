//! `junit.xml`: what it holds, and that every reader takes it whatever stands in it.

use std::{fs, path::Path, time::Duration};

use cu_run::{
    outcome::{CaseOutcome, Failure, FailureKind, FaultKind, RunReport, StepOutcome, Verdict},
    report::{JUnit, ReportFormat},
    visible,
};
use proptest::prelude::*;
use roxmltree::Document;

use super::{
    reader::{breaches, children, content},
    support::{self, case, fault, report, step},
};

/// Writes `report` with its evidence, has the strict reader look at it, and returns the text.
fn written(report: &RunReport) -> String {
    let folder = tempfile::tempdir().unwrap();
    support::place_evidence(report, folder.path());
    let path = JUnit::default().write(report, folder.path()).unwrap();
    assert_eq!(path, folder.path().join("junit.xml"));
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(breaches(&text, folder.path()), Vec::<String>::new(), "{text}");
    text
}

#[test]
fn every_way_to_end_is_told_apart() {
    insta::assert_snapshot!(written(&support::everything()));
}

#[test]
fn hostile_text_becomes_visible_and_stays_whole() {
    insta::assert_snapshot!(written(&report(vec![support::hostile("a"), support::hostile_flaky("b")])));
}

#[test]
fn a_run_without_cases_is_a_valid_file() {
    let text = written(&report(Vec::new()));
    let document = Document::parse(&text).unwrap();
    assert_eq!(document.root_element().attribute("tests"), Some("0"));
}

#[test]
fn classes_that_a_dot_makes_alike_are_kept_apart() {
    let text =
        written(&report(vec![support::passed("a/b"), support::passed("a.b"), support::passed("a/b.c")]));
    let document = Document::parse(&text).unwrap();
    let classes: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .filter_map(|node| node.attribute("classname"))
        .collect();
    assert_eq!(classes, ["a.b", "a.b", "a.b (2)", "a.b (2)", "a.b.c", "a.b.c"]);
}

#[test]
fn extreme_times_are_written_as_plain_seconds() {
    for (duration, wanted) in [
        (Duration::ZERO, "0.000"),
        (Duration::from_nanos(80_803), "0.000"),
        (Duration::from_micros(999_600), "1.000"),
        (Duration::from_micros(14_029_255_300), "14029.255"),
        (Duration::from_millis(1_515_069_223_854), "1515069223.854"),
    ] {
        let timed = StepOutcome { duration, ..step(1, "wait", Verdict::Passed) };
        let text =
            written(&report(vec![CaseOutcome { duration, ..case("a", Verdict::Passed, vec![timed]) }]));
        assert_eq!(text.matches(&format!("time=\"{wanted}\"")).count(), 2, "{text}");
    }
    let endless = StepOutcome { duration: Duration::MAX, ..step(1, "wait", Verdict::Passed) };
    let mut ancient = case("a", fault(FaultKind::Internal, "x"), vec![endless.clone(), endless]);
    ancient.started = "-004000-01-01T00:00:00Z".parse().unwrap();
    written(&report(vec![ancient]));
}

#[test]
fn a_failure_without_words_still_has_a_message_and_a_body() {
    let verdict = Verdict::from(Failure::new(FailureKind::App, " "));
    written(&report(vec![case("a", verdict.clone(), vec![step(1, "", verdict)])]));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in the way"), "").unwrap();
    let path = folder.path().join("in the way/junit.xml");
    let error = JUnit::at(&path).write(&support::everything(), Path::new(".")).unwrap_err();
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
}

/// Text with more than its share of what breaks writers.
fn text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "]]>",
        "]]",
        ">",
        "<",
        "&",
        "\"",
        "'",
        "&#0;",
        "<![CDATA[",
        "\0",
        "\x1b",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\u{85}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{2028}",
        "\u{202e}",
        "[[ATTACHMENT|",
        "é",
        "🙂",
        " ",
    ]);
    let piece = prop_oneof![nasty.prop_map(str::to_owned), any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_makes_a_well_formed_file_and_comes_back(title in text(), message in text(), detail in text()) {
        let failure = Failure::new(FailureKind::App, message.clone()).with_details([detail.clone()]);
        let steps = vec![
            step(1, &title, failure.into()),
            step(1, &title, fault(FaultKind::Browser, &message)),
            step(2, &title, Verdict::Skipped { reason: message.clone() }),
            step(3, &title, Verdict::Passed),
        ];
        let text = written(&report(vec![case("a", fault(FaultKind::Browser, &message), steps)]));
        let document = Document::parse(&text).unwrap();
        let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
        if !message.trim().is_empty() {
            prop_assert_eq!(failure.attribute("message").unwrap(), visible::block(&message));
        }
        prop_assert!(content(failure).contains(&*visible::block(&detail)));
        let suite = children(document.root_element(), "testsuite").next().unwrap();
        prop_assert_eq!(children(suite, "testcase").count(), 4);
    }
}
