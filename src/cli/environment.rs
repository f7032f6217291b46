//! Facts about this machine that pixels depend on.

use std::{collections::BTreeMap, fs, path::Path};

use crate::runner::RECIPE;

/// Where fonts are installed (Debian's fontconfig, `fonts.conf`).
const FONT_FOLDERS: &[&str] = &["/usr/share/fonts", "/usr/local/share/fonts"];

/// The facts that belong into every baseline's fingerprint. The browser's version and the size of the display are
/// added by the case.
pub(super) fn facts() -> BTreeMap<String, String> {
    BTreeMap::from([
        ("arch".to_owned(), std::env::consts::ARCH.to_owned()),
        ("dpi".to_owned(), "96".to_owned()),
        ("fonts".to_owned(), fonts_digest(FONT_FOLDERS)),
        ("recipe".to_owned(), RECIPE.to_owned()),
    ])
}

/// A digest of the names and sizes of all installed fonts: cheap, and another font or version changes it.
fn fonts_digest(folders: &[&str]) -> String {
    let mut fonts = Vec::new();
    for folder in folders {
        list_fonts(Path::new(folder), &mut fonts);
    }
    fonts.sort();
    let mut hasher = blake3::Hasher::new();
    for (path, size) in &fonts {
        hasher.update(path.as_bytes()).update(&[0]).update(&size.to_le_bytes());
    }
    format!("{} files, {}", fonts.len(), &hasher.finalize().to_hex()[..12])
}

fn list_fonts(folder: &Path, fonts: &mut Vec<(String, u64)>) {
    // A folder that is not there or not readable has no fonts for the browser either.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            list_fonts(&path, fonts);
        } else if is_font(&path) {
            fonts.push((path.to_string_lossy().into_owned(), metadata.len()));
        }
    }
}

fn is_font(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["ttf", "otf", "ttc", "pfb", "pcf", "gz", "woff", "woff2"]
        .contains(&extension.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_font_changes_the_digest() {
        let folder = tempfile::tempdir().unwrap();
        let digest = || fonts_digest(&[folder.path().to_str().unwrap()]);
        fs::write(folder.path().join("a.ttf"), "12").unwrap();
        let before = digest();
        assert_eq!(before, digest());
        fs::write(folder.path().join("readme.txt"), "no font").unwrap();
        assert_eq!(before, digest());
        fs::write(folder.path().join("b.ttf"), "12").unwrap();
        assert_ne!(before, digest());
    }
}
