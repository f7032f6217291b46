//! From a [`Node`] to the types of [`super::authored`], through serde, so that one derived type is both decoder and schema.
//!
//! Beyond plain decoding the deserializer understands three requests, each a wrapper type below: where a value
//! stands ([`Located`]), that a mistake must not end the decoding of its surroundings ([`Caught`]), and that a single
//! value may stand for a map with one key ([`Payload`]). All unknown keys of a map are reported, not only the first.

use std::{cell::RefCell, collections::HashSet};

use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor,
    value::{MapDeserializer, StrDeserializer},
};
use serde::forward_to_deserialize_any;

use super::{
    Piece, Template,
    access::{Catch, Entries, Items, Placed, Variant, unknown_key},
    error::{Problem, Problems, shortened},
    numbers::{is_integer, is_real},
    tree::{Key, Kind, Node, Span, literal},
    wrappers::{CAUGHT, LOCATED, PAYLOAD, TEMPLATE},
};

/// Decodes `node`; the mistakes that do not prevent a value go to `problems`.
///
/// serde ends a struct at its first wrong value. So what is wrong is left out and the rest decoded again, until every
/// mistake has been reported; the value, if there is one, is that of the first pass.
pub(super) fn decode<T: de::DeserializeOwned>(node: &Node, problems: &Problems) -> Result<T, Problem> {
    let passes = Passes { problems, wrong: RefCell::default(), left_out: RefCell::default() };
    let pass = || T::deserialize(NodeDeserializer { node, passes: &passes });
    let first = pass();
    loop {
        let wrong = passes.wrong.take();
        let before = passes.left_out.borrow().len();
        passes.left_out.borrow_mut().extend(wrong);
        if passes.left_out.borrow().len() == before {
            return first;
        }
        if let Err(problem) = pass() {
            problems.report(problem);
        }
    }
}

/// What the passes over one value share.
pub(super) struct Passes<'a> {
    pub(super) problems: &'a Problems,
    /// The keys whose values were wrong in this pass.
    pub(super) wrong: RefCell<Vec<Span>>,
    /// The keys that are left out because their values were wrong before.
    pub(super) left_out: RefCell<HashSet<Span>>,
}

/// Decodes one value.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'a> {
    pub(super) node: &'a Node,
    pub(super) passes: &'a Passes<'a>,
}

impl<'a> NodeDeserializer<'a> {
    pub(super) fn child(self, node: &'a Node) -> Self {
        Self { node, ..self }
    }

    /// The text of a scalar; `expected` says what the value should be when it is none.
    fn text(self, expected: &dyn de::Expected) -> Result<&'a str, Problem> {
        match &self.node.kind {
            Kind::Scalar(template) => literal(template).ok_or_else(|| late(template)),
            kind => Err(wrong_kind(kind, expected)),
        }
    }

    fn number<T: std::str::FromStr>(
        self,
        kind: &'static str,
        grammar: fn(&str) -> bool,
    ) -> Result<T, Problem> {
        let text = self.text(&kind)?;
        let problem = || Problem::new(format!("expected {kind}, found `{}`", shortened(text)));
        if !grammar(text) {
            return Err(match text.replace(',', ".") {
                dotted if dotted != text && grammar(&dotted) => {
                    problem().hint(format!("did you mean `{dotted}`?"))
                }
                _ => problem(),
            });
        }
        text.trim_start_matches('+').parse().map_err(|_| problem().hint("the number is out of range"))
    }
}

/// A value whose text is known only while the case runs, where the plan needs it.
fn late(template: &Template) -> Problem {
    Problem::new(format!("`{template}` is known only while the case runs and cannot be used here"))
        .hint("use `${secret.…}`, `${port.…}` and `${serve}` in addresses, typed text, commands and their variables")
}

fn wrong_kind(kind: &Kind, expected: &dyn de::Expected) -> Problem {
    let found = match kind {
        Kind::Broken => return Problem::known(),
        Kind::Nothing => de::Unexpected::Unit,
        Kind::List(_) => de::Unexpected::Seq,
        Kind::Map(_) => de::Unexpected::Map,
        Kind::Scalar(template) => match literal(template) {
            Some(text) => de::Unexpected::Str(text),
            None => return late(template),
        },
    };
    de::Error::invalid_type(found, expected)
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty, $kind:literal, $grammar:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
            self.number::<$type>($kind, $grammar)
                .and_then(|number| visitor.$visit(number))
                .map_err(|problem| problem.or_at(self.node.span))
        }
    )*};
}

impl<'de> Deserializer<'de> for NodeDeserializer<'_> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match &self.node.kind {
            Kind::Broken => Err(Problem::known()),
            Kind::Nothing => visitor.visit_unit(),
            Kind::Scalar(template) => match literal(template) {
                Some(text) => visitor.visit_str(text),
                None => Err(late(template)),
            },
            Kind::List(items) => visitor.visit_seq(Items { items: items.iter(), deserializer: self }),
            Kind::Map(entries) => visitor.visit_map(Entries {
                rest: entries.iter(),
                value: None,
                deserializer: self,
                fields: None,
            }),
        }
        .map_err(|problem| problem.or_at(self.node.span))
    }

    numbers! {
        deserialize_u8 visit_u8 u8, "a whole number from 0 to 255", is_integer;
        deserialize_u16 visit_u16 u16, "a whole number from 0 to 65535", is_integer;
        deserialize_u32 visit_u32 u32, "a whole number from 0", is_integer;
        deserialize_u64 visit_u64 u64, "a whole number from 0", is_integer;
        deserialize_i32 visit_i32 i32, "a whole number", is_integer;
        deserialize_i64 visit_i64 i64, "a whole number", is_integer;
        deserialize_f64 visit_f64 f64, "a number", is_real;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let answer = match self.text(&"true or false") {
            Ok("true") => Ok(true),
            Ok("false") => Ok(false),
            Ok(text) => {
                let problem = Problem::new(format!("expected true or false, found `{}`", shortened(text)));
                Err(match text.to_lowercase().as_str() {
                    "yes" | "on" | "y" | "true" | "1" => problem.hint("did you mean `true`?"),
                    "no" | "off" | "n" | "false" | "0" => problem.hint("did you mean `false`?"),
                    _ => problem,
                })
            }
            Err(problem) => Err(problem),
        };
        answer.and_then(|answer| visitor.visit_bool(answer)).map_err(|problem| problem.or_at(self.node.span))
    }

    /// A key without a value is a mistake, not an absent key, so that a wrong indentation is seen.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match (name, &self.node.kind) {
            (CAUGHT, _) => visitor.visit_seq(Catch(self)),
            (LOCATED, _) => visitor.visit_seq(Placed { deserializer: self, next: 0 }),
            (TEMPLATE, Kind::Scalar(template)) => {
                visitor.visit_map(MapDeserializer::new(template.pieces().iter().map(|piece| match piece {
                    Piece::Literal(text) => ("literal", text.as_str()),
                    Piece::Secret(name) => ("secret", name.as_str()),
                    Piece::Port(name) => ("port", name.as_str()),
                    Piece::Serve => ("serve", ""),
                })))
            }
            (TEMPLATE, kind) => Err(wrong_kind(kind, &visitor)),
            _ => visitor.visit_newtype_struct(self),
        }
        .map_err(|problem| problem.or_at(self.node.span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        if name == PAYLOAD {
            return self.payload(fields, visitor);
        }
        let Kind::Map(entries) = &self.node.kind else {
            return Err(wrong_kind(&self.node.kind, &visitor).or_at(self.node.span));
        };
        // All of them come out, also those behind a value that ends the decoding.
        let strange = entries.iter().filter(|(key, _)| !fields.contains(&key.text.as_str()));
        let unknown =
            strange.map(|(key, _)| self.passes.problems.report(unknown_key(key, name, fields))).count();
        let left_out = self.passes.left_out.borrow();
        let without = entries.iter().filter(|(key, _)| left_out.contains(&key.span)).count();
        drop(left_out);
        let access = Entries { rest: entries.iter(), value: None, deserializer: self, fields: Some(fields) };
        visitor
            .visit_map(access)
            .map_err(|problem| problem.or_at(self.node.span).explained_by(unknown + without))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match &self.node.kind {
            Kind::Map(entries) if entries.len() == 1 => {
                let (key, node) = &entries[0];
                visitor.visit_enum(Variant { key, deserializer: self.child(node) })
            }
            _ => match self.text(&visitor) {
                Ok(text) => {
                    let variant: StrDeserializer<'_, Problem> = text.into_deserializer();
                    visitor.visit_enum(variant)
                }
                Err(problem) => Err(problem),
            },
        }
        .map_err(|problem| problem.or_at(self.node.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
    }
}

impl NodeDeserializer<'_> {
    /// `[scalar, list, nothing]`: the keys that a lone scalar and a list stand for, and whether nothing is an empty map.
    fn payload<'de, V: Visitor<'de>>(
        self,
        shorthand: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let key = match (&self.node.kind, shorthand) {
            (Kind::Scalar(_), [key, _, _]) | (Kind::List(_), [_, key, _]) | (Kind::Nothing, [_, _, key]) => {
                *key
            }
            _ => return visitor.visit_newtype_struct(self),
        };
        let span = self.node.span;
        let entries = match &self.node.kind {
            _ if key.is_empty() => return visitor.visit_newtype_struct(self),
            Kind::Nothing => Vec::new(),
            _ => vec![(Key { text: key.to_owned(), span }, self.node.clone())],
        };
        visitor.visit_newtype_struct(self.child(&Node { span, kind: Kind::Map(entries) }))
    }
}

impl<'de> de::VariantAccess<'de> for NodeDeserializer<'_> {
    type Error = Problem;

    fn unit_variant(self) -> Result<(), Problem> {
        match &self.node.kind {
            Kind::Nothing => Ok(()),
            Kind::Map(entries) if entries.is_empty() => Ok(()),
            kind => Err(wrong_kind(kind, &"nothing after it").or_at(self.node.span)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Problem> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        self.deserialize_struct("", fields, visitor)
    }
}
