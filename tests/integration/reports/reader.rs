//! A strict reader of JUnit files: what Jenkins (its schema `junit-10` and its reader), GitLab and the GitHub reporters
//! depend on.

use std::{collections::HashSet, path::Path};

use roxmltree::{Document, Node};

/// The attributes that the schema knows, those it requires first, with the number of them.
const ATTRIBUTES: [(&str, usize, &[&str]); 7] = [
    ("testsuites", 0, &["name", "time", "tests", "failures", "errors"]),
    (
        "testsuite",
        4,
        &[
            "name",
            "tests",
            "failures",
            "errors",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
            "group",
        ],
    ),
    ("testcase", 3, &["name", "classname", "time", "group"]),
    ("failure", 2, &["type", "message"]),
    ("error", 2, &["type", "message"]),
    ("skipped", 2, &["type", "message"]),
    ("system-out", 0, &[]),
];

/// Everything in `text` that a reader would refuse or misread; attachments are looked for from `folder`.
pub(super) fn breaches(text: &str, folder: &Path) -> Vec<String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return vec![format!("not well-formed: {error}")],
    };
    let mut found = Breaches(Vec::new());
    found.check(text.starts_with("<?xml version=\"1.0\" encoding=\"utf-8\"?>"), || {
        "no XML declaration".into()
    });
    let root = document.root_element();
    found.check(root.tag_name().name() == "testsuites", || "the root is no <testsuites>".into());
    for node in root.descendants().filter(Node::is_element) {
        found.element(node);
    }
    let mut seen = HashSet::new();
    let mut suites = HashSet::new();
    for suite in children(root, "testsuite") {
        found.check(suites.insert(suite.attribute("name")), || {
            format!("suite twice: {:?}", suite.attribute("name"))
        });
        found.suite(suite);
        for case in children(suite, "testcase") {
            let key = (case.attribute("classname"), case.attribute("name"));
            found.check(seen.insert(key), || format!("test case twice: {key:?}"));
            found.case(case, folder);
        }
    }
    found.0
}

struct Breaches(Vec<String>);

impl Breaches {
    fn check(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.0.push(otherwise());
        }
    }

    /// Names, attributes and the form of numbers and times.
    fn element(&mut self, node: Node<'_, '_>) {
        let name = node.tag_name().name();
        let Some((_, required, known)) = ATTRIBUTES.iter().find(|(element, ..)| *element == name) else {
            return self.0.push(format!("unknown element <{name}>"));
        };
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            self.check(known.contains(&key), || format!("unknown attribute {key} of <{name}>"));
            match key {
                "time" => self.check(is_seconds(value), || format!("time {value:?} of <{name}>")),
                "timestamp" => self.check(is_utc(value), || format!("timestamp {value:?}")),
                "tests" | "failures" | "errors" | "skipped" => {
                    self.check(value.parse::<u32>().is_ok(), || format!("{key} {value:?} of <{name}>"));
                }
                _ => {}
            }
        }
        for key in &known[..*required] {
            let value = node.attribute(*key).unwrap_or_default();
            self.check(!value.trim().is_empty(), || format!("<{name}> without {key}"));
        }
    }

    fn suite(&mut self, suite: Node<'_, '_>) {
        let cases: Vec<_> = children(suite, "testcase").collect();
        let count = |element: &'static str| {
            cases.iter().filter(|case| children(**case, element).next().is_some()).count()
        };
        let counts = [
            ("tests", cases.len()),
            ("failures", count("failure")),
            ("errors", count("error")),
            ("skipped", count("skipped")),
        ];
        for (key, counted) in counts {
            let told = suite.attribute(key);
            self.check(told == Some(&counted.to_string()), || format!("{key} {told:?}, counted {counted}"));
        }
        for key in ["time", "timestamp"] {
            self.check(suite.attribute(key).is_some(), || format!("suite without {key}"));
        }
        let stray = children(suite, "system-out").count();
        self.check(stray == 0, || "system-out at the suite, not at the test case".into());
    }

    fn case(&mut self, case: Node<'_, '_>, folder: &Path) {
        let name = case.attribute("name").unwrap_or_default();
        let ends: Vec<_> =
            ["failure", "error", "skipped"].into_iter().flat_map(|element| children(case, element)).collect();
        self.check(ends.len() <= 1, || format!("{name}: ended {} times", ends.len()));
        for end in ends.iter().filter(|end| end.tag_name().name() != "skipped") {
            self.check(!content(*end).trim().is_empty(), || {
                format!("{name}: empty {}", end.tag_name().name())
            });
        }
        let outputs: Vec<_> = children(case, "system-out").collect();
        self.check(outputs.len() <= 1, || format!("{name}: {} system-outs", outputs.len()));
        for line in outputs.first().map(|output| content(*output)).unwrap_or_default().lines() {
            match attachment(line) {
                Some(path) => {
                    self.check(folder.join(path).is_file(), || format!("{name}: no attachment {path}"));
                }
                None => self.check(!line.contains("[[ATTACHMENT|"), || format!("{name}: not alone: {line}")),
            }
        }
    }
}

/// The path of an attachment line.
pub(super) fn attachment(line: &str) -> Option<&str> {
    line.strip_prefix("[[ATTACHMENT|")?.strip_suffix("]]")
}

/// The child elements of one name.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

/// All the text in `node`, several CDATA sections included.
pub(super) fn content(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect()
}

/// Digits, a dot, at most three digits.
fn is_seconds(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        None => digits(text),
        Some((whole, fraction)) => digits(whole) && digits(fraction) && fraction.len() <= 3,
    }
}

/// `2026-01-02T03:04:05.678Z`, with at most three decimals.
fn is_utc(text: &str) -> bool {
    let Some(time) = text.strip_suffix('Z') else { return false };
    let (second, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let form = second.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }).collect::<Vec<_>>();
    form == b"0000-00-00T00:00:00" && is_seconds(&format!("0.{fraction}"))
}

#[test]
fn the_strict_reader_sees_what_is_wrong() {
    let text = r#"<testsuites><testsuite name="a" tests="2" failures="0" errors="0" time="80.8us" retries="1">
        <testcase name="x" classname="c" time="1,234.5"><failure type="t" message="m"></failure></testcase>
        <testcase name="x" classname="c" time="1"><system-out>see [[ATTACHMENT|a.png]]
[[ATTACHMENT|missing.png]]</system-out><system-out/></testcase>
    </testsuite></testsuites>"#;
    insta::assert_snapshot!(breaches(text, Path::new("/nowhere")).join("\n"));
    assert!(breaches("<testsuites>\u{1b}</testsuites>", Path::new("/"))[0].starts_with("not well-formed"));
}
