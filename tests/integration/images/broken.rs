//! Files that are no pictures: each kind has its own fault, and none is taken for "no baseline" or for a
//! difference.

use std::fs;

use cu_run::{
    id::{CaseId, Name},
    store::{BaselineStore, FileKind, Fingerprint, Overwrite, PictureFault, StoreError},
};
use image::RgbImage;
use tempfile::TempDir;

use super::path;

fn case() -> CaseId {
    CaseId::try_from("broken".to_owned()).unwrap()
}

fn home() -> Name {
    Name::new("home").unwrap()
}

/// A store whose only baseline is this file.
fn store_with(file: &str) -> (TempDir, BaselineStore) {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("broken/home.png");
    fs::create_dir(folder.path().join("broken")).unwrap();
    if path(file).is_dir() {
        fs::create_dir(&target).unwrap();
        fs::write(target.join("keep"), "").unwrap();
    } else {
        fs::copy(path(file), &target).unwrap();
    }
    let store = BaselineStore::new(folder.path());
    (folder, store)
}

/// The fault when the baseline is looked up or, where its outer shape is right, decoded.
fn fault_of(file: &str) -> PictureFault {
    let (_folder, store) = store_with(file);
    let error = match store.lookup(&case(), &home()) {
        Ok(Some(baseline)) => baseline.load().unwrap_err(),
        Ok(None) => panic!("{file} counts as missing"),
        Err(error) => error,
    };
    assert!(error.to_string().contains("broken/home.png"), "{error}");
    match error {
        StoreError::Picture { fault, .. } => fault,
        other => panic!("{file}: {other:?}"),
    }
}

#[test]
fn every_kind_of_broken_file_is_called_by_its_name() {
    let looks = |looks_like| PictureFault::NotPng { looks_like };
    for (file, right) in [
        ("zero-bytes", PictureFault::Empty),
        ("signature-only", PictureFault::Truncated { bytes: 8 }),
        ("cut-in-ihdr", PictureFault::Truncated { bytes: 20 }),
        ("cut-half", PictureFault::Truncated { bytes: 424 }),
        ("no-iend", PictureFault::Truncated { bytes: 837 }),
        ("one-byte-flipped", PictureFault::Checksum { chunk: "IDAT".to_owned() }),
        ("trailing-rubbish", PictureFault::Trailing { bytes: 63 }),
        ("crlf-mangled", looks(FileKind::ConvertedPng)),
        ("really-a-gif", looks(FileKind::Gif)),
        ("really-a-jpeg", looks(FileKind::Jpeg)),
        ("really-html", looks(FileKind::Markup)),
        ("a-directory", PictureFault::Folder),
    ] {
        assert_eq!(fault_of(&format!("broken-files/{file}.png")), right, "{file}");
    }
    let (_folder, store) = store_with("broken-files/good.png");
    assert!(store.lookup(&case(), &home()).unwrap().unwrap().load().is_ok());
}

#[test]
fn a_git_lfs_pointer_says_what_to_run() {
    for file in ["lfs/home.png", "lfs/home-crlf.png"] {
        let fault = fault_of(file);
        assert_eq!(fault, PictureFault::LfsPointer);
        assert!(fault.to_string().contains("run `git lfs pull`"));
    }
}

#[test]
fn accepting_replaces_no_pointer_and_no_broken_file_unless_told_to() {
    let picture = RgbImage::new(4, 4);
    let files =
        ["lfs/home.png", "lfs/home-crlf.png", "broken-files/cut-half.png", "broken-files/zero-bytes.png"];
    for file in files {
        let (folder, store) = store_with(file);
        let target = folder.path().join("broken/home.png");
        let before = fs::read(&target).unwrap();
        let accept = |overwrite| store.accept(&case(), &home(), &picture, &Fingerprint::default(), overwrite);
        let error = accept(Overwrite::Pictures).unwrap_err();
        assert!(matches!(error, StoreError::NotReplaced { .. }), "{file}: {error:?}");
        assert_eq!(fs::read(&target).unwrap(), before, "{file}");
        accept(Overwrite::AnyFile).unwrap();
        assert_eq!(store.lookup(&case(), &home()).unwrap().unwrap().load().unwrap(), picture);
    }
    let (folder, store) = store_with("broken-files/a-directory.png");
    for overwrite in [Overwrite::Pictures, Overwrite::AnyFile] {
        let error = store.accept(&case(), &home(), &picture, &Fingerprint::default(), overwrite).unwrap_err();
        assert!(matches!(error, StoreError::Picture { fault: PictureFault::Folder, .. }), "{error:?}");
    }
    assert!(folder.path().join("broken/home.png/keep").exists());
}
