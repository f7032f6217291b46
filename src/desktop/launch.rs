//! Starting programs in a case: their log, their environment, their descriptors.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom},
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
};

use super::{
    App, AppId, AppPipes, DesktopError, Program,
    case_folder::CaseFolder,
    containment::{Role, SessionHost, Started, ToStart},
    environment::Variables,
    xvfb::pipe,
};

/// How much of the end of a log goes into an error, in bytes.
const LOG_END: u64 = 2000;

/// A case's folder and the host that starts its programs. The host goes first when dropped.
#[derive(Debug)]
pub(super) struct Launcher {
    pub(super) host: SessionHost,
    pub(super) folder: CaseFolder,
}

impl Launcher {
    /// Starts a program of the display itself.
    pub(super) fn start(
        &self,
        argv: Vec<OsString>,
        environment: Variables,
        cwd: &Path,
        descriptors: Vec<(i32, BorrowedFd<'_>)>,
        role: Role,
    ) -> Result<Started, DesktopError> {
        let env = environment.into_iter().collect();
        self.host.spawn(ToStart { argv, env, cwd, descriptors, role })
    }

    /// Starts an app.
    pub(super) fn launch(
        &self,
        program: &Program,
        environment: &Variables,
        log_dir: &Path,
    ) -> Result<App, DesktopError> {
        let log = Log::create(log_dir, &program.log_name)?;
        let mut environment = environment.clone();
        environment.extend(own_variables(&program.env));
        let argv = program.argv.iter().map(OsString::from).collect();
        let cwd = program.cwd.clone().unwrap_or_else(|| self.folder.workspace());
        let mut descriptors = vec![(1, log.as_fd()), (2, log.as_fd())];
        let pipes = program.pipes.then(|| Ok::<_, DesktopError>((pipe()?, pipe()?))).transpose()?;
        if let Some(((app_reads, _), (_, app_writes))) = &pipes {
            descriptors.extend([(3, app_reads.as_fd()), (4, app_writes.as_fd())]);
        }
        let started = self.start(argv, environment, &cwd, descriptors, Role::App)?;
        Ok(App {
            id: AppId(started.app),
            pid: started.pid,
            // The app's ends close here, so that its death shows as end of file.
            pipes: pipes.map(|((_, to_app), (from_app, _))| AppPipes {
                from_app: File::from(from_app),
                to_app: File::from(to_app),
            }),
        })
    }
}

fn own_variables(env: &BTreeMap<String, String>) -> impl Iterator<Item = (OsString, OsString)> {
    env.iter().map(|(name, value)| (name.into(), value.into()))
}

/// The file that a program's output goes to.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log `name` in `folder`; what it holds already is kept.
    pub(super) fn create(folder: &Path, name: &str) -> Result<Self, DesktopError> {
        let path = folder.join(name);
        let opened = match Path::new(name).file_name() {
            Some(file_name) if file_name == name => OpenOptions::new().append(true).create(true).open(&path),
            _ => Err(std::io::ErrorKind::InvalidFilename.into()),
        };
        match opened {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(DesktopError::File { path, source }),
        }
    }

    /// The end of what was written; empty when it cannot be read.
    pub(super) fn end(&self) -> String {
        log_end(&self.path)
    }
}

impl AsFd for Log {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// The last lines of a log; empty when it cannot be read.
#[must_use]
pub fn log_end(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_END)))?;
        let mut bytes = Vec::new();
        file.take(LOG_END).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).trim_end().to_owned()
}

/// Adds advice to the error about a program that is not installed.
pub(super) fn program_missing(error: DesktopError, advice: &str) -> DesktopError {
    match error {
        DesktopError::ProgramMissing { program, .. } => {
            DesktopError::ProgramMissing { program, hint: advice.to_owned() }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../x.log", "a/b.log", "", ".."] {
            assert!(matches!(Log::create(folder.path(), name), Err(DesktopError::File { .. })), "{name}");
        }
        assert!(Log::create(folder.path(), "app-1.log").is_ok());
    }

    #[test]
    fn the_end_of_a_long_log_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        std::fs::write(&path, format!("{}\nlast words\n", "x".repeat(10_000))).unwrap();
        let end = log_end(&path);
        assert!(end.ends_with("last words") && end.len() <= LOG_END as usize);
    }
}
