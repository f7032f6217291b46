//! The temporary folder of one case, and what killed runs left of theirs.
//!
//! ```text
//! /tmp/cu-run-x3kf9a/      0700
//!   lock                   flocked by runner and session host while either lives
//!   display                the X server: number, process, and which socket file is its own
//!   Xauthority fonts.conf openbox.xml
//!   home/ runtime/ tmp/ workspace/
//! ```

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::{
            fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
            net::UnixStream,
        },
    },
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::{DesktopError, containment::end_marked};
use crate::clock::{Clock, SystemClock};

const PREFIX: &str = "cu-run-";

/// A folder without a lock file this old was left by a run that was killed while it made the folder.
const UNFINISHED_AGE: Duration = Duration::from_secs(3600);

/// A case's folder, locked.
#[derive(Debug)]
pub(super) struct CaseFolder {
    path: PathBuf,
    lock: File,
}

impl CaseFolder {
    /// Makes a folder below `root`.
    pub(super) fn create(root: &Path) -> Result<Self, DesktopError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| DesktopError::File { path, source }
        };
        let made = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(root)
            .map_err(failed(root))?;
        let path = made.path();
        // Locked before it gets its name, so that a sweep never sees a free lock in a folder that is being made.
        let unnamed = path.join("lock.new");
        let lock = private_file(&unnamed).map_err(failed(&unnamed))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(io::Error::from)
            .and_then(|()| fs::rename(&unnamed, path.join("lock")))
            .map_err(failed(&unnamed))?;
        for name in ["home", "runtime", "tmp", "workspace"] {
            let folder = path.join(name);
            DirBuilder::new().mode(0o700).create(&folder).map_err(failed(&folder))?;
        }
        Ok(Self { path: made.keep(), lock })
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor whose flock says that the folder is in use.
    pub(super) fn lock(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }

    /// `HOME` of everything in the case.
    pub(super) fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    /// Where programs start.
    pub(super) fn workspace(&self) -> PathBuf {
        self.path.join("workspace")
    }

    /// Writes a file that only this user may read; gives its path.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, DesktopError> {
        let path = self.path.join(name);
        let failed = |source| DesktopError::File { path: path.clone(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let mut file = private_file(&path).map_err(failed)?;
        io::Write::write_all(&mut file, content).map_err(failed)?;
        Ok(path)
    }

    /// Notes which X server is the case's own, for whoever clears up after it.
    pub(super) fn record_display(&self, number: u32, pid: u32) -> Result<(), DesktopError> {
        let socket = fs::symlink_metadata(socket_path(number)).ok();
        let socket = socket.map(|file| (file.dev(), file.ino(), file.ctime(), file.ctime_nsec()));
        let record = serde_json::to_vec(&DisplayRecord { number, pid, socket });
        let record = record.map_err(|error| DesktopError::Host(error.to_string()))?;
        self.write("display", &record).map(drop)
    }
}

/// The socket file of a display.
pub(super) fn socket_path(display: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/.X11-unix/X{display}"))
}

#[derive(Debug, Serialize, Deserialize)]
struct DisplayRecord {
    number: u32,
    pid: u32,
    /// Device, inode and the change time of the socket file; a successor's file differs in one of them.
    socket: Option<(u64, u64, i64, i64)>,
}

/// Removes the socket and lock files that the folder's X server left, if it is dead and they are still its own.
pub(super) fn release_display(folder: &Path) {
    let Some(record) = fs::read(folder.join("display")).ok() else { return };
    let Ok(record) = serde_json::from_slice::<DisplayRecord>(&record) else { return };
    let socket = socket_path(record.number);
    let present = fs::symlink_metadata(&socket).ok();
    let present = present.map(|file| (file.dev(), file.ino(), file.ctime(), file.ctime_nsec()));
    let is_dead = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    if present.is_some() && present == record.socket && UnixStream::connect(&socket).is_err_and(is_dead) {
        let _ = fs::remove_file(&socket);
    }
    let lock = PathBuf::from(format!("/tmp/.X{}-lock", record.number));
    let holder = fs::read_to_string(&lock).ok().and_then(|text| text.trim().parse().ok());
    if holder == Some(record.pid) && !Path::new(&format!("/proc/{}", record.pid)).exists() {
        let _ = fs::remove_file(&lock);
    }
}

/// Removes what killed runs left below `root`: their folders, their processes, and the socket and lock files of
/// their dead X servers. Folders in use and everything of others stay untouched. Gives the removed folders.
#[expect(clippy::must_use_candidate, reason = "called for what it does")]
pub fn sweep_stale(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
            (is_ours && sweep(&entry.path())).then(|| entry.path())
        })
        .collect()
}

fn sweep(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let Ok(found) = fs::symlink_metadata(folder) else { return false };
    if !found.is_dir() || found.uid() != own {
        return false;
    }
    match OpenOptions::new().read(true).open(folder.join("lock")) {
        // The lock is kept until the folder is gone, so that two sweeps do not meet.
        Ok(lock) if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() => {
            end_marked(folder);
            release_display(folder);
            fs::remove_dir_all(folder).is_ok()
        }
        Ok(_) => false,
        Err(_) => {
            let age = found.modified().ok().and_then(|time| SystemClock.wall().duration_since(time).ok());
            age.is_some_and(|age| age > UNFINISHED_AGE) && fs::remove_dir_all(folder).is_ok()
        }
    }
}

fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_use_stays_and_an_abandoned_one_goes() {
        let root = tempfile::tempdir().unwrap();
        let used = CaseFolder::create(root.path()).unwrap();
        let abandoned = CaseFolder::create(root.path()).unwrap().path().to_owned();
        fs::create_dir(root.path().join("cu-run-being-made")).unwrap();
        fs::create_dir(root.path().join("foreign")).unwrap();
        assert_eq!(sweep_stale(root.path()), [abandoned]);
        assert!(used.path().is_dir());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 3);
    }

    #[test]
    fn only_the_owner_may_enter_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(root.path()).unwrap();
        for path in [folder.path(), &folder.path().join("runtime")] {
            assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o700);
        }
        let file = folder.write("Xauthority", b"x").unwrap();
        assert_eq!(fs::metadata(file).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn the_files_of_a_display_that_is_not_the_recorded_one_stay() {
        let root = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(root.path()).unwrap();
        // Display 4000 has no server; somebody else's socket would have another inode than the recorded one.
        fs::write(folder.path().join("display"), r#"{"number":4000,"pid":1,"socket":[1,2,3,4]}"#).unwrap();
        let foreign = PathBuf::from("/tmp/.X4000-lock");
        fs::write(&foreign, "999999\n").unwrap();
        release_display(folder.path());
        assert!(foreign.exists());
        fs::remove_file(foreign).unwrap();
    }
}
