//! Single values with a grammar of their own: durations, names, keys, thresholds, numbers in ranges.

use std::{borrow::Cow, fmt, marker::PhantomData, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};

use crate::{
    geometry::{Point, Region},
    id::Name,
    input::{KeyChord, KeyError},
};

use super::{
    error::shortened,
    numbers::{is_integer, is_real},
    wrappers::text_schema,
};

/// Longest duration that is taken, in seconds: an hour.
const LONGEST_S: f64 = 3600.0;

/// A value written as one scalar.
pub(super) trait FromText: Sized {
    /// Name of the schema.
    const NAME: &'static str;
    /// What the value should be, as in "expected …".
    const EXPECTED: &'static str;
    /// Reads the text; a second line of the message is the hint.
    fn from_text(text: &str) -> Result<Self, String>;
    /// What editors check.
    fn schema() -> Schema;
}

/// A scalar read by [`FromText`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parsed<T>(pub(super) T);

impl<'de, T: FromText> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor<T>(PhantomData<T>);

        impl<T: FromText> Visitor<'_> for TextVisitor<T> {
            type Value = Parsed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::EXPECTED)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Parsed<T>, E> {
                T::from_text(text).map(Parsed).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

impl<T: FromText> JsonSchema for Parsed<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        T::schema()
    }
}

impl FromText for Duration {
    const NAME: &'static str = "Duration";
    const EXPECTED: &'static str = "a duration such as `2` (seconds), `500ms`, `2s` or `1m`";

    fn from_text(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected {}, found `{}`", Self::EXPECTED, shortened(text));
        let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let factor = match unit {
            "" | "s" => 1.0,
            "ms" => 0.001,
            "m" => 60.0,
            _ => return Err(wrong()),
        };
        if !is_real(number) {
            return Err(wrong());
        }
        let seconds = number.parse::<f64>().map_err(|_| wrong())? * factor;
        if !(0.0..=LONGEST_S).contains(&seconds) {
            return Err(format!("a duration must be from 0 to 1 hour, this is `{}`", shortened(text)));
        }
        // Milliseconds are the finest unit there is; rounding hides what binary fractions add.
        Ok(Self::from_millis((seconds * 1000.0).round() as u64))
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "A number of seconds, or a number with the unit `ms`, `s` or `m`.",
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": LONGEST_S },
                { "type": "string", "pattern": "^[0-9]*\\.?[0-9]+(ms|s|m)?$|\\$\\{" },
            ],
        })
    }
}

impl FromText for Name {
    const NAME: &'static str = "Name";
    const EXPECTED: &'static str = "a name";

    fn from_text(text: &str) -> Result<Self, String> {
        // A file whose name starts with a dash is an option to whoever handles it on a command line.
        if text.starts_with('-') {
            return Err(format!("`{}` is no name: it must not start with `-`", shortened(text)));
        }
        Self::new(text)
            .map_err(|error| format!("`{}` is no name: {error}", shortened(&text.escape_debug().to_string())))
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "Letters, digits, `-`, `_` and inner dots; it becomes a file name.",
            "type": ["string", "number"],
            "pattern": "^[^/\\\\\\s-][^/\\\\\\s]*$",
        })
    }
}

impl FromText for KeyChord {
    const NAME: &'static str = "Keys";
    const EXPECTED: &'static str = "a key or keys joined by `+`, such as `Return` or `ctrl+shift+t`";

    fn from_text(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|error| match &error {
            KeyError::Unknown { suggestion: Some(near), .. } => format!("{error}\ndid you mean `{near}`?"),
            _ => error.to_string(),
        })
    }

    fn schema() -> Schema {
        let mut schema = text_schema();
        schema
            .insert("description".to_owned(), "A key, or keys joined by `+`, such as `ctrl+shift+t`.".into());
        schema
    }
}

/// A limit on SSIM: more than 0, at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MinSsim(pub(super) f64);

impl FromText for MinSsim {
    const NAME: &'static str = "MinSsim";
    const EXPECTED: &'static str = "a number over 0 and at most 1";

    fn from_text(text: &str) -> Result<Self, String> {
        let range =
            format!("`min_ssim` must be a number over 0 and at most 1, this is `{}`", shortened(text));
        let number = text.trim_end_matches('%').trim().replace(',', ".");
        let meant = match number.parse::<f64>() {
            Ok(value) if is_real(text) && value > 0.0 && value <= 1.0 => return Ok(Self(value)),
            Ok(value) if is_real(text) && value == 0.0 => {
                return Err(format!("{range}\nwith 0 every picture would pass"));
            }
            Ok(value)
                if is_real(&number)
                    && value > 1.0
                    && value <= 100.0
                    && (text.ends_with('%') || value >= 50.0) =>
            {
                value / 100.0
            }
            Ok(value) if is_real(&number) && value > 0.0 && value <= 1.0 && !text.ends_with('%') => value,
            _ => return Err(format!("{range}\n1 means equal pictures, 0.98 is the default")),
        };
        Err(format!("{range}\ndid you mean `{meant}`?"))
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "The lowest SSIM that passes; a picture with exactly this value passes.",
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1,
        })
    }
}

/// An instant at which a page's clock stands, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockMs(pub(super) i64);

impl FromText for ClockMs {
    const NAME: &'static str = "Instant";
    const EXPECTED: &'static str = "an instant such as `2026-03-01T12:00:00Z`, or milliseconds since 1970";

    fn from_text(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected {}, found `{}`", Self::EXPECTED, shortened(text));
        if is_integer(text) {
            return text.parse().map(Self).map_err(|_| wrong());
        }
        text.parse::<jiff::Timestamp>().map(|instant| Self(instant.as_millisecond())).map_err(|_| wrong())
    }

    fn schema() -> Schema {
        json_schema!({
            "description": "RFC 3339, or milliseconds since 1970.",
            "type": ["string", "integer"],
        })
    }
}

/// The name of a variable, a secret or an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identifier(pub(super) String);

/// Whether `text` may name a variable: `[A-Za-z_][A-Za-z0-9_]*`.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl FromText for Identifier {
    const NAME: &'static str = "Identifier";
    const EXPECTED: &'static str = "a name of letters, digits and `_`";

    fn from_text(text: &str) -> Result<Self, String> {
        if is_identifier(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("expected {}, found `{}`", Self::EXPECTED, shortened(text)))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" })
    }
}

/// `[x, y]` in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct XY(pub(super) Point);

/// `[x, y, width, height]` in pixels, not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area(pub(super) Region);

/// Exactly `N` whole numbers.
struct Numbers<const N: usize>;

impl<'de, const N: usize> Visitor<'de> for Numbers<N> {
    type Value = [i32; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if N == 2 { "`[x, y]`" } else { "`[x, y, width, height]`" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[i32; N], A::Error> {
        let mut numbers = Vec::with_capacity(N);
        while let Some(number) = seq.next_element::<i32>()? {
            numbers.push(number);
        }
        let count = numbers.len();
        numbers.try_into().map_err(|_| de::Error::invalid_length(count, &self))
    }
}

impl<'de> Deserialize<'de> for XY {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [x, y] = deserializer.deserialize_any(Numbers::<2>)?;
        Ok(Self(Point::new(x, y)))
    }
}

impl<'de> Deserialize<'de> for Area {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [x, y, width, height] = deserializer.deserialize_any(Numbers::<4>)?;
        match (u32::try_from(width), u32::try_from(height)) {
            // No sum of two coordinates may leave the range of `i32`.
            (Ok(wide @ 1..=0xffff), Ok(high @ 1..=0xffff)) if x.abs() <= 0xffff && y.abs() <= 0xffff => {
                Ok(Self(Region::new(x, y, wide, high)))
            }
            _ => Err(de::Error::custom(format!(
                "`[{x}, {y}, {width}, {height}]` is no region of a screen\nit is [x, y, width, height] with at least 1 x 1 pixel"
            ))),
        }
    }
}

impl JsonSchema for XY {
    fn schema_name() -> Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "[x, y] in pixels.",
            "type": "array",
            "items": { "type": "integer" },
            "minItems": 2,
            "maxItems": 2,
        })
    }
}

impl JsonSchema for Area {
    fn schema_name() -> Cow<'static, str> {
        "Region".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "[x, y, width, height] in pixels of the screen.",
            "type": "array",
            "items": { "type": "integer" },
            "minItems": 4,
            "maxItems": 4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_seconds_and_a_unit_is_obeyed() {
        let read = |text: &str| Duration::from_text(text).map_err(|_| ());
        assert_eq!(read("2"), Ok(Duration::from_secs(2)));
        assert_eq!(read("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(read("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(read("1m"), Ok(Duration::from_secs(60)));
        for wrong in ["", "s", "-1", "1 s", "1h", ".nan", "inf", "1:30", "2m30s", "61m", "1e9", "0x10"] {
            assert_eq!(read(wrong), Err(()), "{wrong}");
        }
    }

    #[test]
    fn a_threshold_outside_its_range_is_refused_and_the_likely_meaning_named() {
        assert_eq!(MinSsim::from_text("0.98"), Ok(MinSsim(0.98)));
        assert_eq!(MinSsim::from_text("1"), Ok(MinSsim(1.0)));
        assert_eq!(MinSsim::from_text("1e-2"), Ok(MinSsim(0.01)));
        for (wrong, hint) in [
            ("98", "`0.98`"),
            ("98%", "`0.98`"),
            ("0,98", "`0.98`"),
            ("1.5", "1 means equal"),
            ("5", "1 means equal"),
            ("0", "every picture"),
            ("-0.1", "1 means equal"),
            (".nan", "1 means equal"),
            (".inf", "1 means equal"),
            ("nan", "1 means equal"),
            ("0.5%", "1 means equal"),
        ] {
            let message = MinSsim::from_text(wrong).unwrap_err();
            assert!(message.contains("over 0 and at most 1") && message.contains(hint), "{wrong}: {message}");
        }
    }

    #[test]
    fn a_clock_is_an_instant_or_milliseconds() {
        assert_eq!(ClockMs::from_text("1970-01-01T00:00:01Z"), Ok(ClockMs(1000)));
        assert_eq!(ClockMs::from_text("1970-01-01T01:00:01+01:00"), Ok(ClockMs(1000)));
        assert_eq!(ClockMs::from_text("1000"), Ok(ClockMs(1000)));
        assert!(ClockMs::from_text("2026-03-01 12:00").is_err());
    }
}
