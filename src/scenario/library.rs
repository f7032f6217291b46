//! The files of one run, each read once, and the mistakes found in all of them.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    rc::Rc,
};

use crate::diagnostic::Diagnostic;

use super::{
    error::{Problems, Source},
    parse,
    tree::Node,
};

/// A parsed file.
#[derive(Debug)]
pub(super) struct ScenarioFile {
    pub(super) source: Source,
    /// Where it really is, for telling files apart.
    pub(super) canonical: PathBuf,
    /// Its content; none when it is no YAML.
    pub(super) root: Option<Node>,
}

impl ScenarioFile {
    /// The folder that relative paths start from.
    pub(super) fn folder(&self) -> &Path {
        match self.source.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

/// Files by their real path.
#[derive(Debug, Default)]
pub(super) struct Library {
    files: RefCell<HashMap<PathBuf, Rc<ScenarioFile>>>,
    pub(super) report: Report,
}

impl Library {
    /// The file `canonical`, called `shown` in messages; read when it is asked for first.
    pub(super) fn load(&self, canonical: &Path, shown: &Path) -> Rc<ScenarioFile> {
        if let Some(file) = self.files.borrow().get(canonical) {
            return Rc::clone(file);
        }
        let problems = Problems::default();
        let (source, root) = parse::read(shown, &problems);
        self.report.absorb(&source, &problems);
        let file = Rc::new(ScenarioFile { source, canonical: canonical.to_owned(), root });
        self.files.borrow_mut().insert(canonical.to_owned(), Rc::clone(&file));
        file
    }
}

/// What makes two diagnostics the same mistake: the rows of a matrix and the uses of a part find it again and again.
type Mistake = (PathBuf, Option<(u32, u32)>, String);

/// Every mistake of a run, once.
#[derive(Debug, Default)]
pub(super) struct Report {
    found: RefCell<Vec<Diagnostic>>,
    seen: RefCell<HashSet<Mistake>>,
}

impl Report {
    pub(super) fn add(&self, diagnostic: Diagnostic) {
        let mistake = (diagnostic.file.clone(), diagnostic.position, diagnostic.message.clone());
        if self.seen.borrow_mut().insert(mistake) {
            self.found.borrow_mut().push(diagnostic);
        }
    }

    /// Takes over the mistakes of one file; whether there were any.
    pub(super) fn absorb(&self, source: &Source, problems: &Problems) -> bool {
        let problems = problems.take();
        let any = !problems.is_empty();
        for problem in problems {
            self.add(source.diagnostic(problem));
        }
        any
    }

    /// The mistakes: files in the order of their first one, each from top to bottom.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut found = self.found.into_inner();
        let mut order: HashMap<PathBuf, usize> = HashMap::new();
        for diagnostic in &found {
            let next = order.len();
            order.entry(diagnostic.file.clone()).or_insert(next);
        }
        found.sort_by_key(|diagnostic| (order.get(&diagnostic.file).copied(), diagnostic.position));
        found
    }
}
