//! What a hand does: buttons, key names and key combinations, as X11 keysyms but without X11.

use std::{collections::HashMap, fmt, sync::OnceLock};

use thiserror::Error;
use xkeysym::Keysym;

use crate::diagnostic::nearest;

/// A pointer button by its X11 number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Button {
    /// Button 1.
    Left,
    /// Button 2.
    Middle,
    /// Button 3.
    Right,
    /// Button 4, one notch of the wheel upwards.
    ScrollUp,
    /// Button 5.
    ScrollDown,
    /// Button 6.
    ScrollLeft,
    /// Button 7.
    ScrollRight,
}

impl Button {
    /// The number in X11 events.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Left => 1,
            Self::Middle => 2,
            Self::Right => 3,
            Self::ScrollUp => 4,
            Self::ScrollDown => 5,
            Self::ScrollLeft => 6,
            Self::ScrollRight => 7,
        }
    }
}

/// Whether a button or key goes down or comes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Press {
    /// Goes down.
    Down,
    /// Comes up.
    Up,
}

/// Keys pressed together, such as `ctrl+shift+t`: all go down in order and come up in reverse.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyChord {
    text: String,
    keys: Vec<Keysym>,
}

/// Why a text is no [`KeyChord`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Nothing between two `+`, or nothing at all.
    #[error("empty key in `{0}`")]
    Empty(String),
    /// No key has this name.
    #[error("unknown key `{name}`")]
    Unknown {
        /// The name as written.
        name: String,
        /// The nearest known name.
        suggestion: Option<String>,
    },
    /// The same key twice in one combination.
    #[error("`{0}` is named twice")]
    Twice(String),
}

impl KeyChord {
    /// Reads key names joined by `+`; a lone `+` and a trailing `++` mean the plus key.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let trimmed = text.trim();
        let names: Vec<&str> = match trimmed {
            "" => return Err(KeyError::Empty(text.to_owned())),
            "+" => vec!["+"],
            _ => match trimmed.strip_suffix("++") {
                Some(front) => front.split('+').chain(["+"]).collect(),
                None => trimmed.split('+').collect(),
            },
        };
        let mut keys = Vec::with_capacity(names.len());
        for name in names {
            let name = name.trim();
            if name.is_empty() {
                return Err(KeyError::Empty(text.to_owned()));
            }
            let keysym = keysym_named(name).ok_or_else(|| KeyError::Unknown {
                name: name.to_owned(),
                suggestion: nearest(name, key_names()).map(str::to_owned),
            })?;
            if keys.contains(&keysym) {
                return Err(KeyError::Twice(name.to_owned()));
            }
            keys.push(keysym);
        }
        Ok(Self { text: trimmed.to_owned(), keys })
    }

    /// The keys in the order they go down.
    #[must_use]
    pub fn keys(&self) -> &[Keysym] {
        &self.keys
    }
}

impl fmt::Display for KeyChord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Names that people and agents use beside the X11 keysym names; matched without regard to case.
const ALIASES: &[(&str, Keysym)] = &[
    ("ctrl", Keysym::Control_L),
    ("control", Keysym::Control_L),
    ("alt", Keysym::Alt_L),
    ("option", Keysym::Alt_L),
    ("shift", Keysym::Shift_L),
    ("super", Keysym::Super_L),
    ("win", Keysym::Super_L),
    ("cmd", Keysym::Super_L),
    ("meta", Keysym::Super_L),
    ("altgr", Keysym::ISO_Level3_Shift),
    ("return", Keysym::Return),
    ("enter", Keysym::Return),
    ("escape", Keysym::Escape),
    ("esc", Keysym::Escape),
    ("tab", Keysym::Tab),
    ("space", Keysym::space),
    ("backspace", Keysym::BackSpace),
    ("delete", Keysym::Delete),
    ("del", Keysym::Delete),
    ("insert", Keysym::Insert),
    ("ins", Keysym::Insert),
    ("home", Keysym::Home),
    ("end", Keysym::End),
    ("pageup", Keysym::Page_Up),
    ("pgup", Keysym::Page_Up),
    ("pagedown", Keysym::Page_Down),
    ("pgdn", Keysym::Page_Down),
    ("pgdown", Keysym::Page_Down),
    ("up", Keysym::Up),
    ("down", Keysym::Down),
    ("left", Keysym::Left),
    ("right", Keysym::Right),
    ("capslock", Keysym::Caps_Lock),
    ("numlock", Keysym::Num_Lock),
    ("scrolllock", Keysym::Scroll_Lock),
    ("menu", Keysym::Menu),
    ("printscreen", Keysym::Print),
    ("plus", Keysym::plus),
    ("minus", Keysym::minus),
];

/// Keysym names by the X11 protocol, appendix A, and of the XF86 vendor range.
fn keysyms_by_name() -> &'static HashMap<String, Keysym> {
    static TABLE: OnceLock<HashMap<String, Keysym>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let ranges = [0x20..0x0100_u32, 0x0100..0x3000, 0xfe00..0x1_0000, 0x1008_fe00..0x1009_0000];
        ranges
            .into_iter()
            .flatten()
            .filter_map(|raw| {
                let keysym = Keysym::new(raw);
                let name = keysym.name()?;
                // The headers' `XF86XK_AudioPlay` is called `XF86AudioPlay` by every X11 program.
                Some((name.trim_start_matches("XK_").replacen("XF86XK_", "XF86", 1), keysym))
            })
            .collect()
    })
}

/// The keysym called `name`: an alias, an X11 name or a single character.
#[must_use]
pub fn keysym_named(name: &str) -> Option<Keysym> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        // `A` on its own is the key that types it, not a chord with Shift: the keyboard finds the level.
        return (!character.is_control()).then(|| Keysym::from_char(character));
    }
    let lowered = name.to_lowercase();
    if let Some((_, keysym)) = ALIASES.iter().find(|(alias, _)| *alias == lowered) {
        return Some(*keysym);
    }
    let table = keysyms_by_name();
    table.get(name).copied().or_else(|| {
        // Function keys are written `f5` as often as `F5`.
        table.iter().find(|(known, _)| known.len() > 1 && known.eq_ignore_ascii_case(name)).map(|(_, k)| *k)
    })
}

/// Every key name, for suggestions.
fn key_names() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    aliases.chain(keysyms_by_name().keys().map(String::as_str).filter(|name| name.len() > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_in_every_spelling_are_read() {
        let keys = |text: &str| KeyChord::parse(text).unwrap().keys().to_vec();
        assert_eq!(keys("ctrl+shift+t"), [Keysym::Control_L, Keysym::Shift_L, Keysym::t]);
        assert_eq!(keys("Enter"), [Keysym::Return]);
        assert_eq!(keys("ctrl++"), [Keysym::Control_L, Keysym::plus]);
        assert_eq!(keys("+"), [Keysym::plus]);
        assert_eq!(keys("F12"), [Keysym::F12]);
        assert_eq!(keys("f5"), [Keysym::F5]);
        assert_eq!(keys("ctrl+l"), [Keysym::Control_L, Keysym::l]);
        assert_eq!(keys("XF86AudioPlay"), [Keysym::XF86_AudioPlay]);
        assert_eq!(keys("eacute"), [Keysym::eacute]);
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let error = KeyChord::parse("ctrl+retrun").unwrap_err();
        let KeyError::Unknown { name, suggestion } = error else { panic!("{error}") };
        assert_eq!((name.as_str(), suggestion.as_deref()), ("retrun", Some("return")));
    }

    #[test]
    fn empty_and_doubled_keys_are_refused() {
        assert!(matches!(KeyChord::parse("ctrl+"), Err(KeyError::Empty(_))));
        assert!(matches!(KeyChord::parse(" "), Err(KeyError::Empty(_))));
        assert!(matches!(KeyChord::parse("ctrl+control+a"), Err(KeyError::Twice(_))));
    }
}
