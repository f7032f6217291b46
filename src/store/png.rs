//! PNG to pixels and back. Strict on what it reads, and never surprised by it.
//!
//! * Any valid PNG is read: 1 to 16 bits, grey, palette or colour, interlaced or not. What counts are the
//!   pixel values: gamma, ICC and other colour chunks are ignored, as a capture has none. Of 16 bits the
//!   upper eight are taken.
//! * Every pixel must be opaque.
//! * Limits hold on the header, before memory is taken; text is never inflated; checksums of all chunks must
//!   hold; nothing may follow the end. A cut file is an error, never a partly read picture.

use std::io::Cursor;

use image::RgbImage;
use png::{BitDepth, ColorType, Compression, Decoder, DeflateCompression, Encoder, Filter, Transformations};

use super::{Fingerprint, PictureFault, PixelDigest, chunks::Layout, chunks::with_texts};
use crate::geometry::{Point, Size};

/// How large a picture may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest side, in pixels.
    pub side: u32,
    /// Width times height.
    pub area_px: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
}

impl Limits {
    /// No X11 screen has a longer side than 32,767; 40 million pixels are twenty screens of 1920x1080, or a
    /// screen of 8K; a file of that many pixels of noise would be refused, any screenshot is far below 64
    /// MiB.
    pub const DEFAULT: Self = Self { side: 32_767, area_px: 40_000_000, file_bytes: 64 << 20 };

    /// Whether a picture of `declared` size is within the limits.
    pub fn check(&self, declared: Size) -> Result<(), PictureFault> {
        let Size { width, height } = declared;
        if width == 0 || height == 0 {
            return Err(PictureFault::ZeroSize { declared });
        }
        if width > self.side || height > self.side {
            return Err(PictureFault::TooLarge { declared, limit: format!("{} pixels a side", self.side) });
        }
        if declared.area_px() > self.area_px {
            return Err(PictureFault::TooLarge { declared, limit: format!("{} pixels", self.area_px) });
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The pixels of a whole PNG file.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<RgbImage, PictureFault> {
    if bytes.len() as u64 > limits.file_bytes {
        return Err(PictureFault::TooManyBytes { bytes: bytes.len() as u64, limit: limits.file_bytes });
    }
    let layout = Layout::read(bytes, |size| limits.check(size))?;
    check_plausible(&layout, bytes.len() as u64)?;
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let reader = decoder.read_info().map_err(|error| fault(&error, bytes))?;
    let pixels = read_rows(reader, layout.size, bytes)?;
    RgbImage::from_raw(layout.size.width, layout.size.height, pixels)
        .ok_or_else(|| PictureFault::Malformed { reason: "pixels are missing".to_owned() })
}

/// Refuses data that cannot fill the picture, before memory for its pixels is taken, and data far beyond it.
fn check_plausible(layout: &Layout, file_bytes: u64) -> Result<(), PictureFault> {
    let Size { width, height } = layout.size;
    let row_bits = u64::from(width) * u64::from(layout.channels) * u64::from(layout.bits_per_channel);
    // A filter byte per row; the seven passes of an interlaced picture have up to twice as many rows.
    let rows = u64::from(height) * if layout.interlaced { 2 } else { 1 };
    let raw = row_bits.div_ceil(8) * u64::from(height) + rows;
    // Deflate makes at most 1,032 bytes of one (258 bytes of two bits), and an encoder that stores the bytes
    // as they are adds five to each block; an eighth is generous for the smallest blocks in use.
    if layout.data_bytes.saturating_mul(1032) < raw {
        return Err(PictureFault::Truncated { bytes: file_bytes });
    }
    if layout.data_bytes > raw + raw / 8 + 4096 {
        return Err(PictureFault::Surplus { declared: layout.size, bytes: layout.data_bytes });
    }
    Ok(())
}

/// Row by row: reading the whole frame at once would also inflate whatever follows its last row.
fn read_rows(
    mut reader: png::Reader<Cursor<&[u8]>>,
    size: Size,
    bytes: &[u8],
) -> Result<Vec<u8>, PictureFault> {
    let (colour, depth) = reader.output_color_type();
    let (width, height) = (size.width as usize, size.height as usize);
    let mut pixels = vec![0; width * height * 3];
    if reader.info().interlaced {
        let bits = (colour.samples() * depth as usize) as u8;
        let pitch = width * usize::from(bits / 8);
        let mut frame = vec![0; pitch * height];
        while let Some(row) = reader.next_interlaced_row().map_err(|error| fault(&error, bytes))? {
            if let png::InterlaceInfo::Adam7(info) = row.interlace() {
                png::expand_interlaced_row(&mut frame, pitch, row.data(), info, bits);
            }
        }
        for (y, (row, out)) in frame.chunks_exact(pitch).zip(pixels.chunks_exact_mut(width * 3)).enumerate() {
            convert_row((colour, depth), row, out, y)?;
        }
        return Ok(pixels);
    }
    let mut row = vec![0; reader.output_line_size(size.width).unwrap_or(0)];
    for (y, out) in pixels.chunks_exact_mut(width * 3).enumerate() {
        if (colour, depth) == (ColorType::Rgb, BitDepth::Eight) {
            reader.read_row(out).map_err(|error| fault(&error, bytes))?;
        } else {
            reader.read_row(&mut row).map_err(|error| fault(&error, bytes))?;
            convert_row((colour, depth), &row, out, y)?;
        }
    }
    Ok(pixels)
}

/// One row of 8 or 16 bits per channel to R, G, B.
fn convert_row(
    (colour, depth): (ColorType, BitDepth),
    row: &[u8],
    out: &mut [u8],
    y: usize,
) -> Result<(), PictureFault> {
    let (channels, wide) = (colour.samples(), depth == BitDepth::Sixteen);
    let bytes = if wide { 2 } else { 1 };
    let pixels = row.chunks_exact(channels * bytes).zip(out.as_chunks_mut::<3>().0);
    for (x, (pixel, out)) in pixels.enumerate() {
        let channel = |index: usize| pixel[index * bytes];
        if matches!(colour, ColorType::GrayscaleAlpha | ColorType::Rgba) {
            let at = (channels - 1) * bytes;
            let (alpha, opaque) = if wide {
                (u16::from_be_bytes([pixel[at], pixel[at + 1]]), u16::MAX)
            } else {
                (u16::from(pixel[at]), 255)
            };
            if alpha != opaque {
                return Err(PictureFault::NotOpaque { at: Point::new(x as i32, y as i32), alpha, opaque });
            }
        }
        *out = match colour {
            ColorType::Rgb | ColorType::Rgba => [channel(0), channel(1), channel(2)],
            _ => [channel(0); 3],
        };
    }
    Ok(())
}

fn fault(error: &png::DecodingError, bytes: &[u8]) -> PictureFault {
    match error {
        png::DecodingError::IoError(_) => PictureFault::Truncated { bytes: bytes.len() as u64 },
        other => PictureFault::Malformed { reason: other.to_string() },
    }
}

/// A PNG made fast, for the evidence of a run.
pub fn encode_evidence(picture: &RgbImage) -> Result<Vec<u8>, PictureFault> {
    encode(picture, |encoder| encoder.set_compression(Compression::Fastest))
}

/// A small PNG for the baselines. It carries the digest of its pixels, one of its data that tells whether
/// another program has changed it, and the environment it was taken in.
pub fn encode_baseline(picture: &RgbImage, fingerprint: &Fingerprint) -> Result<Vec<u8>, PictureFault> {
    // Text on flat colours is smaller without any filter, and faster to decode.
    let png = encode(picture, |encoder| {
        encoder.set_deflate_compression(DeflateCompression::Level(9));
        encoder.set_filter(Filter::NoFilter);
    })?;
    with_texts(&png, PixelDigest::of(picture), fingerprint)
}

fn encode(
    picture: &RgbImage,
    settings: impl FnOnce(&mut Encoder<'_, &mut Vec<u8>>),
) -> Result<Vec<u8>, PictureFault> {
    let mut out = Vec::new();
    let size = Size::new(picture.width(), picture.height());
    if size.area_px() == 0 {
        return Err(PictureFault::ZeroSize { declared: size });
    }
    let mut encoder = Encoder::new(&mut out, size.width, size.height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    settings(&mut encoder);
    let write = || {
        let mut writer = encoder.write_header()?;
        writer.write_image_data(picture.as_raw())?;
        writer.finish()
    };
    write().map_err(|error: png::EncodingError| PictureFault::Malformed { reason: error.to_string() })?;
    Ok(out)
}
