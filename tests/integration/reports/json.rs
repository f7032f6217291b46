//! `run.json`: written whole, read back to the bit, refused with a reason.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use cu_run::{
    compare::Comparison,
    outcome::RunReport,
    report::{self, Json, ReportFormat},
};
use proptest::prelude::*;

use super::support;

fn read_back(report: &RunReport) -> RunReport {
    let folder = tempfile::tempdir().unwrap();
    let path = Json.write(report, folder.path()).unwrap();
    let read = report::read(&path).unwrap();
    assert_eq!(read, report::read(folder.path()).unwrap(), "the folder stands for the file in it");
    read
}

#[test]
fn a_report_is_read_back_as_it_was_written() {
    let mut report = support::everything();
    report.cases.push(support::hostile("hostile"));
    report.interrupted = Some(15);
    assert_eq!(read_back(&report), report);
}

#[test]
fn the_format_is_the_one_that_other_programs_read() {
    let folder = tempfile::tempdir().unwrap();
    let report = support::report(vec![support::difference("admin/start"), support::cancelled("user/login")]);
    let path = Json.write(&report, folder.path()).unwrap();
    insta::assert_snapshot!(fs::read_to_string(&path).unwrap());
}

#[test]
fn every_format_is_written_and_those_who_collect_may_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let report = support::everything();
    for format in report::formats() {
        let path = format.write(&report, folder.path()).unwrap();
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0);
        assert_eq!(mode & 0o600, 0o600);
    }
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["junit.xml", "report.html", "run.json"]);
}

#[test]
fn what_cannot_be_read_is_refused_with_path_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let mut errors = vec![report::read(&path).unwrap_err().to_string()];
    for text in ["", "{", "{}", r#"{"version": 2, "cases": "another form"}"#, r#"{"version": 1}"#, "[]"] {
        fs::write(&path, text).unwrap();
        errors.push(report::read(&path).unwrap_err().to_string());
    }
    let shown = errors.join("\n").replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_report_that_cannot_be_written_is_named() {
    let error = Json.write(&support::everything(), Path::new("/proc/nowhere")).unwrap_err();
    assert!(error.to_string().contains("/proc/nowhere/run.json"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_number_that_gated_is_read_back_to_the_bit(value in -1.0..1.0_f64) {
        let mut report = support::report(vec![support::difference("a")]);
        let checkpoint = report.cases[0].steps[1].checkpoint.as_mut().unwrap();
        if let Some(Comparison::Mismatch { gate, .. }) = &mut checkpoint.comparison {
            gate.measured = value;
        }
        prop_assert_eq!(read_back(&report), report);
    }
}
