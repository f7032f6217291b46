//! A YAML document as the author wrote it: text with places, no types.
//!
//! YAML would make `NO` a boolean and `0123` a number; here a scalar stays the text it was, quoted or not, and the field it
//! belongs to decides what it means. Only an empty plain scalar is special: it is [`Kind::Nothing`].

use super::{Piece, Template};

/// A place in one file: line and column from 1, width in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) width: u32,
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// No value at all, as in `steps:`.
    Nothing,
    /// Text; its `${…}` are replaced by [`super::vars::Scope`].
    Scalar(Template),
    /// `- a` or `[a, b]`.
    List(Vec<Node>),
    /// `a: b` or `{a: b}`, in the order of the file, without duplicates.
    Map(Vec<(Key, Node)>),
    /// A value whose mistake has been reported.
    Broken,
}

/// A key of a map and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) span: Span,
}

impl Span {
    /// The place of a mistake of the whole document.
    pub(super) const START: Self = Self { line: 1, column: 1, width: 1 };
}

impl Node {
    /// The text of a scalar without late pieces.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(template) => literal(template),
            _ => None,
        }
    }

    /// The value of `key`, in a map.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// The entry of `key`, in a map.
    pub(super) fn entry(&self, key: &str) -> Option<&(Key, Node)> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|(candidate, _)| candidate.text == key),
            _ => None,
        }
    }
}

/// The text of a template without late pieces.
pub(super) fn literal(template: &Template) -> Option<&str> {
    match template.pieces() {
        [] => Some(""),
        [Piece::Literal(text)] => Some(text),
        _ => None,
    }
}
