//! How [`super::decode`] hands serde the inside of a value: items, entries, variants, and the answers to its wrappers.

use serde::de::{
    DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    value::{StrDeserializer, StringDeserializer},
};

use super::{
    decode::NodeDeserializer,
    error::{Problem, near},
    numbers::is_integer,
    tree::{Key, Node},
    words::{ACTIONS, OPTIONS},
};

/// A key that the struct `name` does not have, with a word about where it may have been meant to stand.
pub(super) fn unknown_key(key: &Key, name: &str, fields: &[&str]) -> Problem {
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

/// The items of a list.
pub(super) struct Items<'a> {
    pub(super) items: std::slice::Iter<'a, Node>,
    pub(super) deserializer: NodeDeserializer<'a>,
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

/// The entries of a map.
pub(super) struct Entries<'a> {
    pub(super) rest: std::slice::Iter<'a, (Key, Node)>,
    pub(super) value: Option<&'a (Key, Node)>,
    pub(super) deserializer: NodeDeserializer<'a>,
    /// The keys of the struct that is decoded; others are left out.
    pub(super) fields: Option<&'static [&'static str]>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        for entry in self.rest.by_ref() {
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
        let wrong = &self.deserializer.passes.wrong;
        seed.deserialize(self.deserializer.child(node)).inspect_err(|_| wrong.borrow_mut().push(key.span))
    }
}

/// A map with one entry as a variant and its content.
pub(super) struct Variant<'a> {
    pub(super) key: &'a Key,
    pub(super) deserializer: NodeDeserializer<'a>,
}

impl<'de, 'a> EnumAccess<'de> for Variant<'a> {
    type Error = Problem;
    type Variant = NodeDeserializer<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Problem> {
        let name: StrDeserializer<'_, Problem> = self.key.text.as_str().into_deserializer();
        let value = seed.deserialize(name).map_err(|problem| problem.or_at(self.key.span))?;
        Ok((value, self.deserializer))
    }
}

/// Gives one value, or none after reporting its mistake.
pub(super) struct Catch<'a>(pub(super) NodeDeserializer<'a>);

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
pub(super) struct Placed<'a> {
    pub(super) deserializer: NodeDeserializer<'a>,
    pub(super) next: u8,
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
