//! The program itself, run on scenarios that are written for the bench.

use std::{
    error::Error,
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use cu_run::outcome::{CaseOutcome, RunReport, Verdict};
use tempfile::TempDir;

use crate::table::timed;

/// A folder with scenarios, baselines and artifacts.
pub(crate) struct Project {
    folder: TempDir,
}

/// One run of the program.
pub(crate) struct Run {
    /// From the start of the process to its end.
    pub(crate) wall: Duration,
    /// The content of `run.json`.
    pub(crate) report: RunReport,
}

impl Project {
    /// Writes each scenario to a file of its own.
    pub(crate) fn new(scenarios: &[String]) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("scenarios"))?;
        for (number, text) in scenarios.iter().enumerate() {
            fs::write(folder.path().join(format!("scenarios/case-{number}.yaml")), text)?;
        }
        Ok(Self { folder })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs all scenarios; everything must pass.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Run, Box<dyn Error>> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cu-run"));
        command.args(["scenarios", "--ci=false", "--progress", "none"]).args(arguments);
        command.current_dir(self.path()).stdin(Stdio::null());
        let (wall, output) = timed(|| command.output());
        let output = output?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            return Err(
                format!("cu-run ended with {}:\n{}", output.status, String::from_utf8_lossy(&said)).into()
            );
        }
        let report: RunReport = serde_json::from_slice(&fs::read(self.path().join("artifacts/run.json"))?)?;
        Ok(Run { wall, report })
    }

    /// Accepts what the scenarios show.
    pub(crate) fn accept(&self) -> Result<(), Box<dyn Error>> {
        self.run(&["--update-baselines=missing"]).map(drop)
    }
}

/// How long each step of `action` took that passed.
pub(crate) fn durations(case: &CaseOutcome, action: &str) -> Vec<Duration> {
    let wanted = |step: &&cu_run::outcome::StepOutcome| {
        step.action == action && matches!(step.verdict, Verdict::Passed)
    };
    case.steps.iter().filter(wanted).map(|step| step.duration).collect()
}

/// The text of a scenario on a screen of 1920x1080.
pub(crate) fn scenario(steps: &[String]) -> String {
    let mut text = "name: Bench\ndisplay: {width: 1920, height: 1080}\nsteps:\n".to_owned();
    for step in steps {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  - {step}");
    }
    text
}

/// The address of a page of the bundled site.
pub(crate) fn page(name: &str) -> String {
    format!("file://{}/scenarios/site/{name}", env!("CARGO_MANIFEST_DIR"))
}
