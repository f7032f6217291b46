//! A mistake in something a person wrote, shown where it stands: file, line, column, the source line and a caret.

use std::{fmt, path::PathBuf};

/// A place in a file; line and column count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Location {
    /// The file as the user named it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// One located mistake with the line it stands on and, where there is one, a hint.
///
/// ```text
/// error: unknown action `clik`
///   --> scenarios/login.yaml:3:5
///    |
///  3 |   - clik: [10, 20]
///    |     ^^^^
///    = did you mean `click`?
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, a lowercase fragment.
    pub message: String,
    /// The file, when no place in it can be named.
    pub file: PathBuf,
    /// Line and column, from 1; `None` for a mistake of the whole file.
    pub position: Option<(u32, u32)>,
    /// How many characters to underline, at least 1.
    pub width: u32,
    /// The text of the line, without its line end.
    pub source_line: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A mistake of the whole file.
    #[must_use]
    pub fn of_file(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            file: file.into(),
            position: None,
            width: 1,
            source_line: None,
            hint: None,
        }
    }

    /// A mistake at `line`:`column` of `file`, whose whole text is `source`; `width` characters are underlined.
    #[must_use]
    pub fn at(
        file: impl Into<PathBuf>,
        source: &str,
        (line, column): (u32, u32),
        width: u32,
        message: impl Into<String>,
    ) -> Self {
        let source_line = source
            .lines()
            .nth(line.saturating_sub(1) as usize)
            .map(|text| text.trim_end_matches('\r').trim_start_matches('\u{feff}').to_owned());
        Self {
            message: message.into(),
            file: file.into(),
            position: Some((line, column)),
            width: width.max(1),
            source_line,
            hint: None,
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Longest part of a source line that is shown, in characters.
const SHOWN: usize = 120;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        let Some((line, column)) = self.position else {
            write!(f, "  --> {}", self.file.display())?;
            return self.write_hint(f, 2);
        };
        write!(f, "  --> {}:{line}:{column}", self.file.display())?;
        let gutter = line.to_string().len() + 1;
        if let Some(text) = &self.source_line {
            // A line of a bomb may be a megabyte long: show the part around the caret.
            let start = (column as usize).saturating_sub(1).saturating_sub(SHOWN / 2);
            let start = if text.chars().count() <= SHOWN { 0 } else { start };
            let shown: String = text
                .chars()
                .skip(start)
                .take(SHOWN)
                .map(|c| if c.is_control() { if c == '\t' { ' ' } else { '\u{fffd}' } } else { c })
                .collect();
            let indent = (column as usize).saturating_sub(1).saturating_sub(start);
            let width = (self.width as usize).min(shown.chars().count().saturating_sub(indent)).max(1);
            let pad = " ".repeat(gutter);
            write!(f, "\n{pad} |\n {line} | {shown}\n{pad} | {}{}", " ".repeat(indent), "^".repeat(width))?;
        }
        self.write_hint(f, gutter)
    }
}

impl Diagnostic {
    fn write_hint(&self, f: &mut fmt::Formatter<'_>, gutter: usize) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "\n{} = {hint}", " ".repeat(gutter)),
            None => Ok(()),
        }
    }
}

/// The candidate nearest to `word`, when near enough to be a slip of the hand.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lowered = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lowered, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            let longer = candidate.chars().count().max(word.chars().count());
            *distance <= 1.max(longer / 3)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_shown_with_its_line_and_a_caret() {
        let source = "name: a\nsteps:\n  - clik: [1, 2]\n";
        let shown = Diagnostic::at("a.yaml", source, (3, 5), 4, "unknown action `clik`")
            .with_hint("did you mean `click`?")
            .to_string();
        assert_eq!(
            shown,
            "error: unknown action `clik`\n  --> a.yaml:3:5\n   |\n 3 |   - clik: [1, 2]\n   |     ^^^^\n   = did you mean `click`?"
        );
    }

    #[test]
    fn a_very_long_line_is_shown_in_part() {
        let source = format!("{}x{}", "a".repeat(100_000), "b".repeat(100_000));
        let shown = Diagnostic::at("a.yaml", &source, (1, 100_001), 1, "wrong").to_string();
        assert!(shown.len() < 500, "{}", shown.len());
        assert!(shown.contains('x'));
    }

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(nearest("clik", ["click", "type"]), Some("click"));
        assert_eq!(nearest("screenshoot", ["screenshot", "scroll"]), Some("screenshot"));
        assert_eq!(nearest("banana", ["click", "type"]), None);
    }
}
