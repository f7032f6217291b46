//! What a run left: an artifacts folder, or a ZIP archive of one as CI systems give it out.

use std::{
    cell::RefCell,
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use image::RgbImage;
use thiserror::Error;
use zip::ZipArchive;

use crate::{
    outcome::RunReport,
    report::{self, Json, ReportError},
    store::{self, PictureFault},
};

/// The file that says what a run did.
const REPORT: &str = Json::FILE;

/// The largest `run.json` in an archive that is unpacked: a thousand cases take some megabytes.
const LARGEST_REPORT: u64 = 256 << 20;

/// Why the artifacts of a run cannot be used.
#[derive(Debug, Error)]
pub enum RunFolderError {
    /// Neither a folder nor an archive, or not readable.
    #[error("failed to read the artifacts `{}`: {reason}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is no report of a run in it.
    #[error("`{}` holds no {REPORT}: it is not what a run left\nname the folder that was given by --artifacts, or a ZIP archive of it", .path.display())]
    NoReport {
        /// Which.
        path: PathBuf,
    },
    /// Its report cannot be used.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A picture is not there, or is none.
    #[error("`{}` in `{}` {fault}", .picture.display(), .path.display())]
    Picture {
        /// The artifacts.
        path: PathBuf,
        /// The picture in them.
        picture: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
}

/// The artifacts of one run.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    /// The archive and the folder in it that holds the report, such as `artifacts/`; nothing is ever unpacked to disk.
    Archive(RefCell<ZipArchive<File>>, String),
}

impl RunFolder {
    /// The artifacts at `path`: a folder or a ZIP archive.
    pub fn open(path: &Path) -> Result<Self, RunFolderError> {
        let unreadable = |reason: String| RunFolderError::Unreadable { path: path.to_owned(), reason };
        let metadata = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
        if metadata.is_dir() {
            if !path.join(REPORT).is_file() {
                return Err(RunFolderError::NoReport { path: path.to_owned() });
            }
            return Ok(Self { path: path.to_owned(), kind: Kind::Folder });
        }
        let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let archive = ZipArchive::new(file)
            .map_err(|error| unreadable(format!("it is neither a folder nor a ZIP archive: {error}")))?;
        // The uppermost report: an archive may hold the folder itself, or what is in it.
        let report = archive
            .file_names()
            .filter_map(Result::ok)
            .filter(|name| name == REPORT || name.ends_with(&format!("/{REPORT}")))
            .min_by_key(|name| name.matches('/').count())
            .ok_or_else(|| RunFolderError::NoReport { path: path.to_owned() })?;
        let prefix = report.strip_suffix(REPORT).unwrap_or_default().to_owned();
        Ok(Self { path: path.to_owned(), kind: Kind::Archive(RefCell::new(archive), prefix) })
    }

    /// What the run did.
    pub fn report(&self) -> Result<RunReport, RunFolderError> {
        match &self.kind {
            Kind::Folder => Ok(report::read(&self.path)?),
            Kind::Archive(..) => {
                let text = self.read(Path::new(REPORT), LARGEST_REPORT).map_err(|error| {
                    RunFolderError::Unreadable { path: self.path.clone(), reason: error.to_string() }
                })?;
                Ok(report::parse(&text, &self.path.join(REPORT))?)
            }
        }
    }

    /// A picture of the run; `relative` is what its report says.
    pub fn picture(&self, relative: &Path) -> Result<RgbImage, RunFolderError> {
        let failed = |fault: String| RunFolderError::Picture {
            path: self.path.clone(),
            picture: relative.to_owned(),
            fault,
        };
        if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
            return Err(failed("lies outside of it".to_owned()));
        }
        let limits = store::png::Limits::DEFAULT;
        let bytes = match self.read(relative, limits.file_bytes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(failed("is missing".to_owned()));
            }
            other => other.map_err(|error| failed(format!("cannot be read: {error}")))?,
        };
        store::png::decode(&bytes, &limits).map_err(|fault: PictureFault| failed(fault.to_string()))
    }

    /// At most `limit` bytes of a file; a longer one is an error, whatever an archive claims about its length.
    fn read(&self, relative: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &self.kind {
            Kind::Folder => {
                let file = fs::canonicalize(self.path.join(relative))?;
                if !file.starts_with(fs::canonicalize(&self.path)?) {
                    return Err(io::Error::other("a link leads out of the folder"));
                }
                if !file.metadata()?.is_file() {
                    return Err(io::Error::other("it is no file"));
                }
                File::open(file)?.take(limit + 1).read_to_end(&mut bytes)?;
            }
            Kind::Archive(archive, prefix) => {
                let mut archive = archive.borrow_mut();
                let name = format!("{prefix}{}", relative.display());
                let entry = archive.by_name(&name).map_err(|error| match error {
                    zip::result::ZipError::FileNotFound => io::Error::from(io::ErrorKind::NotFound),
                    other => io::Error::other(other),
                })?;
                entry.take(limit + 1).read_to_end(&mut bytes)?;
            }
        }
        if bytes.len() as u64 > limit {
            return Err(io::Error::other(format!("it has more than {limit} bytes")));
        }
        Ok(bytes)
    }
}
