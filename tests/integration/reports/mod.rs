//! What a finished or running run leaves behind: `run.json`, `junit.xml`, `report.html`, the summary and the action log.

#![expect(clippy::unwrap_used, reason = "what a test is built from fails by panicking too")]

mod action_log;
mod attachments;
mod chromium;
mod html;
mod json;
mod junit;
mod reader;
mod sample;
mod summary;
mod support;
