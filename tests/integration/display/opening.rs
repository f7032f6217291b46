//! How displays are opened, also many at once, and what an error says when one cannot be.

use std::{
    collections::HashSet, os::unix::fs::PermissionsExt, path::PathBuf, process::Command, time::Duration,
};

use cu_run::{
    desktop::{AppState, Desktop, DesktopError, DesktopSource, WindowManager, XvfbConfig, XvfbSource},
    geometry::{Point, Size},
};

use super::{config, open, program, spec, wait_until};

fn open_with(config: XvfbConfig, manager: WindowManager) -> Result<Box<dyn Desktop>, DesktopError> {
    let logs = tempfile::tempdir().unwrap();
    XvfbSource::new(config).open(&spec(manager, logs.path()))
}

fn error_with(config: XvfbConfig) -> String {
    open_with(config, WindowManager::None).err().expect("a display was opened").to_string()
}

fn script(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("script");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn displays_opened_together_are_different_ones() {
    let source = XvfbSource::new(config());
    let logs = tempfile::tempdir().unwrap();
    let open = || source.open(&spec(WindowManager::None, logs.path())).unwrap();
    let desktops: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..24).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let names: HashSet<_> = desktops.iter().map(|desktop| desktop.name()).collect();
    assert_eq!(names.len(), 24);
}

#[test]
fn a_foreign_server_and_a_foreign_lock_file_stay_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().join("number");
    let mut foreign = Command::new("sh")
        .args(["-c", "exec Xvfb -displayfd 3 -nolisten tcp 3>\"$0\" 2>/dev/null"])
        .arg(&number)
        .spawn()
        .unwrap();
    let read = || std::fs::read_to_string(&number).unwrap_or_default();
    wait_until("the foreign server", || read().ends_with('\n'));
    let mut opened = open(WindowManager::None);
    assert_ne!(opened.desktop.name(), format!(":{}", read().trim()));
    opened.desktop.close().unwrap();
    drop(XvfbSource::new(config()));
    let info = Command::new("xdpyinfo").args(["-display", &format!(":{}", read().trim())]).output().unwrap();
    assert!(info.status.success());
    foreign.kill().unwrap();
    foreign.wait().unwrap();
}

#[test]
fn a_client_without_the_secret_is_refused_and_one_with_it_is_not() {
    let mut opened = open(WindowManager::None);
    let name = opened.desktop.name();
    let connect = |authority: &std::path::Path| {
        let mut command = Command::new("xdpyinfo");
        command.args(["-display", &name]).env("XAUTHORITY", authority);
        command.output().unwrap().status.success()
    };
    assert!(!connect("/dev/null".as_ref()));
    assert!(connect(&opened.desktop.home().parent().unwrap().join("Xauthority")));
    opened.desktop.close().unwrap();
}

#[test]
fn the_display_is_as_asked_for_and_gone_afterwards() {
    let mut opened = open(WindowManager::Openbox);
    assert_eq!(opened.desktop.size(), Size::new(800, 600));
    assert_eq!(opened.desktop.pointer().unwrap(), Point::new(799, 599));
    let app = opened.launch(&["sh", "-c", "env; xdpyinfo | grep -E 'resolution|depth of root'"]);
    assert_eq!(opened.await_exit(&app), AppState::Exited(0));
    let log = opened.log("app.log");
    for line in ["TZ=UTC", "LANG=C.UTF-8", "CU_RUN_TEST=1", "DBUS_SESSION_BUS_ADDRESS=disabled:"] {
        assert!(log.lines().any(|found| found == line), "{line} is not in {log}");
    }
    assert!(log.contains("96x96 dots per inch") && log.contains("24 planes"), "{log}");
    assert!(!log.contains("CARGO_"), "{log}");

    let folder = opened.desktop.home().parent().unwrap().to_owned();
    let socket = format!("/tmp/.X11-unix/X{}", opened.desktop.name().trim_start_matches(':'));
    assert!(folder.is_dir() && std::fs::exists(&socket).unwrap());
    opened.desktop.close().unwrap();
    assert!(!folder.exists());
    assert!(super::processes_with(folder.to_str().unwrap()).is_empty());
}

#[test]
fn a_missing_server_is_named_with_advice() {
    let error = error_with(XvfbConfig { xvfb: "no-such-xvfb".into(), ..config() });
    assert_eq!(error, "`no-such-xvfb` was not found\ninstall it (`apt-get install xvfb`)");
}

#[test]
fn a_server_that_exits_at_once_is_reported_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let xvfb = script(&folder, "echo 'no screens found' >&2; exit 7");
    let error = error_with(XvfbConfig { xvfb, ..config() });
    assert!(error.contains("it exited with code 7\nno screens found"), "{error}");
}

#[test]
fn a_server_that_says_nothing_is_given_up_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let xvfb = script(&folder, "exec sleep 98765");
    let error = error_with(XvfbConfig { xvfb, start_timeout: Duration::from_millis(300), ..config() });
    assert!(error.contains("it did not say its display number"), "{error}");
    assert!(super::processes_with("sleep\u{0}98765").is_empty());
}

#[test]
fn a_window_manager_that_exits_is_reported_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let openbox = script(&folder, "echo 'bad theme' >&2; exit 3");
    let logs = tempfile::tempdir().unwrap();
    let source = XvfbSource::new(XvfbConfig { openbox, ..config() });
    let mut desktop = source.open(&spec(WindowManager::Openbox, logs.path())).unwrap();
    let error = desktop.await_window_manager().unwrap_err().to_string();
    assert!(error.contains("it exited with code 3\nbad theme"), "{error}");
}

#[test]
fn a_host_program_that_is_none_is_reported() {
    let error = error_with(XvfbConfig { host_program: Some("/bin/true".into()), ..config() });
    assert!(error.contains("session_host_main"), "{error}");
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let mut opened = open(WindowManager::None);
    let error = opened.desktop.launch(&program(&["no-such-app"])).unwrap_err();
    assert_eq!(error.to_string(), "`no-such-app` was not found");
    let misplaced = cu_run::desktop::Program { cwd: Some("/no/such/folder".into()), ..program(&["true"]) };
    let error = opened.desktop.launch(&misplaced).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}

#[test]
fn the_end_of_the_server_is_told_with_its_cause() {
    let mut opened = open(WindowManager::None);
    let folder = opened.desktop.home().parent().unwrap().join("Xauthority");
    for pid in super::processes_with(folder.to_str().unwrap()) {
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    }
    let error = opened.desktop.pointer().unwrap_err().to_string();
    assert!(error.contains("the X server was ended by signal 9"), "{error}");
    opened.desktop.close().unwrap();
}
