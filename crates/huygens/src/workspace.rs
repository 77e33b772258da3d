//! Room for one step. It may be dropped at any time: every step fills it anew from model and state.

use crate::bodies::Bodies;
use crate::contacts::{Contacts, Kept};
use crate::event::Event;
use crate::ledger::{Account, StepBook};
use crate::model::{Model, Motion, ShapeModel};
use crate::sleep::Groups as DrowsyGroups;
use crate::stage::Slowed;
use crate::stage::{
    AgainWork, BodyRow, ForceWork, GhostWork, LinkWays, Loads, MeetWork, NarrowWork, PowerWork, ShapeRow,
    SweepWork, Touch,
};
use huygens_contact::{
    ContactGraph, CoupleImpulse, DriverLoad, GroupKey, Groups, ImpactOutcome, Impulse, Room, Scratch, Side,
    Solution, Velocity,
};
use huygens_dynamics::{DofDrive, Tree, TreeKick, TreeKinematics, TreeScratch, Wrench};
use huygens_geometry::broadphase::{BroadPhase, ProxyBox};
use huygens_geometry::{CollisionShape, Manifold};
use huygens_math::lanes::Level;
use huygens_math::{BlockInertia, Pool, Pose, SimdLevel, Sum, Twist, Vec3};

/// A group of contact points that the narrow phase found. One cache line.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its shapes and their parts.
    pub key: GroupKey,
    /// Unit normal in world axes, from B to A.
    pub normal: Vec3,
    /// Its smallest gap [m], also when no point of it counts.
    pub gap: f64,
    /// Points up to this gap belong to the contact itself; beyond they are there for fast motion only [m].
    pub margin: f64,
    /// Its first point.
    pub first: u32,
    /// Number of its points.
    pub len: u16,
    /// It never has more than one point, which is the same in every step, whatever feature it lies on.
    pub single: bool,
}

impl Found {
    /// Nothing.
    pub(crate) const EMPTY: Self = Self {
        key: GroupKey::contact([0; 2], [0; 2]),
        normal: Vec3::ZERO,
        gap: 0.0,
        margin: 0.0,
        first: 0,
        len: 0,
        single: false,
    };

    /// Its points.
    #[inline(always)]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.len as usize
    }
}

/// A contact point that the narrow phase found.
#[derive(Clone, Copy, Debug)]
pub struct FoundPoint {
    /// Half-way between the surfaces, in the world [m].
    pub at: Vec3,
    /// Distance along the normal [m].
    pub gap: f64,
    /// The features that meet there.
    pub feature: [u32; 2],
    /// Those that met there in the last step.
    pub before: [u32; 2],
}

impl FoundPoint {
    /// Nothing.
    pub(crate) const EMPTY: Self = Self { at: Vec3::ZERO, gap: 0.0, feature: [0; 2], before: [0; 2] };
}

/// A shape, as a group sees it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Centre of mass of its body [m].
    pub center: Vec3,
    /// What its body is to a group; none for a sensor, and when a fault took the body out of the simulation.
    pub side: Option<Side>,
    /// Its body.
    pub body: u32,
    /// Index into the material table.
    pub material: u32,
}

/// What a tree needs during a step.
#[derive(Clone, Debug, Default)]
pub struct TreeWork {
    /// The start of the step and its smooth forces.
    pub kick: TreeKick,
    /// Wrench of the user on each link.
    pub wrench: Vec<Wrench>,
    /// Motor without limits of each dof; empty where there is none.
    pub drives: Vec<DofDrive>,
    /// The tree at the end of the step.
    pub end: TreeKinematics,
    /// Kinetic energy at the start of the step [J].
    pub kinetic: f64,
    /// Answer to an impulse at a stop, or displacement with that of driven bases.
    pub answer: Vec<f64>,
    /// Velocities after the blow of driven bases at the start of the step.
    pub after: Vec<f64>,
    /// Change of twist of each link by that blow; empty for none.
    pub blow: Vec<Twist>,
    /// What the driver of each base gave.
    pub base_loads: Vec<DriverLoad>,
    /// Work of the motor without limits at each dof [J].
    pub motor_work: Vec<f64>,
    /// Length of each tendon of the tree at the start of the step [m].
    pub tendon_lengths: Vec<f64>,
    /// What the joints carried, where that was asked for.
    pub loads: Loads,
    /// The step for which `stage::kinematics` has placed it.
    pub begun: Option<u64>,
    /// Room of an answer.
    pub room: Vec<f64>,
    /// Energy of the springs of its joints at the start and at the end of the step [J].
    pub held: [f64; 2],
    /// Work of users, dampers and motors without limits in the step [J].
    pub given: f64,
    /// Generalised impulse of contacts and rows on a tree with equalities.
    pub impulse: Vec<f64>,
    /// Motion that the bound on its island takes from: velocities less those that are kept.
    pub own: Vec<f64>,
    /// Room of products with the mass matrix.
    pub scratch: TreeScratch,
    /// Whether the inertia that answers impulses is that of this step.
    pub factored: Factored,
    /// The contact problem has the unit matrix for the inertia of this tree, which nothing asks for.
    pub is_unit: bool,
}

/// Whether the inertia of a tree was factored in this step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Factored {
    /// Nothing asked for it.
    #[default]
    No,
    /// It was.
    Yes,
    /// It could not be: masses too far apart for double precision.
    Singular,
}

/// Pairs of near shapes for each shape that moves, and points for each pair, that a workspace has room for at once. Measured
/// in random piles (tests/allocation.rs): at most 4.4 and 1.4 with balls, capsules and boxes, 4.0 and 2.2 with boxes
/// alone. Beyond that it grows.
const PAIRS_PER_SHAPE: usize = 10;
const POINTS_PER_PAIR: usize = 3;
/// Moving shapes beyond this number get no room in advance: what so large a world lacks, it soon has.
const MOST_SHAPES: usize = 1 << 14;

/// With fewer shapes no stage has work for several threads, but for models that solve islands whole.
const SHAPES_FOR_THREADS: usize = 64;
const SHAPES_FOR_WHOLE: usize = 8;

impl Workspace {
    /// Takes over what the last step said: its events, its contacts, its book, and what tests ask for.
    pub(crate) fn keep_events(&mut self, old: &mut Self) {
        self.events = std::mem::take(&mut old.events);
        self.problem.groups = std::mem::take(&mut old.problem.groups);
        self.problem.impact = std::mem::take(&mut old.problem.impact);
        self.solution = std::mem::take(&mut old.solution);
        self.head_found = std::mem::take(&mut old.head_found);
        self.found = std::mem::take(&mut old.found);
        self.found_points = std::mem::take(&mut old.found_points);
        self.ends = std::mem::take(&mut old.ends);
        self.velocity_before = std::mem::take(&mut old.velocity_before);
        self.book = old.book.clone();
        self.distorted = old.distorted;
    }

    /// An empty workspace with room for what a model can be expected to need.
    pub(crate) fn for_model(model: &Model) -> Self {
        let mut work = Self::default();
        work.reserve(model);
        work
    }

    /// Chooses the instructions of the wide kernels.
    pub(crate) fn set_simd(&mut self, name: SimdLevel, level: Level) {
        self.simd = name;
        self.scratch.set_level(level);
        self.bodies.level = level;
        self.broad.set_level(level);
    }

    /// Chooses the threads.
    pub(crate) fn set_pool(&mut self, pool: Pool) {
        self.scratch.set_pool(&pool);
        self.pool = pool;
        self.is_ready = false;
    }

    /// Starts the threads of a world that is large enough to have work for them, with the room that they need: later steps allocate nothing for them.
    pub(crate) fn start_threads(&mut self, model: &Model) {
        let is_whole = model.settings.solver.solves_whole();
        let least = if is_whole { SHAPES_FOR_WHOLE } else { SHAPES_FOR_THREADS };
        if self.is_ready || self.pool.threads() == 1 || model.shapes.len() < least {
            return;
        }
        self.is_ready = true;
        self.pool.start();
        let room = room(model);
        self.narrow.reserve(room.groups);
        reserve(&mut self.boxes, model.shapes.len());
        self.scratch.reserve_for_threads(model.settings.solver, &room);
    }

    /// For tests: contacts get their lanes in random order.
    pub(crate) fn shuffle_lanes(&mut self, seed: Option<u64>) {
        self.shuffle = seed;
        self.scratch.shuffle_lanes(seed);
    }

    /// Takes over what the user chose for another workspace and no step computes.
    pub(crate) fn choose_as(&mut self, other: &Self) {
        if let Some(level) = other.simd.level() {
            self.set_simd(other.simd, level);
        }
        self.shuffle_lanes(other.shuffle);
        self.set_pool(other.pool.clone());
    }

    /// Makes room for what a model can be expected to need, so that a pile that falls together allocates nothing.
    pub(crate) fn reserve(&mut self, model: &Model) {
        self.is_ready = false;
        let room = room(model);
        let Room { bodies, groups, points, .. } = room;
        for velocity in [
            &mut self.acceleration,
            &mut self.problem.v_start,
            &mut self.problem.v_free,
            &mut self.displacement,
        ] {
            velocity.reserve(&room);
        }
        self.problem.groups.reserve(&room);
        self.problem.graph.reserve(&room);
        self.problem.impact.reserve(&room);
        self.scratch.reserve(&room);
        self.scratch.reserve_for(model.settings.solver, &model.settings.contact, &room);
        self.solution.reserve(&room);
        if model.settings.speculative && model.settings.solver.displaces() && model.trees.is_empty() {
            self.again.reserve(&room);
        }
        reserve(&mut self.problem.inertia.free, bodies);
        reserve(&mut self.problem.inertia.mass, bodies);
        self.bodies.reserve(model);
        reserve(&mut self.velocity_before, bodies);
        reserve(&mut self.energy_change, bodies);
        reserve(&mut self.loads, model.drivers.len());
        reserve(&mut self.shape_pose, model.shapes.len());
        if model.settings.sleep {
            self.drowsy.reserve(bodies);
            reserve(&mut self.spare.points, points);
            reserve(&mut self.turned, model.shapes.len());
            reserve(&mut self.woken, bodies);
        }
        reserve(&mut self.body_rows, bodies);
        reserve(&mut self.ends, model.shapes.len());
        reserve(&mut self.shapes, model.shapes.len());
        reserve(&mut self.found, groups);
        reserve(&mut self.found_points, points);
        reserve(&mut self.kept_pairs, kept_room(model, groups));
        self.narrow.reserve_one();
        reserve(&mut self.head_found, groups);
        reserve(&mut self.before, groups);
        reserve(&mut self.warm, points);
        if model.has_curved {
            reserve(&mut self.kicks, bodies);
            reserve(&mut self.curved, groups);
            reserve(&mut self.problem.groups.surface_velocities, groups);
        }
        reserve(&mut self.forces.applied, model.forces.slots.len());
        reserve(&mut self.forces.springs, model.forces.springs.len());
        reserve(&mut self.touching, groups);
        reserve(&mut self.events, groups + bodies);
        reserve(&mut self.pair, 16);
        self.ghosts.reserve(model.shapes.len(), groups);
        reserve(&mut self.touches, groups);
        reserve(&mut self.supported, bodies);
        self.sweep.reserve(bodies, model.shapes.len().min(MOST_SHAPES));
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

/// Manifolds that a model with room for that many groups can be expected to keep: none between balls.
pub(crate) fn kept_room(model: &Model, groups: usize) -> usize {
    let counts = |shape: &&ShapeModel| !shape.removed && !matches!(shape.shape, CollisionShape::Sphere(_));
    let dear = model.shapes.iter().filter(counts).count();
    groups.min(PAIRS_PER_SHAPE * dear)
}

/// Makes room for `n` entries in all.
pub(crate) fn reserve<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}

/// The contact problem of a step.
#[derive(Debug, Default)]
pub struct ProblemData {
    // computed by `stage::kinematics`
    /// Inverse mass matrix.
    pub inertia: BlockInertia,
    // computed by `stage::assemble`
    /// Contacts and constraints. They do not change after assembly: what impacts make of them is in `impact.revised`.
    pub groups: Groups,
    /// Which of them hang together.
    pub graph: ContactGraph,
    /// Velocity at the start of the step; after `stage::impact` with its impulses.
    pub v_start: Velocity,
    /// Velocity at the end of the step without contact.
    pub v_free: Velocity,
    // computed by `stage::impact`
    /// Impulses, displacement and work of the impact stage.
    pub impact: ImpactOutcome,
}

/// Room for one step.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Which instructions the wide kernels use; a choice of the user, no part of the state: it changes no bit.
    pub simd: SimdLevel,
    /// The threads that share the work of a step; a choice of the user as well. No bit depends on their number.
    pub(crate) pool: Pool,
    /// Its threads were started.
    is_ready: bool,
    /// Bodies and shapes up to which edits of a large world make no more room.
    pub(crate) room_for: [usize; 2],
    /// Account whose postings are made wrong, for tests.
    pub(crate) distorted: Option<Account>,
    /// Seed of the random order of lanes, for tests; changes no bit either.
    pub shuffle: Option<u64>,
    // computed by `stage::power`
    /// Drivers with a limit of power, and their islands.
    pub power: PowerWork,
    /// The contact problem of the step, as far as the stages have come.
    pub problem: ProblemData,
    // computed by `step`
    /// Velocity of each body slot at the start of the step, drivers as they move in it.
    pub velocity_before: Vec<Twist>,
    // computed by `stage::kinematics`
    /// World pose of each shape slot.
    pub shape_pose: Vec<Pose>,
    /// What the passes over bodies read of the model.
    pub bodies: Bodies,
    /// Trees.
    pub trees: Vec<TreeWork>,
    /// Forces of the medium and of springs.
    pub(crate) forces: ForceWork,
    // computed by `stage::collide`
    /// Edit count of the model that the tables and the broad phase know.
    pub table_edits: Option<u64>,
    /// The same of changes of sleep.
    pub table_sleep: Option<u64>,
    /// Shapes that fell asleep or woke since then.
    pub turned: Vec<u32>,
    /// Islands that something wakes in this step.
    pub woken: Vec<u32>,
    /// Sleeping shapes near a driver.
    pub near: Vec<u32>,
    /// Room for contacts on their way between those that are awake and those that sleep.
    pub spare: Contacts,
    // computed by `stage::rest`
    /// For these edits of the model and changes of sleep: a body that can move and does not sleep, if there is one.
    pub all_sleep: Option<([u64; 2], Option<u32>)>,
    /// Bodies that fall asleep together.
    pub(crate) drowsy: DrowsyGroups,
    /// Bodies, by slot.
    pub body_rows: Vec<BodyRow>,
    /// Shapes, by slot.
    pub shapes: Vec<ShapeRow>,
    /// Broad phase.
    pub broad: BroadPhase,
    /// Groups of contact points, sorted by key.
    pub found: Vec<Found>,
    /// Their points.
    pub found_points: Vec<FoundPoint>,
    /// Room for what is kept of the pairs.
    pub(crate) kept_pairs: Vec<Kept>,
    /// Boxes of the shapes of a large world.
    pub(crate) boxes: Vec<ProxyBox>,
    /// Room of the chunks of the narrow phase.
    pub(crate) narrow: NarrowWork,
    /// Manifolds of one pair.
    pub pair: Vec<Manifold>,
    /// Manifolds by shape.
    pub ghosts: GhostWork,
    /// What the user's function said of contacts.
    pub meet: MeetWork,
    /// By body: it touches something.
    pub supported: Vec<bool>,
    /// Groups whose rows are those of a touch inside the step, sorted by key; `stage::sweep` adds to them.
    pub touches: Vec<Touch>,
    // computed by `stage::assemble`
    /// What each shape slot is to a group.
    pub ends: Vec<End>,
    /// Edits of the model, and changes of sleep, that `ends` knows.
    pub ends_from: Option<[u64; 2]>,
    /// Which entry of `found` each head came from.
    pub head_found: Vec<u32>,
    /// Place of each of them among the groups of the last step.
    pub before: Vec<u32>,
    /// Impulses of the last step, aligned with the points, in the frames of assembly.
    pub warm: Vec<Impulse>,
    /// Change of velocity that the contacts of the last step let expect, for bodies on curved ground; NaN for others [m/s, rad/s].
    pub kicks: Vec<Twist>,
    /// Contacts on curved ground.
    pub curved: Vec<u32>,
    /// The same for the rows.
    pub warm_rows: Vec<f64>,
    /// Couples of the last step at the points with friction against spinning and rolling.
    pub warm_couples: Vec<CoupleImpulse>,
    /// Acceleration by gravity, bias and forces [m/s²].
    pub acceleration: Velocity,
    // computed by `stage::solve`
    /// Room of the contact model.
    pub scratch: Scratch,
    /// Its answer.
    pub solution: Solution,
    // computed by `stage::keep_answer`
    /// Islands that are solved again, and the answer of the others.
    pub again: AgainWork,
    // computed by `stage::position`
    /// Displacement by the integrator and the impact stage.
    pub displacement: Velocity,
    /// Change of kinetic and potential energy of the free bodies [J].
    pub measured: Sum,
    /// The same for each of them, less the work of the user's forces [J].
    pub energy_change: Vec<f64>,
    /// What the last part of the passivity bound did.
    pub slowed: Slowed,
    /// Room for the loads of the drivers of one island.
    pub loads: Vec<DriverLoad>,
    // computed by `stage::sweep`
    /// Where links of trees go; `stage::collide` uses it before.
    pub links: LinkWays,
    /// What is fast, and what it would pass.
    pub sweep: SweepWork,
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
