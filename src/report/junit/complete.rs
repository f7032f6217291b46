//! Completes what the JUnit crate wrote.
//!
//! Readers refuse or misread a suite without the number of skipped test cases, a time that is not written as seconds
//! with at most three decimals, and an attribute with a raw line break, which XML turns into a blank.

use std::time::Duration;

use quick_xml::{
    Error, Reader, Writer,
    events::{BytesStart, Event, attributes::Attribute},
};

use super::super::words;

/// What a `<testsuite>` says beyond what the crate knows.
pub(super) struct SuiteFacts {
    /// How long the case took, its display's start and end included.
    pub(super) time: Duration,
    /// How many of its test cases were skipped.
    pub(super) skipped: usize,
    /// The scenario file.
    pub(super) file: String,
}

/// What the root says: the sums over all suites.
#[derive(Default)]
pub(super) struct RootFacts {
    /// How long the run took.
    pub(super) time: Duration,
    /// Test cases.
    pub(super) tests: usize,
    /// Failed ones.
    pub(super) failures: usize,
    /// Those with a fault.
    pub(super) errors: usize,
}

/// `xml` with the facts added, indented; `suites` in the order of the document.
pub(super) fn complete(xml: &[u8], root: &RootFacts, suites: &[SuiteFacts]) -> Result<Vec<u8>, Error> {
    let mut reader = Reader::from_reader(xml);
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let mut remaining = suites.iter();
    loop {
        let event = match reader.read_event()? {
            Event::Eof => break,
            Event::Start(element) => Event::Start(completed(&element, root, &mut remaining)?),
            Event::Empty(element) => Event::Empty(completed(&element, root, &mut remaining)?),
            other => other,
        };
        writer.write_event(event)?;
    }
    let mut text = writer.into_inner();
    text.push(b'\n');
    Ok(text)
}

fn completed<'s>(
    element: &BytesStart<'_>,
    root: &RootFacts,
    suites: &mut impl Iterator<Item = &'s SuiteFacts>,
) -> Result<BytesStart<'static>, Error> {
    let suite = if element.name().as_ref() == b"testsuite" { suites.next() } else { None };
    let mut complete = BytesStart::new(String::from_utf8_lossy(element.name().as_ref()).into_owned());
    for attribute in element.attributes() {
        let mut attribute = attribute?;
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        let value = match (attribute.key.as_ref(), suite) {
            (b"time", Some(suite)) => words::seconds(suite.time),
            (b"time", None) => three_decimals(&value),
            _ => value.replace('\t', "&#9;").replace('\n', "&#10;"),
        };
        attribute.value = value.into_bytes().into();
        complete.push_attribute(attribute);
    }
    if let Some(suite) = suite {
        complete.push_attribute(("skipped", suite.skipped.to_string().as_str()));
        complete.push_attribute(Attribute::from(("file", suite.file.as_str())));
    }
    if element.name().as_ref() == b"testsuites" {
        complete.push_attribute(("name", "cu-run"));
        for (name, count) in [("tests", root.tests), ("failures", root.failures), ("errors", root.errors)] {
            complete.push_attribute((name, count.to_string().as_str()));
        }
        complete.push_attribute(("time", words::seconds(root.time).as_str()));
    }
    Ok(complete)
}

/// A number with at most three decimals, padded to three.
fn three_decimals(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    format!("{whole}.{fraction:0<3.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_padded_to_three_decimals() {
        assert_eq!(three_decimals("0"), "0.000");
        assert_eq!(three_decimals("14029.25"), "14029.250");
    }

    #[test]
    fn a_suite_gets_its_facts_and_the_root_the_sums() {
        let xml = b"<testsuites><testsuite name=\"a\nb\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"1\"/></testsuites>";
        let facts = [SuiteFacts { time: Duration::from_millis(2500), skipped: 1, file: "a&b.yaml".into() }];
        let root = RootFacts { time: Duration::from_secs(3), tests: 2, failures: 1, errors: 0 };
        let text = String::from_utf8(complete(xml, &root, &facts).unwrap()).unwrap();
        assert_eq!(
            text,
            "<testsuites name=\"cu-run\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"3.000\">\n  \
             <testsuite name=\"a&#10;b\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"2.500\" skipped=\"1\" \
             file=\"a&amp;b.yaml\"/>\n</testsuites>\n"
        );
    }
}
