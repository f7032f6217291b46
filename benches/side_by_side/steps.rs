//! What a step costs besides what it does: pointer motions on a still screen.

use std::time::Duration;

use crate::{
    Outcome,
    command_line::{Project, durations, scenario},
    stage::{Stage, succeed},
    table::{Row, Value, median, timed},
};

/// Motions in each round.
const MOTIONS: u32 = 200;

/// The mean of a round's motions, and of that the median.
pub(crate) fn measure(rounds: usize) -> Outcome {
    let place = |n: u32| (300 + 7 * n % 1000, 200 + 5 * n % 700);
    let steps: Vec<String> =
        (0..MOTIONS).map(place).map(|(x, y)| format!("mouse_move: [{x}, {y}]")).collect();
    let project = Project::new(&[scenario(&steps)])?;
    let stage = Stage::open()?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let run = project.run(&[])?;
        let moved = durations(&run.report.cases[0], "mouse_move");
        if moved.len() != MOTIONS as usize {
            return Err(format!("{} of {MOTIONS} motions passed", moved.len()).into());
        }
        ours.push(moved.iter().sum::<Duration>() / MOTIONS);
        let (time, done) = timed(|| {
            (0..MOTIONS).map(place).try_for_each(|(x, y)| {
                succeed(stage.peer("xdotool").args(["mousemove", &x.to_string(), &y.to_string()]))
            })
        });
        done?;
        theirs.push(time / MOTIONS);
    }
    Ok(vec![Row {
        what: format!("a step: `mouse_move`, mean of {MOTIONS}, log line included"),
        ours: Value::Time(median(ours)),
        peer: Some(("`xdotool mousemove`, a process each".to_owned(), Value::Time(median(theirs)))),
        aim: "< 2 ms",
    }])
}
