//! Keeps secrets out of everything that is written down.

use std::fmt::Write as _;

/// Shortest secret in characters. A shorter one would turn every report into asterisks and is refused.
pub const SHORTEST_SECRET: usize = 3;

/// Replaces secrets, in the forms in which they leak, by `***`.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that a secret that contains another one goes as a whole.
    forms: Vec<String>,
}

impl Redactor {
    /// A redactor of these secrets.
    #[must_use]
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut forms: Vec<String> = secrets
            .into_iter()
            .filter(|secret| secret.chars().count() >= SHORTEST_SECRET)
            .flat_map(|secret| {
                let json = serde_json::Value::from(secret).to_string();
                let json = json[1..json.len() - 1].to_owned();
                [secret.to_owned(), json, percent_encoded(secret), xml_escaped(secret)]
                    .into_iter()
                    .chain((0..3).map(|shift| base64_core(secret.as_bytes(), shift)))
            })
            .filter(|form| form.chars().count() >= SHORTEST_SECRET)
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        Self { forms }
    }

    /// `text` without secrets.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        self.forms.iter().fold(text.to_owned(), |text, form| text.replace(form, "***"))
    }
}

/// Secrets are not for any log.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} forms)", self.forms.len())
    }
}

/// As in addresses: everything but unreserved characters (RFC 3986, 2.3) as `%XX`.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn xml_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The base64 characters that depend on `bytes` alone when `shift` unknown bytes stand before them.
fn base64_core(bytes: &[u8], shift: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |index: usize| -> usize {
        let byte = index / 8;
        usize::from(byte >= shift && bytes[byte - shift] >> (7 - index % 8) & 1 == 1)
    };
    let first = (shift * 8).div_ceil(6);
    let last = (shift + bytes.len()) * 8 / 6;
    (first..last)
        .map(|group| (0..6).fold(0, |value, offset| value << 1 | bit(group * 6 + offset)))
        .map(|value| char::from(ALPHABET[value]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_in_every_form() {
        let redactor = Redactor::new(["p\"w d<1>"]);
        for text in ["p\"w d<1>", "p\\\"w d<1>", "p%22w%20d%3C1%3E", "p&quot;w d&lt;1&gt;"] {
            assert_eq!(redactor.apply(&format!("a {text} b")), "a *** b", "{text}");
        }
    }

    #[test]
    fn base64_goes_whatever_stands_before_it() {
        let redactor = Redactor::new(["hunter2!"]);
        // printf 'alice:hunter2!' | base64, and with one and two characters less before the secret.
        for text in ["YWxpY2U6aHVudGVyMiE=", "bGljZTpodW50ZXIyIQ==", "aWNlOmh1bnRlcjIh"] {
            assert!(redactor.apply(text).contains("***"), "{text}: {}", redactor.apply(text));
        }
    }

    #[test]
    fn ordinary_text_stays() {
        assert_eq!(Redactor::new(["hunter2"]).apply("alice signs in"), "alice signs in");
        assert_eq!(Redactor::new(["ab"]).apply("about"), "about");
    }
}
