//! A display with a browser on it, as these tests want it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use cu_run::{
    browser::{
        Browser, BrowserError, BrowserSource, BrowserSpec, ChromiumConfig, ChromiumSource, ColorScheme,
        Element, Frame, Freeze, IntoView, NavigateOptions, Navigation, Preset,
    },
    clock::{Clock, SystemClock},
    desktop::{Desktop, DesktopSource, DesktopSpec, WindowManager, XvfbConfig, XvfbSource},
    geometry::{Point, Region, Size},
    input::{Button, KeyChord, Press},
};
use image::{Rgb, RgbImage};
use tempfile::TempDir;

pub(crate) const SCREEN: Size = Size::new(1000, 700);

pub(crate) struct Stage {
    pub(crate) browser: Box<dyn Browser>,
    pub(crate) display: Display,
}

/// A display and the folder of its logs.
pub(crate) struct Display {
    pub(crate) desktop: Box<dyn Desktop>,
    _logs: TempDir,
}

impl Display {
    pub(crate) fn open() -> Self {
        Self::with(WindowManager::Openbox)
    }

    pub(crate) fn with(window_manager: WindowManager) -> Self {
        let logs = tempfile::tempdir().unwrap();
        let config = XvfbConfig {
            host_program: Some(env!("CARGO_BIN_EXE_cu-run").into()),
            start_timeout: Duration::from_secs(60),
            ..XvfbConfig::default()
        };
        let log_dir = logs.path().to_owned();
        let spec = DesktopSpec { size: SCREEN, window_manager, log_dir, env: [].into() };
        Self { desktop: XvfbSource::new(config).open(&spec).unwrap(), _logs: logs }
    }

    pub(crate) fn browser(&mut self, spec: &BrowserSpec) -> Box<dyn Browser> {
        source().open(&mut *self.desktop, spec).unwrap()
    }
}

pub(crate) fn spec() -> BrowserSpec {
    BrowserSpec {
        frame: Frame::PageOnly,
        freeze: Freeze::Frozen,
        frozen_clock_ms: None,
        color_scheme: ColorScheme::Light,
        executable: None,
        extra_flags: Vec::new(),
        preset: Preset::default(),
        start_timeout: Duration::from_secs(60),
    }
}

/// Options that fail a test only when something hangs.
pub(crate) fn patient() -> NavigateOptions {
    NavigateOptions { timeout: Duration::from_secs(60), expect_status: None }
}

pub(crate) fn within(timeout: Duration) -> NavigateOptions {
    NavigateOptions { timeout, expect_status: None }
}

pub(crate) fn source() -> ChromiumSource {
    ChromiumSource::new(ChromiumConfig::default(), Arc::new(SystemClock))
}

impl Stage {
    pub(crate) fn open() -> Self {
        Self::with(&spec())
    }

    pub(crate) fn with(spec: &BrowserSpec) -> Self {
        let mut display = Display::open();
        let browser = display.browser(spec);
        Self { browser, display }
    }

    pub(crate) fn go(&mut self, url: &str) -> Navigation {
        self.browser.navigate(url, &patient()).unwrap()
    }

    /// Shows markup.
    pub(crate) fn show(&mut self, html: &str) {
        let path: PathBuf = self.display.desktop.home().join("page.html");
        std::fs::write(&path, format!("<!doctype html><meta charset=utf-8>{html}")).unwrap();
        self.go(&format!("file://{}", path.display()));
    }

    pub(crate) fn refusal(&mut self, url: &str) -> BrowserError {
        self.browser.navigate(url, &patient()).unwrap_err()
    }

    pub(crate) fn find(&mut self, css: &str) -> Vec<Element> {
        self.browser.elements(css, IntoView::Leave).unwrap()
    }

    pub(crate) fn one(&mut self, css: &str) -> Element {
        let mut found = self.find(css);
        assert_eq!(found.len(), 1, "{css}: {found:?}");
        found.remove(0)
    }

    pub(crate) fn screen(&mut self) -> RgbImage {
        self.display.desktop.capture(SCREEN.region()).unwrap()
    }

    /// The box of all pixels of a colour, waited for until it has been the same twice.
    pub(crate) fn painted(&mut self, colour: [u8; 3]) -> Region {
        let mut last = None;
        for _ in 0..400 {
            let seen = box_of(&self.screen(), Rgb(colour));
            if let Some(seen) = seen.filter(|_| seen == last) {
                return seen;
            }
            last = seen;
            SystemClock.sleep(Duration::from_millis(50));
        }
        panic!("nothing on the screen has the colour {colour:?}")
    }

    pub(crate) fn click(&mut self, at: Point) {
        self.display.desktop.move_pointer(at).unwrap();
        self.display.desktop.button(Button::Left, Press::Down).unwrap();
        SystemClock.sleep(Duration::from_millis(20));
        self.display.desktop.button(Button::Left, Press::Up).unwrap();
    }

    /// Presses and releases keys together.
    pub(crate) fn chord(&mut self, keys: &str) {
        let chord = KeyChord::parse(keys).unwrap();
        self.display.desktop.chord(&chord, Press::Down, false).unwrap();
        self.display.desktop.chord(&chord, Press::Up, false).unwrap();
    }

    /// The processes of the first browser with their command lines.
    pub(crate) fn browser_processes(&self) -> Vec<(i32, String)> {
        let profile = self.display.desktop.home().join(".chromium-1").display().to_string();
        let process = |entry: std::fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            Some((pid, String::from_utf8_lossy(&line).replace('\0', " ")))
        };
        let all = std::fs::read_dir("/proc").unwrap().flatten().filter_map(process);
        all.filter(|(_, line)| line.contains(&profile)).collect()
    }

    /// The browser's own process.
    pub(crate) fn browser_pid(&self) -> i32 {
        let processes = self.browser_processes();
        let found: Vec<_> = processes.iter().filter(|(_, line)| !line.contains("--type=")).collect();
        assert!(!found.is_empty(), "no browser process");
        found[0].0
    }

    /// Waits until the page's title is this.
    pub(crate) fn await_title(&mut self, title: &str) {
        let mut last = String::new();
        for _ in 0..400 {
            last = self.browser.location().unwrap().title;
            if last == title {
                return;
            }
            SystemClock.sleep(Duration::from_millis(25));
        }
        panic!("the title is {last:?}, not {title:?}")
    }
}

pub(crate) fn box_of(image: &RgbImage, colour: Rgb<u8>) -> Option<Region> {
    image
        .enumerate_pixels()
        .filter(|(_, _, pixel)| **pixel == colour)
        .map(|(x, y, _)| Region::new(x as i32, y as i32, 1, 1))
        .reduce(Region::union)
}
