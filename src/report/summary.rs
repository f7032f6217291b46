//! What a person reads when a run has ended: what is wrong, where, by how much and what to do; then the totals.
//!
//! Gives the text back; `cli` prints it. Everything from outside is made visible before it is coloured.

use std::{
    borrow::Cow,
    fmt::Write,
    path::{Path, PathBuf},
};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    outcome::{CaseOutcome, FailureKind, ImageBase, ImageRef, RunReport, StepOutcome, Verdict},
    visible,
};

use super::words;

/// Columns of the narrowest terminal that is counted on.
const COLUMNS: usize = 80;

/// What lines below a headline are indented by.
const INDENT: &str = "        ";

/// Lines shown of one message; the reports hold the whole.
const MESSAGE_LINES: usize = 12;

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colour {
    /// Plain text.
    #[default]
    Off,
    /// The colours of an ANSI terminal.
    On,
}

/// How the summary is shown.
#[derive(Debug, Clone, Default)]
pub struct Style {
    /// Whether colours are used.
    pub colour: Colour,
    /// The artifacts folder as the user named it; paths of pictures start there.
    pub artifacts: PathBuf,
}

/// The summary of `report`, ending with a line feed.
#[must_use]
pub fn summary(report: &RunReport, style: &Style) -> String {
    let mut text = Text { report, style, out: String::new() };
    for case in &report.cases {
        text.case(case);
    }
    text.totals();
    text.out
}

/// SGR parameters of the colours in use.
#[derive(Clone, Copy)]
enum Paint {
    Good = 32,
    Bad = 31,
    Odd = 33,
    Faint = 2,
}

struct Text<'a> {
    report: &'a RunReport,
    style: &'a Style,
    out: String,
}

impl Text<'_> {
    fn case(&mut self, case: &CaseOutcome) {
        let (word, paint) = match case.verdict {
            Verdict::Failed { .. } => ("FAIL", Paint::Bad),
            Verdict::Errored { .. } => ("FAULT", Paint::Bad),
            Verdict::Flaky { .. } => ("FLAKY", Paint::Odd),
            Verdict::Passed | Verdict::Skipped { .. } => return,
        };
        let wrong: Vec<_> =
            case.steps.iter().filter(|step| step.verdict.is_failed() || step.verdict.is_errored()).collect();
        for step in &wrong {
            let place = format!("{}:{}", step.source.file.display(), step.source.line);
            let word = if step.verdict.is_errored() { "FAULT" } else { "FAIL" };
            self.headline((word, Paint::Bad), case, &place, &format!("step {} {}", step.number, step.title));
            self.step(case, step);
        }
        // A fault between steps or before the first one, and what a flaky case suffered, stand in no step.
        let shown = match case.verdict {
            Verdict::Errored { .. } => wrong.iter().any(|step| step.verdict.is_errored()),
            _ => !wrong.is_empty(),
        };
        if !shown {
            self.headline((word, paint), case, &case.file.display().to_string(), "");
            self.message(case.verdict.message().unwrap_or_default());
            if let Some(log) = case.logs.first().filter(|_| case.verdict.is_errored()) {
                self.path(&self.style.artifacts.join(log));
            }
            self.out.push('\n');
        }
    }

    /// `FAIL  case  file:line  step`, on two lines when it is too long for one.
    fn headline(&mut self, (word, paint): (&str, Paint), case: &CaseOutcome, place: &str, step: &str) {
        let (place, step) = (visible::line(place), visible::line(step));
        let head = format!("{}  {place}", case.id);
        let _ = write!(self.out, "{}{head}", self.painted(paint, &format!("{word:<8}")));
        let fits = INDENT.len() + head.width() + 2 + step.width() <= COLUMNS;
        let line = match (step.is_empty(), fits) {
            (true, _) => String::new(),
            (false, true) => format!("  {step}"),
            (false, false) => format!("\n{INDENT}{}", shortened(&step, COLUMNS - INDENT.len())),
        };
        let _ = writeln!(self.out, "{line}");
    }

    fn step(&mut self, case: &CaseOutcome, step: &StepOutcome) {
        let checkpoint = step.checkpoint.as_deref();
        let message = match &step.verdict {
            Verdict::Failed { failure } => words::message(failure, checkpoint),
            other => other.message().unwrap_or_default().to_owned(),
        };
        self.message(&message);
        let picture = checkpoint.and_then(|checkpoint| {
            let known = [&checkpoint.difference, &checkpoint.actual];
            known.into_iter().flatten().next()
        });
        // A step without a picture has its logs in the folder of the case.
        self.path(
            &picture.map_or_else(|| self.style.artifacts.join(&case.folder), |picture| self.located(picture)),
        );
        let missing = matches!(&step.verdict, Verdict::Failed { failure } if failure.kind == FailureKind::MissingBaseline);
        if missing {
            let file = quoted(&case.file);
            let _ = writeln!(self.out, "{INDENT}accept it: cu-run {file} --update-baselines=missing");
        }
        self.out.push('\n');
    }

    /// `message`, broken at blanks to fit; its own line breaks stay.
    fn message(&mut self, message: &str) {
        let message = visible::block(message);
        let lines: Vec<_> = message.lines().flat_map(|line| wrapped(line, COLUMNS - INDENT.len())).collect();
        for line in lines.iter().take(MESSAGE_LINES) {
            let _ = writeln!(self.out, "{INDENT}{line}");
        }
        if let Some(more) = lines.len().checked_sub(MESSAGE_LINES).filter(|more| *more > 0) {
            let _ = writeln!(self.out, "{INDENT}({more} more lines in the report)");
        }
    }

    /// A path is never broken: it is there to be copied.
    fn path(&mut self, path: &Path) {
        let shown = path.display().to_string();
        let _ = writeln!(self.out, "{INDENT}{}", visible::line(&shown));
    }

    fn located(&self, picture: &ImageRef) -> PathBuf {
        match picture.base {
            ImageBase::Artifacts => self.style.artifacts.join(&picture.path),
            ImageBase::Baselines => self.report.environment.baselines.join(&picture.path),
        }
    }

    /// Checkpoints that passed although a known issue says that their picture is not right.
    fn soft_failures(&mut self) {
        let report = self.report;
        for (case, step) in
            report.cases.iter().flat_map(|case| case.steps.iter().map(move |step| (case, step)))
        {
            let Some(checkpoint) = step.checkpoint.as_deref() else { continue };
            let Some(variant) = checkpoint.variant.as_ref() else { continue };
            if let (Some(issue), Some(expires)) = (&variant.issue, &variant.expires) {
                let name = format!("{}@{}", checkpoint.name, variant.number);
                let line = format!("soft failure: {}/{name} is accepted until {expires}: {issue}", case.id);
                let _ = writeln!(self.out, "{}", self.painted(Paint::Odd, &visible::line(&line)));
            }
        }
    }

    fn totals(&mut self) {
        self.soft_failures();
        let totals = self.report.totals;
        if let Some(signal) = self.report.interrupted {
            let name = match signal {
                1 => " (SIGHUP)",
                2 => " (SIGINT)",
                15 => " (SIGTERM)",
                _ => "",
            };
            let line = format!("interrupted by signal {signal}{name}: not every case ran to its end");
            let _ = writeln!(self.out, "{}", self.painted(Paint::Bad, &line));
        }
        if totals.cases == 0 {
            let _ = writeln!(self.out, "{}", self.painted(Paint::Bad, "no case ran: there was none to run"));
        } else if totals.skipped == totals.cases {
            let line = format!("no case ran: all {} were skipped", totals.skipped);
            let _ = writeln!(self.out, "{}", self.painted(Paint::Bad, &line));
        }
        self.counts();
        if !self.style.artifacts.as_os_str().is_empty() {
            let line = format!("artifacts: {}", self.style.artifacts.display());
            let _ = writeln!(self.out, "{}", self.painted(Paint::Faint, &visible::line(&line)));
        }
    }

    /// `7 passed, 1 failed, 0 faults, 0 skipped · 23 checkpoints · 4.2 s`
    fn counts(&mut self) {
        let totals = self.report.totals;
        let faults = if totals.errored == 1 { "fault" } else { "faults" };
        let counts = [
            (totals.passed, "passed", Paint::Good),
            (totals.failed, "failed", Paint::Bad),
            (totals.errored, faults, Paint::Bad),
            (totals.skipped, "skipped", Paint::Odd),
            (totals.flaky, "flaky", Paint::Odd),
        ];
        // Flaky cases are rare enough to be left out when there are none.
        let shown = if totals.flaky > 0 { &counts[..] } else { &counts[..4] };
        let plain = shown.iter().map(|(count, word, _)| format!("{count} {word}")).collect::<Vec<_>>();
        let painted = plain.iter().zip(shown).map(|(text, (count, _, paint))| match count {
            0 => Cow::Borrowed(text.as_str()),
            _ => self.painted(*paint, text),
        });
        let painted = painted.collect::<Vec<_>>().join(", ");
        let mut more = vec![plural(totals.checkpoints, "checkpoint")];
        if totals.accepted > 0 {
            more.push(format!("{} written", plural(totals.accepted, "baseline")));
        }
        more.push(format!("{:.1} s", self.report.duration.as_secs_f64()));
        let more = more.join(" · ");
        let fits = plain.join(", ").width() + 3 + more.width() <= COLUMNS;
        let _ = writeln!(self.out, "{painted}{}{more}", if fits { " · " } else { "\n" });
    }

    fn painted<'t>(&self, paint: Paint, text: &'t str) -> Cow<'t, str> {
        match self.style.colour {
            Colour::Off => Cow::Borrowed(text),
            Colour::On => Cow::Owned(format!("\x1b[{}m{text}\x1b[0m", paint as u8)),
        }
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `text` as words of a shell command.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%=:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    visible::line(&format!("'{}'", text.replace('\'', r"'\''"))).into_owned()
}

/// `text` cut to `width` columns, with a sign that it is.
fn shortened(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= width
    });
    Cow::Owned(kept.chain(['…']).collect())
}

/// `line` in pieces of at most `width` columns, broken at blanks; a longer word stays whole, since it is often a path.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    // The indentation of the line belongs to its first word.
    let start = line.len() - line.trim_start().len();
    for word in line[start..].split_whitespace() {
        let last = pieces.last_mut();
        match last {
            Some(piece) if piece.is_empty() => {
                piece.push_str(&line[..start]);
                piece.push_str(word);
            }
            Some(piece) if piece.width() + 1 + word.width() <= width => {
                piece.push(' ');
                piece.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_blanks_by_their_width_on_the_screen() {
        assert_eq!(wrapped("aa bb cc dd", 5), ["aa bb", "cc dd"]);
        assert_eq!(wrapped("漢字 漢字 漢字", 9), ["漢字 漢字", "漢字"]);
        assert_eq!(wrapped("/a/very/long/path x", 5), ["/a/very/long/path", "x"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn a_long_title_is_cut_with_a_sign() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abcde…");
        assert_eq!(shortened("漢字漢字", 6), "漢字…");
    }

    #[test]
    fn a_path_with_blanks_is_quoted_for_the_shell() {
        assert_eq!(quoted(Path::new("scenarios/a-b.yaml")), "scenarios/a-b.yaml");
        assert_eq!(quoted(Path::new("my scenarios/it's.yaml")), r"'my scenarios/it'\''s.yaml'");
    }
}
