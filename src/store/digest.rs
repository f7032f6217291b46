//! One number for the pixels of a picture, whatever its encoding.

use std::{fmt, str::FromStr};

use image::RgbImage;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// BLAKE3 of the width, the height (both 32 bits, low byte first) and the bytes R, G, B of each pixel, row by
/// row. Equal digests are equal pictures. Written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PixelDigest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a pixel digest has 64 hexadecimal digits")]
pub struct PixelDigestError;

impl PixelDigest {
    /// The digest of `picture`.
    #[must_use]
    pub fn of(picture: &RgbImage) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&picture.width().to_le_bytes());
        hasher.update(&picture.height().to_le_bytes());
        hasher.update(picture.as_raw());
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for PixelDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl FromStr for PixelDigest {
    type Err = PixelDigestError;

    fn from_str(text: &str) -> Result<Self, PixelDigestError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| PixelDigestError)
    }
}

impl TryFrom<String> for PixelDigest {
    type Error = PixelDigestError;

    fn try_from(text: String) -> Result<Self, PixelDigestError> {
        text.parse()
    }
}

impl From<PixelDigest> for String {
    fn from(digest: PixelDigest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn the_shape_and_every_byte_count() {
        let wide = PixelDigest::of(&RgbImage::new(6, 2));
        assert_ne!(wide, PixelDigest::of(&RgbImage::new(2, 6)));
        assert_ne!(wide, PixelDigest::of(&RgbImage::new(3, 4)));
        let mut other = RgbImage::new(6, 2);
        other.put_pixel(5, 1, Rgb([0, 0, 1]));
        assert_ne!(wide, PixelDigest::of(&other));
        assert_eq!(wide, PixelDigest::of(&RgbImage::new(6, 2)));
    }

    #[test]
    fn a_digest_is_read_back_as_written() {
        let digest = PixelDigest::of(&RgbImage::new(1, 1));
        assert_eq!(digest.to_string().parse(), Ok(digest));
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(serde_json::from_str::<PixelDigest>(&json).unwrap(), digest);
        for wrong in ["", "12", &"g".repeat(64), &"0".repeat(65), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<PixelDigest>(), Err(PixelDigestError), "{wrong}");
        }
    }
}
