//! What other tools say about the same pairs. They need node and the packages `pixelmatch`, `pngjs` and `odiff-bin`;
//! without them the table says that they are absent.

use std::{
    collections::BTreeMap,
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde::Deserialize;

use crate::{Outcome, corpus::Corpus};

/// The variable that names the folder whose `node_modules` has the packages.
const FOLDER: &str = "CU_RUN_PEERS";

/// What one tool says about one pair.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Said {
    /// Whether the pictures differ.
    pub(crate) differs: bool,
    /// Whether a pixel it marks lies in the box of the changed element.
    pub(crate) hits: bool,
}

/// By tool, what it says about each pair, in the order of the corpus.
pub(crate) type Peers = BTreeMap<String, Vec<Said>>;

/// Asks the other tools; `None`, with a message that says why, when they are not there.
pub(crate) fn run(corpus: &Corpus) -> Outcome<Option<Peers>> {
    let folder = env::var_os(FOLDER).map_or_else(|| corpus.folder.with_file_name("peers"), PathBuf::from);
    if !folder.join("node_modules").is_dir() {
        println!(
            "\nother tools: absent (npm install --prefix {} pixelmatch pngjs odiff-bin, or set {FOLDER})",
            folder.display()
        );
        return Ok(None);
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/verdict/peers.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(corpus.index())
        .current_dir(&folder)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("failed to run node: {error}"))?;
    if !output.status.success() {
        return Err(format!("the other tools' script ended with {}", output.status).into());
    }
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}
