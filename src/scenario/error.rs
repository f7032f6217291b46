//! A mistake in a scenario while the place in its file is still a number, and the file that gives it words.

use std::{
    cell::RefCell,
    fmt::Display,
    path::{Path, PathBuf},
};

use serde::de;
use thiserror::Error;

use crate::diagnostic::{Diagnostic, Location, nearest};

use super::tree::Span;

/// One mistake in one file.
///
/// A struct and not an enum: most of them are made by serde's `custom`, which only has words.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub(super) struct Problem {
    /// Filled in by the innermost value that is known to hold it.
    pub(super) span: Option<Span>,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// Whether it follows from a mistake that was reported already.
    pub(super) known: bool,
    /// Whether a key is missing, which a misspelt one beside it explains.
    missing: bool,
}

impl Problem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { span: None, message: message.into(), hint: None, known: false, missing: false }
    }

    pub(super) fn at(span: Span, message: impl Into<String>) -> Self {
        Self { span: Some(span), ..Self::new(message) }
    }

    /// What stands for a value whose mistake was reported where it was found.
    pub(super) fn known() -> Self {
        Self { known: true, ..Self::new("reported already") }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same at `span`, unless a place nearer to the mistake is known.
    pub(super) fn or_at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// The same, known when a key is missing and one of `others`, misspelt or wrong, may be it.
    pub(super) fn explained_by(mut self, others: usize) -> Self {
        self.known |= self.missing && others > 0;
        self
    }

    /// Whether the hint names what was probably meant.
    pub(super) fn is_slip(&self) -> bool {
        self.hint.as_deref().is_some_and(|hint| hint.starts_with(SLIP))
    }

    /// A word that is none of `candidates`; `noun` says what it should have been.
    pub(super) fn unknown(noun: &str, word: &str, candidates: &[&str]) -> Self {
        let problem = Self::new(format!("unknown {noun} `{}`", shortened(word)));
        match near(word, candidates) {
            Some(near) => problem.hint(format!("{SLIP}{near}`?")),
            None if candidates.is_empty() => problem,
            None => problem.hint(format!("known here: {}", quoted(candidates))),
        }
    }
}

/// How a hint begins that names what was probably meant.
const SLIP: &str = "did you mean `";

/// The candidate that `word` is a slip of: nearer than a stranger, or two slips away with the same first letter.
pub(super) fn near<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word = shortened(word);
    nearest(&word, candidates.iter().copied()).or_else(|| {
        candidates.iter().copied().find(|candidate| {
            word.chars().count() > 3
                && word.chars().next() == candidate.chars().next()
                && strsim::damerau_levenshtein(&word, candidate) <= 2
        })
    })
}

/// `a`, `b`, `c`.
pub(super) fn quoted<'a>(words: impl IntoIterator<Item = &'a &'a str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// At most 60 characters of a text, for a message.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().nth(60).is_none() {
        return text.to_owned();
    }
    text.chars().take(59).chain(['…']).collect()
}

/// A message whose second line is the hint: the only way through serde's traits.
impl de::Error for Problem {
    fn custom<T: Display>(message: T) -> Self {
        let text = message.to_string();
        match text.split_once('\n') {
            Some((message, hint)) => Self::new(message).hint(hint),
            None => Self::new(text),
        }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let found = match found {
            de::Unexpected::Str(text) => format!("`{}`", shortened(text)),
            de::Unexpected::Seq => "a list".to_owned(),
            de::Unexpected::Map => "a map".to_owned(),
            de::Unexpected::Unit => "nothing".to_owned(),
            other => other.to_string(),
        };
        let expected = expected.to_string();
        // What serde's own visitors call a value is not what a reader of YAML calls it.
        let expected = match expected.as_str() {
            "a string" => "text",
            "a sequence" => "a list",
            other => other,
        };
        Self::new(format!("expected {expected}, found {found}"))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(count: usize, expected: &dyn de::Expected) -> Self {
        Self::new(format!("expected {expected}, found {count} values"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("value", variant, expected)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("key", field, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self { missing: true, ..Self::new(format!("missing key `{field}`")) }
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is given twice, in two spellings"))
    }
}

/// Where mistakes are gathered, so that all of them come out at once.
#[derive(Debug, Default)]
pub(super) struct Problems(RefCell<Vec<Problem>>);

impl Problems {
    /// Keeps `problem`, unless it only follows from another.
    pub(super) fn report(&self, problem: Problem) {
        if !problem.known {
            self.0.borrow_mut().push(problem);
        }
    }

    pub(super) fn take(&self) -> Vec<Problem> {
        self.0.take()
    }
}

/// A file whose mistakes can be shown.
#[derive(Debug)]
pub(super) struct Source {
    /// As the user named it.
    pub(super) path: PathBuf,
    lines: Vec<String>,
}

impl Source {
    pub(super) fn new(path: &Path, text: &str) -> Self {
        // YAML knows three line ends; `str::lines` knows two.
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        Self { path: path.to_owned(), lines: unified.split('\n').map(str::to_owned).collect() }
    }

    /// The text of a line, from 1.
    pub(super) fn line(&self, line: u32) -> Option<&str> {
        self.lines.get(line.saturating_sub(1) as usize).map(String::as_str)
    }

    pub(super) fn location(&self, span: Span) -> Location {
        Location { file: self.path.clone(), line: span.line, column: span.column }
    }

    pub(super) fn diagnostic(&self, problem: Problem) -> Diagnostic {
        let mut diagnostic = Diagnostic::of_file(&self.path, problem.message);
        diagnostic.hint = problem.hint;
        if let Some(span) = problem.span {
            diagnostic.position = Some((span.line, span.column));
            diagnostic.width = span.width.max(1);
            diagnostic.source_line = self.line(span.line).map(str::to_owned);
        }
        diagnostic
    }
}
