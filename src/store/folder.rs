//! Files below one folder: nothing is read unbounded, nothing is written outside, and what is written appears
//! whole.

use std::{
    fs::{self, File, Permissions},
    io::{self, Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{PictureFault, StoreError, png::Limits};

/// Whether a written file must outlive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// On the disk before the name is.
    Synced,
    /// Left to the system; saves some milliseconds for files that a run makes anew.
    Unsynced,
}

/// The bytes of a picture file; `None` where there is none.
pub(super) fn read(path: &Path, limits: &Limits) -> Result<Option<Vec<u8>>, StoreError> {
    let unreadable = |source| StoreError::Unreadable { path: path.to_owned(), source };
    let picture = |fault| StoreError::Picture { path: path.to_owned(), fault };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
        Ok(_) => {}
    }
    // Follows a link: one that leads nowhere is a fault, not a missing baseline. Opening a pipe would wait
    // for ever.
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(picture(PictureFault::Folder));
    }
    if !metadata.is_file() {
        return Err(picture(PictureFault::Special));
    }
    let (limit, mut bytes) = (limits.file_bytes, Vec::new());
    if metadata.len() <= limit {
        bytes.reserve_exact(metadata.len() as usize + 1);
        File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    }
    let length = metadata.len().max(bytes.len() as u64);
    if length > limit {
        return Err(picture(PictureFault::TooManyBytes { bytes: length, limit }));
    }
    Ok(Some(bytes))
}

/// Where `relative` below `root` is really to be written, its folder made. Links that stay below `root` are
/// followed; one that leaves it, or leads nowhere, is refused.
pub(super) fn place(root: &Path, relative: &Path) -> Result<PathBuf, StoreError> {
    let write = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Write { path, source }
    };
    fs::create_dir_all(root).map_err(write(root))?;
    let real_root = fs::canonicalize(root).map_err(write(root))?;
    let mut real = real_root.clone();
    if let Some(parent) = relative.parent() {
        for component in parent {
            real.push(component);
            match fs::symlink_metadata(&real) {
                Ok(metadata) if metadata.is_symlink() => real = followed(&real, &real_root)?,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => make_folder(&real)?,
                Err(error) => return Err(write(&real)(error)),
            }
        }
    }
    real.push(relative.file_name().unwrap_or_default());
    match fs::symlink_metadata(&real) {
        Ok(metadata) if metadata.is_symlink() => followed(&real, &real_root),
        Ok(metadata) if metadata.is_dir() => {
            Err(StoreError::Picture { path: root.join(relative), fault: PictureFault::Folder })
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write(&real)(error)),
        _ => Ok(real),
    }
}

/// Another worker may make the same folder at the same time.
fn make_folder(path: &Path) -> Result<(), StoreError> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(StoreError::Write { path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

fn followed(link: &Path, root: &Path) -> Result<PathBuf, StoreError> {
    match fs::canonicalize(link) {
        Ok(target) if target.starts_with(root) => Ok(target),
        other => Err(StoreError::LeavesRoot {
            path: link.to_owned(),
            target: other.or_else(|_| fs::read_link(link)).unwrap_or_default(),
            root: root.to_owned(),
        }),
    }
}

/// Writes a file beside its place and renames it, so that a reader sees the old or the new one, never a part.
pub(super) fn write(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), StoreError> {
    write_beside(path, bytes, durability)
        .map_err(|source| StoreError::Write { path: path.to_owned(), source })
}

fn write_beside(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".cu-run-")
        .suffix(".tmp")
        // As for any new file: the umask takes away what others may not do.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    if durability == Durability::Synced {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    if durability == Durability::Synced {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
