//! The decision for one step.

use std::fmt;

use crate::{
    geometry::Point,
    input::Button,
    scenario::{Action, Answer, AnswerDialog, Click, Drag, Piece, ScrollWheel, Step, Target, Template},
};

use super::is_sensitive;

/// Whether a step may be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Allow,
    /// Only when its author or a person says so; the reason names what is risky and the line to add.
    NeedsApproval(String),
    /// Never.
    Blocked(String),
}

/// How much an action could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Risk {
    /// Only looks.
    Observe,
    /// Changes the private display alone.
    LocalNondestructive,
    /// Could change or remove something on the machine.
    LocalDestructive,
    /// Others could see it.
    ExternalVisible,
    /// Handles a secret.
    SecretSensitive,
}

/// The risk class of `action`.
#[must_use]
pub fn risk(action: &Action) -> Risk {
    match action {
        Action::Screenshot(_) | Action::Wait(_) | Action::WaitStill(_) => Risk::Observe,
        Action::OpenBrowser(open) => open.url.as_ref().map_or(Risk::LocalNondestructive, address_risk),
        Action::Navigate(navigate) => address_risk(&navigate.url),
        Action::Type(text) if is_sensitive_template(&text.text) => Risk::SecretSensitive,
        Action::Dialog(AnswerDialog { answer: Answer::Accept(Some(text)), .. })
            if is_sensitive_template(text) =>
        {
            Risk::SecretSensitive
        }
        Action::Launch(_) => Risk::LocalDestructive,
        Action::Reload
        | Action::Back
        | Action::Forward
        | Action::CloseBrowser
        | Action::Emulate(_)
        | Action::SetViewport(_)
        | Action::SwitchTab(_)
        | Action::CloseTab
        | Action::Dialog(_)
        | Action::Upload(_)
        | Action::Download(_)
        | Action::Click(_)
        | Action::MouseMove(_)
        | Action::Drag(_)
        | Action::MouseDown
        | Action::MouseUp
        | Action::Scroll(_)
        | Action::Type(_)
        | Action::Key(_)
        | Action::HoldKey(_)
        | Action::Focus(_) => Risk::LocalNondestructive,
    }
}

/// Whether `step` may be done as it stands.
#[must_use]
pub fn decide(step: &Step) -> Decision {
    if step.options.confirm {
        return Decision::Allow;
    }
    let reason = match &step.action {
        Action::Click(Click { button: Button::Right, .. }) => "a right click can open menus that act",
        Action::Click(Click { button: Button::Middle, .. }) => "a middle click can paste or close",
        Action::Type(text) if text.text.is_secret() => "the text is a secret",
        Action::Type(text) if is_sensitive_template(&text.text) => "the text looks like a credential",
        action if aims_at_corner(action) => "the top left corner is where a person stops a run",
        _ => return Decision::Allow,
    };
    Decision::NeedsApproval(format!("{reason}: add `confirm: true` to the step"))
}

/// An address on this machine stays here; everything else can be seen by others.
fn address_risk(url: &Template) -> Risk {
    let shown = url.to_string();
    let host = shown.split_once("://").map_or("", |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_local = shown.starts_with('/')
        || shown.starts_with("${serve}")
        || ["about:", "data:", "file:"].iter().any(|scheme| shown.starts_with(scheme))
        || matches!(name, "localhost" | "127.0.0.1" | "::1");
    if is_local { Risk::LocalNondestructive } else { Risk::ExternalVisible }
}

fn is_sensitive_template(text: &Template) -> bool {
    text.is_secret()
        || text.pieces().iter().any(|piece| matches!(piece, Piece::Literal(literal) if is_sensitive(literal)))
}

fn aims_at_corner(action: &Action) -> bool {
    let corner = |target: &Target| *target == Target::Coordinate(Point::new(0, 0));
    match action {
        Action::Click(Click { at: Some(target), .. })
        | Action::MouseMove(target)
        | Action::Scroll(ScrollWheel { at: Some(target), .. }) => corner(target),
        Action::Drag(Drag { from, to }) => corner(to) || from.as_ref().is_some_and(corner),
        _ => false,
    }
}

impl Decision {
    /// The word for it in the action log.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::NeedsApproval(_) => "needs_approval",
            Self::Blocked(_) => "blocked",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Observe => "observe",
            Self::LocalNondestructive => "local_nondestructive",
            Self::LocalDestructive => "local_destructive",
            Self::ExternalVisible => "external_visible",
            Self::SecretSensitive => "secret_sensitive",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        diagnostic::Location,
        scenario::{Navigate, StepOptions, TypeText},
    };

    fn step(action: Action, confirm: bool) -> Step {
        Step {
            action,
            options: StepOptions { confirm, ..StepOptions::default() },
            source: Location { file: PathBuf::from("a.yaml"), line: 1, column: 1 },
        }
    }

    fn click(button: Button) -> Action {
        Action::Click(Click { button, count: 1, at: None })
    }

    #[test]
    fn right_and_middle_clicks_need_a_confirmation() {
        assert_eq!(decide(&step(click(Button::Left), false)), Decision::Allow);
        assert!(matches!(decide(&step(click(Button::Right), false)), Decision::NeedsApproval(_)));
        assert!(matches!(decide(&step(click(Button::Middle), false)), Decision::NeedsApproval(_)));
        assert_eq!(decide(&step(click(Button::Right), true)), Decision::Allow);
    }

    #[test]
    fn sensitive_text_and_the_corner_need_a_confirmation() {
        let type_text = |text: Template| Action::Type(TypeText { text });
        let secret = Template::new(vec![Piece::Secret("pw".to_owned())]);
        assert!(matches!(decide(&step(type_text(secret), false)), Decision::NeedsApproval(_)));
        assert!(matches!(decide(&step(type_text("my token".into()), false)), Decision::NeedsApproval(_)));
        assert_eq!(decide(&step(type_text("alice".into()), false)), Decision::Allow);
        let corner = Action::MouseMove(Target::Coordinate(Point::new(0, 0)));
        assert!(matches!(decide(&step(corner, false)), Decision::NeedsApproval(_)));
    }

    #[test]
    fn only_addresses_of_this_machine_stay_local() {
        let navigate = |url: &str| Action::Navigate(Navigate { url: url.into(), expect_status: None });
        for url in ["/sign-in.html", "http://localhost:3000/x", "http://[::1]:80/", "about:blank"] {
            assert_eq!(risk(&navigate(url)), Risk::LocalNondestructive, "{url}");
        }
        for url in ["http://example.org", "http://localhost.example.org/", "http://localhost@example.org/"] {
            assert_eq!(risk(&navigate(url)), Risk::ExternalVisible, "{url}");
        }
    }
}
