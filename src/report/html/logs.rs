//! The ends of logs, read when the report is written: a log is often all that explains a failure, and its last lines
//! are the ones that matter.
//!
//! Programs under test write these files and can put anything in their place, so only regular files are read.

use std::{
    borrow::Cow,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::OFlags;

use crate::visible;

/// How much of one log is shown, in bytes.
const LONGEST: u64 = 8 * 1024;

/// How many lines of one log are shown.
const LINES: usize = 40;

/// How much all logs of a report may take together, in bytes: a report of 1,000 failures still has to open.
const ALL: u64 = 4 * 1024 * 1024;

/// What is left of the room for logs in a report.
pub(super) struct Room(u64);

/// The end of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// Its last lines, fit to be shown.
    pub(super) text: String,
    /// How many bytes stand before them.
    pub(super) hidden: u64,
}

impl Room {
    /// All of it.
    pub(super) const fn new() -> Self {
        Self(ALL)
    }

    /// The end of the log at `path`; `None` when it cannot be read, is no regular file or no room is left.
    pub(super) fn tail(&mut self, path: &Path) -> Option<Tail> {
        if self.0 < LONGEST {
            return None;
        }
        let tail = open(path).and_then(read_end).ok()?;
        self.0 = self.0.saturating_sub(tail.text.len() as u64);
        Some(tail)
    }
}

/// Opens a regular file: neither follows a link out of the artifacts nor waits for the writer of a pipe.
fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

fn read_end(mut file: File) -> io::Result<Tail> {
    let length = file.metadata()?.len();
    let start = length.saturating_sub(LONGEST);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let shown = last_lines(&bytes, start > 0);
    let hidden = start + (bytes.len() - shown.len()) as u64;
    let text = String::from_utf8_lossy(shown);
    Ok(Tail { text: visible::block(&without_colours(&text)).trim_end().to_owned(), hidden })
}

/// The last [`LINES`] lines of `bytes`; the first line goes when it is only the rest of one, unless it is the only one.
fn last_lines(bytes: &[u8], begins_inside_a_line: bool) -> &[u8] {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let breaks: Vec<usize> = (0..body.len()).filter(|&at| body[at] == b'\n').collect();
    let start = match breaks.len().checked_sub(LINES) {
        Some(nth) => breaks[nth] + 1,
        None if begins_inside_a_line => breaks.first().map_or(0, |at| at + 1),
        None => 0,
    };
    &bytes[start..]
}

/// `text` without the sequences `ESC [ 1;31 m` that colour a terminal; every other control stays, to be made visible.
fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains("\u{1b}[") {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        if let Some(rest) = end.strip_prefix('m') {
            plain.push_str(rest);
        } else {
            plain.push_str("\u{1b}[");
            plain.push_str(piece);
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tail_of(content: &[u8]) -> Option<Tail> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        fs::write(&path, content).unwrap();
        Room::new().tail(&path)
    }

    #[test]
    fn the_last_forty_lines_are_kept_and_the_rest_is_counted() {
        let lines: Vec<String> = (1..=50).map(|n| format!("line {n:02}\n")).collect();
        let content = lines.concat();
        let tail = tail_of(content.as_bytes()).unwrap();
        assert!(tail.text.starts_with("line 11\n") && tail.text.ends_with("line 50"), "{}", tail.text);
        assert_eq!(tail.hidden, 10 * 8);
        let whole = tail_of(b"a\nb").unwrap();
        assert_eq!(whole, Tail { text: "a\nb".to_owned(), hidden: 0 });
    }

    #[test]
    fn a_line_without_end_is_cut_in_size() {
        let tail = tail_of(&vec![b'x'; 100_000]).unwrap();
        assert_eq!((tail.text.len() as u64, tail.hidden), (LONGEST, 100_000 - LONGEST));
    }

    #[test]
    fn hostile_bytes_become_visible_and_colours_go() {
        let tail = tail_of(b"\x1b[1;31mred\x1b[0m \x1b[2J \xff \0 \xe2\x80\xae").unwrap();
        assert_eq!(tail.text, "red \\u{1b}[2J \u{fffd} \\u{0} \\u{202e}");
    }

    #[test]
    fn links_pipes_and_folders_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("secret"), "hidden").unwrap();
        std::os::unix::fs::symlink(at("secret"), at("link.log")).unwrap();
        let owner = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe.log"), rustix::fs::FileType::Fifo, owner, 0).unwrap();
        for name in ["link.log", "pipe.log", ".", "missing.log"] {
            assert_eq!(Room::new().tail(&at(name)), None, "{name}");
        }
    }

    #[test]
    fn all_logs_together_have_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        fs::write(&path, vec![b'x'; LONGEST as usize]).unwrap();
        let mut room = Room(2 * LONGEST + 1);
        let read = (0..5).filter(|_| room.tail(&path).is_some()).count();
        assert_eq!(read, 2);
    }
}
