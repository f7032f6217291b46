//! `cu-run check` and `cu-run schema`: what can be said without a display.

use crate::{
    diagnostic::Diagnostic,
    scenario::{self, Case},
};

use super::{
    CliError, Exit,
    args::{CheckArgs, ScenarioArgs},
    settings,
};

/// Reads scenarios and reports every mistake in them.
#[expect(clippy::print_stdout, reason = "the command's output")]
pub(super) fn check(args: &CheckArgs) -> Result<Exit, CliError> {
    let cases = load(&args.scenarios)?;
    let files: std::collections::BTreeSet<_> = cases.iter().map(|case| &case.file).collect();
    let steps: usize = cases.iter().map(|case| case.steps.len()).sum();
    println!("{} files, {} cases, {steps} steps: no mistakes", files.len(), cases.len());
    Ok(Exit::Passed)
}

/// Prints the JSON Schema of the scenario language.
#[expect(clippy::print_stdout, reason = "the command's output")]
pub(super) fn schema() -> Result<Exit, CliError> {
    println!("{:#}", scenario::json_schema());
    Ok(Exit::Passed)
}

/// The cases of the scenarios, or every mistake in them as one message.
pub(super) fn load(args: &ScenarioArgs) -> Result<Vec<Case>, CliError> {
    let overrides = settings::overrides(args)?;
    scenario::load(&args.paths, &overrides).map_err(|mistakes| CliError::Usage(listed(&mistakes)))
}

fn listed(mistakes: &[Diagnostic]) -> String {
    let mut text: String = mistakes.iter().map(|mistake| format!("{mistake}\n\n")).collect();
    let count = if mistakes.len() == 1 { "1 error".to_owned() } else { format!("{} errors", mistakes.len()) };
    text.push_str(&count);
    text
}
