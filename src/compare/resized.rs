//! A box that became wider, narrower, taller or less tall: its edges are the same, further apart or nearer.

use image::{Rgb, RgbImage};

use super::explain::content;
use crate::geometry::{Region, Size};

/// Pixels around a region that are looked at too: where a filled box grew, its old part did not change.
const AROUND_PX: i32 = 4;
/// Lines that make an edge.
const EDGE_PX: i32 = 2;

/// By how many pixels a box became wider and taller, or the opposite where below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Growth {
    pub(super) wider: i32,
    pub(super) taller: i32,
}

/// By how much the box inside `region` grew or shrank, when that is what happened.
pub(super) fn growth(
    expected: &RgbImage,
    actual: &RgbImage,
    region: Region,
    background: Rgb<u8>,
) -> Option<Growth> {
    let wide = Region::new(
        region.x - AROUND_PX,
        region.y - AROUND_PX,
        region.width + 2 * AROUND_PX as u32,
        region.height + 2 * AROUND_PX as u32,
    )
    .intersection(Size::new(expected.width(), expected.height()).region())?;
    let before = content(expected, wide, background)?;
    let after = content(actual, wide, background)?;
    let (wider, taller) = (grown(before.width, after.width), grown(before.height, after.height));
    if (wider == 0 && taller == 0) || [before, after].iter().any(|part| part.width < 6 || part.height < 6) {
        return None;
    }
    // Two edges that stand apart otherwise, of a box that is otherwise in line.
    let in_line = (taller != 0 || before.y == after.y) && (wider != 0 || before.x == after.x);
    // A box that goes on outside of what is looked at has no edge there.
    let cut = |part: Region| {
        [part.x == wide.x, part.right() == wide.right(), part.y == wide.y, part.bottom() == wide.bottom()]
    };
    let whole: Vec<usize> = (0..4).filter(|&edge| !(cut(before)[edge] && cut(after)[edge])).collect();
    if !in_line || whole.len() < 3 {
        return None;
    }
    let same_box = whole.into_iter().all(|edge| {
        let (from, to) = (edges(before)[edge], edges(after)[edge]);
        filled(expected, from, background)
            && filled(actual, to, background)
            && same_ends(expected, from, actual, to)
    });
    same_box.then_some(Growth { wider, taller })
}

fn grown(before: u32, after: u32) -> i32 {
    after as i32 - before as i32
}

/// The left, right, top and bottom edge of a box.
fn edges(part: Region) -> [Region; 4] {
    let (wide, high) = (EDGE_PX as u32, EDGE_PX as u32);
    [
        Region { width: wide, ..part },
        Region { x: part.right() - EDGE_PX, width: wide, ..part },
        Region { height: high, ..part },
        Region { y: part.bottom() - EDGE_PX, height: high, ..part },
    ]
}

/// Whether most of an edge is drawn, as of a box and not of a letter.
fn filled(picture: &RgbImage, edge: Region, background: Rgb<u8>) -> bool {
    let drawn = (edge.y..edge.bottom())
        .flat_map(|y| (edge.x..edge.right()).map(move |x| (x, y)))
        .filter(|&(x, y)| *picture.get_pixel(x as u32, y as u32) != background)
        .count() as u64;
    // One of the two lines at least, but for rounded corners.
    drawn * 5 >= edge.area_px() * 2
}

/// Whether two edges are equal, or begin and end equally when their lengths differ.
fn same_ends(a: &RgbImage, in_a: Region, b: &RgbImage, in_b: Region) -> bool {
    let pixel = |picture: &RgbImage, x: i32, y: i32| *picture.get_pixel(x as u32, y as u32);
    let (width, height) = (in_a.width.min(in_b.width) as i32, in_a.height.min(in_b.height) as i32);
    // Half of the shorter from either end, which is all of it.
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).all(|(x, y)| {
        let x_of = |part: Region| if x < width / 2 { part.x + x } else { part.right() - width + x };
        let y_of = |part: Region| if y < height / 2 { part.y + y } else { part.bottom() - height + y };
        pixel(a, x_of(in_a), y_of(in_a)) == pixel(b, x_of(in_b), y_of(in_b))
    })
}

impl Growth {
    /// Such as `size changed: 12 px wider`.
    pub(super) fn words(self) -> String {
        let part = |by: i32, more: &str, less: &str| {
            (by != 0).then(|| format!("{} px {}", by.unsigned_abs(), if by > 0 { more } else { less }))
        };
        let parts = [part(self.wider, "wider", "narrower"), part(self.taller, "taller", "less tall")];
        format!("size changed: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(" and "))
    }

    /// Where a box went whose left or upper edge is told by `self` and whose other edge by `other`.
    pub(super) fn as_move(self, other: Self) -> Option<(i32, i32)> {
        let opposite = self.wider == -other.wider && self.taller == -other.taller;
        opposite.then_some((-self.wider, -self.taller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{CompareSpec, Comparison, DifferenceKind, compare};

    /// A white page with a box whose border is two pixels thick; `fill` inside.
    fn page(outer: Region, fill: [u8; 3]) -> RgbImage {
        RgbImage::from_fn(300, 120, |x, y| {
            let (x, y) = (x as i32, y as i32);
            let inner = Region::new(outer.x + 2, outer.y + 2, outer.width - 4, outer.height - 4);
            let point = crate::geometry::Point::new(x, y);
            match (outer.contains(point), inner.contains(point)) {
                (_, true) => Rgb(fill),
                (true, false) => Rgb([40, 60, 80]),
                _ => Rgb([255; 3]),
            }
        })
    }

    fn words(before: &RgbImage, after: &RgbImage) -> Vec<(DifferenceKind, String)> {
        match compare(before, after, &CompareSpec::default(), &[]) {
            Comparison::Mismatch { regions, .. } => regions.into_iter().map(|d| (d.kind, d.words)).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_box_that_grew_or_shrank_is_told_by_how_much() {
        let small = Region::new(40, 30, 120, 40);
        for fill in [[255; 3], [0, 90, 200]] {
            for (other, grew, shrank) in [
                (Region { width: 132, ..small }, "12 px wider", "12 px narrower"),
                (Region { height: 45, ..small }, "5 px taller", "5 px less tall"),
            ] {
                let (before, after) = (page(small, fill), page(other, fill));
                let kind = DifferenceKind::SizeChanged;
                assert_eq!(words(&before, &after), [(kind, format!("size changed: {grew}"))]);
                assert_eq!(words(&after, &before), [(kind, format!("size changed: {shrank}"))]);
            }
        }
    }

    #[test]
    fn both_edges_of_a_box_that_moved_are_told_as_the_move() {
        let small = Region::new(40, 30, 120, 40);
        let moved = words(&page(small, [0, 90, 200]), &page(small.offset(3, 0), [0, 90, 200]));
        assert_eq!(moved.len(), 2, "{moved:?}");
        let move_of = (DifferenceKind::Moved, "moved 3 px right".to_owned());
        assert!(moved.iter().all(|found| *found == move_of), "{moved:?}");
    }
}
