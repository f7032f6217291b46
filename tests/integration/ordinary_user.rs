//! Runs as a user without rights, where the browser has its own sandbox.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    process::Command,
};

use crate::support::{PAGE, Project, finish};

/// `nobody` and `nogroup`.
const NOBODY: u32 = 65534;

/// Has a command run without rights, when this test has any.
fn as_nobody(command: &mut Command) -> &mut Command {
    if rustix::process::geteuid().is_root() { command.uid(NOBODY).gid(NOBODY) } else { command }
}

/// Gives everything below a folder of the project to that user.
fn give_away(project: &Project) {
    fn give(path: &std::path::Path) {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        if path.is_dir() {
            fs::read_dir(path).unwrap().flatten().for_each(|entry| give(&entry.path()));
        }
    }
    if rustix::process::geteuid().is_root() {
        give(&project.path(""));
    }
}

#[test]
fn an_ordinary_user_runs_the_browser_in_its_own_sandbox_or_is_told_why_not() {
    let project = Project::new();
    project.write("scenarios/site/index.html", PAGE);
    project.write(
        "scenarios/ships.yaml",
        "name: Ships\nserve: site\nsteps:\n  - open_browser: /index.html\n  - left_click: {css: '#go'}\n",
    );
    // The folder of the build may be closed to others.
    let program = project.path("cu-run");
    fs::copy(env!("CARGO_BIN_EXE_cu-run"), &program).unwrap();
    project.write(
        "chromium",
        "#!/bin/sh\necho \"$@\" > \"$(dirname \"$0\")/flags\"\nfor program in /usr/lib/chromium/chromium \
         /opt/google/chrome/chrome chromium google-chrome; do\n  command -v $program >/dev/null && exec $program \"$@\"\ndone\n",
    );
    fs::set_permissions(project.path("chromium"), fs::Permissions::from_mode(0o755)).unwrap();
    give_away(&project);
    let namespaces = as_nobody(Command::new("unshare").args(["--user", "--map-root-user", "true"])).status();
    let can_have_a_sandbox = namespaces.unwrap().success();

    let mut command = Command::new(&program);
    command
        .args(["scenarios", "--chromium"])
        .arg(project.path("chromium"))
        .current_dir(project.path(""))
        .env("TMPDIR", project.path("tmp"))
        .env("HOME", project.path("tmp"))
        .env_remove("CI")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let outcome = finish(as_nobody(&mut command).spawn().unwrap());
    assert!(!project.read("flags").contains("--no-sandbox"), "{}", project.read("flags"));
    if can_have_a_sandbox {
        assert_eq!(outcome.code, Some(0), "{}\n{}", outcome.stdout, outcome.stderr);
    } else {
        assert_eq!(outcome.code, Some(3), "{}\n{}", outcome.stdout, outcome.stderr);
        assert!(outcome.stdout.contains("user namespaces"), "{}\n{}", outcome.stdout, outcome.stderr);
    }
}
