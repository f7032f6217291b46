//! Keys: XTEST presses on a keyboard whose map is under control.
//!
//! A client looks a key's symbol up in the *present* map when it handles the event, not in the map at the time of
//! the press. So all symbols of a text get keys of their own first, and the events follow in one go; remapping one
//! scratch key for each character loses characters at any speed.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use x11rb::protocol::{
    xkb::{ConnectionExt as _, ID},
    xproto::{
        AutoRepeatMode, ChangeKeyboardControlAux, ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
        ModMask,
    },
    xtest::ConnectionExt as _,
};
use xkeysym::Keysym;

use super::{
    connection::{Connection, Named},
    keymap::{FIRST_KEYCODE, Key, Keymap, MODIFIERS, SHIFT, symbol_of},
};
use crate::{
    clock::Clock,
    desktop::DesktopError,
    input::{KeyChord, Press},
};

/// How long clients get to take in a changed map. Without it typing was exact in all of 22 runs with four toolkits;
/// with it so far always. It is paid only by texts with characters that had no key yet.
const MAP_PAUSE: Duration = Duration::from_millis(100);

/// How long a client may take for one key at least, before a key that it may still have to look up can be remapped:
/// Chromium was measured to take 0.9 ms.
const INTAKE_PER_KEY: Duration = Duration::from_millis(3);

/// What has to come before more keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing.
    Nothing,
    /// This moment: the map gets more symbols. Xlib reads the map on a client's first key and only then asks for news
    /// of it. A change in between stays unknown to the client for good, which happened once in 30 runs on a busy
    /// machine.
    Pause(Instant),
    /// This moment, and that the programs have taken in what was typed: symbols are about to go under which it may
    /// still be looked up.
    Intake(Instant),
}

/// The keyboard of a display.
#[derive(Debug)]
pub(super) struct Keyboard {
    map: Keymap,
    /// Chords that are down, with the keys pressed for them.
    held: Vec<(KeyChord, Vec<u8>)>,
    /// When a client that is not busy has taken in what was typed.
    taken_in_at: Option<Instant>,
}

impl Keyboard {
    /// Takes the display's keyboard over: uploads the map, stops auto-repeat and sends the first key of the display.
    pub(super) fn new(connection: &mut Connection) -> Result<Self, DesktopError> {
        let x = &connection.x;
        x.xkb_use_extension(1, 0).named("XkbUseExtension")?.reply().named("XkbUseExtension")?;
        let map = Keymap::new();
        upload(connection, FIRST_KEYCODE, map.symbols())?;
        let per_modifier = MODIFIERS.iter().map(|keys| keys.len()).max().unwrap_or_default();
        let modifiers: Vec<u8> = MODIFIERS
            .iter()
            .flat_map(|keys| keys.iter().copied().chain(std::iter::repeat(0)).take(per_modifier))
            .collect();
        x.set_modifier_mapping(&modifiers)
            .named("SetModifierMapping")?
            .reply()
            .named("SetModifierMapping")?;
        set_auto_repeat(connection, false)?;
        // The first XTEST key of a display changes the keyboard's map once more: before any client is there.
        send(connection, SHIFT, Press::Down)?;
        send(connection, SHIFT, Press::Up)?;
        connection.finish("the keyboard map")?;
        Ok(Self { map, held: Vec::new(), taken_in_at: None })
    }

    /// The symbols of a text, once the keyboard is ready to type them: no key down, no lock on.
    pub(super) fn prepare(
        &mut self,
        connection: &mut Connection,
        text: &str,
    ) -> Result<Vec<Keysym>, DesktopError> {
        let symbols = text
            .chars()
            .map(|character| symbol_of(character).ok_or(DesktopError::Untypable(character)))
            .collect::<Result<_, _>>()?;
        let down = self.release_all(connection)?;
        if !down.is_empty() {
            return Err(DesktopError::HeldDown(down));
        }
        clear_locks(connection)?;
        Ok(symbols)
    }

    /// Types as many of the symbols as the keyboard has keys for at a time; gives how many that were.
    pub(super) fn type_batch(
        &mut self,
        connection: &mut Connection,
        clock: &dyn Clock,
        symbols: &[Keysym],
    ) -> Result<usize, DesktopError> {
        let batch = &symbols[..self.batch_length(symbols)];
        let keys = self.provide(connection, clock, batch)?;
        send_keys(connection, &keys)?;
        self.note_sent(clock, keys.len());
        connection.finish("XTEST key")?;
        Ok(batch.len())
    }

    /// What has to be waited for before these symbols, as far as they go together, are typed.
    pub(super) fn due(&self, symbols: &[Keysym]) -> Due {
        let batch = &symbols[..self.batch_length(symbols)];
        let missing: HashSet<&Keysym> =
            batch.iter().filter(|symbol| self.map.find(**symbol).is_none()).collect();
        match self.taken_in_at {
            Some(moment) if !missing.is_empty() => {
                if self.map.has_free(missing.len()) {
                    Due::Pause(moment)
                } else {
                    Due::Intake(moment)
                }
            }
            _ => Due::Nothing,
        }
    }

    /// Presses or releases a chord.
    pub(super) fn chord(
        &mut self,
        connection: &mut Connection,
        clock: &dyn Clock,
        chord: &KeyChord,
        press: Press,
        auto_repeat: bool,
    ) -> Result<(), DesktopError> {
        match press {
            Press::Down => {
                let keys = self.keys_of(connection, clock, chord)?;
                set_auto_repeat(connection, auto_repeat)?;
                for code in &keys {
                    send(connection, *code, Press::Down)?;
                }
                self.held.push((chord.clone(), keys));
            }
            Press::Up => {
                let keys = match self.held.iter().rposition(|(held, _)| held == chord) {
                    Some(position) => self.held.remove(position).1,
                    None => self.keys_of(connection, clock, chord)?,
                };
                for code in keys.iter().rev() {
                    send(connection, *code, Press::Up)?;
                }
                set_auto_repeat(connection, false)?;
            }
        }
        self.note_sent(clock, chord.keys().len());
        connection.finish("XTEST key")
    }

    /// Releases every key that is down; gives their names.
    pub(super) fn release_all(&mut self, connection: &mut Connection) -> Result<Vec<String>, DesktopError> {
        self.held.clear();
        let down = connection.x.query_keymap().named("QueryKeymap")?.reply().named("QueryKeymap")?;
        let is_down = |code: &u8| down.keys[usize::from(code / 8)] & (1 << (code % 8)) != 0;
        let codes: Vec<u8> = (FIRST_KEYCODE..=255).filter(is_down).collect();
        if codes.is_empty() {
            return Ok(Vec::new());
        }
        for code in &codes {
            send(connection, *code, Press::Up)?;
        }
        set_auto_repeat(connection, false)?;
        connection.finish("XTEST key")?;
        Ok(codes.iter().map(|code| self.name_of(*code)).collect())
    }

    fn note_sent(&mut self, clock: &dyn Clock, keys: usize) {
        self.taken_in_at = Some(clock.now() + MAP_PAUSE + INTAKE_PER_KEY * keys as u32);
    }

    fn name_of(&self, code: u8) -> String {
        let symbol = self.map.symbols_of(code)[0];
        // The name of a modifier or function key is safe to tell; what other keys typed may be a secret.
        match symbol.name() {
            Some(name) if symbol.raw() > 0xfd00 && symbol.raw() < 0x0100_0000 => {
                format!("key {}", name.trim_start_matches("XK_"))
            }
            _ => format!("key {code}"),
        }
    }

    /// The keys of a chord, in the order they go down; Shift is added where a symbol needs it.
    fn keys_of(
        &mut self,
        connection: &mut Connection,
        clock: &dyn Clock,
        chord: &KeyChord,
    ) -> Result<Vec<u8>, DesktopError> {
        let keys = self.provide(connection, clock, chord.keys())?;
        let mut codes = Vec::with_capacity(keys.len() + 1);
        for key in keys {
            if key.shift && !codes.iter().any(|code| MODIFIERS[0].contains(code)) {
                codes.push(SHIFT);
            }
            codes.push(key.code);
        }
        Ok(codes)
    }

    /// How many of the symbols can be typed without changing the map in between.
    fn batch_length(&self, symbols: &[Keysym]) -> usize {
        let mut seen = HashSet::new();
        let exceeds = |symbol: &Keysym| {
            if !self.map.is_fixed(*symbol) {
                seen.insert(*symbol);
            }
            seen.len() > self.map.capacity()
        };
        symbols.iter().position(exceeds).unwrap_or(symbols.len())
    }

    /// The keys of these symbols, after giving spare keys to those that have none.
    fn provide(
        &mut self,
        connection: &mut Connection,
        clock: &dyn Clock,
        symbols: &[Keysym],
    ) -> Result<Vec<Key>, DesktopError> {
        let mut missing: Vec<Keysym> = Vec::new();
        for symbol in symbols {
            match self.map.find(*symbol) {
                Some(key) => self.map.touch(key),
                None if missing.contains(symbol) => {}
                None => missing.push(*symbol),
            }
        }
        if !missing.is_empty() {
            let down: Vec<u8> = self.held.iter().flat_map(|(_, keys)| keys).copied().collect();
            for symbol in missing {
                let code = self.map.assign(symbol, &down);
                upload(connection, code, &[self.map.symbols_of(code)])?;
            }
            connection.finish("ChangeKeyboardMapping")?;
            clock.sleep(MAP_PAUSE);
        }
        Ok(symbols.iter().filter_map(|symbol| self.map.find(*symbol)).collect())
    }
}

fn upload(connection: &Connection, first: u8, symbols: &[[Keysym; 2]]) -> Result<(), DesktopError> {
    let flat: Vec<u32> = symbols.iter().flatten().map(|symbol| symbol.raw()).collect();
    let request = connection.x.change_keyboard_mapping(symbols.len() as u8, first, 2, &flat);
    request.map(drop).named("ChangeKeyboardMapping")
}

/// Sends the keys of a text; Shift goes down and up only where it changes.
fn send_keys(connection: &Connection, keys: &[Key]) -> Result<(), DesktopError> {
    let mut shift = false;
    for key in keys {
        if key.shift != shift {
            send(connection, SHIFT, if key.shift { Press::Down } else { Press::Up })?;
            shift = key.shift;
        }
        send(connection, key.code, Press::Down)?;
        send(connection, key.code, Press::Up)?;
    }
    if shift { send(connection, SHIFT, Press::Up) } else { Ok(()) }
}

fn send(connection: &Connection, code: u8, press: Press) -> Result<(), DesktopError> {
    let kind = match press {
        Press::Down => KEY_PRESS_EVENT,
        Press::Up => KEY_RELEASE_EVENT,
    };
    connection.x.xtest_fake_input(kind, code, 0, x11rb::NONE, 0, 0, 0).map(drop).named("XTEST key")
}

fn clear_locks(connection: &Connection) -> Result<(), DesktopError> {
    let (all, none) = (ModMask::from(0xff_u8), ModMask::from(0_u8));
    let keyboard = ID::USE_CORE_KBD.into();
    let request = connection.x.xkb_latch_lock_state(keyboard, all, none, true, 0_u8.into(), all, true, 0);
    request.map(drop).named("XkbLatchLockState")
}

fn set_auto_repeat(connection: &Connection, on: bool) -> Result<(), DesktopError> {
    let mode = if on { AutoRepeatMode::ON } else { AutoRepeatMode::OFF };
    let aux = ChangeKeyboardControlAux::new().auto_repeat_mode(mode);
    connection.x.change_keyboard_control(&aux).map(drop).named("ChangeKeyboardControl")
}
