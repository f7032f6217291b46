//! What cu-run costs beside the tools that people use for the same work, on one machine in one run.
//!
//! `cargo bench --bench side_by_side [-- PART…]` prints one Markdown table: medians, and the ratio to the peer, both
//! measured alternately so that a busy machine slows both down. Parts: `steps`, `checkpoint`, `typing`, `case`,
//! `throughput`. `ROUNDS` (7 by default) says how often each thing is done. Needs Xvfb, openbox, Chromium, xterm,
//! xdotool and ImageMagick; a part whose tools are missing fails.

mod cases;
mod checkpoint;
mod command_line;
mod naive;
mod stage;
mod steps;
mod table;
mod typing;

use std::{env, error::Error, fs, process::ExitCode};

use table::Row;

/// What a part of the bench ends with.
type Outcome = Result<Vec<Row>, Box<dyn Error>>;

/// A part by name, and what measures it in so many rounds.
type Part = (&'static str, fn(usize) -> Outcome);

const PARTS: [Part; 5] = [
    ("steps", steps::measure),
    ("checkpoint", checkpoint::measure),
    ("typing", typing::measure),
    ("case", cases::measure_one),
    ("throughput", cases::measure_many),
];

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is the output of this program")]
fn main() -> ExitCode {
    let asked: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let rounds = env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(7);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    println!("{cores} cores, {rounds} rounds, load before: {}\n", load());
    println!("{}", table::HEAD);
    let mut failed = false;
    for (name, measure) in PARTS {
        if !asked.is_empty() && !asked.iter().any(|part| part == name) {
            continue;
        }
        match measure(rounds) {
            Ok(rows) => rows.iter().for_each(|row| println!("{row}")),
            Err(error) => {
                eprintln!("{name}: {error}");
                failed = true;
            }
        }
    }
    println!("\nload after: {}", load());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How many processes wanted to run in the last 1, 5 and 15 minutes.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
