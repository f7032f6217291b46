//! Writing a file whole or not at all.

use std::{
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use super::ReportError;

/// Writes `content` to `path` beside it and renames it into place; makes missing folders.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    replace(path, content).map_err(|source| ReportError::Write { path: path.to_owned(), source })
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    // Reports are for everybody whom the umask lets in: a container often writes them for another user to collect.
    let mut file = tempfile::Builder::new()
        .prefix(".report-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// The way from the folder `from` to `to`; both absolute and without symbolic links.
pub(super) fn relative(to: &Path, from: &Path) -> PathBuf {
    let (mut to, mut from) = (to.components().peekable(), from.components().peekable());
    while to.peek().is_some() && to.peek() == from.peek() {
        to.next();
        from.next();
    }
    from.map(|_| Component::ParentDir).chain(to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_replaced_and_no_other_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/run.json");
        write(&path, b"first, and longer").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_report_that_cannot_be_put_in_place_names_its_path_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::create_dir(&path).unwrap();
        let error = write(&path, b"x").unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary file is gone");
    }
}
