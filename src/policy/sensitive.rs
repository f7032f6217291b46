//! Which typed text is likely to be a credential.

/// Words that mark a text as sensitive wherever they stand in it.
const ANYWHERE: &[&str] = &["password", "passwd", "secret", "token", "api_key", "apikey"];

/// Words that do so only on their own: `key` stands in "keyboard" and `auth` in "author".
const ALONE: &[&str] = &["key", "auth"];

/// Whether `text` holds one of the words that credentials come with, in any case.
#[must_use]
pub fn is_sensitive(text: &str) -> bool {
    let lowered = text.to_lowercase();
    ANYWHERE.iter().any(|word| lowered.contains(word))
        || lowered.split(|c: char| !c.is_alphanumeric()).any(|word| ALONE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_noticed_and_ordinary_words_are_not() {
        for text in ["my Password1", "API_KEY=1", "x-auth: 1", "the key", "session token", "apikey"] {
            assert!(is_sensitive(text), "{text}");
        }
        for text in ["alice", "monkey", "keyboard", "author", "authentic", ""] {
            assert!(!is_sensitive(text), "{text}");
        }
    }
}
