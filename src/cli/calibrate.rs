//! `cu-run calibrate PATH --repeat N`: how much do captures of unchanged scenarios differ from each other?
//!
//! Every case runs several times, each time on a fresh display, and no baseline is looked at. What is measured is
//! printed with the masks and limits that would let it pass; nobody's files are changed.

use std::{collections::BTreeMap, fmt::Write, path::Path};

use image::RgbImage;

use crate::store::png::Limits;
use crate::{
    compare::{CompareSpec, Comparison, Method, compare},
    geometry::{Region, Size},
    id::{CaseId, Name},
    outcome::{CheckpointOutcome, RunReport, Verdict},
    runner::{RunSettings, Update},
    scenario::Case,
    store::{PictureFile, Transparency},
};

use super::{CliError, Exit, args::CalibrateArgs, artifacts, check::load, output::say, run, select};

/// Noise up to this many levels is a matter of limits; what differs by more is content, and belongs under a mask.
/// (Corners that a browser rasters anew differ by one or two levels; a clock or a caret by a hundred.)
const FAINT_LEVELS: u8 = 4;

/// Pixels that a proposed mask reaches past the noise that was seen.
const MARGIN: i32 = 2;

/// Runs the cases that `args` name several times and prints what differs between the times.
pub(super) fn calibrate(args: &CalibrateArgs) -> Result<Exit, CliError> {
    let all = load(&args.scenarios)?;
    let ids: Vec<String> = all.iter().map(|case| case.id.to_string()).collect();
    // Each capture is kept as a baseline of its own run, so that the runner has nothing to judge; they go at the end.
    let scratch = tempfile::tempdir()
        .map_err(|error| CliError::Fault(format!("error: failed to make a temporary folder: {error}")))?;
    let run_args = args.as_run(scratch.path());
    let cases = select::select(&run_args, all)?;
    if cases.is_empty() {
        return Err(CliError::Usage(select::nothing_selected(&run_args, &ids)));
    }
    artifacts::prepare(&args.artifacts)?;
    let repeated = repeated(&cases, args.repeat)?;
    let settings = RunSettings { update: Update::Missing, ..run::run_settings(&run_args, repeated.len())? };
    let suite = run::run_cases(&run_args, &settings, &repeated)?;
    let mut text = String::new();
    for case in &cases {
        describe(&mut text, case, args.repeat, &suite.report, &args.artifacts)?;
    }
    print(&text);
    let failures = artifacts::write_reports(&suite.report, &args.artifacts);
    let failure = failures.first().map(ToString::to_string);
    match failure.or_else(|| suite.log_failure.as_ref().map(ToString::to_string)) {
        Some(failure) => Err(CliError::Fault(format!("error: {failure}"))),
        None => Ok(Exit::of(&suite.report)),
    }
}

/// Every case `times` times, under the ids `repeat-1/<id>`, `repeat-2/<id>`, ….
fn repeated(cases: &[Case], times: u32) -> Result<Vec<Case>, CliError> {
    let mut all = Vec::new();
    for time in 1..=times {
        for case in cases {
            all.push(Case { id: id_of(case, time)?, ..case.clone() });
        }
    }
    Ok(all)
}

fn id_of(case: &Case, time: u32) -> Result<CaseId, CliError> {
    Name::new(format!("repeat-{time}"))
        .and_then(|first| {
            let components = [first].into_iter().chain(case.id.components().iter().cloned());
            CaseId::new(components.collect())
        })
        .map_err(|error| CliError::Fault(format!("error: {error}")))
}

/// A capture of one checkpoint.
struct Capture<'a> {
    outcome: &'a CheckpointOutcome,
    digest: &'a str,
    path: &'a Path,
}

fn describe(
    text: &mut String,
    case: &Case,
    times: u32,
    report: &RunReport,
    artifacts: &Path,
) -> Result<(), CliError> {
    let _ = writeln!(text, "{}", case.id);
    let mut checkpoints: BTreeMap<&str, Vec<Capture<'_>>> = BTreeMap::new();
    let mut order = Vec::new();
    for time in 1..=times {
        let id = id_of(case, time)?;
        let Some(outcome) = report.cases.iter().find(|outcome| outcome.id == id) else { continue };
        if let Verdict::Failed { .. } | Verdict::Errored { .. } | Verdict::Skipped { .. } = outcome.verdict {
            let message = outcome.verdict.message().unwrap_or_default();
            let _ = writeln!(text, "  run {time} of {times} {}: {message}", outcome.verdict.word());
        }
        for (_, checkpoint) in outcome.checkpoints() {
            let Some(actual) = &checkpoint.actual else { continue };
            let captures = checkpoints.entry(&checkpoint.name).or_default();
            if captures.is_empty() {
                order.push(checkpoint.name.as_str());
            }
            captures.push(Capture { outcome: checkpoint, digest: &actual.digest, path: &actual.path });
        }
    }
    for name in order {
        checkpoint(text, name, &checkpoints[name], times, artifacts)?;
    }
    Ok(())
}

fn checkpoint(
    text: &mut String,
    name: &str,
    captures: &[Capture<'_>],
    times: u32,
    artifacts: &Path,
) -> Result<(), CliError> {
    let _ = write!(text, "  {name}: {} captures of {times} runs, ", captures.len());
    if captures.len() < 2 {
        let _ = writeln!(text, "too few to compare");
        return Ok(());
    }
    let first = captures[0].outcome;
    // Equal digests are equal pictures: only different ones are compared with each other.
    let different: BTreeMap<&str, &Path> =
        captures.iter().map(|capture| (capture.digest, capture.path)).collect();
    let pictures =
        different.values().map(|path| read(&artifacts.join(path))).collect::<Result<Vec<_>, _>>()?;
    // Elements under masks may move from run to run; what any run ignored is ignored.
    let mut masks: Vec<Region> =
        captures.iter().flat_map(|capture| capture.outcome.masks.iter().copied()).collect();
    masks.sort_by_key(|mask| (mask.y, mask.x, mask.width, mask.height));
    masks.dedup();
    let sample = Sample { pictures: &pictures, region: first.region, masks };
    let noise = match sample.noise(&sample.masks) {
        Ok(noise) => noise,
        Err(words) => {
            let _ = writeln!(text, "of different sizes: {words}");
            return Ok(());
        }
    };
    if noise.boxes.is_empty() {
        let _ = writeln!(text, "no pixel differs");
        return Ok(());
    }
    let _ = writeln!(
        text,
        "{} different: up to {} pixels, up to {} levels, worst_ssim {:.4}",
        pictures.len(),
        noise.changed_px,
        noise.max_delta,
        noise.worst_ssim
    );
    for (region, max_delta) in &noise.boxes {
        let shown = region.offset(first.region.x, first.region.y);
        let _ = writeln!(text, "    {shown}: up to {max_delta} levels");
    }
    if sample.passes(&first.rules, &sample.masks) {
        let _ = writeln!(text, "    within the limits of the checkpoint: nothing to do");
    } else {
        proposal(text, name, &sample, &noise, first);
    }
    Ok(())
}

/// Pictures of one checkpoint, no two of them equal.
struct Sample<'a> {
    pictures: &'a [RgbImage],
    /// Where on the screen they were taken.
    region: Region,
    /// What was ignored in any of them.
    masks: Vec<Region>,
}

/// What differs between the pictures of a sample: the greatest of all pairs.
struct Noise {
    changed_px: u64,
    max_delta: u8,
    worst_ssim: f64,
    /// Boxes that do not touch each other, and how many levels differ in each.
    boxes: Vec<(Region, u8)>,
}

impl Sample<'_> {
    fn pairs(&self) -> impl Iterator<Item = (&RgbImage, &RgbImage)> {
        let pictures = self.pictures;
        pictures.iter().enumerate().flat_map(move |(i, a)| pictures[i + 1..].iter().map(move |b| (a, b)))
    }

    /// Measures every pair exactly; the error says how sizes differ.
    fn noise(&self, masks: &[Region]) -> Result<Noise, String> {
        let exact = CompareSpec { method: Method::Exact, ..CompareSpec::default() };
        let mut noise = Noise { changed_px: 0, max_delta: 0, worst_ssim: 1.0, boxes: Vec::new() };
        for (a, b) in self.pairs() {
            match compare(a, b, &exact, masks) {
                Comparison::Match { .. } => {}
                Comparison::SizeMismatch { words, .. } => return Err(words),
                Comparison::Mismatch { numbers, regions, .. } => {
                    noise.changed_px = noise.changed_px.max(numbers.changed_px);
                    noise.max_delta = noise.max_delta.max(numbers.max_delta);
                    noise.worst_ssim = noise.worst_ssim.min(numbers.worst_ssim);
                    for found in regions {
                        noise.add(found.region, found.max_delta);
                    }
                }
            }
        }
        noise.boxes.sort_by_key(|(region, _)| (region.y, region.x));
        Ok(noise)
    }

    fn passes(&self, rules: &CompareSpec, masks: &[Region]) -> bool {
        self.pairs().all(|(a, b)| compare(a, b, rules, masks).is_match())
    }
}

impl Noise {
    /// Joins `region` with the boxes that it touches, and the result with those that it touches then.
    fn add(&mut self, mut region: Region, mut max_delta: u8) {
        while let Some(at) = self.boxes.iter().position(|(known, _)| known.intersection(region).is_some()) {
            let (known, delta) = self.boxes.swap_remove(at);
            region = region.union(known);
            max_delta = max_delta.max(delta);
        }
        self.boxes.push((region, max_delta));
    }
}

/// Prints the change to the checkpoint under which every pair agrees; tried out before it is proposed.
fn proposal(text: &mut String, name: &str, sample: &Sample<'_>, noise: &Noise, first: &CheckpointOutcome) {
    let size = Size::new(first.region.width, first.region.height);
    let strong: Vec<Region> = noise
        .boxes
        .iter()
        .filter(|(_, max_delta)| *max_delta > FAINT_LEVELS || first.rules.method != Method::Ssim)
        .filter_map(|(region, _)| {
            let (width, height) = (region.width + 2 * MARGIN as u32, region.height + 2 * MARGIN as u32);
            Region::new(region.x - MARGIN, region.y - MARGIN, width, height).intersection(size.region())
        })
        .collect();
    let masks: Vec<Region> = sample.masks.iter().chain(&strong).copied().collect();
    let mut rules = first.rules.clone();
    if !sample.passes(&rules, &masks)
        && let Ok(left) = sample.noise(&masks)
    {
        rules.max_delta = rules.max_delta.max(left.max_delta);
        // Three decimals, below what was measured.
        rules.min_ssim = rules.min_ssim.min(((left.worst_ssim - 0.001) * 1000.0).floor() / 1000.0).max(0.001);
    }
    if !sample.passes(&rules, &masks) {
        let _ = writeln!(
            text,
            "    no masks and limits make these agree: the application is not the same each time"
        );
        return;
    }
    let _ = writeln!(text, "    with this every pair agrees (add it to what the checkpoint has):");
    let _ = writeln!(text, "      - screenshot:");
    let _ = writeln!(text, "          name: {name}");
    if !strong.is_empty() {
        let _ = writeln!(text, "          masks:");
    }
    for mask in &strong {
        let shown = mask.offset(sample.region.x, sample.region.y);
        let _ = writeln!(text, "            - region: {shown}");
    }
    if rules.max_delta != first.rules.max_delta {
        let _ = writeln!(text, "          max_delta: {}", rules.max_delta);
    }
    if rules.min_ssim.to_bits() != first.rules.min_ssim.to_bits() {
        let _ = writeln!(text, "          min_ssim: {}", rules.min_ssim);
    }
}

fn read(path: &Path) -> Result<RgbImage, CliError> {
    PictureFile::read(path, &Limits::DEFAULT)
        .and_then(|file| file.decode(Transparency::Refused))
        .map(|decoded| decoded.picture)
        .map_err(|error| CliError::Fault(format!("error: {error}")))
}

fn print(text: &str) {
    say(text.trim_end());
}
