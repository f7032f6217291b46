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
            // Programs print a secret of several lines line by line.
            .flat_map(|secret| [secret].into_iter().chain(secret.lines().filter(move |line| *line != secret)))
            .flat_map(|secret| {
                let json = serde_json::Value::from(secret).to_string();
                let json = json[1..json.len() - 1].to_owned();
                let percent = percent_encoded(secret);
                let (form, small) = (percent.replace("%20", "+"), lower_escapes(&percent));
                let base64 = (0..3).map(|shift| base64_core(secret.as_bytes(), shift));
                let base64 = base64.flat_map(|core| [core.replace('+', "-").replace('/', "_"), core]);
                [secret.to_owned(), json, percent, form, small, xml_escaped(secret)].into_iter().chain(base64)
            })
            .filter(|form| form.chars().count() >= SHORTEST_SECRET)
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        Self { forms }
    }

    /// Whether there is nothing to keep out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
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

/// `%2F` as `%2f`: both are right, and programs write either.
fn lower_escapes(percent_encoded: &str) -> String {
    let mut parts = percent_encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (digits, rest) = part.split_at(2.min(part.len()));
        format!("{text}%{}{rest}", digits.to_ascii_lowercase())
    })
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
    fn each_line_of_a_secret_goes_and_every_spelling_of_an_escape() {
        let redactor = Redactor::new(["first half\nsecond/half?>"]);
        for text in
            ["first half", "second/half?>", "first+half", "second%2fhalf%3f%3e", "first half\\nsecond/half?>"]
        {
            assert_eq!(redactor.apply(&format!("[{text}]")), "[***]", "{text}");
        }
        // printf 'second/half?>' | base64 | tr +/ -_
        assert!(redactor.apply("c2Vjb25kL2hhbGY_Pg").contains("***"));
    }

    #[test]
    fn ordinary_text_stays() {
        assert_eq!(Redactor::new(["hunter2"]).apply("alice signs in"), "alice signs in");
        assert_eq!(Redactor::new(["ab"]).apply("about"), "about");
    }
}
