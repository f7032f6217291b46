//! Where pointer actions aim: the spellings of a target, and the actions made of them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};

use crate::{geometry::Point, input::Button};

use super::{
    Action, Click, Drag, ScrollDirection, ScrollWheel, Target,
    build::Context,
    error::Problem,
    payload::{Aim, ButtonName, ClickAim, DragFields, ScrollFields, TargetFields, Way},
    tree::Span,
    validate,
    values::XY,
    wrappers::{Located, Payload},
};

/// Notches that `scroll` turns when nothing is said.
const DEFAULT_NOTCHES: u32 = 3;
/// Most notches; a page of any length is at its end long before.
const MAX_NOTCHES: u32 = 1000;

impl TargetFields {
    const fn is_empty(&self) -> bool {
        matches!(
            self,
            Self { coordinate: None, x: None, y: None, css: None, nth: None, within: None, offset: None }
        )
    }
}

impl TryFrom<TargetFields> for Target {
    type Error = &'static str;

    fn try_from(fields: TargetFields) -> Result<Self, &'static str> {
        match fields {
            TargetFields { coordinate, x, y, css: None, nth: None, within: None, offset: None } => {
                match (coordinate, x, y) {
                    (Some(XY(point)), None, None) => Ok(Self::Coordinate(point)),
                    (None, Some(x), Some(y)) => Ok(Self::Coordinate(Point::new(x, y))),
                    (None, None, None) => Err("a target is `[x, y]` or `{css: …}`"),
                    (None, ..) => Err("`x` and `y` belong together"),
                    (Some(_), ..) => Err("the place is given twice, by `coordinate` and by `x` and `y`"),
                }
            }
            TargetFields { css: Some(css), nth, within, offset, coordinate: None, x: None, y: None } => {
                if css.trim().is_empty() {
                    return Err("a selector must not be empty");
                }
                let (within, offset) = (within.map(|area| area.0), offset.map(|offset| offset.0));
                Ok(Self::Css { css, nth, within, offset })
            }
            TargetFields { css: None, .. } => Err("`nth`, `within` and `offset` belong to `css`"),
            _ => Err("a target is either a place or `css`, not both"),
        }
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Payload(fields) = Payload::<TargetFields>::deserialize(deserializer)?;
        Self::try_from(fields).map_err(de::Error::custom)
    }
}

impl JsonSchema for Target {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Payload::<TargetFields>::json_schema(generator)
    }
}

impl Context<'_> {
    pub(super) fn click(
        &self,
        button: Button,
        count: u8,
        aim: Located<Payload<Aim>>,
    ) -> Result<Action, Problem> {
        Ok(Action::Click(Click { button, count, at: self.aim(aim.span, aim.value.0)? }))
    }

    pub(super) fn named_click(&self, aim: Located<Payload<ClickAim>>) -> Result<Action, Problem> {
        let ClickAim { button, at, coordinate, x, y, css, nth, within, offset } = aim.value.0;
        let button = match button.unwrap_or(ButtonName::Left) {
            ButtonName::Left => Button::Left,
            ButtonName::Middle => Button::Middle,
            ButtonName::Right => Button::Right,
        };
        let at = self.aim(aim.span, Aim { at, coordinate, x, y, css, nth, within, offset })?;
        Ok(Action::Click(Click { button, count: 1, at }))
    }

    pub(super) fn mouse_move(&self, aim: Located<Payload<Aim>>) -> Result<Action, Problem> {
        self.aim(aim.span, aim.value.0)?
            .map(Action::MouseMove)
            .ok_or_else(|| Problem::at(aim.span, "`mouse_move` needs a target").hint("such as `[640, 310]`"))
    }

    fn aim(&self, span: Span, aim: Aim) -> Result<Option<Target>, Problem> {
        let Aim { at, coordinate, x, y, css, nth, within, offset } = aim;
        let inline = TargetFields { coordinate, x, y, css, nth, within, offset };
        match (at, inline.is_empty()) {
            (at, true) => Ok(at.map(|target| self.on_screen(target))),
            (Some(at), false) => Err(Problem::at(at.span, "a second target beside `at`")),
            (None, false) => {
                let value = Target::try_from(inline).map_err(|message| Problem::at(span, message))?;
                Ok(Some(self.on_screen(Located { span, value })))
            }
        }
    }

    /// The target; a place off the screen is reported.
    pub(super) fn on_screen(&self, target: Located<Target>) -> Target {
        if let Some(screen) = self.screen {
            validate::target(&target, screen, self.problems);
        }
        target.value
    }

    pub(super) fn drag(&self, drag: Located<DragFields>) -> Result<Action, Problem> {
        let DragFields { from, to, coordinate, drag_to, start_coordinate } = drag.value;
        let ((from, Some(to), None, None, None)
        | (None, None, from, Some(to), None)
        | (None, None, Some(to), None, from @ Some(_))) = (from, to, coordinate, drag_to, start_coordinate)
        else {
            return Err(Problem::at(drag.span, "a drag needs `to`, and may have `from`")
                .hint("or, as tool calls say it, `coordinate` and `drag_to`"));
        };
        let from = from.map(|target| self.on_screen(target));
        Ok(Action::Drag(Drag { from, to: self.on_screen(to) }))
    }

    pub(super) fn scroll(&self, scroll: Located<Payload<ScrollFields>>) -> Result<Action, Problem> {
        let span = scroll.span;
        let fields = scroll.value.0;
        let twice = |key: &str| Problem::at(span, format!("`{key}` is given twice, in two spellings"));
        let at = match (fields.at, fields.coordinate, fields.x, fields.y) {
            (target, None, None, None) | (None, target, None, None) => target,
            (None, None, Some(x), Some(y)) => {
                Some(Located { span, value: Target::Coordinate(Point::new(x, y)) })
            }
            (None, None, ..) => return Err(Problem::at(span, "`x` and `y` belong together")),
            _ => return Err(twice("at")),
        };
        let ((way, None) | (None, way)) = (fields.direction, fields.scroll_direction) else {
            return Err(twice("direction"));
        };
        let ((amount, None) | (None, amount)) = (fields.amount, fields.scroll_amount) else {
            return Err(twice("amount"));
        };
        let (direction, amount) = turn(span, way, amount)?;
        Ok(Action::Scroll(ScrollWheel { at: at.map(|target| self.on_screen(target)), direction, amount }))
    }
}

/// Direction and notches: a direction with a positive amount, or a signed amount alone, where positive is up.
fn turn(
    span: Span,
    way: Option<Way>,
    amount: Option<Located<i32>>,
) -> Result<(ScrollDirection, u32), Problem> {
    let direction = way.map(|way| match way {
        Way::Up => ScrollDirection::Up,
        Way::Down => ScrollDirection::Down,
        Way::Left => ScrollDirection::Left,
        Way::Right => ScrollDirection::Right,
    });
    let (direction, notches, place) = match (direction, amount) {
        (None, None) => {
            return Err(Problem::at(span, "`scroll` needs a `direction`, or a signed `amount`"));
        }
        (Some(direction), None) => (direction, DEFAULT_NOTCHES, span),
        (Some(_), Some(Located { span, value })) if value < 0 => {
            return Err(Problem::at(span, "a negative `amount` beside a `direction`")
                .hint("turn the direction round, or leave it out"));
        }
        (Some(direction), Some(amount)) => (direction, amount.value.unsigned_abs(), amount.span),
        (None, Some(amount)) => {
            let direction = if amount.value > 0 { ScrollDirection::Up } else { ScrollDirection::Down };
            (direction, amount.value.unsigned_abs(), amount.span)
        }
    };
    if !(1..=MAX_NOTCHES).contains(&notches) {
        let message = format!("`amount` is from 1 to {MAX_NOTCHES} notches, this is `{notches}`");
        return Err(Problem::at(place, message));
    }
    Ok((direction, notches))
}
