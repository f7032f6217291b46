//! Files that are wrong, and what is said about each: `files/NAME.yaml` and `snapshots/NAME.snap`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cu_run::scenario::{Case, Overrides, load};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/invalid/files")
}

fn shown(result: Result<Vec<Case>, Vec<cu_run::diagnostic::Diagnostic>>) -> String {
    match result {
        Ok(cases) => panic!("no mistake was found: {cases:#?}"),
        Err(diagnostics) => {
            let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            texts.join("\n\n").replace(&format!("{}/", folder().display()), "")
        }
    }
}

#[test]
fn every_wrong_file_is_answered_with_the_place_and_the_remedy() {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    assert!(files.len() > 25, "{}", files.len());
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = shown(load(std::slice::from_ref(&file), &Overrides::default()));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, text);
        });
    }
}
