//! Starting, ending and dying.

use cu_run::{
    browser::{BrowserError, BrowserSource, Frame},
    desktop::WindowManager,
    geometry::Region,
};
use image::Rgb;

use super::stage::{Display, SCREEN, Stage, source, spec};

#[test]
fn the_bare_page_fills_the_screen_to_the_last_pixel() {
    let mut stage = Stage::open();
    assert!(stage.browser.version().starts_with("Chrom"), "{}", stage.browser.version());
    assert_eq!(stage.browser.viewport().unwrap(), SCREEN.region());
    stage.show("<body style='margin:0;background:#0f6'>");
    assert_eq!(stage.painted([0, 255, 102]), SCREEN.region());
    let screen = stage.screen();
    let others = screen.pixels().filter(|pixel| **pixel != Rgb([0, 255, 102])).count();
    assert_eq!(others, 0, "a bubble lies over the page");
}

#[test]
fn the_shown_frame_leaves_the_viewport_where_the_page_is_painted() {
    let mut stage = Stage::with(&cu_run::browser::BrowserSpec { frame: Frame::Shown, ..spec() });
    stage.show("<body style='margin:0;background:#0f6'>");
    let viewport = stage.browser.viewport().unwrap();
    assert_eq!(stage.painted([0, 255, 102]), viewport);
    assert!(viewport.y > 40 && viewport.right() == SCREEN.width as i32, "{viewport}");
    assert_eq!(viewport.bottom(), SCREEN.height as i32);
}

#[test]
fn two_browsers_on_one_display_have_profiles_and_logs_of_their_own() {
    let mut display = Display::open();
    let mut first = display.browser(&spec());
    let mut second = display.browser(&spec());
    first.health(&mut *display.desktop).unwrap();
    second.health(&mut *display.desktop).unwrap();
    assert!(display.desktop.log_dir().join("browser.log").is_file());
    assert!(display.desktop.log_dir().join("browser-2.log").is_file());
    first.close(&mut *display.desktop).unwrap();
    second.health(&mut *display.desktop).unwrap();
    second.close(&mut *display.desktop).unwrap();
}

#[test]
fn a_program_that_is_no_browser_fails_the_start_with_its_exit_and_its_words() {
    let mut display = Display::open();
    let script = display.desktop.home().join("chrome.sh");
    std::fs::write(&script, "#!/bin/sh\necho no display for you >&2\nexit 7\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let spec = cu_run::browser::BrowserSpec { executable: Some(script), ..spec() };
    let error = source().open(&mut *display.desktop, &spec).err().unwrap();
    let BrowserError::Died { reason, log_end } = &error else { panic!("{error}") };
    assert!(log_end.contains("no display for you"), "{error}");
    assert!(reason.contains("code 7"), "{error}");
    assert!(!error.is_failure());
}

#[test]
fn a_browser_that_may_not_make_its_sandbox_is_told_with_the_remedy() {
    let mut display = Display::open();
    let script = display.desktop.home().join("chrome.sh");
    // The words of Chromium 156 on a system without user namespaces.
    let says = "[9:9:1/2:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu 23.10+";
    std::fs::write(&script, format!("#!/bin/sh\necho '{says}' >&2\nkill -TRAP $$\n")).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let spec = cu_run::browser::BrowserSpec { executable: Some(script), ..spec() };
    let error = source().open(&mut *display.desktop, &spec).err().unwrap();
    assert!(matches!(error, BrowserError::NoSandbox { .. }), "{error}");
    assert!(error.to_string().contains("user namespaces"), "{error}");
}

#[test]
fn nothing_is_carried_over_to_the_next_browser_on_the_same_display() {
    let mut stage = Stage::open();
    let page = stage.display.desktop.home().join("page.html");
    let html = "<title>-</title><script>document.title = localStorage.seen ?? 'new'; localStorage.seen = 'old'</script>";
    std::fs::write(&page, html).unwrap();
    let url = format!("file://{}", page.display());
    stage.go(&url);
    stage.await_title("new");
    stage.go(&url);
    stage.await_title("old");
    stage.browser.close(&mut *stage.display.desktop).unwrap();
    stage.browser = stage.display.browser(&spec());
    stage.go(&url);
    stage.await_title("new");
}

#[test]
fn without_a_window_manager_the_page_is_all_there_and_its_place_is_told_truly() {
    let mut display = Display::with(WindowManager::None);
    let browser = display.browser(&spec());
    let mut stage = Stage { browser, display };
    stage.show("<body style='margin:0;background:#0f6'>");
    // Chromium makes a window one pixel smaller than the screen, and nobody is there to enlarge it.
    let viewport = Region::new(0, 0, SCREEN.width - 1, SCREEN.height - 1);
    assert_eq!(stage.painted([0, 255, 102]), viewport);
    assert_eq!(stage.browser.viewport().unwrap(), viewport);
}
