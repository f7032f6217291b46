//! Pictures named in `junit.xml`: found from where the file lies, also after everything was moved.

use std::{fs, path::Path};

use cu_run::report::{JUnit, ReportFormat};
use roxmltree::Document;

use super::{
    reader::{attachment, breaches, content},
    support,
};

fn attached(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let outputs = document.descendants().filter(|node| node.has_tag_name("system-out"));
    outputs
        .flat_map(|node| content(node).lines().filter_map(attachment).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_report_elsewhere_finds_the_pictures_and_still_does_when_moved_together() {
    let folder = tempfile::tempdir().unwrap();
    let (place, moved) = (folder.path().join("w d"), folder.path().join("moved"));
    let artifacts = place.join("art [1]");
    let report = support::report(vec![support::difference("admin/start")]);
    support::place_evidence(&report, &artifacts);
    let path = JUnit::at(place.join("reports/deep/j.xml")).write(&report, &artifacts).unwrap();

    let text = fs::read_to_string(&path).unwrap();
    let name = |file: &str| format!("../../art [1]/admin/start/{file}");
    assert_eq!(attached(&text), [name("home.difference.png"), name("home.actual.png"), name("xvfb.log")]);
    assert_eq!(breaches(&text, path.parent().unwrap()), Vec::<String>::new());

    fs::rename(&place, &moved).unwrap();
    assert_eq!(breaches(&text, &moved.join("reports/deep")), Vec::<String>::new());
    assert_ne!(breaches(&text, Path::new("/")), Vec::<String>::new(), "the reader looks for the files");
}

#[test]
fn a_baseline_is_attached_to_what_differs_from_it_and_not_to_what_matches() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().join("artifacts");
    let mut report = support::report(vec![support::passed("a"), support::difference("b")]);
    report.environment.baselines = folder.path().join("baselines");
    support::place_evidence(&report, &artifacts);
    support::place_evidence(&report, &report.environment.baselines);
    for case in ["a", "b"] {
        fs::write(report.environment.baselines.join(case).join("home.png"), "accepted").unwrap();
    }
    let path = JUnit::default().write(&report, &artifacts).unwrap();
    assert_eq!(
        attached(&fs::read_to_string(path).unwrap()),
        ["b/home.difference.png", "b/home.actual.png", "../baselines/b/home.png", "b/xvfb.log"]
    );
}

#[test]
fn what_does_not_exist_is_not_attached() {
    let folder = tempfile::tempdir().unwrap();
    let path = JUnit::default().write(&support::everything(), folder.path()).unwrap();
    assert_eq!(attached(&fs::read_to_string(path).unwrap()), Vec::<String>::new());
}
