//! Which key carries which symbol: a fixed US keyboard, and spare keys for every other character.
//!
//! The map is uploaded before the first client connects, so nothing depends on the machine's layout, and it is not
//! read back: this table is the truth. It is pure data; [`super::keyboard`] talks to the server.

use std::collections::HashMap;

use xkeysym::Keysym;

/// The symbols of a key without and with Shift.
pub(super) type Symbols = [Keysym; 2];

/// The first keycode of the protocol. It stays empty: clients read it as evdev code 0, "no key".
pub(super) const FIRST_KEYCODE: u8 = 8;

/// The key of Shift.
pub(super) const SHIFT: u8 = 50;

/// Which keys are modifiers, in the protocol's order: Shift, Lock, Control, Mod1 to Mod5.
pub(super) const MODIFIERS: [&[u8]; 8] =
    [&[50, 62], &[66], &[37, 105], &[64, 108], &[77], &[], &[133, 134], &[92]];

/// Rows of neighbouring printing keys: the first keycode, the symbols without and with Shift (evdev keycodes, layout
/// `us` of xkeyboard-config).
const PRINTING: &[(u8, &str, &str)] = &[
    (10, "1234567890-=", "!@#$%^&*()_+"),
    (24, "qwertyuiop[]", "QWERTYUIOP{}"),
    (38, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
    (51, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (65, " ", " "),
];

/// The other keys of a PC keyboard.
const OTHERS: &[(u8, Keysym, Keysym)] = &[
    (9, Keysym::Escape, Keysym::NoSymbol),
    (22, Keysym::BackSpace, Keysym::BackSpace),
    (23, Keysym::Tab, Keysym::ISO_Left_Tab),
    (36, Keysym::Return, Keysym::NoSymbol),
    (37, Keysym::Control_L, Keysym::NoSymbol),
    (SHIFT, Keysym::Shift_L, Keysym::NoSymbol),
    (62, Keysym::Shift_R, Keysym::NoSymbol),
    (63, Keysym::KP_Multiply, Keysym::KP_Multiply),
    (64, Keysym::Alt_L, Keysym::Meta_L),
    (66, Keysym::Caps_Lock, Keysym::NoSymbol),
    (67, Keysym::F1, Keysym::F1),
    (68, Keysym::F2, Keysym::F2),
    (69, Keysym::F3, Keysym::F3),
    (70, Keysym::F4, Keysym::F4),
    (71, Keysym::F5, Keysym::F5),
    (72, Keysym::F6, Keysym::F6),
    (73, Keysym::F7, Keysym::F7),
    (74, Keysym::F8, Keysym::F8),
    (75, Keysym::F9, Keysym::F9),
    (76, Keysym::F10, Keysym::F10),
    (77, Keysym::Num_Lock, Keysym::NoSymbol),
    (78, Keysym::Scroll_Lock, Keysym::NoSymbol),
    (79, Keysym::KP_Home, Keysym::KP_7),
    (80, Keysym::KP_Up, Keysym::KP_8),
    (81, Keysym::KP_Prior, Keysym::KP_9),
    (82, Keysym::KP_Subtract, Keysym::KP_Subtract),
    (83, Keysym::KP_Left, Keysym::KP_4),
    (84, Keysym::KP_Begin, Keysym::KP_5),
    (85, Keysym::KP_Right, Keysym::KP_6),
    (86, Keysym::KP_Add, Keysym::KP_Add),
    (87, Keysym::KP_End, Keysym::KP_1),
    (88, Keysym::KP_Down, Keysym::KP_2),
    (89, Keysym::KP_Next, Keysym::KP_3),
    (90, Keysym::KP_Insert, Keysym::KP_0),
    (91, Keysym::KP_Delete, Keysym::KP_Decimal),
    (92, Keysym::ISO_Level3_Shift, Keysym::NoSymbol),
    (95, Keysym::F11, Keysym::F11),
    (96, Keysym::F12, Keysym::F12),
    (104, Keysym::KP_Enter, Keysym::NoSymbol),
    (105, Keysym::Control_R, Keysym::NoSymbol),
    (106, Keysym::KP_Divide, Keysym::KP_Divide),
    (107, Keysym::Print, Keysym::Sys_Req),
    (108, Keysym::Alt_R, Keysym::Meta_R),
    (110, Keysym::Home, Keysym::NoSymbol),
    (111, Keysym::Up, Keysym::NoSymbol),
    (112, Keysym::Prior, Keysym::NoSymbol),
    (113, Keysym::Left, Keysym::NoSymbol),
    (114, Keysym::Right, Keysym::NoSymbol),
    (115, Keysym::End, Keysym::NoSymbol),
    (116, Keysym::Down, Keysym::NoSymbol),
    (117, Keysym::Next, Keysym::NoSymbol),
    (118, Keysym::Insert, Keysym::NoSymbol),
    (119, Keysym::Delete, Keysym::NoSymbol),
    (127, Keysym::Pause, Keysym::Break),
    (133, Keysym::Super_L, Keysym::NoSymbol),
    (134, Keysym::Super_R, Keysym::NoSymbol),
    (135, Keysym::Menu, Keysym::NoSymbol),
];

/// Characters that get keys from the start, so that texts in Western languages never wait for a change of the map.
const PRELOADED: &[(&str, &str)] =
    &[("äöüàáâãåæçèéêëìíîïñòóôõøùúûýðþ", "ÄÖÜÀÁÂÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕØÙÚÛÝÐÞ"), ("ß€£°§«¿„“–’", "ẞ¢¥µ¶»¡‚”—‘")];

/// How many keys they take.
const PRELOADED_KEYS: usize = 41;

/// Keycodes that browsers act on whatever symbol they carry: stop, favourites, back, forward, sleep, power, home,
/// refresh, close, search. (Chromium looks an unknown symbol's meaning up by the hardware key.)
const NEVER_SPARE: [u8; 12] = [124, 136, 150, 164, 166, 167, 180, 181, 214, 225, 158, 148];

/// Where a symbol is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    /// The key.
    pub(super) code: u8,
    /// Whether Shift must be down.
    pub(super) shift: bool,
}

/// The map as the server has it.
#[derive(Debug)]
pub(super) struct Keymap {
    symbols: [Symbols; 256],
    keys: HashMap<Keysym, Key>,
    /// The places (a key, without or with Shift) that may be given other symbols, the longest unused first.
    spare: Vec<Key>,
}

impl Keymap {
    /// The map at the start of a case.
    pub(super) fn new() -> Self {
        let mut map = Self { symbols: [[Keysym::NoSymbol; 2]; 256], keys: HashMap::new(), spare: Vec::new() };
        for (first, plain, shifted) in PRINTING {
            for (code, (plain, shifted)) in (*first..).zip(plain.chars().zip(shifted.chars())) {
                map.set(code, [Keysym::from_char(plain), Keysym::from_char(shifted)]);
            }
        }
        for (code, plain, shifted) in OTHERS {
            map.set(*code, [*plain, *shifted]);
        }
        let is_free =
            |code: &u8| map.symbols[usize::from(*code)][0] == Keysym::NoSymbol && !NEVER_SPARE.contains(code);
        let mut free: Vec<u8> = (FIRST_KEYCODE + 1..=255).filter(is_free).collect();
        let pairs = PRELOADED.iter().flat_map(|(plain, shifted)| plain.chars().zip(shifted.chars()));
        let mut preloaded = Vec::new();
        for ((plain, shifted), code) in pairs.zip(free.split_off(free.len() - PRELOADED_KEYS)) {
            map.set(code, [Keysym::from_char(plain), Keysym::from_char(shifted)]);
            preloaded.push(code);
        }
        // Places with Shift come into use after those without; the characters set above go last.
        for codes in [free, preloaded] {
            for shift in [false, true] {
                map.spare.extend(codes.iter().map(|code| Key { code: *code, shift }));
            }
        }
        map
    }

    /// The symbols of all keys from [`FIRST_KEYCODE`] on.
    pub(super) fn symbols(&self) -> &[Symbols] {
        &self.symbols[usize::from(FIRST_KEYCODE)..]
    }

    /// The symbols of one key.
    pub(super) fn symbols_of(&self, code: u8) -> Symbols {
        self.symbols[usize::from(code)]
    }

    /// How many different symbols outside of the fixed keys can be typed without changing the map in between.
    pub(super) fn capacity(&self) -> usize {
        self.spare.len()
    }

    /// Where a symbol is.
    pub(super) fn find(&self, symbol: Keysym) -> Option<Key> {
        self.keys.get(&symbol).copied()
    }

    /// Marks a symbol's place as just used, so that others are given away first.
    pub(super) fn touch(&mut self, key: Key) {
        if let Some(position) = self.spare.iter().position(|spare| *spare == key) {
            self.spare.remove(position);
            self.spare.push(key);
        }
    }

    /// Whether a symbol is on a key that always carries it.
    pub(super) fn is_fixed(&self, symbol: Keysym) -> bool {
        self.find(symbol).is_some_and(|key| !self.spare.contains(&key))
    }

    /// Whether giving this many symbols a place takes none from another symbol.
    pub(super) fn has_free(&self, count: usize) -> bool {
        self.spare.iter().take(count).all(|key| self.holder(*key).is_none())
    }

    /// Gives a symbol the place that was unused the longest, on a key that is not `down`; gives the key's number.
    pub(super) fn assign(&mut self, symbol: Keysym, down: &[u8]) -> u8 {
        // There are hundreds of places (see the tests), and nobody holds down that many keys.
        let position = self.spare.iter().position(|key| !down.contains(&key.code)).unwrap_or_default();
        let key = self.spare.remove(position);
        self.spare.push(key);
        if let Some(old) = self.holder(key) {
            self.keys.remove(&old);
        }
        self.keys.insert(symbol, key);
        let other = self.holder(Key { shift: !key.shift, ..key });
        // A key with one symbol has it with and without Shift: clients derive a missing second symbol from the first,
        // and of a lone capital letter they make the small one.
        self.symbols[usize::from(key.code)] = match (other, key.shift) {
            (None, _) => [symbol; 2],
            (Some(other), true) => [other, symbol],
            (Some(other), false) => [symbol, other],
        };
        key.code
    }

    /// The symbol that is typed by way of this place.
    fn holder(&self, key: Key) -> Option<Keysym> {
        let symbol = self.symbols_of(key.code)[usize::from(key.shift)];
        (self.find(symbol) == Some(key)).then_some(symbol)
    }

    fn set(&mut self, code: u8, symbols: Symbols) {
        self.symbols[usize::from(code)] = symbols;
        for (symbol, shift) in symbols.into_iter().zip([false, true]) {
            if symbol != Keysym::NoSymbol {
                // The first key that has a symbol is the one to type it: the main digits come before the keypad's.
                self.keys.entry(symbol).or_insert(Key { code, shift });
            }
        }
    }
}

/// The symbol that types a character: line feed is Return, tabulator is Tab; `None` for other control characters.
pub(super) fn symbol_of(character: char) -> Option<Keysym> {
    match character {
        '\n' => Some(Keysym::Return),
        '\t' => Some(Keysym::Tab),
        _ if character.is_control() => None,
        _ => Some(Keysym::from_char(character)).filter(|symbol| *symbol != Keysym::NoSymbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ascii_character_has_a_fixed_key() {
        let map = Keymap::new();
        for character in ' '..='~' {
            assert!(map.is_fixed(symbol_of(character).unwrap()), "{character}");
        }
        assert_eq!(map.find(Keysym::A), Some(Key { code: 38, shift: true }));
        assert_eq!(map.find(Keysym::slash), Some(Key { code: 61, shift: false }));
        assert_eq!(map.find(Keysym::ISO_Left_Tab), Some(Key { code: 23, shift: true }));
    }

    #[test]
    fn western_letters_are_there_from_the_start_beside_hundreds_of_spare_places() {
        let map = Keymap::new();
        let letters: Vec<char> =
            PRELOADED.iter().flat_map(|(plain, shifted)| plain.chars().chain(shifted.chars())).collect();
        assert_eq!(letters.len(), PRELOADED_KEYS * 2);
        for letter in letters {
            assert!(map.find(symbol_of(letter).unwrap()).is_some(), "{letter}");
        }
        assert!(map.capacity() > 250 && map.has_free(150), "{}", map.capacity());
        assert!(!map.has_free(map.capacity()));
    }

    #[test]
    fn the_place_unused_the_longest_is_given_away() {
        let mut map = Keymap::new();
        let han = |n: u32| Keysym::new(0x0100_4e00 + n);
        let capacity = map.capacity() as u32;
        (0..capacity).for_each(|n| {
            map.assign(han(n), &[]);
        });
        assert!(map.find(Keysym::eacute).is_none());
        let kept = map.find(han(0)).unwrap();
        map.touch(kept);
        map.assign(han(capacity), &[]);
        assert_eq!(map.find(han(0)), Some(kept));
        assert!(map.find(han(1)).is_none());
        for n in (2..=capacity).chain([0]) {
            let key = map.find(han(n)).unwrap();
            assert_eq!(map.symbols_of(key.code)[usize::from(key.shift)], han(n));
        }
    }

    #[test]
    fn a_lone_capital_is_on_its_key_with_and_without_shift() {
        let mut map = Keymap::new();
        let capital = Keysym::from_char('Ж');
        let code = map.assign(capital, &[]);
        assert_eq!(map.symbols_of(code), [capital; 2]);
        assert_ne!(map.assign(Keysym::from_char('Ы'), &[code]), code);
    }

    #[test]
    fn no_symbol_is_on_two_keys_that_differ_in_use() {
        let map = Keymap::new();
        for (symbol, key) in &map.keys {
            assert_eq!(map.symbols_of(key.code)[usize::from(key.shift)], *symbol);
        }
    }

    #[test]
    fn control_characters_cannot_be_typed_and_emoji_can() {
        assert_eq!(symbol_of('\u{1b}'), None);
        assert_eq!(symbol_of('\r'), None);
        assert_eq!(symbol_of('\u{85}'), None);
        assert_eq!(symbol_of('🙂'), Some(Keysym::new(0x0101_f642)));
    }
}
