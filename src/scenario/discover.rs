//! Which files are scenarios, and what their cases are called.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use crate::{
    diagnostic::Diagnostic,
    id::{CaseId, Name},
};

use super::{library::Report, steps::tidy, values::FromText};

/// The folder that ids are relative to when a path leads below one of this name.
const ROOT_NAME: &str = "scenarios";
/// The folder whose files are parts and no scenarios.
const PARTS_NAME: &str = "parts";

/// A scenario file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// As the user named it.
    pub(super) shown: PathBuf,
    /// Where it really is.
    pub(super) canonical: PathBuf,
    /// Its path below the root, without ending.
    pub(super) id: CaseId,
}

/// The scenarios of `paths`, in their order, folders sorted by name; each file once.
pub(super) fn discover(paths: &[PathBuf], report: &Report) -> Vec<Found> {
    let mut search = Search { report, found: Vec::new(), seen: HashSet::new() };
    if paths.is_empty() {
        report
            .add(Diagnostic::of_file(".", "no scenario was named").with_hint("such as `cu-run scenarios/`"));
    }
    for path in paths {
        search.argument(path);
    }
    search.found
}

struct Search<'a> {
    report: &'a Report,
    found: Vec<Found>,
    seen: HashSet<PathBuf>,
}

impl Search<'_> {
    fn argument(&mut self, path: &Path) {
        match std::fs::metadata(path) {
            Err(error) => {
                self.report.add(Diagnostic::of_file(path, format!("failed to find the path: {error}")));
            }
            Ok(metadata) if metadata.is_dir() => {
                let root = scenarios_root(path).unwrap_or_else(|| absolute(path));
                let mut passed = Passed::default();
                self.folder(path, &root, &mut passed);
                if passed.scenarios == 0 {
                    self.report.add(nothing_found(path, &passed));
                }
            }
            Ok(_) if !is_yaml(path) => self.report.add(Diagnostic::of_file(
                path,
                "not a scenario: its name ends neither in `.yaml` nor in `.yml`",
            )),
            Ok(_) => {
                // Made absolute first: the parent of a bare `login.yaml` is no path at all.
                let folder = absolute(path).parent().map(Path::to_owned).unwrap_or_default();
                self.file(path, &scenarios_root(&folder).unwrap_or(folder));
            }
        }
    }

    /// Everything below `folder`. Linked folders are not followed: they could lead round in a circle.
    fn folder(&mut self, folder: &Path, root: &Path, passed: &mut Passed) {
        let entries = match std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => {
                self.report.add(Diagnostic::of_file(folder, format!("failed to read the folder: {error}")));
                return;
            }
        };
        let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let linked = path.is_symlink();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                if linked || name == PARTS_NAME || name.starts_with('_') {
                    passed.other.push(name + "/");
                } else {
                    self.folder(&path, root, passed);
                }
            } else if is_yaml(&path) && !name.starts_with('_') {
                passed.scenarios += 1;
                self.file(&path, root);
            } else {
                passed.other.push(name);
            }
        }
    }

    fn file(&mut self, path: &Path, root: &Path) {
        let canonical = match std::fs::canonicalize(path) {
            Ok(canonical) => canonical,
            Err(error) => {
                self.report.add(Diagnostic::of_file(path, format!("failed to find the file: {error}")));
                return;
            }
        };
        if !self.seen.insert(canonical.clone()) {
            return;
        }
        match id_of(&absolute(path), root) {
            Ok(id) => self.found.push(Found { shown: tidy(path), canonical, id }),
            Err(message) => {
                self.report.add(Diagnostic::of_file(path, message).with_hint(
                    "the path names the case and its folder of baselines; rename the file or folder",
                ));
            }
        }
    }
}

/// What a folder held beside scenarios, for the message when it held none.
#[derive(Default)]
struct Passed {
    scenarios: usize,
    other: Vec<String>,
}

fn nothing_found(path: &Path, passed: &Passed) -> Diagnostic {
    let diagnostic = Diagnostic::of_file(path, "no scenario here: no file ends in `.yaml` or `.yml`");
    let names: Vec<String> = passed.other.iter().take(3).map(|name| format!("`{name}`")).collect();
    match passed.other.len().saturating_sub(names.len()) {
        _ if names.is_empty() => diagnostic.with_hint("the folder is empty"),
        0 => diagnostic.with_hint(format!("passed over: {}", names.join(", "))),
        more => diagnostic.with_hint(format!("passed over: {} and {more} more", names.join(", "))),
    }
}

fn is_yaml(path: &Path) -> bool {
    matches!(path.extension().and_then(OsStr::to_str), Some("yaml" | "yml"))
}

fn absolute(path: &Path) -> PathBuf {
    tidy(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// The nearest folder called `scenarios` that `path` is or lies in, so that a case has the same id however it is named.
fn scenarios_root(path: &Path) -> Option<PathBuf> {
    absolute(path)
        .ancestors()
        .find(|folder| folder.file_name() == Some(OsStr::new(ROOT_NAME)))
        .map(Path::to_owned)
}

fn id_of(path: &Path, root: &Path) -> Result<CaseId, String> {
    let relative = path.strip_prefix(root).map_err(|error| error.to_string())?.with_extension("");
    let names = relative
        .components()
        .map(|component| match component {
            Component::Normal(name) => {
                let name = name.to_str().ok_or_else(|| "the path is not UTF-8".to_owned())?;
                Name::from_text(name)
            }
            _ => Err("the path leads out of its root".to_owned()),
        })
        .collect::<Result<Vec<_>, _>>()?;
    CaseId::new(names).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_the_same_id_however_its_file_is_named() {
        let id = |file: &str, argument: &str| {
            let root = scenarios_root(Path::new(argument)).unwrap_or_else(|| absolute(Path::new(argument)));
            id_of(Path::new(file), &root).unwrap().to_string()
        };
        let file = "/p/scenarios/admin/login.yaml";
        assert_eq!(id(file, "/p/scenarios"), "admin/login");
        assert_eq!(id(file, "/p/scenarios/admin"), "admin/login");
        assert_eq!(id(file, "/p/other/../scenarios/./admin"), "admin/login");
        assert_eq!(id("/p/checks/login.yaml", "/p/checks"), "login");
        assert!(id_of(Path::new("/p/a b.yaml"), Path::new("/p")).is_err());
    }
}
