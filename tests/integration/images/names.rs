//! Names as paths: nothing collides, nothing leaves its folder.

use std::{fs, os::unix::fs::symlink};

use cu_run::{
    id::{CaseId, Name},
    store::{BaselineStore, EvidenceKind, EvidenceStore, Fingerprint, Overwrite, StoreError},
};
use image::{Rgb, RgbImage};
use tempfile::TempDir;

fn case(id: &str) -> CaseId {
    CaseId::try_from(id.to_owned()).unwrap()
}

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn shade(level: u8) -> RgbImage {
    RgbImage::from_pixel(3, 2, Rgb([level; 3]))
}

fn accept(
    store: &BaselineStore,
    id: &str,
    checkpoint: &str,
    level: u8,
) -> Result<std::path::PathBuf, StoreError> {
    let none = Fingerprint::default();
    store.accept(&case(id), &name(checkpoint), &shade(level), &none, Overwrite::Pictures)
}

fn load(store: &BaselineStore, id: &str, checkpoint: &str) -> RgbImage {
    store.lookup(&case(id), &name(checkpoint)).unwrap().unwrap().load().unwrap()
}

#[test]
fn equal_base_names_in_different_folders_and_dotted_names_stay_apart() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path().join("baselines"));
    let places = [
        ("admin/login", "home"),
        ("user/login", "home"),
        ("admin/login", "home.diff"),
        ("admin/login", "home.actual"),
        ("admin/login", "home-diff"),
        ("admin/login", "home_diff"),
        ("admin", "login"),
        ("admin/login/home", "home"),
    ];
    for (level, (id, checkpoint)) in places.iter().enumerate() {
        accept(&store, id, checkpoint, level as u8).unwrap();
    }
    for (level, (id, checkpoint)) in places.iter().enumerate() {
        assert_eq!(load(&store, id, checkpoint), shade(level as u8), "{id} {checkpoint}");
        let found = store.lookup(&case(id), &name(checkpoint)).unwrap().unwrap();
        assert_eq!(found.relative_path().to_str(), Some(format!("{id}/{checkpoint}.png").as_str()));
    }
}

#[test]
fn evidence_of_all_kinds_and_names_stays_apart() {
    let folder = TempDir::new().unwrap();
    let store = EvidenceStore::new(folder.path());
    let kinds = [EvidenceKind::Expected, EvidenceKind::Actual, EvidenceKind::Difference];
    let mut written = Vec::new();
    for id in ["admin/login", "user/login", "admin"] {
        for checkpoint in ["home", "home.actual", "actual", "home.difference"] {
            for kind in kinds {
                let picture = shade(written.len() as u8);
                let image = store.write(&case(id), kind, &name(checkpoint), &picture).unwrap();
                assert!(image.path.is_relative());
                written.push((image, picture));
            }
        }
    }
    for (image, picture) in &written {
        let bytes = fs::read(folder.path().join(&image.path)).unwrap();
        let limits = cu_run::store::png::Limits::DEFAULT;
        assert_eq!(&cu_run::store::png::decode(&bytes, &limits).unwrap(), picture);
        assert_eq!(image.digest, cu_run::store::PixelDigest::of(picture));
    }
}

#[test]
fn names_of_traversal_never_become_names() {
    for text in ["../../escape", "/tmp/cu-abs", "..", ".", "a/b", "a\\b", "a\0b", "", " ", "con", "~/x\n"] {
        assert!(Name::new(text).is_err(), "{text:?}");
    }
}

#[test]
fn links_that_leave_the_root_are_refused_and_what_they_lead_to_is_untouched() {
    let (folder, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (root, precious) = (folder.path().join("bl"), outside.path().join("home.png"));
    fs::create_dir_all(root.join("t")).unwrap();
    fs::write(&precious, "precious").unwrap();
    symlink(outside.path(), root.join("linked")).unwrap();
    symlink(&precious, root.join("t/home.png")).unwrap();
    symlink(outside.path().join("nowhere.png"), root.join("t/dangling.png")).unwrap();
    symlink("../../..", root.join("up")).unwrap();
    let store = BaselineStore::new(&root);
    for (id, checkpoint) in
        [("linked", "home"), ("linked/deeper", "home"), ("t", "home"), ("t", "dangling"), ("up", "home")]
    {
        for overwrite in [Overwrite::Pictures, Overwrite::AnyFile] {
            let (id, checkpoint) = (case(id), name(checkpoint));
            let error =
                store.accept(&id, &checkpoint, &shade(1), &Fingerprint::default(), overwrite).unwrap_err();
            assert!(matches!(error, StoreError::LeavesRoot { .. }), "{id}: {error:?}");
        }
    }
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert!(fs::symlink_metadata(root.join("t/home.png")).unwrap().is_symlink());
}

#[test]
fn links_within_the_root_are_written_through_and_stay() {
    let folder = TempDir::new().unwrap();
    let store = BaselineStore::new(folder.path());
    accept(&store, "shared", "home", 1).unwrap();
    fs::create_dir(folder.path().join("t")).unwrap();
    symlink("../shared/home.png", folder.path().join("t/home.png")).unwrap();
    symlink("shared", folder.path().join("u")).unwrap();
    accept(&store, "t", "home", 2).unwrap();
    assert!(fs::symlink_metadata(folder.path().join("t/home.png")).unwrap().is_symlink());
    assert_eq!(load(&store, "shared", "home"), shade(2));
    accept(&store, "u", "home", 3).unwrap();
    assert_eq!(load(&store, "shared", "home"), shade(3));
}
