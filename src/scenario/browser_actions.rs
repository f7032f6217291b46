//! The actions on dialogs and files of a page: as they are written, decoder and schema at once, and what is made of
//! them.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Action, Answer, AnswerDialog, KeepDownload, Target, Template, Upload,
    build::Context,
    error::Problem,
    wrappers::{Located, Payload, Shorthand},
};

/// `dialog`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`accept`, `dismiss`, or a map with `answer` or `text`")]
pub(super) struct DialogFields {
    /// The answer; `accept` when a text is given.
    answer: Option<AnswerWord>,
    /// What is written into a `prompt`.
    text: Option<Located<Template>>,
    /// A part of what the dialog must say.
    says: Option<String>,
}

impl Shorthand for DialogFields {
    const FORMS: [&'static str; 3] = ["answer", "", ""];
}

/// How a dialog is answered.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AnswerWord {
    Accept,
    Dismiss,
}

/// `upload`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `files` and `at`")]
pub(super) struct UploadFields {
    /// What opens the file chooser when it is clicked; the present position of the pointer without it.
    at: Option<Located<Target>>,
    /// The files, relative to this file's folder.
    files: Located<Vec<Located<String>>>,
}

/// `download`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a target, or a map with `at` or `name`")]
pub(super) struct DownloadFields {
    /// What is clicked first.
    at: Option<Located<Target>>,
    /// What the file must be called.
    name: Option<Located<String>>,
}

impl Shorthand for DownloadFields {
    const FORMS: [&'static str; 3] = ["name", "at", "{}"];
}

/// `dialog`, checked.
pub(super) fn dialog(dialog: Located<Payload<DialogFields>>) -> Result<Action, Problem> {
    let DialogFields { answer, text, says } = dialog.value.0;
    let answer = match (answer, text) {
        (Some(AnswerWord::Dismiss), Some(text)) => {
            return Err(Problem::at(text.span, "a dialog that is dismissed takes no text"));
        }
        (Some(AnswerWord::Dismiss), None) => Answer::Dismiss,
        (Some(AnswerWord::Accept), text) | (None, text @ Some(_)) => {
            Answer::Accept(text.map(|text| text.value))
        }
        (None, None) => {
            return Err(Problem::at(dialog.span, "`dialog` needs an `answer`")
                .hint("such as `dialog: accept` or `dialog: dismiss`"));
        }
    };
    Ok(Action::Dialog(AnswerDialog { says, answer }))
}

impl Context<'_> {
    pub(super) fn upload(&self, upload: UploadFields) -> Result<Action, Problem> {
        if upload.files.value.is_empty() {
            return Err(Problem::at(upload.files.span, "there is no file to upload"));
        }
        let at = upload.at.map(|target| self.on_screen(target));
        let files =
            upload.files.value.iter().map(|file| self.existing_file(file)).collect::<Result<_, _>>()?;
        Ok(Action::Upload(Upload { at, files }))
    }

    pub(super) fn download(&self, download: DownloadFields) -> Result<Action, Problem> {
        let name = match download.name {
            Some(Located { span, value }) if value.is_empty() || value.contains('/') => {
                return Err(Problem::at(span, format!("`{value}` is no name of a file"))
                    .hint("the name alone, without folders"));
            }
            name => name.map(|name| name.value),
        };
        Ok(Action::Download(KeepDownload { at: download.at.map(|target| self.on_screen(target)), name }))
    }

    /// The file below the scenario's own folder that `path` names.
    fn existing_file(&self, path: &Located<String>) -> Result<PathBuf, Problem> {
        let file = self.folder.join(&path.value);
        match std::fs::canonicalize(&file) {
            Ok(found) if found.is_file() => Ok(found),
            Ok(_) => Err(Problem::at(path.span, format!("`{}` is not a file", file.display()))),
            Err(error) => Err(Problem::at(path.span, format!("no file `{}`: {error}", file.display()))),
        }
    }
}
