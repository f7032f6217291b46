//! Two pictures in, numbers and regions out. Pure: no files, no X11, no clock.
//!
//! May be called by every room above it; must not know what a scenario, a baseline or a report is.
//! A comparison is a value, never an error: pictures of different sizes are a [`Comparison::SizeMismatch`].

mod changes;
mod explain;
mod hybrid;
mod inserted;
mod judge;
mod kernel;
mod mask;
mod picture;
mod recolour;
mod regions;
mod resized;
mod rules;
mod shift;
mod size;
mod ssim;
#[cfg(test)]
mod ssim_reference;
mod zones;

pub use judge::compare;
pub use picture::{difference_picture, side_by_side};
pub use rules::{CompareSpec, Floating, Method, Tolerance};

use serde::{Deserialize, Serialize};

use crate::geometry::{Region, Size};

/// The most regions that one comparison lists; the rest is counted.
pub const MOST_LISTED: usize = 50;

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Comparison {
    /// Within the rules; `numbers` say how near.
    Match {
        /// What was measured.
        numbers: Numbers,
    },
    /// At least one region breaks a rule.
    Mismatch {
        /// What was measured.
        numbers: Numbers,
        /// The limit that was broken, by the region that broke it most.
        gate: Gate,
        /// The regions that break a rule, top to bottom; of more than [`MOST_LISTED`] those with most changed pixels.
        regions: Vec<Difference>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "is_zero")]
        more: usize,
    },
    /// The pictures have different sizes; never scaled or cropped to agree.
    SizeMismatch {
        /// Size of the baseline.
        expected: Size,
        /// Size of the capture.
        actual: Size,
        /// What seems to have happened, such as `40 rows inserted at y = 120`.
        words: String,
    },
}

/// Measurements over all pixels outside masks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    /// Mean of the SSIM map over the channels R, G, B; 1 for equal pictures. Information, not a gate.
    /// With [`Method::Hybrid`] the hybrid score, which is the gate there.
    pub mean_ssim: f64,
    /// The lowest value of the map in any channel; 1 for equal pictures.
    pub worst_ssim: f64,
    /// Pixels that differ in any channel.
    pub changed_px: u64,
    /// The greatest difference in any channel, in levels of 0 to 255.
    pub max_delta: u8,
}

/// The number that decided, against its limit; unrounded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// Which limit.
    pub limit: Limit,
    /// What was measured.
    pub measured: f64,
    /// What was allowed.
    pub allowed: f64,
    /// The tolerance region whose limits these are; `None` for those of the whole picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Region>,
}

/// The limits of [`CompareSpec`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// `min_ssim`: the worst local SSIM must not be lower.
    MinSsim,
    /// `max_pixels`: not more pixels may differ by more than `max_delta`.
    MaxPixels,
}

/// A region that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Bounding box in pixels of the compared picture.
    pub region: Region,
    /// The lowest SSIM in any channel of any window that touches a changed pixel of the region.
    pub worst_ssim: f64,
    /// The greatest difference in any channel, 0 to 255.
    pub max_delta: u8,
    /// Pixels that differ.
    pub changed_px: u64,
    /// What kind of change it is.
    pub kind: DifferenceKind,
    /// The change in words, such as `recoloured #2da44e -> #c0392b`.
    pub words: String,
}

/// Kinds of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// The same pixels stand elsewhere.
    Moved,
    /// The same shape in another colour.
    Recoloured,
    /// Something where only background was.
    Appeared,
    /// Only background where something was.
    Disappeared,
    /// A box became wider, narrower, taller or less tall.
    SizeChanged,
    /// Rows or columns that push everything behind them on.
    Inserted,
    /// Rows or columns are gone and everything behind them has closed up.
    Removed,
    /// Anything else.
    ContentChanged,
}

impl Comparison {
    /// Whether the pictures agree within the rules.
    #[must_use]
    pub const fn is_match(&self) -> bool {
        matches!(self, Self::Match { .. })
    }
}

impl Numbers {
    /// The numbers of two equal pictures.
    pub const EQUAL: Self = Self { mean_ssim: 1.0, worst_ssim: 1.0, changed_px: 0, max_delta: 0 };
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
