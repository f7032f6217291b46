//! Masks: pixels that influence nothing, neither a count nor a window.

use std::borrow::Cow;

use image::RgbImage;

use crate::geometry::{Region, Size};

/// The masks of one comparison, clipped to the picture.
pub(super) struct Masks(Vec<Region>);

impl Masks {
    /// The parts of `regions` that lie on a picture of `size`.
    pub(super) fn new(regions: &[Region], size: Size) -> Self {
        Self(regions.iter().filter_map(|region| region.intersection(size.region())).collect())
    }

    /// These masks and `more`, which lie on the picture.
    pub(super) fn with(&self, more: impl IntoIterator<Item = Region>) -> Self {
        Self(self.0.iter().copied().chain(more).collect())
    }

    /// The masks as the part `region` of the picture has them.
    pub(super) fn within(&self, region: Region) -> Self {
        let parts = self.0.iter().filter_map(|mask| mask.intersection(region));
        Self(parts.map(|mask| mask.offset(-region.x, -region.y)).collect())
    }

    /// The masks, which may overlap.
    pub(super) fn regions(&self) -> &[Region] {
        &self.0
    }

    /// The columns of row `y` under each mask; they may overlap.
    pub(super) fn columns(&self, y: usize) -> impl Iterator<Item = (usize, usize)> {
        self.0
            .iter()
            .filter(move |mask| (mask.y as usize) <= y && y < mask.bottom() as usize)
            .map(|mask| (mask.x as usize, mask.right() as usize))
    }

    /// Takes the masked pixels of row `y` back out of its differences (`delta`: a byte, `bits`: a bit per
    /// pixel).
    pub(super) fn clear_row(&self, y: usize, delta: &mut [u8], bits: &mut [u64]) {
        for (left, right) in self.columns(y) {
            delta[left..right].fill(0);
            for (index, word) in bits.iter_mut().enumerate() {
                let (from, to) = (left.max(index * 64), right.min(index * 64 + 64));
                if from < to {
                    *word &= !(u64::MAX >> (64 - (to - from)) << (from % 64));
                }
            }
        }
    }

    /// `actual` with the pixels of `expected` under the masks: what the windows of the SSIM map see.
    pub(super) fn applied<'a>(&self, expected: &RgbImage, actual: &'a RgbImage) -> Cow<'a, RgbImage> {
        if self.0.is_empty() {
            return Cow::Borrowed(actual);
        }
        let pitch = expected.width() as usize * 3;
        let mut patched = actual.clone();
        let bytes: &mut [u8] = &mut patched;
        for y in 0..expected.height() as usize {
            for (left, right) in self.columns(y) {
                let masked = y * pitch + left * 3..y * pitch + right * 3;
                bytes[masked.clone()].copy_from_slice(&expected.as_raw()[masked]);
            }
        }
        Cow::Owned(patched)
    }

    /// Whether a mask covers a pixel of `region`.
    pub(super) fn overlap(&self, region: Region) -> bool {
        self.0.iter().any(|mask| mask.intersection(region).is_some())
    }
}
