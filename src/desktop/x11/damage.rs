//! What was drawn: the DAMAGE extension on the root window. Pointer motion draws nothing.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        damage::{ConnectionExt as _, Damage as DamageId, ReportLevel},
    },
};

use super::connection::{Connection, Named};
use crate::{
    desktop::{self, DesktopError},
    geometry::Region,
};

/// More regions than this are given as the one that encloses them.
const MOST_REGIONS: usize = 256;

/// Collects what was drawn since it was last asked.
#[derive(Debug)]
pub(super) struct Damage {
    id: DamageId,
    screen: Region,
    /// Each region with the server's time, in milliseconds, of the last drawing to it.
    drawn: Vec<(Region, u32)>,
    /// Drawings reported so far.
    reports: u64,
}

impl Damage {
    /// Starts to watch.
    ///
    /// Every drawing is reported (raw rectangles): the other levels report an area once until it is asked for, so that the
    /// time of the last drawing would be unknown.
    pub(super) fn new(connection: &Connection) -> Result<Self, DesktopError> {
        let x = &connection.x;
        x.damage_query_version(1, 1).named("DamageQueryVersion")?.reply().named("DamageQueryVersion")?;
        let id = x.generate_id().named("DamageCreate")?;
        let level = ReportLevel::RAW_RECTANGLES;
        x.damage_create(id, connection.root, level).named("DamageCreate")?.check().named("DamageCreate")?;
        Ok(Self { id, screen: connection.size.region(), drawn: Vec::new(), reports: 0 })
    }

    /// Takes note of an event.
    pub(super) fn absorb(&mut self, event: &Event) {
        let Event::DamageNotify(event) = event else { return };
        if event.damage != self.id {
            return;
        }
        self.reports += 1;
        let area = event.area;
        let region = Region::new(area.x.into(), area.y.into(), area.width.into(), area.height.into());
        let Some(region) = region.intersection(self.screen) else { return };
        // Events come in the order of their times, so what is enclosed by a later one is not the last drawing there.
        self.drawn.retain(|(known, _)| !region.encloses(*known));
        self.drawn.push((region, event.timestamp));
        if self.drawn.len() > MOST_REGIONS
            && let Some(all) = self.drawn.drain(..).map(|(region, _)| region).reduce(Region::union)
        {
            self.drawn.push((all, event.timestamp));
        }
    }

    /// Whether anything was drawn.
    pub(super) fn is_empty(&self) -> bool {
        self.drawn.is_empty()
    }

    /// How many drawings were reported so far: for whoever only wants to know that there was another one.
    pub(super) const fn reports(&self) -> u64 {
        self.reports
    }

    /// What was drawn, which is forgotten with this.
    pub(super) fn take(&mut self) -> Vec<desktop::Damage> {
        let now = server_time();
        let drawn = std::mem::take(&mut self.drawn);
        drawn.into_iter().map(|(region, time)| desktop::Damage { region, age: age(now, time) }).collect()
    }
}

/// The time that the X server would put into an event: the machine's monotonic clock in milliseconds, modulo 2^32
/// (`GetTimeInMillis` of the server; the display is on this machine).
fn server_time() -> u32 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).wrapping_mul(1000).wrapping_add(now.tv_nsec as u64 / 1_000_000) as u32
}

/// How long before `now` an event of `time` was. The server may read a coarser clock and so be a little ahead.
fn age(now: u32, time: u32) -> Duration {
    let difference = now.wrapping_sub(time);
    // More than half of the range is a time to come.
    Duration::from_millis(if difference > u32::MAX / 2 { 0 } else { u64::from(difference) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_survives_the_overflow_of_the_servers_clock() {
        assert_eq!(age(5, u32::MAX - 4), Duration::from_millis(10));
        assert_eq!(age(100, 103), Duration::ZERO);
        assert_eq!(age(1500, 1000), Duration::from_millis(500));
    }
}
