//! The frame of the page around the run's data: style, script, policy, and the failures as plain HTML for a reader
//! without scripts.

use std::{fmt::Write, path::Path};

use super::{
    places::Places,
    text::{escaped, line, lines},
};
use crate::{
    outcome::{CaseOutcome, CheckpointOutcome, RunReport, Totals, Verdict},
    report::words,
};

const FRAME: &str = include_str!("assets/page.html");

/// The style, in order.
const STYLE: &[&str] = &[
    include_str!("assets/base.css"),
    include_str!("assets/list.css"),
    include_str!("assets/detail.css"),
    include_str!("assets/viewer.css"),
];

/// The script, in order; one scope.
const SCRIPT: &[&str] = &[
    include_str!("assets/dom.js"),
    include_str!("assets/state.js"),
    include_str!("assets/list.js"),
    include_str!("assets/accept.js"),
    include_str!("assets/pixels.js"),
    include_str!("assets/loupe.js"),
    include_str!("assets/stage.js"),
    include_str!("assets/viewer.js"),
    include_str!("assets/facts.js"),
    include_str!("assets/detail.js"),
    include_str!("assets/keys.js"),
    include_str!("assets/main.js"),
];

/// Half of a BLAKE3 digest in hexadecimal: 128 bits, what CSP asks of a nonce.
const NONCE_LENGTH: usize = 32;

/// The page of `report` in the `artifacts` folder with `json` as its data.
pub(super) fn page(report: &RunReport, artifacts: &Path, json: &str) -> String {
    // Whoever wrote a name or a log line that is shown here would have to know a digest over it to put a script that
    // the policy accepts into it. Derived instead of random, so that equal runs make equal pages.
    let digest = blake3::hash(json.as_bytes()).to_hex();
    let nonce = &digest[..NONCE_LENGTH];
    let tint = if report.cases.iter().any(|case| is_wrong(&case.verdict)) { "d1242f" } else { "1a7f37" };
    fill(
        FRAME,
        &[
            ("NONCE", nonce),
            ("TITLE", &escaped(&title(report))),
            ("TINT", tint),
            ("STYLE", &STYLE.concat()),
            ("SCRIPT", &SCRIPT.concat()),
            ("DATA", json),
            ("FAILURES", &failures(report, artifacts)),
        ],
    )
}

/// `frame` with each `{{NAME}}` replaced, in one pass: what is filled in is never searched for names.
fn fill(frame: &str, values: &[(&str, &str)]) -> String {
    let mut page =
        String::with_capacity(frame.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut pieces = frame.split("{{");
    page.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            page.push_str(value);
        }
        page.push_str(rest);
    }
    page
}

/// What a person wants to know first: `2 failed, 1 errored of 40 cases`, or what else there is when nothing is wrong.
fn title(report: &RunReport) -> String {
    let Totals { cases, passed, failed, errored, skipped, flaky, .. } = report.totals;
    let spoken = |counts: &[(usize, &str)]| {
        let present = counts.iter().filter(|(count, _)| *count > 0);
        present.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    match cases {
        0 => "nothing ran".to_owned(),
        _ if failed + errored == 0 => spoken(&[(flaky, "flaky"), (skipped, "skipped"), (passed, "passed")]),
        1 => spoken(&[(failed, "failed"), (errored, "errored")]),
        _ => format!("{} of {cases} cases", spoken(&[(failed, "failed"), (errored, "errored")])),
    }
}

const fn is_wrong(verdict: &Verdict) -> bool {
    verdict.is_failed() || verdict.is_errored()
}

/// The table for a reader without scripts: a row for each case that is not as it should be, the worst first.
fn failures(report: &RunReport, artifacts: &Path) -> String {
    let places = Places::of(artifacts, &report.environment.baselines);
    let mut wrong: Vec<_> = report.cases.iter().filter(|case| !case.verdict.is_passed()).collect();
    wrong.sort_by_key(|case| match case.verdict {
        Verdict::Failed { .. } => 0,
        Verdict::Errored { .. } => 1,
        _ => 2,
    });
    if wrong.is_empty() {
        return format!("<p>{}</p>", escaped(&title(report)));
    }
    let mut table = format!(
        "<table><caption>{}</caption><thead><tr><th scope=\"col\">Verdict<th scope=\"col\">Case\
         <th scope=\"col\">What happened<tbody>",
        escaped(&title(report))
    );
    for case in wrong {
        // Writing to a string cannot fail.
        let _ = write!(
            table,
            "<tr><td>{}<th scope=\"row\">{}<td>{}",
            case.verdict.word(),
            escaped(&line(&case.id.to_string())),
            reasons(case, &places)
        );
    }
    table.push_str("</table>");
    table
}

/// The message of a case and of each of its steps that went wrong, with links to their pictures.
fn reasons(case: &CaseOutcome, places: &Places<'_>) -> String {
    let wrong = || case.steps.iter().filter(|step| is_wrong(&step.verdict));
    if wrong().next().is_none() {
        return escaped(&lines(case.verdict.message().unwrap_or_default()));
    }
    let mut list = "<ul>".to_owned();
    for step in wrong() {
        let checkpoint = step.checkpoint.as_deref();
        let message = match &step.verdict {
            Verdict::Failed { failure } => words::message(failure, checkpoint),
            other => other.message().unwrap_or_default().to_owned(),
        };
        let links = checkpoint.map(|checkpoint| links(case, checkpoint, places)).unwrap_or_default();
        let _ = write!(list, "<li>Step {}: {}{links}", step.number, escaped(&lines(&message)));
    }
    list.push_str("</ul>");
    list
}

fn links(case: &CaseOutcome, checkpoint: &CheckpointOutcome, places: &Places<'_>) -> String {
    let picture = |image: &Option<_>| image.as_ref().and_then(|image| places.picture(image));
    let pictures = [
        ("expected", places.expected(case, checkpoint)),
        ("actual", picture(&checkpoint.actual)),
        ("difference", picture(&checkpoint.difference)),
    ];
    pictures
        .into_iter()
        .filter_map(|(name, url)| Some(format!(" <a href=\"{}\">{name}</a>", escaped(&url?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_searched_for_names() {
        assert_eq!(fill("a {{X}} b {{Y}} {{Z}}!", &[("X", "{{Y}}"), ("Y", "1")]), "a {{Y}} b 1 !");
    }

    #[test]
    fn the_assets_hold_nothing_that_the_policy_or_the_frame_would_misread() {
        let script = SCRIPT.concat();
        assert!(!script.contains("</") && !script.contains("<!--"), "would end or hide the script element");
        for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("] {
            assert!(!script.contains(sink), "{sink} can run what a scenario is named");
        }
        assert!(!STYLE.concat().contains("</"));
        for (name, text) in [("frame", FRAME), ("style", &STYLE.concat()), ("script", &script)] {
            let elsewhere = text.replace("http://www.w3.org/2000/svg", "");
            for scheme in ["http://", "https://", "//cdn", "@import"] {
                assert!(!elsewhere.contains(scheme), "the {name} names another host: {scheme}");
            }
        }
    }

    #[test]
    fn no_asset_is_too_long_to_be_read() {
        for text in STYLE.iter().chain(SCRIPT).chain([&FRAME]) {
            let first = text.lines().next().unwrap_or_default();
            assert!(text.lines().count() <= 400, "{first}");
        }
    }
}
