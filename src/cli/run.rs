//! `cu-run PATH…`: runs scenarios.

use std::{path::Path, sync::Arc};

use crate::{
    browser::{ChromiumConfig, ChromiumSource},
    clock::{Clock, SystemClock},
    desktop::{XvfbConfig, XvfbSource},
    observe::{ActionLog, Observer, Progress},
    outcome::{Environment, RunReport},
    report::{self, Style},
    runner::{Cancel, RunSettings, Suite, Update, Workbench, run_suite},
    scenario::Case,
    store::{BaselineStore, EvidenceStore},
};

use super::{
    CliError, Exit,
    args::RunArgs,
    artifacts,
    check::load,
    environment,
    output::{complain, say},
    select, settings,
    signals::SignalWatch,
};

/// Runs the scenarios that `args` name.
pub(super) fn run(args: &RunArgs) -> Result<Exit, CliError> {
    let update = settings::update(args)?;
    settings::step_timeout(args)?;
    let all = load(&args.scenarios)?;
    let ids: Vec<String> = all.iter().map(|case| case.id.to_string()).collect();
    let cases = select::select(args, all)?;
    if args.list {
        return Ok(list(&cases));
    }
    artifacts::prepare(&args.artifacts)?;
    let settings = RunSettings { update, ..run_settings(args, cases.len())? };
    let suite = run_cases(args, &settings, &cases)?;
    let report_failures = artifacts::write_reports(&suite.report, &args.artifacts);
    show(args, &suite.report);
    for failure in &report_failures {
        complain(failure);
    }
    if let Some(failure) = &suite.log_failure {
        complain(failure);
    }
    if suite.report.interrupted.is_none() && (suite.log_failure.is_some() || !report_failures.is_empty()) {
        return Ok(Exit::Fault);
    }
    if !args.allow_none && suite.report.totals.skipped == suite.report.totals.cases && cases.is_empty() {
        return Err(CliError::Usage(select::nothing_selected(args, &ids)));
    }
    Ok(outcome_of(args, &suite.report))
}

/// How `args` say that a number of cases is to be run; writes no baselines.
pub(super) fn run_settings(args: &RunArgs, cases: usize) -> Result<RunSettings, CliError> {
    let jobs = settings::jobs(args);
    Ok(RunSettings {
        jobs,
        fail_fast: args.fail_fast,
        update: Update::None,
        environment: Environment {
            cu_run: env!("CARGO_PKG_VERSION").to_owned(),
            baselines: args.baselines.clone(),
            jobs: jobs.min(cases.max(1)),
            facts: environment::facts(),
        },
        step_timeout: settings::step_timeout(args)?,
    })
}

/// Runs `cases` on real displays with real browsers; a signal ends them.
pub(super) fn run_cases(args: &RunArgs, settings: &RunSettings, cases: &[Case]) -> Result<Suite, CliError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let desktops = XvfbSource::new(XvfbConfig::default());
    let browsers = ChromiumSource::new(
        ChromiumConfig { executable: args.chromium.clone(), ..ChromiumConfig::default() },
        Arc::clone(&clock),
    );
    let log = ActionLog::create(&args.artifacts.join("actions.jsonl"))
        .map_err(|error| CliError::Fault(format!("error: {error}")))?;
    let progress = Progress::new(settings::progress(args));
    let observers: [&dyn Observer; 2] = [&log, &progress];
    let baselines = BaselineStore::new(&args.baselines);
    let evidence = EvidenceStore::new(&args.artifacts);
    let cancel = Cancel::default();
    let secrets = settings::secrets(cases.iter().flat_map(|case| &case.secrets));
    let bench = Workbench {
        desktops: &desktops,
        browsers: &browsers,
        clock: &*clock,
        baselines: &baselines,
        evidence: &evidence,
        observer: &observers,
        cancel: &cancel,
        secrets: &secrets,
        settings,
    };
    let run_id = run_id(&*clock);
    SignalWatch::during(&cancel, &desktops, || run_suite(&bench, &run_id, cases))
}

/// Names a run: its start to the second, and the process, so that runs started together differ.
fn run_id(clock: &dyn Clock) -> String {
    let started = jiff::Timestamp::try_from(clock.wall()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{}-{}", started.strftime("%Y%m%dT%H%M%SZ"), std::process::id())
}

/// All skipped is not passed: nobody looked at anything.
fn outcome_of(args: &RunArgs, report: &RunReport) -> Exit {
    let nothing_ran = report.totals.skipped == report.totals.cases;
    match Exit::of(report) {
        Exit::Passed if nothing_ran && !args.allow_none => {
            complain("error: every case was skipped\nuse --allow-none when that is fine");
            Exit::Usage
        }
        exit => exit,
    }
}

fn list(cases: &[Case]) -> Exit {
    for case in cases {
        say(format_args!("{}\t{}\t{} steps", case.id, case.file.display(), case.steps.len()));
    }
    Exit::Passed
}

fn show(args: &RunArgs, report: &RunReport) {
    let style = Style { colour: settings::colour(args), artifacts: absolute(&args.artifacts) };
    say(report::summary(report, &style));
}

fn absolute(path: &Path) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
