//! Medians and the rows of the table.

use std::{fmt, time::Duration};

use cu_run::clock::{Clock, SystemClock};

/// The first two lines of the table.
pub(crate) const HEAD: &str = "| what | cu-run | peer | | cu-run : peer | aim |\n|---|---|---|---|---|---|";

/// A measured value of one kind of work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    /// A time.
    Time(Duration),
    /// Cases a second.
    Rate(f64),
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    /// What was done.
    pub(crate) what: String,
    /// By cu-run.
    pub(crate) ours: Value,
    /// By whom else, and what came of it.
    pub(crate) peer: Option<(String, Value)>,
    /// What is wanted.
    pub(crate) aim: &'static str,
}

/// The median; of an even number of values the higher one in the middle.
pub(crate) fn median(mut values: Vec<Duration>) -> Duration {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// How long `work` takes, and what it gives.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = SystemClock.now();
    let value = work();
    (start.elapsed(), value)
}

impl Value {
    fn number(self) -> f64 {
        match self {
            Self::Time(time) => time.as_secs_f64(),
            Self::Rate(rate) => rate,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) if *time >= Duration::from_secs(1) => write!(f, "{:.2} s", time.as_secs_f64()),
            Self::Time(time) => write!(f, "{:.2} ms", time.as_secs_f64() * 1000.0),
            Self::Rate(rate) => write!(f, "{rate:.2} /s"),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} | ", self.what, self.ours)?;
        match &self.peer {
            Some((peer, value)) => {
                write!(f, "{peer} | {value} | {:.3} |", self.ours.number() / value.number())?;
            }
            None => write!(f, "| | |")?,
        }
        write!(f, " {} |", self.aim)
    }
}
