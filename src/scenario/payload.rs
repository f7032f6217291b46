//! What stands behind the action of a step, as it is written; decoder and schema at once. [`super::build`] makes
//! actions of it.
//!
//! The keys of the tool-call form that agents emit (`coordinate`, `drag_to`, `scroll_direction`, …) are fields of their own
//! beside the readable ones, so that both forms decode by the same types.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{id::Name, input::KeyChord};

use super::{
    Target, Template,
    authored::{Command, CompareMethod, FloatingFields, MaskFields, ToleranceFields},
    browser_actions::{DialogFields, DownloadFields, UploadFields},
    emulation::{EmulateFields, SizeFields, TabFields},
    values::{Area, MinSsim, Parsed, XY},
    wrappers::{Caught, Located, Payload, Shorthand},
};

/// The actions; the variants in snake case are the words of the language.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "an action")]
pub(super) enum AnyAction {
    /// Starts a browser, at an address or on an empty page.
    OpenBrowser(Payload<Open>),
    /// Goes to an address; what starts with `/` is below the served folder.
    Navigate(Payload<Go>),
    /// Loads the page again.
    Reload,
    /// One entry back in the history of the page.
    Back,
    /// One entry on.
    Forward,
    /// Ends the browser.
    CloseBrowser,
    /// Tells the page and all later ones of another device.
    Emulate(EmulateFields),
    /// Gives the page a size in css pixels, such as `390x844`.
    SetViewport(Located<Payload<SizeFields>>),
    /// Brings a tab or window of the browser to the front.
    SwitchTab(Located<Payload<TabFields>>),
    /// Closes the tab in front.
    CloseTab,
    /// Answers the JavaScript dialog that is open or opens soon.
    Dialog(Located<Payload<DialogFields>>),
    /// Clicks what opens a file chooser, and gives the page files.
    Upload(UploadFields),
    /// Waits for a file that the page gives out, and keeps it with the artifacts.
    Download(Payload<DownloadFields>),
    /// A checkpoint: a picture that is evidence and is compared with its baseline.
    Screenshot(Payload<Screenshot>),
    /// A click; at the present position of the pointer without a target.
    LeftClick(Located<Payload<Aim>>),
    /// A click with the right button; needs `confirm: true`.
    RightClick(Located<Payload<Aim>>),
    /// A click with the middle button; needs `confirm: true`.
    MiddleClick(Located<Payload<Aim>>),
    /// Two clicks in quick succession.
    DoubleClick(Located<Payload<Aim>>),
    /// Three.
    TripleClick(Located<Payload<Aim>>),
    /// A click with the named button.
    Click(Located<Payload<ClickAim>>),
    /// Moves the pointer.
    MouseMove(Located<Payload<Aim>>),
    /// Presses the left button at one place and releases it at another.
    LeftClickDrag(Located<DragFields>),
    /// Presses the left button.
    LeftMouseDown,
    /// Releases it.
    LeftMouseUp,
    /// Turns the wheel: a direction, or a signed amount where positive is up.
    Scroll(Located<Payload<ScrollFields>>),
    /// Types text; line feeds are Return, tabs are Tab.
    Type(Located<Payload<TextField>>),
    /// Presses a key or keys together.
    Key(Payload<KeyField>),
    /// Holds a key or keys; 1 s by default.
    HoldKey(Payload<HoldFields>),
    /// Lets time pass; 1 s by default.
    Wait(Payload<WaitFields>),
    /// Waits until nothing on the screen changes.
    WaitStill(Payload<StillFields>),
    /// Starts a program on the display.
    Launch(Payload<LaunchFields>),
    /// Gives a window the focus, by a part of its title or its class.
    Focus(Payload<FocusField>),
    /// Puts the steps of a part in place of this one.
    Run(Located<Payload<RunFields>>),
}

/// What may stand beside the action of a step.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "step options")]
pub(super) struct Options {
    /// What people call the step.
    #[serde(default)]
    pub(super) name: Caught<String>,
    /// That a step which could do harm is meant.
    #[serde(default)]
    pub(super) confirm: Caught<bool>,
    /// A deadline in place of the built-in one.
    #[serde(default)]
    pub(super) timeout: Caught<Located<Parsed<Duration>>>,
    /// `true`, `false`, `A == B` or `A != B`; the step is skipped when it does not hold.
    #[serde(default, rename = "if")]
    #[schemars(with = "super::schema::TextOrNothing")]
    pub(super) _condition: serde::de::IgnoredAny,
    /// Whether the case goes on when the step fails.
    #[serde(default)]
    pub(super) continue_on_failure: Caught<bool>,
    /// How often `screenshot`, `wait` or `wait_still` is tried again.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub(super) retry: Caught<Located<u32>>,
}

macro_rules! payload {
    ($(#[$meta:meta])* $name:ident $forms:expr, $expecting:literal
     { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, expecting = $expecting)]
        pub(super) struct $name {
            $($(#[$field_meta])* pub(super) $field: $type,)*
        }

        impl Shorthand for $name {
            const FORMS: [&'static str; 3] = $forms;
        }
    };
}

payload! {
    /// `open_browser`.
    Open ["url", "", "{}"], "an address, or a map with `url`" {
        /// Where to go first.
        url: Option<Template>,
        /// The HTTP status that must come; by default anything below 400.
        #[schemars(range(min = 100, max = 599))]
        expect_status: Option<Located<u16>>,
    }
}

payload! {
    /// `navigate`.
    Go ["url", "", ""], "an address, or a map with `url`" {
        /// Where to go.
        url: Located<Template>,
        /// The HTTP status that must come; by default anything below 400.
        #[schemars(range(min = 100, max = 599))]
        expect_status: Option<Located<u16>>,
    }
}

payload! {
    /// `screenshot`.
    Screenshot ["name", "", ""], "a name, or a map with `name`" {
        /// The baseline's file name without ending.
        name: Located<Parsed<Name>>,
        /// The part of the screen that is looked at; the whole screen without it.
        region: Option<Located<Area>>,
        /// Parts that are ignored.
        #[serde(default)]
        masks: Vec<Caught<Located<MaskFields>>>,
        /// How pictures are compared.
        method: Option<CompareMethod>,
        /// The lowest SSIM that passes.
        min_ssim: Option<Parsed<MinSsim>>,
        /// Levels, 0 to 255, by which a pixel may differ without being counted.
        max_delta: Option<u8>,
        /// How many pixels may differ by more than `max_delta`.
        max_pixels: Option<u64>,
        /// Parts with limits of their own.
        #[serde(default)]
        tolerance: Vec<Caught<Located<ToleranceFields>>>,
        /// Parts whose content may have moved a little.
        #[serde(default)]
        floating: Vec<Caught<Located<FloatingFields>>>,
        /// How long a picture that differs is looked at again; 3 s by default.
        match_within: Option<Parsed<Duration>>,
    }
}

payload! {
    /// A place on the screen: `[x, y]`, `{x, y}` or `{css}`.
    TargetFields ["", "coordinate", ""], "`[x, y]`, or a map with `css`" {
        /// The place itself.
        coordinate: Option<XY>,
        /// Pixels to the right of the left edge.
        x: Option<i32>,
        /// Pixels below the top edge.
        y: Option<i32>,
        /// An element of the page in front, by selector.
        css: Option<String>,
        /// Which of several matches, from 0.
        nth: Option<u32>,
        /// Only matches whose centre lies in this region of the screen.
        within: Option<Area>,
        /// Added to the point that is aimed at.
        offset: Option<XY>,
    }
}

payload! {
    /// A target, or `{at: target}`; nothing is the present position of the pointer.
    Aim ["", "at", "{}"], "a target such as `[x, y]` or `{css: …}`" {
        /// The target.
        at: Option<Located<Target>>,
        /// As in a target.
        coordinate: Option<XY>,
        /// As in a target.
        x: Option<i32>,
        /// As in a target.
        y: Option<i32>,
        /// As in a target.
        css: Option<String>,
        /// As in a target.
        nth: Option<u32>,
        /// As in a target.
        within: Option<Area>,
        /// As in a target.
        offset: Option<XY>,
    }
}

payload! {
    /// `click`.
    ClickAim ["", "at", "{}"], "a target such as `[x, y]`, or a map with `button` and `at`" {
        /// Which button; the left one by default.
        button: Option<ButtonName>,
        /// The target.
        at: Option<Located<Target>>,
        /// As in a target.
        coordinate: Option<XY>,
        /// As in a target.
        x: Option<i32>,
        /// As in a target.
        y: Option<i32>,
        /// As in a target.
        css: Option<String>,
        /// As in a target.
        nth: Option<u32>,
        /// As in a target.
        within: Option<Area>,
        /// As in a target.
        offset: Option<XY>,
    }
}

/// A button of the pointer.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ButtonName {
    Left,
    Middle,
    Right,
}

/// `left_click_drag`: `{from, to}`, or the tool-call forms `{coordinate, drag_to}` and `{start_coordinate, coordinate}`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with `from` and `to`")]
pub(super) struct DragFields {
    /// Where the button goes down; the present position of the pointer without it.
    pub(super) from: Option<Located<Target>>,
    /// Where it comes up.
    pub(super) to: Option<Located<Target>>,
    /// The start beside `drag_to`, the end beside `start_coordinate`.
    pub(super) coordinate: Option<Located<Target>>,
    /// The end.
    pub(super) drag_to: Option<Located<Target>>,
    /// The start.
    pub(super) start_coordinate: Option<Located<Target>>,
}

payload! {
    /// `scroll`.
    ScrollFields ["amount", "", ""], "a map with `direction` or a signed `amount`" {
        /// Where; the present position of the pointer without it.
        at: Option<Located<Target>>,
        /// The same.
        coordinate: Option<Located<Target>>,
        /// Pixels to the right of the left edge.
        x: Option<i32>,
        /// Pixels below the top edge.
        y: Option<i32>,
        /// Which way.
        direction: Option<Way>,
        /// Notches of the wheel, 3 by default; without a direction, positive is up and negative is down.
        amount: Option<Located<i32>>,
        /// As `direction`.
        scroll_direction: Option<Way>,
        /// As `amount`.
        scroll_amount: Option<Located<i32>>,
    }
}

/// Which way a wheel turns.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Way {
    Up,
    Down,
    Left,
    Right,
}

payload! {
    /// `type`.
    TextField ["text", "", ""], "text" {
        /// What is typed.
        text: Template,
    }
}

payload! {
    /// `key`.
    KeyField ["key", "", ""], "a key or keys joined by `+`" {
        /// The keys, such as `ctrl+shift+t`; tool calls say `text`.
        #[serde(alias = "text")]
        key: Parsed<KeyChord>,
    }
}

payload! {
    /// `hold_key`.
    HoldFields ["key", "", ""], "a key, or a map with `key` and `duration`" {
        /// The keys; tool calls say `text`.
        #[serde(alias = "text")]
        key: Parsed<KeyChord>,
        /// For how long; 1 s by default.
        duration: Option<Parsed<Duration>>,
    }
}

payload! {
    /// `wait`.
    WaitFields ["duration", "", "{}"], "a duration" {
        /// For how long; 1 s by default.
        duration: Option<Parsed<Duration>>,
    }
}

payload! {
    /// `wait_still`.
    StillFields ["", "", "{}"], "a map with `region` or `quiet`, or nothing" {
        /// The part that must be still; the whole screen without it.
        region: Option<Located<Area>>,
        /// For how long nothing may change; the built-in time without it.
        quiet: Option<Parsed<Duration>>,
    }
}

payload! {
    /// `launch`.
    LaunchFields ["command", "command", ""], "a list of program and arguments, or a map with `command`" {
        /// The program and its arguments, as a list; no shell reads them.
        command: Located<Command>,
        /// Variables over those of the case.
        #[serde(default)]
        env: BTreeMap<String, Template>,
        /// Where it starts, relative to this file's folder; a fresh folder of the case without it.
        cwd: Option<Located<String>>,
        /// Whether the step ends only when the program has shown a window; it does by default.
        wait_window: Option<bool>,
    }
}

payload! {
    /// `focus`.
    FocusField ["text", "", ""], "a part of a window's title, or its class" {
        /// A part of the title, or the class.
        text: Located<String>,
    }
}

payload! {
    /// `run`.
    RunFields ["file", "", ""], "the path of a part, or a map with `file` and `vars`" {
        /// The part, relative to this file.
        file: Located<String>,
        /// Values of the part's variables.
        #[serde(default, rename = "vars")]
        #[schemars(with = "BTreeMap<String, Template>")]
        _vars: serde::de::IgnoredAny,
    }
}
