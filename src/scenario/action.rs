//! What a step does: a closed enum with one payload for each family of verbs.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use crate::{
    browser::Emulation,
    geometry::{Region, Size},
    input::{Button, KeyChord},
};

use super::{AnswerDialog, Checkpoint, KeepDownload, TabQuery, Target, Template, Upload};

/// One action, with everything but late values resolved.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `open_browser`: starts a browser, at an address or on an empty page.
    OpenBrowser(OpenBrowser),
    /// `navigate`.
    Navigate(Navigate),
    /// `reload`.
    Reload,
    /// `back`: one entry back in the history of the page.
    Back,
    /// `forward`: one entry on.
    Forward,
    /// `close_browser`.
    CloseBrowser,
    /// `emulate`: tells pages of another device.
    Emulate(Emulation),
    /// `set_viewport`, in css pixels.
    SetViewport(Size),
    /// `switch_tab`.
    SwitchTab(TabQuery),
    /// `close_tab`: the one in front.
    CloseTab,
    /// `dialog`.
    Dialog(AnswerDialog),
    /// `upload`.
    Upload(Upload),
    /// `download`.
    Download(KeepDownload),
    /// `screenshot`.
    Screenshot(Checkpoint),
    /// `left_click`, `right_click`, `middle_click`, `double_click`, `triple_click`, `click`.
    Click(Click),
    /// `mouse_move`.
    MouseMove(Target),
    /// `left_click_drag`.
    Drag(Drag),
    /// `left_mouse_down`, at the present position of the pointer.
    MouseDown,
    /// `left_mouse_up`, likewise.
    MouseUp,
    /// `scroll`.
    Scroll(ScrollWheel),
    /// `type`.
    Type(TypeText),
    /// `key`.
    Key(KeyChord),
    /// `hold_key`.
    HoldKey(HoldKey),
    /// `wait`: lets time pass.
    Wait(Duration),
    /// `wait_still`: waits until nothing on the screen changes.
    WaitStill(WaitStill),
    /// `launch`: starts a program on the display.
    Launch(Launch),
    /// `focus`: gives a window the focus, by a part of its title or its class.
    Focus(String),
}

/// `open_browser`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenBrowser {
    /// Where to go first.
    pub url: Option<Template>,
    /// As in [`Navigate`].
    pub expect_status: Option<u16>,
}

/// `navigate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Navigate {
    /// Where to go. What starts with `/` is below the served folder.
    pub url: Template,
    /// The HTTP status that must come; by default anything below 400.
    pub expect_status: Option<u16>,
}

/// The clicks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Click {
    /// Which button.
    pub button: Button,
    /// 1, 2 or 3 in quick succession.
    pub count: u8,
    /// Where; the present position of the pointer without it.
    pub at: Option<Target>,
}

/// `left_click_drag`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drag {
    /// Where the button goes down; the present position of the pointer without it.
    pub from: Option<Target>,
    /// Where it comes up.
    pub to: Target,
}

/// `scroll`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScrollWheel {
    /// Where; the present position of the pointer without it.
    pub at: Option<Target>,
    /// Which way.
    pub direction: ScrollDirection,
    /// Notches of the wheel, at least 1.
    pub amount: u32,
}

/// Which way a wheel turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScrollDirection {
    /// Towards the start of the page.
    Up,
    /// Towards its end.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// `type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeText {
    /// What is typed; line feeds are Return, tabs are Tab.
    pub text: Template,
}

/// `hold_key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldKey {
    /// What is held.
    pub chord: KeyChord,
    /// For how long.
    pub duration: Duration,
}

/// `wait_still`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitStill {
    /// The part that must be still; the whole screen without it.
    pub region: Option<Region>,
    /// For how long nothing may change; the built-in time without it.
    pub quiet: Option<Duration>,
}

/// `launch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments; never given to a shell.
    pub command: Vec<Template>,
    /// Variables over those of the case.
    pub env: BTreeMap<String, Template>,
    /// Where it starts: relative to the scenario's folder; the case's workspace without it.
    pub cwd: Option<PathBuf>,
    /// Whether the step ends only when the program has shown a window.
    pub wait_window: bool,
}

impl ScrollDirection {
    /// The button that one notch presses.
    #[must_use]
    pub const fn button(self) -> Button {
        match self {
            Self::Up => Button::ScrollUp,
            Self::Down => Button::ScrollDown,
            Self::Left => Button::ScrollLeft,
            Self::Right => Button::ScrollRight,
        }
    }
}

impl Action {
    /// The verb as scenarios spell it.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::OpenBrowser(_) => "open_browser",
            Self::Navigate(_) => "navigate",
            Self::Reload => "reload",
            Self::Back => "back",
            Self::Forward => "forward",
            Self::CloseBrowser => "close_browser",
            Self::Emulate(_) => "emulate",
            Self::SetViewport(_) => "set_viewport",
            Self::SwitchTab(_) => "switch_tab",
            Self::CloseTab => "close_tab",
            Self::Dialog(_) => "dialog",
            Self::Upload(_) => "upload",
            Self::Download(_) => "download",
            Self::Screenshot(_) => "screenshot",
            Self::Click(click) => click.verb(),
            Self::MouseMove(_) => "mouse_move",
            Self::Drag(_) => "left_click_drag",
            Self::MouseDown => "left_mouse_down",
            Self::MouseUp => "left_mouse_up",
            Self::Scroll(_) => "scroll",
            Self::Type(_) => "type",
            Self::Key(_) => "key",
            Self::HoldKey(_) => "hold_key",
            Self::Wait(_) => "wait",
            Self::WaitStill(_) => "wait_still",
            Self::Launch(_) => "launch",
            Self::Focus(_) => "focus",
        }
    }

    /// What the action aims at, as a person would say it; never typed text or a secret.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        match self {
            Self::OpenBrowser(open) => open.url.as_ref().map(Template::to_string),
            Self::Navigate(navigate) => Some(navigate.url.to_string()),
            Self::SetViewport(size) => Some(size.to_string()),
            Self::SwitchTab(tab) => Some(tab.to_string()),
            Self::Dialog(dialog) => Some(dialog.to_string()),
            Self::Upload(upload) => Some(upload.to_string()),
            Self::Download(download) => download.subject(),
            Self::Screenshot(checkpoint) => Some(checkpoint.name.to_string()),
            Self::Click(click) => click.at.as_ref().map(Target::to_string),
            Self::MouseMove(target) => Some(target.to_string()),
            Self::Drag(Drag { from: Some(from), to }) => Some(format!("{from} to {to}")),
            Self::Drag(Drag { from: None, to }) => Some(format!("to {to}")),
            Self::Scroll(scroll) => Some(scroll.to_string()),
            Self::Type(text) => Some(text.to_string()),
            Self::Key(chord) => Some(chord.to_string()),
            Self::HoldKey(hold) => Some(format!("{} for {:?}", hold.chord, hold.duration)),
            Self::Wait(duration) => Some(format!("{duration:?}")),
            Self::WaitStill(still) => still.region.map(|region| region.to_string()),
            Self::Launch(launch) => launch.command.first().map(Template::to_string),
            Self::Focus(window) => Some(format!("`{window}`")),
            Self::Reload
            | Self::Back
            | Self::Forward
            | Self::CloseBrowser
            | Self::Emulate(_)
            | Self::CloseTab
            | Self::MouseDown
            | Self::MouseUp => None,
        }
    }

    /// Whether the action only looks: such a step may be repeated without changing anything.
    #[must_use]
    pub const fn is_observation(&self) -> bool {
        matches!(self, Self::Screenshot(_) | Self::Wait(_) | Self::WaitStill(_))
    }
}

impl Click {
    const fn verb(&self) -> &'static str {
        match (self.button, self.count) {
            (Button::Right, _) => "right_click",
            (Button::Middle, _) => "middle_click",
            (_, 2) => "double_click",
            (_, 3) => "triple_click",
            _ => "left_click",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb())?;
        match self.subject() {
            Some(subject) => write!(f, " {subject}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ScrollWheel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            ScrollDirection::Up => "up",
            ScrollDirection::Down => "down",
            ScrollDirection::Left => "left",
            ScrollDirection::Right => "right",
        };
        write!(f, "{direction} {}", self.amount)?;
        match &self.at {
            Some(target) => write!(f, " at {target}"),
            None => Ok(()),
        }
    }
}

/// Only the length: what is typed belongs into no log.
impl fmt::Display for TypeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_secret() {
            return f.write_str("a secret");
        }
        match self.text.to_string().chars().count() {
            1 => f.write_str("1 character"),
            count => write!(f, "{count} characters"),
        }
    }
}
