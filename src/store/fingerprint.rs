//! The environment in which a picture was taken.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// What may change the pixels of an unchanged page: `browser`, `fonts`, `display`, `dpi`, `arch`, `flags`, …
/// with their values, sorted by key. Serialised as an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(BTreeMap<String, String>);

/// One entry that is not the same in two fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentChange {
    /// Its key.
    pub key: String,
    /// The baseline's value, if it has one.
    pub before: Option<String>,
    /// The present value, if there is one.
    pub after: Option<String>,
}

impl Fingerprint {
    /// Sets one entry.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.insert(key.into(), value.into());
        self
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// The entries, sorted by key.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// What changed from this environment to `now`, sorted by key; nothing when they are the same.
    #[must_use]
    pub fn changes_to(&self, now: &Self) -> Vec<EnvironmentChange> {
        let mut keys: Vec<_> = self.0.keys().chain(now.0.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        let changes = keys.into_iter().map(|key| EnvironmentChange {
            key: key.clone(),
            before: self.0.get(key).cloned(),
            after: now.0.get(key).cloned(),
        });
        changes.filter(|change| change.before != change.after).collect()
    }
}

impl FromIterator<(String, String)> for Fingerprint {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(entries: T) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl fmt::Display for EnvironmentChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        write!(f, "{}: {} -> {}", self.key, value(&self.before), value(&self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_added_and_missing_entries_are_listed_and_equal_ones_not() {
        let before =
            Fingerprint::default().with("browser", "chromium 142").with("dpi", "96").with("old", "x");
        let after = Fingerprint::default().with("browser", "chromium 143").with("dpi", "96").with("new", "y");
        let changes: Vec<_> = before.changes_to(&after).iter().map(ToString::to_string).collect();
        assert_eq!(
            changes,
            ["browser: chromium 142 -> chromium 143", "new: nothing -> y", "old: x -> nothing"]
        );
        assert!(before.changes_to(&before).is_empty());
    }
}
