//! The outer shape of a PNG file: its chunks, checked one by one, without inflating any.
//!
//! PNG specification, third edition, chapters 5 and 11. Text chunks are looked at only under cu-run's own
//! keys and only when they are not compressed; everything else that is not needed for the pixels is skipped,
//! whatever it claims to hold.

use super::{FileKind, Fingerprint, PictureFault, PixelDigest};
use crate::geometry::Size;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
/// Length, type and checksum.
const AROUND: usize = 12;
/// Longest text that is believed to be ours.
const LONGEST_TEXT: usize = 1 << 16;

/// Key of the [`PixelDigest`].
pub(super) const PIXELS_KEY: &str = "cu-run:pixels";
/// Key of the digest over everything that decides the pixels: header, palette, transparency, compressed data.
pub(super) const DATA_KEY: &str = "cu-run:data";
/// Key of the [`Fingerprint`] as JSON.
pub(super) const FINGERPRINT_KEY: &str = "cu-run:fingerprint";

/// What the chunks tell without decoding.
pub(super) struct Layout {
    pub(super) size: Size,
    /// 1, 2, 4, 8 or 16.
    pub(super) bits_per_channel: u8,
    pub(super) channels: u8,
    pub(super) interlaced: bool,
    /// Bytes of compressed pixels.
    pub(super) data_bytes: u64,
    /// BLAKE3 of what decides the pixels, in hexadecimal.
    pub(super) data_digest: String,
    claimed_data: Option<String>,
    claimed_pixels: Option<PixelDigest>,
    pub(super) fingerprint: Option<Fingerprint>,
}

struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
}

impl Layout {
    /// Walks through a whole file. `check_header` may refuse it on its first chunk, before the rest is looked
    /// at.
    pub(super) fn read(
        bytes: &[u8],
        check_header: impl FnOnce(Size) -> Result<(), PictureFault>,
    ) -> Result<Self, PictureFault> {
        let mut rest = after_signature(bytes)?;
        let header = next(&mut rest, bytes.len())?;
        let mut layout = Self::from_header(&header)?;
        check_header(layout.size)?;
        let mut digest = blake3::Hasher::new();
        digest.update(header.data);
        loop {
            let chunk = next(&mut rest, bytes.len())?;
            match &chunk.kind {
                b"IEND" => break,
                b"IHDR" => return Err(malformed("two headers")),
                b"IDAT" => layout.data_bytes += chunk.data.len() as u64,
                b"tEXt" => layout.take_text(chunk.data),
                b"iTXt" => layout.take_international_text(chunk.data),
                _ => {}
            }
            if matches!(&chunk.kind, b"IDAT" | b"PLTE" | b"tRNS") {
                digest.update(&chunk.kind);
                digest.update(chunk.data);
            }
        }
        if !rest.is_empty() {
            return Err(PictureFault::Trailing { bytes: rest.len() as u64 });
        }
        layout.data_digest = digest.finalize().to_hex().to_string();
        Ok(layout)
    }

    /// The digest of the pixels, if it was written together with this very data.
    pub(super) fn believed_digest(&self) -> Option<PixelDigest> {
        self.claimed_pixels.filter(|_| self.claimed_data.as_ref() == Some(&self.data_digest))
    }

    fn from_header(chunk: &Chunk<'_>) -> Result<Self, PictureFault> {
        let &[w0, w1, w2, w3, h0, h1, h2, h3, bits_per_channel, colour, 0, 0, interlace @ (0 | 1)] =
            chunk.data
        else {
            return Err(malformed("its header is not one of PNG"));
        };
        if chunk.kind != *b"IHDR" {
            return Err(malformed("it does not start with a header"));
        }
        let channels = match (colour, bits_per_channel) {
            (0, 1 | 2 | 4 | 8 | 16) | (3, 1 | 2 | 4 | 8) => 1,
            (4, 8 | 16) => 2,
            (2, 8 | 16) => 3,
            (6, 8 | 16) => 4,
            _ => return Err(malformed(&format!("no colour type {colour} with {bits_per_channel} bits"))),
        };
        Ok(Self {
            size: Size::new(u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3])),
            bits_per_channel,
            channels,
            interlaced: interlace == 1,
            data_bytes: 0,
            data_digest: String::new(),
            claimed_data: None,
            claimed_pixels: None,
            fingerprint: None,
        })
    }

    /// `key NUL text`.
    fn take_text(&mut self, data: &[u8]) {
        let Some((key, text)) = keyed(data) else { return };
        match key {
            PIXELS_KEY => self.claimed_pixels = text.parse().ok(),
            DATA_KEY => self.claimed_data = Some(text.to_owned()),
            _ => {}
        }
    }

    /// `key NUL compressed method language NUL translated-key NUL text`.
    fn take_international_text(&mut self, data: &[u8]) {
        let Some((FINGERPRINT_KEY, text)) = keyed(data) else { return };
        if let Some(json) = text.strip_prefix("\0\0\0\0") {
            self.fingerprint = serde_json::from_str(json).ok();
        }
    }
}

fn keyed(data: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(data.get(..data.len().min(LONGEST_TEXT))?).ok()?;
    text.split_once('\0')
}

fn after_signature(bytes: &[u8]) -> Result<&[u8], PictureFault> {
    if let Some(rest) = bytes.strip_prefix(&SIGNATURE) {
        return Ok(rest);
    }
    Err(if bytes.is_empty() {
        PictureFault::Empty
    } else if SIGNATURE.starts_with(bytes) {
        PictureFault::Truncated { bytes: bytes.len() as u64 }
    } else if bytes.trim_ascii_start().starts_with(LFS_POINTER) {
        PictureFault::LfsPointer
    } else {
        PictureFault::NotPng { looks_like: FileKind::of(bytes) }
    })
}

/// Takes one chunk off `rest`; `total` is the length of the file.
fn next<'a>(rest: &mut &'a [u8], total: usize) -> Result<Chunk<'a>, PictureFault> {
    let truncated = PictureFault::Truncated { bytes: total as u64 };
    let Some((&[l0, l1, l2, l3, k0, k1, k2, k3], after)) = rest.split_first_chunk::<8>() else {
        return Err(truncated);
    };
    let (length, kind) = (u32::from_be_bytes([l0, l1, l2, l3]) as usize, [k0, k1, k2, k3]);
    if !kind.iter().all(u8::is_ascii_alphabetic) {
        return Err(malformed("it holds something that is no chunk"));
    }
    let Some((data, after)) = after.split_at_checked(length) else { return Err(truncated) };
    let Some((checksum, after)) = after.split_first_chunk::<4>() else { return Err(truncated) };
    if crc(kind, data) != u32::from_be_bytes(*checksum) {
        return Err(PictureFault::Checksum { chunk: String::from_utf8_lossy(&kind).into_owned() });
    }
    *rest = after;
    Ok(Chunk { kind, data })
}

fn crc(kind: [u8; 4], data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind);
    hasher.update(data);
    hasher.finalize()
}

fn malformed(reason: &str) -> PictureFault {
    PictureFault::Malformed { reason: reason.to_owned() }
}

/// Puts cu-run's text chunks behind the header of an encoded PNG.
pub(super) fn with_texts(
    png: &[u8],
    pixels: PixelDigest,
    fingerprint: &Fingerprint,
) -> Result<Vec<u8>, PictureFault> {
    let layout = Layout::read(png, |_| Ok(()))?;
    let json = serde_json::to_string(fingerprint).map_err(|error| malformed(&error.to_string()))?;
    let texts = [
        (*b"tEXt", format!("{PIXELS_KEY}\0{pixels}")),
        (*b"tEXt", format!("{DATA_KEY}\0{}", layout.data_digest)),
        (*b"iTXt", format!("{FINGERPRINT_KEY}\0\0\0\0\0{json}")),
    ];
    // The header chunk always has 13 bytes of data.
    let (header, rest) = png.split_at(SIGNATURE.len() + AROUND + 13);
    let mut out = header.to_vec();
    for (kind, text) in texts {
        out.extend_from_slice(&(text.len() as u32).to_be_bytes());
        out.extend_from_slice(&kind);
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(&crc(kind, text.as_bytes()).to_be_bytes());
    }
    out.extend_from_slice(rest);
    Ok(out)
}
