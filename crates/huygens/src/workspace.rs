//! Room for one step. It may be dropped at any time: every step fills it anew from model and state.

use crate::bodies::Bodies;
use crate::event::Event;
use crate::ledger::StepBook;
use crate::model::{Model, Motion, ShapeModel};
use huygens_contact::{GroupKey, Groups, ImpactOutcome, Impulse, Room, Scratch, Solution, Velocity};
use huygens_dynamics::{Tree, TreeKick, TreeKinematics, Wrench};
use huygens_geometry::Manifold;
use huygens_geometry::broadphase::BroadPhase;
use huygens_math::{BlockInertia, Pose, SimdLevel, Sum};

/// A manifold that the narrow phase found.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its shapes and their parts.
    pub key: GroupKey,
    /// The manifold, in the frames of its shapes.
    pub manifold: Manifold,
    /// Its smallest gap [m], also when no point of it counts.
    pub gap: f64,
    /// Points up to this gap belong to the contact itself; beyond they are there for fast motion only [m].
    pub margin: f64,
}

/// What a tree needs during a step.
#[derive(Clone, Debug, Default)]
pub struct TreeWork {
    /// The start of the step and its smooth forces.
    pub kick: TreeKick,
    /// Wrench of the user on each link.
    pub wrench: Vec<Wrench>,
    /// The tree at the end of the step.
    pub end: TreeKinematics,
    /// Kinetic energy at the start of the step [J].
    pub kinetic: f64,
    /// Its inertia could not be factored: masses too far apart for double precision.
    pub singular: bool,
}

/// Pairs of near shapes for each shape that moves, and points for each pair, that a workspace has room for at once. Measured
/// in random piles (tests/allocation.rs): at most 4.4 and 1.4 with balls, capsules and boxes, 4.0 and 2.2 with boxes
/// alone. Beyond that it grows.
const PAIRS_PER_SHAPE: usize = 10;
const POINTS_PER_PAIR: usize = 3;
/// Moving shapes beyond this number get no room in advance: what so large a world lacks, it soon has.
const MOST_SHAPES: usize = 1 << 14;

impl Workspace {
    /// An empty workspace with room for what a model can be expected to need.
    pub(crate) fn for_model(model: &Model) -> Self {
        let mut work = Self::default();
        work.reserve(model);
        work
    }

    /// Makes room for what a model can be expected to need, so that a pile that falls together allocates nothing.
    pub(crate) fn reserve(&mut self, model: &Model) {
        let room = room(model);
        let Room { bodies, groups, points, .. } = room;
        for velocity in [&mut self.acceleration, &mut self.v_start, &mut self.v_free, &mut self.displacement]
        {
            velocity.reserve(&room);
        }
        self.groups.reserve(&room);
        self.impact.reserve(&room);
        self.scratch.reserve(&room);
        self.solution.reserve(&room);
        reserve(&mut self.inertia.free, bodies);
        self.bodies.reserve(model);
        reserve(&mut self.shape_pose, model.shapes.len());
        reserve(&mut self.found, groups);
        reserve(&mut self.head_found, groups);
        reserve(&mut self.warm, points);
        reserve(&mut self.touching, groups);
        reserve(&mut self.events, groups);
        reserve(&mut self.pair, 16);
    }
}

/// What a model can be expected to need.
pub(crate) fn room(model: &Model) -> Room {
    let moves = |shape: &&ShapeModel| {
        let motion = model.bodies[shape.body as usize].motion;
        matches!(motion, Motion::Dynamic | Motion::Link { .. }) && !shape.removed
    };
    let moving = model.shapes.iter().filter(moves).count();
    let groups = PAIRS_PER_SHAPE * moving.min(MOST_SHAPES);
    Room {
        bodies: model.bodies.len(),
        dofs: model.trees.iter().map(Tree::dofs).sum(),
        groups,
        points: POINTS_PER_PAIR * groups,
    }
}

/// Makes room for `n` entries in all.
pub(crate) fn reserve<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}

/// Room for one step.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Which instructions the wide kernels use; a choice of the user, no part of the state: it changes no bit.
    pub simd: SimdLevel,
    // computed by `stage::kinematics`
    /// Inverse mass matrix.
    pub inertia: BlockInertia,
    /// World pose of each shape slot.
    pub shape_pose: Vec<Pose>,
    /// What the passes over bodies read of the model.
    pub bodies: Bodies,
    /// Trees.
    pub trees: Vec<TreeWork>,
    // computed by `stage::collide`
    /// Broad phase.
    pub broad: BroadPhase,
    /// Edit count of the model that the broad phase knows.
    pub broad_edits: Option<u64>,
    /// Manifolds, sorted by key.
    pub found: Vec<Found>,
    /// Manifolds of one pair.
    pub pair: Vec<Manifold>,
    // computed by `stage::assemble`
    /// Contacts and constraints.
    pub groups: Groups,
    /// Which entry of `found` each head came from.
    pub head_found: Vec<u32>,
    /// Three rows of one side over the dofs of its tree.
    pub row: Vec<f64>,
    /// Impulses of the last step, aligned with the points.
    pub warm: Vec<Impulse>,
    /// The same for the rows.
    pub warm_rows: Vec<f64>,
    /// Acceleration by gravity, bias and forces [m/s²].
    pub acceleration: Velocity,
    /// Velocity at the start of the step; after `stage::impact` with its impulses.
    pub v_start: Velocity,
    /// Velocity at the end of the step without contact.
    pub v_free: Velocity,
    // computed by `stage::impact`
    /// Impulses, displacement and work of the impact stage.
    pub impact: ImpactOutcome,
    // computed by `stage::solve`
    /// Room of the contact model.
    pub scratch: Scratch,
    /// Its answer.
    pub solution: Solution,
    // computed by `stage::integrate`
    /// Displacement by the integrator and the impact stage.
    pub displacement: Velocity,
    /// Change of kinetic and potential energy of the free bodies [J].
    pub measured: Sum,
    // computed by `stage::account`
    /// Postings of this step.
    pub book: StepBook,
    /// Energy of what a numerical fault took out of the simulation in this step [J].
    pub taken_out: Sum,
    /// Touching pairs of this step.
    pub touching: Vec<[u32; 2]>,
    /// Events of this step.
    pub events: Vec<Event>,
}
