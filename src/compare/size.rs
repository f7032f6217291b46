//! Pictures of different sizes: what seems to have happened, in words.

use image::RgbImage;

/// Says what differs in the sizes and, where rows were inserted or removed in one place, where.
pub(super) fn explain(expected: &RgbImage, actual: &RgbImage) -> String {
    let (before, after) = (expected.dimensions(), actual.dimensions());
    let sizes = format!("expected {}x{}, got {}x{}", before.0, before.1, after.0, after.1);
    let parts: Vec<String> = if before.0 == after.0 {
        let known = inserted(expected, actual, RgbImage::height, same_row);
        vec![change("row", before.1, after.1), place("y", before.1, after.1, known)]
    } else if before.1 == after.1 {
        let known = inserted(expected, actual, RgbImage::width, same_column);
        vec![change("column", before.0, after.0), place("x", before.0, after.0, known)]
    } else {
        vec![change("column", before.0, after.0), change("row", before.1, after.1)]
    };
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{sizes}: {}", parts.join(", "))
}

fn change(what: &str, before: u32, after: u32) -> String {
    let by = before.abs_diff(after);
    let plural = if by == 1 { "" } else { "s" };
    format!("{by} {what}{plural} {}", if after > before { "more" } else { "fewer" })
}

fn place(axis: &str, before: u32, after: u32, known: Option<u32>) -> String {
    let verb = if after > before { "inserted" } else { "removed" };
    known.map_or_else(String::new, |at| format!("{verb} at {axis} = {at}, the rest is equal"))
}

/// Where the longer picture has lines that the shorter has not, when all its other lines are the shorter's.
fn inserted(
    a: &RgbImage,
    b: &RgbImage,
    length: impl Fn(&RgbImage) -> u32,
    same: impl Fn((&RgbImage, u32), (&RgbImage, u32)) -> bool,
) -> Option<u32> {
    let (len_a, len_b) = (length(a), length(b));
    let shorter = len_a.min(len_b);
    let ahead = (0..shorter).take_while(|&i| same((a, i), (b, i))).count() as u32;
    let behind =
        (0..shorter - ahead).take_while(|&i| same((a, len_a - 1 - i), (b, len_b - 1 - i))).count() as u32;
    (shorter > 0 && ahead + behind == shorter).then_some(ahead)
}

fn same_row((a, in_a): (&RgbImage, u32), (b, in_b): (&RgbImage, u32)) -> bool {
    let row = |picture: &RgbImage, y: u32| {
        let pitch = picture.width() as usize * 3;
        y as usize * pitch..(y as usize + 1) * pitch
    };
    a.as_raw()[row(a, in_a)] == b.as_raw()[row(b, in_b)]
}

fn same_column((a, in_a): (&RgbImage, u32), (b, in_b): (&RgbImage, u32)) -> bool {
    (0..a.height()).all(|y| a.get_pixel(in_a, y) == b.get_pixel(in_b, y))
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
            "expected 5x4, got 5x6: 2 rows more, inserted at y = 2, the rest is equal"
        );
        assert_eq!(
            explain(&long, &short),
            "expected 5x6, got 5x4: 2 rows fewer, removed at y = 2, the rest is equal"
        );
    }

    #[test]
    fn nothing_is_claimed_when_the_rest_differs_too() {
        let (short, long) = (striped(&[1, 2, 3, 4]), striped(&[1, 7, 9, 9, 3, 4]));
        assert_eq!(explain(&short, &long), "expected 5x4, got 5x6: 2 rows more");
    }

    #[test]
    fn columns_and_both_sides_are_told() {
        let (narrow, wide) = (RgbImage::new(4, 3), RgbImage::new(5, 3));
        assert!(explain(&narrow, &wide).ends_with("1 column more, inserted at x = 4, the rest is equal"));
        assert!(explain(&RgbImage::new(4, 3), &RgbImage::new(3, 9)).ends_with("1 column fewer, 6 rows more"));
    }
}
