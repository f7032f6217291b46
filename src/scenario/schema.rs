//! The JSON Schema of scenario files, for editors: generated from the types that decode them.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};

use super::{
    authored::{Part, Scenario},
    payload::{AnyAction, Options},
    words::{ACTIONS, ALIASES},
    wrappers::text_schema,
};

/// The schema of a scenario file, and of a part, which a file is when it matches the second.
#[must_use]
pub fn json_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let (scenario, part) = (generator.subschema_for::<Scenario>(), generator.subschema_for::<Part>());
    let mut definitions = Value::Object(generator.take_definitions(true));
    widen(&mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cu-run scenario",
        "description": "A scenario of computer actions, or a part that scenarios share.",
        "anyOf": [scenario, part],
        "$defs": definitions,
    })
}

/// Takes out what the generator adds and cu-run refuses (`null` for an absent key), and lets `${…}` stand for
/// any number, boolean or word.
fn widen(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(widen),
        Value::Object(object) => {
            remove_null(object);
            object.values_mut().for_each(widen);
            widen_scalar(object);
        }
        _ => {}
    }
}

fn remove_null(object: &mut Map<String, Value>) {
    object.remove("default");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(forms)) = object.get_mut("anyOf") {
        forms.retain(|form| form != &json!({ "type": "null" }));
        if let [Value::Object(only)] = forms.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

fn widen_scalar(object: &mut Map<String, Value>) {
    let reference = || json!({ "type": "string", "pattern": "\\$\\{" });
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if matches!(kind.as_str(), "integer" | "number" | "boolean") && !object.contains_key("pattern") {
        // Quoted or not, the field decides what a scalar is.
        let quoted = if kind == "boolean" {
            "^(true|false)$|\\$\\{"
        } else {
            "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$|\\$\\{"
        };
        object.insert("type".to_owned(), json!([kind, "string"]));
        object.insert("pattern".to_owned(), json!(quoted));
    } else if kind == "string" && object.contains_key("enum") {
        object.remove("type");
        let words = object.remove("enum").unwrap_or_default();
        object.insert("anyOf".to_owned(), json!([{ "type": "string", "enum": words }, reference()]));
    } else if let Some(Value::Array(words)) = object.get_mut("oneOf").filter(|_| kind.is_empty()) {
        // A list of documented words.
        if words.iter().all(|word| word.get("const").is_some()) {
            words.push(reference());
        }
    }
}

/// A text, or no value at all.
pub(super) struct TextOrNothing;

impl JsonSchema for TextOrNothing {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TextOrNothing".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [text_schema(), { "const": null }] })
    }
}

/// `{theme: [light, dark], exclude: [{theme: dark}]}`.
pub(super) struct MatrixSchema;

impl JsonSchema for MatrixSchema {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Matrix".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "exclude": {
                    "description": "Combinations that are left out.",
                    "type": "array",
                    "items": { "type": "object", "additionalProperties": text_schema() },
                },
            },
            "additionalProperties": { "type": "array", "items": text_schema(), "minItems": 1 },
        })
    }
}

/// A step in any form: `{action: payload, options…}`, the tool call `{action: name, …}`, or the bare name of an action.
pub(super) struct AnyStep;

impl JsonSchema for AnyStep {
    fn schema_name() -> Cow<'static, str> {
        "Step".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let options = properties(&Options::json_schema(generator));
        let mut actions = Map::new();
        for form in variants(&AnyAction::json_schema(generator)) {
            actions.extend(form);
        }
        for (alias, action) in ALIASES {
            if let Some(payload) = actions.get(*action).cloned() {
                actions.insert((*alias).to_owned(), payload);
            }
        }
        let one_action: Vec<Value> = actions.keys().map(|action| json!({ "required": [action] })).collect();
        let mut step_properties = actions;
        step_properties.extend(options.clone());
        let words: Vec<&str> =
            ACTIONS.iter().copied().chain(ALIASES.iter().map(|(alias, _)| *alias)).collect();
        let mut call_properties = tool_call_properties(generator);
        call_properties.extend(options);
        call_properties.insert("action".to_owned(), json!({ "type": "string", "enum": words }));
        json_schema!({
            "anyOf": [
                {
                    "description": "One action, and beside it step options.",
                    "type": "object",
                    "properties": step_properties,
                    "additionalProperties": false,
                    "oneOf": one_action,
                },
                {
                    "description": "An action as agents call it.",
                    "type": "object",
                    "properties": call_properties,
                    "required": ["action"],
                    "additionalProperties": false,
                },
                { "type": "string", "enum": words },
            ],
        })
    }
}

fn properties(schema: &Schema) -> Map<String, Value> {
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The variants of the enum of actions as `name: payload`.
fn variants(schema: &Schema) -> Vec<Map<String, Value>> {
    let forms = schema.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let single = |name: &Value, description: Option<&Value>| {
        let mut payload = Map::from_iter([("const".to_owned(), Value::Null)]);
        payload.extend(description.map(|text| ("description".to_owned(), text.clone())));
        name.as_str().map(|name| Map::from_iter([(name.to_owned(), Value::Object(payload))]))
    };
    let mut found = Vec::new();
    for form in &forms {
        let description = form.get("description");
        if let Some(Value::Object(properties)) = form.get("properties") {
            let mut properties = properties.clone();
            if let (Some(Value::Object(payload)), Some(text)) = (properties.values_mut().next(), description)
            {
                payload.insert("description".to_owned(), text.clone());
            }
            found.push(properties);
        } else if let Some(name) = form.get("const") {
            found.extend(single(name, description));
        } else if let Some(Value::Array(names)) = form.get("enum") {
            found.extend(names.iter().filter_map(|name| single(name, None)));
        }
    }
    found
}

/// Everything that any action takes, since a tool call has no place of its own for it.
fn tool_call_properties(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut all = BTreeMap::new();
    let definitions = generator.definitions().clone();
    let payloads = variants(&AnyAction::json_schema(generator));
    for payload in payloads.iter().flat_map(Map::values) {
        for name in references(payload) {
            let fields = definitions.get(&name).and_then(|found| found.get("properties"));
            for (field, schema) in fields.and_then(Value::as_object).into_iter().flatten() {
                all.entry(field.clone()).or_insert_with(|| schema.clone());
            }
        }
    }
    all.into_iter().collect()
}

/// The definitions that a payload may be.
fn references(payload: &Value) -> Vec<String> {
    let forms = payload.get("anyOf").and_then(Value::as_array);
    forms
        .into_iter()
        .flatten()
        .chain([payload])
        .filter_map(|form| form.get("$ref")?.as_str()?.strip_prefix("#/$defs/").map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_language_are_those_of_the_types() {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let action_names: Vec<String> = variants(&AnyAction::json_schema(&mut generator))
            .into_iter()
            .flat_map(|form| form.into_iter().map(|(name, _)| name))
            .collect();
        let mut sorted: Vec<&str> = action_names.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let mut words = ACTIONS.to_vec();
        words.sort_unstable();
        assert_eq!(sorted, words);
        let options: Vec<String> =
            properties(&Options::json_schema(&mut generator)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(options, super::super::words::OPTIONS);
    }

    #[test]
    fn no_key_takes_null_that_the_loader_refuses() {
        let text = json_schema().to_string();
        assert!(!text.contains("\"null\""), "{text}");
    }
}
