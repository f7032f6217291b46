//! Clicks, drags and the wheel. The times are measured: see `docs/x11.md`.

use std::time::Duration;

use crate::{
    geometry::Point,
    input::{Button, Press},
    scenario::{Click, Drag, ScrollWheel, Target},
};

use super::{Done, Stage, Stop};

/// From press to release. A toolkit may drop a press without any length.
const PRESS: Duration = Duration::from_millis(10);

/// Between two clicks. Without it Chromium sees two clicks and no double click; toolkits allow 250 ms and more.
const BETWEEN_CLICKS: Duration = Duration::from_millis(60);

/// Between two motions of a drag, about a frame.
const BETWEEN_MOTIONS: Duration = Duration::from_millis(8);

/// Motions of a drag. The first goes beyond every toolkit's threshold (3 to 8 px) when the way allows it.
const MOTIONS: i32 = 12;

/// At the end of a drag, so that drop targets take note.
const DWELL: Duration = Duration::from_millis(30);

impl Stage<'_> {
    pub(super) fn click(&mut self, click: &Click, limit: Duration) -> Result<Done, Stop> {
        let point = self.aim_or_stay(click.at.as_ref(), limit)?;
        for number in 0..click.count {
            if number > 0 {
                self.clock().sleep(BETWEEN_CLICKS);
            }
            self.press_and_release(click.button)?;
        }
        Ok(Done::at(point))
    }

    /// A coordinate is where it is whether the screen is still or not, so that a motion to it need not wait; what sees
    /// or presses something afterwards waits for the motion's effect. Where an element is does depend on the screen.
    pub(super) fn mouse_move(&mut self, target: &Target, limit: Duration) -> Result<Done, Stop> {
        match target {
            Target::Coordinate(point) => {
                self.point_at(*point)?;
                Ok(Done::at(*point))
            }
            Target::Css { .. } => self.aim(target, limit).map(Done::at),
        }
    }

    pub(super) fn drag(&mut self, drag: &Drag, limit: Duration) -> Result<Done, Stop> {
        let from = self.aim_or_stay(drag.from.as_ref(), limit)?;
        // The end is found before the button goes down: looking for it later could see the drag itself.
        let to = self.aim(&drag.to, limit)?;
        self.desktop.move_pointer(from)?;
        self.desktop.button(Button::Left, Press::Down)?;
        self.clock().sleep(PRESS);
        for step in 1..=MOTIONS {
            let part = |a: i32, b: i32| a + (b - a) * step / MOTIONS;
            self.desktop.move_pointer(Point::new(part(from.x, to.x), part(from.y, to.y)))?;
            self.clock().sleep(BETWEEN_MOTIONS);
        }
        self.clock().sleep(DWELL);
        self.desktop.button(Button::Left, Press::Up)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::at(to))
    }

    pub(super) fn mouse_down(&mut self, limit: Duration) -> Result<Done, Stop> {
        let point = self.aim_or_stay(None, limit)?;
        self.desktop.button(Button::Left, Press::Down)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::at(point))
    }

    pub(super) fn mouse_up(&mut self) -> Result<Done, Stop> {
        // No stillness: what is being dragged may well move.
        self.desktop.button(Button::Left, Press::Up)?;
        self.screen.touch(self.bench.clock);
        Ok(Done::at(self.desktop.pointer()?))
    }

    pub(super) fn scroll(&mut self, scroll: &ScrollWheel, limit: Duration) -> Result<Done, Stop> {
        let point = self.aim_or_stay(scroll.at.as_ref(), limit)?;
        let button = scroll.direction.button();
        for _ in 0..scroll.amount {
            self.desktop.button(button, Press::Down)?;
            self.desktop.button(button, Press::Up)?;
        }
        self.screen.touch(self.bench.clock);
        Ok(Done::at(point))
    }

    pub(super) fn press_and_release(&mut self, button: Button) -> Result<(), Stop> {
        self.desktop.button(button, Press::Down)?;
        self.clock().sleep(PRESS);
        self.desktop.button(button, Press::Up)?;
        self.screen.touch(self.bench.clock);
        Ok(())
    }
}
