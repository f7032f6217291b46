//! Baselines and evidence on disk.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

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
    // A program that keeps the text chunks and writes other pixels: header and texts of one file, data of
    // another.
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

/// Set for the child of the next test: the folder of its store.
const CHILD_FOLDER: &str = "CU_RUN_TEST_LIMITED_FOLDER";

#[test]
fn a_disk_without_space_is_a_fault_and_leaves_the_old_picture_whole() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path());
    let old =
        store.accept(&case(), &home(), &picture(), &Fingerprint::default(), Overwrite::Pictures).unwrap();
    let before = fs::read(&old).unwrap();
    // No file of the child may grow past one block, and it is told so by an error instead of a signal.
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "images::stores::child_without_space"])
        .env(CHILD_FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(fs::read(&old).unwrap(), before);
    assert_eq!(files(old.parent().unwrap()), ["home.png"], "no part of a file stays");
}

#[test]
#[ignore = "started by the test above, under a limit on the size of files"]
fn child_without_space() {
    let store = BaselineStore::new(std::env::var(CHILD_FOLDER).unwrap());
    let mut state = 1_u32;
    let noise = RgbImage::from_fn(200, 200, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgb(state.to_be_bytes()[..3].try_into().unwrap())
    });
    let error =
        store.accept(&case(), &home(), &noise, &Fingerprint::default(), Overwrite::Pictures).unwrap_err();
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
