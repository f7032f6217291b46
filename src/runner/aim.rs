//! From a target to a point: found, still, unobscured, and found again right before the input.

use std::time::Duration;

use crate::{
    browser::{Element, IntoView},
    clock::Deadline,
    find::{DomQuery, NotFound, find_element},
    geometry::{Point, Region},
    outcome::{Failure, FailureKind},
    scenario::Target,
};

use super::{Stage, Stop};

/// How long to wait for the screen to change before a target is looked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl Stage<'_> {
    /// Waits until `target` is there, still and unobscured, moves the pointer to it and returns the point.
    pub(crate) fn aim(&mut self, target: &Target, limit: Duration) -> Result<Point, Stop> {
        let deadline = Deadline::after(self.bench.clock, limit);
        match target {
            Target::Coordinate(point) => {
                self.settle_screen(limit)?;
                self.point_at(*point)?;
                Ok(*point)
            }
            Target::Css { css, nth, within, offset } => {
                let query = DomQuery { css, nth: *nth, within: *within };
                self.aim_at_element(query, offset.unwrap_or_default(), deadline)
            }
        }
    }

    /// Aims at a target, or takes the present position of the pointer.
    pub(crate) fn aim_or_stay(&mut self, target: Option<&Target>, limit: Duration) -> Result<Point, Stop> {
        if let Some(target) = target {
            return self.aim(target, limit);
        }
        self.settle_screen(limit)?;
        Ok(self.desktop.pointer()?)
    }

    /// The regions that a target stands for now, for masks: none is no mistake.
    pub(crate) fn regions_of(&mut self, target: &Target) -> Result<Vec<Region>, Stop> {
        let Target::Css { css, nth, within, .. } = target else {
            return Ok(Vec::new());
        };
        let Some(browser) = &mut self.browser else {
            return Ok(Vec::new());
        };
        let mut elements = browser.elements(css, IntoView::Leave)?;
        elements.retain(|element| within.is_none_or(|within| within.contains(element.region.centre())));
        let chosen = nth.map_or(0..elements.len(), |nth| nth as usize..nth as usize + 1);
        Ok(elements.get(chosen).unwrap_or_default().iter().map(|element| element.region).collect())
    }

    /// Moves the pointer.
    pub(crate) fn point_at(&mut self, point: Point) -> Result<(), Stop> {
        self.desktop.move_pointer(point)?;
        self.went_to_corner = point == Point::new(0, 0);
        self.screen.touch(self.bench.clock);
        Ok(())
    }

    fn aim_at_element(
        &mut self,
        query: DomQuery<'_>,
        offset: Point,
        deadline: Deadline,
    ) -> Result<Point, Stop> {
        let clock = self.bench.clock;
        loop {
            self.settle_screen(deadline.remaining(clock))?;
            let problem = match self.try_to_aim(query, offset)? {
                Ok(point) => return Ok(point),
                Err(problem) => problem,
            };
            if deadline.has_passed(clock) {
                return Err(Stop::Failed(
                    problem.with_details([format!("waited {:?} for it", deadline.limit())]),
                ));
            }
            self.pause(LOOK_AGAIN.min(deadline.remaining(clock)))?;
        }
    }

    /// One try: the point, with the pointer there, or the failure that stands if nothing better comes.
    fn try_to_aim(&mut self, query: DomQuery<'_>, offset: Point) -> Result<Result<Point, Failure>, Stop> {
        let into_view = query.nth.map_or(IntoView::Scroll, |nth| IntoView::ScrollNth(nth as usize));
        let found = match self.find(query, into_view)? {
            Ok(found) => found,
            Err(problem) => return Ok(Err(problem)),
        };
        let point = found.point.offset(offset.x, offset.y);
        if !self.desktop.size().contains(point) {
            let message = format!("{} lies outside of the screen at {point}", found.description);
            return Ok(Err(Failure::new(FailureKind::TargetNotFound, message)));
        }
        self.point_at(point)?;
        // The pointer's arrival may have opened or moved something.
        Ok(match self.find(query, IntoView::Leave)? {
            Ok(again) if again.point == found.point => Ok(point),
            Ok(again) => Err(Failure::new(
                FailureKind::TargetObscured,
                format!("{} keeps moving, last to {}", again.description, again.region),
            )),
            Err(problem) => Err(problem),
        })
    }

    /// The element, or the failure that stands if nothing better comes until the deadline.
    fn find(&mut self, query: DomQuery<'_>, into_view: IntoView) -> Result<Result<Element, Failure>, Stop> {
        let Some(browser) = &mut self.browser else {
            return Err(Stop::failed(
                FailureKind::TargetNotFound,
                format!("css `{}` needs a page, and no browser is open", query.css),
            ));
        };
        let problem = match find_element(&mut **browser, query, into_view) {
            Ok(element) => match &element.obscured_by {
                None => return Ok(Ok(element)),
                Some(cover) => Failure::new(
                    FailureKind::TargetObscured,
                    format!("{} is covered by {cover}", element.description),
                ),
            },
            Err(NotFound::Browser(error)) => return Err(error.into()),
            Err(NotFound::Several { css, matches }) => {
                let message = NotFound::Several { css, matches: matches.clone() }.to_string();
                Failure::new(FailureKind::TargetAmbiguous, message).with_details(matches)
            }
            Err(problem) => Failure::new(FailureKind::TargetNotFound, problem.to_string()),
        };
        Ok(Err(problem))
    }
}
