//! The words of a step: its action in every accepted spelling, its options, and the tool-call form.

use super::{
    error::{Problem, Problems, quoted, shortened},
    tree::{Key, Kind, Node, Span},
};

/// Every action, as [`super::payload::AnyAction`] spells it.
pub(super) const ACTIONS: &[&str] = &[
    "open_browser",
    "navigate",
    "reload",
    "back",
    "forward",
    "close_browser",
    "emulate",
    "set_viewport",
    "switch_tab",
    "close_tab",
    "dialog",
    "upload",
    "download",
    "screenshot",
    "left_click",
    "right_click",
    "middle_click",
    "double_click",
    "triple_click",
    "click",
    "mouse_move",
    "left_click_drag",
    "left_mouse_down",
    "left_mouse_up",
    "scroll",
    "type",
    "key",
    "hold_key",
    "wait",
    "wait_still",
    "launch",
    "focus",
    "run",
];

/// Other systems' words for the same actions.
pub(super) const ALIASES: &[(&str, &str)] =
    &[("type_text", "type"), ("keypress", "key"), ("browser_open", "open_browser"), ("app_launch", "launch")];

/// What may stand beside the action.
pub(super) const OPTIONS: &[&str] = &["name", "confirm", "timeout", "if", "continue_on_failure", "retry"];

/// A step in one form: its action as a map with one entry, and its options.
#[derive(Debug)]
pub(super) struct RawStep {
    /// The place of the action's word.
    pub(super) span: Span,
    /// `{action: payload}`.
    pub(super) action: Node,
    /// `{option: value, …}`.
    pub(super) options: Node,
}

/// The canonical spelling of an action: hyphens are underscores, aliases are what they stand for.
fn canonical(word: &str) -> Option<&'static str> {
    let word = word.replace('-', "_");
    let word = ALIASES.iter().find(|(alias, _)| *alias == word).map_or(word.as_str(), |(_, action)| action);
    ACTIONS.iter().find(|action| **action == word).copied()
}

/// Reads the words of one item of `steps`; the values are left as they are.
pub(super) fn read_step(step: &Node, problems: &Problems) -> Option<RawStep> {
    match &step.kind {
        Kind::Map(entries) if step.get("action").is_some() => tool_call(step, entries, problems),
        Kind::Map(entries) => map_step(step, entries, problems),
        Kind::Scalar(_) => {
            let word = step.text().unwrap_or_default();
            let action = known(word, step.span, problems)?;
            Some(raw(action, step.span, Node { span: step.span, kind: Kind::Nothing }, Vec::new(), step.span))
        }
        _ => {
            problems.report(
                Problem::at(step.span, "a step is a map with one action")
                    .hint("such as `- left_click: [640, 310]`"),
            );
            None
        }
    }
}

fn raw(action: &str, word: Span, payload: Node, options: Vec<(Key, Node)>, step: Span) -> RawStep {
    let key = Key { text: action.to_owned(), span: word };
    RawStep {
        span: word,
        action: Node { span: word, kind: Kind::Map(vec![(key, payload)]) },
        options: Node { span: step, kind: Kind::Map(options) },
    }
}

fn known(word: &str, span: Span, problems: &Problems) -> Option<&'static str> {
    let action = canonical(word);
    if action.is_none() {
        let spelt: Vec<&str> =
            ACTIONS.iter().copied().chain(ALIASES.iter().map(|(alias, _)| *alias)).collect();
        problems.report(Problem::unknown("action", &word.replace('-', "_"), &spelt).or_at(span));
    }
    action
}

/// `{left_click: [640, 310], name: …}`.
fn map_step(step: &Node, entries: &[(Key, Node)], problems: &Problems) -> Option<RawStep> {
    let mut found: Option<(&str, &Key, &Node)> = None;
    let mut options = Vec::new();
    let mut mistaken = false;
    for (key, value) in entries {
        if OPTIONS.contains(&key.text.as_str()) {
            options.push((key.clone(), value.clone()));
        } else if canonical(&key.text).is_none() {
            mistaken = true;
            unknown_word(key, entries, problems);
        } else if let Some((_, first, _)) = found {
            mistaken = true;
            problems.report(
                Problem::at(
                    key.span,
                    format!(
                        "two actions in one step: `{}` at {}:{}, and `{}`",
                        first.text, first.span.line, first.span.column, key.text
                    ),
                )
                .hint("make each a step of its own: `- …`"),
            );
        } else {
            found = canonical(&key.text).map(|action| (action, key, value));
        }
    }
    match found {
        // A mistake beside it is reported and left out; what the action itself gets wrong comes out as well.
        Some((action, key, value)) => Some(raw(action, key.span, value.clone(), options, step.span)),
        None if !mistaken => {
            problems.report(
                Problem::at(step.span, "a step without an action")
                    .hint(format!("the actions are {}", quoted(ACTIONS))),
            );
            None
        }
        None => None,
    }
}

/// A key that is neither action nor option: an action when the step has no other, an option otherwise.
fn unknown_word(key: &Key, entries: &[(Key, Node)], problems: &Problems) {
    let option = Problem::unknown("step option", &key.text, OPTIONS).or_at(key.span);
    let has_action = entries.iter().any(|(other, _)| canonical(&other.text).is_some());
    if has_action || option.is_slip() {
        problems.report(option);
    } else {
        known(&key.text, key.span, problems);
    }
}

/// `{action: left_click, coordinate: [640, 310]}`: what is no step option belongs to the action.
fn tool_call(step: &Node, entries: &[(Key, Node)], problems: &Problems) -> Option<RawStep> {
    let word = step.get("action")?;
    let Some(text) = word.text() else {
        problems.report(Problem::at(word.span, "`action` must be the name of an action"));
        return None;
    };
    let action = known(&shortened(text), word.span, problems)?;
    let mut options = Vec::new();
    let mut payload = Vec::new();
    for (key, value) in entries.iter().filter(|(key, _)| key.text != "action") {
        // The name of a checkpoint is a part of the action, that of any other step is for people.
        if OPTIONS.contains(&key.text.as_str()) && !(action == "screenshot" && key.text == "name") {
            options.push((key.clone(), value.clone()));
        } else {
            payload.push((key.clone(), value.clone()));
        }
    }
    let kind = if payload.is_empty() { Kind::Nothing } else { Kind::Map(payload) };
    Some(raw(action, word.span, Node { span: step.span, kind }, options, step.span))
}
