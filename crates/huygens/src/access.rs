//! What each stage reads and what it writes of the workspace. A stage gets no more than that, so that the compiler holds it: the groups of
//! assembly, for instance, are written by `assemble` alone.

use crate::bodies::Bodies;
use crate::contacts::{Contacts, Kept};
use crate::event::Event;
use crate::ledger::{Account, StepBook};
use crate::sleep::Groups as DrowsyGroups;
use crate::stage::Slowed;
use crate::stage::{
    AgainWork, BodyRow, ForceWork, GhostWork, LinkWays, MeetWork, NarrowWork, PowerWork, ShapeRow, SweepWork,
    Touch,
};
use crate::workspace::{End, Found, FoundPoint, ProblemData, TreeWork, Workspace};
use huygens_contact::{
    ContactGraph, CoupleImpulse, DriverLoad, Groups, ImpactOutcome, Impulse, Scratch, Solution, Velocity,
};
use huygens_geometry::Manifold;
use huygens_geometry::broadphase::{BroadPhase, ProxyBox};
use huygens_math::{BlockInertia, Pool, Pose, Sum, TreeInertia, Twist};

/// `stage::kinematics`.
pub(crate) struct KinematicsAccess<'a> {
    // writes
    pub bodies: &'a mut Bodies,
    pub trees: &'a mut Vec<TreeWork>,
    pub shape_pose: &'a mut Vec<Pose>,
    pub inertia: &'a mut BlockInertia,
    pub forces: &'a mut ForceWork,
    pub book: &'a mut StepBook,
    pub taken_out: &'a mut Sum,
}

/// `stage::collide`.
pub(crate) struct CollideAccess<'a> {
    // reads
    pub pool: &'a Pool,
    pub bodies: &'a Bodies,
    pub shape_pose: &'a [Pose],
    pub forces: &'a ForceWork,
    // writes
    pub table_edits: &'a mut Option<u64>,
    pub body_rows: &'a mut Vec<BodyRow>,
    pub shapes: &'a mut Vec<ShapeRow>,
    pub broad: &'a mut BroadPhase,
    pub boxes: &'a mut Vec<ProxyBox>,
    pub found: &'a mut Vec<Found>,
    pub found_points: &'a mut Vec<FoundPoint>,
    pub kept_pairs: &'a mut Vec<Kept>,
    pub narrow: &'a mut NarrowWork,
    pub pair: &'a mut Vec<Manifold>,
    pub meet: &'a mut MeetWork,
    pub ghosts: &'a mut GhostWork,
    pub touches: &'a mut Vec<Touch>,
    pub links: &'a mut LinkWays,
    pub supported: &'a mut Vec<bool>,
    pub table_sleep: &'a mut Option<u64>,
    pub turned: &'a mut Vec<u32>,
    pub woken: &'a mut Vec<u32>,
    pub near: &'a mut Vec<u32>,
    pub spare: &'a mut Contacts,
}

/// `stage::meet`.
pub(crate) struct MeetAccess<'a> {
    // reads
    pub found_points: &'a [FoundPoint],
    pub shapes: &'a [ShapeRow],
    // writes
    pub meet: &'a mut MeetWork,
    pub found: &'a mut Vec<Found>,
}

/// `stage::factor`.
pub(crate) struct FactorAccess<'a> {
    // reads
    pub body_rows: &'a [BodyRow],
    pub shapes: &'a [ShapeRow],
    pub found: &'a [Found],
    // writes
    pub trees: &'a mut [TreeWork],
    pub inertia: &'a mut [TreeInertia],
}

/// `stage::assemble`.
pub(crate) struct AssembleAccess<'a> {
    // reads
    pub pool: &'a Pool,
    pub bodies: &'a Bodies,
    pub body_rows: &'a [BodyRow],
    pub shapes: &'a [ShapeRow],
    pub found: &'a [Found],
    pub found_points: &'a [FoundPoint],
    pub touches: &'a [Touch],
    pub meet: &'a MeetWork,
    pub inertia: &'a BlockInertia,
    pub forces: &'a ForceWork,
    // writes
    pub trees: &'a mut [TreeWork],
    pub acceleration: &'a mut Velocity,
    pub v_start: &'a mut Velocity,
    pub groups: &'a mut Groups,
    pub graph: &'a mut ContactGraph,
    pub ends: &'a mut Vec<End>,
    pub ends_from: &'a mut Option<[u64; 2]>,
    pub head_found: &'a mut Vec<u32>,
    pub before: &'a mut Vec<u32>,
    pub warm: &'a mut Vec<Impulse>,
    pub warm_couples: &'a mut Vec<CoupleImpulse>,
    pub warm_rows: &'a mut Vec<f64>,
    pub kicks: &'a mut Vec<Twist>,
    pub curved: &'a mut Vec<u32>,
    pub pair: &'a mut Vec<Manifold>,
}

/// `stage::impact`.
pub(crate) struct ImpactAccess<'a> {
    // reads
    pub acceleration: &'a Velocity,
    pub inertia: &'a BlockInertia,
    pub groups: &'a Groups,
    pub graph: &'a ContactGraph,
    pub warm: &'a [Impulse],
    pub warm_couples: &'a [CoupleImpulse],
    // writes
    pub trees: &'a mut [TreeWork],
    pub v_start: &'a mut Velocity,
    pub v_free: &'a mut Velocity,
    pub impact: &'a mut ImpactOutcome,
    pub scratch: &'a mut Scratch,
}

/// `stage::solve`.
pub(crate) struct SolveAccess<'a> {
    // reads
    pub problem: &'a ProblemData,
    pub warm: &'a [Impulse],
    pub warm_couples: &'a [CoupleImpulse],
    pub warm_rows: &'a [f64],
    // writes
    pub solution: &'a mut Solution,
    pub scratch: &'a mut Scratch,
}

/// `stage::power`.
pub(crate) struct PowerAccess<'a> {
    // reads
    pub acceleration: &'a Velocity,
    pub inertia: &'a BlockInertia,
    pub groups: &'a Groups,
    pub graph: &'a ContactGraph,
    pub warm: &'a [Impulse],
    pub warm_couples: &'a [CoupleImpulse],
    pub warm_rows: &'a [f64],
    // writes
    pub power: &'a mut PowerWork,
    pub v_start: &'a mut Velocity,
    pub v_free: &'a mut Velocity,
    pub impact: &'a mut ImpactOutcome,
    pub solution: &'a mut Solution,
    pub scratch: &'a mut Scratch,
}

/// `stage::keep_answer` and `stage::solve_again`.
pub(crate) struct AgainAccess<'a> {
    // reads
    pub problem: &'a ProblemData,
    pub warm: &'a [Impulse],
    pub warm_couples: &'a [CoupleImpulse],
    pub warm_rows: &'a [f64],
    /// Bodies that the sweep gave rows to.
    pub struck: &'a [u32],
    // writes
    pub again: &'a mut AgainWork,
    pub displacement: &'a mut Velocity,
    pub solution: &'a mut Solution,
    pub scratch: &'a mut Scratch,
}

/// `stage::position`.
pub(crate) struct PositionAccess<'a> {
    // reads
    pub problem: &'a ProblemData,
    pub warm: &'a [Impulse],
    // writes
    pub displacement: &'a mut Velocity,
    pub solution: &'a mut Solution,
    pub scratch: &'a mut Scratch,
}

/// `stage::sweep`.
pub(crate) struct SweepAccess<'a> {
    // reads
    pub pool: &'a Pool,
    pub bodies: &'a Bodies,
    pub body_rows: &'a [BodyRow],
    pub shapes: &'a [ShapeRow],
    pub problem: &'a ProblemData,
    pub displacement: &'a Velocity,
    /// Pairs of shapes of which a contact was dropped as a ghost, sorted.
    pub ghosts: &'a [[u32; 2]],
    pub forces: &'a ForceWork,
    pub meet: &'a MeetWork,
    pub again: &'a AgainWork,
    // writes
    pub broad: &'a mut BroadPhase,
    pub found: &'a mut Vec<Found>,
    pub found_points: &'a mut Vec<FoundPoint>,
    pub touches: &'a mut Vec<Touch>,
    pub pair: &'a mut Vec<Manifold>,
    pub solution: &'a mut Solution,
    pub book: &'a mut StepBook,
    pub sweep: &'a mut SweepWork,
    pub links: &'a mut LinkWays,
}

/// `stage::sound`.
pub(crate) struct SoundAccess<'a> {
    // reads
    pub v_free: &'a Velocity,
    pub solution: &'a Solution,
    pub displacement: &'a Velocity,
    // writes
    pub inertia: &'a mut BlockInertia,
    pub forces: &'a mut ForceWork,
    pub book: &'a mut StepBook,
    pub taken_out: &'a mut Sum,
}

/// `stage::integrate`.
pub(crate) struct IntegrateAccess<'a> {
    // reads
    pub problem: &'a ProblemData,
    pub solution: &'a Solution,
    pub displacement: &'a Velocity,
    pub forces: &'a ForceWork,
    pub bodies: &'a Bodies,
    pub sweep: &'a SweepWork,
    // writes
    pub trees: &'a mut [TreeWork],
    pub energy_change: &'a mut Vec<f64>,
    pub slowed: &'a mut Slowed,
    pub loads: &'a mut Vec<DriverLoad>,
    pub book: &'a mut StepBook,
    pub measured: &'a mut Sum,
}

/// `stage::account`.
pub(crate) struct AccountAccess<'a> {
    // reads
    pub problem: &'a ProblemData,
    pub solution: &'a Solution,
    pub bodies: &'a Bodies,
    pub trees: &'a [TreeWork],
    pub forces: &'a ForceWork,
    pub measured: Sum,
    pub slowed: Slowed,
    pub taken_out: Sum,
    pub distorted: Option<Account>,
    // writes
    pub book: &'a mut StepBook,
}

/// `stage::remember`.
pub(crate) struct RememberAccess<'a> {
    // reads
    pub problem: &'a ProblemData,
    pub solution: &'a Solution,
    pub bodies: &'a Bodies,
    pub shapes: &'a [ShapeRow],
    pub found: &'a [Found],
    pub head_found: &'a [u32],
    // writes
    pub touching: &'a mut Vec<[u32; 2]>,
    pub events: &'a mut Vec<Event>,
}

/// `stage::rest`.
pub(crate) struct RestAccess<'a> {
    // reads
    pub bodies: &'a Bodies,
    pub body_rows: &'a [BodyRow],
    pub meet: &'a MeetWork,
    // writes
    pub groups: &'a mut DrowsyGroups,
    pub spare: &'a mut Contacts,
    pub book: &'a mut StepBook,
    pub events: &'a mut Vec<Event>,
}

impl Workspace {
    pub(crate) fn for_rest(&mut self) -> RestAccess<'_> {
        RestAccess {
            bodies: &self.bodies,
            body_rows: &self.body_rows,
            meet: &self.meet,
            groups: &mut self.drowsy,
            spare: &mut self.spare,
            book: &mut self.book,
            events: &mut self.events,
        }
    }

    pub(crate) fn for_kinematics(&mut self) -> KinematicsAccess<'_> {
        KinematicsAccess {
            bodies: &mut self.bodies,
            trees: &mut self.trees,
            shape_pose: &mut self.shape_pose,
            inertia: &mut self.problem.inertia,
            forces: &mut self.forces,
            book: &mut self.book,
            taken_out: &mut self.taken_out,
        }
    }

    pub(crate) fn for_collide(&mut self) -> CollideAccess<'_> {
        CollideAccess {
            pool: &self.pool,
            bodies: &self.bodies,
            shape_pose: &self.shape_pose,
            forces: &self.forces,
            table_edits: &mut self.table_edits,
            body_rows: &mut self.body_rows,
            shapes: &mut self.shapes,
            broad: &mut self.broad,
            boxes: &mut self.boxes,
            found: &mut self.found,
            found_points: &mut self.found_points,
            kept_pairs: &mut self.kept_pairs,
            narrow: &mut self.narrow,
            pair: &mut self.pair,
            meet: &mut self.meet,
            ghosts: &mut self.ghosts,
            touches: &mut self.touches,
            links: &mut self.links,
            supported: &mut self.supported,
            table_sleep: &mut self.table_sleep,
            turned: &mut self.turned,
            woken: &mut self.woken,
            near: &mut self.near,
            spare: &mut self.spare,
        }
    }

    pub(crate) fn for_meet(&mut self) -> MeetAccess<'_> {
        MeetAccess {
            found_points: &self.found_points,
            shapes: &self.shapes,
            meet: &mut self.meet,
            found: &mut self.found,
        }
    }

    pub(crate) fn for_factor(&mut self) -> FactorAccess<'_> {
        FactorAccess {
            body_rows: &self.body_rows,
            shapes: &self.shapes,
            found: &self.found,
            trees: &mut self.trees,
            inertia: &mut self.problem.inertia.trees,
        }
    }

    pub(crate) fn for_assemble(&mut self) -> AssembleAccess<'_> {
        AssembleAccess {
            pool: &self.pool,
            bodies: &self.bodies,
            body_rows: &self.body_rows,
            shapes: &self.shapes,
            found: &self.found,
            found_points: &self.found_points,
            touches: &self.touches,
            meet: &self.meet,
            forces: &self.forces,
            inertia: &self.problem.inertia,
            trees: &mut self.trees,
            acceleration: &mut self.acceleration,
            v_start: &mut self.problem.v_start,
            groups: &mut self.problem.groups,
            graph: &mut self.problem.graph,
            ends: &mut self.ends,
            ends_from: &mut self.ends_from,
            head_found: &mut self.head_found,
            before: &mut self.before,
            warm: &mut self.warm,
            warm_couples: &mut self.warm_couples,
            warm_rows: &mut self.warm_rows,
            kicks: &mut self.kicks,
            curved: &mut self.curved,
            pair: &mut self.pair,
        }
    }

    pub(crate) fn for_impact(&mut self) -> ImpactAccess<'_> {
        ImpactAccess {
            acceleration: &self.acceleration,
            inertia: &self.problem.inertia,
            groups: &self.problem.groups,
            graph: &self.problem.graph,
            warm: &self.warm,
            warm_couples: &self.warm_couples,
            trees: &mut self.trees,
            v_start: &mut self.problem.v_start,
            v_free: &mut self.problem.v_free,
            impact: &mut self.problem.impact,
            scratch: &mut self.scratch,
        }
    }

    pub(crate) fn for_solve(&mut self) -> SolveAccess<'_> {
        SolveAccess {
            problem: &self.problem,
            warm: &self.warm,
            warm_couples: &self.warm_couples,
            warm_rows: &self.warm_rows,
            solution: &mut self.solution,
            scratch: &mut self.scratch,
        }
    }

    pub(crate) fn for_power(&mut self) -> PowerAccess<'_> {
        PowerAccess {
            acceleration: &self.acceleration,
            inertia: &self.problem.inertia,
            groups: &self.problem.groups,
            graph: &self.problem.graph,
            warm: &self.warm,
            warm_couples: &self.warm_couples,
            warm_rows: &self.warm_rows,
            power: &mut self.power,
            v_start: &mut self.problem.v_start,
            v_free: &mut self.problem.v_free,
            impact: &mut self.problem.impact,
            solution: &mut self.solution,
            scratch: &mut self.scratch,
        }
    }

    pub(crate) fn for_again(&mut self) -> AgainAccess<'_> {
        AgainAccess {
            problem: &self.problem,
            warm: &self.warm,
            warm_couples: &self.warm_couples,
            warm_rows: &self.warm_rows,
            struck: self.sweep.struck(),
            again: &mut self.again,
            displacement: &mut self.displacement,
            solution: &mut self.solution,
            scratch: &mut self.scratch,
        }
    }

    pub(crate) fn for_position(&mut self) -> PositionAccess<'_> {
        PositionAccess {
            problem: &self.problem,
            warm: &self.warm,
            displacement: &mut self.displacement,
            solution: &mut self.solution,
            scratch: &mut self.scratch,
        }
    }

    pub(crate) fn for_sweep(&mut self) -> SweepAccess<'_> {
        SweepAccess {
            pool: &self.pool,
            bodies: &self.bodies,
            body_rows: &self.body_rows,
            shapes: &self.shapes,
            problem: &self.problem,
            displacement: &self.displacement,
            ghosts: self.ghosts.dropped(),
            forces: &self.forces,
            meet: &self.meet,
            again: &self.again,
            broad: &mut self.broad,
            found: &mut self.found,
            found_points: &mut self.found_points,
            touches: &mut self.touches,
            pair: &mut self.pair,
            solution: &mut self.solution,
            book: &mut self.book,
            sweep: &mut self.sweep,
            links: &mut self.links,
        }
    }

    pub(crate) fn for_sound(&mut self) -> SoundAccess<'_> {
        SoundAccess {
            v_free: &self.problem.v_free,
            solution: &self.solution,
            displacement: &self.displacement,
            inertia: &mut self.problem.inertia,
            forces: &mut self.forces,
            book: &mut self.book,
            taken_out: &mut self.taken_out,
        }
    }

    pub(crate) fn for_integrate(&mut self) -> IntegrateAccess<'_> {
        IntegrateAccess {
            problem: &self.problem,
            solution: &self.solution,
            displacement: &self.displacement,
            forces: &self.forces,
            bodies: &self.bodies,
            sweep: &self.sweep,
            trees: &mut self.trees,
            energy_change: &mut self.energy_change,
            slowed: &mut self.slowed,
            loads: &mut self.loads,
            book: &mut self.book,
            measured: &mut self.measured,
        }
    }

    pub(crate) fn for_account(&mut self) -> AccountAccess<'_> {
        AccountAccess {
            problem: &self.problem,
            solution: &self.solution,
            bodies: &self.bodies,
            trees: &self.trees,
            forces: &self.forces,
            measured: self.measured,
            slowed: self.slowed,
            taken_out: self.taken_out,
            distorted: self.distorted,
            book: &mut self.book,
        }
    }

    pub(crate) fn for_remember(&mut self) -> RememberAccess<'_> {
        RememberAccess {
            problem: &self.problem,
            solution: &self.solution,
            bodies: &self.bodies,
            shapes: &self.shapes,
            found: &self.found,
            head_found: &self.head_found,
            touching: &mut self.touching,
            events: &mut self.events,
        }
    }
}
