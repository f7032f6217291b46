//! Pages that are told of another device, and the tabs of a browser: as they are written, decoder and schema at once, and
//! what is made of them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    browser::{Emulation, UserAgent},
    diagnostic::nearest,
    geometry::Size,
};

use super::{
    Action, TabQuery,
    build::Context,
    error::Problem,
    settings::size_of,
    wrappers::{Located, Payload, Shorthand},
};

/// Largest side of a viewport, in css pixels.
const MAX_SIDE: u32 = 7680;

/// Another device, or parts of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map such as `{device: phone}` or `{offline: true}`")]
pub(super) struct EmulateFields {
    /// A viewport, a touch screen and the name of a browser that belong together.
    device: Option<Device>,
    /// The size of the page in css pixels, such as `390x844`.
    viewport: Option<Located<Payload<SizeFields>>>,
    /// Screen pixels in a css pixel; only where the browser is described.
    device_scale: Option<Located<f64>>,
    /// The language of the page, such as `de-DE`.
    locale: Option<Located<String>>,
    /// The time zone, such as `Europe/Berlin`.
    time_zone: Option<Located<String>>,
    /// Whether the network is gone.
    offline: Option<bool>,
    /// Whether there is a touch screen; clicks then arrive as touches.
    touch: Option<bool>,
    /// What the browser calls itself.
    user_agent: Option<String>,
}

/// A device by its kind: a viewport, a touch screen and the name of a browser that belong together.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Device {
    /// 360x800.
    Phone,
    /// 412x915.
    LargePhone,
    /// 768x1024.
    Tablet,
    /// 1024x1366.
    LargeTablet,
}

/// A size in css pixels.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a size such as `390x844`")]
pub(super) struct SizeFields {
    /// The size as text, such as `390x844`.
    size: Option<String>,
    /// Pixels from left to right.
    width: Option<u32>,
    /// Pixels from top to bottom.
    height: Option<u32>,
}

impl Shorthand for SizeFields {
    const FORMS: [&'static str; 3] = ["size", "", ""];
}

/// `switch_tab`: exactly one of the three.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a part of a title, or a map with `title`, `url` or `index`")]
pub(super) struct TabFields {
    /// A part of the page's title.
    title: Option<String>,
    /// A part of the page's address.
    url: Option<String>,
    /// The place in the order in which the tabs were opened, from 0.
    index: Option<u32>,
}

impl Shorthand for TabFields {
    const FORMS: [&'static str; 3] = ["title", "", ""];
}

impl Device {
    const fn viewport(self) -> Size {
        match self {
            Self::Phone => Size::new(360, 800),
            Self::LargePhone => Size::new(412, 915),
            Self::Tablet => Size::new(768, 1024),
            Self::LargeTablet => Size::new(1024, 1366),
        }
    }

    const fn user_agent(self) -> UserAgent {
        match self {
            Self::Phone | Self::LargePhone => UserAgent::Phone,
            Self::Tablet | Self::LargeTablet => UserAgent::Tablet,
        }
    }
}

/// The emulation that a scenario's browser starts with, and its device scale factor.
pub(super) fn initial(
    fields: Located<EmulateFields>,
    context: &Context<'_>,
) -> Result<(Emulation, Option<f64>), Problem> {
    let Located { span, value: mut fields } = fields;
    let scale = match fields.device_scale.take() {
        Some(Located { span, value }) if !(0.25..=8.0).contains(&value) => {
            return Err(Problem::at(span, format!("`device_scale` is from 0.25 to 8, this is `{value}`")));
        }
        scale => scale.map(|scale| scale.value),
    };
    let place = fields.viewport.as_ref().map_or(span, |viewport| viewport.span);
    let emulation = emulation(fields)?;
    if let (Some(viewport), Some(screen)) = (emulation.viewport, context.screen) {
        let pixels = |css: u32| (f64::from(css) * scale.unwrap_or(1.0)).round() as u32;
        let needed = Size::new(pixels(viewport.width), pixels(viewport.height));
        if needed.width > screen.width || needed.height > screen.height {
            let message =
                format!("the viewport of {viewport} needs {needed} pixels of screen, there are {screen}");
            return Err(Problem::at(place, message).hint(format!("make room for it: `display: {needed}`")));
        }
    }
    Ok((emulation, scale))
}

/// `emulate`, checked.
pub(super) fn emulate(fields: EmulateFields) -> Result<Action, Problem> {
    if let Some(Located { span, .. }) = &fields.device_scale {
        return Err(Problem::at(*span, "the device scale of a running browser cannot be changed")
            .hint("it stands at the top: `browser: {emulate: {device_scale: 2}}`"));
    }
    Ok(Action::Emulate(emulation(fields)?))
}

impl Context<'_> {
    pub(super) fn set_viewport(&self, size: Located<Payload<SizeFields>>) -> Result<Action, Problem> {
        let place = size.span;
        let size = viewport(size)?;
        match self.screen {
            Some(screen) if size.width > screen.width || size.height > screen.height => {
                Err(Problem::at(place, format!("a viewport of {size} does not fit the screen of {screen}"))
                    .hint(format!("make room for it: `display: {size}`")))
            }
            _ => Ok(Action::SetViewport(size)),
        }
    }
}

/// The tab that is meant.
pub(super) fn tab(tab: Located<Payload<TabFields>>) -> Result<Action, Problem> {
    let query = match tab.value.0 {
        TabFields { title: Some(title), url: None, index: None } => TabQuery::Title(title),
        TabFields { title: None, url: Some(url), index: None } => TabQuery::Url(url),
        TabFields { title: None, url: None, index: Some(index) } => TabQuery::Index(index),
        _ => {
            return Err(Problem::at(
                tab.span,
                "`switch_tab` takes exactly one of `title`, `url` and `index`",
            ));
        }
    };
    match &query {
        TabQuery::Title(part) | TabQuery::Url(part) if part.is_empty() => {
            Err(Problem::at(tab.span, "every tab has an empty text in it"))
        }
        _ => Ok(Action::SwitchTab(query)),
    }
}

fn emulation(fields: EmulateFields) -> Result<Emulation, Problem> {
    let device = fields.device;
    let size = fields.viewport.map(viewport).transpose()?;
    let locale = fields.locale.map(locale).transpose()?;
    let time_zone = fields.time_zone.map(time_zone).transpose()?;
    Ok(Emulation {
        viewport: size.or(device.map(Device::viewport)),
        mobile: device.map(|_| true),
        locale,
        time_zone,
        offline: fields.offline,
        touch: fields.touch.or(device.map(|_| true)),
        user_agent: fields.user_agent.map(UserAgent::Text).or(device.map(Device::user_agent)),
    })
}

fn viewport(size: Located<Payload<SizeFields>>) -> Result<Size, Problem> {
    let (span, Payload(fields)) = (size.span, size.value);
    let size = match (&fields.size, fields.width, fields.height) {
        (None, Some(width), Some(height)) => Size::new(width, height),
        (Some(text), None, None) => size_of(text).ok_or_else(|| {
            Problem::at(span, format!("`{text}` is no size"))
                .hint("such as `390x844`, or `{width: 390, height: 844}`")
        })?,
        (Some(_), ..) => return Err(Problem::at(span, "the size is given twice")),
        (None, ..) => return Err(Problem::at(span, "`width` and `height` belong together")),
    };
    let is_possible = |side: u32| (1..=MAX_SIDE).contains(&side);
    if is_possible(size.width) && is_possible(size.height) {
        Ok(size)
    } else {
        Err(Problem::at(span, format!("a viewport is from 1x1 to {MAX_SIDE}x{MAX_SIDE}, this is {size}")))
    }
}

/// A language, and a script and a country when they matter (BCP 47).
fn locale(Located { span, value }: Located<String>) -> Result<String, Problem> {
    let mut parts = value.split('-');
    let is_letters = |part: &str, lengths: &[usize]| {
        lengths.contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphabetic())
    };
    let is_language = parts.next().is_some_and(|part| is_letters(part, &[2, 3]));
    let is_rest = |part: &str| {
        is_letters(part, &[2, 4]) || (part.len() == 3 && part.chars().all(|c| c.is_ascii_digit()))
    };
    if is_language && parts.all(is_rest) {
        return Ok(value);
    }
    let problem = Problem::at(span, format!("`{value}` is no language"));
    Err(match value.split(['_', '.']).collect::<Vec<_>>()[..] {
        [language, country, ..] if is_letters(language, &[2, 3]) && is_letters(country, &[2]) => {
            problem.hint(format!("did you mean `{language}-{country}`?"))
        }
        _ => problem.hint("such as `de-DE` or `fr`"),
    })
}

fn time_zone(Located { span, value }: Located<String>) -> Result<String, Problem> {
    let known = jiff::tz::db();
    // On a machine without the data every name may be right.
    if known.is_definitively_empty() || known.get(&value).is_ok() {
        return Ok(value);
    }
    let names: Vec<String> = known.available().map(|name| name.to_string()).collect();
    let problem = Problem::at(span, format!("unknown time zone `{value}`"));
    Err(match nearest(&value, names.iter().map(String::as_str)) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint("such as `Europe/Berlin` or `UTC`"),
    })
}

/// The flag by which a browser starts with a device scale factor.
pub(super) fn scale_flag(scale: f64) -> String {
    format!("--force-device-scale-factor={scale}")
}
