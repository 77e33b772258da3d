//! What every contact model sees.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | h | `h` | the whole step | s |
//! | n | `normal` | contact normal, from B to A | – |
//! | t₁, t₂ | `tangent` | directions in the contact plane; (n, t₁, t₂) is right-handed | – |
//! | u | `Transport::relative` | velocity of A relative to B at the contact, in (n, t₁, t₂); u_n > 0 separates | m/s |
//! | p, λ | `Impulse` | impulse on A, in (n, t₁, t₂); B gets −p | N·s |
//! | J | view of arms and tree rows | u = J v − u_d, u_d the velocity of a driven side | |
//! | W | `Transport::delassus` | J M⁻¹ Jᵀ, 3×3 block of a point | 1/kg |
//! | ω | `Groups::spin` | spin of A relative to B in (n, t₁, t₂), the same at all points of a contact | rad/s |
//! | τ | `Couple` | couple on A in (n, t₁, t₂); B gets −τ: \|τ_n\| ≤ a_s p_n, \|τ_t\| ≤ a_r p_n at each point | N·m·s |

use crate::{Compliance, ContactGraph, Demand, GroupKey, SpanIdx, TreeRows, TreeSpan};
use huygens_math::{BlockInertia, Sum, Twist, Vec3};

/// Velocities of everything that moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Velocity {
    /// One twist for each free body: centre of mass, world axes.
    pub free: Vec<Twist>,
    /// Joint velocities of all trees, tree after tree.
    pub dof: Vec<f64>,
}

impl Velocity {
    /// True when it has no velocity at all.
    pub fn is_empty(&self) -> bool {
        self.free.is_empty() && self.dof.is_empty()
    }

    /// Takes all velocities out.
    pub fn clear(&mut self) {
        self.free.clear();
        self.dof.clear();
    }

    /// Makes this a copy of `other` without allocating when it has the room.
    pub fn copy_from(&mut self, other: &Self) {
        self.free.clone_from(&other.free);
        self.dof.clone_from(&other.dof);
    }

    /// Adds another, of the same layout.
    pub fn add(&mut self, other: &Self) {
        self.free.iter_mut().zip(&other.free).for_each(|(to, from)| *to += *from);
        self.dof.iter_mut().zip(&other.dof).for_each(|(to, from)| *to += from);
    }

    /// Makes this v + h a.
    pub fn set_kicked(&mut self, v: &Self, a: &Self, h: f64) {
        self.free.clear();
        self.free.extend(v.free.iter().zip(&a.free).map(|(v, a)| *v + *a * h));
        self.dof.clear();
        self.dof.extend(v.dof.iter().zip(&a.dof).map(|(v, a)| v + a * h));
    }

    /// All zero, with the layout of `other`.
    pub fn reset_like(&mut self, other: &Self) {
        self.free.clear();
        self.free.resize(other.free.len(), Twist::ZERO);
        self.dof.clear();
        self.dof.resize(other.dof.len(), 0.0);
    }
}

/// One of the two things that a group couples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The world: nothing moves it, and it does not move.
    Fixed,
    /// A body with prescribed velocity: index into [`Groups::driven`].
    Driven(u32),
    /// A free body: index into [`Velocity::free`].
    Free(u32),
    /// A tree: index into [`BlockInertia::trees`]; the rows are in [`Groups::tree`].
    Tree(u32),
}

/// What a group demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Unilateral contact with Coulomb friction, and with friction against spinning and rolling where [`Head::couple`] says so: its
    /// entries are [`Groups::points`].
    Contact,
    /// Row velocity equals its target; rows in [`Groups::rows`].
    Equality,
    /// Row velocity is not below its target, impulse ≥ 0.
    Unilateral,
    /// Row velocity goes to its target with an impulse in [lo, hi] N·s (or N·m·s): a motor, dry friction, a limited driver.
    Bounded {
        /// Least impulse.
        lo: f64,
        /// Largest impulse.
        hi: f64,
    },
    /// The motor of a driver with a torque limit: one row whose velocity goes to its target with an impulse in [−most, most].
    /// As [`Law::Bounded`], and what it gives is the work of that driver.
    Drive {
        /// Index into [`Groups::driven`].
        driver: u32,
        /// Largest angular impulse [N·m·s].
        most: f64,
    },
}

impl Law {
    /// Least and largest impulse of a row; of a contact that of the normal.
    #[inline(always)]
    pub(crate) fn bounds(self) -> (f64, f64) {
        match self {
            Self::Equality => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Contact | Self::Unilateral => (0.0, f64::INFINITY),
            Self::Bounded { lo, hi } => (lo, hi),
            Self::Drive { most, .. } => (-most, most),
        }
    }
}

/// One group: a manifold, a limit, an equality or a motor.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Identity and order.
    pub key: GroupKey,
    /// A and B.
    pub side: [Side; 2],
    /// What it demands.
    pub law: Law,
    /// First entry in `points` (contact) or `rows` (every other law).
    pub first: u32,
    /// Number of entries.
    pub len: u8,
    /// Index into [`Groups::demands`].
    pub demand: u32,
    /// The group gives way: its demand has a compliance other than [`crate::Compliance::Rigid`].
    pub is_soft: bool,
    /// Index into [`Groups::materials`].
    pub material: u32,
    /// Index of the couple of its first point in [`crate::Solution::couples`], those of the others follow; [`NO_COUPLE`] for a contact
    /// without friction against spinning and rolling.
    pub couple: u32,
    /// Contact normal from B to A; unused by other laws.
    pub normal: Vec3,
    /// First tangent; the second is n × t₁.
    pub tangent: Vec3,
}

impl Head {
    /// The group of one row, which has no surface.
    pub fn of_row(key: GroupKey, side: [Side; 2], law: Law, demand: u32, row: u32) -> Self {
        let (normal, tangent, is_soft) = (Vec3::ZERO, Vec3::ZERO, false);
        let (material, couple) = (0, NO_COUPLE);
        Self { key, side, law, first: row, len: 1, demand, is_soft, material, couple, normal, tangent }
    }

    /// The entries of this group.
    #[inline(always)]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.len as usize
    }

    /// The world vector whose components in (n, t₁, t₂) are `p`.
    #[inline(always)]
    pub fn to_world(&self, p: [f64; 3]) -> Vec3 {
        self.normal * p[0] + self.tangent * p[1] + self.normal.cross(self.tangent) * p[2]
    }

    /// Components of a world vector in (n, t₁, t₂).
    #[inline(always)]
    pub fn to_local(&self, v: Vec3) -> [f64; 3] {
        [self.normal.dot(v), self.tangent.dot(v), self.normal.cross(self.tangent).dot(v)]
    }
}

/// No friction against spinning and rolling.
pub const NO_COUPLE: u32 = u32::MAX;

/// One point of a contact group.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// From the centre of mass of each side to the contact point, world axes [m]; for a driven side from its reference point.
    pub arm: [Vec3; 2],
    /// Distance at the start of the step [m]; negative when overlapping.
    pub gap: f64,
    /// Feature of each side that meets here; identity of the point within its group.
    pub feature: [u32; 2],
    /// Its rows in [`Groups::tree`] when a side is a tree.
    pub tree: Option<SpanIdx>,
}

/// One scalar row of an equality, a limit or a motor: u = linear·(v_A − v_B) + angular₀·ω_A + angular₁·ω_B, which the law
/// compares with `target`. The impulse λ is `linear` λ on A and −`linear` λ on B, with angular impulses `angular` λ.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Direction that acts on the linear velocity of A, and negatively on that of B.
    pub linear: Vec3,
    /// Directions that act on the spin of A and of B.
    pub angular: [Vec3; 2],
    /// Row velocity that the law asks for.
    pub target: f64,
    /// Position error [m or rad], for stabilisation; for a limit its gap.
    pub error: f64,
    /// Its row in [`Groups::tree`] when a side is a tree.
    pub tree: Option<SpanIdx>,
}

/// One more body or tree that a row acts on, beside the two sides of its group: a tendon or a gear has some. No body and no tree occurs
/// twice in a row.
#[derive(Clone, Copy, Debug)]
pub struct RowPart {
    /// Index into [`Groups::rows`].
    pub row: u32,
    /// Free body, driven body or tree.
    pub side: Side,
    /// Direction that acts on its linear velocity; not used for a tree.
    pub linear: Vec3,
    /// Direction that acts on its spin; not used for a tree.
    pub angular: Vec3,
    /// Its row in [`TreeRows`] when it is a tree.
    pub span: TreeSpan,
}

/// Surface properties of a pair, combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Newton's coefficient e.
    pub restitution: f64,
    /// Friction while it sticks.
    pub friction_static: f64,
    /// Friction while it slips.
    pub friction_dynamic: f64,
    /// Friction against spinning about the normal [m].
    pub friction_torsional: f64,
    /// Friction against rolling [m].
    pub friction_rolling: f64,
}

/// A contact whose surfaces move other than its bodies do at its point: as that of a conveyor belt does, or because the point runs over
/// the surface of a body that rolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceVelocity {
    /// First point of the contact: [`Head::first`].
    pub first: u32,
    /// Velocity of the surface of each side relative to its body, in the contact plane [m/s].
    pub velocity: [Vec3; 2],
    /// Who gives its work: index into [`Groups::driven`] for each side; `None` for a side without a belt.
    pub driver: [Option<u32>; 2],
    /// Half of what the velocity of A relative to B changes by in the step because the point runs over a surface [m/s]. The point is that of
    /// the middle of the step: at the end the velocity is more by this, at the start less, and the mean has none of it.
    pub half_change: Vec3,
}

/// A contact of two balls: its normal turns while they come nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// First point of the contact: [`Head::first`].
    pub first: u32,
    /// From the centre of the ball of B to that of A at the start of the step [m].
    pub apart: Vec3,
    /// From the centre of mass of each side to the centre of its ball [m].
    pub centre: [Vec3; 2],
    /// Radius of each ball [m].
    pub radius: [f64; 2],
    /// Demand of the rows of their touch: index into [`Groups::demands`].
    pub demand: u32,
}

/// A driver that is a body with an inertia of its own: it turns about its axis as its motor and contacts make it, and moves
/// as prescribed otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TorqueLimited {
    /// Index into [`Velocity::free`].
    pub body: u32,
    /// Index into [`Groups::driven`].
    pub driver: u32,
}

/// All groups of a step, sorted by key: contacts, then the other laws.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The groups.
    pub heads: Vec<Head>,
    /// Points of the contacts.
    pub points: Vec<Point>,
    /// Rows of the other laws.
    pub rows: Vec<Row>,
    /// Deduplicated demands; `huygens::stage::demand` fills them and nothing changes them.
    pub demands: Vec<Demand>,
    /// What rows act on beyond their two sides, in the order of the rows.
    pub parts: Vec<RowPart>,
    /// Number of points with friction against spinning and rolling.
    pub couples: u32,
    /// Deduplicated surface properties.
    pub materials: Vec<Material>,
    /// Velocity of each driven body at its reference point.
    pub driven: Vec<Twist>,
    /// Rows of tree sides.
    pub tree: TreeRows,
    /// Contacts with a surface that moves along itself or is run over, in the order of their groups.
    pub surface_velocities: Vec<SurfaceVelocity>,
    /// Contacts of two balls that the impact stage may turn, in the order of their groups.
    pub round: Vec<Round>,
    /// Drivers with a torque limit, in the order of their bodies.
    pub torque_limited: Vec<TorqueLimited>,
    /// Largest contact impulse of each driver in the step [N·s], infinite for none; empty when no driver has one.
    pub caps: Vec<f64>,
    /// Largest work of each driver in the step [J], infinite for none; empty when no driver has a limit of power. No solve knows it: who
    /// solves takes less of the driver's velocity ([`crate::Part`]).
    pub work_limits: Vec<f64>,
}

impl Groups {
    /// Empties everything and keeps the room.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.points.clear();
        self.rows.clear();
        self.demands.clear();
        self.parts.clear();
        self.couples = 0;
        self.materials.clear();
        self.driven.clear();
        self.tree.clear();
        self.surface_velocities.clear();
        self.round.clear();
        self.torque_limited.clear();
        self.caps.clear();
        self.work_limits.clear();
    }

    /// Makes this a copy of `other` without allocating when it has the room.
    pub fn copy_from(&mut self, other: &Self) {
        // All fields by name, so that a new one is not forgotten.
        let Self {
            heads,
            points,
            rows,
            parts,
            couples,
            demands,
            materials,
            driven,
            tree,
            surface_velocities,
            round,
            torque_limited,
            caps,
            work_limits,
        } = other;
        let TreeRows { spans, path, j, y, .. } = tree;
        self.heads.clone_from(heads);
        self.points.clone_from(points);
        self.rows.clone_from(rows);
        self.demands.clone_from(demands);
        self.parts.clone_from(parts);
        self.couples = *couples;
        self.materials.clone_from(materials);
        self.driven.clone_from(driven);
        self.tree.spans.clone_from(spans);
        self.tree.path.clone_from(path);
        self.tree.j.clone_from(j);
        self.tree.y.clone_from(y);
        self.surface_velocities.clone_from(surface_velocities);
        self.round.clone_from(round);
        self.torque_limited.clone_from(torque_limited);
        self.caps.clone_from(caps);
        self.work_limits.clone_from(work_limits);
    }

    /// Fills [`Head::is_soft`] of all groups from their demands. Motors and dry friction have no impedance: they are rows with bounds in every
    /// model.
    pub fn mark_soft(&mut self) {
        for head in &mut self.heads {
            let is_motor = matches!(head.law, Law::Bounded { .. } | Law::Drive { .. });
            head.is_soft = match self.demands[head.demand as usize].compliance {
                Compliance::Rigid => false,
                Compliance::Impedance(_) => !is_motor,
                Compliance::Spring { .. } | Compliance::Response { .. } => true,
            };
        }
    }

    /// Velocity of the surfaces of a contact relative to their bodies; `None` where surfaces move with them.
    #[inline(always)]
    pub fn surface_velocity(&self, head: &Head) -> Option<&SurfaceVelocity> {
        if self.surface_velocities.is_empty() {
            return None;
        }
        let at = self.surface_velocities.binary_search_by_key(&head.first, |surface| surface.first).ok()?;
        Some(&self.surface_velocities[at])
    }

    /// What row `i` acts on beyond the two sides of its group.
    #[inline(always)]
    pub fn parts_of(&self, i: usize) -> &[RowPart] {
        if self.parts.is_empty() {
            return &[];
        }
        let from = self.parts.partition_point(|part| (part.row as usize) < i);
        let count = self.parts[from..].iter().take_while(|part| part.row as usize == i).count();
        &self.parts[from..from + count]
    }

    /// The balls of a contact.
    #[inline]
    pub fn round(&self, head: &Head) -> Option<&Round> {
        if self.round.is_empty() {
            return None;
        }
        let at = self.round.binary_search_by_key(&head.first, |round| round.first).ok()?;
        Some(&self.round[at])
    }

    /// True for a driver whose impulse or work has a limit. It couples all that it touches.
    #[inline]
    pub fn is_limited(&self, driver: u32) -> bool {
        let is_finite = |list: &[f64]| list.get(driver as usize).is_some_and(|most| most.is_finite());
        is_finite(&self.caps) || is_finite(&self.work_limits)
    }

    /// The drivers of a group.
    pub(crate) fn drivers_of(&self, head: &Head) -> impl Iterator<Item = u32> {
        head.side.map(|side| self.driver_of(side)).into_iter().flatten()
    }

    /// The driver of a side, whether it moves as prescribed or has a torque limit.
    #[inline(always)]
    pub fn driver_of(&self, side: Side) -> Option<u32> {
        match side {
            Side::Driven(i) => Some(i),
            Side::Free(body) if !self.torque_limited.is_empty() => {
                let at = self
                    .torque_limited
                    .binary_search_by_key(&body, |torque_limited| torque_limited.body)
                    .ok()?;
                Some(self.torque_limited[at].driver)
            }
            Side::Fixed | Side::Free(_) | Side::Tree(_) => None,
        }
    }
}

/// Sizes from which every tolerance derives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    /// `world.length` [m].
    pub length: f64,
    /// A speed of the scene: √(|g|·length), or length/s when there is no gravity [m/s]. It does not depend on how fast anything moves: an
    /// island's tolerances are not to depend on another one.
    pub speed: f64,
}

impl Scale {
    /// The scale of a scene of that length [m] with gravity of that size [m/s²].
    pub fn of(length: f64, gravity: f64) -> Self {
        Self { length, speed: if gravity > 0.0 { (gravity * length).sqrt() } else { length } }
    }
}

/// The problem of one step.
#[derive(Clone, Copy, Debug)]
pub struct ContactProblem<'a> {
    /// The whole step [s].
    pub h: f64,
    /// Velocity at the start of the step, after the impact stage.
    pub v_start: &'a Velocity,
    /// Velocity at the end of the step if there were no impulses.
    pub v_free: &'a Velocity,
    /// Mass matrix and its inverse, which turns impulses into velocity.
    pub move_inertia: &'a BlockInertia,
    /// Contacts and constraints, sorted by key.
    pub groups: &'a Groups,
    /// Which of them hang together.
    pub graph: &'a ContactGraph,
    /// Points whose free flight does not reach the surface ([`crate::ImpactOutcome::airborne`]), aligned with the points: they
    /// may come down as fast as they do in free flight. Empty for none.
    pub airborne: &'a [bool],
    /// What the impacts of the step left of the cap of each driver ([`crate::ImpactOutcome::cap_left`]) [N·s]. Empty when there were none:
    /// then all of [`Groups::caps`] is left.
    pub cap_left: &'a [f64],
    /// Sizes from which tolerances derive.
    pub scale: Scale,
}

impl<'a> ContactProblem<'a> {
    /// Kinetic energy ½ v·Mv [J].
    pub fn kinetic_energy(&self, v: &Velocity) -> f64 {
        let mut energy = Sum::default();
        for (mass, v) in self.move_inertia.mass.iter().zip(&v.free) {
            let p = mass.momentum(v);
            energy.add(0.5 * p.linear.dot(v.linear));
            energy.add(0.5 * p.angular.dot(v.angular));
        }
        for tree in &self.move_inertia.trees {
            let first = tree.first_dof as usize;
            energy.add(0.5 * tree.ldl.square(&v.dof[first..first + tree.ldl.len()]));
        }
        energy.value()
    }

    /// Largest contact impulse that each driver may still give in the step [N·s], infinite for no cap; empty when no driver has one.
    #[inline(always)]
    pub fn caps(&self) -> &'a [f64] {
        if self.cap_left.is_empty() { &self.groups.caps } else { self.cap_left }
    }
}
