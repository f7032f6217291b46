//! Baselines and evidence on disk.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use cu_run::{
    geometry::Size,
    id::{CaseId, Name},
    store::{
        BaselineStore, EvidenceKind, EvidenceStore, Fingerprint, Overwrite, PixelDigest, StoreError, png,
    },
};
use image::{Rgb, RgbImage};
use tempfile::TempDir;

fn case() -> CaseId {
    CaseId::try_from("gitea/sign-in".to_owned()).unwrap()
}

fn home() -> Name {
    Name::new("home").unwrap()
}

fn picture() -> RgbImage {
    RgbImage::from_fn(40, 30, |x, y| Rgb([(x / 8 * 40) as u8, (y / 8 * 40) as u8, 90]))
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_accepted_picture_is_found_with_digest_and_environment_without_decoding() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path().join("not/yet/there"));
    assert!(store.lookup(&case(), &home()).unwrap().is_none());
    let environment = Fingerprint::default().with("browser", "chromium 142").with("fonts", "Ü é 漢");
    let path = store.accept(&case(), &home(), &picture(), &environment, Overwrite::Pictures).unwrap();
    assert_eq!(path, store.root().join("gitea/sign-in/home.png"));
    let baseline = store.lookup(&case(), &home()).unwrap().unwrap();
    assert_eq!(baseline.size(), Size::new(40, 30));
    assert_eq!(baseline.digest(), Some(PixelDigest::of(&picture())));
    assert_eq!(baseline.fingerprint(), Some(&environment));
    assert_eq!(baseline.load().unwrap(), picture());
    assert_eq!(files(path.parent().unwrap()), ["home.png"], "no temporary file stays");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o400, 0o400);
    assert_eq!(mode & 0o111, 0);
}

#[test]
fn accepting_again_gives_the_same_bytes_and_another_picture_replaces_it() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path());
    let accept = |picture: &RgbImage| {
        let path = store.accept(&case(), &home(), picture, &Fingerprint::default(), Overwrite::Pictures);
        fs::read(path.unwrap()).unwrap()
    };
    assert_eq!(accept(&picture()), accept(&picture()));
    accept(&RgbImage::new(9, 9));
    assert_eq!(store.lookup(&case(), &home()).unwrap().unwrap().size(), Size::new(9, 9));
}

#[test]
fn a_digest_is_not_believed_once_another_program_has_changed_the_pixels() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path());
    let path =
        store.accept(&case(), &home(), &picture(), &Fingerprint::default(), Overwrite::Pictures).unwrap();
    // A program that keeps the text chunks and writes other pixels: header and texts of one file, data of another.
    let ours = fs::read(&path).unwrap();
    let mut painted = picture();
    painted.put_pixel(7, 7, Rgb([1, 2, 3]));
    let theirs = png::encode_evidence(&painted).unwrap();
    let data_starts = |png: &[u8]| png.windows(4).position(|four| four == b"IDAT").unwrap() - 4;
    let edited = [&ours[..data_starts(&ours)], &theirs[data_starts(&theirs)..]].concat();
    fs::write(&path, edited).unwrap();
    let baseline = store.lookup(&case(), &home()).unwrap().unwrap();
    assert_eq!(baseline.digest(), None);
    assert_eq!(baseline.load().unwrap(), painted);
}

#[test]
fn a_picture_of_another_program_has_no_digest_and_no_environment() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path());
    fs::create_dir_all(folder.path().join("gitea/sign-in")).unwrap();
    let bytes = png::encode_evidence(&picture()).unwrap();
    fs::write(folder.path().join("gitea/sign-in/home.png"), bytes).unwrap();
    let baseline = store.lookup(&case(), &home()).unwrap().unwrap();
    assert_eq!((baseline.digest(), baseline.fingerprint()), (None, None));
    assert_eq!(baseline.load().unwrap(), picture());
}

#[test]
fn a_folder_that_cannot_be_written_is_a_fault_that_names_it() {
    let folder = TempDir::new().unwrap();
    let in_the_way = folder.path().join("file");
    fs::write(&in_the_way, "").unwrap();
    let evidence = EvidenceStore::new(in_the_way.join("artifacts"));
    let error = evidence.write(&case(), EvidenceKind::Actual, &home(), &picture()).unwrap_err();
    assert!(matches!(&error, StoreError::Write { path, .. } if path.starts_with(&in_the_way)), "{error:?}");
    let baselines = BaselineStore::new(folder.path());
    fs::write(folder.path().join("gitea"), "").unwrap();
    let error = baselines
        .accept(&case(), &home(), &picture(), &Fingerprint::default(), Overwrite::AnyFile)
        .unwrap_err();
    assert!(matches!(error, StoreError::Write { .. }), "{error:?}");
    let error = baselines.lookup(&case(), &home()).unwrap_err();
    assert!(matches!(error, StoreError::Unreadable { .. }), "{error:?}");
}

#[test]
fn a_full_disk_is_a_fault_and_leaves_the_old_picture_whole() {
    // A device that is always full stands in for the disk: nothing can be renamed into it either.
    let store = EvidenceStore::new("/proc/cu-run");
    let error = store.write(&case(), EvidenceKind::Actual, &home(), &picture()).unwrap_err();
    assert!(matches!(error, StoreError::Write { .. }), "{error:?}");
}

#[test]
fn many_workers_write_below_one_root_at_once() {
    let folder = TempDir::new().unwrap();
    let store = EvidenceStore::new(folder.path().join("new"));
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for checkpoint in 0..5 {
                    let name = Name::new(format!("step-{checkpoint}")).unwrap();
                    let case = case().join(Name::new(format!("row-{}", worker % 4)).unwrap());
                    store.write(&case, EvidenceKind::Actual, &name, &picture()).unwrap();
                }
            });
        }
    });
    assert_eq!(files(&store.root().join("gitea/sign-in/row-0/actual")).len(), 5);
}
