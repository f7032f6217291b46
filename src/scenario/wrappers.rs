//! Wrappers by which an authored type asks more of [`super::decode`] than serde has words for. In the schema they are
//! what they wrap.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::json;

use super::{Piece, Template, tree::Span};

/// Names under which the wrappers are requested.
pub(super) const LOCATED: &str = "$located";
pub(super) const CAUGHT: &str = "$caught";
pub(super) const TEMPLATE: &str = "$template";
pub(super) const PAYLOAD: &str = "$payload";

/// A value and where it stands, for checks that need more than the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Located<T> {
    pub(super) span: Span,
    pub(super) value: T,
}

/// A value, or nothing because its mistake was reported: what stands beside it is decoded all the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Caught<T>(pub(super) Option<T>);

/// A map for which a single value may stand, such as `screenshot: home` for `screenshot: {name: home}`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Payload<T>(pub(super) T);

/// The short forms of a [`Payload`]; an empty name means that there is none.
pub(super) trait Shorthand: JsonSchema {
    /// The key that a lone scalar stands for, the key that a list stands for, and `"{}"` when nothing may stand for an
    /// empty map.
    const FORMS: [&'static str; 3];
}

impl<T> Default for Caught<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LocatedVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for LocatedVisitor<T> {
            type Value = Located<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its place")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Located<T>, A::Error> {
                let mut number = || seq.next_element::<u32>().map(Option::unwrap_or_default);
                let span = Span { line: number()?, column: number()?, width: number()? };
                let value = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(3, &self))?;
                Ok(Located { span, value })
            }
        }

        deserializer.deserialize_newtype_struct(LOCATED, LocatedVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Caught<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CaughtVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for CaughtVisitor<T> {
            type Value = Caught<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or nothing")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Caught<T>, A::Error> {
                seq.next_element().map(Caught)
            }
        }

        deserializer.deserialize_newtype_struct(CAUGHT, CaughtVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de> + Shorthand> Deserialize<'de> for Payload<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PayloadVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for PayloadVisitor<T> {
            type Value = Payload<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map or its short form")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Payload<T>, D::Error> {
                T::deserialize(inner).map(Payload)
            }
        }

        deserializer.deserialize_struct(PAYLOAD, const { &T::FORMS }, PayloadVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TemplateVisitor;

        impl<'de> Visitor<'de> for TemplateVisitor {
            type Value = Template;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Template, A::Error> {
                let mut pieces = Vec::new();
                while let Some((kind, text)) = map.next_entry::<String, String>()? {
                    pieces.push(match kind.as_str() {
                        "secret" => Piece::Secret(text),
                        "port" => Piece::Port(text),
                        "serve" => Piece::Serve,
                        _ => Piece::Literal(text),
                    });
                }
                Ok(Template::new(pieces))
            }
        }

        deserializer.deserialize_newtype_struct(TEMPLATE, TemplateVisitor)
    }
}

/// The schema of text: YAML editors see `type: 0123` as a number, cu-run sees the characters.
pub(super) fn text_schema() -> Schema {
    json_schema!({ "type": ["string", "number", "boolean"] })
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = text_schema();
        schema.insert(
            "description".to_owned(),
            json!("Text; `${name}`, `${env.NAME}`, `${secret.name}`, `${port.name}` and `${serve}` are filled in, `$${` stands for `${`."),
        );
        schema
    }
}

macro_rules! transparent_schema {
    ($($wrapper:ident)*) => {$(
        impl<T: JsonSchema> JsonSchema for $wrapper<T> {
            fn inline_schema() -> bool {
                T::inline_schema()
            }

            fn schema_name() -> Cow<'static, str> {
                T::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                T::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                T::json_schema(generator)
            }
        }
    )*};
}

transparent_schema! { Located Caught }

impl<T: Shorthand> JsonSchema for Payload<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}OrShort", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let full = T::json_schema(generator);
        let [scalar, list, nothing] = T::FORMS;
        let mut forms: Vec<serde_json::Value> = Vec::new();
        for key in [scalar, list].into_iter().filter(|key| !key.is_empty()) {
            if let Some(property) = full.pointer(&format!("/properties/{key}")) {
                forms.push(property.clone());
            }
        }
        if !nothing.is_empty() {
            forms.push(json!({ "type": "null" }));
        }
        forms.push(generator.subschema_for::<T>().to_value());
        forms.dedup();
        json_schema!({ "anyOf": forms })
    }
}
