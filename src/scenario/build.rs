//! From what was written behind an action to the [`Action`]: spellings become one, defaults are filled in, and what
//! needs the case (the screen, the folder, the limits) is checked.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    compare::CompareSpec,
    geometry::{Region, Size},
    input::Button,
};

use super::{
    Action, HoldKey, Launch, Navigate, OpenBrowser, Piece, Template, TypeText, WaitStill,
    authored::Command,
    browser_actions, emulation,
    error::{Problem, Problems},
    payload::{AnyAction, Go, LaunchFields, Open, RunFields},
    tree::{Span, literal},
    validate,
    values::Area,
    wrappers::Located,
};

/// How long `wait` and `hold_key` last when nothing is said.
const DEFAULT_DURATION: Duration = Duration::from_secs(1);

/// What an action is checked against.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// The screen, when its own description is right.
    pub(super) screen: Option<Size>,
    /// The limits of the scenario.
    pub(super) compare: &'a CompareSpec,
    /// The folder of the file, for relative paths.
    pub(super) folder: &'a Path,
    /// Whether a folder is served.
    pub(super) serves: bool,
    /// Where mistakes go.
    pub(super) problems: &'a Problems,
}

/// What a step turns out to be.
pub(super) enum Built {
    /// An action.
    Action(Action),
    /// A place where a part's steps go.
    Run(Located<RunFields>),
}

impl Context<'_> {
    /// The action that was written; what is wrong beyond repair is the error, the rest is reported.
    pub(super) fn build(&self, action: AnyAction) -> Result<Built, Problem> {
        Ok(Built::Action(match action {
            AnyAction::Run(run) => return Ok(Built::Run(Located { span: run.span, value: run.value.0 })),
            AnyAction::OpenBrowser(open) => Action::OpenBrowser(open_browser(open.0)?),
            AnyAction::Navigate(go) => Action::Navigate(self.navigate(go.0)?),
            AnyAction::Reload => Action::Reload,
            AnyAction::Back => Action::Back,
            AnyAction::Forward => Action::Forward,
            AnyAction::CloseBrowser => Action::CloseBrowser,
            AnyAction::Emulate(fields) => emulation::emulate(fields)?,
            AnyAction::SetViewport(size) => self.set_viewport(size)?,
            AnyAction::SwitchTab(tab) => emulation::tab(tab)?,
            AnyAction::CloseTab => Action::CloseTab,
            AnyAction::Dialog(dialog) => browser_actions::dialog(dialog)?,
            AnyAction::Upload(upload) => self.upload(upload)?,
            AnyAction::Download(download) => self.download(download.0)?,
            AnyAction::Screenshot(screenshot) => Action::Screenshot(self.checkpoint(screenshot.0)),
            AnyAction::LeftClick(aim) => self.click(Button::Left, 1, aim)?,
            AnyAction::RightClick(aim) => self.click(Button::Right, 1, aim)?,
            AnyAction::MiddleClick(aim) => self.click(Button::Middle, 1, aim)?,
            AnyAction::DoubleClick(aim) => self.click(Button::Left, 2, aim)?,
            AnyAction::TripleClick(aim) => self.click(Button::Left, 3, aim)?,
            AnyAction::Click(aim) => self.named_click(aim)?,
            AnyAction::MouseMove(aim) => self.mouse_move(aim)?,
            AnyAction::LeftClickDrag(drag) => self.drag(drag)?,
            AnyAction::LeftMouseDown => Action::MouseDown,
            AnyAction::LeftMouseUp => Action::MouseUp,
            AnyAction::Scroll(scroll) => self.scroll(scroll)?,
            AnyAction::Type(typed) => Action::Type(typed_text(typed.span, typed.value.0.text)?),
            AnyAction::Key(key) => Action::Key(key.0.key.0),
            AnyAction::HoldKey(hold) => Action::HoldKey(HoldKey {
                chord: hold.0.key.0,
                duration: hold.0.duration.map_or(DEFAULT_DURATION, |duration| duration.0),
            }),
            AnyAction::Wait(wait) => {
                Action::Wait(wait.0.duration.map_or(DEFAULT_DURATION, |duration| duration.0))
            }
            AnyAction::WaitStill(still) => Action::WaitStill(WaitStill {
                region: self.region(still.0.region),
                quiet: still.0.quiet.map(|quiet| quiet.0),
            }),
            AnyAction::Launch(launch) => Action::Launch(self.launch(launch.0)?),
            AnyAction::Focus(focus) => Action::Focus(not_blank(focus.0.text)?),
        }))
    }

    fn navigate(&self, go: Go) -> Result<Navigate, Problem> {
        let Located { span, value: url } = go.url;
        let first = url.pieces().first();
        if literal(&url) == Some("") {
            return Err(Problem::at(span, "an address must not be empty"));
        }
        if !self.serves && matches!(first, Some(Piece::Literal(text)) if text.starts_with('/')) {
            self.problems.report(
                Problem::at(span, "an address that starts with `/` needs a served folder")
                    .hint("declare it: `serve: DIR`, relative to the scenario file"),
            );
        }
        Ok(Navigate { url, expect_status: status(go.expect_status)?.map(|status| status.value) })
    }

    /// A region of the screen; one that is not on it is reported.
    pub(super) fn region(&self, region: Option<Located<Area>>) -> Option<Region> {
        let Located { span, value: Area(region) } = region?;
        if let Some(screen) = self.screen {
            validate::region("region", region, screen, span, self.problems);
        }
        Some(region)
    }

    fn launch(&self, launch: LaunchFields) -> Result<Launch, Problem> {
        let command = command(launch.command)?;
        let cwd = launch.cwd.map(|cwd| self.existing_folder(&cwd)).transpose()?;
        validate::variable_names(launch.env.keys())?;
        Ok(Launch { command, env: launch.env, cwd, wait_window: launch.wait_window.unwrap_or(true) })
    }

    /// The folder below the file's own that `path` names.
    pub(super) fn existing_folder(&self, path: &Located<String>) -> Result<PathBuf, Problem> {
        let folder = self.folder.join(&path.value);
        match std::fs::canonicalize(&folder) {
            Ok(found) if found.is_dir() => Ok(found),
            Ok(_) => Err(Problem::at(path.span, format!("`{}` is not a folder", folder.display()))),
            Err(error) => Err(Problem::at(path.span, format!("no folder `{}`: {error}", folder.display()))),
        }
    }
}

fn open_browser(open: Open) -> Result<OpenBrowser, Problem> {
    let expect_status = status(open.expect_status)?;
    if let (None, Some(status)) = (&open.url, expect_status) {
        return Err(Problem::at(status.span, "`expect_status` without an address"));
    }
    let expect_status = expect_status.map(|status| status.value);
    Ok(OpenBrowser { url: open.url, expect_status })
}

fn status(status: Option<Located<u16>>) -> Result<Option<Located<u16>>, Problem> {
    match status {
        Some(Located { span, value }) if !(100..=599).contains(&value) => {
            Err(Problem::at(span, format!("an HTTP status is from 100 to 599, this is `{value}`")))
        }
        status => Ok(status),
    }
}

/// A program must have a name; whether it exists is known where it runs.
pub(super) fn command(command: Located<Command>) -> Result<Vec<Template>, Problem> {
    match command.value.0.first() {
        None => Err(Problem::at(command.span, "the command is empty")),
        Some(program) if literal(program) == Some("") => {
            Err(Problem::at(command.span, "the program's name is empty"))
        }
        Some(_) => Ok(command.value.0),
    }
}

fn typed_text(span: Span, text: Template) -> Result<TypeText, Problem> {
    if literal(&text) == Some("") {
        return Err(Problem::at(span, "there is nothing to type"));
    }
    Ok(TypeText { text })
}

fn not_blank(text: Located<String>) -> Result<String, Problem> {
    if text.value.trim().is_empty() {
        return Err(Problem::at(text.span, "the title must not be empty"));
    }
    Ok(text.value)
}
