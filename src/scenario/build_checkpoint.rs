//! From what was written behind `screenshot` to the [`Checkpoint`].

use std::time::Duration;

use crate::{
    compare::{CompareSpec, Floating, Tolerance},
    geometry::Region,
};

use super::{
    Checkpoint, CompareRules, Mask, Target,
    authored::{FloatingFields, MaskFields, ToleranceFields},
    build::Context,
    error::Problem,
    payload::Screenshot,
    validate,
    values::{Area, MinSsim, Parsed},
    wrappers::{Caught, Located},
};

/// How long a picture that differs is looked at again when nothing is said.
const DEFAULT_MATCH_WITHIN: Duration = Duration::from_secs(3);
/// Furthest that floating content may have moved: each of the places must be tried.
const FURTHEST_PX: u32 = 64;

impl Context<'_> {
    pub(super) fn checkpoint(&self, screenshot: Screenshot) -> Checkpoint {
        let region = self.region(screenshot.region);
        let mut masks = Vec::new();
        for Located { span, value } in screenshot.masks.into_iter().filter_map(|mask| mask.0) {
            match mask_of(value) {
                Ok(mask) => masks.push(Located { span, value: mask }),
                Err(problem) => self.problems.report(problem.or_at(span)),
            }
        }
        let rules = CompareRules {
            method: screenshot.method.map(Into::into),
            min_ssim: screenshot.min_ssim.map(|Parsed(MinSsim(limit))| limit),
            max_delta: screenshot.max_delta,
            max_pixels: screenshot.max_pixels,
        };
        if let Some(screen) = self.screen {
            validate::masks(&masks, region, screen, self.problems);
        }
        let limits = rules.over(self.compare);
        let compare = CompareSpec {
            tolerance: self.tolerance(screenshot.tolerance, region, &limits),
            floating: self.floating(screenshot.floating, region),
            ..limits
        };
        Checkpoint {
            name: screenshot.name.value.0,
            region,
            masks: masks.into_iter().map(|mask| mask.value).collect(),
            compare,
            match_within: screenshot.match_within.map_or(DEFAULT_MATCH_WITHIN, |within| within.0),
        }
    }

    fn tolerance(
        &self,
        written: Vec<Caught<Located<ToleranceFields>>>,
        compared: Option<Region>,
        limits: &CompareSpec,
    ) -> Vec<Tolerance> {
        let mut parts = Vec::new();
        for Located { span, value } in written.into_iter().filter_map(|part| part.0) {
            if value.min_ssim.is_none() && value.max_delta.is_none() && value.max_pixels.is_none() {
                self.problems.report(
                    Problem::at(span, "a tolerance without a limit")
                        .hint("say at least one of `min_ssim`, `max_delta` and `max_pixels`"),
                );
                continue;
            }
            let Some(region) = self.part("tolerance", value.region, compared) else { continue };
            parts.push(Tolerance {
                region,
                min_ssim: value.min_ssim.map_or(limits.min_ssim, |Parsed(MinSsim(limit))| limit),
                max_delta: value.max_delta.unwrap_or(limits.max_delta),
                max_pixels: value.max_pixels.unwrap_or(limits.max_pixels),
            });
        }
        parts
    }

    fn floating(
        &self,
        written: Vec<Caught<Located<FloatingFields>>>,
        compared: Option<Region>,
    ) -> Vec<Floating> {
        let mut parts = Vec::new();
        for Located { value, .. } in written.into_iter().filter_map(|part| part.0) {
            let by = value.by;
            if !(1..=FURTHEST_PX).contains(&by.value) {
                let message = format!("`by` is from 1 to {FURTHEST_PX} pixels, this is `{}`", by.value);
                self.problems.report(Problem::at(by.span, message));
                continue;
            }
            if let Some(region) = self.part("floating region", value.region, compared) {
                parts.push(Floating { region, by_px: by.value });
            }
        }
        parts
    }

    /// A part of what is compared; one that is off the screen or outside of it is reported.
    fn part(&self, noun: &str, area: Located<Area>, compared: Option<Region>) -> Option<Region> {
        let Located { span, value: Area(region) } = area;
        let screen = self.screen?;
        let compared = compared.unwrap_or(screen.region());
        if !screen.region().encloses(region) {
            validate::region(noun, region, screen, span, self.problems);
            return None;
        }
        if region.intersection(compared).is_none() {
            let message = format!("the {noun} {region} holds nothing of what is compared, {compared}");
            self.problems.report(Problem::at(span, message));
            return None;
        }
        Some(region)
    }
}

fn mask_of(fields: MaskFields) -> Result<Mask, Problem> {
    match fields {
        MaskFields { css: Some(css), region: None, nth, within } => {
            if css.trim().is_empty() {
                return Err(Problem::new("a selector must not be empty"));
            }
            Ok(Mask::Target(Target::Css { css, nth, within: within.map(|area| area.0), offset: None }))
        }
        MaskFields { region: Some(Area(region)), css: None, nth: None, within: None } => {
            Ok(Mask::Region(region))
        }
        MaskFields { css: None, region: Some(_), .. } => {
            Err(Problem::new("`nth` and `within` belong to `css`, not to `region`"))
        }
        _ => Err(Problem::new("a mask is either `css` or `region`")),
    }
}
