//! Names that become file names: checked once, on creation, so that no later code has to.

use std::{fmt, path::PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Longest name in bytes; leaves room for a suffix below the 255 bytes of common file systems.
const LONGEST: usize = 120;

/// One component of a path below the baselines or artifacts: letters, digits, `-`, `_` and inner dots.
///
/// No separator, no leading dot, nothing that a shell, a URL or a case-folding file system reads differently.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Why a text is no [`Name`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// Nothing or only white space.
    #[error("a name must not be empty")]
    Empty,
    /// Over 120 bytes.
    #[error("a name may have at most {LONGEST} bytes, this one has {0}")]
    TooLong(usize),
    /// A path separator, white space, a control character or a sign with a meaning elsewhere.
    #[error("`{}` is not allowed in a name (letters, digits, `-`, `_` and `.` are)", character.escape_debug())]
    Character {
        /// The first of them.
        character: char,
    },
    /// Starts or ends with a dot, or has two in a row.
    #[error("a name must not start or end with a dot, nor hold two in a row")]
    Dot,
    /// A device name on file systems shared with Windows.
    #[error("`{0}` is a reserved name")]
    Reserved(String),
}

impl Name {
    /// Checks `text`.
    pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > LONGEST {
            return Err(NameError::TooLong(text.len()));
        }
        if let Some(wrong) = text.chars().find(|c| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))) {
            return Err(NameError::Character { character: wrong });
        }
        if text.starts_with('.') || text.ends_with('.') || text.contains("..") {
            return Err(NameError::Dot);
        }
        let stem = text.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let numbered = |prefix: &str| {
            stem.strip_prefix(prefix)
                .is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit() && n != "0")
        };
        if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt") {
            return Err(NameError::Reserved(text));
        }
        Ok(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

/// What a case is called everywhere: the scenario's path without its ending, and its matrix row, such as
/// `admin/login` or `admin/login/theme-dark`. It is also the relative folder of its baselines and artifacts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CaseId(Vec<Name>);

impl CaseId {
    /// The id of these components, outermost first; at least one.
    pub fn new(components: Vec<Name>) -> Result<Self, NameError> {
        if components.is_empty() { Err(NameError::Empty) } else { Ok(Self(components)) }
    }

    /// The id with one more component.
    #[must_use]
    pub fn join(&self, name: Name) -> Self {
        let mut components = self.0.clone();
        components.push(name);
        Self(components)
    }

    /// The components, outermost first.
    #[must_use]
    pub fn components(&self) -> &[Name] {
        &self.0
    }

    /// The relative folder.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        self.0.iter().map(Name::as_str).collect()
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            name.fmt(f)?;
        }
        Ok(())
    }
}

impl TryFrom<String> for CaseId {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::new(text.split('/').map(Name::new).collect::<Result<_, _>>()?)
    }
}

impl From<CaseId> for String {
    fn from(id: CaseId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_in_any_script_are_taken() {
        for name in ["home", "a_b", "a-b", "home.diff", "Übersicht", "ログイン", "v1.2"] {
            assert!(Name::new(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_that_could_leave_their_folder_are_refused() {
        for name in [
            "", " ", "..", "../x", "a/b", "a\\b", "/etc", ".hidden", "a..b", "a\0b", "a b", "con", "NUL.x",
            "x.",
        ] {
            assert!(Name::new(name).is_err(), "{name:?}");
        }
        assert!(Name::new("x".repeat(121)).is_err());
    }

    #[test]
    fn a_case_id_is_read_back_as_it_was_written() {
        let id = CaseId::try_from("admin/login".to_owned()).unwrap();
        assert_eq!(id.to_string(), "admin/login");
        assert_eq!(id.join(Name::new("dark").unwrap()).to_path(), PathBuf::from("admin/login/dark"));
        assert!(CaseId::try_from("admin/../x".to_owned()).is_err());
    }
}
