//! One step done for real: an exhaustive match over [`Action`], one file for each family.

mod browser;
mod keyboard;
mod page;
mod pointer;
mod system;
mod tabs;
mod wait;

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    geometry::Point,
    outcome::CheckpointOutcome,
    scenario::{Action, Step},
};

use super::{Stage, Stop};

/// What a step left behind.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// The point that was aimed at.
    pub(crate) aimed_at: Option<Point>,
    /// What a screenshot saw.
    pub(crate) checkpoint: Option<Box<CheckpointOutcome>>,
    /// Why the checkpoint does not stand: its outcome is kept all the same.
    pub(crate) stop: Option<Stop>,
}

impl Done {
    fn at(point: Point) -> Self {
        Self { aimed_at: Some(point), ..Self::default() }
    }
}

impl Stage<'_> {
    /// Does what `step` says.
    pub(crate) fn perform(&mut self, step: &Step) -> Result<Done, Stop> {
        let limit = step.options.timeout.unwrap_or(self.bench.settings.step_timeout);
        match &step.action {
            Action::OpenBrowser(open) => self.open_browser(open, limit),
            Action::Navigate(navigate) => self.navigate(&navigate.url, navigate.expect_status, limit),
            Action::Reload => self.reload(limit),
            Action::Back => self.history(-1, limit),
            Action::Forward => self.history(1, limit),
            Action::CloseBrowser => self.close_browser(),
            Action::Emulate(emulation) => self.emulate(emulation),
            Action::SetViewport(size) => self.set_viewport(*size),
            Action::SwitchTab(tab) => self.switch_tab(tab, limit),
            Action::CloseTab => self.close_tab(),
            Action::Dialog(dialog) => self.dialog(dialog, limit),
            Action::Upload(upload) => self.upload(upload, limit),
            Action::Download(download) => self.download(download, limit),
            Action::Screenshot(checkpoint) => self.checkpoint(checkpoint, limit),
            Action::Click(click) => self.click(click, limit),
            Action::MouseMove(target) => self.mouse_move(target, limit),
            Action::Drag(drag) => self.drag(drag, limit),
            Action::MouseDown => self.mouse_down(limit),
            Action::MouseUp => self.mouse_up(),
            Action::Scroll(scroll) => self.scroll(scroll, limit),
            Action::Type(text) => self.type_text(text),
            Action::Key(chord) => self.key(chord),
            Action::HoldKey(hold) => self.hold_key(hold),
            Action::Wait(duration) => self.pause(*duration).map(|()| Done::default()),
            Action::WaitStill(still) => self.wait_still(still, limit),
            Action::Launch(launch) => self.launch(launch, limit),
            Action::Focus(window) => self.focus(window, limit),
        }
    }

    /// Fills in late values.
    pub(crate) fn render(&self, template: &crate::scenario::Template) -> Result<String, Stop> {
        template.render(&self.bindings).map_err(|name| {
            Stop::errored(crate::outcome::FaultKind::Internal, format!("`${{{name}}}` has no value"))
        })
    }
}

/// The parameters of `action` as the log may keep them: text is only counted.
pub(crate) fn logged_params(action: &Action) -> Value {
    let seconds = Duration::as_secs_f64;
    match action {
        Action::Navigate(navigate) => json!({ "expect_status": navigate.expect_status }),
        Action::Upload(upload) => json!({ "files": upload.files.len() }),
        Action::Click(click) => json!({ "button": click.button.number(), "count": click.count }),
        Action::Scroll(scroll) => {
            json!({ "button": scroll.direction.button().number(), "amount": scroll.amount })
        }
        Action::Type(text) => {
            let sensitive = text.text.is_secret() || crate::policy::is_sensitive(&text.text.to_string());
            // The length of a secret is a secret, too.
            let length = (!sensitive).then(|| text.text.to_string().chars().count());
            json!({ "text_length": length, "sensitive": sensitive })
        }
        Action::HoldKey(hold) => json!({ "duration_s": seconds(&hold.duration) }),
        Action::Wait(duration) => json!({ "duration_s": seconds(duration) }),
        Action::WaitStill(still) => json!({ "quiet_s": still.quiet.as_ref().map(seconds) }),
        Action::Launch(launch) => json!({ "arguments": launch.command.len().saturating_sub(1) }),
        Action::Screenshot(checkpoint) => json!({
            "region": checkpoint.region,
            "masks": checkpoint.masks.len(),
            "match_within_s": seconds(&checkpoint.match_within),
        }),
        Action::OpenBrowser(_)
        | Action::Reload
        | Action::Back
        | Action::Forward
        | Action::CloseBrowser
        | Action::Emulate(_)
        | Action::SetViewport(_)
        | Action::SwitchTab(_)
        | Action::CloseTab
        | Action::Dialog(_)
        | Action::Download(_)
        | Action::MouseMove(_)
        | Action::Drag(_)
        | Action::MouseDown
        | Action::MouseUp
        | Action::Key(_)
        | Action::Focus(_) => json!({}),
    }
}
