//! The command line: what was typed, what was meant, and the only place that builds the other rooms.

mod accept;
mod args;
mod artifacts;
mod calibrate;
mod check;
mod diff;
mod environment;
mod exit_code;
mod output;
mod run;
mod select;
mod settings;
mod signals;

use clap::Parser;

use args::{Args, Command};

pub use exit_code::Exit;

/// Does what the command line says and tells how it ended.
#[must_use]
pub fn run() -> Exit {
    let args = Args::parse();
    let outcome = match args.command {
        Some(Command::Accept(args)) => accept::accept(&args),
        Some(Command::Check(check)) => check::check(&check),
        Some(Command::Calibrate(args)) => calibrate::calibrate(&args),
        Some(Command::Diff(args)) => diff::diff(&args),
        Some(Command::Schema) => Ok(check::schema()),
        None => run::run(&args.run),
    };
    outcome.unwrap_or_else(|stop| {
        output::complain(&stop);
        stop.exit()
    })
}

/// Why a command ends early.
#[derive(Debug, thiserror::Error)]
enum CliError {
    /// The command line or the scenarios are wrong.
    #[error("{0}")]
    Usage(String),
    /// The harness cannot work.
    #[error("{0}")]
    Fault(String),
}

impl CliError {
    const fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Fault(_) => Exit::Fault,
        }
    }
}
