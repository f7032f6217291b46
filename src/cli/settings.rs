//! What was meant by what was typed.

use std::{collections::BTreeMap, env, fs, io::IsTerminal, thread, time::Duration};

use crate::{observe::ProgressKind, report::Colour, runner::Update, scenario::Overrides};

use super::{
    CliError,
    args::{ColorArg, ProgressArg, RunArgs, ScenarioArgs, UpdateArg},
};

/// Memory that one case needs: an Xvfb (65 MiB) and a Chromium (375 MiB), measured, and its pictures.
const CASE_MIB: usize = 512;

/// Cases at once for each core. Cases mostly wait; measured, throughput peaks at two for each core.
const CASES_PER_CORE: usize = 2;

/// The variables for the scenarios: `--var` over `CU_RUN_VAR_…`.
pub(super) fn overrides(args: &ScenarioArgs) -> Result<Overrides, CliError> {
    let env: BTreeMap<String, String> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let mut vars: BTreeMap<String, String> = env
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix("CU_RUN_VAR_")?.to_owned(), value.clone())))
        .collect();
    for assignment in &args.vars {
        let (name, value) = assignment.split_once('=').ok_or_else(|| {
            CliError::Usage(format!("error: `--var {assignment}` has no `=`; write --var NAME=VALUE"))
        })?;
        vars.insert(name.to_owned(), value.to_owned());
    }
    Ok(Overrides { vars, env })
}

/// The values of secrets in the environment, by the names that scenarios declare.
pub(super) fn secrets<'a>(declared: impl Iterator<Item = &'a String>) -> BTreeMap<String, String> {
    let value = |name: &str| {
        let spellings = [format!("CU_RUN_SECRET_{name}"), name.to_uppercase(), name.to_owned()];
        spellings.iter().find_map(|spelling| env::var(spelling).ok())
    };
    declared.filter_map(|name| Some((name.clone(), value(name)?))).collect()
}

/// Whether this is a run for machines: by `--ci`, else by the variable that CI systems set.
pub(super) fn is_ci(args: &RunArgs) -> bool {
    args.ci.unwrap_or_else(|| env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false")))
}

/// Which baselines are written.
pub(super) fn update(args: &RunArgs) -> Result<Update, CliError> {
    let update = match args.update_baselines {
        None => return Ok(Update::None),
        Some(UpdateArg::Missing) => Update::Missing,
        Some(UpdateArg::Changed) => Update::Changed,
        Some(UpdateArg::All) => Update::All,
    };
    if is_ci(args) {
        return Err(CliError::Usage(
            "error: baselines are not written in CI, where nobody looks at them\n\
             run with --ci=false where a person accepts the pictures"
                .to_owned(),
        ));
    }
    Ok(update)
}

/// How many cases run at once.
pub(super) fn jobs(args: &RunArgs) -> usize {
    args.jobs.map_or_else(default_jobs, std::num::NonZero::get)
}

pub(super) fn step_timeout(args: &RunArgs) -> Result<Duration, CliError> {
    Duration::try_from_secs_f64(args.step_timeout).ok().filter(|timeout| !timeout.is_zero()).ok_or_else(
        || CliError::Usage(format!("error: `--step-timeout {}` is no number of seconds", args.step_timeout)),
    )
}

pub(super) fn progress(args: &RunArgs) -> ProgressKind {
    match args.progress {
        ProgressArg::Bars => ProgressKind::Bars,
        ProgressArg::Lines => ProgressKind::Lines,
        ProgressArg::None => ProgressKind::Hidden,
        ProgressArg::Auto if std::io::stderr().is_terminal() && !is_ci(args) => ProgressKind::Bars,
        ProgressArg::Auto => ProgressKind::Lines,
    }
}

pub(super) fn colour(args: &RunArgs) -> Colour {
    let is_on = match args.color {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => std::io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none(),
    };
    if is_on { Colour::On } else { Colour::Off }
}

fn default_jobs() -> usize {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let by_memory = available_mib().map_or(usize::MAX, |available| available / CASE_MIB);
    (cores * CASES_PER_CORE).min(by_memory).max(1)
}

/// Memory that programs can still take, from `/proc/meminfo` (proc(5)).
fn available_mib() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024)
}
