//! `${…}`: which names there are and what stands for them.
//!
//! `${name}` is a variable of the file (or the matrix row), `${env.NAME}` comes from the environment; both are filled in
//! while planning. `${secret.name}`, `${port.name}` and `${serve}` stay as late [`Piece`]s. `$${` is a literal `${`; any other `$`
//! stands for itself. A variable may use those declared above it, so that no cycle can be written.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use crate::diagnostic::nearest;

use super::{
    Piece, Template,
    error::{Problem, Problems, Source, shortened},
    tree::{Kind, Node, Span, literal},
    values::is_identifier,
};

/// Most bytes that filling in variables may produce for one scenario: a chain of doubling variables is no memory bomb.
const MAX_FILLED: usize = 16 << 20;

/// Values given from outside, over what the files declare.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--var name=value`.
    pub vars: BTreeMap<String, String>,
    /// The environment: `${env.NAME}`, and `CU_RUN_VAR_name` for a declared variable.
    pub env: BTreeMap<String, String>,
}

/// The names that one file may use in one case.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    /// Variables and the matrix row.
    pub(super) values: BTreeMap<String, Template>,
    /// The environment.
    pub(super) env: &'a BTreeMap<String, String>,
    /// The secrets that the scenario declares.
    pub(super) secrets: &'a BTreeSet<String>,
    /// Whether the scenario serves a folder.
    pub(super) serves: bool,
    /// Bytes filled in so far, counted for the scenario with all its rows.
    pub(super) filled: &'a Cell<usize>,
}

/// A piece of a text with references.
#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Text(&'t str),
    Reference(&'t str),
}

impl Scope<'_> {
    /// `node` with every reference filled in; what cannot be is reported and becomes [`Kind::Broken`].
    pub(super) fn fill(&self, node: &Node, source: &Source, problems: &Problems) -> Node {
        let kind = match &node.kind {
            Kind::Scalar(template) => match self.fill_template(template) {
                Ok(filled) => Kind::Scalar(filled),
                Err((name, problem)) => {
                    problems.report(problem.or_at(place(source, node.span, &name)));
                    Kind::Broken
                }
            },
            Kind::List(items) => {
                Kind::List(items.iter().map(|item| self.fill(item, source, problems)).collect())
            }
            Kind::Map(entries) => Kind::Map(
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), self.fill(value, source, problems)))
                    .collect(),
            ),
            Kind::Nothing => Kind::Nothing,
            Kind::Broken => Kind::Broken,
        };
        Node { span: node.span, kind }
    }

    fn fill_template(&self, template: &Template) -> Result<Template, (String, Problem)> {
        let text = literal(template).unwrap_or_default();
        if !text.contains("${") {
            return Ok(template.clone());
        }
        let mut pieces = Vec::new();
        for part in parts(text)? {
            match part {
                Part::Text(text) => push(&mut pieces, Piece::Literal(text.to_owned())),
                Part::Reference(name) => {
                    let value = self.lookup(name).map_err(|problem| (name.to_owned(), problem))?;
                    value.pieces().iter().cloned().for_each(|piece| push(&mut pieces, piece));
                }
            }
        }
        let bytes: usize =
            pieces.iter().map(|piece| if let Piece::Literal(text) = piece { text.len() } else { 16 }).sum();
        self.filled.set(self.filled.get() + bytes);
        if self.filled.get() > MAX_FILLED {
            let message = format!("variables make more than {} MiB of text", MAX_FILLED >> 20);
            return Err((String::new(), Problem::new(message)));
        }
        Ok(Template::new(pieces))
    }

    fn lookup(&self, name: &str) -> Result<Template, Problem> {
        let late = |piece| Ok(Template::new(vec![piece]));
        match name.split_once('.') {
            Some(("env", variable)) => {
                self.env.get(variable).map(|value| Template::from(value.as_str())).ok_or_else(|| {
                    Problem::new(format!("the environment variable `{}` is not set", shortened(variable)))
                })
            }
            Some(("secret", secret)) if self.secrets.contains(secret) => {
                late(Piece::Secret(secret.to_owned()))
            }
            Some(("secret", secret)) => {
                let problem = Problem::new(format!("undeclared secret `{}`", shortened(secret)));
                Err(match nearest(secret, self.secrets.iter().map(String::as_str)) {
                    Some(near) => problem.hint(format!("did you mean `secret.{near}`?")),
                    None => problem.hint(format!("declare it: `secrets: [{}]`", shortened(secret))),
                })
            }
            Some(("port", port)) if is_identifier(port) => late(Piece::Port(port.to_owned())),
            None if name == "serve" && self.serves => late(Piece::Serve),
            None if name == "serve" => Err(Problem::new("`${serve}` without a served folder")
                .hint("declare it: `serve: DIR`, relative to the scenario file")),
            _ => self.values.get(name).cloned().ok_or_else(|| self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> Problem {
        let mut known: Vec<&str> = self.values.keys().map(String::as_str).collect();
        if self.serves {
            known.push("serve");
        }
        let problem = Problem::unknown("variable", name, &known);
        if !is_identifier(name.split('.').next().unwrap_or_default()) {
            return problem.hint("write `$${` for a literal `${`");
        }
        if known.is_empty() { problem.hint("declare it under `vars`") } else { problem }
    }

    /// Whether `condition` holds: `true`, `false`, `A == B` or `A != B`. Split before variables are filled in, so that no
    /// value can be mistaken for an operator.
    pub(super) fn holds(&self, condition: &str) -> Result<bool, Problem> {
        let side = |text: &str| -> Result<String, Problem> {
            let filled = self.fill_template(&Template::from(text.trim())).map_err(|(_, problem)| problem)?;
            let text = literal(&filled).ok_or_else(|| {
                Problem::new(format!(
                    "`{filled}` is known only while the case runs and cannot decide an `if`"
                ))
            })?;
            let inner =
                ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
            Ok(inner.unwrap_or(text).to_owned())
        };
        let (operator, equal) = match (condition.find("=="), condition.find("!=")) {
            (Some(first), Some(second)) if second < first => ("!=", false),
            (Some(_), _) => ("==", true),
            (None, Some(_)) => ("!=", false),
            (None, None) => match side(condition)?.as_str() {
                "true" => return Ok(true),
                "false" => return Ok(false),
                other => {
                    let message =
                        format!("expected true, false or a comparison, found `{}`", shortened(other));
                    return Err(Problem::new(message).hint("such as `if: ${theme} == dark`"));
                }
            },
        };
        match condition.split_once(operator) {
            Some((left, right)) if !right.contains("==") && !right.contains("!=") => {
                Ok((side(left)? == side(right)?) == equal)
            }
            _ => Err(Problem::new("only one comparison fits into an `if`")),
        }
    }
}

/// Adds `piece`, keeping at most one literal in a row.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (_, Piece::Literal(text)) if text.is_empty() => {}
        (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
        (_, piece) => pieces.push(piece),
    }
}

/// Splits a text at its references; the error carries the text that stands where it is wrong.
fn parts(text: &str) -> Result<Vec<Part<'_>>, (String, Problem)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            // `$${`: the first `$` goes, `${` stays.
            parts.push(Part::Text(&rest[..at - 1]));
            parts.push(Part::Text("${"));
            rest = &rest[at + 2..];
            continue;
        }
        parts.push(Part::Text(&rest[..at]));
        let inner = &rest[at + 2..];
        let Some(end) = inner.find('}') else {
            let problem = Problem::new("`${` without `}`").hint("write `$${` for a literal `${`");
            return Err((shortened(inner), problem));
        };
        parts.push(Part::Reference(&inner[..end]));
        rest = &inner[end + 1..];
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

/// Where the reference to `name` stands in a scalar, when its first line shows it.
fn place(source: &Source, span: Span, name: &str) -> Span {
    let before = span.column as usize - 1;
    let reference = format!("${{{name}");
    source
        .line(span.line)
        .and_then(|line| {
            let start = line.char_indices().nth(before)?.0;
            let found = line[start..].find(&reference)?;
            let column = before + line[start..start + found].chars().count() + 1;
            // The closing brace belongs to it.
            Some(Span { column: column as u32, width: reference.chars().count() as u32 + 1, ..span })
        })
        .unwrap_or(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_scope(check: impl FnOnce(&Scope<'_>)) {
        let env = BTreeMap::from([("HOME".to_owned(), "/root".to_owned())]);
        let secrets = BTreeSet::from(["token".to_owned()]);
        let values = BTreeMap::from([
            ("theme".to_owned(), Template::from("dark")),
            ("trap".to_owned(), Template::from("a == b")),
        ]);
        check(&Scope { values, env: &env, secrets: &secrets, serves: true, filled: &Cell::new(0) });
    }

    #[test]
    fn references_are_filled_in_and_late_ones_stay() {
        with_scope(|scope| {
            let fill = |text: &str| scope.fill_template(&Template::from(text)).unwrap();
            assert_eq!(fill("a ${theme} b"), Template::from("a dark b"));
            assert_eq!(fill("${env.HOME}/x"), Template::from("/root/x"));
            assert_eq!(fill("$${theme} costs $5 or $$"), Template::from("${theme} costs $5 or $$"));
            assert_eq!(
                fill("${serve}/${secret.token}").pieces(),
                [Piece::Serve, Piece::Literal("/".to_owned()), Piece::Secret("token".to_owned())]
            );
        });
    }

    #[test]
    fn names_that_are_not_there_are_mistakes_with_the_nearest_one() {
        with_scope(|scope| {
            let problem = |text: &str| scope.fill_template(&Template::from(text)).unwrap_err().1;
            assert_eq!(problem("${them}").hint.as_deref(), Some("did you mean `theme`?"));
            assert_eq!(problem("${secret.tokn}").hint.as_deref(), Some("did you mean `secret.token`?"));
            assert!(problem("${env.NOPE}").message.contains("`NOPE` is not set"));
            for wrong in ["${", "${}", "${a b}", "${theme"] {
                assert_eq!(problem(wrong).hint.as_deref(), Some("write `$${` for a literal `${`"), "{wrong}");
            }
        });
    }

    #[test]
    fn a_condition_compares_values_and_is_not_fooled_by_them() {
        with_scope(|scope| {
            for (condition, expected) in [
                ("true", true),
                ("false", false),
                ("${theme} == dark", true),
                ("${theme} == 'dark'", true),
                ("${theme} != dark", false),
                ("${trap} == dark", false),
                ("${trap} != dark", true),
            ] {
                assert_eq!(scope.holds(condition), Ok(expected), "{condition}");
            }
            for wrong in ["yes", "a == b == c", "${secret.token} == x", "${nope} == x", ""] {
                assert!(scope.holds(wrong).is_err(), "{wrong}");
            }
        });
    }
}
