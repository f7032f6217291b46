//! What was last seen of the screen, and when it last changed.

use std::time::Instant;

use image::RgbImage;

use crate::{clock::Clock, desktop::Desktop, geometry::Region};

use super::Stop;

/// How many changed regions a message names.
const REMEMBERED: usize = 5;

/// Follows the screen by its damage: a frame is captured only when something was drawn.
#[derive(Debug)]
pub(crate) struct Screen {
    frame: Option<RgbImage>,
    changed_at: Instant,
    input_at: Instant,
    is_unanswered: bool,
    recent: Vec<(Region, u32)>,
}

impl Screen {
    pub(crate) fn new(clock: &dyn Clock) -> Self {
        let now = clock.now();
        Self { frame: None, changed_at: now, input_at: now, is_unanswered: false, recent: Vec::new() }
    }

    /// Notes that something was done to the programs on the screen: what they draw in answer is still to come.
    pub(crate) fn touch(&mut self, clock: &dyn Clock) {
        self.input_at = clock.now();
        self.is_unanswered = true;
    }

    /// Notes that a page was loaded: it may not have been drawn yet.
    pub(crate) fn expect_answer(&mut self) {
        self.is_unanswered = true;
    }

    /// Whether something was done whose effect has not been awaited.
    pub(crate) const fn is_unanswered(&self) -> bool {
        self.is_unanswered
    }

    /// The same; asking counts as awaiting.
    pub(crate) fn take_unanswered(&mut self) -> bool {
        std::mem::take(&mut self.is_unanswered)
    }

    /// The last moment at which the screen changed or was made to.
    pub(crate) fn disturbed_at(&self) -> Instant {
        self.changed_at.max(self.input_at)
    }

    /// The frame seen last.
    pub(crate) const fn frame(&self) -> Option<&RgbImage> {
        self.frame.as_ref()
    }

    /// Forgets which regions changed.
    pub(crate) fn forget_changes(&mut self) {
        self.recent.clear();
    }

    /// The regions that changed since [`Screen::forget_changes`], those that changed most often first.
    pub(crate) fn recent_changes(&self) -> Vec<(Region, u32)> {
        let mut changes = self.recent.clone();
        changes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        changes.truncate(REMEMBERED);
        changes
    }

    /// Takes in what was drawn, waiting up to `wait` for the first of it. Only pixels in `watched` and outside of
    /// `masks` count as a change: a program that draws the same again is still.
    pub(crate) fn look(
        &mut self,
        desktop: &mut dyn Desktop,
        clock: &dyn Clock,
        wait: std::time::Duration,
        watched: Region,
        masks: &[Region],
    ) -> Result<(), Stop> {
        let damage = desktop.damage(wait)?;
        let Some(latest) = damage.iter().map(|damage| damage.age).min() else {
            if self.frame.is_none() {
                self.frame = Some(desktop.capture(desktop.size().region())?);
            }
            return Ok(());
        };
        let frame = desktop.capture(desktop.size().region())?;
        let change = match &self.frame {
            Some(before) => damage
                .iter()
                .filter_map(|damage| damage.region.intersection(watched))
                .filter_map(|region| changed_box(before, &frame, region, masks))
                .reduce(Region::union),
            None => Some(watched),
        };
        if let Some(region) = change {
            // The drawing happened when the server says, which may be long before anybody asked.
            let drawn_at = clock.now().checked_sub(latest).unwrap_or_else(|| clock.now());
            self.changed_at = self.changed_at.max(drawn_at);
            if self.frame.is_some() {
                self.remember(region);
            }
        }
        self.frame = Some(frame);
        Ok(())
    }

    fn remember(&mut self, region: Region) {
        match self.recent.iter_mut().find(|(known, _)| known.intersection(region).is_some()) {
            Some((known, count)) => {
                *known = known.union(region);
                *count += 1;
            }
            None => self.recent.push((region, 1)),
        }
    }
}

/// Whether all pixels of `region` outside of `masks` have one colour, as on a page that has not been drawn yet.
pub(crate) fn is_blank(frame: &RgbImage, region: Region, masks: &[Region]) -> bool {
    let is_masked =
        |x: i32, y: i32| masks.iter().any(|mask| mask.contains(crate::geometry::Point::new(x, y)));
    let mut colour = None;
    (region.y..region.bottom()).all(|y| {
        let start = (y as usize * frame.width() as usize + region.x as usize) * 3;
        let row = frame.as_raw()[start..start + region.width as usize * 3].as_chunks::<3>().0;
        // Masks are looked at only where a pixel has another colour than those before it.
        (region.x..).zip(row).all(|(x, pixel)| match colour {
            Some(colour) => colour == pixel || is_masked(x, y),
            None if is_masked(x, y) => true,
            None => {
                colour = Some(pixel);
                true
            }
        })
    })
}

/// The smallest box in `region` that holds all pixels outside `masks` in which two frames of one size differ.
pub(crate) fn changed_box(
    before: &RgbImage,
    after: &RgbImage,
    region: Region,
    masks: &[Region],
) -> Option<Region> {
    let stride = before.width() as usize * 3;
    let columns = region.x as usize * 3..region.right() as usize * 3;
    let rows = (region.y..region.bottom()).filter_map(|y| {
        let start = y as usize * stride;
        let (a, b) = (&before.as_raw()[start..start + stride], &after.as_raw()[start..start + stride]);
        // Equal rows, nearly all of them, cost one memcmp.
        if a[columns.clone()] == b[columns.clone()] {
            return None;
        }
        let differs = |x: i32| {
            let at = x as usize * 3;
            a[at..at + 3] != b[at..at + 3]
                && !masks.iter().any(|mask| mask.contains(crate::geometry::Point::new(x, y)))
        };
        let first = (region.x..region.right()).find(|&x| differs(x))?;
        let last = (first..region.right()).rev().find(|&x| differs(x))?;
        Some(Region::new(first, y, (last - first + 1) as u32, 1))
    });
    rows.reduce(Region::union)
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn a_single_other_pixel_is_enough_not_to_be_blank() {
        let mut frame = RgbImage::from_pixel(20, 10, Rgb([255; 3]));
        assert!(is_blank(&frame, Region::new(0, 0, 20, 10), &[]));
        frame.put_pixel(19, 9, Rgb([255, 254, 255]));
        assert!(!is_blank(&frame, Region::new(0, 0, 20, 10), &[]));
        assert!(is_blank(&frame, Region::new(3, 2, 16, 8), &[]));
    }

    #[test]
    fn what_is_masked_does_not_keep_a_screen_from_being_blank() {
        let mut frame = RgbImage::from_pixel(20, 10, Rgb([255; 3]));
        frame.put_pixel(0, 0, Rgb([0; 3]));
        frame.put_pixel(5, 5, Rgb([0; 3]));
        let masks = [Region::new(0, 0, 2, 2), Region::new(4, 4, 3, 3)];
        assert!(is_blank(&frame, Region::new(0, 0, 20, 10), &masks));
        assert!(!is_blank(&frame, Region::new(0, 0, 20, 10), &masks[..1]));
    }

    #[test]
    fn the_changed_box_leaves_masked_pixels_out() {
        let before = RgbImage::new(20, 10);
        let mut after = before.clone();
        after.put_pixel(3, 2, Rgb([1, 0, 0]));
        after.put_pixel(10, 7, Rgb([0, 0, 1]));
        let all = Region::new(0, 0, 20, 10);
        assert_eq!(changed_box(&before, &after, all, &[]), Some(Region::new(3, 2, 8, 6)));
        let mask = Region::new(9, 6, 3, 3);
        assert_eq!(changed_box(&before, &after, all, &[mask]), Some(Region::new(3, 2, 1, 1)));
        assert_eq!(changed_box(&before, &after, all, &[all]), None);
        assert_eq!(changed_box(&before, &after, Region::new(0, 0, 3, 10), &[]), None);
    }
}
