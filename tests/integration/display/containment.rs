//! Nothing that a case started outlives it.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
};

use cu_run::desktop::{AppState, DesktopSource, Program, WindowManager, XvfbConfig, XvfbSource, sweep_stale};

use super::{config, open, processes_with, program, spec, wait_until};

/// Leaves its parent twice, ignores SIGTERM and SIGHUP, and sleeps for a number of seconds that marks the test.
fn daemon(seconds: u32) -> String {
    format!("setsid sh -c 'trap \"\" TERM HUP; sleep {seconds} & sleep {seconds}' >/dev/null 2>&1 & exit 0")
}

fn sleepers(seconds: u32) -> usize {
    processes_with(&format!("sleep\u{0}{seconds}\u{0}")).len()
}

#[test]
fn closing_ends_daemons_too() {
    let mut opened = open(WindowManager::Openbox);
    opened.launch(&["sh", "-c", &daemon(700_001)]);
    wait_until("the daemon", || sleepers(700_001) == 2);
    opened.desktop.close().unwrap();
    assert_eq!(sleepers(700_001), 0);
}

#[test]
fn dropping_ends_everything_too() {
    let mut opened = open(WindowManager::Openbox);
    opened.launch(&["sh", "-c", &daemon(700_002)]);
    wait_until("the daemon", || sleepers(700_002) == 2);
    let folder = opened.desktop.home().parent().unwrap().to_owned();
    drop(opened);
    assert_eq!(sleepers(700_002), 0);
    assert!(!folder.exists());
}

#[test]
fn stopping_an_app_ends_its_daemons_and_nothing_else() {
    let mut opened = open(WindowManager::None);
    let stopped = opened.launch(&["sh", "-c", &daemon(700_003)]);
    let other = opened.launch(&["sleep", "700004"]);
    wait_until("the daemon", || sleepers(700_003) == 2 && sleepers(700_004) == 1);
    opened.desktop.stop_app(stopped.id).unwrap();
    assert_eq!((sleepers(700_003), sleepers(700_004)), (0, 1));
    assert_eq!(opened.desktop.app_state(other.id).unwrap(), AppState::Running);
    opened.desktop.stop_app(other.id).unwrap();
    assert_eq!(opened.desktop.app_state(other.id).unwrap(), AppState::Killed(15));
}

#[test]
fn exit_codes_are_told_also_of_an_app_that_ended_long_ago() {
    let mut opened = open(WindowManager::None);
    let first = opened.launch(&["sh", "-c", "exit 42"]);
    let second = opened.launch(&["sh", "-c", "kill -SEGV $$"]);
    assert_eq!(opened.await_exit(&first), AppState::Exited(42));
    assert_eq!(opened.await_exit(&second), AppState::Killed(11));
    assert_eq!(opened.desktop.app_state(first.id).unwrap(), AppState::Exited(42));
}

#[test]
fn an_app_with_pipes_is_talked_to_and_its_end_closes_them() {
    let mut opened = open(WindowManager::None);
    let argv = ["sh", "-c", "read line <&3; echo \"got $line\" >&4"];
    let app = opened.desktop.launch(&Program { pipes: true, ..program(&argv) }).unwrap();
    let mut pipes = app.pipes.unwrap();
    pipes.to_app.write_all(b"hello\n").unwrap();
    let mut answer = String::new();
    pipes.from_app.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "got hello\n");
}

/// Not a test by itself: the runner that the next test kills. Opens a display with a daemon on it, says so, and waits.
#[test]
#[ignore = "started by `killing_the_runner_leaves_nothing`"]
fn runner_to_be_killed() {
    let root = std::env::var("CU_RUN_TEST_ROOT").expect("started by another test");
    let source = XvfbSource::new(XvfbConfig { temp_root: Some(root.clone().into()), ..config() });
    let mut desktop = source.open(&spec(WindowManager::Openbox, root.as_ref())).unwrap();
    desktop.await_window_manager().unwrap();
    desktop.launch(&program(&["sh", "-c", &daemon(700_005)])).unwrap();
    desktop.launch(&program(&["xterm"])).unwrap();
    wait_until("the daemon", || sleepers(700_005) == 2);
    File::create(format!("{root}/ready")).unwrap().write_all(desktop.name().as_bytes()).unwrap();
    let _ = BufReader::new(std::io::stdin()).lines().count();
}

#[test]
fn killing_the_runner_leaves_nothing() {
    let root = tempfile::Builder::new().prefix("kill-").tempdir().unwrap();
    let mut runner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "display::containment::runner_to_be_killed", "--ignored"])
        .env("CU_RUN_TEST_ROOT", root.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let ready = root.path().join("ready");
    wait_until("the runner", || ready.exists() && std::fs::metadata(&ready).unwrap().len() > 0);
    let display = std::fs::read_to_string(&ready).unwrap();
    let mark = root.path().to_str().unwrap().to_owned();
    // Xvfb and openbox name their files below the folder in their arguments.
    assert!(processes_with(&mark).len() >= 2);

    runner.kill().unwrap();
    runner.wait().unwrap();
    let is_case = |name: std::ffi::OsString| name.to_string_lossy().starts_with("cu-run-");
    let folders = || {
        std::fs::read_dir(root.path()).unwrap().filter(|e| is_case(e.as_ref().unwrap().file_name())).count()
    };
    wait_until("the end of everything", || {
        processes_with(&mark).is_empty() && sleepers(700_005) == 0 && folders() == 0
    });
    let socket = format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':'));
    assert!(std::os::unix::net::UnixStream::connect(socket).is_err());
}

#[test]
fn what_a_killed_host_left_is_swept_by_the_next_run() {
    let root = tempfile::Builder::new().prefix("sweep-").tempdir().unwrap();
    let source = XvfbSource::new(XvfbConfig { temp_root: Some(root.path().into()), ..config() });
    let logs = tempfile::tempdir().unwrap();
    let mut desktop = source.open(&spec(WindowManager::None, logs.path())).unwrap();
    desktop.launch(&program(&["sh", "-c", &daemon(700_006)])).unwrap();
    wait_until("the daemon", || sleepers(700_006) == 2);
    assert!(sweep_stale(root.path()).is_empty(), "a folder in use was swept");
    let folder = desktop.home().parent().unwrap().to_owned();

    // A runner that was killed closes nothing and removes nothing.
    let copy = root.path().join("copy");
    let _ = Command::new("cp").arg("-a").arg(&folder).arg(&copy).status().unwrap();
    desktop.close().unwrap();
    assert_eq!(sleepers(700_006), 0);
    let left = root.path().join("cu-run-left");
    std::fs::rename(copy, &left).unwrap();
    let mark = left.join("3");
    let mut orphan = Command::new("sleep").arg("700007").env("CU_RUN_APP", mark).spawn().unwrap();
    assert_eq!(sweep_stale(root.path()), std::slice::from_ref(&left));
    assert!(!left.exists());
    assert!(!orphan.wait().unwrap().success());
}

#[test]
fn killing_the_host_is_reported_and_its_daemons_are_ended() {
    let mut opened = open(WindowManager::None);
    opened.launch(&["sh", "-c", &daemon(700_008)]);
    let probe = opened.launch(&["sh", "-c", "echo $PPID"]);
    opened.await_exit(&probe);
    wait_until("the daemon", || sleepers(700_008) == 2);
    let host = opened.log("app.log").trim().to_owned();
    let folder = opened.desktop.home().parent().unwrap().to_owned();
    assert!(Command::new("kill").args(["-9", &host]).status().unwrap().success());
    assert!(opened.desktop.close().is_err());
    assert_eq!(sleepers(700_008), 0);
    assert!(!folder.exists());
}
