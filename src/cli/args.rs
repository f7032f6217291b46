//! What can be typed.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use super::{accept::AcceptArgs, diff::DiffArgs};

/// Runs YAML scenarios on fresh X displays and compares their screenshots with accepted baselines.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true, after_help = EXIT_CODES)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    everything passed
  1    a failure: the application looks or behaves differently, or a baseline is missing
  2    the command line or a scenario is wrong, or nothing was there to run
  3    a fault: no display, the browser died, a service was not up, a disk was full
  130  ended by SIGINT (143 by SIGTERM); the reports of what ran are written";

/// What to do instead of running scenarios.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Makes captures of a run the baselines, without running again
    Accept(AcceptArgs),
    /// Reads scenarios and reports every mistake in them, running nothing
    Check(CheckArgs),
    /// Runs unchanged scenarios several times and measures how much their screenshots differ
    Calibrate(CalibrateArgs),
    /// Compares two pictures, or two folders of pictures, without any scenario
    Diff(DiffArgs),
    /// Prints the JSON Schema of the scenario language
    Schema,
}

/// Which scenarios, and their variables.
#[derive(Debug, Clone, ClapArgs)]
pub(super) struct ScenarioArgs {
    /// Scenario files and folders of them
    #[arg(value_name = "PATH", default_value = "scenarios")]
    pub(super) paths: Vec<PathBuf>,
    /// Sets a variable of the scenarios; `CU_RUN_VAR_<NAME>` in the environment does the same
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub(super) vars: Vec<String>,
}

/// `cu-run check`.
#[derive(Debug, ClapArgs)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) scenarios: ScenarioArgs,
}

/// `cu-run`.
#[derive(Debug, ClapArgs)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) scenarios: ScenarioArgs,
    /// Folder of the accepted pictures
    #[arg(long, value_name = "DIR", default_value = "baselines")]
    pub(super) baselines: PathBuf,
    /// Folder for the reports, logs and pictures of this run
    #[arg(long, value_name = "DIR", default_value = "artifacts")]
    pub(super) artifacts: PathBuf,
    /// How many cases run at once [default: by cores and memory]
    #[arg(long, short, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Runs only cases with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// Runs only cases whose id holds this text or matches this glob; may be repeated
    #[arg(long = "filter", value_name = "PATTERN")]
    pub(super) filters: Vec<String>,
    /// Ends the run at the first case that does not pass
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Writes baselines: `missing` ones, also `changed` ones (when no value is given), or `all`
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "changed")]
    pub(super) update_baselines: Option<UpdateArg>,
    /// Refuses to write baselines, prints plain lines [default: true when CI is set in the environment]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(super) ci: Option<bool>,
    /// Lists the cases that would run, and runs nothing
    #[arg(long)]
    pub(super) list: bool,
    /// How long a step may take when it says nothing else, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(super) step_timeout: f64,
    /// The Chromium to use [default: the first found on this machine]
    #[arg(long, value_name = "FILE", env = "CU_RUN_CHROMIUM")]
    pub(super) chromium: Option<PathBuf>,
    /// Ends with 0 also when no case was there to run
    #[arg(long)]
    pub(super) allow_none: bool,
    /// How progress is shown
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    pub(super) progress: ProgressArg,
    /// Whether the summary is coloured
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorArg,
}

/// `cu-run calibrate`.
#[derive(Debug, ClapArgs)]
pub(super) struct CalibrateArgs {
    #[command(flatten)]
    pub(super) scenarios: ScenarioArgs,
    /// How often each case runs, from 2 to 100
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(super) repeat: u32,
    /// Folder for the reports, logs and pictures of the runs
    #[arg(long, value_name = "DIR", default_value = "artifacts")]
    pub(super) artifacts: PathBuf,
    /// How many cases run at once [default: by cores and memory]
    #[arg(long, short, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Runs only cases with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// Runs only cases whose id holds this text or matches this glob; may be repeated
    #[arg(long = "filter", value_name = "PATTERN")]
    pub(super) filters: Vec<String>,
    /// How long a step may take when it says nothing else, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(super) step_timeout: f64,
    /// The Chromium to use [default: the first found on this machine]
    #[arg(long, value_name = "FILE", env = "CU_RUN_CHROMIUM")]
    pub(super) chromium: Option<PathBuf>,
    /// How progress is shown
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    pub(super) progress: ProgressArg,
}

impl CalibrateArgs {
    /// The run that this is, with its baselines in `baselines`.
    pub(super) fn as_run(&self, baselines: &Path) -> RunArgs {
        RunArgs {
            scenarios: self.scenarios.clone(),
            baselines: baselines.to_owned(),
            artifacts: self.artifacts.clone(),
            jobs: self.jobs,
            tags: self.tags.clone(),
            filters: self.filters.clone(),
            fail_fast: false,
            update_baselines: None,
            ci: None,
            list: false,
            step_timeout: self.step_timeout,
            chromium: self.chromium.clone(),
            allow_none: false,
            progress: self.progress,
            color: ColorArg::Never,
        }
    }
}

/// `--update-baselines`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UpdateArg {
    /// Only where there is none
    Missing,
    /// Where there is none or the picture differs
    Changed,
    /// Every one
    All,
}

/// `--progress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ProgressArg {
    /// Bars on a terminal, lines elsewhere
    Auto,
    /// Bars
    Bars,
    /// A line for each case
    Lines,
    /// Nothing
    None,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorArg {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
