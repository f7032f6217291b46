//! What counts as a difference.

use serde::{Deserialize, Serialize};

use crate::geometry::Region;

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
    /// Parts with limits of their own; where two overlap, the first counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerance: Vec<Tolerance>,
    /// Parts whose content may stand a little elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floating: Vec<Floating>,
}

/// A part of the picture with limits of its own. It is judged as a picture by itself, and the rest as if nothing had
/// changed here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Which part, in pixels of the compared picture.
    pub region: Region,
    /// See [`CompareSpec::min_ssim`].
    pub min_ssim: f64,
    /// See [`CompareSpec::max_delta`].
    pub max_delta: u8,
    /// See [`CompareSpec::max_pixels`].
    pub max_pixels: u64,
}

/// A part of the baseline that may be found up to some pixels away, and must match there by the limits of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floating {
    /// Where the part is in the baseline.
    pub region: Region,
    /// How many pixels it may be away, in each direction.
    #[serde(rename = "by")]
    pub by_px: u32,
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
/// * `max_delta` 1 and `max_pixels` 4: when something elsewhere on the page changes, a browser may raster a rounded
///   corner anew, with up to 4 pixels one level different. A picture blurred by less than half a pixel changes 6 by more
///   than one level, and a header whose shade is two levels off thousands; both hardly lower any SSIM: it is these two
///   limits that see them. Of 126 noise pairs of the corpus (`docs/verdict-quality.md`) no pixel differs at all.
/// * `min_ssim` 0.98: those corners leave the worst window above 0.997. One pixel that differs by 8 levels on a plain
///   ground brings it to 0.978, a changed letter of dark text below 0.5.
impl Default for CompareSpec {
    fn default() -> Self {
        Self {
            method: Method::Ssim,
            min_ssim: 0.98,
            max_delta: 1,
            max_pixels: 4,
            tolerance: Vec::new(),
            floating: Vec::new(),
        }
    }
}

impl CompareSpec {
    /// The same with all its regions moved by (`dx`, `dy`): from places on the screen to places in a part of it.
    #[must_use]
    pub fn offset(mut self, dx: i32, dy: i32) -> Self {
        for tolerance in &mut self.tolerance {
            tolerance.region = tolerance.region.offset(dx, dy);
        }
        for floating in &mut self.floating {
            floating.region = floating.region.offset(dx, dy);
        }
        self
    }

    /// The levels by which a pixel may differ where a gate decided, by [`super::Gate::within`].
    #[must_use]
    pub fn max_delta_at(&self, within: Option<Region>) -> u8 {
        let own = self.tolerance.iter().find(|tolerance| Some(tolerance.region) == within);
        match (own, self.method) {
            (Some(tolerance), _) => tolerance.max_delta,
            (None, Method::Exact) => 0,
            (None, _) => self.max_delta,
        }
    }
}
