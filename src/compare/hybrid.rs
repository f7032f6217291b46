//! The hybrid score of the crate `image-compare`: structure of the luma, root mean square of the colours.

use image::RgbImage;

/// The score of two pictures of equal size, 1 for equal ones. A score that is no number counts as 0, a
/// failure.
pub(super) fn score(expected: &RgbImage, actual: &RgbImage) -> f64 {
    match image_compare::rgb_hybrid_compare(expected, actual) {
        Ok(similarity) if similarity.score.is_finite() => similarity.score,
        _ => 0.0,
    }
}
