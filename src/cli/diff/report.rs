//! What `cu-run diff` says to people and to CI systems.
//!
//! The summary of runs does not fit: it names scenario lines and steps, and how to accept a picture. The JUnit report
//! does: every file is a case with one checkpoint.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write,
    path::Path,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use crate::{
    clock::Clock,
    compare::Comparison,
    diagnostic::Location,
    geometry::{Region, Size},
    id::{CaseId, Name},
    outcome::{
        CaseOutcome, CheckpointOutcome, Environment, Failure, FailureKind, Fault, FaultKind, ImageBase,
        ImageRef, RunReport, StepOutcome, Totals, Verdict,
    },
    report::{self, JUnit, ReportError, ReportFormat},
    visible,
};

use super::{
    folders::{Entry, Found},
    pair::{Judged, Rules},
};

/// Longest name in bytes to which a letter and a number are added; [`Name`] takes 120.
const LONGEST_NAME: usize = 100;

/// A finished comparison.
pub(super) struct Shown<'a> {
    /// Every file, sorted.
    pub(super) entries: &'a [Entry],
    /// How they were compared.
    pub(super) rules: &'a Rules,
    /// When it began.
    pub(super) began: Instant,
    /// Tells the time.
    pub(super) clock: &'a dyn Clock,
}

/// The verdict on two files: a line with the number that decided, then a line for each region.
pub(super) fn pair(entry: &Entry, rules: &Rules) -> String {
    let mut text = format!("{}\n", headline(entry, rules));
    for line in lines(entry, rules) {
        let _ = writeln!(text, "  {}", visible::line(&line));
    }
    text
}

/// What is not the same in two folders, and the totals.
pub(super) fn folders(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    for entry in shown.entries.iter().filter(|entry| !entry.is_same()) {
        let path = entry.path.display().to_string();
        let _ = writeln!(text, "{}  {}", visible::line(&path), headline(entry, shown.rules));
        for line in lines(entry, shown.rules) {
            let _ = writeln!(text, "  {}", visible::line(&line));
        }
    }
    let count = |words: &[&str]| shown.entries.iter().filter(|entry| words.contains(&entry.word())).count();
    let _ = writeln!(
        text,
        "{} same, {} different, {} missing, {} extra, {} unreadable",
        count(&["same"]),
        count(&["different", "size_mismatch"]),
        count(&["missing"]),
        count(&["extra"]),
        count(&["unreadable"])
    );
    text
}

/// `different: worst_ssim 0.0024 < min_ssim 0.98 in 2 regions`.
fn headline(entry: &Entry, rules: &Rules) -> String {
    let judged = match &entry.found {
        Found::Judged(judged) => judged,
        Found::Missing => return "missing: there is an expected picture and no actual one".to_owned(),
        Found::Extra => return "extra: there is an actual picture and no expected one".to_owned(),
        Found::Unreadable(message) => {
            let message = message.strip_prefix("error: ").unwrap_or(message);
            return format!("unreadable: {}", visible::block(message));
        }
    };
    match &judged.comparison {
        Comparison::Match { numbers } if numbers.changed_px == 0 => "same: no pixel differs".to_owned(),
        Comparison::Match { .. } => "same: what differs is within the limits".to_owned(),
        Comparison::Mismatch { regions, .. } => {
            let gate = report::gate(&checkpoint(entry, judged, rules)).unwrap_or_default();
            format!("different: {gate} in {}", counted(regions.len(), "region"))
        }
        Comparison::SizeMismatch { words, .. } => format!("different: {words}"),
    }
}

fn lines(entry: &Entry, rules: &Rules) -> Vec<String> {
    let Found::Judged(judged) = &entry.found else { return Vec::new() };
    let told = match &judged.comparison {
        Comparison::Match { numbers } => numbers.changed_px == 0,
        Comparison::Mismatch { .. } => false,
        Comparison::SizeMismatch { .. } => true,
    };
    let mut lines = if told { Vec::new() } else { report::findings(&checkpoint(entry, judged, rules)) };
    lines.extend(judged.difference.as_ref().map(|path| format!("difference picture: {}", path.display())));
    lines
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Writes the JUnit report to `path`. Pictures are named by their way from there.
pub(super) fn write_junit(shown: &Shown<'_>, path: &Path) -> Result<(), ReportError> {
    // Every path of the report starts where the command was called.
    JUnit::at(path).write(&run_report(shown), Path::new(".")).map(|_| ())
}

fn run_report(shown: &Shown<'_>) -> RunReport {
    let started = Timestamp::try_from(shown.clock.wall()).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut ids = Ids::default();
    let cases: Vec<CaseOutcome> =
        shown.entries.iter().map(|entry| case(entry, shown.rules, ids.claim(&entry.path), started)).collect();
    RunReport {
        version: RunReport::VERSION,
        run_id: format!("diff-{}", std::process::id()),
        started,
        duration: shown.clock.now().saturating_duration_since(shown.began),
        environment: Environment {
            cu_run: env!("CARGO_PKG_VERSION").to_owned(),
            baselines: ".".into(),
            jobs: rayon::current_num_threads(),
            facts: BTreeMap::new(),
        },
        totals: Totals::of(&cases),
        cases,
        interrupted: None,
    }
}

fn case(entry: &Entry, rules: &Rules, id: CaseId, started: Timestamp) -> CaseOutcome {
    let judged = if let Found::Judged(judged) = &entry.found { Some(judged) } else { None };
    let display = judged.map_or(Size::new(0, 0), |judged| judged.sizes[1]);
    let verdict = verdict(entry, rules);
    let step = StepOutcome {
        number: 1,
        action: "compare".to_owned(),
        title: format!("compare {}", entry.path.display()),
        source: Location { file: entry.path.clone(), line: 1, column: 1 },
        verdict: verdict.clone(),
        started,
        duration: entry.duration,
        retries: 0,
        aimed_at: None,
        checkpoint: judged.map(|judged| Box::new(checkpoint(entry, judged, rules))),
    };
    CaseOutcome {
        folder: id.to_path(),
        id,
        file: entry.path.clone(),
        name: entry.path.display().to_string(),
        tags: Vec::new(),
        matrix: Vec::new(),
        verdict,
        started,
        duration: entry.duration,
        display,
        steps: vec![step],
        logs: Vec::new(),
        fingerprint: BTreeMap::new(),
    }
}

fn verdict(entry: &Entry, rules: &Rules) -> Verdict {
    let kind = match &entry.found {
        _ if entry.is_same() => return Verdict::Passed,
        Found::Unreadable(message) => {
            let message = message.strip_prefix("error: ").unwrap_or(message);
            return Fault::new(FaultKind::Baseline, message).into();
        }
        Found::Judged(Judged { comparison: Comparison::SizeMismatch { .. }, .. }) => {
            FailureKind::SizeDifference
        }
        _ => FailureKind::Difference,
    };
    Failure::new(kind, headline(entry, rules)).into()
}

/// The words of every report are made from this.
fn checkpoint(entry: &Entry, judged: &Judged, rules: &Rules) -> CheckpointOutcome {
    let image = |path: &Option<std::path::PathBuf>, size: Size| {
        let path = path.clone()?;
        Some(ImageRef { base: ImageBase::Artifacts, path, digest: String::new(), size })
    };
    let [expected, actual] = judged.sizes;
    CheckpointOutcome {
        name: entry.path.display().to_string(),
        region: Region::new(0, 0, actual.width, actual.height),
        baseline: image(&entry.expected, expected),
        actual: image(&entry.actual, actual),
        difference: image(&judged.difference, actual),
        comparison: Some(judged.comparison.clone()),
        rules: rules.spec.clone(),
        masks: rules.masks.clone(),
        still_after: Duration::ZERO,
        matched_after: Duration::ZERO,
        environment_changes: Vec::new(),
        variant: None,
        accepted: false,
    }
}

/// Ids for paths: other signs than names may have become `-`, and a number keeps apart what that makes equal.
#[derive(Default)]
struct Ids(HashSet<String>);

impl Ids {
    fn claim(&mut self, path: &Path) -> CaseId {
        let components: Vec<Name> =
            path.components().map(|part| name(&part.as_os_str().to_string_lossy())).collect();
        let number = |count: u32| if count == 0 { String::new() } else { format!("-{count}") };
        (0..u32::MAX)
            .filter_map(|count| {
                let mut components = components.clone();
                let last = components.pop().map_or_else(|| "picture".to_owned(), String::from);
                components.push(Name::new(format!("{last}{}", number(count))).ok()?);
                CaseId::new(components).ok()
            })
            .find(|id| self.0.insert(id.to_string()))
            // A name of any length has a free number behind it.
            .unwrap_or_else(|| unreachable!("numbers do not run out"))
    }
}

/// `text` as a name; so short that a number fits behind it.
fn name(text: &str) -> Name {
    let mut plain = String::new();
    for (_, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST_NAME) {
        let kept = c.is_alphanumeric() || matches!(c, '-' | '_') || (c == '.' && !plain.ends_with('.'));
        plain.push(if kept { c } else { '-' });
    }
    let plain = plain.trim_matches('.');
    let reserved = || Name::new(format!("x-{plain}"));
    Name::new(plain).or_else(|_| reserved()).unwrap_or_else(|error| {
        unreachable!("`{plain}` is made of letters, digits, `-`, `_` and dots: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_becomes_an_id_of_its_own() {
        let mut ids = Ids::default();
        let mut id = |path: &str| ids.claim(Path::new(path)).to_string();
        assert_eq!(id("deep/home.png"), "deep/home.png");
        assert_eq!(id("login page@2x.png"), "login-page-2x.png");
        assert_eq!(id("login-page-2x.png"), "login-page-2x.png-1");
        assert_eq!(id("login page 2x.png"), "login-page-2x.png-2");
        assert_eq!(id(".hidden..x./con.png"), "hidden.-x/x-con.png");
        assert_eq!(id(" "), "-");
        assert!(id(&"ä".repeat(200)).len() < 120);
        assert_eq!(id("..."), "--1");
    }
}
