//! What stands under `browser` at the top of a scenario file: as it is written, decoder and schema at once, and what is
//! made of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::browser::{ColorScheme, DialogPolicy, Frame, Freeze, NoticeLevel};

use super::{
    BrowserName, BrowserSettings, FailOn, Piece, PresetCookie, PresetStorage, SignIn, Template,
    build::Context,
    emulation::{self, EmulateFields},
    error::Problem,
    tree::{Span, literal},
    values::{ClockMs, Parsed},
    wrappers::{Caught, Located, Payload, Shorthand},
};

/// The browser.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map, or the name of a browser")]
pub(super) struct Browser {
    /// Which.
    name: Option<BrowserKind>,
    /// Whether tabs and address bar are shown; by default the page alone fills the screen.
    frame: Option<bool>,
    /// Whether animations, the caret and smooth scrolling are stopped; they are by default.
    freeze: Option<bool>,
    /// The instant at which the page's clock stands; it runs without it.
    clock: Option<Parsed<ClockMs>>,
    /// `prefers-color-scheme` that pages see; light by default.
    color_scheme: Option<Scheme>,
    /// More command-line flags.
    #[serde(default)]
    flags: Vec<Located<String>>,
    /// Another device, or parts of it.
    emulate: Option<Located<EmulateFields>>,
    /// What of a page fails the step in which it happens.
    fail_on: Option<FailOnFields>,
    /// What is done with the dialogs that scripts open; by default they stay on the screen until a step answers them.
    dialogs: Option<Dialogs>,
    /// Who signs in where by HTTP authentication.
    #[serde(default)]
    auth: Vec<Caught<Located<AuthFields>>>,
    /// Cookies that it has before its first page.
    #[serde(default)]
    cookies: Vec<Caught<Located<CookieFields>>>,
    /// Values that local storages hold before its first page.
    #[serde(default)]
    storage: Vec<Caught<Located<StorageFields>>>,
}

impl Shorthand for Browser {
    const FORMS: [&'static str; 3] = ["name", "", ""];
}

/// A browser by name.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum BrowserKind {
    Chromium,
}

/// A colour scheme.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Scheme {
    Light,
    Dark,
}

/// What of a page fails the step in which it happens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `console` or `requests`")]
struct FailOnFields {
    /// Messages on the console from this level on; an exception that nobody caught is an error.
    console: Option<ConsoleLevel>,
    /// Requests that got no answer, or one with an error status.
    requests: Option<RequestState>,
}

/// The level from which on a message counts.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ConsoleLevel {
    Error,
    Warning,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RequestState {
    Failed,
}

/// What is done with the dialogs that scripts open.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Dialogs {
    Show,
    Accept,
    Dismiss,
}

/// Who signs in where by HTTP authentication.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `user` and `password`")]
struct AuthFields {
    /// Scheme, host and port of the server, such as `http://localhost:8080`; the served folder's without it.
    origin: Option<Located<Template>>,
    /// The name.
    user: Template,
    /// The password.
    password: Template,
}

/// A cookie.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `name` and `value`")]
struct CookieFields {
    /// Its name.
    name: Located<String>,
    /// Its value.
    value: Template,
    /// An address that it is for; the served folder's without it.
    url: Option<Located<Template>>,
}

/// Values in a local storage.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `values`")]
struct StorageFields {
    /// Scheme, host and port whose storage it is; the served folder's without it.
    origin: Option<Located<Template>>,
    /// Keys and values.
    values: BTreeMap<String, Template>,
}

/// The browser of a case.
pub(super) fn browser(
    browser: Option<Payload<Browser>>,
    context: &Context<'_>,
) -> Result<BrowserSettings, Problem> {
    let browser = browser.map(|Payload(browser)| browser).unwrap_or_default();
    for flag in &browser.flags {
        if !flag.value.starts_with("--") {
            return Err(Problem::at(flag.span, format!("`{}` is no flag: it starts with `--`", flag.value)));
        }
    }
    let emulate = browser.emulate.map(|fields| emulation::initial(fields, context)).transpose()?;
    let (emulation, scale) = emulate.unwrap_or_default();
    let flags = browser.flags.into_iter().map(|flag| flag.value);
    Ok(BrowserSettings {
        name: match browser.name {
            Some(BrowserKind::Chromium) | None => BrowserName::Chromium,
        },
        frame: if browser.frame == Some(true) { Frame::Shown } else { Frame::PageOnly },
        freeze: if browser.freeze == Some(false) { Freeze::Moving } else { Freeze::Frozen },
        clock_ms: browser.clock.map(|clock| clock.0.0),
        color_scheme: match browser.color_scheme {
            Some(Scheme::Dark) => ColorScheme::Dark,
            Some(Scheme::Light) | None => ColorScheme::Light,
        },
        flags: scale.map(emulation::scale_flag).into_iter().chain(flags).collect(),
        emulation,
        fail_on: browser.fail_on.map_or_else(FailOn::default, |fail_on| FailOn {
            console: fail_on.console.map(|level| match level {
                ConsoleLevel::Error => NoticeLevel::Error,
                ConsoleLevel::Warning => NoticeLevel::Warning,
            }),
            requests: fail_on.requests.is_some(),
        }),
        dialogs: match browser.dialogs {
            Some(Dialogs::Show) | None => DialogPolicy::Show,
            Some(Dialogs::Accept) => DialogPolicy::Accept,
            Some(Dialogs::Dismiss) => DialogPolicy::Dismiss,
        },
        auth: each(browser.auth, context, |auth, span| {
            let origin = server(auth.origin, "origin", span, context)?;
            Ok(SignIn { origin, user: auth.user, password: auth.password })
        }),
        cookies: each(browser.cookies, context, |cookie, span| {
            let name = cookie.name.value;
            if name.is_empty()
                || name.contains(|c: char| c.is_whitespace() || c.is_control() || "=;,".contains(c))
            {
                let message = format!("`{}` is no name of a cookie", name.escape_debug());
                return Err(Problem::at(cookie.name.span, message));
            }
            Ok(PresetCookie { name, value: cookie.value, url: server(cookie.url, "url", span, context)? })
        }),
        storage: each(browser.storage, context, |stored, span| {
            let origin = server(stored.origin, "origin", span, context)?;
            Ok(PresetStorage { origin, values: stored.values.into_iter().collect() })
        }),
    })
}

/// What `make` makes of each item; what is wrong with one is reported.
fn each<F, T>(
    items: Vec<Caught<Located<F>>>,
    context: &Context<'_>,
    mut make: impl FnMut(F, Span) -> Result<T, Problem>,
) -> Vec<T> {
    let mut made = Vec::new();
    for Located { span, value } in items.into_iter().filter_map(|item| item.0) {
        match make(value, span) {
            Ok(value) => made.push(value),
            Err(problem) => context.problems.report(problem.or_at(span)),
        }
    }
    made
}

/// The address of a server: the given one, or that of the served folder.
fn server(
    given: Option<Located<Template>>,
    key: &str,
    span: Span,
    context: &Context<'_>,
) -> Result<Template, Problem> {
    let Some(Located { span, value }) = given else {
        return if context.serves {
            Ok(Template::new(vec![Piece::Serve]))
        } else {
            Err(Problem::at(span, format!("`{key}` is missing, and the scenario serves no folder"))
                .hint(format!("such as `{key}: http://localhost:8080`")))
        };
    };
    let is_address = |text: &str| {
        ["http://", "https://"].iter().any(|scheme| {
            text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        })
    };
    match literal(&value) {
        Some(text) if !is_address(text) => {
            let message = format!("`{text}` is no address of a server");
            Err(Problem::at(span, message).hint("it begins with `http://` or `https://` and a host"))
        }
        _ => Ok(value),
    }
}
