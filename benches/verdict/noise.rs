//! Noise: pages that a person would call unchanged.

use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use cu_run::{
    clock::{Clock, SystemClock},
    geometry::{Point, Region, Size},
    input::Button,
};
use image::RgbImage;

use crate::{
    Outcome,
    corpus::{Corpus, Pair},
    site::Site,
    stage::{SCREEN, Stage},
};

/// Beside the panels of every page, where nothing is hovered.
const BESIDE: Point = Point::new(6, SCREEN.height as i32 / 2);

/// What the script of a page does and takes back.
const DISTURBANCES: [&str; 12] = [
    "text",
    "theme",
    "focus",
    "hidden",
    "faded",
    "rounded",
    "layer",
    "scroll",
    "toast",
    "selection",
    "resize",
    "late",
];

/// The kinds of change that move nothing else (missing element, text colour, equal-luma fill, missing icon), so that
/// masking them must leave nothing.
const LOCAL: [u32; 4] = [4, 5, 8, 12];

/// Around a masked change, in pixels: letters and shadows reach past the boxes of their elements.
const MARGIN: i32 = 12;

/// Adds the noise pairs of a page. The accepted picture is the one of the regressions.
pub(crate) fn render(site: &Site, number: u32, page: &str, seed: u32, corpus: &mut Corpus) -> Outcome<()> {
    let name = page.trim_end_matches(".html");
    let mut stage = Stage::open()?;
    let base = stage.show(&site.url(page, ""))?;
    let mut book = Book {
        page: page.to_owned(),
        expected: corpus.keep(&format!("{name}-again"), &base)?,
        masks: stage.clocks()?,
        base,
        corpus,
    };
    let again = book.base.clone();
    book.against(&format!("{name}-base.png"), "fresh display", &again)?;

    SystemClock.sleep(Duration::from_millis(1100));
    let later = stage.still()?;
    book.add("a second later", "nothing happened", &later)?;
    hover_and_leave(&mut stage)?;
    let left = stage.still()?;
    book.add("hover and leave", "the pointer over five elements", &left)?;
    wheel(&mut stage)?;
    let wheeled = stage.still()?;
    book.add("wheel forth and back", "three notches", &wheeled)?;

    for turn in 0..4 {
        let disturbance = DISTURBANCES[(number as usize * 4 + turn + seed as usize) % DISTURBANCES.len()];
        let query = format!("?disturb={disturbance}&seed={}", seed * 1000 + number * 10 + turn as u32);
        if let Some((told, actual)) = stage.show_changed(&site.url(page, &query))? {
            book.add(&format!("{disturbance} and back"), &told.what, &actual)?;
        }
    }
    for (turn, kind) in LOCAL.into_iter().enumerate() {
        let query = format!("?mutate={kind}&seed={}", seed * 7919 + number * 10 + turn as u32);
        if let Some((told, actual)) = stage.show_changed(&site.url(page, &query))? {
            let masks = [book.masks.clone(), vec![grown(told.region)]].concat();
            book.add_masked(&format!("masked {}", told.kind), &told.what, &actual, masks)?;
        }
    }
    let busy = under_load(|| Stage::open()?.show(&site.url(page, "")))?;
    book.add("fresh display, busy machine", "four threads that compute", &busy)
}

/// What the noise pairs of one page have in common.
struct Book<'a> {
    page: String,
    expected: String,
    masks: Vec<Region>,
    base: RgbImage,
    corpus: &'a mut Corpus,
}

impl Book<'_> {
    fn add(&mut self, kind: &str, what: &str, actual: &RgbImage) -> Outcome<()> {
        self.add_masked(kind, what, actual, self.masks.clone())
    }

    fn add_masked(&mut self, kind: &str, what: &str, actual: &RgbImage, masks: Vec<Region>) -> Outcome<()> {
        let pair = self.pair(kind, what, masks);
        self.corpus.add(pair, &self.base, actual)
    }

    /// A pair whose accepted picture is another file.
    fn against(&mut self, expected: &str, kind: &str, actual: &RgbImage) -> Outcome<()> {
        let mut pair = self.pair(kind, "another display", self.masks.clone());
        expected.clone_into(&mut pair.expected);
        pair.actual.clone_from(&pair.expected);
        let (base, _) = self.corpus.pictures(&pair)?;
        self.corpus.add(pair, &base, actual)
    }

    fn pair(&self, kind: &str, what: &str, masks: Vec<Region>) -> Pair {
        let count = self.corpus.pairs.len();
        Pair {
            id: format!("{}-noise-{count:03}", self.page.trim_end_matches(".html")),
            page: self.page.clone(),
            kind: kind.to_owned(),
            what: what.to_owned(),
            expected: self.expected.clone(),
            actual: String::new(),
            masks,
            changed: None,
        }
    }
}

fn grown(region: Region) -> Region {
    let Size { width, height } = region.size();
    let grow = 2 * MARGIN as u32;
    Region::new(region.x - MARGIN, region.y - MARGIN, width + grow, height + grow)
}

/// Over links, buttons and fields by real motion, and away from them.
fn hover_and_leave(stage: &mut Stage) -> Outcome<()> {
    let found = stage.regions("a, button, input, tr")?;
    for region in found.iter().step_by(found.len() / 5 + 1) {
        stage.desktop.move_pointer(region.centre())?;
        stage.still()?;
    }
    Ok(stage.desktop.move_pointer(BESIDE)?)
}

fn wheel(stage: &mut Stage) -> Outcome<()> {
    stage.desktop.move_pointer(BESIDE)?;
    for button in [Button::ScrollDown, Button::ScrollUp] {
        for _ in 0..3 {
            stage.press(button)?;
        }
        stage.still()?;
    }
    Ok(stage.desktop.move_pointer(BESIDE)?)
}

/// Does `work` while threads keep every core busy.
fn under_load<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut sum = 0_u64;
                while !done.load(Ordering::Relaxed) {
                    sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
                }
            });
        }
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}
