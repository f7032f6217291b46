//! Runs that are ended from outside: nothing they started may outlive them.

use std::process::Command;

use crate::support::{Project, eventually, finish};

/// Four cases that would take a minute, with a program that leaves its process group and its parent behind.
fn slow_project() -> Project {
    let project = Project::with_page();
    for number in 1..=4 {
        project.write(
            &format!("scenarios/slow-{number}.yaml"),
            "name: slow\nserve: site\nservices:\n  - name: idle\n    command: [sleep, '600']\nsteps:
  - open_browser: /index.html
  - launch: {command: [sh, -c, 'setsid sh -c \"sleep 601 & sleep 602\" >/dev/null 2>&1 &'], wait_window: false}
  - wait: 60s
  - screenshot: never
",
        );
    }
    project.write("scenarios/unstarted.yaml", "name: last\nsteps:\n  - wait: 1ms\n");
    project
}

/// Whether every case has its browser and its daemon up.
fn is_in_full_swing(project: &Project) -> bool {
    let processes = project.processes();
    let count = |part: &str| processes.iter().filter(|process| process.contains(part)).count();
    count("sleep 602") >= 4
        && count("sleep 600") == 4
        && count("Xvfb") == 4
        && count("remote-debugging-pipe") >= 4
}

fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status().unwrap().success());
}

#[test]
fn after_sigkill_nothing_is_alive_and_the_next_run_cleans_up() {
    let project = slow_project();
    let mut child = project.command(&["scenarios", "--jobs", "4"]).spawn().unwrap();
    eventually("four cases in full swing", || is_in_full_swing(&project));
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("everything gone", || project.processes().is_empty());
    project.run_expecting(0, &["scenarios/unstarted.yaml"]);
    let left: Vec<_> =
        std::fs::read_dir(project.path("tmp")).unwrap().flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn signals_end_the_cases_and_the_reports_tell_all() {
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let project = slow_project();
        let child = project.command(&["scenarios", "--jobs", "4"]).spawn().unwrap();
        eventually("four cases in full swing", || is_in_full_swing(&project));
        // The impatient send it twice.
        send(signal, child.id());
        send(signal, child.id());
        let outcome = finish(child);
        assert_eq!(outcome.code, Some(code), "{}{}", outcome.stdout, outcome.stderr);
        eventually("everything gone", || project.processes().is_empty());
        let report = project.report();
        let cases = report["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 5);
        for case in cases {
            assert_eq!(case["verdict"]["fault"]["kind"], "cancelled", "{case:#}");
        }
        roxmltree::Document::parse(&project.read("artifacts/junit.xml")).unwrap();
        for line in project.read("artifacts/actions.jsonl").lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
}
