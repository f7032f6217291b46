//! Checks that need more than one value: what lies on the screen, how much of it masks hide.

use crate::geometry::{Region, Size};

use super::{
    Mask, Target,
    error::{Problem, Problems},
    tree::Span,
    values::is_identifier,
    wrappers::Located,
};

/// Share of a checkpoint that masks may hide, in per cent: beyond it nothing is left to compare.
const MAX_MASKED_PERCENT: u64 = 90;

/// Reports a target that names a place off the screen.
pub(super) fn target(target: &Located<Target>, screen: Size, problems: &Problems) {
    match &target.value {
        Target::Coordinate(point) if !screen.contains(*point) => {
            let last = (screen.width - 1, screen.height - 1);
            problems.report(
                Problem::at(target.span, format!("{point} is off the screen, which is {screen}"))
                    .hint(format!("the last pixel is ({}, {})", last.0, last.1)),
            );
        }
        Target::Css { within: Some(area), .. } => {
            region("region `within`", *area, screen, target.span, problems);
        }
        _ => {}
    }
}

/// Reports a region that is not wholly on the screen.
pub(super) fn region(noun: &str, region: Region, screen: Size, span: Span, problems: &Problems) {
    if !screen.region().encloses(region) {
        let message = format!("the {noun} {region} is not wholly on the screen, which is {screen}");
        problems.report(Problem::at(span, message));
    }
}

/// Reports masks that are off the screen, that hide nothing of what is compared, or that together hide nearly all of it.
pub(super) fn masks(masks: &[Located<Mask>], compared: Option<Region>, screen: Size, problems: &Problems) {
    let compared = compared.unwrap_or(screen.region());
    let mut hidden = Vec::new();
    for mask in masks {
        match &mask.value {
            Mask::Region(area) if !screen.region().encloses(*area) => {
                region("mask", *area, screen, mask.span, problems);
            }
            Mask::Region(area) => match area.intersection(compared) {
                Some(part) => hidden.push(part),
                None => problems.report(Problem::at(
                    mask.span,
                    format!("the mask {area} hides nothing: {compared} is compared"),
                )),
            },
            Mask::Target(Target::Css { within: Some(area), .. }) => {
                region("region `within`", *area, screen, mask.span, problems);
            }
            Mask::Target(_) => {}
        }
    }
    let (Some(last), hidden_px, all_px) = (masks.last(), area_of_union(&hidden), compared.area_px()) else {
        return;
    };
    if hidden_px * 100 > all_px * MAX_MASKED_PERCENT {
        problems.report(
            Problem::at(
                last.span,
                format!("the masks hide {} % of what is compared", hidden_px * 100 / all_px.max(1)),
            )
            .hint(format!("at most {MAX_MASKED_PERCENT} % may be hidden; compare a `region` instead")),
        );
    }
}

/// Pixels in at least one of `regions`: a sweep over the columns between neighbouring vertical edges.
fn area_of_union(regions: &[Region]) -> u64 {
    let mut edges: Vec<i32> = regions.iter().flat_map(|region| [region.x, region.right()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut rows: Vec<&Region> = regions.iter().collect();
    rows.sort_unstable_by_key(|region| region.y);
    let strip = |left: i32, right: i32| {
        let (mut covered, mut reached) = (0, i32::MIN);
        for region in rows.iter().filter(|region| region.x <= left && region.right() >= right) {
            covered += i64::from((region.bottom() - region.y.max(reached)).max(0));
            reached = reached.max(region.bottom());
        }
        covered as u64 * u64::from((right - left).unsigned_abs())
    };
    edges.windows(2).map(|pair| strip(pair[0], pair[1])).sum()
}

/// Refuses names that no environment variable can have.
pub(super) fn variable_names<'a>(names: impl Iterator<Item = &'a String>) -> Result<(), Problem> {
    for name in names {
        if !is_identifier(name) {
            return Err(Problem::new(format!(
                "`{}` is no name of an environment variable",
                name.escape_debug()
            ))
            .hint("letters, digits and `_`, not starting with a digit"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_masks_are_counted_once() {
        let area = |regions: &[Region]| area_of_union(regions);
        assert_eq!(area(&[]), 0);
        assert_eq!(area(&[Region::new(0, 0, 10, 10), Region::new(5, 5, 10, 10)]), 175);
        assert_eq!(area(&[Region::new(0, 0, 10, 10), Region::new(2, 2, 3, 3)]), 100);
        assert_eq!(area(&[Region::new(0, 0, 1, 5), Region::new(3, 0, 1, 5), Region::new(0, 2, 4, 1)]), 12);
    }

    #[test]
    fn masks_may_hide_ninety_per_cent_and_no_more() {
        let check = |height: u32| {
            let problems = Problems::default();
            let mask = Located { span: Span::START, value: Mask::Region(Region::new(0, 0, 100, height)) };
            masks(&[mask], None, Size::new(100, 100), &problems);
            problems.take().len()
        };
        assert_eq!((check(90), check(91)), (0, 1));
    }
}
