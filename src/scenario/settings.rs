//! What surrounds the steps: display, services, limits, as they are for one case.

use crate::{compare::CompareSpec, desktop::WindowManager, geometry::Size};

use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};
use std::{borrow::Cow, collections::BTreeSet, fmt, path::PathBuf, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{
    CompareRules, DisplaySettings, Keyboard, Ready, Service, Template,
    authored::{self, Command, Layout, Manager, ReadyWhen},
    build::{Context, command},
    error::{Problem, Source},
    tree::Span,
    validate,
    values::{MinSsim, Parsed},
    wrappers::{Caught, Located, Payload},
};

/// The screen when nothing is said.
const DEFAULT_SIZE: Size = Size::new(1280, 800);
/// Smallest side of a screen; browsers and window managers give up below it.
const MIN_SIDE: u32 = 64;
/// Largest screen: 8K. Beyond it a frame takes hundreds of megabytes.
const MAX_SIZE: Size = Size::new(7680, 4320);
/// How long a service may take to be up when nothing is said.
const DEFAULT_SERVICE_TIMEOUT: Duration = Duration::from_secs(30);

/// The screen of a case.
pub(super) fn display(
    display: Option<&Located<Payload<authored::Display>>>,
) -> Result<DisplaySettings, Problem> {
    let Some(&Located { span, value: Payload(ref display) }) = display else {
        return Ok(DisplaySettings {
            size: DEFAULT_SIZE,
            window_manager: WindowManager::default(),
            keyboard: Keyboard::default(),
        });
    };
    let size = match (&display.size, display.width, display.height) {
        (None, None, None) => DEFAULT_SIZE,
        (None, Some(width), Some(height)) => Size::new(width, height),
        (Some(text), None, None) => size_of(text).ok_or_else(|| {
            Problem::at(span, format!("`{text}` is no size"))
                .hint("such as `1280x800`, or `{width: 1280, height: 800}`")
        })?,
        (None, ..) => return Err(Problem::at(span, "`width` and `height` belong together")),
        (Some(_), ..) => return Err(Problem::at(span, "the size is given twice")),
    };
    if size.width < MIN_SIDE
        || size.height < MIN_SIDE
        || size.width > MAX_SIZE.width
        || size.height > MAX_SIZE.height
    {
        let message = format!("a screen is from {MIN_SIDE}x{MIN_SIDE} to {MAX_SIZE}, this is {size}");
        return Err(Problem::at(span, message));
    }
    let window_manager = match display.window_manager {
        Some(Manager::Openbox) => WindowManager::Openbox,
        Some(Manager::None) => WindowManager::None,
        None => WindowManager::default(),
    };
    let keyboard = match display.keyboard {
        Some(Layout::Us) | None => Keyboard::Us,
    };
    Ok(DisplaySettings { size, window_manager, keyboard })
}

/// `1280x800`.
pub(super) fn size_of(text: &str) -> Option<Size> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| super::numbers::is_integer(text).then(|| text.parse().ok()).flatten();
    Some(Size::new(side(width)?, side(height)?))
}

/// The limits of a scenario over the built-in ones.
pub(super) fn limits(compare: Option<&authored::Compare>) -> CompareSpec {
    let rules = compare.map_or_else(CompareRules::default, |compare| CompareRules {
        method: compare.method.map(Into::into),
        min_ssim: compare.min_ssim.as_ref().map(|Parsed(MinSsim(limit))| *limit),
        max_delta: compare.max_delta,
        max_pixels: compare.max_pixels,
    });
    rules.over(&CompareSpec::default())
}

/// The tags, each a word.
pub(super) fn tags(tags: Vec<Caught<Located<String>>>, context: &Context<'_>) -> Vec<String> {
    let mut words = Vec::new();
    for Located { span, value } in tags.into_iter().filter_map(|tag| tag.0) {
        if value.is_empty() || value.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',') {
            context.problems.report(
                Problem::at(span, format!("`{}` is no tag", value.escape_debug()))
                    .hint("a tag is one word, without white space and commas"),
            );
        } else if words.contains(&value) {
            context.problems.report(Problem::at(span, format!("the tag `{value}` is listed twice")));
        } else {
            words.push(value);
        }
    }
    words
}

/// The services, in order; what is wrong with one is reported.
pub(super) fn services(
    services: Vec<Caught<Located<authored::Service>>>,
    context: &Context<'_>,
    source: &Source,
) -> Vec<Service> {
    let mut names = BTreeSet::new();
    let mut ready = Vec::new();
    for Located { span, value } in services.into_iter().filter_map(|service| service.0) {
        let name = value.name.0.to_string();
        let service = if names.insert(name.to_lowercase()) {
            service(value, span, context, source)
        } else {
            Err(Problem::at(span, format!("two services are called `{name}`")))
        };
        match service {
            Ok(service) => ready.push(service),
            Err(problem) => context.problems.report(problem.or_at(span)),
        }
    }
    ready
}

fn service(
    service: authored::Service,
    span: Span,
    context: &Context<'_>,
    source: &Source,
) -> Result<Service, Problem> {
    validate::variable_names(service.env.keys())?;
    let cwd = match service.cwd {
        Some(cwd) => context.existing_folder(&cwd)?,
        None => absolute(context.folder)?,
    };
    Ok(Service {
        name: service.name.0,
        command: command(service.command)?,
        env: service.env,
        cwd,
        ready: service.ready.map(ready_when).transpose()?,
        timeout: service.timeout.map_or(DEFAULT_SERVICE_TIMEOUT, |timeout| timeout.0),
        source: source.location(span),
    })
}

fn absolute(folder: &std::path::Path) -> Result<PathBuf, Problem> {
    std::path::absolute(folder)
        .map_err(|error| Problem::new(format!("failed to find the folder `{}`: {error}", folder.display())))
}

fn ready_when(ready: Located<ReadyWhen>) -> Result<Ready, Problem> {
    match ready.value {
        ReadyWhen { http: Some(url), tcp: None, log: None } => Ok(Ready::Http(url)),
        ReadyWhen { tcp: Some(address), http: None, log: None } => Ok(Ready::Tcp(address)),
        ReadyWhen { log: Some(text), http: None, tcp: None } => Ok(Ready::Log(text)),
        _ => Err(Problem::at(ready.span, "`ready` takes exactly one of `http`, `tcp` and `log`")),
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CommandVisitor;

        impl<'de> Visitor<'de> for CommandVisitor {
            type Value = Command;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of program and arguments")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Command, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = seq.next_element::<Template>()? {
                    words.push(word);
                }
                Ok(Command(words))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Command, E> {
                let words: Vec<&str> = text.split_whitespace().take(8).collect();
                Err(E::custom(format!(
                    "a command is a list of program and arguments, no shell reads it\nwrite `[{}]`",
                    words.join(", ")
                )))
            }
        }

        deserializer.deserialize_any(CommandVisitor)
    }
}

impl JsonSchema for Command {
    fn schema_name() -> Cow<'static, str> {
        "Command".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The program and its arguments; no shell reads them.",
            "type": "array",
            "items": generator.subschema_for::<Template>(),
            "minItems": 1,
        })
    }
}
