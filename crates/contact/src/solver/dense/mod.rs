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
use std::sync::{Mutex, PoisonError};

pub(super) use anderson::Anderson;
pub(super) use component::solve_component;
pub(crate) use component::{ComponentTask, dense_contacts, scaled_units};
pub(super) use islands::{IslandRun, IslandScratch, run_islands};
pub(super) use law::{DISCS, Disc, Entry};
pub(super) use sweep::sweep;
pub(super) use system::{System, dot};

/// Room for the dense models.
#[derive(Debug, Default)]
pub(crate) struct DenseScratch {
    pub(super) islands: IslandScratch,
    pub(super) room: IslandRoom,
    /// The same for each further thread, and what it has to hold.
    others: Vec<Mutex<IslandRoom>>,
    most: usize,
    expected: Room,
}

/// Room for one island.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandRoom {
    pub(super) system: System,
    pub(super) normals: super::active_set::Normals,
    pub(super) newton: super::ncp_newton::Newton,
}

impl DenseScratch {
    /// Makes room for problems up to that size with islands of at most `most` rows: what is larger is swept.
    pub(crate) fn reserve(&mut self, room: &Room, most: usize) {
        (self.most, self.expected) = (most, *room);
        self.islands.reserve(room);
        self.room.reserve(room, most);
        self.others.iter_mut().for_each(|other| lock(other).reserve(room, most));
    }

    /// Whether there are rooms for so many threads.
    fn has_rooms(&self, threads: usize) -> bool {
        self.others.len() + 1 >= threads
    }

    /// Rooms for so many threads, all but the first.
    pub(crate) fn for_threads(&mut self, threads: usize) {
        while self.others.len() + 1 < threads {
            let mut other = IslandRoom::default();
            other.reserve(&self.expected, self.most);
            self.others.push(Mutex::new(other));
        }
    }
}

impl Clone for DenseScratch {
    fn clone(&self) -> Self {
        Self { islands: self.islands.clone(), room: self.room.clone(), ..Self::default() }
    }
}

/// A room: that of a thread which panicked is filled anew like any other.
fn lock(room: &mut Mutex<IslandRoom>) -> &mut IslandRoom {
    room.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl IslandRoom {
    fn reserve(&mut self, room: &Room, most: usize) {
        let n = most.min(6 * room.points);
        self.system.reserve(n, room.dofs);
        self.normals.reserve(n);
        self.newton.reserve(n);
    }
}
