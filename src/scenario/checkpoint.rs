//! A named moment whose picture is compared with an accepted one.

use std::time::Duration;

use crate::{
    compare::{CompareSpec, Method},
    geometry::Region,
    id::Name,
};

use super::Target;

/// A screenshot that is evidence and is compared with its baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The baseline's file name without ending; unique in its case.
    pub name: Name,
    /// The part of the screen that is looked at; the whole screen without it.
    pub region: Option<Region>,
    /// Parts that are ignored.
    pub masks: Vec<Mask>,
    /// The limits; the regions of `tolerance` and `floating` are in screen coordinates.
    pub compare: CompareSpec,
    /// How long a picture that differs is looked at again.
    pub match_within: Duration,
}

/// A part of the screen that a comparison ignores, in screen coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mask {
    /// `{region: [x, y, width, height]}`.
    Region(Region),
    /// `{css: …}`: every element that matches; none is no mistake unless the checkpoint says so.
    Target(Target),
}

/// Limits as written at a scenario or checkpoint: what is absent is taken from the level above.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompareRules {
    /// See [`CompareSpec::method`].
    pub method: Option<Method>,
    /// See [`CompareSpec::min_ssim`].
    pub min_ssim: Option<f64>,
    /// See [`CompareSpec::max_delta`].
    pub max_delta: Option<u8>,
    /// See [`CompareSpec::max_pixels`].
    pub max_pixels: Option<u64>,
}

impl CompareRules {
    /// `spec` with every limit that is set here.
    #[must_use]
    pub fn over(&self, spec: &CompareSpec) -> CompareSpec {
        CompareSpec {
            method: self.method.unwrap_or(spec.method),
            min_ssim: self.min_ssim.unwrap_or(spec.min_ssim),
            max_delta: self.max_delta.unwrap_or(spec.max_delta),
            max_pixels: self.max_pixels.unwrap_or(spec.max_pixels),
            tolerance: spec.tolerance.clone(),
            floating: spec.floating.clone(),
        }
    }
}
