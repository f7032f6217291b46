//! What right scenarios mean: the planned cases, from real files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod documents;
mod find;
mod parts;
mod steps;
mod variables;

use std::{
    fs,
    path::{Path, PathBuf},
};

use cu_run::{
    diagnostic::Diagnostic,
    scenario::{Action, Case, Overrides, load},
};

/// A folder of files that ends with the test.
struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files, whose names may lead into folders.
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, names: &[&str], overrides: &Overrides) -> Result<Vec<Case>, String> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        load(&paths, overrides).map_err(|diagnostics| self.shown(&diagnostics))
    }

    fn shown(&self, diagnostics: &[Diagnostic]) -> String {
        let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        texts.join("\n\n").replace(&format!("{}/", self.0.path().display()), "")
    }
}

/// The cases of one file called `scenario.yaml`.
fn cases_of(text: &str, overrides: &Overrides) -> Result<Vec<Case>, String> {
    Folder::of(&[("scenario.yaml", text)]).load(&["scenario.yaml"], overrides)
}

/// The only case of one file without values from outside.
fn case_of(text: &str) -> Case {
    let mut cases = cases_of(text, &Overrides::default()).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(cases.len(), 1);
    cases.remove(0)
}

/// What is said about one file.
fn mistakes_of(text: &str) -> String {
    cases_of(text, &Overrides::default()).expect_err("no mistake was found")
}

fn actions(case: &Case) -> Vec<Action> {
    case.steps.iter().map(|step| step.action.clone()).collect()
}

fn titles(case: &Case) -> Vec<String> {
    case.steps.iter().map(cu_run::scenario::Step::title).collect()
}

/// The actions of these steps, one a line.
fn steps_of(steps: &str) -> Vec<Action> {
    let lines: Vec<String> = steps.trim().lines().map(|line| format!("  {}\n", line.trim())).collect();
    actions(&case_of(&format!("steps:\n{}", lines.concat())))
}

fn ids(cases: &[Case]) -> Vec<String> {
    cases.iter().map(|case| case.id.to_string()).collect()
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}
