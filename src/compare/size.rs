//! Pictures of different sizes: what seems to have happened, in words, and how they lie on each other.

use image::RgbImage;

use super::{
    mask::Masks,
    shift::{self, Axis, Shift},
};
use crate::geometry::Size;

/// Of the lines of the shorter picture at most one in this many may differ when an insertion is claimed.
const FEW_DIFFER: usize = 2;

/// Says what differs in the sizes and, where rows or columns were inserted or removed in one place, where.
pub(super) fn explain(expected: &RgbImage, actual: &RgbImage) -> String {
    let (before, after) = (expected.dimensions(), actual.dimensions());
    let sizes = format!("expected {}x{}, got {}x{}", before.0, before.1, after.0, after.1);
    if let Some((axis, shift)) = alignment(expected, actual) {
        return format!("{sizes}: {}", told(axis, shift));
    }
    let parts = [change("column", before.0, after.0), change("row", before.1, after.1)];
    format!("{sizes}: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// The lines that one picture has and the other has not, when one side is equal and most other lines are.
pub(super) fn alignment(expected: &RgbImage, actual: &RgbImage) -> Option<(Axis, Shift)> {
    let (before, after) = (expected.dimensions(), actual.dimensions());
    let (axis, from, to) = match (before.0 == after.0, before.1 == after.1) {
        (true, false) => (Axis::Rows, before.1, after.1),
        (false, true) => (Axis::Columns, before.0, after.0),
        _ => return None,
    };
    let lines = |picture: &RgbImage| {
        let size = Size::new(picture.width(), picture.height());
        axis.lines(picture, size.region(), &Masks::new(&[], size))
    };
    let shift = shift::place(&lines(expected), &lines(actual), to as isize - from as isize)?;
    let shorter = from.min(to) as usize;
    (shorter > 0 && shift.differing * FEW_DIFFER < shorter).then_some((axis, shift))
}

fn told(axis: Axis, shift: Shift) -> String {
    let (line, side) = if axis == Axis::Rows { ("row", "y") } else { ("column", "x") };
    let verb = if shift.by > 0 { "inserted" } else { "removed" };
    let rest = match shift.differing {
        0 => "the rest is equal".to_owned(),
        1 => format!("1 other {line} differs"),
        some => format!("{some} other {line}s differ"),
    };
    format!("{} {verb} at {side} = {}, {rest}", counted(shift.by.unsigned_abs(), line), shift.at)
}

fn change(what: &str, before: u32, after: u32) -> Option<String> {
    let comparative = if after > before { "more" } else { "fewer" };
    (before != after).then(|| format!("{} {comparative}", counted(before.abs_diff(after) as usize, what)))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    fn striped(rows: &[u8]) -> RgbImage {
        RgbImage::from_fn(5, rows.len() as u32, |_, y| Rgb([rows[y as usize]; 3]))
    }

    #[test]
    fn inserted_and_removed_rows_are_located() {
        let (short, long) = (striped(&[1, 2, 3, 4]), striped(&[1, 2, 9, 9, 3, 4]));
        assert_eq!(
            explain(&short, &long),
            "expected 5x4, got 5x6: 2 rows inserted at y = 2, the rest is equal"
        );
        assert_eq!(
            explain(&long, &short),
            "expected 5x6, got 5x4: 2 rows removed at y = 2, the rest is equal"
        );
    }

    #[test]
    fn few_other_rows_may_differ_and_are_counted() {
        let (short, long) = (striped(&[1, 2, 3, 4]), striped(&[1, 7, 9, 9, 3, 4]));
        assert_eq!(
            explain(&short, &long),
            "expected 5x4, got 5x6: 2 rows inserted at y = 2, 1 other row differs"
        );
    }

    #[test]
    fn nothing_is_claimed_when_most_of_the_rest_differs_too() {
        let (short, long) = (striped(&[1, 2, 3, 4]), striped(&[11, 7, 9, 9, 8, 4]));
        assert_eq!(explain(&short, &long), "expected 5x4, got 5x6: 2 rows more");
    }

    #[test]
    fn columns_and_both_sides_are_told() {
        let (narrow, wide) = (RgbImage::new(4, 3), RgbImage::new(5, 3));
        assert!(explain(&narrow, &wide).ends_with("1 column inserted at x = 4, the rest is equal"));
        assert!(explain(&RgbImage::new(4, 3), &RgbImage::new(3, 9)).ends_with("1 column fewer, 6 rows more"));
    }
}
