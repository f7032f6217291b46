//! What the programs of a case see instead of the user's environment and settings.
//!
//! Only a few variables of the machine come through, so that a screenshot does not depend on who took it: no session
//! bus, no user settings, one time zone, one locale, a caret that does not blink and no animations.

use std::{collections::BTreeMap, env, ffi::OsString, path::PathBuf};

use super::{DesktopError, case_folder::CaseFolder};

/// An environment.
pub(super) type Variables = BTreeMap<OsString, OsString>;

/// Variables that programs get from the runner's environment.
const PASSED_ON: [&str; 3] = ["PATH", "USER", "LOGNAME"];

/// Variables with fixed values.
const FIXED: &[(&str, &str)] = &[
    ("TZ", "UTC"),
    ("LANG", "C.UTF-8"),
    ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
    ("XDG_CONFIG_DIRS", "/etc/xdg"),
    // No bus unless asked for: a keyring or a portal of the user must not answer. `disabled:` also keeps programs from
    // starting one.
    ("DBUS_SESSION_BUS_ADDRESS", "disabled:"),
    ("NO_AT_BRIDGE", "1"),
    ("GSETTINGS_BACKEND", "memory"),
    ("GIO_USE_VFS", "local"),
    ("GDK_BACKEND", "x11"),
    ("GDK_SCALE", "1"),
    ("GTK_OVERLAY_SCROLLING", "0"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("QT_SCALE_FACTOR", "1"),
    ("LIBGL_ALWAYS_SOFTWARE", "1"),
    // Keys become characters in the program itself; no input method comes between.
    ("XMODIFIERS", "@im=none"),
    ("GTK_IM_MODULE", "gtk-im-context-simple"),
    ("QT_IM_MODULE", "compose"),
];

const GTK_SETTINGS: &str = "[Settings]\n\
    gtk-theme-name=Adwaita\n\
    gtk-cursor-blink=0\n\
    gtk-enable-animations=0\n\
    gtk-xft-antialias=1\n\
    gtk-xft-hinting=0\n\
    gtk-xft-hintstyle=hintnone\n\
    gtk-xft-rgba=none\n\
    gtk-xft-dpi=98304\n\
    gtk-recent-files-enabled=0\n";

const GTK2_SETTINGS: &str = "gtk-cursor-blink = 0\n\
    gtk-xft-antialias = 1\n\
    gtk-xft-hinting = 0\n\
    gtk-xft-hintstyle = \"hintnone\"\n\
    gtk-xft-rgba = \"none\"\n\
    gtk-xft-dpi = 98304\n";

/// The machine's fonts and names for them, but drawn without anything that depends on a monitor. Assigned for the
/// pattern and again for the font, because programs look at either.
const FONTS: &str = r#"<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir>/var/cache/fontconfig</cachedir>
@SHARED_CACHE@
  <match target="pattern">@RENDERING@
  </match>
  <match target="font">@RENDERING@
  </match>
</fontconfig>
"#;

const RENDERING: &str = r#"
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="autohint" mode="assign"><bool>false</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
    <edit name="lcdfilter" mode="assign"><const>lcdnone</const></edit>"#;

/// Writes the settings of toolkits and fonts into the case's folder.
pub(super) fn write_settings(folder: &CaseFolder) -> Result<(), DesktopError> {
    folder.write("home/.config/gtk-3.0/settings.ini", GTK_SETTINGS.as_bytes())?;
    folder.write("home/.config/gtk-4.0/settings.ini", GTK_SETTINGS.as_bytes())?;
    folder.write("home/.gtkrc-2.0", GTK2_SETTINGS.as_bytes())?;
    // Reading all fonts anew in each case would cost more than starting its display.
    let cache = shared_font_cache().map(|path| format!("  <cachedir>{}</cachedir>", path.display()));
    let fonts = FONTS.replace("@RENDERING@", RENDERING).replace("@SHARED_CACHE@", &cache.unwrap_or_default());
    folder.write("fonts.conf", fonts.as_bytes()).map(drop)
}

/// Where fontconfig keeps what it learnt when the machine's own cache is out of date and cannot be written.
fn shared_font_cache() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| env::home_dir().map(|home| home.join(".cache")))?;
    let path = cache.join("cu-run").join("fontconfig");
    // The path becomes part of an XML file.
    path.to_str().is_some_and(|text| !text.contains(['<', '&'])).then_some(path)
}

/// The environment of the X server, which needs programs and tables of the machine and nothing of the user.
pub(super) fn server(folder: &CaseFolder) -> Variables {
    let path = env::var_os("PATH").map(|path| ("PATH".into(), path));
    let fixed = [
        ("HOME".into(), folder.home().into_os_string()),
        ("TMPDIR".into(), folder.path().join("tmp").into_os_string()),
        ("LANG".into(), "C.UTF-8".into()),
    ];
    path.into_iter().chain(fixed).collect()
}

/// The environment of everything that runs on the display.
pub(super) fn base(folder: &CaseFolder, display: u32) -> Variables {
    let inside = |name: &str| folder.path().join(name).into_os_string();
    let passed_on = PASSED_ON.iter().filter_map(|name| Some(((*name).into(), env::var_os(name)?)));
    let fixed = FIXED.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let own = [
        ("DISPLAY", format!(":{display}").into()),
        ("XAUTHORITY", inside("Xauthority")),
        ("HOME", inside("home")),
        ("XDG_CONFIG_HOME", inside("home/.config")),
        ("XDG_CACHE_HOME", inside("home/.cache")),
        ("XDG_DATA_HOME", inside("home/.local/share")),
        ("XDG_STATE_HOME", inside("home/.local/state")),
        ("XDG_RUNTIME_DIR", inside("runtime")),
        ("TMPDIR", inside("tmp")),
        ("FONTCONFIG_FILE", inside("fonts.conf")),
        ("GTK2_RC_FILES", inside("home/.gtkrc-2.0")),
    ];
    passed_on.chain(fixed).chain(own.map(|(name, value)| (name.into(), value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_variables_come_through() {
        let root = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(root.path()).unwrap();
        let found = base(&folder, 7);
        assert_eq!(found[&OsString::from("DISPLAY")], ":7");
        assert!(found[&OsString::from("HOME")].to_str().unwrap().starts_with(root.path().to_str().unwrap()));
        // Cargo sets this for every test.
        assert!(env::var_os("CARGO_PKG_NAME").is_some());
        assert!(!found.contains_key(&OsString::from("CARGO_PKG_NAME")));
    }

    #[test]
    fn the_font_settings_are_whole() {
        let root = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(root.path()).unwrap();
        write_settings(&folder).unwrap();
        let fonts = std::fs::read_to_string(folder.path().join("fonts.conf")).unwrap();
        assert!(!fonts.contains('@'), "{fonts}");
    }
}
