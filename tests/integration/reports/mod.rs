//! Reports as a reader gets them.

mod html;
mod sample;
