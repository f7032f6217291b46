//! Which cases were asked for.

use globset::{Glob, GlobMatcher};

use crate::scenario::Case;

use super::{CliError, args::RunArgs};

/// The cases that have one of the tags (when any is given) and match one of the filters (likewise).
pub(super) fn select(args: &RunArgs, cases: Vec<Case>) -> Result<Vec<Case>, CliError> {
    let filters = args.filters.iter().map(|filter| Filter::new(filter)).collect::<Result<Vec<_>, _>>()?;
    let wanted = |case: &Case| {
        (args.tags.is_empty() || args.tags.iter().any(|tag| case.tags.contains(tag)))
            && (filters.is_empty() || filters.iter().any(|filter| filter.matches(&case.id.to_string())))
    };
    Ok(cases.into_iter().filter(wanted).collect())
}

/// What to say when nothing was selected.
pub(super) fn nothing_selected(args: &RunArgs, all: &[String]) -> String {
    /// How many ids a message lists.
    const SHOWN: usize = 10;
    let mut asked = Vec::new();
    asked.extend(args.tags.iter().map(|tag| format!("--tag {tag}")));
    asked.extend(args.filters.iter().map(|filter| format!("--filter {filter}")));
    let listed = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if all.len() > SHOWN { format!(" and {} more", all.len() - SHOWN) } else { String::new() };
    format!(
        "error: no case matches {}\nthere are: {listed}{more}\nuse --allow-none when that is fine",
        asked.join(" ")
    )
}

/// A part of a case's id, or a glob over all of it.
enum Filter {
    Part(String),
    Glob(GlobMatcher),
}

impl Filter {
    fn new(text: &str) -> Result<Self, CliError> {
        if !text.contains(['*', '?', '[', '{']) {
            return Ok(Self::Part(text.to_owned()));
        }
        let glob =
            Glob::new(text).map_err(|error| CliError::Usage(format!("error: `--filter {text}`: {error}")))?;
        Ok(Self::Glob(glob.compile_matcher()))
    }

    fn matches(&self, id: &str) -> bool {
        match self {
            Self::Part(part) => id.contains(part.as_str()),
            Self::Glob(glob) => glob.is_match(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_part_of_the_id_or_a_glob_over_it() {
        let matches = |filter: &str, id: &str| Filter::new(filter).unwrap().matches(id);
        assert!(matches("login", "admin/login"));
        assert!(matches("admin/*", "admin/login"));
        assert!(!matches("login*", "admin/login"));
        assert!(Filter::new("a[").is_err());
    }
}
