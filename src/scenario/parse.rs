//! From the bytes of a file to a [`Node`] tree: the only file that knows the YAML crate.
//!
//! The tree is built from the event parser that `serde-saphyr` re-exports and not by its deserializer, because that gives
//! scalars a type on the way (`1.10` becomes `1.1`) and keeps neither the places of keys nor both places of a duplicate.
//! Anchors and aliases are expanded within a budget. What YAML offers beyond plain data is refused by name: merge
//! keys (`<<`, which YAML 1.2 dropped), tags, several documents, keys that are lists or maps.

use std::{collections::HashMap, fs::File, io::Read, path::Path};

use serde_saphyr::granit_parser::{self as yaml, ErrorKind, Event, Options, Parser, ScalarStyle, ScanError};

use super::{
    Template,
    error::{Problem, Problems, Source, shortened},
    tree::{Key, Kind, Node, Span},
};

/// Largest scenario file in bytes; 10,000 steps take about half of it.
const MAX_BYTES: u64 = 2 << 20;
/// Deepest nesting of lists and maps, aliases expanded.
const MAX_DEPTH: usize = 64;
/// Most values in one document, aliases expanded.
const MAX_NODES: usize = 250_000;
/// Most bytes of text in one document, aliases expanded.
const MAX_TEXT: usize = 16 << 20;

/// Reads and parses `path`. Without a tree there is at least one problem; with one there may be duplicate keys among them.
pub(super) fn read(path: &Path, problems: &Problems) -> (Source, Option<Node>) {
    let bytes = match read_bytes(path) {
        Ok(bytes) => bytes,
        Err(problem) => {
            problems.report(problem);
            return (Source::new(path, ""), None);
        }
    };
    let text = match std::str::from_utf8(&bytes) {
        // A byte-order mark is allowed and means nothing.
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            problems.report(not_utf8(&bytes, error.valid_up_to()));
            return (Source::new(path, &String::from_utf8_lossy(&bytes)), None);
        }
    };
    (Source::new(path, text), parse(text, problems))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    let failed = |error: std::io::Error| Problem::new(format!("failed to read the file: {error}"));
    // Before it is opened: opening a named pipe would wait for whoever writes into it.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Problem::new("not a regular file"));
    }
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem::new(format!("larger than {} MiB, the limit for a scenario", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

fn not_utf8(bytes: &[u8], at: usize) -> Problem {
    let before = String::from_utf8_lossy(&bytes[..at]);
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
    let problem = Problem::at(
        Span { line, column, width: 1 },
        format!("not UTF-8: byte {} is 0x{:02x}", at + 1, bytes[at]),
    );
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => problem.hint("this is UTF-16; save the file as UTF-8"),
        _ => problem.hint("save the file as UTF-8"),
    }
}

/// The tree of `text`.
pub(super) fn parse(text: &str, problems: &Problems) -> Option<Node> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    let mut builder = Builder::new(problems);
    for next in Parser::new_from_str_with_options(text, options) {
        let outcome = match next {
            Ok((event, span)) => builder.take(event, place(&span), span.is_empty()),
            Err(error) => Err(syntax_problem(text, &error)),
        };
        if let Err(problem) = outcome {
            problems.report(problem);
            return None;
        }
    }
    match builder.root {
        Some(Node { kind: Kind::Nothing, .. }) | None => {
            problems.report(
                Problem::new("the file holds no scenario")
                    .hint("a scenario is a map with at least `steps: [...]`"),
            );
            None
        }
        root => root,
    }
}

fn place(span: &yaml::Span) -> Span {
    let (start, end) = (span.start, span.end);
    // A value of several lines is underlined to the end of its first, which the diagnostic finds.
    let width = if start.line() == end.line() { end.col().saturating_sub(start.col()) } else { usize::MAX };
    Span {
        line: start.line() as u32,
        column: start.col() as u32 + 1,
        width: u32::try_from(width).unwrap_or(u32::MAX).max(1),
    }
}

fn syntax_problem(text: &str, error: &ScanError) -> Problem {
    let marker = error.marker();
    let span = Span { line: marker.line() as u32, column: marker.col() as u32 + 1, width: 1 };
    let line = text.lines().nth(marker.line().saturating_sub(1)).unwrap_or_default();
    let indentation = &line[..line.len() - line.trim_start().len()];
    if let Some(tab) = indentation.find('\t') {
        let span = Span { column: tab as u32 + 1, ..span };
        return Problem::at(span, "tab used for indentation").hint("indent with spaces");
    }
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => Problem::at(span, too_deep()),
        ErrorKind::UnknownAnchor => Problem::at(span, "unknown alias: no `&` of this name above"),
        _ if line.contains("${") && line.contains(['{', '[']) => {
            Problem::at(span, format!("not valid YAML: {}", error.info()))
                .hint("inside `{…}` and `[…]`, write \"${name}\" in quotes")
        }
        _ => Problem::at(span, format!("not valid YAML: {}", error.info())),
    }
}

fn too_deep() -> String {
    format!("nested deeper than {MAX_DEPTH} levels")
}

/// What an expanded value costs.
#[derive(Debug, Clone, Copy)]
struct Cost {
    nodes: usize,
    text: usize,
    height: usize,
}

/// A list or map whose end has not come.
struct Open {
    span: Span,
    anchor: usize,
    cost: Cost,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map { entries: Vec<(Key, Node)>, seen: HashMap<String, Span>, key: Option<Key> },
}

/// Builds the tree with a stack of its own, so that no nesting can exhaust the thread's.
struct Builder<'a> {
    problems: &'a Problems,
    stack: Vec<Open>,
    anchors: HashMap<usize, (Node, Cost)>,
    documents: usize,
    nodes: usize,
    text: usize,
    root: Option<Node>,
}

impl<'a> Builder<'a> {
    fn new(problems: &'a Problems) -> Self {
        Self {
            problems,
            stack: Vec::new(),
            anchors: HashMap::new(),
            documents: 0,
            nodes: 0,
            text: 0,
            root: None,
        }
    }

    fn take(&mut self, event: Event<'_>, span: Span, empty: bool) -> Result<(), Problem> {
        if event.tag().is_some() {
            return Err(Problem::at(span, "tags (`!name`) are not used in scenarios")
                .hint("the key decides what its value is; remove the tag"));
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Problem::at(span, "a second document starts here")
                        .hint("one file is one scenario; split the file"));
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let cost = Cost { nodes: 1, text: text.len(), height: 1 };
                // The parser says `~` where nothing is written; only the empty span tells it from a written one.
                let kind = if empty && style == ScalarStyle::Plain {
                    Kind::Nothing
                } else {
                    Kind::Scalar(Template::from(text.as_ref()))
                };
                self.spend(cost, span)?;
                self.finish(Node { span, kind }, cost, anchor)?;
            }
            Event::SequenceStart(_, anchor, _) => self.open(span, anchor, Content::List(Vec::new()))?,
            Event::MappingStart(_, anchor, _) => {
                let content = Content::Map { entries: Vec::new(), seen: HashMap::new(), key: None };
                self.open(span, anchor, content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Alias(id) => {
                let Some((node, cost)) = self.anchors.get(&id).cloned() else {
                    return Err(Problem::at(span, "an alias inside the value it stands for"));
                };
                self.spend(cost, span)?;
                self.place(node, cost, span)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, span: Span, anchor: usize, content: Content) -> Result<(), Problem> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(Problem::at(span, too_deep()));
        }
        let cost = Cost { nodes: 1, text: 0, height: 1 };
        self.spend(cost, span)?;
        self.stack.push(Open { span, anchor, cost, content });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        let Some(open) = self.stack.pop() else {
            return Ok(());
        };
        let kind = match open.content {
            Content::List(items) => Kind::List(items),
            Content::Map { entries, .. } => Kind::Map(entries),
        };
        self.finish(Node { span: open.span, kind }, open.cost, open.anchor)
    }

    fn finish(&mut self, node: Node, cost: Cost, anchor: usize) -> Result<(), Problem> {
        if anchor > 0 {
            self.spend(cost, node.span)?;
            self.anchors.insert(anchor, (node.clone(), cost));
        }
        let span = node.span;
        self.place(node, cost, span)
    }

    /// Counts what is kept: each value once, and once more for its anchor and for each alias.
    fn spend(&mut self, cost: Cost, span: Span) -> Result<(), Problem> {
        self.nodes += cost.nodes;
        self.text += cost.text;
        if self.nodes <= MAX_NODES && self.text <= MAX_TEXT {
            return Ok(());
        }
        Err(Problem::at(span, "the document is too large with its aliases written out")
            .hint(format!("at most {MAX_NODES} values and {} MiB of text", MAX_TEXT >> 20)))
    }

    /// Puts a complete value where it belongs; `span` is the place to name when it must not be there.
    fn place(&mut self, mut node: Node, cost: Cost, span: Span) -> Result<(), Problem> {
        if self.stack.len() + cost.height > MAX_DEPTH {
            return Err(Problem::at(span, too_deep()));
        }
        let Some(parent) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        parent.cost.nodes += cost.nodes;
        parent.cost.text += cost.text;
        parent.cost.height = parent.cost.height.max(cost.height + 1);
        match &mut parent.content {
            Content::List(items) => items.push(node),
            Content::Map { entries, seen, key } => match key.take() {
                None => *key = Some(key_of(&node, span)?),
                Some(new) => {
                    if let Some(first) = seen.get(&new.text) {
                        self.problems.report(duplicate(&new, *first));
                    } else {
                        seen.insert(new.text.clone(), new.span);
                        if node.kind == Kind::Nothing {
                            // Nothing has no extent: the key is what the reader looks for.
                            node.span = new.span;
                        }
                        entries.push((new, node));
                    }
                }
            },
        }
        Ok(())
    }
}

fn key_of(node: &Node, span: Span) -> Result<Key, Problem> {
    let text = match &node.kind {
        Kind::Nothing => "",
        Kind::Scalar(_) => node.text().unwrap_or_default(),
        _ => return Err(Problem::at(span, "a key must be text, not a list or a map")),
    };
    if text == "<<" {
        return Err(Problem::at(span, "merge keys (`<<`) are not part of YAML 1.2 and not supported")
            .hint("write the keys out, or move the steps into a part: `run: parts/name.yaml`"));
    }
    Ok(Key { text: text.to_owned(), span })
}

fn duplicate(key: &Key, first: Span) -> Problem {
    Problem::at(
        key.span,
        format!("duplicate key `{}`, first at {}:{}", shortened(&key.text), first.line, first.column),
    )
    .hint("remove one of the two")
}
