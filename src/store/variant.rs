//! Further accepted pictures of one checkpoint, and what is known about them.
//!
//! `home.png`, `home@2.png`, …, `home@9.png` are tried in this order; numbers may be missing. Beside a variant may lie
//! `home@2.yaml`:
//!
//! ```yaml
//! issue: https://example.org/issues/17
//! expires: 2027-01-31     # the last day, in UTC, on which the picture still counts
//! ```
//!
//! No checkpoint can be called `home@2`: a [`crate::id::Name`] holds no `@`.

use std::{fs, io, path::Path};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::StoreError;

/// The highest number of a variant; the plain baseline is number 1.
pub(super) const LAST_VARIANT: u32 = 9;
/// A note is two lines; a longer file is none.
const LONGEST_NOTE: u64 = 4096;

/// Why a picture that is not right is accepted for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a map with `issue` and `expires`")]
pub struct KnownIssue {
    /// Where it is tracked.
    pub issue: String,
    /// The last day on which the picture counts, in UTC.
    pub expires: Date,
}

impl KnownIssue {
    /// Whether the picture counts no more on `day`.
    #[must_use]
    pub fn is_expired_on(&self, day: Date) -> bool {
        day > self.expires
    }
}

/// The note beside the variant at `picture`; `None` when there is none.
pub(super) fn note(picture: &Path) -> Result<Option<KnownIssue>, StoreError> {
    let path = picture.with_extension("yaml");
    let wrong = |reason: String| StoreError::Note { path: path.clone(), reason };
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StoreError::Unreadable { path, source }),
        Ok(metadata) if !metadata.is_file() => return Err(wrong("it is no file".to_owned())),
        Ok(metadata) if metadata.len() > LONGEST_NOTE => {
            return Err(wrong(format!("it has {} bytes, more than {LONGEST_NOTE}", metadata.len())));
        }
        Ok(_) => {}
    }
    let text =
        fs::read_to_string(&path).map_err(|source| StoreError::Unreadable { path: path.clone(), source })?;
    let known: KnownIssue = serde_saphyr::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if known.issue.trim().is_empty() {
        return Err(wrong("`issue` is empty".to_owned()));
    }
    Ok(Some(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note_of(text: &str) -> Result<Option<KnownIssue>, StoreError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("home@2.yaml"), text).unwrap();
        note(&folder.path().join("home@2.png"))
    }

    #[test]
    fn a_note_names_an_issue_and_its_last_day() {
        let known = note_of("issue: https://example.org/17\nexpires: 2027-01-31\n").unwrap().unwrap();
        assert_eq!(known.issue, "https://example.org/17");
        assert!(!known.is_expired_on(Date::constant(2027, 1, 31)));
        assert!(known.is_expired_on(Date::constant(2027, 2, 1)));
        assert_eq!(note(Path::new("/nowhere/home@2.png")).unwrap(), None);
    }

    #[test]
    fn a_note_that_is_not_understood_is_an_error_with_its_path() {
        for wrong in [
            "",
            "issue: x\n",
            "expires: 2027-01-31\n",
            "issue: ''\nexpires: 2027-01-31\n",
            "issue: x\nexpires: soon\n",
            "issue: x\nexpires: 2027-02-30\n",
            "issue: x\nexpires: 2027-01-31\nuntil: 2028-01-01\n",
        ] {
            let error = note_of(wrong).unwrap_err();
            assert!(matches!(error, StoreError::Note { .. }), "{wrong:?}: {error}");
            assert!(error.to_string().contains("home@2.yaml"), "{error}");
        }
    }
}
