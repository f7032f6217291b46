//! What can go wrong with a picture on disk.

use std::{fmt, io, path::PathBuf};

use thiserror::Error;

use crate::geometry::{Point, Size};

/// A fault of the pictures on disk; names the file.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file is there and is no usable picture.
    #[error("`{}` {fault}", .path.display())]
    Picture {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        fault: PictureFault,
    },
    /// The file is there and cannot be read.
    #[error("failed to read `{}`: {source}", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder cannot be written: no space, no permission, something in the way.
    #[error("failed to write `{}`: {source}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A symbolic link leads out of the folder that may be written, or nowhere.
    #[error("`{}` is a symbolic link to `{}`, outside of `{}`; nothing was written", .path.display(), .target.display(), .root.display())]
    LeavesRoot {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// The folder that may be written.
        root: PathBuf,
    },
    /// The note beside a variant of a baseline is not understood.
    #[error("`{}` is no note on a variant: {reason}\nit is a map with `issue` and `expires`, such as `expires: 2027-01-31`", .path.display())]
    Note {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Accepting would replace a file that is no picture.
    #[error("`{}` would be overwritten although it {fault}\ncheck the file, or accept again and say that it may be replaced", .path.display())]
    NotReplaced {
        /// Which file.
        path: PathBuf,
        /// What it is.
        fault: PictureFault,
    },
}

impl StoreError {
    /// Whether writing failed, and not reading.
    #[must_use]
    pub const fn is_write(&self) -> bool {
        matches!(self, Self::Write { .. } | Self::LeavesRoot { .. })
    }
}

/// Why a file or a message is no usable picture; a fragment that follows the file's name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureFault {
    /// No bytes at all.
    #[error("is empty (0 bytes)")]
    Empty,
    /// The file stops before the picture does.
    #[error("ends early, after {bytes} bytes")]
    Truncated {
        /// Bytes that are there.
        bytes: u64,
    },
    /// Not a PNG file.
    #[error("is {looks_like}, not PNG")]
    NotPng {
        /// What its first bytes look like.
        looks_like: FileKind,
    },
    /// A checksum does not hold.
    #[error("is damaged: wrong checksum in its `{chunk}` part")]
    Checksum {
        /// Type of the damaged chunk.
        chunk: String,
    },
    /// A folder stands where the picture should.
    #[error("is a folder")]
    Folder,
    /// Git LFS has left its pointer in place of the picture.
    #[error("is a Git LFS pointer, not the picture itself\nrun `git lfs pull`")]
    LfsPointer,
    /// The header declares a picture over the limit.
    #[error("declares {declared}, more than the limit of {limit}")]
    TooLarge {
        /// Width and height in the header.
        declared: Size,
        /// The limit that is broken.
        limit: String,
    },
    /// The file is over the limit.
    #[error("has {bytes} bytes, more than the limit of {limit}")]
    TooManyBytes {
        /// Bytes in the file.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The header declares no pixels.
    #[error("declares {declared}, a picture without pixels")]
    ZeroSize {
        /// Width and height in the header.
        declared: Size,
    },
    /// A pixel is not fully opaque; what colour it has would depend on what lies beneath.
    #[error("is not opaque: the pixel at {at} has alpha {alpha} of {opaque}")]
    NotOpaque {
        /// The first such pixel, row by row.
        at: Point,
        /// Its alpha.
        alpha: u16,
        /// The alpha of an opaque pixel: 255, or 65,535 in a picture of 16 bits per channel.
        opaque: u16,
    },
    /// The compressed data is far longer than the picture needs.
    #[error(
        "declares {declared} but holds {bytes} bytes of compressed pixels, more than such a picture can need"
    )]
    Surplus {
        /// Width and height in the header.
        declared: Size,
        /// Bytes of compressed data.
        bytes: u64,
    },
    /// Bytes follow the end of the picture: two writers, or an interrupted one, have left their marks.
    #[error("has {bytes} bytes after the end of the picture")]
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// The PNG is put together wrongly.
    #[error("is no valid PNG: {reason}")]
    Malformed {
        /// In the decoder's words.
        reason: String,
    },
    /// A picture of another kind, put together wrongly.
    #[error("is no valid {kind}: {reason}")]
    Undecodable {
        /// Which kind.
        kind: FileKind,
        /// In the decoder's words.
        reason: String,
    },
    /// A kind of picture that is not read.
    #[error("is {looks_like}; PNG, JPEG and WebP can be read")]
    Unsupported {
        /// What its first bytes look like.
        looks_like: FileKind,
    },
    /// The file holds another kind of picture than its name says.
    #[error("is {holds}, not {named} as its name says")]
    Misnamed {
        /// What it holds.
        holds: &'static str,
        /// What its name says.
        named: &'static str,
    },
    /// Neither a file nor a folder.
    #[error("is neither a file nor a folder")]
    Special,
}

/// What a file that is no PNG looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// `FF D8 FF`.
    Jpeg,
    /// `GIF8`.
    Gif,
    /// `RIFF….WEBP`.
    WebP,
    /// `BM`.
    Bmp,
    /// Text that starts with `<`.
    Markup,
    /// A PNG in which line ends were converted, as by a version control system that took it for text.
    ConvertedPng,
    /// Other text.
    Text,
    /// None of these.
    Unknown,
}

impl FileKind {
    /// What `bytes`, the start of a file, look like.
    pub(super) fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'G', b'I', b'F', b'8', ..] => Self::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Self::WebP,
            [b'B', b'M', ..] => Self::Bmp,
            [0x89, b'P', b'N', b'G', ..] => Self::ConvertedPng,
            _ => {
                let start = &bytes[..bytes.len().min(512)];
                let text = start.iter().all(|&byte| byte >= b' ' || byte.is_ascii_whitespace());
                match start.trim_ascii_start().first() {
                    Some(b'<') if text => Self::Markup,
                    _ if text => Self::Text,
                    _ => Self::Unknown,
                }
            }
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
            Self::Markup => "HTML or XML",
            Self::ConvertedPng => "a PNG whose line ends were converted (damaged)",
            Self::Text => "text",
            Self::Unknown => "of an unknown kind",
        })
    }
}
