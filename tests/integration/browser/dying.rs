//! Browsers and pages that end when they should not.

use std::time::Duration;

use cu_run::{
    browser::BrowserError,
    clock::{Clock, SystemClock},
};
use rustix::process::{Pid, Signal, kill_process};

use super::{
    server::{Reply, Server},
    stage::{Stage, patient},
};

fn died(error: &BrowserError) -> (&str, &str) {
    let BrowserError::Died { reason, log_end } = error else { panic!("{error}") };
    assert!(!error.is_failure(), "a dead browser is the harness's fault");
    (reason, log_end)
}

#[test]
fn a_killed_browser_is_told_with_its_signal_and_the_end_of_its_log() {
    let mut stage = Stage::open();
    stage.browser.health(&mut *stage.display.desktop).unwrap();
    std::fs::write(stage.display.desktop.log_dir().join("browser.log"), "last words\n").unwrap();
    let pid = stage.browser_pid();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let error = stage.browser.navigate("about:blank", &patient()).unwrap_err();
    assert_eq!(died(&error).1, "last words");
    let error = stage.browser.health(&mut *stage.display.desktop).unwrap_err();
    assert_eq!(died(&error).0, "it was killed by signal 9");
    stage.browser.close(&mut *stage.display.desktop).unwrap();
}

#[test]
fn a_crashed_page_is_told_by_the_navigation_and_by_every_later_look() {
    let server = Server::start([("/", Reply::Slow(Duration::from_secs(2), "text/html", String::new()))]);
    let mut stage = Stage::open();
    let renderers: Vec<_> =
        stage.browser_processes().into_iter().filter(|(_, line)| line.contains("--type=renderer")).collect();
    assert!(!renderers.is_empty());
    for (pid, _) in renderers {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::SEGV).unwrap();
    }
    let error = stage.browser.navigate(&server.url("/"), &patient()).unwrap_err();
    assert_eq!(died(&error).0, "the page crashed");
    let error = stage.browser.health(&mut *stage.display.desktop).unwrap_err();
    assert_eq!(died(&error).0, "the page crashed");
    let error = stage.browser.elements("a", cu_run::browser::IntoView::Leave).unwrap_err();
    assert_eq!(died(&error).0, "the page crashed");
}

#[test]
fn a_closed_browser_leaves_no_process_behind() {
    let mut stage = Stage::open();
    stage.show("<p>text");
    let pid = stage.browser_pid();
    stage.browser.close(&mut *stage.display.desktop).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    for _ in 0..100 {
        if stage.browser_processes().is_empty() {
            return;
        }
        SystemClock.sleep(Duration::from_millis(20));
    }
    panic!("left: {:?}", stage.browser_processes());
}
