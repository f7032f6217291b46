//! `matrix`: lists of values whose combinations are cases of their own.

use std::collections::{BTreeMap, HashSet};

use crate::id::Name;

use super::{
    declare::check_name,
    error::{Problem, Problems, Source, shortened},
    tree::{Key, Kind, Node},
    vars::Scope,
};

/// Most cases that one scenario may become.
const MAX_ROWS: usize = 1000;
/// Longest part of a value that its component shows, in characters, when it is no name by itself.
const SHOWN: usize = 40;

/// One combination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Names and values in the order of the file.
    pub(super) values: Vec<(String, String)>,
    /// The last component of the case's id; none without a matrix.
    pub(super) component: Option<Name>,
}

/// A key with its values.
type Column = (String, Vec<String>);

/// The rows in file order, the last key turning fastest; without a matrix, a single empty one.
pub(super) fn rows(
    matrix: Option<&(Key, Node)>,
    scope: &Scope<'_>,
    source: &Source,
    problems: &Problems,
) -> Vec<Row> {
    let Some((key, node)) = matrix else {
        return vec![Row { values: Vec::new(), component: None }];
    };
    let filled = scope.fill(node, source, problems);
    match combine(&filled, key, scope, problems) {
        Ok(rows) => rows,
        Err(problem) => {
            problems.report(problem.or_at(key.span));
            Vec::new()
        }
    }
}

fn combine(matrix: &Node, place: &Key, scope: &Scope<'_>, problems: &Problems) -> Result<Vec<Row>, Problem> {
    let Kind::Map(entries) = &matrix.kind else {
        return Err(Problem::new("`matrix` is a map of names and lists of values"));
    };
    let mut columns: Vec<Column> = Vec::new();
    let mut exclude = None;
    for (key, value) in entries {
        if key.text == "exclude" {
            exclude = Some(value);
            continue;
        }
        let declared = scope.values.contains_key(&key.text).then(|| {
            Problem::at(
                key.span,
                format!("`{}` is declared twice: under `vars` and under `matrix`", key.text),
            )
        });
        match declared.map_or_else(|| column(key, value), Err) {
            Ok(values) => columns.push((key.text.clone(), values)),
            Err(problem) => problems.report(problem),
        }
    }
    if columns.is_empty() {
        return Err(if entries.is_empty() { Problem::new("`matrix` has no key") } else { Problem::known() });
    }
    let total = columns.iter().fold(1, |product: usize, (_, values)| product.saturating_mul(values.len()));
    if total > MAX_ROWS {
        return Err(Problem::new(format!(
            "the matrix has {total} combinations, at most {MAX_ROWS} are allowed"
        )));
    }
    let excluded = exclude.map_or_else(Vec::new, |node| exclusions(node, &columns, problems));
    let rows: Vec<Row> = product(&columns)
        .into_iter()
        .filter(|row| !excluded.iter().any(|partial| partial.iter().all(|pair| row.contains(pair))))
        .map(|values| component(&values).map(|name| Row { values, component: Some(name) }))
        .collect::<Result<_, _>>()?;
    if rows.is_empty() {
        return Err(Problem::at(place.span, "`exclude` leaves no combination of the matrix"));
    }
    distinct(&rows)?;
    Ok(rows)
}

fn column(key: &Key, value: &Node) -> Result<Vec<String>, Problem> {
    check_name(key, "matrix key")?;
    let Kind::List(items) = &value.kind else {
        return Err(match value.kind {
            Kind::Broken => Problem::known(),
            _ => Problem::at(key.span, format!("the values of `{}` are a list", key.text)),
        });
    };
    let mut values: Vec<String> = Vec::new();
    for item in items {
        let text = match (&item.kind, item.text()) {
            (Kind::Broken, _) => return Err(Problem::known()),
            (_, Some(text)) => text,
            (_, None) => return Err(Problem::at(item.span, "a matrix value is text known before the run")),
        };
        if values.iter().any(|value| value == text) {
            return Err(Problem::at(item.span, format!("`{}` is listed twice", shortened(text))));
        }
        values.push(text.to_owned());
    }
    if values.is_empty() {
        return Err(Problem::at(key.span, format!("the list of `{}` is empty", key.text)));
    }
    Ok(values)
}

fn product(columns: &[Column]) -> Vec<Vec<(String, String)>> {
    columns.iter().fold(vec![Vec::new()], |rows, (key, values)| {
        rows.iter()
            .flat_map(|row| {
                values.iter().map(|value| {
                    let mut longer: Vec<(String, String)> = row.clone();
                    longer.push((key.clone(), value.clone()));
                    longer
                })
            })
            .collect()
    })
}

/// The partial rows under `exclude`; a key or value that is not in the matrix is reported.
fn exclusions(node: &Node, columns: &[Column], problems: &Problems) -> Vec<Vec<(String, String)>> {
    let Kind::List(items) = &node.kind else {
        problems.report(
            Problem::at(node.span, "`exclude` is a list of combinations")
                .hint("such as `exclude: [{theme: dark, lang: de}]`"),
        );
        return Vec::new();
    };
    let keys: Vec<&str> = columns.iter().map(|(key, _)| key.as_str()).collect();
    let mut excluded = Vec::new();
    for item in items {
        let Kind::Map(entries) = &item.kind else {
            problems.report(Problem::at(item.span, "a combination is a map of matrix keys and values"));
            continue;
        };
        if entries.is_empty() {
            problems.report(Problem::at(item.span, "an empty combination would leave out everything"));
        }
        let mut partial = Vec::new();
        for (key, value) in entries {
            let Some((_, values)) = columns.iter().find(|(name, _)| *name == key.text) else {
                problems.report(Problem::unknown("matrix key", &key.text, &keys).or_at(key.span));
                continue;
            };
            let text = value.text().unwrap_or_default();
            if !values.iter().any(|known| known == text) {
                let known: Vec<&str> = values.iter().map(String::as_str).collect();
                problems.report(Problem::unknown("matrix value", text, &known).or_at(value.span));
            }
            partial.push((key.text.clone(), text.to_owned()));
        }
        excluded.push(partial);
    }
    excluded.retain(|partial| !partial.is_empty());
    excluded
}

/// `theme-dark_lang-de`. A value that is no name (`http://…`) is shown in part, with a digest of the whole behind it.
fn component(row: &[(String, String)]) -> Result<Name, Problem> {
    let parts: Vec<String> = row.iter().map(|(key, value)| format!("{key}-{}", in_name(value))).collect();
    let joined = parts.join("_");
    Name::new(joined.clone())
        .or_else(|_| {
            // Too long: a digest tells the rows apart.
            let start: String = joined.chars().take(SHOWN).collect();
            Name::new(format!("{}-{}", start.trim_end_matches('.'), digest(&joined)))
        })
        .map_err(|error| {
            Problem::new(format!("the combination `{}` makes no file name: {error}", shortened(&joined)))
        })
}

fn in_name(value: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !value.is_empty() && value.chars().all(allowed) && !value.contains("..") && !value.ends_with('.') {
        return value.to_owned();
    }
    let readable: String =
        value.chars().take(SHOWN).map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let words: Vec<&str> = readable.split('-').filter(|word| !word.is_empty()).collect();
    [words.join("-"), digest(value)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..8].to_owned()
}

/// Rows are folders, so that they must differ by more than upper and lower case.
fn distinct(rows: &[Row]) -> Result<(), Problem> {
    let mut seen: HashSet<String> = HashSet::new();
    for name in rows.iter().filter_map(|row| row.component.as_ref()) {
        if !seen.insert(name.as_str().to_lowercase()) {
            return Err(Problem::new(format!(
                "two combinations of the matrix would both be called `{name}`"
            ))
            .hint("values must differ by more than upper and lower case"));
        }
    }
    Ok(())
}

impl Row {
    /// The row as values for a scope.
    pub(super) fn variables(&self) -> BTreeMap<String, super::Template> {
        self.values.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[(&str, &str)]) -> String {
        let row: Vec<_> = values.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        component(&row).unwrap().to_string()
    }

    #[test]
    fn rows_are_named_after_their_values() {
        assert_eq!(named(&[("theme", "dark"), ("lang", "de")]), "theme-dark_lang-de");
        assert_eq!(named(&[("size", "1280x800"), ("v", "1.10")]), "size-1280x800_v-1.10");
    }

    #[test]
    fn values_that_are_no_names_keep_their_difference() {
        let (slash, space) = (named(&[("url", "a/b")]), named(&[("url", "a b")]));
        assert!(slash.starts_with("url-a-b-") && space.starts_with("url-a-b-"));
        assert_ne!(slash, space);
        assert_ne!(named(&[("x", "")]), named(&[("x", ".")]));
        let long = "x".repeat(500);
        assert!(named(&[("x", &long)]).len() <= 120);
    }
}
