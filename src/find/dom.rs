//! Elements of a page by css.

use thiserror::Error;

use crate::{
    browser::{Browser, BrowserError, Element, IntoView},
    geometry::Region,
};

/// Which element of the page in front is meant.
#[derive(Debug, Clone, Copy)]
pub struct DomQuery<'a> {
    /// The selector.
    pub css: &'a str,
    /// Which of several matches, from 0.
    pub nth: Option<u32>,
    /// Only matches whose point to click lies here.
    pub within: Option<Region>,
}

/// Why there is no single element to act on.
#[derive(Debug, Error)]
pub enum NotFound {
    /// Nothing matches.
    #[error("no visible element matches css `{css}`{}", place(*.within))]
    Nothing {
        /// The selector.
        css: String,
        /// The region that was asked for.
        within: Option<Region>,
    },
    /// Fewer match than `nth` needs.
    #[error("css `{css}` has {found} visible matches, `nth: {nth}` needs more")]
    TooFew {
        /// The selector.
        css: String,
        /// Which was wanted, from 0.
        nth: u32,
        /// How many there are.
        found: usize,
    },
    /// Several match and none was chosen.
    #[error("css `{css}` matches {} elements; name one with `nth` or a narrower selector", .matches.len())]
    Several {
        /// The selector.
        css: String,
        /// Each match: description and region.
        matches: Vec<String>,
    },
    /// The browser could not tell.
    #[error(transparent)]
    Browser(#[from] BrowserError),
}

/// The one element that `query` means.
pub fn find_element(
    browser: &mut dyn Browser,
    query: DomQuery<'_>,
    into_view: IntoView,
) -> Result<Element, NotFound> {
    let mut elements = browser.elements(query.css, into_view)?;
    if let Some(within) = query.within {
        elements.retain(|element| within.contains(element.point));
    }
    let css = query.css.to_owned();
    let found = elements.len();
    match (query.nth, found) {
        (_, 0) => Err(NotFound::Nothing { css, within: query.within }),
        (Some(nth), _) => elements.into_iter().nth(nth as usize).ok_or(NotFound::TooFew { css, nth, found }),
        (None, 1) => Ok(elements.remove(0)),
        (None, _) => Err(NotFound::Several {
            css,
            matches: elements.iter().map(|e| format!("{} at {}", e.description, e.region)).collect(),
        }),
    }
}

fn place(within: Option<Region>) -> String {
    within.map_or_else(String::new, |region| format!(" within {region}"))
}
