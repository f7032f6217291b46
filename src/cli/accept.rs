//! `cu-run accept`: captures of a run become baselines.

use std::path::{Path, PathBuf};

use clap::Args;
use globset::{Glob, GlobMatcher};

use crate::{
    outcome::RunReport,
    review::{AcceptError, Accepted, Candidate, Change, Plan, RunFolder, plan},
    store::{BaselineStore, Overwrite},
};

use super::{
    CliError, Exit,
    output::{complain, say},
};

/// `cu-run accept`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct AcceptArgs {
    /// What the run left: its artifacts folder, or a ZIP archive of one
    #[arg(long, value_name = "DIR|ZIP", default_value = "artifacts")]
    artifacts: PathBuf,
    /// Folder of the accepted pictures [default: the one that the run compared with]
    #[arg(long, value_name = "DIR")]
    baselines: Option<PathBuf>,
    /// Accepts the captures whose `case/checkpoint` is this or matches this glob; may be repeated
    #[arg(long = "only", value_name = "GLOB")]
    only: Vec<String>,
    /// Accepts every capture that differs or has no baseline
    #[arg(long, conflicts_with = "only")]
    all: bool,
    /// Shows what would be accepted, and writes nothing
    #[arg(long)]
    dry_run: bool,
    /// Accepts also when the baseline is not the one the run compared with, or is no picture
    #[arg(long)]
    force: bool,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    accepted, or nothing to accept
  1    refused, and nothing was written: a baseline or a capture is not the one of the run
  2    the command line is wrong, or the artifacts cannot be read
  3    a baseline cannot be written";

/// Accepts what `args` name.
pub(super) fn accept(args: &AcceptArgs) -> Result<Exit, CliError> {
    let run = RunFolder::open(&args.artifacts).map_err(|error| usage(&error))?;
    let report = run.report().map_err(|error| usage(&error))?;
    let mut plan = plan(&run, &report).map_err(|error| usage(&error))?;
    if plan.candidates.is_empty() {
        say("nothing to accept: no capture of this run differs from its baseline or lacks one");
        return Ok(Exit::Passed);
    }
    select(args, &mut plan.candidates)?;
    let baselines = BaselineStore::new(baselines(args, &report)?);
    let refusals = plan.refusals(&baselines, args.force);
    if !refusals.is_empty() {
        for refusal in &refusals {
            complain(format_args!("refused: {refusal}"));
        }
        complain("nothing was written");
        return Ok(Exit::Failed);
    }
    write(args, &plan, &baselines)
}

fn write(args: &AcceptArgs, plan: &Plan<'_>, baselines: &BaselineStore) -> Result<Exit, CliError> {
    let overwrite = if args.force { Overwrite::AnyFile } else { Overwrite::Pictures };
    let mut written = 0;
    for candidate in &plan.candidates {
        let accepted = if args.dry_run {
            plan.preview(candidate, baselines)
        } else {
            plan.accept(candidate, baselines, overwrite).map_err(|error| stopped(&error, written))?
        };
        written += usize::from(accepted.change != Change::Kept);
        say(told(&accepted));
    }
    let verb = if args.dry_run { "would be written; this was a dry run" } else { "written" };
    say(format_args!("{written} {} {verb}", if written == 1 { "baseline" } else { "baselines" }));
    Ok(Exit::Passed)
}

fn told(accepted: &Accepted) -> String {
    let change = match accepted.change {
        Change::New => "new     ",
        Change::Replaced => "changed ",
        Change::Kept => "same    ",
    };
    format!("{change} {}  {}", accepted.name, accepted.path.display())
}

fn usage(error: &dyn std::error::Error) -> CliError {
    CliError::Usage(format!("error: {error}"))
}

fn stopped(error: &AcceptError, written: usize) -> CliError {
    CliError::Fault(format!("error: {error}\n{written} written before; run the same command again to go on"))
}

/// Keeps the candidates that were asked for.
fn select(args: &AcceptArgs, candidates: &mut Vec<Candidate>) -> Result<(), CliError> {
    let listed = |candidates: &[Candidate]| {
        candidates.iter().map(|candidate| format!("  {}", candidate.name())).collect::<Vec<_>>().join("\n")
    };
    if args.all {
        return Ok(());
    }
    if args.only.is_empty() {
        return Err(CliError::Usage(format!(
            "error: say which captures are right: --only CASE/CHECKPOINT (a glob, may be repeated) or --all\nthere are:\n{}",
            listed(candidates)
        )));
    }
    let mut wanted = Vec::new();
    for pattern in &args.only {
        let matcher = Glob::new(pattern)
            .map_err(|error| CliError::Usage(format!("error: `--only {pattern}`: {error}")))?
            .compile_matcher();
        if !candidates.iter().any(|candidate| is_meant(pattern, &matcher, candidate)) {
            return Err(CliError::Usage(format!(
                "error: `--only {pattern}` matches no capture that can be accepted\nthere are:\n{}",
                listed(candidates)
            )));
        }
        wanted.push((pattern, matcher));
    }
    candidates
        .retain(|candidate| wanted.iter().any(|(pattern, matcher)| is_meant(pattern, matcher, candidate)));
    Ok(())
}

fn is_meant(pattern: &str, matcher: &GlobMatcher, candidate: &Candidate) -> bool {
    let name = candidate.name();
    name == pattern || matcher.is_match(name)
}

/// Where the baselines are. What a run on another machine called them counts only as a name below the present folder.
fn baselines(args: &AcceptArgs, report: &RunReport) -> Result<PathBuf, CliError> {
    let named = &report.environment.baselines;
    match &args.baselines {
        Some(folder) => Ok(folder.clone()),
        None if named.is_relative() || named.is_dir() => Ok(named.clone()),
        None => Err(missing(named)),
    }
}

fn missing(named: &Path) -> CliError {
    CliError::Usage(format!(
        "error: the run compared with `{}`, which is not here\nname the folder with --baselines DIR",
        named.display()
    ))
}
