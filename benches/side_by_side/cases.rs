//! A whole case with one checkpoint: display, browser, still page, verdict and the end of all, beside the naive way.

use std::{error::Error, time::Duration};

use cu_run::outcome::Verdict;

use crate::{
    Outcome,
    command_line::{Project, page, scenario},
    naive,
    table::{Row, Value, median, timed},
};

/// Cases in each run.
const CASES: usize = 12;

/// How many cases run at once.
const JOBS: [usize; 5] = [1, 2, 3, 4, 6];

/// Where the naive way was measured to be fastest on two cores.
const NAIVE_JOBS: usize = 4;

/// One case at a time.
pub(crate) fn measure_one(rounds: usize) -> Outcome {
    let project = cases(1)?;
    let url = page("issues.html");
    let (mut wall, mut in_case, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let run = project.run(&["--jobs", "1"])?;
        wall.push(run.wall);
        in_case.push(run.report.cases[0].duration);
        let (time, shown) = timed(|| naive::show(&url));
        shown?;
        theirs.push(time);
    }
    let theirs = Value::Time(median(theirs));
    let row = |what: &str, ours: Vec<Duration>| Row {
        what: what.to_owned(),
        ours: Value::Time(median(ours)),
        peer: Some(("Xvfb, Chromium, polling at 100 ms".to_owned(), theirs)),
        aim: "< 0.65 s",
    };
    Ok(vec![
        row("display, Chromium, still page, verdict, end: whole process", wall),
        row("the same, the case alone", in_case),
    ])
}

/// Many cases, so many at once.
pub(crate) fn measure_many(rounds: usize) -> Outcome {
    let project = cases(CASES)?;
    let mut ours = vec![Vec::new(); JOBS.len()];
    let mut theirs = Vec::new();
    for _ in 0..rounds {
        for (times, jobs) in ours.iter_mut().zip(JOBS) {
            let run = project.run(&["--jobs", &jobs.to_string()])?;
            if run.report.cases.iter().any(|case| !matches!(case.verdict, Verdict::Passed)) {
                return Err("a case did not pass".into());
            }
            times.push(run.wall);
        }
        let (time, shown) = timed(naive_cases);
        shown?;
        theirs.push(time);
    }
    let rate = |times: Vec<Duration>| Value::Rate(CASES as f64 / median(times).as_secs_f64());
    let peer = (format!("Xvfb, Chromium, polling: {NAIVE_JOBS} at once"), rate(theirs));
    let rows = ours.into_iter().zip(JOBS).map(|(times, jobs)| Row {
        what: format!("{CASES} such cases with `--jobs {jobs}`, whole process"),
        ours: rate(times),
        peer: Some(peer.clone()),
        aim: if jobs == NAIVE_JOBS { ">= 2.2 /s" } else { "" },
    });
    Ok(rows.collect())
}

fn cases(count: usize) -> Result<Project, Box<dyn Error>> {
    let steps = [format!("open_browser: \"{}\"", page("issues.html")), "screenshot: page".to_owned()];
    let project = Project::new(&vec![scenario(&steps); count])?;
    project.accept()?;
    Ok(project)
}

fn naive_cases() -> Result<(), Box<dyn Error>> {
    let url = page("issues.html");
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..NAIVE_JOBS)
            .map(|_| {
                scope.spawn(|| {
                    (0..CASES / NAIVE_JOBS)
                        .try_for_each(|_| naive::show(&url).map_err(|error| error.to_string()))
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a worker panicked".to_owned())))
    })?;
    Ok(())
}
