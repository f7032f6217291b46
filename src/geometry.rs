//! Points, sizes and regions of the screen, in whole pixels, origin at the top left.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place on the screen in pixels; may lie outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Point {
    /// Pixels to the right of the left edge.
    pub x: i32,
    /// Pixels below the top edge.
    pub y: i32,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

/// A rectangle of pixels; serialised as `[x, y, width, height]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(i32, i32, u32, u32)", into = "(i32, i32, u32, u32)")]
pub struct Region {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl Point {
    /// The point at (`x`, `y`).
    #[must_use]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// This point moved by (`dx`, `dy`).
    #[must_use]
    pub const fn offset(self, dx: i32, dy: i32) -> Self {
        Self { x: self.x + dx, y: self.y + dy }
    }
}

impl Size {
    /// A size of `width` by `height`.
    #[must_use]
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Number of pixels.
    #[must_use]
    pub const fn area_px(self) -> u64 {
        self.width as u64 * self.height as u64
    }

    /// The whole area as a region at the origin.
    #[must_use]
    pub const fn region(self) -> Region {
        Region { x: 0, y: 0, width: self.width, height: self.height }
    }

    /// Whether `point` lies on a screen of this size.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        self.region().contains(point)
    }
}

impl Region {
    /// The region with its top left corner at (`x`, `y`).
    #[must_use]
    pub const fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        Self { x, y, width, height }
    }

    /// One past the rightmost column.
    #[must_use]
    pub const fn right(self) -> i32 {
        self.x + self.width as i32
    }

    /// One past the lowest row.
    #[must_use]
    pub const fn bottom(self) -> i32 {
        self.y + self.height as i32
    }

    /// Width and height.
    #[must_use]
    pub const fn size(self) -> Size {
        Size { width: self.width, height: self.height }
    }

    /// Number of pixels.
    #[must_use]
    pub const fn area_px(self) -> u64 {
        self.size().area_px()
    }

    /// Whether the region holds no pixel.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// The pixel in the middle.
    #[must_use]
    pub const fn centre(self) -> Point {
        Point { x: self.x + (self.width / 2) as i32, y: self.y + (self.height / 2) as i32 }
    }

    /// Whether `point` lies inside.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        point.x >= self.x && point.y >= self.y && point.x < self.right() && point.y < self.bottom()
    }

    /// Whether every pixel of `other` lies inside.
    #[must_use]
    pub const fn encloses(self, other: Self) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    /// The pixels in both regions; `None` when they share none.
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (right > x && bottom > y).then(|| Self::new(x, y, (right - x) as u32, (bottom - y) as u32))
    }

    /// The smallest region that encloses both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self::new(x, y, (right - x) as u32, (bottom - y) as u32)
    }

    /// This region moved by (`dx`, `dy`).
    #[must_use]
    pub const fn offset(self, dx: i32, dy: i32) -> Self {
        Self { x: self.x + dx, y: self.y + dy, ..self }
    }
}

impl From<(i32, i32, u32, u32)> for Region {
    fn from((x, y, width, height): (i32, i32, u32, u32)) -> Self {
        Self { x, y, width, height }
    }
}

impl From<Region> for (i32, i32, u32, u32) {
    fn from(region: Region) -> Self {
        (region.x, region.y, region.width, region.height)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}, {}, {}]", self.x, self.y, self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_that_only_touch_share_no_pixel() {
        assert_eq!(Region::new(0, 0, 10, 10).intersection(Region::new(10, 0, 5, 5)), None);
    }

    #[test]
    fn union_encloses_both() {
        let (a, b) = (Region::new(-5, 2, 10, 3), Region::new(20, 0, 1, 1));
        let both = a.union(b);
        assert!(both.encloses(a) && both.encloses(b));
        assert_eq!(both, Region::new(-5, 0, 26, 5));
    }

    #[test]
    fn a_region_is_written_as_four_numbers() {
        let text = serde_json::to_string(&Region::new(1, 2, 3, 4)).unwrap();
        assert_eq!(text, "[1,2,3,4]");
        assert_eq!(serde_json::from_str::<Region>(&text).unwrap(), Region::new(1, 2, 3, 4));
    }
}
