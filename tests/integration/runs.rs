//! Whole runs of the program: real display, real browser.

use serde_json::Value;

use crate::support::{PAGE, Project};

/// One scenario with two checkpoints.
const SCENARIO: &str = "name: Ships
serve: site
steps:
  - open_browser: /index.html
  - screenshot: first
  - left_click: {css: '#go'}
  - screenshot: second
";

fn checkpoints(report: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for case in report["cases"].as_array().unwrap() {
        for step in case["steps"].as_array().unwrap() {
            if let Some(name) = step["checkpoint"]["name"].as_str() {
                found.push((name.to_owned(), step["verdict"]["word"].as_str().unwrap().to_owned()));
            }
        }
    }
    found
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect()
}

#[test]
fn from_a_missing_baseline_to_a_difference() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);

    // Without baselines everything fails and nothing is written.
    let outcome = project.run_expecting(1, &["scenarios"]);
    assert!(outcome.stdout.contains("has no baseline"), "{}", outcome.stdout);
    assert!(!project.path("baselines").exists());
    assert!(project.path("artifacts/ships/actual/first.png").exists());

    project.run_expecting(0, &["scenarios", "--update-baselines=missing"]);
    assert!(project.path("baselines/ships/second.png").exists());

    // Fresh displays, equal pixels: the digests of captures and baselines agree.
    for _ in 0..2 {
        project.run_expecting(0, &["scenarios"]);
        let report = project.report();
        for step in report["cases"][0]["steps"].as_array().unwrap() {
            let checkpoint = &step["checkpoint"];
            assert_eq!(checkpoint["actual"]["digest"], checkpoint["baseline"]["digest"]);
        }
    }

    project.write("scenarios/site/index.html", PAGE.replace("Three ships", "Seven ships"));
    let outcome = project.run_expecting(1, &["scenarios"]);
    let report = project.report();
    assert_eq!(checkpoints(&report), named(&[("first", "failed"), ("second", "passed")]));
    for text in [&outcome.stdout, &project.read("artifacts/junit.xml"), &project.read("artifacts/run.json")] {
        assert!(text.contains("checkpoint `first` differs in 1 region"), "{text}");
    }
    let junit = project.read("artifacts/junit.xml");
    assert!(junit.contains("[[ATTACHMENT|ships/difference/first.png]]"), "{junit}");
    assert!(project.path("artifacts/ships/difference/first.png").exists());
    assert!(!project.path("artifacts/ships/difference/second.png").exists());
}

#[test]
fn ci_never_writes_a_baseline() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);
    project.run_expecting(2, &["scenarios", "--update-baselines", "--ci"]);
    project.run_expecting(1, &["scenarios", "--ci"]);
    assert!(!project.path("baselines").exists());
}

#[test]
fn a_missing_baseline_is_not_retried() {
    let project = Project::with_page();
    project.write(
        "scenarios/ships.yaml",
        "name: a\nserve: site\nsteps:\n  - open_browser: /index.html\n  - screenshot: first\n    retry: 3\n",
    );
    project.run_expecting(1, &["scenarios"]);
    let step = &project.report()["cases"][0]["steps"][1];
    assert_eq!(step["retries"], 0);
    assert_eq!(step["verdict"]["failure"]["kind"], "missing_baseline");
    assert!(!project.path("baselines").exists());
}

#[test]
fn equal_names_in_different_folders_are_different_cases() {
    let project = Project::with_page();
    project.write("scenarios/site/other.html", PAGE.replace("Harbour", "Airport"));
    for (folder, page) in [("admin", "index"), ("user", "other")] {
        project.write(
            &format!("scenarios/{folder}/login.yaml"),
            format!(
                "name: login\nserve: ../site\nsteps:\n  - open_browser: /{page}.html\n  - screenshot: page\n"
            ),
        );
    }
    project.run_expecting(0, &["scenarios", "--jobs", "2", "--update-baselines=missing"]);
    project.run_expecting(0, &["scenarios", "--jobs", "2"]);
    let read = |path: &str| std::fs::read(project.path(path)).unwrap();
    assert_ne!(read("baselines/admin/login/page.png"), read("baselines/user/login/page.png"));
    let report = project.report();
    let ids: Vec<&str> =
        report["cases"].as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["admin/login", "user/login"]);
}

#[test]
fn a_baseline_that_is_no_picture_is_a_fault_that_says_what_it_is() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);
    project.write(
        "baselines/ships/first.png",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    );
    project.write("baselines/ships/second.png", "");
    let outcome = project.run_expecting(3, &["scenarios"]);
    assert!(outcome.stdout.contains("git lfs pull"), "{}", outcome.stdout);
    // An update does not replace it without a word.
    project.run_expecting(3, &["scenarios", "--update-baselines=all"]);
    assert!(project.read("baselines/ships/first.png").starts_with("version https"));
}

#[test]
fn an_address_that_refuses_is_a_failure_and_a_dead_browser_a_fault() {
    let project = Project::with_page();
    project.write("scenarios/refused.yaml", "name: a\nsteps:\n  - open_browser: 'http://127.0.0.1:9/'\n");
    project.run_expecting(1, &["scenarios/refused.yaml"]);
    let verdict = project.report()["cases"][0]["steps"][0]["verdict"].clone();
    assert_eq!(verdict["failure"]["kind"], "navigation");
    assert!(verdict["failure"]["message"].as_str().unwrap().contains("ERR_"), "{verdict}");

    project.write(
        "scenarios/dead.yaml",
        "name: a\nserve: site\nsteps:
  - open_browser: /index.html
  - launch: {command: [sh, -c, 'for p in /proc/[0-9]*; do grep -qsz \"user-data-dir=$HOME\" $p/cmdline && kill -9 $${p#/proc/}; done'], wait_window: false}
  - wait: 3s
  - screenshot: page\n",
    );
    project.run_expecting(3, &["scenarios/dead.yaml"]);
    let steps = project.report()["cases"][0]["steps"].clone();
    assert_eq!(steps[3]["verdict"]["fault"]["kind"], "browser", "{steps:#}");
}

#[test]
fn services_are_awaited_and_their_logs_kept() {
    let project = Project::new();
    // A web server in the perl that every Debian has.
    project.write(
        "scenarios/server.pl",
        r#"use IO::Socket::INET;
my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 9, ReuseAddr => 1) or die $!;
$| = 1; print "listening\n";
while (my $c = $s->accept) { my $l = <$c>; while (my $h = <$c>) { last if $h =~ /^\r?$/ }
  my $b = "<h1>Served by a service</h1>";
  print $c "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: " . length($b) . "\r\n\r\n$b"; close $c }
"#,
    );
    let service = |ready: &str| {
        format!(
            "name: a\nservices:\n  - name: web\n    command: [perl, server.pl, '${{port.web}}']\n    ready: {ready}\n\
             steps:\n  - open_browser: 'http://127.0.0.1:${{port.web}}/'\n  - screenshot: page\n"
        )
    };
    for ready in
        ["{http: 'http://127.0.0.1:${port.web}/'}", "{tcp: '127.0.0.1:${port.web}'}", "{log: listening}"]
    {
        project.write("scenarios/a.yaml", service(ready));
        project.run_expecting(0, &["scenarios", "--update-baselines=missing"]);
    }
    let logs: Vec<_> = project.files("artifacts/a").into_iter().map(|(path, _)| path).collect();
    assert!(logs.iter().any(|path| path.ends_with("service-web.log")), "{logs:?}");

    project.write(
        "scenarios/a.yaml",
        "name: a\nservices:\n  - name: web\n    command: [sh, -c, 'echo no room >&2; exit 7']\n    ready: {tcp: '127.0.0.1:9'}\n\
         steps:\n  - wait: 1ms\n",
    );
    let outcome = project.run_expecting(3, &["scenarios"]);
    assert!(outcome.stdout.contains("code 7") && outcome.stdout.contains("no room"), "{}", outcome.stdout);
}

#[test]
fn nothing_to_run_is_not_green() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);
    let outcome = project.run_expecting(2, &["scenarios", "--filter", "nope"]);
    assert!(outcome.stderr.contains("nope") && outcome.stderr.contains("ships"), "{}", outcome.stderr);
    project.run_expecting(0, &["scenarios", "--filter", "nope", "--allow-none"]);
    assert!(project.read("artifacts/junit.xml").contains("tests=\"0\""));
    project.run_expecting(2, &["missing"]);
    project.write("empty/readme.txt", "no scenario");
    project.run_expecting(2, &["empty"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let project = Project::with_page();
    project.write("scenarios/ships.yaml", SCENARIO);
    let mut child = project.command(&["scenarios", "--list"]).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn a_scenario_in_the_present_folder_is_named_by_its_bare_file_name() {
    let project = Project::new();
    project.write("login.yaml", "name: login\nsteps:\n  - wait: 0.1\n");
    let listed = project.run_expecting(0, &["login.yaml", "--list"]).stdout;
    assert!(listed.starts_with("login"), "{listed}");
}
