//! From a [`Node`] to the types of [`super::authored`], through serde, so that one derived type is both decoder and schema.
//!
//! Beyond plain decoding the deserializer understands three requests, each a wrapper type below: where a value
//! stands ([`Located`]), that a mistake must not end the decoding of its surroundings ([`Caught`]), and that a single
//! value may stand for a map with one key ([`Payload`]). All unknown keys of a map are reported, not only the first.

use std::{cell::RefCell, collections::HashSet};

use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
    value::{MapDeserializer, StrDeserializer, StringDeserializer},
};
use serde::forward_to_deserialize_any;

use super::{
    Piece, Template,
    error::{Problem, Problems, near, shortened},
    tree::{Key, Kind, Node, Span, literal},
    words::{ACTIONS, OPTIONS},
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
struct Passes<'a> {
    problems: &'a Problems,
    /// The keys whose values were wrong in this pass.
    wrong: RefCell<Vec<Span>>,
    /// The keys that are left out because their values were wrong before.
    left_out: RefCell<HashSet<Span>>,
}

#[derive(Clone, Copy)]
struct NodeDeserializer<'a> {
    node: &'a Node,
    passes: &'a Passes<'a>,
}

impl<'a> NodeDeserializer<'a> {
    fn child(self, node: &'a Node) -> Self {
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

/// `-12`, not `012`, `0x1f` or `1_000`: what YAML versions read differently is no number.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// `0.98`, `.5`, `1e-2`; never infinite.
pub(super) fn is_real(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    (!whole.is_empty() || !fraction.is_empty())
        && digits(whole)
        && digits(fraction)
        && exponent.is_none_or(|exponent| {
            let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent)
        })
        && text.parse::<f64>().is_ok_and(f64::is_finite)
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
                entries: entries.iter(),
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
        let access =
            Entries { entries: entries.iter(), value: None, deserializer: self, fields: Some(fields) };
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

/// A key that the struct `name` does not have, with a word about where it may have been meant to stand.
fn unknown_key(key: &Key, name: &str, fields: &[&str]) -> Problem {
    let problem = Problem::unknown("key", &key.text, fields).or_at(key.span);
    if problem.is_slip() {
        return problem;
    }
    if is_integer(&key.text) {
        return problem.hint("a comma separates keys; decimals are written with a point");
    }
    match (near(&key.text, OPTIONS), near(&key.text, ACTIONS)) {
        (Some(option), _) if name == "Scenario" => {
            problem.hint(format!("`{option}` stands beside the action of a step"))
        }
        (None, Some(action)) if name == "Scenario" => {
            problem.hint(format!("`{action}` is an action: `steps: [{{{action}: …}}]`"))
        }
        _ => problem,
    }
}

struct Items<'a> {
    items: std::slice::Iter<'a, Node>,
    deserializer: NodeDeserializer<'a>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        self.items.next().map(|item| seed.deserialize(self.deserializer.child(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'a> {
    entries: std::slice::Iter<'a, (Key, Node)>,
    value: Option<&'a (Key, Node)>,
    deserializer: NodeDeserializer<'a>,
    /// The keys of the struct that is decoded; others are left out.
    fields: Option<&'static [&'static str]>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        for entry in self.entries.by_ref() {
            let (key, _) = entry;
            let left_out = self.deserializer.passes.left_out.borrow().contains(&key.span);
            if left_out || self.fields.is_some_and(|fields| !fields.contains(&key.text.as_str())) {
                continue;
            }
            self.value = Some(entry);
            let text: StringDeserializer<Problem> = key.text.clone().into_deserializer();
            return seed.deserialize(text).map(Some).map_err(|problem| problem.or_at(key.span));
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let (key, node) = self.value.take().ok_or_else(Problem::known)?;
        seed.deserialize(self.deserializer.child(node)).map_err(|problem| {
            self.deserializer.passes.wrong.borrow_mut().push(key.span);
            problem
        })
    }
}

struct Variant<'a> {
    key: &'a Key,
    deserializer: NodeDeserializer<'a>,
}

impl<'de, 'a> de::EnumAccess<'de> for Variant<'a> {
    type Error = Problem;
    type Variant = NodeDeserializer<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Problem> {
        let name: StrDeserializer<'_, Problem> = self.key.text.as_str().into_deserializer();
        let value = seed.deserialize(name).map_err(|problem| problem.or_at(self.key.span))?;
        Ok((value, self.deserializer))
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

/// Gives one value, or none after reporting its mistake.
struct Catch<'a>(NodeDeserializer<'a>);

impl<'de> SeqAccess<'de> for Catch<'_> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        match seed.deserialize(self.0) {
            Ok(value) => Ok(Some(value)),
            Err(problem) => {
                self.0.passes.problems.report(problem.or_at(self.0.node.span));
                Ok(None)
            }
        }
    }
}

/// Gives line, column, width and the value.
struct Placed<'a> {
    deserializer: NodeDeserializer<'a>,
    next: u8,
}

impl<'de> SeqAccess<'de> for Placed<'_> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        let span = self.deserializer.node.span;
        let number = match self.next {
            0 => span.line,
            1 => span.column,
            2 => span.width,
            _ => return seed.deserialize(self.deserializer).map(Some),
        };
        self.next += 1;
        seed.deserialize(number.into_deserializer()).map(Some)
    }
}
