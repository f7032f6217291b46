//! What an author names, found on the screen.
//!
//! Called by the runner; asks the browser (later also the accessibility tree and the pixels) and decides between
//! several matches. It must not know steps or act.

mod dom;

pub use dom::{DomQuery, NotFound, find_element};
