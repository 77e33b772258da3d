//! The scene and its `[world]` table.

use super::{
    Body, Combine, CouplingSpec, EditSpec, Expect, Joint, Material, MediumSpec, PairSpec, RepeatSpec, Spring,
    TendonSpec,
};
use crate::scene::Named;
use crate::scene::keys::{Holds, key, table, told};
pub use huygens_contact::FrictionAt;
pub use huygens_contact::convex::{Cone, PyramidRule, Resolution, WarmRule};
use huygens_contact::convex::{ConvexSettings, Softness};
use huygens_contact::{Recovery, Scale, SoftStep, SolverKind};
pub use huygens_dynamics::{Gyroscopic, Integrator};
use huygens_math::Vec3;
use huygens_math::pool::MOST_THREADS;
use std::collections::BTreeMap;

/// All that a user asks for. Plain data: nothing is checked before [`Scene::check`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scene {
    /// Time, gravity and the choices of method: `[world]`.
    pub world: WorldSpec,
    /// Materials by name: `[materials.NAME]`.
    pub materials: BTreeMap<String, Material>,
    /// What two materials do together, above every combine rule: `[[pair]]`.
    pub pairs: Vec<PairSpec>,
    /// Bodies written one by one: `[[body]]`.
    pub bodies: Vec<Body>,
    /// Bodies written as a pattern: `[[repeat]]`. Their bodies come after those of `bodies`.
    pub repeats: Vec<RepeatSpec>,
    /// Joints between bodies: `[[joint]]`.
    pub joints: Vec<Joint>,
    /// Couplings of bodies and joints: `[[coupling]]`.
    pub couplings: Vec<CouplingSpec>,
    /// Tendons: `[[tendon]]`.
    pub tendons: Vec<TendonSpec>,
    /// What fills the space around the bodies: `[medium]`.
    pub medium: Option<MediumSpec>,
    /// Springs between points: `[[spring]]`.
    pub springs: Vec<Spring>,
    /// Changes from outside during the run: `[[edit]]`.
    pub edits: Vec<EditSpec>,
    /// What the scene's own test checks after its last step: `[expect]`.
    pub expect: Expect,
}

impl Scene {
    /// The scene without bodies and what holds them: the choices of the world, materials, pairs and medium.
    pub(crate) fn surroundings(&self) -> Self {
        Self {
            world: self.world.clone(),
            materials: self.materials.clone(),
            pairs: self.pairs.clone(),
            medium: self.medium.clone(),
            ..Self::default()
        }
    }
}

/// Time, gravity and the choices of method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldSpec {
    /// Typical size of a body [m]; every tolerance derives from it. Default 1.
    pub length: f64,
    /// Acceleration of gravity [m/s²]. Default (0, 0, −9.81).
    pub gravity: Vec3,
    /// Length of a step [s]. Default 1/240.
    pub dt: f64,
    /// How long to run. Default 1000 steps.
    pub duration: Duration,
    /// Name of the contact model. Default `soft-step`.
    pub solver: String,
    /// How positions follow velocities.
    pub integrator: Integrator,
    /// How the gyroscopic term of a spinning body is integrated.
    pub gyroscopic: Gyroscopic,
    /// How overlap is undone.
    pub stabilisation: StabilisationSpec,
    /// Who finds and orders contacts. Default `huygens`.
    pub contacts: ContactsOf,
    /// Choices of `soft-step`.
    pub soft_step: SoftStepSpec,
    /// Choices of `convex/newton` and `convex/cg`.
    pub convex: ConvexSpec,
    /// Contacts act before the surfaces touch, so that fast bodies do not overlap. Default true.
    pub speculative: bool,
    /// Most sweeps of an iterative contact model. Default 50.
    pub iterations: u32,
    /// Relative change of a sweep at which the model stops. Default 1e-10.
    pub tolerance: f64,
    /// Share of every change that a sweep of an iterative model makes, from 0.01 to 1. Default 1.
    pub relaxation: f64,
    /// A step undoes at most `length` divided by this of an overlap (pe's adaptive cap: 50). Default: no limit.
    pub correction_aggressiveness: Option<f64>,
    /// Islands with more rows (three for each point) are swept by the models that else solve an island whole. Default 600.
    pub exact_rows: u32,
    /// `active-set` solves its normals once, without friction, as msd-sim does. Default false.
    pub decoupled_friction: bool,
    /// Start the contact model from the impulses of the last step. Default true.
    pub warm_start: bool,
    /// Slower impacts do not bounce [m/s]. Default [`WorldSpec::default_restitution_threshold`].
    pub restitution_threshold: Option<f64>,
    /// How two materials that no `[[pair]]` names act together.
    pub combine: Combine,
    /// Distance at which a contact is first seen [m]. Default: 2 % of the smaller shape of the pair.
    pub margin: Option<f64>,
    /// The passivity guard: contact may never add energy. Default true.
    pub guard: bool,
    /// Islands that lie still fall asleep, and cost nothing until something wakes them. Default true; programs that measure or judge the engine
    /// leave it off where the scene does not say so.
    pub sleep: Option<bool>,
    /// Seed of whatever is random in the scene and names no seed of its own. Default 0.
    pub seed: u64,
    /// Threads that share the work of a step, from 1 to 256. The bits are the same for any number. Default: the cores that the process may use.
    pub threads: Option<u32>,
}

impl Default for WorldSpec {
    fn default() -> Self {
        Self {
            length: 1.0,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            dt: 1.0 / 240.0,
            duration: Duration::Steps(1000),
            solver: "soft-step".to_owned(),
            integrator: Integrator::KickDriftKick,
            gyroscopic: Gyroscopic::Midpoint,
            stabilisation: StabilisationSpec::default(),
            contacts: ContactsOf::Huygens,
            soft_step: SoftStepSpec::default(),
            convex: ConvexSpec::default(),
            speculative: true,
            iterations: 50,
            tolerance: 1e-10,
            relaxation: 1.0,
            correction_aggressiveness: None,
            exact_rows: 600,
            decoupled_friction: false,
            warm_start: true,
            restitution_threshold: None,
            combine: Combine::Geometric,
            margin: None,
            guard: true,
            sleep: None,
            seed: 0,
            threads: None,
        }
    }
}

/// A dense matrix of so many rows takes 800 MB.
const MOST_EXACT_ROWS: u32 = 10_000;
const MOST_ITERATIONS: u32 = 1_000_000;
const MOST_SUBSTEPS: u32 = 1000;

table!(
    WorldSpec {
        length,
        gravity,
        dt,
        solver,
        contacts,
        integrator,
        gyroscopic,
        speculative,
        iterations,
        tolerance,
        warm_start,
        relaxation,
        correction_aggressiveness,
        exact_rows,
        decoupled_friction,
        restitution_threshold,
        combine,
        margin,
        guard,
        sleep,
        seed,
        threads
    } | v
        | {
            v.value(
                key("length", "1", "typical size of a body [m]; every tolerance derives from it"),
                length,
                Holds::Positive("the typical size of a body"),
            );
            v.value(key("gravity", "[0, 0, -9.81]", "[m/s²]"), gravity, Holds::Finite);
            v.value(told("dt", "1/240", "length of a step [s]"), dt, Holds::Positive("a step"));
            v.other(key("steps", "1000", "length of the run; or `seconds`"));
            v.other(told(
                "seconds",
                "`steps` says it",
                "length of the run [s]: it ends with the first step at or after it",
            ));
            let model = key("solver", "\"soft-step\"", "contact model, see `huygens solvers`");
            v.value(model, solver, Holds::Elsewhere);
            let meaning = "the engine's stages; or `\"mujoco\"`, for a run of an MJCF file with a convex model and its default there: MuJoCo's pipeline, without impact, sweep, position stage and guard";
            v.word(key("contacts", "\"huygens\"", meaning), contacts);
            v.other(told("soft_step", "see below", "choices of `soft-step`"));
            v.other(told("convex", "see below", "choices of `convex/newton` and `convex/cg`"));
            let method = key(
                "integrator",
                "\"kick-drift-kick\"",
                "how velocities move positions: `\"symplectic-euler\"`, `\"midpoint\"`, `\"rk4\"`, `\"euler\"`, `\"implicitfast\"`, `\"implicit\"`, `\"approximate-implicitfast\"`; see below",
            );
            v.word(method, integrator);
            let meaning = "or `\"explicit\"`, for comparison: creates energy";
            v.word(key("gyroscopic", "\"midpoint\"", meaning), gyroscopic);
            v.other(told(
                "stabilisation",
                "`{ kind = \"split-impulse\", beta = 0.2, slop = 5e-4·length }`",
                "how overlap is undone; or `{ kind = \"baumgarte\", erp = 0.2, cap }`, `\"none\"`",
            ));
            let meaning = "contacts act before the surfaces touch";
            v.value(key("speculative", "true", meaning), speculative, Holds::Elsewhere);
            v.value(
                key("iterations", "50", "sweeps of iterative models"),
                iterations,
                Holds::Count([1, MOST_ITERATIONS], "50 is the default; more for tall stacks."),
            );
            v.value(
                key("tolerance", "1e-10", "at which iterative models stop"),
                tolerance,
                Holds::Within([0.0, 1.0], "a relative tolerance"),
            );
            let meaning = "iterative models start from the impulses of the last step";
            v.value(key("warm_start", "true", meaning), warm_start, Holds::Elsewhere);
            v.value(
                key("relaxation", "1", "share of every change that a sweep makes, from 0.01 to 1"),
                relaxation,
                Holds::Within([0.01, 1.0], "the share of a change that a sweep makes"),
            );
            v.option(
                told(
                    "correction_aggressiveness",
                    "no limit",
                    "a step undoes at most `length` divided by this of an overlap; pe's adaptive cap has 50",
                ),
                correction_aggressiveness,
                Holds::Positive("how many steps an overlap of one length takes"),
            );
            v.value(
        key(
            "exact_rows",
            "600",
            "`active-set` and `ncp/newton` sweep islands with more rows (three for each point) instead of solving them whole; 0 to 10000",
        ),
        exact_rows,
        Holds::Count([0, MOST_EXACT_ROWS], "600 is the default; larger islands are swept."),
    );
            let meaning = "`active-set` solves its normals once, without friction, as msd-sim does";
            v.value(key("decoupled_friction", "false", meaning), decoupled_friction, Holds::Elsewhere);
            v.option(
                told("restitution_threshold", "0.01 √(\\|g\\| length)", "slower impacts do not bounce [m/s]"),
                restitution_threshold,
                Holds::NotNegative("a speed"),
            );
            v.word(
        key(
            "combine",
            "\"geometric\"",
            "`table`, `max`, `min`, `mean`, `geometric`, `priority`: what two materials without a `[[pair]]` do; with `table` every two that can meet need one",
        ),
        combine,
    );
            v.option(
                told("margin", "2 % of the smaller shape", "distance at which a contact is first seen [m]"),
                margin,
                Holds::NotNegative("the distance at which contacts are first seen"),
            );
            let meaning = "contact may never add energy, over whole steps; overlap is undone only as far as what contacts lose in the step pays for the lift";
            v.value(key("guard", "true", meaning), guard, Holds::Elsewhere);
            let meaning = "islands that lie still fall asleep and cost nothing until something wakes them; `verify`, `compare`, `hunt` and `bench` leave it off unless it is written";
            v.option(told("sleep", "true in `run` and the library", meaning), sleep, Holds::Elsewhere);
            v.value(key("seed", "0", "of repeats that name none"), seed, Holds::Elsewhere);
            v.option(
                told(
                    "threads",
                    "the cores that the process may use",
                    "that share the work of a step, 1 to 256; the bits are the same for any number",
                ),
                threads,
                Holds::Count(
                    [1, MOST_THREADS as u32],
                    "1 works without further threads; more than the cores only cost time.",
                ),
            );
        }
);

impl WorldSpec {
    /// Speed below which impacts do not bounce when the scene names none: 0.01 √(|g|·length) [m/s].
    pub fn default_restitution_threshold(&self) -> f64 {
        0.01 * (self.gravity.length() * self.length).sqrt()
    }

    /// Speed below which impacts do not bounce [m/s].
    pub fn effective_restitution_threshold(&self) -> f64 {
        self.restitution_threshold.unwrap_or_else(|| self.default_restitution_threshold())
    }

    /// How contacts and limits undo overlap when the contact model is `solver`, with the defaults that depend on gravity and `length`
    /// filled in. With `soft-step` split impulses follow the spring of `soft_step`; with every other model, their `beta`. The convex models
    /// have none: their springs undo overlap.
    pub fn effective_recovery(&self, solver: SolverKind) -> Recovery {
        if solver.is_soft() {
            return Recovery::None;
        }
        let max_step = self.correction_aggressiveness.map_or(f64::INFINITY, |share| self.length / share);
        match self.stabilisation {
            StabilisationSpec::None => Recovery::None,
            StabilisationSpec::Baumgarte { erp, cap } => {
                Recovery::Baumgarte { erp, cap: cap.unwrap_or(f64::INFINITY), max_step }
            }
            StabilisationSpec::SplitImpulse { .. } if solver == SolverKind::SoftStep => {
                let SoftStepSpec { substeps, hertz, damping_ratio, push_speed, .. } = self.soft_step;
                let Scale { speed, .. } = Scale::of(self.length, self.gravity.length());
                let max_speed = push_speed.unwrap_or(speed);
                Recovery::Spring { hertz, damping_ratio, substeps, slop: self.slop(), max_speed }
            }
            StabilisationSpec::SplitImpulse { beta, .. } => {
                Recovery::SplitImpulse { beta, slop: self.slop(), max_step }
            }
        }
    }

    /// Overlap that split impulses leave alone [m]; the default where the stabilisation has no slop.
    pub fn slop(&self) -> f64 {
        let default = 5e-4 * self.length;
        match self.stabilisation {
            StabilisationSpec::SplitImpulse { slop, .. } => slop.unwrap_or(default),
            StabilisationSpec::None | StabilisationSpec::Baumgarte { .. } => default,
        }
    }

    /// Number of steps of the run: the first at or after the wanted time.
    pub fn step_count(&self) -> u64 {
        self.duration.steps(self.dt)
    }

    /// The direction against gravity, along the world axis that is nearest to it; z without gravity.
    ///
    /// Repeaters pile along it, and it is what `height` in `[expect]` measures.
    pub fn up(&self) -> Vec3 {
        let (g, a) = (self.gravity, self.gravity.abs());
        let toward = |x: f64| if x > 0.0 { -1.0 } else { 1.0 };
        if a.z >= a.x && a.z >= a.y {
            Vec3::new(0.0, 0.0, toward(g.z))
        } else if a.y >= a.x {
            Vec3::new(0.0, toward(g.y), 0.0)
        } else {
            Vec3::new(toward(g.x), 0.0, 0.0)
        }
    }
}

/// How long to run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Duration {
    /// A number of steps.
    Steps(u64),
    /// A time [s]; the run ends with the first step at or after it.
    Seconds(f64),
}

impl Duration {
    /// Number of steps of length `dt` [s].
    pub fn steps(self, dt: f64) -> u64 {
        match self {
            Self::Steps(n) => n,
            Self::Seconds(t) => {
                let exact = t / dt;
                let whole = exact.round();
                // 0.3 s in steps of 0.1 s are 3 steps, although 0.3/0.1 is not 3 in binary.
                let n = if (exact - whole).abs() <= 1e-9 * whole { whole } else { exact.ceil() };
                n as u64
            }
        }
    }
}

impl Named for Integrator {
    const NAMES: &'static [(&'static str, Self)] = &[
        (Self::KickDriftKick.name(), Self::KickDriftKick),
        (Self::SymplecticEuler.name(), Self::SymplecticEuler),
        (Self::Midpoint.name(), Self::Midpoint),
        (Self::Rk4.name(), Self::Rk4),
        (Self::Euler.name(), Self::Euler),
        (Self::ImplicitFast.name(), Self::ImplicitFast),
        (Self::Implicit.name(), Self::Implicit),
        (Self::ApproximateImplicitFast.name(), Self::ApproximateImplicitFast),
    ];
}

impl Named for Gyroscopic {
    const NAMES: &'static [(&'static str, Self)] =
        &[(Self::Midpoint.name(), Self::Midpoint), (Self::Explicit.name(), Self::Explicit)];
}

impl Named for FrictionAt {
    const NAMES: &'static [(&'static str, Self)] = &[("patch", Self::Patch), ("point", Self::Point)];
}

/// Choices of `soft-step`, as a scene writes them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftStepSpec {
    /// Sub-steps of a step. Default 4.
    pub substeps: u32,
    /// Frequency of the spring that undoes overlap [Hz]. Default 30.
    pub hertz: f64,
    /// Its damping ratio. Default 10.
    pub damping_ratio: f64,
    /// Largest speed at which overlap is undone [m/s]. Default √(|g|·length).
    pub push_speed: Option<f64>,
    /// Where friction acts. Default `patch`.
    pub friction: FrictionAt,
}

impl Default for SoftStepSpec {
    fn default() -> Self {
        let SoftStep { substeps, friction } = SoftStep::default();
        Self { substeps, hertz: 30.0, damping_ratio: 10.0, push_speed: None, friction }
    }
}

table!(
    SoftStepSpec { substeps, hertz, damping_ratio, push_speed, friction } | v | {
        v.value(
            key("substeps", "4", "sub-steps of a step"),
            substeps,
            Holds::Count([1, MOST_SUBSTEPS], "4 is the default; more for heavy bodies on light ones."),
        );
        v.value(
            key("hertz", "30", "frequency of the spring that says how fast overlap is undone [1/s]"),
            hertz,
            Holds::Positive("the frequency of the spring that undoes overlap"),
        );
        v.value(
            key("damping_ratio", "10", "its damping, as a share of the critical one"),
            damping_ratio,
            Holds::NotNegative("a damping ratio"),
        );
        v.option(
            told("push_speed", "√(\\|g\\|·length)", "overlap is undone no faster [m/s]"),
            push_speed,
            Holds::NotNegative("a speed"),
        );
        v.word(key("friction", "\"patch\"", "once for each manifold, or at each `\"point\"`"), friction);
    }
);

/// Who finds and orders contacts, and what surrounds their solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactsOf {
    /// The engine, with all of its stages.
    #[default]
    Huygens,
    /// MuJoCo's pipeline: its points, order and frames, and nothing beside the solve.
    Mujoco,
}

impl Named for ContactsOf {
    const NAMES: &'static [(&'static str, Self)] = &[("huygens", Self::Huygens), ("mujoco", Self::Mujoco)];
}

/// Whose defaults the choices of the convex models have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ConvexLike {
    /// MuJoCo's.
    #[default]
    Mujoco,
    /// Genesis's: a time constant of 10 ms, impratio 100 and `signorini` with an elliptic cone, its regularisation of pyramids, a start from the
    /// last step whatever it costs.
    Genesis,
}

impl Named for ConvexLike {
    const NAMES: &'static [(&'static str, Self)] = &[("mujoco", Self::Mujoco), ("genesis", Self::Genesis)];
}

impl Named for Cone {
    const NAMES: &'static [(&'static str, Self)] =
        &[("pyramidal", Self::Pyramidal), ("elliptic", Self::Elliptic)];
}

impl Named for Resolution {
    const NAMES: &'static [(&'static str, Self)] =
        &[("convex", Self::Convex), ("signorini", Self::Signorini)];
}

impl Named for PyramidRule {
    const NAMES: &'static [(&'static str, Self)] = &[("mujoco", Self::Mujoco), ("genesis", Self::Genesis)];
}

impl Named for WarmRule {
    const NAMES: &'static [(&'static str, Self)] = &[("cheaper", Self::Cheaper), ("last", Self::Last)];
}

/// Choices of `convex/newton` and `convex/cg`, as a scene writes them; what is left out is as [`ConvexSpec::like`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConvexSpec {
    /// Whose defaults hold. Default `mujoco`.
    pub like: ConvexLike,
    /// Shape of the friction cone.
    pub cone: Option<Cone>,
    /// How much stiffer friction is than the normal.
    pub impratio: Option<f64>,
    /// How sliding acts on the normal force of an elliptic contact.
    pub resolution: Option<Resolution>,
    /// Sweeps of the no-slip pass. Default 0.
    pub noslip_iterations: u32,
    /// Time constant [s] and damping ratio of contacts, limits and couplings; or −stiffness and −damping for a unit of inverse mass.
    pub solref: Option<[f64; 2]>,
    /// Impedance at the surface and at the width, width [m], midpoint, power.
    pub solimp: Option<[f64; 5]>,
    /// Time constants are at least two steps. Default true.
    pub refsafe: Option<bool>,
    /// Softness follows the inverse mass of each contact, not the mean over the translations of its bodies. Default false.
    pub exact_diagonal: Option<bool>,
    /// Genesis's seven numbers in the place of `solref` and `solimp`: time constant [s], damping ratio, impedances, width [m], midpoint, power. A
    /// time constant of 0 is [`ConvexSpec::constraint_timeconst`], and so is a negative one, with the damping ratio 1.
    pub sol_params: Option<[f64; 7]>,
    /// Time constant where `sol_params` has none [s]. Default 0.01.
    pub constraint_timeconst: Option<f64>,
    /// Regularisation of the edges of a pyramid.
    pub pyramid: Option<PyramidRule>,
    /// Where the iteration starts.
    pub start: Option<WarmRule>,
    /// Largest number of evaluations of a line search. Default 50.
    pub ls_iterations: Option<u32>,
}

impl ConvexSpec {
    /// The choices with all defaults filled in, for `solver`.
    pub fn settings(&self, solver: SolverKind) -> ConvexSettings {
        let mujoco = ConvexSettings::default();
        let is_genesis = self.like == ConvexLike::Genesis;
        let cone = self.cone.unwrap_or(mujoco.cone);
        let is_elliptic = cone == Cone::Elliptic;
        let impratio = if is_genesis && is_elliptic { 100.0 } else { mujoco.impratio };
        let fixed_point = is_genesis && is_elliptic && solver == SolverKind::ConvexNewton;
        let resolution = if fixed_point { Resolution::Signorini } else { Resolution::Convex };
        let time = self.constraint_timeconst.unwrap_or(GENESIS_TIME);
        let solref = if is_genesis { [time, 1.0] } else { mujoco.softness.solref };
        let mut softness = Softness {
            solref: self.solref.unwrap_or(solref),
            solimp: self.solimp.unwrap_or(mujoco.softness.solimp),
        };
        if let Some([time_constant, ratio, impedance @ ..]) = self.sol_params {
            let ratio = if time_constant < 0.0 { 1.0 } else { ratio };
            softness.solref = [if time_constant > 0.0 { time_constant } else { time }, ratio];
            softness.solimp = impedance;
        }
        let (pyramid, warm) = if is_genesis {
            (PyramidRule::Genesis, WarmRule::Last)
        } else {
            (PyramidRule::Mujoco, WarmRule::Cheaper)
        };
        ConvexSettings {
            softness,
            cone,
            impratio: self.impratio.unwrap_or(impratio),
            resolution: self.resolution.unwrap_or(resolution),
            pyramid: self.pyramid.unwrap_or(pyramid),
            refsafe: self.refsafe.unwrap_or(mujoco.refsafe),
            exact_diagonal: self.exact_diagonal.unwrap_or(mujoco.exact_diagonal),
            warm: self.start.unwrap_or(warm),
            ls_iterations: self.ls_iterations.unwrap_or(mujoco.ls_iterations),
            noslip_iterations: self.noslip_iterations,
            ..mujoco
        }
    }
}

const MOST_NOSLIP: u32 = 1000;
const MOST_EVALUATIONS: u32 = 1000;

/// Genesis's `constraint_timeconst` [s].
const GENESIS_TIME: f64 = 0.01;

table!(
    ConvexSpec {
        like,
        cone,
        impratio,
        resolution,
        noslip_iterations,
        solref,
        solimp,
        refsafe,
        exact_diagonal,
        sol_params,
        constraint_timeconst,
        pyramid,
        start,
        ls_iterations
    } | v
        | {
            let meaning = "whose defaults the keys below have, or `\"genesis\"`: `solref` [0.01, 1], with an elliptic cone `impratio` 100 and, with `convex/newton`, `resolution` `\"signorini\"`";
            v.word(key("like", "\"mujoco\"", meaning), like);
            let meaning = "shape of the friction cone, or `\"elliptic\"`";
            v.option(told("cone", "`\"pyramidal\"`", meaning), cone, Holds::Elsewhere);
            v.option(
                told("impratio", "1", "how much stiffer friction is than the normal, > 0"),
                impratio,
                Holds::Positive("how much stiffer friction is than the normal"),
            );
            let meaning = "sliding raises the normal force, or `\"signorini\"`: it does not (elliptic cone and `convex/newton` alone)";
            v.option(told("resolution", "`\"convex\"`", meaning), resolution, Holds::Elsewhere);
            v.value(
                key("noslip_iterations", "0", "sweeps that take the creep out of friction after the solve"),
                noslip_iterations,
                Holds::Count([0, MOST_NOSLIP], "0 is the default; 10 are many."),
            );
            v.option(
                told(
                    "solref",
                    "[0.02, 1]",
                    "time constant [s] and damping ratio of contacts, limits and couplings, both > 0; or −stiffness and −damping",
                ),
                solref,
                Holds::Finite,
            );
            v.option(
                told(
                    "solimp",
                    "[0.9, 0.95, 0.001, 0.5, 2]",
                    "impedance at the surface and from the width on, width [m], midpoint, power",
                ),
                solimp,
                Holds::Finite,
            );
            v.option(
                told("refsafe", "true", "time constants are at least two steps"),
                refsafe,
                Holds::Elsewhere,
            );
            let meaning = "softness follows the inverse mass of each contact, not the mean over the translations of its bodies";
            v.option(told("exact_diagonal", "false", meaning), exact_diagonal, Holds::Elsewhere);
            let meaning = "Genesis's seven numbers in the place of `solref` and `solimp`: time constant [s] (0 or less: `constraint_timeconst`, and below 0 the damping ratio is 1), damping ratio, impedance at the surface and from the width on, width [m], midpoint, power";
            v.option(told("sol_params", "none", meaning), sol_params, Holds::Finite);
            let meaning =
                "time constant of `sol_params` and of `like = \"genesis\"` where they have none [s]";
            let holds = Holds::Positive("a time constant");
            v.option(told("constraint_timeconst", "0.01", meaning), constraint_timeconst, holds);
            let meaning = "R of an edge of a pyramid, with m = μ²/impratio: 2 m (1 + μ²) R, or `\"genesis\"`: 2 m (1 + m) R";
            v.option(told("pyramid", "as `like`", meaning), pyramid, Holds::Elsewhere);
            let meaning = "the iteration starts at the cheaper of the last impulses and none, or at the `\"last\"` ones: with `like = \"genesis\"`";
            v.option(told("start", "`\"cheaper\"`", meaning), start, Holds::Elsewhere);
            let holds = Holds::Count([1, MOST_EVALUATIONS], "50 is the default.");
            let meaning = "evaluations of a line search at most";
            v.option(told("ls_iterations", "50", meaning), ls_iterations, holds);
        }
);

/// How overlap is undone, as a scene writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StabilisationSpec {
    /// Not at all.
    None,
    /// By a velocity bias; it creates energy.
    Baumgarte {
        /// Share of the overlap undone in a step. Default 0.2.
        erp: f64,
        /// Largest bias [m/s]. Default: no limit.
        cap: Option<f64>,
    },
    /// By displacements that leave the velocities alone.
    SplitImpulse {
        /// Share of the overlap beyond `slop` undone in a step. Default 0.2.
        beta: f64,
        /// Overlap that is left alone [m]. Default 5e-4 length.
        slop: Option<f64>,
    },
}

impl StabilisationSpec {
    /// Share of the overlap undone in a step when the scene names none.
    pub const DEFAULT_SHARE: f64 = 0.2;
}

impl Default for StabilisationSpec {
    fn default() -> Self {
        Self::SplitImpulse { beta: Self::DEFAULT_SHARE, slop: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_the_first_step_at_or_after_them() {
        assert_eq!(Duration::Seconds(0.3).steps(0.1), 3);
        assert_eq!(Duration::Seconds(0.31).steps(0.1), 4);
        assert_eq!(Duration::Seconds(0.0).steps(0.1), 0);
        assert_eq!(Duration::Seconds(1.0).steps(1.0 / 240.0), 240);
        assert_eq!(Duration::Steps(7).steps(0.1), 7);
    }

    #[test]
    fn each_choice_of_genesis_can_be_made_alone() {
        let of = |spec: ConvexSpec| spec.settings(SolverKind::ConvexNewton);
        let with = |sol_params: [f64; 7], constraint_timeconst| {
            let spec =
                ConvexSpec { sol_params: Some(sol_params), constraint_timeconst, ..ConvexSpec::default() };
            of(spec).softness
        };
        let numbers = |time, ratio| [time, ratio, 0.8, 0.85, 2e-3, 0.4, 3.0];
        assert_eq!(with(numbers(0.02, 0.7), None).solref, [0.02, 0.7]);
        assert_eq!(with(numbers(0.0, 0.7), None).solref, [0.01, 0.7]);
        assert_eq!(with(numbers(-1.0, 0.7), Some(0.03)).solref, [0.03, 1.0]);
        assert_eq!(with(numbers(0.02, 0.7), None).solimp, [0.8, 0.85, 2e-3, 0.4, 3.0]);
        let mujoco = of(ConvexSpec::default());
        let pyramid = of(ConvexSpec { pyramid: Some(PyramidRule::Genesis), ..ConvexSpec::default() });
        assert_eq!(pyramid, ConvexSettings { pyramid: PyramidRule::Genesis, ..mujoco });
        let start = of(ConvexSpec { start: Some(WarmRule::Last), ..ConvexSpec::default() });
        assert_eq!(start, ConvexSettings { warm: WarmRule::Last, ..mujoco });
        // And of Genesis's, each of MuJoCo's.
        let genesis = ConvexSpec { like: ConvexLike::Genesis, ..ConvexSpec::default() };
        let back = of(ConvexSpec { pyramid: Some(PyramidRule::Mujoco), ..genesis });
        assert_eq!(back, ConvexSettings { pyramid: PyramidRule::Mujoco, ..of(genesis) });
        let slow = of(ConvexSpec { constraint_timeconst: Some(0.04), ..genesis });
        assert_eq!(slow.softness.solref, [0.04, 1.0]);
    }

    #[test]
    fn up_is_the_axis_against_gravity() {
        let up = |x, y, z| WorldSpec { gravity: Vec3::new(x, y, z), ..WorldSpec::default() }.up();
        assert_eq!(up(0.0, 0.0, -9.81), Vec3::Z);
        assert_eq!(up(0.0, -9.81, 0.0), Vec3::Y);
        assert_eq!(up(9.81, 1.0, 0.0), -Vec3::X);
        assert_eq!(up(0.0, 0.0, 0.0), Vec3::Z);
    }

    #[test]
    fn defaults_scale_with_the_length() {
        let world = WorldSpec { length: 1e-3, ..WorldSpec::default() };
        let max_step = f64::INFINITY;
        assert_eq!(
            world.effective_recovery(SolverKind::NcpNewton),
            Recovery::SplitImpulse { beta: 0.2, slop: 5e-4 * 1e-3, max_step }
        );
        assert_eq!(world.effective_restitution_threshold(), 0.01 * (9.81f64 * 1e-3).sqrt());
    }
}
