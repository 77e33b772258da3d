//! Room that the stages reuse from step to step; it carries nothing over.

use crate::cap::CapScratch;
use crate::correction::{CorrectionRow, Landing, MOST_LANDINGS, Normal, StickRow};
use crate::couple::Couple;
use crate::guard::Balance;
use crate::impact::ImpactScratch;
use crate::prepare::{PointData, RowData};
use crate::solver::convex::ConvexScratch;
use crate::solver::dense::DenseScratch;
use crate::solver::face::Face;
use crate::solver::gauss_seidel::SweepRooms;
use crate::solver::soft_step::SoftScratch;
use crate::{Groups, ImpactOutcome, Settings, Solution, SolverKind, Velocity};
use huygens_math::Pool;
use huygens_math::lanes::Level;

/// How large a problem is expected to become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Free bodies, movable or not.
    pub bodies: usize,
    /// Dofs of all trees.
    pub dofs: usize,
    /// Contact groups.
    pub groups: usize,
    /// Points of all contact groups.
    pub points: usize,
}

/// Demands that a step has room for: contacts at the start, in the middle and at the touch, and angles, with some to spare.
const DEMANDS: usize = 8;

/// Makes room for `n` entries in all, so that no later step allocates before there are more.
pub(crate) fn reserve<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}

impl Scratch {
    /// Chooses the instructions of the wide kernels; the bits are the same for every choice.
    pub fn set_level(&mut self, level: Level) {
        self.soft.set_level(level);
    }

    /// Chooses the threads; the bits are the same for any number of them.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.soft.set_pool(pool);
    }

    /// For tests: `soft-step` gives the contacts of a colour their lanes in random order, another in each solve from this seed on; `None` ends that.
    /// No impulse and no velocity changes by it, since no lane depends on those beside it; sums of the books may in their last bits.
    pub fn shuffle_lanes(&mut self, seed: Option<u64>) {
        self.soft.shuffle_lanes(seed);
    }

    /// Takes over what the user chose for another.
    pub(crate) fn choose_as(&mut self, other: &Self) {
        self.soft.choose_as(&other.soft);
    }

    /// Makes room for problems up to that size: their solves then allocate nothing.
    pub fn reserve(&mut self, room: &Room) {
        self.v.reserve(room);
        reserve(&mut self.points, room.points);
        reserve(&mut self.faces, room.groups);
        reserve(&mut self.mixed, room.groups);
        self.sweeps.reserve(room);
        reserve(&mut self.correction, room.points);
        reserve(&mut self.sticking, 2 * room.points);
        reserve(&mut self.landing, room.points);
        reserve(&mut self.normals, room.points.min(MOST_LANDINGS));
        reserve(&mut self.sums, room.groups);
        self.impact.reserve(room);
        self.soft.reserve(room);
    }

    /// The same for what one model needs beyond that: those that solve islands whole keep systems of up to `exact_rows` rows.
    pub fn reserve_for(&mut self, kind: SolverKind, settings: &Settings, room: &Room) {
        if kind.solves_whole() {
            self.dense.reserve(room, settings.exact_rows as usize);
        }
    }
}

impl Scratch {
    /// The same for the threads of the pool.
    pub fn reserve_for_threads(&mut self, kind: SolverKind, room: &Room) {
        let threads = self.soft.pool().threads();
        if kind.solves_whole() {
            self.dense.for_threads(threads);
        }
        if !kind.displaces() {
            self.sweeps.reserve_rooms(threads, room);
        }
    }
}

impl Velocity {
    /// Makes room for that many bodies and dofs.
    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.free, room.bodies);
        reserve(&mut self.dof, room.dofs);
    }
}

impl Solution {
    /// Makes room for problems up to that size.
    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.impulses, room.points);
        self.v.reserve(room);
        self.correction.reserve(room);
        self.push_out.reserve(room);
    }
}

impl ImpactOutcome {
    /// Makes room for problems up to that size.
    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.impulses, room.points);
        reserve(&mut self.losses, room.groups);
        reserve(&mut self.given, room.groups);
        self.revised.reserve(room);
        reserve(&mut self.airborne, room.points);
        self.displacement.reserve(room);
    }
}

impl Groups {
    /// Makes room for problems up to that size.
    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.heads, room.groups);
        reserve(&mut self.points, room.points);
        reserve(&mut self.materials, room.groups);
        reserve(&mut self.demands, DEMANDS);
        reserve(&mut self.round, room.groups);
    }
}

/// Room for every stage of this crate; may be dropped and made anew at any step without changing one bit.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Velocity inside the sweeps.
    pub(crate) v: Velocity,
    /// What the sweeps need of each point.
    pub(crate) points: Vec<PointData>,
    /// The normals of each group together.
    pub(crate) faces: Vec<Face>,
    /// Groups whose points are visited one by one.
    pub(crate) mixed: Vec<bool>,
    /// Islands that are swept side by side.
    pub(crate) sweeps: SweepRooms,
    /// What the sweeps need of each row.
    pub(crate) rows: Vec<RowData>,
    /// Friction against spinning and rolling, by the index of its contact.
    pub(crate) couples: Vec<(u32, Couple)>,
    /// What the correction needs of each point, then of each row.
    pub(crate) correction: Vec<CorrectionRow>,
    /// Friction of points that stick.
    pub(crate) sticking: Vec<StickRow>,
    /// Points that landed.
    pub(crate) landing: Vec<Landing>,
    /// Normals of the points of one island that landed.
    pub(crate) normals: Vec<Normal>,
    /// What the passivity bound summed of each island; nothing where its impulses were scaled since.
    pub(crate) sums: Vec<Option<Balance>>,
    /// Events of the impact stage.
    pub(crate) impact: ImpactScratch,
    /// Islands as dense systems.
    pub(crate) dense: DenseScratch,
    /// Islands of the convex models.
    pub(crate) convex: ConvexScratch,
    /// Batches of `soft-step`.
    pub(crate) soft: SoftScratch,
    /// The islands of drivers that are above their cap; made when the first driver is.
    pub(crate) cap: Option<Box<CapScratch>>,
}
