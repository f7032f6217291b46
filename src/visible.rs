//! Text from outside (titles, messages, program output) made fit to be shown on a terminal and in reports.
//!
//! Every character that a terminal would obey, that XML forbids or that reorders its neighbours is replaced by a
//! visible escape such as `\u{1b}`. Knows nothing of colours or markup; used by every room that shows text.

use std::borrow::Cow;

/// `text` on one line: line breaks and tabs become `\n` and `\t`.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) || matches!(c, '\n' | '\r' | '\t'))
}

/// `text` on as many lines as it has: line feeds and tabs stay, `\r\n` becomes a line feed.
#[must_use]
pub fn block(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        let unix = text.replace("\r\n", "\n");
        return Cow::Owned(escaped(&unix, is_hidden_in_block).into_owned());
    }
    escaped(text, is_hidden_in_block)
}

fn is_hidden_in_block(c: char) -> bool {
    // A lone carriage return lets what follows it overwrite what stands before it.
    is_hidden(c) || c == '\r'
}

/// Whether `c` acts on what shows it instead of being shown.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        // Marks, embeddings, overrides and isolates of the bidirectional algorithm; line and paragraph separators;
        // the two noncharacters that no XML document may hold.
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'
        | '\u{ffff}' => true,
        _ => c.is_control(),
    }
}

fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !hidden(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c => shown.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_in_any_script_is_left_alone() {
        let text = "Grüße, 世界 🙂 <b> & \"quoted\" ]]>";
        assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
        assert!(matches!(block(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn what_a_terminal_would_obey_becomes_visible() {
        assert_eq!(line("a\x1b[31mred\x07\0 \u{9b}2J"), r"a\u{1b}[31mred\u{7}\u{0} \u{9b}2J");
        assert_eq!(line("ab\u{202e}cd \u{ffff}"), r"ab\u{202e}cd \u{ffff}");
    }

    #[test]
    fn a_line_stays_one_line_and_a_block_keeps_its_lines() {
        assert_eq!(line("a\nb\r\n\tc"), r"a\nb\r\n\tc");
        assert_eq!(block("a\nb\r\n\tc\rd"), "a\nb\n\tc\\rd");
    }
}
