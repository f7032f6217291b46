//! What is typed arrives exactly, in an xterm and in a GTK entry.

use cu_run::{
    desktop::{AppState, DesktopError, WindowManager},
    input::{KeyChord, Press},
};

use super::{Opened, open, wait_until};

/// Layouts, capitals, dead accents, Latin, Greek, Cyrillic, Han, an emoji outside of the basic plane.
const MIXED: &str =
    "Spaß ÀÉÎÕÜ àéîõü øØ ñÑ ß€ @#{}[]|\\~^`'\" ĄĘżŹ Привет 你好 🙂 QMqm Grüße é → Ω „x“ ½ <>&%$!? 0123456789";

/// Waits for the keys in an xterm that stores its lines; the line end of the last line tells that all have come.
fn typed_into_xterm(opened: &mut Opened, text: &str) -> String {
    let file = opened.workspace().join("typed");
    // Without canonical mode the terminal would limit a line to 4095 bytes.
    let script = "stty -icanon -echo; exec cat > typed";
    opened.launch(&["xterm", "-u8", "-title", "typing", "-e", "sh", "-c", script]);
    opened.focus_window("typing");
    wait_until("cat", || file.exists());
    opened.desktop.type_text(text).unwrap();
    opened.desktop.type_text("\n.\n").unwrap();
    let mut found = String::new();
    wait_until("the typed text", || {
        found = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        found.ends_with("\n.\n")
    });
    found.trim_end_matches("\n.\n").to_owned()
}

/// `count` different Han characters.
fn han(count: u32) -> String {
    (0..count).filter_map(|n| char::from_u32(0x4e00 + n * 7)).collect()
}

#[test]
fn a_mixed_text_arrives_exactly_in_a_terminal() {
    let mut opened = open(WindowManager::Openbox);
    assert_eq!(typed_into_xterm(&mut opened, MIXED), MIXED);
}

#[test]
fn a_thousand_characters_without_a_pause_arrive_exactly() {
    let mut opened = open(WindowManager::Openbox);
    let text: String = "The quick brown Fox jumps; over {the} lazy Dog: 42% ~ \"yes\" + no!\n"
        .chars()
        .cycle()
        .take(1000)
        .collect();
    assert_eq!(typed_into_xterm(&mut opened, &text), text);
}

#[test]
fn ninety_different_han_characters_arrive_exactly() {
    let mut opened = open(WindowManager::Openbox);
    assert_eq!(typed_into_xterm(&mut opened, &han(90)), han(90));
}

#[test]
fn two_hundred_and_fifty_different_characters_arrive_exactly_in_one_go() {
    let mut opened = open(WindowManager::Openbox);
    assert_eq!(typed_into_xterm(&mut opened, &han(250)), han(250));
}

#[test]
fn caps_lock_does_not_change_what_is_typed() {
    let mut opened = open(WindowManager::Openbox);
    let caps_lock = KeyChord::parse("capslock").unwrap();
    opened.desktop.chord(&caps_lock, Press::Down, false).unwrap();
    opened.desktop.chord(&caps_lock, Press::Up, false).unwrap();
    assert_eq!(typed_into_xterm(&mut opened, "aAäÄ1!"), "aAäÄ1!");
}

fn typed_into_entry(text: &str) -> String {
    let mut opened = open(WindowManager::Openbox);
    let app = opened.launch(&["zenity", "--entry", "--title", "typing", "--text", "type"]);
    opened.focus_window("typing");
    opened.desktop.type_text(text).unwrap();
    opened.desktop.type_text("\n").unwrap();
    assert_eq!(opened.await_exit(&app), AppState::Exited(0), "{}", opened.log("app.log"));
    // Warnings of the toolkit go to the same log, before the answer.
    opened.log("app.log").lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_mixed_text_arrives_exactly_in_a_gtk_entry() {
    assert_eq!(typed_into_entry(MIXED), MIXED);
}

#[test]
fn ninety_different_han_characters_arrive_exactly_in_a_gtk_entry() {
    assert_eq!(typed_into_entry(&han(90)), han(90));
}

#[test]
fn more_characters_than_the_keyboard_has_room_for_arrive_exactly() {
    let text = format!("{}äöü€{}", han(300), han(300));
    assert_eq!(typed_into_entry(&text), text);
}

#[test]
fn a_control_character_is_refused_before_anything_is_typed_and_the_error_tells_nothing_else() {
    let mut opened = open(WindowManager::Openbox);
    let error = opened.desktop.type_text("hunter2\u{1b}").unwrap_err();
    assert!(matches!(error, DesktopError::Untypable('\u{1b}')));
    assert!(!format!("{error} {error:?}").contains("hunter2"));
    assert_eq!(typed_into_xterm(&mut opened, "after"), "after");
}

#[test]
fn text_is_not_typed_while_a_modifier_is_down() {
    let mut opened = open(WindowManager::Openbox);
    opened.desktop.chord(&KeyChord::parse("ctrl").unwrap(), Press::Down, false).unwrap();
    let error = opened.desktop.type_text("secret").unwrap_err();
    assert_eq!(error.to_string(), "still held down: key Control_L");
    assert_eq!(opened.desktop.release_all().unwrap(), [""; 0]);
    assert_eq!(typed_into_xterm(&mut opened, "after"), "after");
}
