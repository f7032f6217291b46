//! The top of a scenario file as it is written; decoder and schema at once. Checks and defaults are in [`super::plan`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{compare::Method, id::Name};

use super::{
    Template,
    browser_settings::Browser,
    schema::{AnyStep, TextOrNothing},
    values::{Area, Identifier, MinSsim, Parsed},
    wrappers::{Caught, Located, Payload, Shorthand},
};

/// One scenario of computer actions, run on a display of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a scenario: a map with `steps`")]
pub(super) struct Scenario {
    /// What people call it; the file's name without it.
    #[serde(default)]
    pub(super) name: Caught<Located<String>>,
    /// What it is for.
    #[serde(default)]
    pub(super) description: Caught<String>,
    /// For selecting scenarios.
    #[serde(default)]
    pub(super) tags: Caught<Vec<Caught<Located<String>>>>,
    /// The screen, such as `1280x800`.
    #[serde(default)]
    pub(super) display: Caught<Located<Payload<Display>>>,
    /// The browser, should a step open one.
    #[serde(default)]
    pub(super) browser: Caught<Payload<Browser>>,
    /// Variables and their values; `--var name=value` and `CU_RUN_VAR_name` replace them. One without a value must be given.
    #[serde(default, rename = "vars")]
    #[schemars(with = "BTreeMap<String, TextOrNothing>")]
    pub(super) _vars: serde::de::IgnoredAny,
    /// Names of secrets, read from the environment when the case starts and redacted everywhere.
    #[serde(default, rename = "secrets")]
    #[schemars(with = "Vec<Parsed<Identifier>>")]
    pub(super) _secrets: serde::de::IgnoredAny,
    /// What must be up while the scenario runs.
    #[serde(default)]
    pub(super) services: Caught<Vec<Caught<Located<Service>>>>,
    /// Variables with lists of values: every combination is a case of its own, but those under `exclude`.
    #[serde(default, rename = "matrix")]
    #[schemars(with = "super::schema::MatrixSchema")]
    pub(super) _matrix: serde::de::IgnoredAny,
    /// A folder, relative to this file, that cu-run serves over HTTP; `${serve}` is its address.
    #[serde(default)]
    pub(super) serve: Caught<Located<String>>,
    /// Limits for all checkpoints.
    #[serde(default)]
    pub(super) compare: Caught<Compare>,
    /// What it does, at least one step.
    #[serde(rename = "steps")]
    #[schemars(with = "Vec<AnyStep>", length(min = 1))]
    pub(super) _steps: serde::de::IgnoredAny,
}

/// Steps that scenarios share: `run: {file, vars}` puts them in its place.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a part: a map with `steps`")]
pub(super) struct Part {
    /// What people call it.
    #[serde(default, rename = "name")]
    pub(super) _name: Caught<String>,
    /// What it is for.
    #[serde(default, rename = "description")]
    pub(super) _description: Caught<String>,
    /// Its own variables; `run` may replace them.
    #[serde(default, rename = "vars")]
    #[schemars(with = "BTreeMap<String, TextOrNothing>")]
    pub(super) _vars: serde::de::IgnoredAny,
    /// What it does.
    #[serde(rename = "steps")]
    #[schemars(with = "Vec<AnyStep>", length(min = 1))]
    pub(super) _steps: serde::de::IgnoredAny,
}

/// The screen: 24 bits deep, 96 dpi.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map, or a size such as `1280x800`")]
pub(super) struct Display {
    /// The size as text, such as `1280x800`.
    pub(super) size: Option<String>,
    /// Pixels from left to right.
    #[schemars(range(min = 64, max = 7680))]
    pub(super) width: Option<u32>,
    /// Pixels from top to bottom.
    #[schemars(range(min = 64, max = 4320))]
    pub(super) height: Option<u32>,
    /// Who manages the windows; openbox by default.
    pub(super) window_manager: Option<Manager>,
    /// The keyboard layout.
    pub(super) keyboard: Option<Layout>,
}

impl Shorthand for Display {
    const FORMS: [&'static str; 3] = ["size", "", ""];
}

/// Who manages the windows.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Manager {
    Openbox,
    None,
}

/// A keyboard layout.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Layout {
    Us,
}

/// Limits within which two pictures agree.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of limits")]
pub(super) struct Compare {
    /// How pictures are compared.
    pub(super) method: Option<CompareMethod>,
    /// The lowest SSIM that passes.
    pub(super) min_ssim: Option<Parsed<MinSsim>>,
    /// Levels, 0 to 255, by which a pixel may differ without being counted.
    pub(super) max_delta: Option<u8>,
    /// How many pixels may differ by more than `max_delta`.
    pub(super) max_pixels: Option<u64>,
}

/// How pictures are compared.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CompareMethod {
    /// Local SSIM over R, G and B.
    Ssim,
    /// Every pixel must be equal.
    Exact,
    /// The hybrid score of the crate `image-compare`.
    Hybrid,
}

impl From<CompareMethod> for Method {
    fn from(method: CompareMethod) -> Self {
        match method {
            CompareMethod::Ssim => Self::Ssim,
            CompareMethod::Exact => Self::Exact,
            CompareMethod::Hybrid => Self::Hybrid,
        }
    }
}

/// A program that must be up while the scenario runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a service: a map with `name` and `command`")]
pub(super) struct Service {
    /// Names its log.
    pub(super) name: Parsed<Name>,
    /// The program and its arguments, as a list; no shell reads them.
    pub(super) command: Located<Command>,
    /// Variables over the allow-listed environment.
    #[serde(default)]
    pub(super) env: BTreeMap<String, Template>,
    /// Where it starts, relative to this file's folder.
    pub(super) cwd: Option<Located<String>>,
    /// How to know that it is up.
    pub(super) ready: Option<Located<ReadyWhen>>,
    /// How long that may take; 30 s by default.
    pub(super) timeout: Option<Parsed<std::time::Duration>>,
}

/// A program and its arguments.
#[derive(Debug)]
pub(super) struct Command(pub(super) Vec<Template>);

/// Exactly one way to know that a service is up.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with one of `http`, `tcp` and `log`")]
pub(super) struct ReadyWhen {
    /// This address answers with a status below 400.
    pub(super) http: Option<Template>,
    /// This `host:port` takes a connection.
    pub(super) tcp: Option<Template>,
    /// Its output holds this text.
    pub(super) log: Option<Template>,
}

/// A part of the screen with limits of its own; what is absent is the checkpoint's.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `region` and limits")]
pub(super) struct ToleranceFields {
    /// The part, in pixels of the screen.
    pub(super) region: Located<Area>,
    /// The lowest SSIM that passes.
    pub(super) min_ssim: Option<Parsed<MinSsim>>,
    /// Levels, 0 to 255, by which a pixel may differ without being counted.
    pub(super) max_delta: Option<u8>,
    /// How many pixels may differ by more than `max_delta`.
    pub(super) max_pixels: Option<u64>,
}

/// A part of the baseline that may be found a little elsewhere.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `region` and `by`")]
pub(super) struct FloatingFields {
    /// The part, in pixels of the screen.
    pub(super) region: Located<Area>,
    /// How many pixels it may have moved, in each direction.
    #[schemars(range(min = 1, max = 64))]
    pub(super) by: Located<u32>,
}

/// A part of the screen that a comparison ignores: exactly one of `css` and `region`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `css` or `region`")]
pub(super) struct MaskFields {
    /// Every element that matches this selector.
    pub(super) css: Option<String>,
    /// Which of several matches, from 0.
    pub(super) nth: Option<u32>,
    /// Only matches whose centre lies in this region.
    pub(super) within: Option<Area>,
    /// A region of the screen.
    pub(super) region: Option<Area>,
}
