//! Room for one step. It may be dropped at any time: every step fills it anew from model and state.

use crate::event::Event;
use crate::ledger::StepBook;
use huygens_contact::{GroupKey, Groups, ImpactOutcome, Impulse, Scratch, Solution, Velocity};
use huygens_dynamics::{TreeKick, TreeKinematics, Wrench};
use huygens_geometry::Manifold;
use huygens_geometry::broadphase::BroadPhase;
use huygens_math::{BlockInertia, Pose, Vec3};

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
}

/// Room for one step.
#[derive(Debug, Default)]
pub struct Workspace {
    // computed by `stage::kinematics`
    /// Inverse mass matrix.
    pub inertia: BlockInertia,
    /// World pose of each shape slot.
    pub shape_pose: Vec<Pose>,
    /// Centre of mass of each body slot at the start of the step [m].
    pub position_start: Vec<Vec3>,
    /// Kinetic energy of each body slot at the start of the step [J].
    pub kinetic: Vec<f64>,
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
    // computed by `stage::account`
    /// Postings of this step.
    pub book: StepBook,
    /// Touching pairs of this step.
    pub touching: Vec<[u32; 2]>,
    /// Events of this step.
    pub events: Vec<Event>,
}
