//! From files to cases: every scenario, every row of its matrix, all mistakes at once.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
};

use crate::{
    diagnostic::{Diagnostic, nearest},
    id::CaseId,
};

use super::{
    Case, Overrides, Template,
    authored::Scenario,
    browser_settings,
    build::Context,
    declare::{declare, names},
    decode::decode,
    discover::{self, Found},
    error::{Problem, Problems},
    library::{Library, ScenarioFile},
    matrix::{self, Row},
    settings,
    steps::{CaseFacts, Unfolding},
    tree::{Kind, Node, Span},
    values::{Identifier, Parsed},
    vars::Scope,
    wrappers::{Caught, Located},
};

/// Prefix of the environment variables that replace variables.
const VARIABLE_PREFIX: &str = "CU_RUN_VAR_";

/// Finds the scenarios below `paths`, reads them and plans their cases, in the order of the paths, files and rows.
///
/// `paths` are files or folders; a folder gives every `*.yaml` and `*.yml` below it but hidden ones and parts (folders named
/// `parts`, files and folders that start with `_`). Nothing is started or written. The error holds every mistake of every file.
pub fn load(paths: &[PathBuf], overrides: &Overrides) -> Result<Vec<Case>, Vec<Diagnostic>> {
    let library = Library::default();
    let found = discover::discover(paths, &library.report);
    let mut cases = Vec::new();
    let mut declared = BTreeSet::new();
    for Found { shown, canonical, id } in &found {
        let file = library.load(canonical, shown);
        declared.extend(names(file.root.as_ref().and_then(|root| root.get("vars"))).map(str::to_owned));
        if let Some(root) = &file.root {
            cases.extend(Planning { library: &library, file: &file, root, overrides }.cases(id));
        }
    }
    if !found.is_empty() {
        unknown_overrides(overrides, &declared, &library);
    }
    distinct(&cases, &library);
    let diagnostics = library.report.into_diagnostics();
    if diagnostics.is_empty() { Ok(cases) } else { Err(diagnostics) }
}

/// A `--var` that replaces nothing is a slip.
fn unknown_overrides(overrides: &Overrides, declared: &BTreeSet<String>, library: &Library) {
    for name in overrides.vars.keys().filter(|name| !declared.contains(*name)) {
        let diagnostic = Diagnostic::of_file(
            format!("--var {name}"),
            format!("no scenario declares the variable `{name}`"),
        );
        library.report.add(match nearest(name, declared.iter().map(String::as_str)) {
            Some(near) => diagnostic.with_hint(format!("did you mean `{near}`?")),
            None => diagnostic.with_hint("`--var` replaces what stands under `vars`"),
        });
    }
}

/// Ids are folders, so that they must differ by more than upper and lower case.
fn distinct(cases: &[Case], library: &Library) {
    let mut seen: HashMap<String, &Case> = HashMap::new();
    for case in cases {
        match seen.get(&case.id.to_string().to_lowercase()) {
            None => {
                seen.insert(case.id.to_string().to_lowercase(), case);
            }
            Some(first) => library.report.add(
                Diagnostic::of_file(
                    &case.file,
                    format!(
                        "the case `{}` would share its folder with `{}` of {}",
                        case.id,
                        first.id,
                        first.file.display()
                    ),
                )
                .with_hint("rename one of the files; names must differ by more than upper and lower case"),
            ),
        }
    }
}

/// One scenario file being planned.
struct Planning<'a> {
    library: &'a Library,
    file: &'a ScenarioFile,
    root: &'a Node,
    overrides: &'a Overrides,
}

impl Planning<'_> {
    fn cases(&self, id: &CaseId) -> Vec<Case> {
        let (source, root) = (&self.file.source, self.root);
        let problems = Problems::default();
        let mut cases = Vec::new();
        if matches!(root.kind, Kind::Map(_)) {
            let secrets = secrets(root.get("secrets"), &problems);
            // Both budgets are those of the file with all its rows.
            let (filled, unfolded) = (Cell::new(0), Cell::new(0));
            let mut scope = Scope {
                values: BTreeMap::new(),
                env: &self.overrides.env,
                secrets: &secrets,
                serves: root.get("serve").is_some(),
                filled: &filled,
            };
            let how = "give it one here, or with `--var NAME=…`";
            declare(root.get("vars"), &self.given(), how, &mut scope, (source, &problems));
            let rows = matrix::rows(root.entry("matrix"), &scope, source, &problems);
            let variables = scope.values.clone();
            for row in rows {
                scope.values.clone_from(&variables);
                scope.values.extend(row.variables());
                cases.extend(self.case(id, &row, &scope, (&unfolded, &problems)));
            }
        } else {
            problems
                .report(Problem::at(root.span, "a scenario is a map").hint("such as `steps: [{wait: 1s}]`"));
        }
        self.library.report.absorb(source, &problems);
        cases
    }

    /// Values from outside: the environment, and over it the command line.
    fn given(&self) -> BTreeMap<String, Template> {
        let environment = self.overrides.env.iter().filter_map(|(name, value)| {
            name.strip_prefix(VARIABLE_PREFIX).map(|name| (name.to_owned(), Template::from(value.as_str())))
        });
        let command_line =
            self.overrides.vars.iter().map(|(name, value)| (name.clone(), Template::from(value.as_str())));
        environment.chain(command_line).collect()
    }

    /// The case of one row; none when its head is wrong, which is reported.
    fn case(
        &self,
        id: &CaseId,
        row: &Row,
        scope: &Scope<'_>,
        (unfolded, problems): (&Cell<usize>, &Problems),
    ) -> Option<Case> {
        let (file, source) = (self.file, &self.file.source);
        let head: Option<Scenario> =
            decode(&self.head(scope, problems), problems).map_err(|problem| problems.report(problem)).ok();
        let display = head.as_ref().and_then(|head| {
            settings::display(head.display.0.as_ref()).map_err(|problem| problems.report(problem)).ok()
        });
        let facts = CaseFacts {
            serves: scope.serves,
            screen: display.as_ref().map(|display| display.size),
            compare: settings::limits(head.as_ref().and_then(|head| head.compare.0.as_ref())),
            unfolded,
        };
        let mut unfolding = Unfolding::new(self.library, &facts);
        unfolding.file(file, scope, None);
        let steps = unfolding.steps;
        let head = head?;
        let context = Context {
            screen: facts.screen,
            compare: &facts.compare,
            folder: file.folder(),
            serves: facts.serves,
            problems,
        };
        let browser = browser_settings::browser(head.browser.0, &context)
            .map_err(|problem| problems.report(problem))
            .ok();
        let serve = head.serve.0.and_then(|folder| {
            context.existing_folder(&folder).map_err(|problem| problems.report(problem)).ok()
        });
        let services = settings::services(head.services.0.unwrap_or_default(), &context, source);
        let tags = settings::tags(head.tags.0.unwrap_or_default(), &context);
        let name = name(head.name.0, id, problems);
        Some(Case {
            id: row.component.clone().map_or_else(|| id.clone(), |component| id.join(component)),
            file: source.path.clone(),
            name,
            description: head.description.0,
            tags,
            matrix: row.values.clone(),
            display: display?,
            browser: browser?,
            secrets: scope.secrets.iter().cloned().collect(),
            services,
            serve,
            steps,
        })
    }

    /// The file without what is read elsewhere, variables filled in.
    fn head(&self, scope: &Scope<'_>, problems: &Problems) -> Node {
        let Kind::Map(entries) = &self.root.kind else {
            return self.root.clone();
        };
        let entries = entries
            .iter()
            .map(|(key, value)| match key.text.as_str() {
                "vars" | "secrets" | "matrix" | "steps" => {
                    (key.clone(), Node { span: value.span, kind: Kind::Nothing })
                }
                _ => (key.clone(), scope.fill(value, &self.file.source, problems)),
            })
            .collect();
        Node { span: self.root.span, kind: Kind::Map(entries) }
    }
}

fn name(name: Option<Located<String>>, id: &CaseId, problems: &Problems) -> String {
    match name {
        Some(Located { span, value }) => {
            if value.trim().is_empty() {
                problems.report(Problem::at(span, "the name must not be empty"));
            }
            value
        }
        None => id.components().last().map(ToString::to_string).unwrap_or_default(),
    }
}

fn secrets(node: Option<&Node>, problems: &Problems) -> BTreeSet<String> {
    let mut secrets = BTreeSet::new();
    let Some(node) = node else { return secrets };
    let names: Vec<Caught<Located<Parsed<Identifier>>>> = match decode(node, problems) {
        Ok(names) => names,
        Err(problem) => {
            problems.report(problem.or_at(Span::START));
            return secrets;
        }
    };
    for Located { span, value } in names.into_iter().filter_map(|name| name.0) {
        if !secrets.insert(value.0.0.clone()) {
            problems.report(Problem::at(span, format!("the secret `{}` is listed twice", value.0.0)));
        }
    }
    secrets
}
