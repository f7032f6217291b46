//! From `steps` to the steps of a case: words, variables, types, checks, and the steps of parts in the place of `run`.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    rc::Rc,
};

use crate::{compare::CompareSpec, diagnostic::Location, geometry::Size};

use super::{
    Action, Step, StepOptions,
    authored::Part,
    build::{Built, Context},
    declare::{declare, given_to_part},
    decode::decode,
    error::{Problem, Problems, Source},
    library::{Library, ScenarioFile},
    payload::{AnyAction, Options, RunFields},
    tree::{Kind, Node, Span},
    vars::Scope,
    words::{RawStep, read_step},
    wrappers::Located,
};

/// Most steps of a scenario, all rows and parts unfolded: parts that use parts may double with every level.
const MAX_STEPS: usize = 200_000;
/// Deepest chain of parts.
const MAX_PARTS: usize = 16;
/// Most retries.
const MAX_RETRY: u32 = 100;

/// What all files of one case share.
#[derive(Debug)]
pub(super) struct CaseFacts<'a> {
    /// Whether a folder is served.
    pub(super) serves: bool,
    /// The screen, when its own description is right.
    pub(super) screen: Option<Size>,
    /// The limits of the scenario.
    pub(super) compare: CompareSpec,
    /// Steps unfolded so far, in all rows.
    pub(super) unfolded: &'a Cell<usize>,
}

/// The steps of one case while they are unfolded.
pub(super) struct Unfolding<'a> {
    pub(super) library: &'a Library,
    pub(super) facts: &'a CaseFacts<'a>,
    /// The steps so far.
    pub(super) steps: Vec<Step>,
    /// Checkpoints so far, by lower-cased name.
    checkpoints: HashMap<String, Location>,
    /// The files that are being unfolded, outermost first.
    open: Vec<PathBuf>,
}

/// The file a step stands in.
#[derive(Clone, Copy)]
struct Place<'a> {
    source: &'a Source,
    folder: &'a Path,
    scope: &'a Scope<'a>,
    problems: &'a Problems,
    /// The condition of a `run` around it that does not hold.
    skipped_by: Option<&'a str>,
}

impl<'a> Unfolding<'a> {
    pub(super) fn new(library: &'a Library, facts: &'a CaseFacts<'a>) -> Self {
        Self { library, facts, steps: Vec::new(), checkpoints: HashMap::new(), open: Vec::new() }
    }

    /// Adds the steps of `file`; its mistakes go to the library's report.
    pub(super) fn file(&mut self, file: &ScenarioFile, scope: &Scope<'_>, skipped_by: Option<&str>) {
        let problems = Problems::default();
        let place =
            Place { source: &file.source, folder: file.folder(), scope, problems: &problems, skipped_by };
        self.open.push(file.canonical.clone());
        match file.root.as_ref().and_then(|root| root.entry("steps")) {
            Some((key, Node { kind: Kind::Nothing, .. })) => problems.report(no_steps(key.span)),
            Some((_, Node { kind: Kind::List(items), span })) if items.is_empty() => {
                problems.report(no_steps(*span));
            }
            Some((_, Node { kind: Kind::List(items), .. })) => {
                for item in items {
                    if let Err(problem) = self.step(item, place) {
                        problems.report(problem.or_at(item.span));
                    }
                }
            }
            Some((_, other)) => problems
                .report(Problem::at(other.span, "`steps` is a list").hint("each step starts with `- `")),
            // That the key is missing is found when the file is decoded.
            None => {}
        }
        self.open.pop();
        self.library.report.absorb(&file.source, &problems);
    }

    fn step(&mut self, item: &Node, place: Place<'_>) -> Result<(), Problem> {
        let problems = place.problems;
        self.count(item.span)?;
        let Some(raw) = read_step(item, problems) else {
            return Ok(());
        };
        let condition = condition(&raw, place.scope).unwrap_or_else(|problem| {
            problems.report(problem);
            None
        });
        let skipped_by = place.skipped_by.map(str::to_owned).or(condition);
        let filled = place.scope.fill(&raw.options, place.source, problems);
        let options: Option<Options> =
            decode(&filled, problems).map_err(|problem| problems.report(problem)).ok();
        let action: AnyAction = decode(&place.scope.fill(&raw.action, place.source, problems), problems)?;
        if let (AnyAction::Screenshot(screenshot), None) = (&action, &skipped_by) {
            let name = &screenshot.0.name;
            self.checkpoint(name.value.0.as_str(), place.source.location(name.span), name.span)?;
        }
        let context = Context {
            screen: self.facts.screen,
            compare: &self.facts.compare,
            folder: place.folder,
            serves: self.facts.serves,
            problems,
        };
        match context.build(action).map_err(|problem| problem.or_at(raw.span))? {
            Built::Run(run) => self.part(&run, &raw, place, skipped_by.as_deref()),
            Built::Action(action) => {
                let options = step_options(options.unwrap_or_default(), skipped_by, &action, problems);
                self.steps.push(Step { action, options, source: place.source.location(raw.span) });
                Ok(())
            }
        }
    }

    /// One step more; the one too many is a mistake, and nothing behind it is read.
    fn count(&self, span: Span) -> Result<(), Problem> {
        let unfolded = self.facts.unfolded.get() + 1;
        self.facts.unfolded.set(unfolded);
        match unfolded {
            0..=MAX_STEPS => Ok(()),
            _ if unfolded == MAX_STEPS + 1 => Err(Problem::at(
                span,
                format!("more than {MAX_STEPS} steps with all parts and rows of the matrix unfolded"),
            )),
            _ => Err(Problem::known()),
        }
    }

    fn checkpoint(&mut self, name: &str, location: Location, span: Span) -> Result<(), Problem> {
        match self.checkpoints.get(&name.to_lowercase()) {
            Some(first) if *first == location => Err(Problem::at(
                span,
                format!("duplicate checkpoint `{name}`: these lines are used more than once"),
            )
            .hint(
                "give a part used twice a variable, such as `screenshot: ${prefix}-home`, and set it at each `run`",
            )),
            Some(first) => Err(Problem::at(
                span,
                format!(
                    "duplicate checkpoint `{name}`, first at {}:{}:{}",
                    first.file.display(),
                    first.line,
                    first.column
                ),
            )
            .hint("names of checkpoints must differ by more than upper and lower case")),
            None => {
                self.checkpoints.insert(name.to_lowercase(), location);
                Ok(())
            }
        }
    }

    fn part(
        &mut self,
        run: &Located<RunFields>,
        raw: &RawStep,
        place: Place<'_>,
        skipped_by: Option<&str>,
    ) -> Result<(), Problem> {
        if let Kind::Map(options) = &raw.options.kind {
            for (key, _) in options.iter().filter(|(key, _)| key.text != "if") {
                place.problems.report(
                    Problem::at(key.span, format!("`{}` does nothing beside `run`", key.text))
                        .hint("write it at the steps of the part; only `if` may stand here"),
                );
            }
        }
        let file = self.open_part(&run.value.file, place)?;
        let Some(root) = &file.root else {
            return Ok(());
        };
        let problems = Problems::default();
        if let Err(problem) = decode::<Part>(root, &problems) {
            problems.report(problem);
        }
        // The values are taken from the raw step: serde only looked at their keys.
        let payload =
            raw.action.get("run").map(|node| place.scope.fill(node, place.source, &Problems::default()));
        let vars = payload.as_ref().and_then(|node| node.get("vars"));
        let given = given_to_part(vars, root.get("vars"), place.problems);
        let mut scope = Scope { values: BTreeMap::new(), ..*place.scope };
        let how = "give it one here, or at `run: {file: …, vars: {NAME: …}}`";
        declare(root.get("vars"), &given, how, &mut scope, (&file.source, &problems));
        self.library.report.absorb(&file.source, &problems);
        self.file(&file, &scope, skipped_by);
        Ok(())
    }

    /// The part that `path` names.
    fn open_part(&self, path: &Located<String>, place: Place<'_>) -> Result<Rc<ScenarioFile>, Problem> {
        let Located { span, value } = path;
        if value.trim().is_empty() || Path::new(value).is_absolute() {
            return Err(Problem::at(*span, "a part is named by a path relative to this file"));
        }
        let shown = tidy(&place.folder.join(value));
        let canonical = std::fs::canonicalize(&shown)
            .map_err(|error| Problem::at(*span, format!("no part `{}`: {error}", shown.display())))?;
        if let Some(at) = self.open.iter().position(|open| *open == canonical) {
            let names = self.open[at..].iter().chain([&canonical]);
            let chain: Vec<String> = names
                .map(|file| file.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect();
            return Err(Problem::at(*span, format!("parts that run each other: {}", chain.join(" → "))));
        }
        if self.open.len() > MAX_PARTS {
            return Err(Problem::at(*span, format!("parts nested deeper than {MAX_PARTS} levels")));
        }
        Ok(self.library.load(&canonical, &shown))
    }
}

fn no_steps(span: Span) -> Problem {
    Problem::at(span, "`steps` holds no step").hint("a scenario that does nothing would always pass")
}

/// The `if` of a step when it does not hold.
fn condition(raw: &RawStep, scope: &Scope<'_>) -> Result<Option<String>, Problem> {
    let Some((key, node)) = raw.options.entry("if") else {
        return Ok(None);
    };
    let Some(text) = node.text() else {
        return Err(Problem::at(
            key.span,
            "`if` takes true, false or a comparison such as `${theme} == dark`",
        ));
    };
    let holds = scope.holds(text).map_err(|problem| problem.or_at(node.span))?;
    Ok((!holds).then(|| text.to_owned()))
}

fn step_options(
    options: Options,
    skipped_by: Option<String>,
    action: &Action,
    problems: &Problems,
) -> StepOptions {
    let timeout = options.timeout.0.and_then(|Located { span, value }| {
        if value.0.is_zero() {
            problems.report(Problem::at(span, "`timeout` must be more than 0"));
        }
        Some(value.0).filter(|timeout| !timeout.is_zero())
    });
    let retry = options.retry.0.map_or(0, |Located { span, value }| {
        if !action.is_observation() {
            problems.report(
                Problem::at(span, format!("`{}` is never repeated by itself", action.verb()))
                    .hint("`retry` belongs to `screenshot`, `wait` and `wait_still`"),
            );
        } else if value > MAX_RETRY {
            problems.report(Problem::at(span, format!("`retry` is at most {MAX_RETRY}")));
        }
        value
    });
    StepOptions {
        name: options.name.0,
        confirm: options.confirm.0.unwrap_or(false),
        timeout,
        skipped_by,
        continue_on_failure: options.continue_on_failure.0.unwrap_or(false),
        retry,
    }
}

/// The path without `.` and with `folder/..` left out, for messages.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir
                if matches!(tidy.components().next_back(), Some(std::path::Component::Normal(_))) =>
            {
                tidy.pop();
            }
            component => tidy.push(component),
        }
    }
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}
