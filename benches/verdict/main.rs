//! The measure of the verdict: how many seeded regressions of real pages each method sees, and how often it cries wolf.
//!
//! `cargo bench --bench verdict` renders the pages in a real browser on displays of their own, changes one thing at a
//! time, disturbs pages and puts them back, and prints a table. `--seed N` makes another corpus of the same kind,
//! `--per-page N` sets how many regressions each page gets, `--judge` judges the pairs of the last run again,
//! `--export` keeps the compact corpus of the tests. `docs/verdict-quality.md` has the results and what they mean.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is what a bench is for")]

mod compact;
mod corpus;
mod judge;
mod noise;
mod peers;
mod regressions;
mod site;
mod stage;
mod table;

use std::{error::Error, path::PathBuf, process::ExitCode};

use corpus::Corpus;

/// What fails here ends the bench with its message.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// What the command line asks for.
struct Asked {
    seed: u32,
    per_page: u32,
    judge_only: bool,
    export: bool,
}

fn main() -> ExitCode {
    // This program is also the session host of the displays that it opens.
    if let Some(code) = cu_run::desktop::session_host_main() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        println!("run it by `cargo bench --bench verdict`; it takes minutes");
        return ExitCode::SUCCESS;
    }
    match read(&arguments).and_then(|asked| run(&asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(asked: &Asked) -> Outcome<()> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/verdict");
    let corpus =
        if asked.judge_only { Corpus::load(&folder)? } else { generate(asked, Corpus::create(&folder)?)? };
    let judged = judge::judge(&corpus)?;
    let peers = peers::run(&corpus)?;
    table::print(&corpus, &judged, peers.as_ref());
    if asked.export {
        compact::export(&corpus)?;
    }
    Ok(())
}

fn generate(asked: &Asked, mut corpus: Corpus) -> Outcome<Corpus> {
    let site = site::Site::start()?;
    for (number, page) in site::PAGES.iter().enumerate() {
        let before = corpus.pairs.len();
        regressions::render(&site, number as u32, page, asked.seed, asked.per_page, &mut corpus)?;
        let middle = corpus.pairs.len();
        noise::render(&site, number as u32, page, asked.seed, &mut corpus)?;
        println!("{page}: {} regressions, {} noise pairs", middle - before, corpus.pairs.len() - middle);
    }
    corpus.save()?;
    Ok(corpus)
}

fn read(arguments: &[String]) -> Outcome<Asked> {
    let mut asked = Asked { seed: 1, per_page: 18, judge_only: false, export: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || -> Outcome<u32> {
            Ok(rest.next().ok_or_else(|| format!("{argument} wants a number"))?.parse()?)
        };
        match argument.as_str() {
            "--bench" => {}
            "--seed" => asked.seed = number()?,
            "--per-page" => asked.per_page = number()?,
            "--judge" => asked.judge_only = true,
            "--export" => asked.export = true,
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    Ok(asked)
}
