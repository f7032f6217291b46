//! Regressions: a page on which one thing was changed.

use image::RgbImage;

use crate::{
    Outcome,
    corpus::{Corpus, Pair},
    site::Site,
    stage::{Stage, Told},
};

/// How many seeds are tried before another kind of change gets its turn.
const TRIES: u32 = 4;

/// How many kinds of change the script knows.
const KINDS: u32 = 44;

/// Adds `wanted` regressions of a page, of kinds that take turns over all pages.
pub(crate) fn render(
    site: &Site,
    number: u32,
    page: &str,
    seed: u32,
    wanted: u32,
    corpus: &mut Corpus,
) -> Outcome<()> {
    let mut stage = Stage::open()?;
    let base = stage.show(&site.url(page, ""))?;
    let name = page.trim_end_matches(".html");
    let expected = corpus.keep(&format!("{name}-base"), &base)?;
    let masks = stage.clocks()?;
    // Where one page stops, the next goes on.
    let (mut turn, mut made) = ((number + seed * 3) * wanted, 0);
    let last = turn + 4 * KINDS;
    while made < wanted && turn < last {
        if let Some((told, actual)) = changed(&mut stage, site, page, turn, seed, &base)? {
            let pair = Pair {
                id: format!("{name}-{turn:03}"),
                page: page.to_owned(),
                kind: told.kind,
                what: told.what,
                expected: expected.clone(),
                actual: String::new(),
                masks: masks.clone(),
                changed: Some(told.region),
            };
            corpus.add(pair, &base, &actual)?;
            made += 1;
        }
        turn += 1;
    }
    Ok(())
}

/// A change of the kind whose turn it is. One that changes no pixel at all is none: another seed is tried.
fn changed(
    stage: &mut Stage,
    site: &Site,
    page: &str,
    turn: u32,
    seed: u32,
    base: &RgbImage,
) -> Outcome<Option<(Told, RgbImage)>> {
    for attempt in 0..TRIES {
        let query = format!("?mutate={}&seed={}", turn % KINDS, seed * 1_000_000 + turn * TRIES + attempt);
        let Some((told, actual)) = stage.show_changed(&site.url(page, &query))? else { return Ok(None) };
        let clocks = stage.clocks()?;
        let differs = base.enumerate_pixels().zip(actual.pixels()).any(|((x, y, before), after)| {
            let point = cu_run::geometry::Point::new(x as i32, y as i32);
            before != after && !clocks.iter().any(|clock| clock.contains(point))
        });
        if differs {
            return Ok(Some((told, actual)));
        }
        println!("{page}: {} ({}) shows nothing", told.kind, told.what);
    }
    Ok(None)
}
