//! `cu-run check` and `cu-run schema`: what can be said without a display.

use crate::{
    diagnostic::Diagnostic,
    scenario::{self, Case},
};

use super::{
    CliError, Exit,
    args::{CheckArgs, ScenarioArgs},
    output::say,
    settings,
};

/// Reads scenarios and reports every mistake in them.
pub(super) fn check(args: &CheckArgs) -> Result<Exit, CliError> {
    let cases = load(&args.scenarios)?;
    let files: std::collections::BTreeSet<_> = cases.iter().map(|case| &case.file).collect();
    let steps: usize = cases.iter().map(|case| case.steps.len()).sum();
    say(format_args!("{} files, {} cases, {steps} steps: no mistakes", files.len(), cases.len()));
    Ok(Exit::Passed)
}

/// Prints the JSON Schema of the scenario language.
pub(super) fn schema() -> Exit {
    say(format_args!("{:#}", scenario::json_schema()));
    Exit::Passed
}

/// The cases of the scenarios, or every mistake in them as one message.
pub(super) fn load(args: &ScenarioArgs) -> Result<Vec<Case>, CliError> {
    let overrides = settings::overrides(args)?;
    scenario::load(&args.paths, &overrides).map_err(|mistakes| CliError::Usage(listed(&mistakes)))
}

fn listed(mistakes: &[Diagnostic]) -> String {
    let mistakes_shown: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let count = if mistakes.len() == 1 { "1 error".to_owned() } else { format!("{} errors", mistakes.len()) };
    format!("{}\n\n{count}", mistakes_shown.join("\n\n"))
}
