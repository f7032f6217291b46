//! Where Chromium is, and the flags and profile it is started with.

use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{BrowserError, BrowserSpec, Frame, Freeze};
use crate::{desktop::DesktopError, geometry::Size};

/// The names under which distributions install it, in order of preference.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The programs behind the distributions' wrapper scripts.
const PROGRAMS: [&str; 3] =
    ["/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/opt/google/chrome/chrome"];

/// Below this much free shared memory Chromium is told to use files in the temporary folder; containers have 64 MB.
const SHARED_MEMORY_WANTED: u64 = 512 << 20;

/// Flags that every browser is started with. What each is worth is written in `docs/performance.md`.
const FLAGS: &[&str] = &[
    "--remote-debugging-pipe",
    // The window is made by a command once the window manager is there, so that the start need not wait for it.
    "--no-startup-window",
    // Nothing may cover or move the page, and nothing may be asked.
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-infobars",
    "--disable-session-crashed-bubble",
    "--disable-notifications",
    "--disable-search-engine-choice-screen",
    "--password-store=basic",
    "--use-mock-keychain",
    // Nothing may phone home or be fetched meanwhile.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-sync",
    "--disable-quic",
    "--disable-breakpad",
    "--no-pings",
    "--metrics-recording-only",
    // A covered or unfocused window must draw and run timers like any other.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // A page that comes back from this cache has no load event.
    "--disable-back-forward-cache",
    // Pixels that do not depend on the machine.
    "--force-device-scale-factor=1",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-smooth-scrolling",
    // Whether a tile is rastered whole or in part depends on timing, and shows at rounded corners by a level or two:
    // of 10 runs of one page without this, 3 differed from the others.
    "--disable-partial-raster",
    "--window-position=0,0",
];

const ENABLE: &str = "--enable-features=";
const DISABLE: &str = "--disable-features=";

/// Features that talk to servers, show bubbles, or keep a second renderer warm that no case needs.
const FEATURES_OFF: &[&str] = &[
    "Translate",
    "MediaRouter",
    "OptimizationHints",
    "OptimizationGuideModelDownloading",
    "InterestFeedContentSuggestions",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "SpareRendererForSitePerProcess",
    "HttpsUpgrades",
    "PaintHolding",
    // Each keeps a renderer of its own ready for the pop-up of an address bar that nobody types into.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
];

/// The network service as a thread of the browser: one process less, and a fifth less work at each start.
const FEATURES_ON: &[&str] = &["NetworkServiceInProcess2"];

/// The browser to start: the given one, or the first found on this machine.
pub(super) fn find(given: Option<&Path>) -> Result<PathBuf, BrowserError> {
    let path = env::var_os("PATH").unwrap_or_default();
    find_in(given, &path, &PROGRAMS.map(Path::new))
}

fn find_in(given: Option<&Path>, path: &OsStr, programs: &[&Path]) -> Result<PathBuf, BrowserError> {
    if let Some(given) = given {
        let missing = || BrowserError::Missing { looked_for: vec![given.display().to_string()] };
        return if given.is_file() { Ok(given.to_owned()) } else { Err(missing()) };
    }
    let on_path = |name: &str| env::split_paths(path).map(|dir| dir.join(name)).find(|file| file.is_file());
    let program = || programs.iter().find(|program| program.is_file()).map(|program| program.to_path_buf());
    match NAMES.iter().find_map(|name| on_path(name)) {
        // A distribution's wrapper adds flags from its own settings, which change pixels from machine to machine,
        // and costs some processes at each start.
        Some(found) if is_script(&found) => Ok(program().unwrap_or(found)),
        Some(found) => Ok(found),
        None => program().ok_or_else(|| BrowserError::Missing {
            looked_for: NAMES
                .iter()
                .map(|name| (*name).to_owned())
                .chain(programs.iter().map(|program| program.display().to_string()))
                .collect(),
        }),
    }
}

fn is_script(file: &Path) -> bool {
    let mut start = [0; 2];
    File::open(file).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

/// The command line, without the program.
pub(super) fn arguments(spec: &BrowserSpec, profile: &Path, screen: Size) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    flags.push(format!("--user-data-dir={}", profile.display()));
    flags.push(format!("--window-size={},{}", screen.width, screen.height));
    if spec.frame == Frame::PageOnly {
        // In kiosk mode no bubble says how to leave the full screen.
        flags.push("--kiosk".to_owned());
    }
    if spec.freeze == Freeze::Frozen {
        // Animated pictures show their first frame (`ImageAnimationPolicy::kNoAnimation`).
        flags.push("--blink-settings=imageAnimationPolicy=2".to_owned());
    }
    if rustix::process::geteuid().is_root() {
        // Chromium's sandbox refuses to run as root; without `--test-type` a bar about it moves the page.
        flags.extend(["--no-sandbox", "--test-type"].map(str::to_owned));
    }
    if shared_memory_is_small() {
        flags.push("--disable-dev-shm-usage".to_owned());
    }
    // Of a list that is given twice Chromium takes the last one, so a case's features are added to those from here.
    let is_list = |flag: &&String| [ENABLE, DISABLE].iter().any(|list| flag.starts_with(list));
    flags.push(features(ENABLE, FEATURES_ON, &spec.extra_flags));
    flags.push(features(DISABLE, FEATURES_OFF, &spec.extra_flags));
    flags.extend(spec.extra_flags.iter().filter(|flag| !is_list(flag)).cloned());
    flags
}

fn features(list: &str, own: &[&str], extra_flags: &[String]) -> String {
    let extra = extra_flags.iter().filter_map(|flag| flag.strip_prefix(list));
    let all: Vec<&str> = own.iter().copied().chain(extra).collect();
    format!("{list}{}", all.join(","))
}

/// The device scale factor that the flags ask for; the last one counts.
pub(super) fn device_scale(for_all: &[String], for_this: &[String]) -> f64 {
    let mut asked =
        for_all.iter().chain(for_this).filter_map(|flag| flag.strip_prefix("--force-device-scale-factor="));
    asked.next_back().and_then(|scale| scale.parse().ok()).filter(|scale| *scale > 0.0).unwrap_or(1.0)
}

fn shared_memory_is_small() -> bool {
    rustix::fs::statvfs("/dev/shm").is_ok_and(|stat| stat.f_bavail * stat.f_frsize < SHARED_MEMORY_WANTED)
}

/// Makes a fresh profile below `home` and returns its folder and the number it got there.
pub(super) fn fresh_profile(home: &Path) -> Result<(PathBuf, u32), BrowserError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| BrowserError::Desktop(DesktopError::File { path, source })
    };
    let mut number = 1;
    let profile = loop {
        let profile = home.join(format!(".chromium-{number}"));
        match fs::create_dir(&profile) {
            Ok(()) => break profile,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(failed(&profile)(error)),
        }
    };
    let default = profile.join("Default");
    fs::create_dir(&default).map_err(failed(&default))?;
    let preferences = default.join("Preferences");
    fs::write(&preferences, preferences_text(home)).map_err(failed(&preferences))?;
    Ok((profile, number))
}

/// What must be set before the first start: nothing may pop up over the page.
fn preferences_text(home: &Path) -> String {
    json!({
        "credentials_enable_service": false,
        "credentials_enable_autosignin": false,
        "profile": {
            "password_manager_enabled": false,
            "password_manager_leak_detection": false,
            "exit_type": "Normal",
            "exited_cleanly": true,
            "default_content_setting_values": { "notifications": 2, "geolocation": 2 },
        },
        "autofill": { "profile_enabled": false, "credit_card_enabled": false },
        "translate": { "enabled": false },
        "browser": { "has_seen_welcome_page": true, "check_default_browser": false },
        "session": { "restore_on_startup": 5 },
        "download": { "default_directory": home.join("Downloads"), "prompt_for_download": false },
        "savefile": { "default_directory": home.join("Downloads") },
        "safebrowsing": { "enabled": false },
        "search": { "suggest_enabled": false },
        "signin": { "allowed": false },
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::PermissionsExt, time::Duration};

    use super::*;
    use crate::browser::{ColorScheme, Preset};

    fn install(dir: &Path, name: &str, content: &str) -> PathBuf {
        let file = dir.join(name);
        fs::write(&file, content).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    fn spec(frame: Frame) -> BrowserSpec {
        BrowserSpec {
            frame,
            freeze: Freeze::Frozen,
            frozen_clock_ms: None,
            color_scheme: ColorScheme::Light,
            executable: None,
            extra_flags: vec!["--mine".to_owned()],
            preset: Preset::default(),
            start_timeout: Duration::from_secs(1),
        }
    }

    #[test]
    fn the_program_behind_a_wrapper_script_is_started_itself() {
        let dir = tempfile::tempdir().unwrap();
        let wrapper = install(dir.path(), "chromium", "#!/bin/sh\n");
        let program = install(dir.path(), "behind", "\x7fELF");
        assert_eq!(find_in(None, dir.path().as_os_str(), &[&program]).unwrap(), program);
        assert_eq!(find_in(None, dir.path().as_os_str(), &[]).unwrap(), wrapper);
    }

    #[test]
    fn a_browser_that_is_nowhere_is_an_error_that_lists_where_it_was_looked_for() {
        let dir = tempfile::tempdir().unwrap();
        let missing = find_in(None, dir.path().as_os_str(), &[]).unwrap_err();
        assert!(missing.to_string().contains("google-chrome-stable"), "{missing}");
        let given = find_in(Some(Path::new("/nowhere/chrome")), dir.path().as_os_str(), &[]).unwrap_err();
        assert!(given.to_string().contains("/nowhere/chrome"), "{given}");
    }

    #[test]
    fn only_the_bare_page_is_a_kiosk_and_extra_flags_come_last() {
        let arguments = |frame| arguments(&spec(frame), Path::new("/p"), Size::new(800, 600));
        assert!(arguments(Frame::PageOnly).contains(&"--kiosk".to_owned()));
        assert!(!arguments(Frame::Shown).contains(&"--kiosk".to_owned()));
        assert_eq!(arguments(Frame::Shown).last().unwrap(), "--mine");
    }

    #[test]
    fn features_of_a_case_are_added_to_the_own_ones() {
        let extra_flags = vec!["--disable-features=Mine,Yours".to_owned()];
        let arguments =
            arguments(&BrowserSpec { extra_flags, ..spec(Frame::Shown) }, Path::new("/p"), Size::new(8, 6));
        let lists: Vec<_> = arguments.iter().filter(|flag| flag.starts_with(DISABLE)).collect();
        assert_eq!(lists.len(), 1);
        assert!(lists[0].starts_with("--disable-features=Translate,") && lists[0].ends_with(",Mine,Yours"));
    }

    #[test]
    fn the_device_scale_is_the_last_one_asked_for() {
        let flags = |text: &str| vec![text.to_owned()];
        let factor = flags("--force-device-scale-factor=1.5");
        assert!((device_scale(&factor, &flags("--mine")) - 1.5).abs() < f64::EPSILON);
        assert!((device_scale(&factor, &flags("--force-device-scale-factor=x")) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn each_profile_is_new() {
        let home = tempfile::tempdir().unwrap();
        let (first, one) = fresh_profile(home.path()).unwrap();
        let (second, two) = fresh_profile(home.path()).unwrap();
        assert_ne!(first, second);
        assert_eq!((one, two), (1, 2));
        assert!(second.join("Default/Preferences").is_file());
    }
}
