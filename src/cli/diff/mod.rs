//! `cu-run diff EXPECTED ACTUAL`: the comparison alone, for people who have only pictures.
//!
//! Two files, or two folders compared file by file. Needs no scenario and no display.

mod args;
mod folders;
mod json;
mod pair;
mod report;

pub(super) use args::DiffArgs;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    clock::{Clock, SystemClock},
    compare::Comparison,
};

use super::{CliError, Exit, output::say};
use folders::{Entry, Found};
use pair::{Judged, Rules};
use report::Shown;

/// Compares what `args` name.
pub(super) fn diff(args: &DiffArgs) -> Result<Exit, CliError> {
    let rules = Rules { spec: args.spec()?, masks: args.masks.clone(), on_alpha: args.on_alpha };
    let kinds = [&args.expected, &args.actual].map(|path| kind(path));
    check_outputs(args)?;
    match kinds {
        [Some(Kind::Folder), Some(Kind::Folder)] => folders(args, &rules),
        [Some(Kind::Folder), Some(Kind::File)] | [Some(Kind::File), Some(Kind::Folder)] => {
            let (folder, file) = if kinds[0] == Some(Kind::Folder) {
                (&args.expected, &args.actual)
            } else {
                (&args.actual, &args.expected)
            };
            Err(CliError::Usage(format!(
                "error: `{}` is a folder and `{}` is a file\ngive two files or two folders",
                folder.display(),
                file.display()
            )))
        }
        _ => files(args, &rules),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// What stands at `path`; `None` when nothing does, which reading it will say.
fn kind(path: &Path) -> Option<Kind> {
    fs::metadata(path).ok().map(|metadata| if metadata.is_dir() { Kind::Folder } else { Kind::File })
}

/// An output that would replace an input, or be taken for one by the next comparison, is a slip.
fn check_outputs(args: &DiffArgs) -> Result<(), CliError> {
    let outputs = [("--out", &args.out), ("--junit", &args.junit)];
    for (option, output) in outputs {
        let Some(real) = output.as_deref().and_then(real) else { continue };
        for input in [&args.expected, &args.actual] {
            if fs::canonicalize(input).is_ok_and(|input| real.starts_with(input)) {
                return Err(CliError::Usage(format!(
                    "error: `{option} {}` would write into `{}`, which is compared",
                    output.as_deref().unwrap_or(Path::new("")).display(),
                    input.display()
                )));
            }
        }
    }
    Ok(())
}

/// `path` without symbolic links, as far as it exists.
fn real(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let (there, real) =
        absolute.ancestors().find_map(|there| Some((there, fs::canonicalize(there).ok()?)))?;
    Some(real.join(absolute.strip_prefix(there).ok()?))
}

fn files(args: &DiffArgs, rules: &Rules) -> Result<Exit, CliError> {
    let (clock, began) = (SystemClock, SystemClock.now());
    let judged = pair::judge(&args.expected, &args.actual, rules, args.out.as_deref())?;
    check_masks_hide(rules, &judged)?;
    let name = args.actual.file_name().map(PathBuf::from).unwrap_or_default();
    let same = judged.comparison.is_match();
    let entry = Entry {
        path: name,
        expected: Some(args.expected.clone()),
        actual: Some(args.actual.clone()),
        found: Found::Judged(judged),
        duration: clock.now().saturating_duration_since(began),
    };
    let shown = Shown { entries: std::slice::from_ref(&entry), rules, began, clock: &clock };
    write_junit(args, &shown)?;
    print(&if args.json { json::pair(&entry) } else { report::pair(&entry, rules) });
    Ok(if same { Exit::Passed } else { Exit::Failed })
}

/// A mask beside the picture was meant for another one.
fn check_masks_hide(rules: &Rules, judged: &Judged) -> Result<(), CliError> {
    let beside = rules
        .masks
        .iter()
        .find(|mask| judged.sizes.iter().all(|size| mask.intersection(size.region()).is_none()));
    match (beside, &judged.comparison) {
        (Some(mask), Comparison::Match { .. } | Comparison::Mismatch { .. }) => Err(CliError::Usage(
            format!("error: the mask {mask} hides nothing: the pictures are {}", judged.sizes[0]),
        )),
        _ => Ok(()),
    }
}

fn folders(args: &DiffArgs, rules: &Rules) -> Result<Exit, CliError> {
    let (clock, began) = (SystemClock, SystemClock.now());
    let entries = folders::compare(&args.expected, &args.actual, rules, args.out.as_deref(), &clock)?;
    if entries.is_empty() {
        return Err(CliError::Usage(format!(
            "error: there is no picture in `{}` nor in `{}`",
            args.expected.display(),
            args.actual.display()
        )));
    }
    let shown = Shown { entries: &entries, rules, began, clock: &clock };
    write_junit(args, &shown)?;
    print(&if args.json { json::folders(&entries) } else { report::folders(&shown) });
    Ok(if entries.iter().any(|entry| matches!(entry.found, Found::Unreadable(_))) {
        Exit::Usage
    } else if entries.iter().all(Entry::is_same) {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

fn write_junit(args: &DiffArgs, shown: &Shown<'_>) -> Result<(), CliError> {
    let Some(path) = &args.junit else { return Ok(()) };
    report::write_junit(shown, path).map_err(|error| CliError::Fault(format!("error: {error}")))
}

fn print(text: &str) {
    say(text.trim_end());
}
