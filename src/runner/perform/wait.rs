//! Waiting for the screen.

use std::time::Duration;

use crate::scenario::WaitStill;

use super::{
    super::settle::{QUIET, Stillness},
    Done, Stage, Stop,
};

impl Stage<'_> {
    pub(super) fn wait_still(&mut self, still: &WaitStill, limit: Duration) -> Result<Done, Stop> {
        let watched = still.region.unwrap_or_else(|| self.desktop.size().region());
        let quiet = still.quiet.unwrap_or(QUIET);
        self.settle(Stillness { watched, masks: &[], quiet, limit })?;
        Ok(Done::default())
    }
}
