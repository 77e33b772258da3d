//! One island as a dense system in scaled units, for the models that solve it whole.

mod anderson;
mod component;
mod gather;
mod islands;
mod law;
mod local;
mod local_block;
mod sweep;
mod system;

use crate::scratch::Room;

pub(super) use anderson::Anderson;
pub(super) use component::solve_component;
pub(crate) use component::{ComponentTask, dense_contacts, scaled_units};
pub(super) use islands::{IslandRun, IslandScratch, run_islands};
pub(super) use law::{DISCS, Disc, Entry};
pub(super) use sweep::sweep;
pub(super) use system::{System, dot};

/// Room for the dense models.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseScratch {
    pub(super) islands: IslandScratch,
    pub(super) system: System,
    pub(super) normals: super::active_set::Normals,
    pub(super) newton: super::ncp_newton::Newton,
}

impl DenseScratch {
    /// Makes room for problems up to that size with islands of at most `most` rows: what is larger is swept.
    pub(crate) fn reserve(&mut self, room: &Room, most: usize) {
        let n = most.min(6 * room.points);
        self.islands.reserve(room);
        self.system.reserve(n, room.dofs);
        self.normals.reserve(n);
        self.newton.reserve(n);
    }
}
