//! What was drawn to: the DAMAGE extension on the root window. Pointer motion draws nothing.

use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        damage::{ConnectionExt as _, Damage as DamageId, ReportLevel},
    },
};

use super::connection::{Connection, Named};
use crate::{desktop::DesktopError, geometry::Region};

/// More regions than this are given as the one that encloses them.
const MOST_REGIONS: usize = 256;

/// Collects what was drawn to since it was last asked.
#[derive(Debug)]
pub(super) struct Damage {
    id: DamageId,
    screen: Region,
    regions: Vec<Region>,
    reports: u64,
}

impl Damage {
    /// Starts to watch.
    pub(super) fn new(connection: &Connection) -> Result<Self, DesktopError> {
        let x = &connection.x;
        x.damage_query_version(1, 1).named("DamageQueryVersion")?.reply().named("DamageQueryVersion")?;
        let id = x.generate_id().named("DamageCreate")?;
        let level = ReportLevel::DELTA_RECTANGLES;
        x.damage_create(id, connection.root, level).named("DamageCreate")?.check().named("DamageCreate")?;
        Ok(Self { id, screen: connection.size.region(), regions: Vec::new(), reports: 0 })
    }

    /// Takes note of an event.
    pub(super) fn absorb(&mut self, event: &Event) {
        let Event::DamageNotify(event) = event else { return };
        self.reports += 1;
        let area = event.area;
        let region = Region::new(area.x.into(), area.y.into(), area.width.into(), area.height.into());
        let Some(region) = region.intersection(self.screen) else { return };
        if self.regions.iter().any(|known| known.encloses(region)) {
            return;
        }
        self.regions.retain(|known| !region.encloses(*known));
        self.regions.push(region);
        if self.regions.len() > MOST_REGIONS
            && let Some(all) = self.regions.drain(..).reduce(Region::union)
        {
            self.regions.push(all);
        }
    }

    /// Whether anything was drawn to.
    pub(super) fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// How often the server has reported damage so far.
    pub(super) fn reports(&self) -> u64 {
        self.reports
    }

    /// Asks the server to report anew what it has reported. Events of drawing done before this must be absorbed
    /// before [`Damage::take`]; so each drawing is either in its answer or reported later, never lost.
    pub(super) fn renew(&self, connection: &Connection) -> Result<(), DesktopError> {
        connection.x.damage_subtract(self.id, x11rb::NONE, x11rb::NONE).map(drop).named("DamageSubtract")
    }

    /// The regions, which are forgotten with this.
    pub(super) fn take(&mut self) -> Vec<Region> {
        std::mem::take(&mut self.regions)
    }
}
