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
/// * `max_delta` 1 and `max_pixels` 16: when something elsewhere on the page changes, a browser may raster a rounded
///   corner anew, with up to 9 pixels of one region one or two levels different (measured). A header whose shade is two
///   levels off covers thousands of pixels and hardly lowers any SSIM: it is these two limits that see it.
/// * `min_ssim` 0.98: those corners leave the worst window above 0.997. One pixel that differs by 8 levels on a plain
///   ground brings it to 0.978, a changed letter of dark text below 0.5.
impl Default for CompareSpec {
    fn default() -> Self {
        Self { method: Method::Ssim, min_ssim: 0.98, max_delta: 1, max_pixels: 16 }
    }
}
