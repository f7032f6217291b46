//! `vars`: the variables that a file declares, and what replaces their values from outside.

use std::collections::BTreeMap;

use super::{
    Template,
    error::{Problem, Problems, Source, shortened},
    tree::{Key, Kind, Node, Span},
    values::is_identifier,
    vars::Scope,
};

/// Names that mean something else in `${…}`.
const RESERVED: &[&str] = &["serve", "env", "secret", "port"];

/// Adds the variables of a file to `scope`, each with the value from `given` or else its own, which may use those above it.
/// `how` tells the reader how to give a value.
pub(super) fn declare(
    vars: Option<&Node>,
    given: &BTreeMap<String, Template>,
    how: &str,
    scope: &mut Scope<'_>,
    (source, problems): (&Source, &Problems),
) {
    let Some(node) = vars else { return };
    let Kind::Map(entries) = &node.kind else {
        problems.report(Problem::at(node.span, "`vars` is a map of names and values"));
        return;
    };
    for (key, value) in entries {
        if let Err(problem) = check_name(key, "variable") {
            problems.report(problem);
            continue;
        }
        let value = match (given.get(&key.text), &value.kind) {
            (Some(value), _) => value.clone(),
            (None, Kind::Nothing) => {
                let message = format!("the variable `{}` has no value", key.text);
                problems.report(Problem::at(key.span, message).hint(how.replace("NAME", &key.text)));
                Template::default()
            }
            (None, Kind::Scalar(_)) => match scope.fill(value, source, problems).kind {
                Kind::Scalar(filled) => filled,
                _ => Template::default(),
            },
            (None, _) => {
                problems
                    .report(Problem::at(value.span, "the value of a variable is text, not a list or a map"));
                Template::default()
            }
        };
        // A variable with a mistake counts as declared: its uses are no mistakes of their own.
        scope.values.insert(key.text.clone(), value);
    }
}

/// Refuses names that `${…}` could not spell or that mean something else in it.
pub(super) fn check_name(key: &Key, noun: &str) -> Result<(), Problem> {
    let name = &key.text;
    if RESERVED.contains(&name.as_str()) {
        return Err(Problem::at(
            key.span,
            format!("`{name}` has a meaning of its own and cannot name a {noun}"),
        ));
    }
    if !is_identifier(name) {
        return Err(Problem::at(key.span, format!("`{}` cannot name a {noun}", shortened(name)))
            .hint("use letters, digits and `_`, not starting with a digit"));
    }
    Ok(())
}

/// The values that `run` gives to a part, by name and with their places.
pub(super) fn given_to_part(
    vars: Option<&Node>,
    declared: Option<&Node>,
    problems: &Problems,
) -> BTreeMap<String, Template> {
    let mut given = BTreeMap::new();
    let known: Vec<&str> = names(declared).collect();
    let Some(node) = vars else { return given };
    let Kind::Map(entries) = &node.kind else {
        problems.report(Problem::at(node.span, "`vars` is a map of names and values"));
        return given;
    };
    for (key, value) in entries {
        if !known.contains(&key.text.as_str()) {
            problems.report(Problem::unknown("variable of the part", &key.text, &known).or_at(key.span));
        }
        match &value.kind {
            Kind::Scalar(template) => {
                given.insert(key.text.clone(), template.clone());
            }
            Kind::Broken => {
                given.insert(key.text.clone(), Template::default());
            }
            _ => problems.report(Problem::at(value_place(key, value), "the value of a variable is text")),
        }
    }
    given
}

/// The names that a `vars` map declares.
pub(super) fn names(vars: Option<&Node>) -> impl Iterator<Item = &str> {
    let entries = match vars.map(|node| &node.kind) {
        Some(Kind::Map(entries)) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|(key, _)| key.text.as_str())
}

fn value_place(key: &Key, value: &Node) -> Span {
    if value.kind == Kind::Nothing { key.span } else { value.span }
}
