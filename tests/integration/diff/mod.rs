//! `cu-run diff` and `cu-run calibrate`, from outside.

mod calibrate;
mod cases;
mod folders;
mod kinds;
mod options;

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::support::{Outcome, finish};

/// A picture below `tests/images`.
fn image(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/images").join(name).display().to_string()
}

/// `cu-run diff` with these arguments.
fn diff(arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cu-run"));
    command.arg("diff").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().unwrap())
}

/// The same, with the exit code that is expected.
fn expecting(code: i32, arguments: &[&str]) -> Outcome {
    let outcome = diff(arguments);
    assert_eq!(
        outcome.code,
        Some(code),
        "cu-run diff {arguments:?}\nstdout:\n{}\nstderr:\n{}",
        outcome.stdout,
        outcome.stderr
    );
    outcome
}

/// What `--json` prints about two pictures below `tests/images`.
fn json(code: i32, expected: &str, actual: &str, more: &[&str]) -> Value {
    let (expected, actual) = (image(expected), image(actual));
    let arguments = [&["--json", &expected, &actual], more].concat();
    let outcome = expecting(code, &arguments);
    assert_eq!(outcome.stderr, "");
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// The message about two pictures of which one cannot be used.
fn refusal(expected: &str, actual: &str, more: &[&str]) -> String {
    let (expected, actual) = (image(expected), image(actual));
    let outcome = expecting(2, &[&[expected.as_str(), actual.as_str()], more].concat());
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    outcome.stderr
}
