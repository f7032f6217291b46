//! Windows and the focus, with openbox and without a window manager.

use cu_run::desktop::{DesktopError, WindowManager};

use super::{Opened, open, wait_until};

fn open_xterm(opened: &mut Opened, title: &str) {
    let script = format!("exec cat > {title}");
    opened.launch(&["xterm", "-title", title, "-class", "Probe", "-e", "sh", "-c", &script]);
    // The terminal may start its program before its window is there.
    wait_until("the terminal", || {
        let is_there = opened.desktop.windows().unwrap().iter().any(|window| window.title == title);
        is_there && opened.workspace().join(title).exists()
    });
}

fn await_typed(opened: &Opened, title: &str, text: &str) {
    wait_until(text, || std::fs::read_to_string(opened.workspace().join(title)).unwrap() == text);
}

fn focused(opened: &mut Opened) -> Vec<String> {
    let windows = opened.desktop.windows().unwrap();
    windows.into_iter().filter(|window| window.focused).map(|window| window.title).collect()
}

fn switch_between_two(manager: WindowManager) {
    let mut opened = open(manager);
    open_xterm(&mut opened, "one");
    open_xterm(&mut opened, "two");
    for (title, text) in [("one", "1"), ("two", "2"), ("one", "3"), ("two", "4")] {
        let window = opened.focus_window(title);
        assert_eq!(window.class, "Probe");
        assert_eq!(focused(&mut opened), [title]);
        let highest = opened.desktop.windows().unwrap().pop().unwrap();
        assert_eq!(highest.title, title, "the focused window is the highest");
        opened.desktop.type_text(&format!("{text}\n")).unwrap();
    }
    await_typed(&opened, "one", "1\n3\n");
    await_typed(&opened, "two", "2\n4\n");
}

#[test]
fn the_focus_goes_where_it_is_sent_with_openbox() {
    switch_between_two(WindowManager::Openbox);
}

#[test]
fn the_focus_goes_where_it_is_sent_without_a_window_manager() {
    switch_between_two(WindowManager::None);
}

#[test]
fn without_a_window_manager_the_newest_window_gets_the_keys_and_then_the_one_before() {
    let mut opened = open(WindowManager::None);
    open_xterm(&mut opened, "one");
    opened.desktop.type_text("a\n").unwrap();
    await_typed(&opened, "one", "a\n");
    open_xterm(&mut opened, "two");
    // The end of input makes cat exit, and the terminal with it.
    let end = cu_run::input::KeyChord::parse("ctrl+d").unwrap();
    opened.desktop.type_text("b\n").unwrap();
    await_typed(&opened, "two", "b\n");
    opened.desktop.chord(&end, cu_run::input::Press::Down, false).unwrap();
    opened.desktop.chord(&end, cu_run::input::Press::Up, false).unwrap();
    wait_until("the end of the second terminal", || opened.desktop.windows().unwrap().len() == 1);
    assert_eq!(focused(&mut opened), ["one"]);
    opened.desktop.type_text("c\n").unwrap();
    await_typed(&opened, "one", "a\nc\n");
}

#[test]
fn a_window_that_does_not_exist_takes_no_focus() {
    for manager in [WindowManager::Openbox, WindowManager::None] {
        let mut opened = open(manager);
        let error = opened.desktop.focus(0x1234).unwrap_err();
        assert!(matches!(error, DesktopError::Focus { window: 0x1234, .. }), "{error}");
    }
}
