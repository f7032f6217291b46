//! Texts from outside, fit to be shown in the page and short enough not to fill it.

use std::{borrow::Cow, path::Path};

use crate::visible;

/// Longest text in characters; a program can put its whole output into a message.
const LONGEST: usize = 4000;

/// `text` on one line.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    match cut(text) {
        Cow::Borrowed(text) => visible::line(text),
        Cow::Owned(text) => Cow::Owned(visible::line(&text).into_owned()),
    }
}

/// `text` on its lines.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    match cut(text) {
        Cow::Borrowed(text) => visible::block(text),
        Cow::Owned(text) => Cow::Owned(visible::block(&text).into_owned()),
    }
}

/// A path as people read it.
pub(super) fn path(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            Cow::Owned(format!("{} … ({more} more characters)", &text[..end]))
        }
    }
}

/// `text` inside of an HTML element or a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_end_is_cut_and_says_so() {
        let long = "ü".repeat(LONGEST + 5);
        let shown = line(&long);
        assert!(shown.ends_with("ü … (5 more characters)"), "{shown}");
        assert_eq!(line(&"ü".repeat(LONGEST)).chars().count(), LONGEST);
    }

    #[test]
    fn nothing_can_leave_an_element_or_an_attribute() {
        assert_eq!(escaped(r#"<b a="x">'&"#), "&lt;b a=&quot;x&quot;&gt;&#39;&amp;");
    }
}
