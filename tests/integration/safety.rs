//! Secrets and approvals in whole runs.

use crate::support::Project;

const SECRET: &str = "Sesam-öffne \"dich\" 42";

#[test]
fn a_secret_is_typed_whole_and_stands_in_no_artifact() {
    let project = Project::new();
    project.write(
        "scenarios/site/index.html",
        "<!doctype html><meta charset=utf-8><input type=password id=field autofocus>
         <p id=ok>?</p><script>field.oninput=()=>{ if (field.value === 'Sesam-öffne \"dich\" 42') ok.remove() }</script>",
    );
    project.write(
        "scenarios/a.yaml",
        "name: a\nserve: site\nsecrets: [door]
services:
  - name: teller
    command: [sh, -c, 'echo it is \"$CU_TEST_ECHO\" and more; sleep 600']
    env: {CU_TEST_ECHO: '${secret.door}'}
    ready: {log: and more}
steps:
  - open_browser: /index.html
  - left_click: {css: '#field'}
  - type: ${secret.door}
    confirm: true
  - left_click: {css: '#ok'}
    timeout: 500ms
  - navigate: 'http://127.0.0.1:9/?q=${secret.door}'
",
    );
    let mut command = project.command(&["scenarios"]);
    let outcome = crate::support::finish(command.env("CU_RUN_SECRET_door", SECRET).spawn().unwrap());
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    // The element disappears only when the whole secret arrived.
    let steps = project.report()["cases"][0]["steps"].clone();
    assert_eq!(steps[3]["verdict"]["failure"]["kind"], "target_not_found", "{steps:#}");

    let forms = [
        SECRET,
        "Sesam-öffne \\\"dich\\\" 42",
        "Sesam-%C3%B6ffne%20%22dich%22%2042",
        "U2VzYW0tw7ZmZm5lICJkaWNoIiA0M",
    ];
    let mut texts: Vec<(String, Vec<u8>)> = project
        .files("artifacts")
        .into_iter()
        .map(|(path, content)| (path.display().to_string(), content))
        .collect();
    texts.push(("stdout".to_owned(), outcome.stdout.into_bytes()));
    texts.push(("stderr".to_owned(), outcome.stderr.into_bytes()));
    for (name, content) in texts {
        for form in forms {
            let found = content.windows(form.len()).any(|window| window == form.as_bytes());
            assert!(!found, "{name} holds the secret as {form}");
        }
    }
}

#[test]
fn what_needs_a_confirmation_is_not_done_without_one() {
    let project = Project::with_page();
    project.write(
        "scenarios/a.yaml",
        "name: a\nserve: site\nsteps:
  - open_browser: /index.html
  - left_click: {css: '#field'}
  - type: my password
",
    );
    project.run_expecting(1, &["scenarios"]);
    let step = project.report()["cases"][0]["steps"][2].clone();
    assert_eq!(step["verdict"]["failure"]["kind"], "needs_approval");
    let log = project.read("artifacts/actions.jsonl");
    assert!(log.contains("\"needs_approval\""), "{log}");
    assert!(!log.contains("my password"), "{log}");
}

#[test]
fn a_secret_without_a_value_or_too_short_is_a_fault() {
    let project = Project::with_page();
    project.write("scenarios/a.yaml", "name: a\nsecrets: [door]\nsteps:\n  - wait: 1ms\n");
    let outcome = project.run_expecting(3, &["scenarios"]);
    assert!(outcome.stdout.contains("CU_RUN_SECRET_door"), "{}", outcome.stdout);
    let mut command = project.command(&["scenarios"]);
    let outcome = crate::support::finish(command.env("CU_RUN_SECRET_door", "ab").spawn().unwrap());
    assert_eq!(outcome.code, Some(3), "{}", outcome.stdout);
}
