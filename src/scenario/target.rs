//! What a pointer action or a mask aims at.

use std::fmt;

use crate::geometry::{Point, Region};

/// A place on the screen, named by where it is or by what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `[x, y]` in pixels of the screen.
    Coordinate(Point),
    /// `{css: …}`: an element of the page in front.
    Css {
        /// The selector.
        css: String,
        /// Which of several matches, from 0; without it several matches are a failure.
        nth: Option<u32>,
        /// Only matches whose centre lies in this region of the screen.
        within: Option<Region>,
        /// Added to the point that is aimed at, the centre by default.
        offset: Option<Point>,
    },
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coordinate(point) => point.fmt(f),
            Self::Css { css, nth: None, .. } => write!(f, "css `{css}`"),
            Self::Css { css, nth: Some(nth), .. } => write!(f, "css `{css}` (match {nth})"),
        }
    }
}
