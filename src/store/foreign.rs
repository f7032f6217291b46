//! Pictures that any program may have made: PNG, also with transparency, JPEG and WebP.
//!
//! For comparing files that have no scenario. Baselines and captures never come here: they are opaque PNG. The same
//! limits hold before memory is taken, a cut file is an error, and a name must not lie about what the file holds.
//! Colour profiles and the rotation that a camera noted are ignored.

use std::{
    fs,
    io::{self, Cursor},
    path::{Path, PathBuf},
};

use image::{DynamicImage, ImageDecoder, RgbImage, codecs::jpeg::JpegDecoder, codecs::webp::WebPDecoder};
use png::{BitDepth, ColorType, Decoder, Transformations};

use super::{
    FileKind, PictureFault, StoreError,
    folder::{self, Durability},
    png::{self as strict, Limits},
};
use crate::geometry::{Point, Size};

/// A picture file, read and not yet decoded.
#[derive(Debug)]
pub struct PictureFile {
    path: PathBuf,
    format: Format,
    bytes: Vec<u8>,
    limits: Limits,
}

/// What is done with pixels that are not opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transparency {
    /// They are an error: what colour they have depends on what lies beneath.
    Refused,
    /// They are laid on this colour: R, G, B.
    On([u8; 3]),
}

/// The pixels of a [`PictureFile`].
#[derive(Debug)]
pub struct Decoded {
    /// What is seen.
    pub picture: RgbImage,
    /// Whether every pixel was opaque.
    pub opaque: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Jpeg,
    WebP,
}

impl PictureFile {
    /// Reads a file and checks that it is of a known kind, and of the kind that its name says.
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, StoreError> {
        let bytes = folder::read(path, limits)?.ok_or_else(|| StoreError::Unreadable {
            path: path.to_owned(),
            source: io::Error::new(io::ErrorKind::NotFound, "there is no such file"),
        })?;
        let format = Format::of(path, &bytes);
        match format {
            Ok(format) => Ok(Self { path: path.to_owned(), format, bytes, limits: *limits }),
            Err(fault) => Err(StoreError::Picture { path: path.to_owned(), fault }),
        }
    }

    /// Whether the two files hold the same bytes, and so the same picture.
    #[must_use]
    pub fn same_bytes(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }

    /// The pixels.
    pub fn decode(&self, transparency: Transparency) -> Result<Decoded, StoreError> {
        let decoded = match self.format {
            Format::Png => decode_png(&self.bytes, &self.limits, transparency),
            Format::Jpeg => decode_jpeg(&self.bytes, &self.limits, transparency),
            Format::WebP => decode_webp(&self.bytes, &self.limits, transparency),
        };
        decoded.map_err(|fault| StoreError::Picture { path: self.path.clone(), fault })
    }
}

/// Writes a picture as PNG, whole or not at all, and makes the folders above it.
pub fn write_picture(path: &Path, picture: &RgbImage) -> Result<(), StoreError> {
    let bytes = strict::encode_evidence(picture)
        .map_err(|fault| StoreError::Picture { path: path.to_owned(), fault })?;
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|source| StoreError::Write { path: parent.to_owned(), source })?;
    }
    folder::write(path, &bytes, Durability::Unsynced)
}

impl Format {
    /// By the first bytes; what is neither JPEG nor WebP is left to the PNG decoder, which says what is wrong with it.
    fn of(path: &Path, bytes: &[u8]) -> Result<Self, PictureFault> {
        let format = match FileKind::of(bytes) {
            FileKind::Jpeg => Self::Jpeg,
            FileKind::WebP => Self::WebP,
            looks_like @ (FileKind::Gif | FileKind::Bmp) => {
                return Err(PictureFault::Unsupported { looks_like });
            }
            _ => Self::Png,
        };
        match Self::named(path) {
            Some(named) if named != format && (format != Self::Png || bytes.starts_with(b"\x89PNG")) => {
                Err(PictureFault::Misnamed { holds: format.word(), named: named.word() })
            }
            _ => Ok(format),
        }
    }

    fn named(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "webp" => Some(Self::WebP),
            _ => None,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::WebP => "WebP",
        }
    }
}

/// The strict decoder first: it checks the whole file, and finds out whether it has a transparent pixel.
fn decode_png(bytes: &[u8], limits: &Limits, transparency: Transparency) -> Result<Decoded, PictureFault> {
    match (strict::decode(bytes, limits), transparency) {
        (Ok(picture), _) => Ok(Decoded { picture, opaque: true }),
        (Err(PictureFault::NotOpaque { .. }), Transparency::On(ground)) => on_ground(bytes, ground),
        (Err(fault), _) => Err(fault),
    }
}

/// A PNG that the strict decoder refused for its transparency alone: size, checksums and the amount of data are right.
fn on_ground(bytes: &[u8], ground: [u8; 3]) -> Result<Decoded, PictureFault> {
    let fault = |error: png::DecodingError| match error {
        png::DecodingError::IoError(_) => PictureFault::Truncated { bytes: bytes.len() as u64 },
        other => PictureFault::Malformed { reason: other.to_string() },
    };
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(fault)?;
    let mut frame = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader.next_frame(&mut frame).map_err(fault)?;
    let samples = if info.bit_depth == BitDepth::Sixteen {
        frame.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect()
    } else {
        widened(&frame)
    };
    let grey = info.color_type == ColorType::GrayscaleAlpha;
    let pixels = samples.chunks_exact(info.color_type.samples()).flat_map(|pixel| match *pixel {
        [level, alpha] if grey => laid([level; 3], alpha, ground),
        [red, green, blue, alpha] => laid([red, green, blue], alpha, ground),
        _ => [0; 3],
    });
    RgbImage::from_raw(info.width, info.height, pixels.collect())
        .map(|picture| Decoded { picture, opaque: false })
        .ok_or_else(|| PictureFault::Malformed { reason: "pixels are missing".to_owned() })
}

/// Samples of 8 bits as samples of 16, exactly.
fn widened(samples: &[u8]) -> Vec<u16> {
    samples.iter().map(|&sample| u16::from(sample) * 257).collect()
}

/// A pixel of 16 bits a channel laid on a colour of 8 bits; the upper eight bits of the result, as for opaque pixels.
fn laid(pixel: [u16; 3], alpha: u16, ground: [u8; 3]) -> [u8; 3] {
    let (alpha, all) = (u64::from(alpha), u64::from(u16::MAX));
    std::array::from_fn(|i| {
        let (over, under) = (u64::from(pixel[i]), u64::from(ground[i]) * 257);
        (((over * alpha + under * (all - alpha) + all / 2) / all) >> 8) as u8
    })
}

/// The decoder fills up what is missing with grey, so a file without the end marker is refused here.
fn decode_jpeg(bytes: &[u8], limits: &Limits, transparency: Transparency) -> Result<Decoded, PictureFault> {
    if !bytes.ends_with(&[0xff, 0xd9]) {
        return Err(PictureFault::Truncated { bytes: bytes.len() as u64 });
    }
    let decoder = JpegDecoder::new(Cursor::new(bytes)).map_err(|error| invalid(FileKind::Jpeg, &error))?;
    decode_other(decoder, FileKind::Jpeg, limits, transparency)
}

/// Of an animation no single picture is the picture.
fn decode_webp(bytes: &[u8], limits: &Limits, transparency: Transparency) -> Result<Decoded, PictureFault> {
    // RIFF states the length of all that follows its first eight bytes.
    let stated = bytes.get(4..8).and_then(|length| length.try_into().ok()).map_or(0, u32::from_le_bytes);
    let stated = u64::from(stated) + 8;
    let length = bytes.len() as u64;
    if length < stated {
        return Err(PictureFault::Truncated { bytes: length });
    }
    if length > stated {
        return Err(PictureFault::Trailing { bytes: length - stated });
    }
    let decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|error| invalid(FileKind::WebP, &error))?;
    if decoder.has_animation() {
        return Err(PictureFault::Undecodable {
            kind: FileKind::WebP,
            reason: "it is an animation".to_owned(),
        });
    }
    decode_other(decoder, FileKind::WebP, limits, transparency)
}

fn decode_other(
    decoder: impl ImageDecoder,
    kind: FileKind,
    limits: &Limits,
    transparency: Transparency,
) -> Result<Decoded, PictureFault> {
    let (width, height) = decoder.dimensions();
    limits.check(Size::new(width, height))?;
    let image = DynamicImage::from_decoder(decoder).map_err(|error| invalid(kind, &error))?;
    if !image.color().has_alpha() {
        return Ok(Decoded { picture: image.into_rgb8(), opaque: true });
    }
    let seen = image.into_rgba8();
    let clear = seen.enumerate_pixels().find(|(_, _, pixel)| pixel.0[3] != 255);
    match (clear, transparency) {
        (Some((x, y, pixel)), Transparency::Refused) => Err(PictureFault::NotOpaque {
            at: Point::new(x as i32, y as i32),
            alpha: u16::from(pixel.0[3]),
            opaque: 255,
        }),
        (clear, transparency) => {
            let opaque = clear.is_none();
            let ground = if let Transparency::On(ground) = transparency { ground } else { [0; 3] };
            let picture = RgbImage::from_fn(width, height, |x, y| {
                let [red, green, blue, alpha] = seen.get_pixel(x, y).0.map(|level| u16::from(level) * 257);
                image::Rgb(laid([red, green, blue], alpha, ground))
            });
            Ok(Decoded { picture, opaque })
        }
    }
}

fn invalid(kind: FileKind, error: &image::ImageError) -> PictureFault {
    PictureFault::Undecodable { kind, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_laid_on_its_ground_by_its_alpha() {
        let half = 0x8080;
        assert_eq!(laid([0xffff, 0, 0x1234], u16::MAX, [9, 9, 9]), [255, 0, 0x12]);
        assert_eq!(laid([0xffff, 0, 0x1234], 0, [9, 8, 7]), [9, 8, 7]);
        assert_eq!(laid([0; 3], half, [255; 3]), [127; 3]);
    }

    #[test]
    fn every_level_survives_being_widened_and_laid() {
        for level in 0..=255_u8 {
            let wide = widened(&[level])[0];
            assert_eq!(laid([wide; 3], u16::MAX, [77; 3]), [level; 3]);
        }
    }

    #[test]
    fn a_name_must_say_what_the_file_holds() {
        let jpeg = [0xff, 0xd8, 0xff, 0xe0];
        let of = |name: &str, bytes: &[u8]| Format::of(Path::new(name), bytes);
        assert_eq!(of("a.JPG", &jpeg), Ok(Format::Jpeg));
        assert_eq!(of("noname", &jpeg), Ok(Format::Jpeg));
        assert_eq!(of("a.png", &jpeg), Err(PictureFault::Misnamed { holds: "JPEG", named: "PNG" }));
        assert_eq!(
            of("a.webp", b"\x89PNG\r\n\x1a\n"),
            Err(PictureFault::Misnamed { holds: "PNG", named: "WebP" })
        );
        assert_eq!(of("a.gif", b"GIF89a"), Err(PictureFault::Unsupported { looks_like: FileKind::Gif }));
    }
}
