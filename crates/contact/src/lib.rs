//! The contact problem, its solvers and its judge: the heart of the Huygens contact engine.
//!
//! No shapes, no bodies, no world: a [`ContactProblem`] is plain data, every contact model solves that same data, and
//! the judge looks at problem and answer alone.
//!
//! A step calls [`impact`] on the velocity at its start, then [`SolverKind::solve`], then [`correct`] with the displacement
//! that its integrator is about to make. A ball at rest on the floor:
//!
//! ```
//! use huygens_contact::*;
//! use huygens_math::{BlockInertia, FreeInertia, FreeMass, Sym3, Twist, Vec3};
//!
//! let (h, mass, g) = (0.01, 2.0, 9.81);
//! let inertia = BlockInertia {
//!     free: vec![FreeInertia {
//!         inv_mass: Vec3::splat(1.0 / mass),
//!         inv_inertia: Sym3::diagonal(Vec3::splat(5.0)),
//!     }],
//!     mass: vec![FreeMass { mass: Vec3::splat(mass), inertia: Sym3::diagonal(Vec3::splat(0.2)) }],
//!     trees: vec![],
//! };
//! let mut groups = Groups::default();
//! groups.demands.push(Demand::default());
//! groups.materials.push(Material {
//!     restitution: 0.0,
//!     friction_static: 0.5,
//!     friction_dynamic: 0.5,
//!     friction_torsional: 0.0,
//!     friction_rolling: 0.0,
//! });
//! groups.heads.push(Head {
//!     key: GroupKey::contact([0, 1], [0, 0]),
//!     side: [Side::Free(0), Side::Fixed],
//!     law: Law::Contact,
//!     demand: 0,
//!     is_soft: false,
//!     first: 0,
//!     len: 1,
//!     material: 0,
//!     couple: NO_COUPLE,
//!     normal: Vec3::Z,
//!     tangent: Vec3::X,
//! });
//! let arm = [Vec3::Z * -0.5, Vec3::ZERO];
//! groups.points.push(Point { arm, gap: 0.0, feature: [0; 2], tree: None });
//!
//! let v_start = Velocity { free: vec![Twist::ZERO], dof: vec![] };
//! let v_free = Velocity { free: vec![Twist::new(Vec3::Z * (-g * h), Vec3::ZERO)], dof: vec![] };
//! let graph = ContactGraph::of(&groups, &inertia);
//! let problem = ContactProblem {
//!     h,
//!     v_start: &v_start,
//!     v_free: &v_free,
//!     move_inertia: &inertia,
//!     groups: &groups,
//!     graph: &graph,
//!     airborne: &[],
//!     cap_left: &[],
//!     scale: Scale { length: 1.0, speed: g.sqrt() },
//! };
//! let settings = Settings::for_scale(problem.scale);
//! let (mut scratch, mut out) = (Scratch::default(), Solution::default());
//! let kind: SolverKind = "sequential-impulse".parse()?;
//! let report = kind.solve(&settings, &problem, Warm::default(), &mut scratch, &mut out);
//!
//! assert_eq!(report.stopped, Stop::Converged);
//! assert_eq!(out.v, v_start); // true rest
//! assert!((out.impulses[0][0] / h - mass * g).abs() < 1e-12); // the floor carries the weight
//! assert_eq!(out.work.total(), 0.0); // and no heat
//! let judged = Certificate::of(&problem, out.all(), &out.v);
//! assert!(judged.natural_map < 1e-14);
//! # Ok::<(), UnknownSolver>(())
//! ```

mod cap;
mod certificate;
mod coloring;
mod correction;
mod couple;
mod delassus;
mod demand;
mod dump;
mod entry;
mod graph;
mod guard;
mod impact;
mod kernel;
mod key;
mod part;
pub mod passivity;
mod prepare;
mod problem;
mod scratch;
mod settings;
mod solution;
mod solver;
mod transport;
mod tree_rows;
mod work;

pub use certificate::{Certificate, Claim};
pub use correction::{CorrectionInput, CorrectionReport, LoadHistory, correct, correct_held, land};
pub use delassus::{DelassusAnswer, DelassusProblem, NeedsBodies, NotReducible};
pub use demand::{Compliance, Demand, Recovery, RowPose, Unit};
pub use dump::{ReadError, StoredCase, StoredProblem, StoredSolution};
pub use graph::ContactGraph;
pub use guard::{GuardReport, Losses, limit_correction, scale_back, work_from_outside};
pub use impact::{ImpactOutcome, ImpactProblem, RevisedGroups, impact};
pub use key::{GroupId, GroupKey, RangeEnd};
pub use part::{OwnProblem, Part, WholeStep};
pub use problem::{
    ContactProblem, Groups, Head, Law, Material, NO_COUPLE, Point, Round, Row, RowPart, Scale, Side,
    SurfaceVelocity, TorqueLimited, Velocity,
};
pub use scratch::{Room, Scratch};
pub use settings::Settings;
pub use solution::{CoupleImpulse, DriverLoad, Impulse, Impulses, Solution, Warm, Work};
pub use solver::convex;
pub use solver::{FrictionAt, Parameter, SoftStep, SolveReport, SolverKind, Stop, UnknownSolver};
pub use tree_rows::{SpanIdx, TreePath, TreeRows, TreeSpan};
