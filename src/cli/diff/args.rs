//! What `cu-run diff` can be told.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{
    compare::{CompareSpec, Method},
    geometry::Region,
};

use super::{CliError, pair::OnAlpha};

/// `cu-run diff`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(in crate::cli) struct DiffArgs {
    /// The picture, or folder of pictures, as it should be
    pub(super) expected: PathBuf,
    /// The picture, or folder of pictures, as it is
    pub(super) actual: PathBuf,
    /// Prints one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// Ignores a part of the picture; may be repeated
    #[arg(long = "mask", value_name = "X,Y,W,H", value_parser = region, allow_hyphen_values = true)]
    pub(super) masks: Vec<Region>,
    /// The lowest local SSIM that passes: over 0, at most 1 [default: 0.98]
    #[arg(long, value_name = "N", value_parser = min_ssim, allow_hyphen_values = true)]
    pub(super) min_ssim: Option<f64>,
    /// Levels, 0 to 255, by which a pixel may differ without being counted [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) max_delta: Option<u8>,
    /// How many pixels of one region may differ by more than that [default: 4]
    #[arg(long, value_name = "N")]
    pub(super) max_pixels: Option<u64>,
    /// How pictures are compared
    #[arg(long, value_enum, value_name = "METHOD", default_value = "ssim")]
    pub(super) method: MethodArg,
    /// What is done with pixels that are not opaque: `refuse` them, `compare` them so that no ground hides a
    /// difference, or lay them on a colour: `white`, `black` or `#rrggbb`
    #[arg(long, value_name = "WHAT", value_parser = on_alpha, default_value = "refuse")]
    pub(super) on_alpha: OnAlpha,
    /// Writes a difference picture, or a folder of them for folders; only where pictures differ
    #[arg(long, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
    /// Writes a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    the same within the limits
  1    different; in folders also a picture that only one of them has
  2    the command line is wrong, or a picture cannot be read
  3    a file cannot be written";

/// `--method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// Local SSIM over R, G and B, and the count of pixels that differ
    Ssim,
    /// Every pixel must be equal
    Exact,
    /// The hybrid score of the crate image-compare, against --min-ssim
    Hybrid,
}

impl DiffArgs {
    /// The limits; one that the method does not look at is an error, not a wish that nobody hears.
    pub(super) fn spec(&self) -> Result<CompareSpec, CliError> {
        let given = [
            ("--min-ssim", self.min_ssim.is_some()),
            ("--max-delta", self.max_delta.is_some()),
            ("--max-pixels", self.max_pixels.is_some()),
        ];
        let (method, unheard) = match self.method {
            MethodArg::Ssim => (Method::Ssim, &given[3..]),
            MethodArg::Exact => (Method::Exact, &given[..]),
            MethodArg::Hybrid => (Method::Hybrid, &given[1..]),
        };
        if let Some((option, _)) = unheard.iter().find(|(_, given)| *given) {
            let method = if method == Method::Exact { "exact" } else { "hybrid" };
            return Err(CliError::Usage(format!(
                "error: `{option}` has no meaning with `--method {method}`"
            )));
        }
        let default = CompareSpec::default();
        Ok(CompareSpec {
            method,
            min_ssim: self.min_ssim.unwrap_or(default.min_ssim),
            max_delta: self.max_delta.unwrap_or(default.max_delta),
            max_pixels: self.max_pixels.unwrap_or(default.max_pixels),
            ..default
        })
    }
}

/// `0.98`: the unit and range of scenarios. Digits only, so that `nan` and `inf` are no numbers.
fn min_ssim(text: &str) -> Result<f64, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".-+eE".contains(&byte));
    let number: Option<f64> = text.parse().ok().filter(|_| plain);
    match number {
        Some(limit) if limit > 0.0 && limit <= 1.0 => Ok(limit),
        Some(0.0) => {
            Err("a number over 0 and at most 1 is wanted; with 0 every picture would pass".to_owned())
        }
        _ => {
            let percent: Option<f64> = text.trim_end_matches('%').replace(',', ".").parse().ok();
            let hint = percent
                .map(|percent| if percent > 1.0 { percent / 100.0 } else { percent })
                .filter(|limit| *limit > 0.5 && *limit <= 1.0)
                .map_or_else(String::new, |limit| format!("; did you mean `{limit}`?"));
            Err(format!("a number over 0 and at most 1 is wanted{hint}"))
        }
    }
}

/// `x,y,width,height` in pixels.
fn region(text: &str) -> Result<Region, String> {
    let wanted = || "four numbers are wanted: x,y,width,height in pixels".to_owned();
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let [x, y, width, height] = parts[..] else { return Err(wanted()) };
    // Larger numbers would overflow where edges are added up; no picture is near.
    let side = |text: &str| text.parse::<u32>().ok().filter(|&length| length <= 1_000_000);
    let place = |text: &str| text.parse::<i32>().ok().filter(|at| at.abs() <= 1_000_000);
    match (place(x), place(y), side(width), side(height)) {
        (Some(_), Some(_), Some(0), Some(_)) | (Some(_), Some(_), Some(_), Some(0)) => {
            Err("a mask without pixels hides nothing".to_owned())
        }
        (Some(x), Some(y), Some(width), Some(height)) => Ok(Region::new(x, y, width, height)),
        _ => Err(wanted()),
    }
}

fn on_alpha(text: &str) -> Result<OnAlpha, String> {
    match text {
        "refuse" => Ok(OnAlpha::Refuse),
        "compare" => Ok(OnAlpha::Compare),
        "white" => Ok(OnAlpha::Ground([255; 3])),
        "black" => Ok(OnAlpha::Ground([0; 3])),
        _ => {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
            let level = |at: usize| {
                let pair = digits?.get(at..at + 2)?;
                // `from_str_radix` would take a sign.
                pair.bytes()
                    .all(|byte| byte.is_ascii_hexdigit())
                    .then(|| u8::from_str_radix(pair, 16).ok())?
            };
            match (level(0), level(2), level(4)) {
                (Some(red), Some(green), Some(blue)) => Ok(OnAlpha::Ground([red, green, blue])),
                _ => Err("`refuse`, `compare`, `white`, `black` or a colour such as `#336699` is wanted"
                    .to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_the_unit_of_scenarios() {
        for (right, limit) in [("0.98", 0.98), ("1", 1.0), ("1.0", 1.0), ("1e-2", 0.01), (".5", 0.5)] {
            assert_eq!(min_ssim(right), Ok(limit), "{right}");
        }
        for wrong in
            ["98", "98%", "1.5", "0", "0.0", "-0.1", "nan", ".nan", "inf", "5", "0,98", "", "x", "1e999"]
        {
            assert!(min_ssim(wrong).is_err(), "{wrong}");
        }
        for wrong in ["98", "98%", "0,98"] {
            assert!(min_ssim(wrong).unwrap_err().ends_with("did you mean `0.98`?"), "{wrong}");
        }
    }

    #[test]
    fn masks_are_four_numbers_and_hide_something() {
        assert_eq!(region("1,2,3,4"), Ok(Region::new(1, 2, 3, 4)));
        assert_eq!(region("-1, -2, 30, 4"), Ok(Region::new(-1, -2, 30, 4)));
        for wrong in
            ["", "1,2,3", "1,2,3,4,5", "1,2,-3,4", "1,2,0,4", "1,2,3,0", "a,2,3,4", "1,2,3,4000000000"]
        {
            assert!(region(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_ground_is_a_name_or_six_digits() {
        assert_eq!(on_alpha("#336699"), Ok(OnAlpha::Ground([0x33, 0x66, 0x99])));
        assert_eq!(on_alpha("compare"), Ok(OnAlpha::Compare));
        for wrong in ["", "#fff", "336699", "#33669g", "#+1+1+1", "#ééé", "grey"] {
            assert!(on_alpha(wrong).is_err(), "{wrong}");
        }
    }
}
