//! What counts as a difference.

use serde::{Deserialize, Serialize};

/// The limits within which two pictures agree. The defaults are calibrated in `docs/verdict.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareSpec {
    /// How pictures are compared.
    pub method: Method,
    /// A region differs when its worst local SSIM is below this; more than 0, at most 1. Equal to it passes.
    pub min_ssim: f64,
    /// Levels (0 to 255) by which a pixel may differ in any channel without being counted.
    pub max_delta: u8,
    /// How many pixels of one region may differ by more than `max_delta`.
    pub max_pixels: u64,
}

/// How pictures are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Local SSIM over R, G and B with the count × magnitude rule.
    #[default]
    Ssim,
    /// Every pixel must be equal.
    Exact,
    /// The hybrid score of the crate `image-compare`, against `min_ssim`.
    Hybrid,
}

/// Chosen so that noise passes and nothing a person could see does:
///
/// * `max_delta` 1: when text elsewhere changes, a browser may raster a few corner pixels of an unchanged
///   button one level differently. A header whose shade is two levels off covers thousands of pixels and hardly
///   lowers any SSIM, so two levels count.
/// * `max_pixels` 0: a single pixel of a colour of its own is a change; what moves has to be masked.
/// * `min_ssim` 0.98: one level on four neighbouring pixels leaves the worst window above 0.998, a changed
///   letter of dark text brings it below 0.5; the limit only matters to those who raise `max_delta` or
///   `max_pixels`.
impl Default for CompareSpec {
    fn default() -> Self {
        Self { method: Method::Ssim, min_ssim: 0.98, max_delta: 1, max_pixels: 0 }
    }
}
