//! Buttons and keys as an ordinary client gets them.

use cu_run::{
    desktop::{DesktopError, WindowManager},
    geometry::Point,
    input::{Button, KeyChord, Press},
};

use super::{Opened, open, wait_until};

/// Starts xev, which logs the events that its window gets.
fn with_xev() -> Opened {
    let mut opened = open(WindowManager::Openbox);
    opened.launch(&["stdbuf", "-oL", "xev", "-name", "events", "-geometry", "300x300"]);
    opened.focus_window("events");
    opened
}

fn await_log(opened: &Opened, what: &str) -> String {
    wait_until(what, || opened.log("app.log").contains(what));
    opened.log("app.log")
}

fn chord(opened: &mut Opened, text: &str) {
    let chord = KeyChord::parse(text).unwrap();
    opened.desktop.chord(&chord, Press::Down, false).unwrap();
    opened.desktop.chord(&chord, Press::Up, false).unwrap();
}

#[test]
fn clicks_and_keys_are_not_marked_as_synthetic() {
    let mut opened = with_xev();
    let centre = opened.focus_window("events").region.centre();
    opened.desktop.move_pointer(centre).unwrap();
    for button in [Button::Left, Button::Right, Button::ScrollDown, Button::ScrollRight] {
        opened.desktop.button(button, Press::Down).unwrap();
        opened.desktop.button(button, Press::Up).unwrap();
    }
    chord(&mut opened, "ctrl+shift+a");
    chord(&mut opened, "F9");
    let events = |log: &str| log.matches("Press event").count() + log.matches("Release event").count();
    wait_until("all events", || events(&opened.log("app.log")) >= 16);
    let log = opened.log("app.log");
    assert_eq!(events(&log), 16, "{log}");
    let is_input = |line: &&str| line.contains("Press event") || line.contains("Release event");
    assert!(log.lines().filter(is_input).all(|line| line.contains("synthetic NO")), "{log}");
    for button in [1, 3, 5, 7] {
        assert!(log.contains(&format!("button {button}, same_screen")), "{log}");
    }
    // Control and Shift are down while `A` comes: 0x1 + 0x4.
    assert!(log.contains("state 0x5, keycode 38 (keysym 0x41, A)"), "{log}");
}

#[test]
fn a_key_that_needs_shift_gets_it_and_one_without_a_key_gets_one() {
    let mut opened = with_xev();
    chord(&mut opened, "ctrl++");
    chord(&mut opened, "XF86AudioPlay");
    let log = await_log(&opened, "XF86AudioPlay");
    assert!(log.contains("state 0x5, keycode 21 (keysym 0x2b, plus)"), "{log}");
}

#[test]
fn a_held_key_repeats_only_when_asked_to() {
    let mut opened = with_xev();
    let presses = |log: &str, key: &str| log.matches(&format!(", {key}), same_screen")).count();
    for (key, repeats) in [("b", false), ("c", true)] {
        let chord = KeyChord::parse(key).unwrap();
        opened.desktop.chord(&chord, Press::Down, repeats).unwrap();
        if repeats {
            wait_until("repeats", || presses(&opened.log("app.log"), key) > 4);
        } else {
            // The server repeats after 660 ms; damage is not expected, so this waits for longer than that.
            opened.desktop.damage(std::time::Duration::from_secs(1)).unwrap();
            opened.desktop.damage(std::time::Duration::from_secs(1)).unwrap();
            assert_eq!(presses(&opened.log("app.log"), key), 1);
        }
        opened.desktop.chord(&chord, Press::Up, repeats).unwrap();
    }
}

#[test]
fn everything_still_down_is_released_and_named() {
    let mut opened = with_xev();
    let centre = opened.focus_window("events").region.centre();
    opened.desktop.move_pointer(centre).unwrap();
    opened.desktop.button(Button::Left, Press::Down).unwrap();
    opened.desktop.chord(&KeyChord::parse("ctrl+shift").unwrap(), Press::Down, false).unwrap();
    let released = opened.desktop.release_all().unwrap();
    assert_eq!(released, ["key Control_L", "key Shift_L", "left button"]);
    assert_eq!(opened.desktop.release_all().unwrap(), [""; 0]);
    await_log(&opened, "ButtonRelease event");
}

#[test]
fn a_point_off_the_screen_is_refused() {
    let mut opened = open(WindowManager::None);
    for point in [Point::new(-1, 5), Point::new(800, 5), Point::new(70_000, 5)] {
        assert!(matches!(opened.desktop.move_pointer(point), Err(DesktopError::Refused { .. })), "{point}");
    }
    opened.desktop.move_pointer(Point::new(12, 34)).unwrap();
    assert_eq!(opened.desktop.pointer().unwrap(), Point::new(12, 34));
}

#[test]
fn keys_never_overtake_a_click() {
    let mut opened = with_xev();
    let centre = opened.focus_window("events").region.centre();
    opened.desktop.move_pointer(centre).unwrap();
    let order = |log: &str| -> String {
        let kinds = [("ButtonPress", 'B'), ("ButtonRelease", 'b'), ("KeyPress", 'K'), ("KeyRelease", 'k')];
        log.lines()
            .filter_map(|line| Some(kinds.iter().find(|(name, _)| line.starts_with(name))?.1))
            .collect()
    };
    for _ in 0..50 {
        opened.desktop.button(Button::Left, Press::Down).unwrap();
        opened.desktop.type_text("x").unwrap();
        opened.desktop.button(Button::Left, Press::Up).unwrap();
        opened.desktop.type_text("y").unwrap();
    }
    wait_until("all events", || order(&opened.log("app.log")).len() >= 300);
    assert_eq!(order(&opened.log("app.log")), "BKkbKk".repeat(50));
}
