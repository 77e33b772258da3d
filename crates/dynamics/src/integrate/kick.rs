//! The smooth part of a tree's step: the velocity that it would have without constraints, the motion that follows,
//! and the account of both.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | q, v | `q`, `v` | coordinates and velocities at the start of the step | |
//! | H | `ldl` | mass matrix at q | |
//! | f | `smooth` | gravity − velocity products, as the kick used them | N, N m |
//! | v⁺ | `v_plus` | velocities after the constraints | |
//! | q_m | `middle` | predicted middle of the step, q + hv/2 | |
//!
//! With the force of the start pose the drift h(v+v⁺)/2 is of first order: for an oscillator of frequency Ω its energy
//! grows by the factor 1 + h²Ω²/2 in every step (the pendulum of case 12 at 90° and 1 ms: period off by 1.3e-3). With
//! the force at q_m the same drift is drift–kick–drift: Störmer–Verlet, symplectic where H does not depend on q, and of
//! second order everywhere. Forces that depend on velocity are taken at v in the kick and corrected in [`TreeKick::drift`], when v⁺ is
//! known. (Taken at v + ha/2 in the kick they would know nothing of a support: the support's force would be off by (ha)² times a
//! lever over gravity, 1e-6 at 1 ms.) A drift by h·v⁺ with the force of the start pose (symplectic Euler)
//! is of first order.
//!
//! Dampers D and springs K of the joints act implicitly: at the velocity and coordinate of the middle of the step (of its end for symplectic
//! Euler), which are linear in v⁺. So the matrix that answers impulses is Ĥ = H + aD + bK with [`Stiffening`] a = h/2, b = h²/4 (h, h²),
//! and no stiffness is too large for a step. The work of a damper is then −h v̄ᵀD v̄, and that of a spring the energy that it takes up.

mod correct;
mod products;
mod take;

use self::products::Products;
pub use self::take::Taken;
use super::book::{KickWork, integration_energy};
use super::coarse::{Gain, joints_turn_far, links_turn_far};
use super::implicit::{CONVERGED, ForceWork, ImplicitStep, Keep, Start};
use super::kind::Integrator;
use super::momentum::{Load, base_motion, centre, has_free_base, load, mean_motion, whole};
use crate::articulated::ArticulatedInertia;
use crate::bias::{Wrench, bias, damping_force, external_force};
use crate::equality::{equality_projection, spring_energy, spring_force};
use crate::inertia::{TreeScratch, joint_inertia_with, mass_matrix_quadratic, mass_times, twists_of};
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::{Singular, TreeInertia, Twist, Vec3};

/// Where in the step the smooth forces of a tree are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceAt {
    /// At its start: one evaluation, first order.
    Start,
    /// At its predicted middle pose with the velocity of the start: exact at rest, and of second order together with
    /// [`TreeKick::drift`], which makes good what depends on velocity.
    #[default]
    MiddlePose,
    /// At the middle of the step, pose and velocity, which the step itself leads to.
    Implicit,
    /// At the four stages of the classical Runge–Kutta rule: dampers and springs act explicitly.
    Stages,
    /// At its start, springs too, but for what acts with the velocity of its end.
    Explicit(AtEnd),
}

/// What acts with the velocity of the end of an explicit step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Dampers of the joints.
    JointDampers,
    /// Those, and the dampers of motors.
    Dampers,
    /// Those, and the velocity products, linear in the change of the velocity.
    Velocities,
}

/// Shares of the dampers D and springs K of the joints, and of the gains of motors, in the matrix that answers impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stiffening {
    /// Of D [s].
    pub damping: f64,
    /// Of K, and of the stiffness of motors [s²].
    pub stiffness: f64,
    /// Of the damping of motors [s].
    pub motor_damping: f64,
}

impl Stiffening {
    /// What it adds to the diagonal of the mass matrix at a dof; `drives` as in [`SmoothForces`].
    #[inline]
    pub fn of(&self, tree: &Tree, drives: &[DofDrive], dof: usize) -> f64 {
        let drive = drives.get(dof).copied().unwrap_or_default();
        self.damping * tree.damping()[dof]
            + self.motor_damping * drive.damping
            + self.stiffness * (tree.stiffness()[dof] + drive.stiffness)
    }
}

/// A motor without limits at a dof: force + stiffness·(position − q) + damping·(velocity − v), implicit as dampers and springs are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DofDrive {
    /// Force in any case [N or N m].
    pub force: f64,
    /// Gain of the position [N/m or N m/rad]; only where the joint has one coordinate.
    pub stiffness: f64,
    /// Gain of the velocity [N s/m or N m s/rad].
    pub damping: f64,
    /// Coordinate that it is to have [m or rad].
    pub position: f64,
    /// Velocity that it is to have [m/s or rad/s].
    pub velocity: f64,
}

impl DofDrive {
    /// Its force where the coordinate is `q` and the velocity `v`.
    #[inline]
    pub fn at(&self, q: f64, v: f64) -> f64 {
        self.force + self.stiffness * (self.position - q) + self.damping * (self.velocity - v)
    }

    /// Both at once.
    pub fn with(&self, other: &Self) -> Self {
        if *other == Self::default() {
            return *self;
        }
        let aims = [self, other].map(|d| d.force + d.stiffness * d.position + d.damping * d.velocity);
        Self {
            force: aims[0] + aims[1],
            stiffness: self.stiffness + other.stiffness,
            damping: self.damping + other.damping,
            position: 0.0,
            velocity: 0.0,
        }
    }
}

impl SmoothForces<'_> {
    /// The velocity that a dof with a [`crate::Equality::Rate`] is to have.
    #[inline]
    pub fn aim(&self, dof: usize) -> f64 {
        self.drives.get(dof).map_or(0.0, |drive| drive.velocity)
    }
}

impl ForceAt {
    /// Where the forces of `tree` are taken: one with equalities needs the end of its step to satisfy them there.
    pub fn for_tree(self, tree: &Tree) -> Self {
        if tree.equalities().is_empty() { self } else { Self::Implicit }
    }

    /// Dampers and springs act at the middle of a step of length `h`, or at its end.
    pub fn stiffening(self, h: f64) -> Stiffening {
        let all = |share: f64, stiffness: f64| Stiffening { damping: share, stiffness, motor_damping: share };
        match self {
            Self::Start => all(h, h * h),
            Self::MiddlePose | Self::Implicit => all(0.5 * h, 0.25 * h * h),
            Self::Stages => Stiffening::default(),
            Self::Explicit(AtEnd::JointDampers) => Stiffening { damping: h, ..Stiffening::default() },
            Self::Explicit(AtEnd::Dampers | AtEnd::Velocities) => all(h, 0.0),
        }
    }
}

/// The smooth forces on a tree in one step.
#[derive(Clone, Copy, Debug)]
pub struct SmoothForces<'a> {
    /// The step [s].
    pub h: f64,
    /// Where they are taken.
    pub at: ForceAt,
    /// Gravity [m/s²].
    pub gravity: Vec3,
    /// Wrench on each link; empty for none.
    pub external: &'a [Wrench],
    /// Force on each dof; empty for none.
    pub joint: &'a [f64],
    /// Motor at each dof; empty for none.
    pub drives: &'a [DofDrive],
}

/// The motion of a tree through a step.
#[derive(Clone, Copy, Debug)]
pub struct Drift<'a> {
    /// How velocities displace.
    pub integrator: Integrator,
    /// The step [s].
    pub h: f64,
    /// Velocities at the start of the step, after impacts.
    pub v: &'a [f64],
    /// Velocities after the constraints.
    pub v_plus: &'a [f64],
    /// What the dofs move: h(v+v⁺)/2 or h·v⁺ by the integrator, and what an impact inside the step adds.
    pub displacement: &'a [f64],
    /// Generalised impulse of the constraints without the answer of the tree's own equalities, which pull in the middle of the step; empty where
    /// that is what the velocities tell.
    pub impulse: &'a [f64],
    /// The forces of the kick.
    pub forces: &'a SmoothForces<'a>,
    /// The mass matrix of the kick.
    pub block: &'a TreeInertia,
}

/// Start of a step and velocity without constraints of one tree, with the room to compute them.
#[derive(Clone, Debug, Default)]
pub struct TreeKick {
    /// Poses and axes at the start of the step; twists of the velocities given last.
    pub start: TreeKinematics,
    /// Velocity at the end of the step if there were no constraints.
    pub v_free: Vec<f64>,
    /// Gravity and velocity products as the kick used them: H(q)(v_free − v)/h less the two others.
    pub smooth: Vec<f64>,
    /// External wrenches and joint forces, at the start pose.
    pub user: Vec<f64>,
    /// Damping of the joints, at the start velocity.
    pub damping: Vec<f64>,
    /// Springs of the joints, where the start velocity leads to: at the middle of the step, or at its end for [`ForceAt::Start`].
    pub spring: Vec<f64>,
    /// Motors of the dofs ([`SmoothForces::drives`]), at the start velocity and where springs are taken.
    pub drive: Vec<f64>,
    /// Work of the tree's equalities in the drift [J].
    pub equality_work: f64,
    /// Sum of the sizes of the terms of that work [J]: what its round-off is made of.
    pub equality_size: f64,
    /// The part of it that belongs to motors that hold their speed ([`crate::Equality::Rate`]) [J].
    pub rate_work: f64,
    /// Impulse of each row of the tree's equalities in the drift, beside their answer to contacts [N s, N m s].
    pub equality_impulse: Vec<f64>,
    /// Largest error of the tree's equalities at the end of the step [m, rad].
    pub gap: f64,
    /// How far an implicit step is from the solution of its equations, as a share: above 1e-9 they were not solved, and the energy that the
    /// step gained was taken from it.
    pub residual: f64,
    /// Equal pieces in which an implicit step was done, 1 where it converges whole; 0 for other steps.
    pub pieces: u32,
    /// The account `integration` of the last [`TreeKick::drift`] by [`integration_energy`] [J].
    pub integration: f64,
    /// Kinetic energy of the change of velocity by the smooth forces in the last drift, if nothing else moved [J].
    kicked: f64,
    at: ForceAt,
    /// The step is found whole, with its end: by the implicit midpoint rule, since the tree asks for that or the step is too coarse for an
    /// explicit one, or by stages.
    is_implicit: bool,
    /// The step that is found whole is one by stages.
    by_stages: bool,
    implicit: ImplicitStep,
    /// Coordinates at the start of the drift.
    start_q: Vec<f64>,
    /// Error of the energy of the smooth forces alone, where the kick was implicit [J].
    smooth_gain: f64,
    /// The tree at the end of such a step where the kick was explicit.
    smooth_end: TreeKinematics,
    /// Force and torque about the centre of mass of the whole, while a free base carries it.
    load: Load,
    /// Gravity and velocity products at the middle pose and at the velocity of the start.
    middle_bias: Vec<f64>,
    /// Those wrenches and joint forces alone, at the middle pose.
    middle_user: Vec<f64>,
    scratch: TreeScratch,
    products: Products,
    middle: TreeKinematics,
    /// Mass matrix where the smooth forces are taken, unless the step is implicit.
    inertia: ArticulatedInertia,
    middle_q: Vec<f64>,
    /// Velocities of the tree where the step ended, without its own motion.
    standing: Vec<f64>,
    /// Errors of the equalities where the tree began.
    before_gaps: Vec<f64>,
    /// Centres of mass before a correction.
    before_correction: Vec<Vec3>,
    gravity: Vec3,
    force: Vec<f64>,
    trial: Vec<f64>,
}

impl TreeKick {
    /// Largest [`TreeKick::residual`] of a step whose equations were solved.
    pub const CONVERGED: f64 = CONVERGED;

    /// Places the tree at the start of a step.
    pub fn begin(&mut self, tree: &Tree, q: &[f64], v: &[f64]) {
        kinematics(tree, q, v, &mut self.start);
    }

    /// Factors what answers impulses at the start of the step, where [`TreeKick::begin`] placed the tree: its mass matrix with dampers and
    /// springs, and its equalities. A tree on which nothing acts but smooth forces needs none, unless it has equalities.
    ///
    /// # Errors
    /// When the mass matrix is not positive definite.
    pub fn factor(
        &mut self,
        tree: &Tree,
        q: &[f64],
        forces: &SmoothForces,
        block: &mut TreeInertia,
    ) -> Result<(), Singular> {
        let stiffening = forces.at.for_tree(tree).stiffening(forces.h);
        let more = |dof: usize| stiffening.of(tree, forces.drives, dof);
        joint_inertia_with(tree, &self.start, &mut self.scratch, &mut block.ldl, more)?;
        if !tree.equalities().is_empty() {
            equality_projection(tree, &self.start, q, &block.ldl, &mut block.equalities);
        }
        Ok(())
    }

    /// Factors the mass matrix and the equalities at the start of the step, without dampers and springs: a blow at one time does not see them.
    ///
    /// # Errors
    /// When the mass matrix is not positive definite.
    pub fn factor_mass(&mut self, tree: &Tree, q: &[f64], block: &mut TreeInertia) -> Result<(), Singular> {
        joint_inertia_with(tree, &self.start, &mut self.scratch, &mut block.ldl, |_| 0.0)?;
        equality_projection(tree, &self.start, q, &block.ldl, &mut block.equalities);
        Ok(())
    }

    /// The velocity `v_free` that the smooth forces give to the tree at `q` with the velocities `v` (after impacts
    /// these may differ from those of [`TreeKick::begin`]); `block` is as [`TreeKick::factor`] left it, and read only for equalities.
    ///
    /// # Errors
    /// When the mass matrix at the middle of the step is not positive definite.
    pub fn kick(
        &mut self,
        tree: &Tree,
        q: &[f64],
        v: &[f64],
        forces: &SmoothForces,
        block: &TreeInertia,
    ) -> Result<(), Singular> {
        self.fit(tree);
        self.at = forces.at.for_tree(tree);
        self.gravity = forces.gravity;
        if self.start.velocity != v {
            kinematics(tree, q, v, &mut self.start);
        }
        user_force(tree, &self.start, forces, &mut self.scratch, &mut self.user);
        damping_force(tree, v, &mut self.damping);
        self.place_springs(tree, q, v, forces);
        self.by_stages = self.at == ForceAt::Stages;
        // What turns too far, or would, has no explicit step.
        self.is_implicit = self.at == ForceAt::Implicit
            || links_turn_far(&self.start, forces.h)
            || self.by_stages
            || !self.accelerate(tree, q, v, forces)
            || self.would_turn_far(tree, v, forces.h);
        if self.is_implicit {
            // The work of a prescribed base is no defect. In a coarse step nothing else keeps the energy.
            let is_coarse = self.at != ForceAt::Implicit;
            let keeps = (forces.at == ForceAt::Implicit || is_coarse) && !tree.has_prescribed();
            let keep = if keeps { Keep::Energy } else { Keep::Nothing };
            self.step_implicitly(tree, q, &Given { v, impulse: &[], shift: &[] }, forces, block, keep)?;
            self.smooth_gain = self.implicit.defect;
            if self.implicit.residual == f64::INFINITY {
                // No piece of it has a mass matrix that can be factored.
                self.inertia.factor(tree, &self.start, |_| 0.0)?;
            }
            for ((f, to), from) in self.force.iter_mut().zip(&self.implicit.velocity).zip(v) {
                *f = (to - from) / forces.h;
            }
        }
        for ((free, v), a) in self.v_free.iter_mut().zip(v).zip(&self.force) {
            *free = v + forces.h * a;
        }
        if self.at != ForceAt::Start || self.is_implicit {
            // The force that the identity of the ledger needs: what Ĥ(q) turns into this acceleration.
            let stiffening = self.at.stiffening(forces.h);
            mass_times(tree, &self.start, &self.force, &mut self.scratch, &mut self.smooth);
            for (i, f) in self.smooth.iter_mut().enumerate() {
                *f += stiffening.of(tree, forces.drives, i) * self.force[i];
                *f -= self.user[i] + self.damping[i] + self.spring[i] + self.drive[i];
            }
        }
        if has_free_base(tree) {
            let at = match self.at {
                _ if self.is_implicit => &self.implicit.middle,
                ForceAt::Start | ForceAt::Explicit(_) => &self.start,
                ForceAt::MiddlePose | ForceAt::Implicit | ForceAt::Stages => &self.middle,
            };
            self.load = load(tree, at, forces);
        }
        Ok(())
    }

    /// The acceleration of an explicit step, into `force`; false where the mass matrix cannot be factored.
    fn accelerate(&mut self, tree: &Tree, q: &[f64], v: &[f64], forces: &SmoothForces) -> bool {
        self.smooth_gain = 0.0;
        if self.at == ForceAt::MiddlePose {
            return self.accelerate_at_middle(tree, v, forces).is_ok();
        }
        bias(tree, &self.start, forces.gravity, &[], &mut self.scratch, &mut self.smooth);
        for (i, f) in self.force.iter_mut().enumerate() {
            *f = self.smooth[i] + self.user[i] + self.damping[i] + self.spring[i] + self.drive[i];
        }
        let stiffening = self.at.stiffening(forces.h);
        let more = |dof: usize| stiffening.of(tree, forces.drives, dof);
        let factored = self.inertia.factor(tree, &self.start, more).is_ok();
        if factored && self.at == ForceAt::Explicit(AtEnd::Velocities) {
            return self.products.solve(tree, [q, v], forces.h, &self.start, more, &mut self.force);
        }
        if factored {
            self.inertia.solve(tree, &mut self.force);
        }
        factored
    }

    /// True when a joint would turn too far with the velocity to which the acceleration in `force` leads.
    fn would_turn_far(&mut self, tree: &Tree, v: &[f64], h: f64) -> bool {
        self.trial.iter_mut().zip(v).zip(&self.force).for_each(|((t, v), a)| *t = v + h * a);
        joints_turn_far(tree, &self.start, &self.trial, h)
    }

    /// Moves `middle_q` to the middle of the step that `v` alone leads to, or to its end, and takes the force of the springs there.
    fn place_springs(&mut self, tree: &Tree, q: &[f64], v: &[f64], forces: &SmoothForces) {
        let share = match self.at {
            ForceAt::Start => forces.h,
            ForceAt::MiddlePose | ForceAt::Implicit => 0.5 * forces.h,
            ForceAt::Stages | ForceAt::Explicit(_) => 0.0,
        };
        for (s, v) in self.trial.iter_mut().zip(v) {
            *s = share * v;
        }
        self.middle_q.copy_from_slice(q);
        advance(tree, &mut self.middle_q, &self.trial);
        if tree.has_springs() {
            spring_force(tree, &self.middle_q, &mut self.spring);
        }
        drive_force(tree, forces.drives, &self.middle_q, v, &mut self.drive);
    }

    /// The acceleration at the predicted middle, into `force`.
    fn accelerate_at_middle(
        &mut self,
        tree: &Tree,
        v: &[f64],
        forces: &SmoothForces,
    ) -> Result<(), Singular> {
        kinematics(tree, &self.middle_q, v, &mut self.middle);
        let stiffening = ForceAt::MiddlePose.stiffening(forces.h);
        let more = |dof: usize| stiffening.of(tree, forces.drives, dof);
        self.inertia.factor(tree, &self.middle, more)?;
        user_force(tree, &self.middle, forces, &mut self.scratch, &mut self.middle_user);
        bias(tree, &self.middle, self.gravity, &[], &mut self.scratch, &mut self.middle_bias);
        for (i, f) in self.force.iter_mut().enumerate() {
            *f = self.middle_bias[i]
                + (self.middle_user[i] + self.damping[i])
                + (self.spring[i] + self.drive[i]);
        }
        self.inertia.solve(tree, &mut self.force);
        Ok(())
    }

    /// A whole step from `q`: by stages, where those are asked for and fine enough, or by the implicit midpoint rule.
    fn step_implicitly(
        &mut self,
        tree: &Tree,
        q: &[f64],
        given: &Given,
        forces: &SmoothForces,
        block: &TreeInertia,
        keep: Keep,
    ) -> Result<(), Singular> {
        let from = Start {
            q,
            v: given.v,
            kin: &self.start,
            equalities: &block.equalities,
            impulse: given.impulse,
            shift: given.shift,
        };
        self.by_stages &= self.implicit.run_stages(tree, &from, forces);
        if self.by_stages {
            return Ok(());
        }
        self.implicit.run(tree, &from, forces, keep)
    }

    /// Moves the tree from `q` through the step that [`TreeKick::kick`] began, and leaves in `end` its poses and its
    /// velocities there, which are to be those of the next step:
    /// * after a kick at the middle pose, v⁺ + hH⁻¹(f((v+v⁺)/2) − f(v)): a change of the size h², and none at rest;
    /// * a free base then takes up what is missing in the momentum of the whole tree, whose change is that of the impulses and
    ///   of the external forces, and in the way of its centre of mass: both exact, as those of a free body.
    pub fn drift(&mut self, tree: &Tree, q: &mut [f64], drift: &Drift, end: &mut TreeKinematics) {
        self.fit(tree);
        self.start_q.clear();
        self.start_q.extend_from_slice(q);
        if self.is_implicit {
            self.drift_implicitly(tree, q, drift, end, Known::Step);
            return;
        }
        self.drift_explicitly(tree, q, drift, end);
        (self.residual, self.pieces) = (0.0, 0);
        let pushed = drift.v_plus != &self.v_free[..] || drift.v != &self.start.velocity[..];
        let far = links_turn_far(end, drift.h) || joints_turn_far(tree, end, &end.velocity, drift.h);
        if far || self.explicit_gain(tree, q, drift, end).is_coarse(pushed) {
            (self.is_implicit, self.by_stages) = (true, false);
            q.copy_from_slice(&self.start_q);
            self.drift_implicitly(tree, q, drift, end, Known::Nothing);
        }
    }

    /// Energy that an explicit step to `q`, where the tree is placed in `end`, brought from nowhere; fills `integration`.
    fn explicit_gain(&mut self, tree: &Tree, q: &[f64], drift: &Drift, end: &TreeKinematics) -> Gain {
        let mut gain = self.gain(tree, drift, end);
        if tree.has_springs() {
            let [before, after] = [&self.start_q[..], q].map(|q| spring_energy(tree, q));
            let stiffening = self.at.stiffening(drift.h);
            let mut given = 0.0;
            for (i, spring) in self.spring.iter().enumerate() {
                let (v, plus) = (drift.v[i], drift.v_plus[i]);
                given += spring * drift.displacement[i]
                    - 0.5 * stiffening.stiffness * tree.stiffness()[i] * (plus * plus - v * v);
            }
            gain.energy += after - before + given;
            gain.moved += (after - before).abs();
        }
        // What drivers of a prescribed base give is not known here.
        if tree.has_prescribed() { Gain { energy: 0.0, ..gain } } else { gain }
    }

    /// The account `integration` of a step to `end`, which it fills, with what forces do along a displacement that no velocity made.
    fn gain(&mut self, tree: &Tree, drift: &Drift, end: &TreeKinematics) -> Gain {
        let smooth = std::mem::take(&mut self.smooth);
        let work = KickWork { h: drift.h, force: &smooth, v: drift.v, v_plus: drift.v_plus };
        self.integration =
            integration_energy(tree, [&self.start, end], self.gravity, &work, &mut self.scratch);
        let mut gain =
            Gain { energy: self.integration, moved: kinetic_energy(tree, end) + work.work().abs() };
        // Where forces and contacts cancel, what the contact model saw is off by a share of what the forces alone would do.
        for (t, (free, v)) in self.trial.iter_mut().zip(self.v_free.iter().zip(&self.start.velocity)) {
            *t = free - v;
        }
        self.kicked = 0.5 * mass_matrix_quadratic(tree, &self.start, &self.trial, &mut self.scratch);
        gain.moved += self.kicked;
        for (i, force) in smooth.iter().enumerate() {
            let shift = drift.displacement[i] - drift.integrator.path(drift.v[i], drift.v_plus[i], drift.h);
            gain.energy += force * shift;
        }
        self.smooth = smooth;
        gain
    }

    /// Error of the energy of the last step if the smooth forces alone had acted on it [J]: what the integrator brings in by itself.
    pub fn smooth_gain(&mut self, tree: &Tree, drift: &Drift) -> f64 {
        if self.is_implicit || self.start_q.len() != tree.coordinates() {
            return self.smooth_gain;
        }
        let (v, v_free) = (self.start.velocity.clone(), self.v_free.clone());
        let displacement: Vec<f64> =
            v.iter().zip(&v_free).map(|(v, plus)| drift.integrator.path(*v, *plus, drift.h)).collect();
        let alone = Drift { v: &v, v_plus: &v_free, displacement: &displacement, impulse: &[], ..*drift };
        let (mut q, mut end) = (self.start_q.clone(), std::mem::take(&mut self.smooth_end));
        let booked = self.integration;
        self.drift_explicitly(tree, &mut q, &alone, &mut end);
        let gain = self.explicit_gain(tree, &q, &alone, &end);
        self.integration = booked;
        self.smooth_end = end;
        gain.energy
    }

    fn drift_explicitly(&mut self, tree: &Tree, q: &mut [f64], drift: &Drift, end: &mut TreeKinematics) {
        let Drift { h, v, v_plus, .. } = *drift;
        let free_base = has_free_base(tree);
        let (mut momentum, mut way) = (Twist::ZERO, Vec3::ZERO);
        if free_base {
            (momentum, way) = self.due(tree, drift);
        }
        if self.at == ForceAt::MiddlePose {
            for ((t, v), plus) in self.trial.iter_mut().zip(v).zip(v_plus) {
                *t = 0.5 * (v + plus);
            }
            kinematics(tree, &self.middle_q, &self.trial, &mut self.middle);
            bias(tree, &self.middle, self.gravity, &[], &mut self.scratch, &mut self.force);
            for (f, kicked) in self.force.iter_mut().zip(&self.middle_bias) {
                *f -= kicked;
            }
            self.inertia.solve(tree, &mut self.force);
            for ((t, plus), a) in self.trial.iter_mut().zip(v_plus).zip(&self.force) {
                *t = plus + h * a;
            }
        } else {
            self.trial.copy_from_slice(v_plus);
        }
        advance(tree, q, drift.displacement);
        kinematics(tree, q, &self.trial, end);
        if free_base {
            let missing = momentum - whole(tree, end, &end.twist).momentum;
            let gain = base_motion(tree, end, &missing);
            for (k, (linear, angular)) in
                gain.linear.to_array().into_iter().zip(gain.angular.to_array()).enumerate()
            {
                self.trial[k] += linear;
                self.trial[k + 3] += angular;
            }
            let step = way - centre(tree, end).1;
            for (q, step) in q.iter_mut().zip(step.to_array()) {
                *q += step;
            }
            kinematics(tree, q, &self.trial, end);
        }
    }

    /// As [`TreeKick::drift`]: the step of the kick where nothing else acted, else the step anew with what did.
    fn drift_implicitly(
        &mut self,
        tree: &Tree,
        q: &mut [f64],
        drift: &Drift,
        end: &mut TreeKinematics,
        known: Known,
    ) {
        let Drift { integrator, h, v, v_plus, displacement, impulse: told, forces, block } = *drift;
        // Impulse of the constraints: Ĥ(v⁺ − v − (v_free − v_kick)).
        let mut shifted = false;
        for i in 0..self.trial.len() {
            self.trial[i] = (v_plus[i] - v[i]) - (self.v_free[i] - self.start.velocity[i]);
            let shift = displacement[i] - integrator.path(v[i], v_plus[i], h);
            // The displacement is that sum, but for its own rounding.
            let is_shifted = shift.abs() > 4.0 * f64::EPSILON * displacement[i].abs();
            self.middle_user[i] = if is_shifted { shift } else { 0.0 };
            shifted |= is_shifted;
        }
        let pushed = v_plus != &self.v_free[..];
        if known == Known::Nothing || pushed || shifted || v != &self.start.velocity[..] {
            let (mut impulse, shift) =
                (std::mem::take(&mut self.middle_bias), std::mem::take(&mut self.middle_user));
            mass_times(tree, &self.start, &self.trial, &mut self.scratch, &mut impulse);
            let stiffening = self.at.stiffening(h);
            for (i, p) in impulse.iter_mut().enumerate() {
                *p += stiffening.of(tree, forces.drives, i) * self.trial[i];
            }
            if !told.is_empty() {
                impulse.copy_from_slice(told);
            }
            let given = Given { v, impulse: &impulse, shift: &shift };
            // A middle that cannot be factored shows as a number that is not finite in the next step.
            let keeps = known == Known::Nothing && !pushed && !shifted && !tree.has_prescribed();
            let keep = if keeps { Keep::Energy } else { Keep::Nothing };
            let _ = self.step_implicitly(tree, q, &given, forces, block, keep);
            (self.middle_bias, self.middle_user) = (impulse, shift);
        }
        q.copy_from_slice(&self.implicit.end_q);
        kinematics(tree, q, &self.implicit.velocity, end);
        let step = &self.implicit;
        (self.equality_work, self.rate_work, self.gap) = (step.equality_work, step.rate_work, step.gap);
        (self.residual, self.pieces, self.equality_size) = (step.residual, step.pieces, step.equality_size);
        self.equality_impulse.clone_from(&self.implicit.equality_impulse);
        self.gain(tree, drift, end);
    }

    /// Work of dampers, springs and motors in the drift, where the step was implicit: by the forces at the middle that it found.
    pub fn implicit_work(&self) -> Option<ForceWork> {
        self.is_implicit.then_some(self.implicit.work)
    }

    /// The part of [`TreeKick::implicit_work`] that the motor of each dof did; empty where there are none.
    pub fn implicit_drive_work(&self) -> Option<&[f64]> {
        self.is_implicit.then_some(&self.implicit.drive_work)
    }

    /// Momentum that the whole tree must have at the end of the step, and where its centre of mass must be.
    fn due(&mut self, tree: &Tree, drift: &Drift) -> (Twist, Vec3) {
        // Share of the velocity at the end of the step in the displacement.
        let share = 1.0 - drift.integrator.start_share();
        // Velocity before the kick, with the constraints' impulses: the kick itself is in the load.
        for (i, t) in self.trial.iter_mut().enumerate() {
            *t = drift.v_plus[i] - (self.v_free[i] - self.start.velocity[i]);
        }
        twists_of(tree, &self.start, &self.trial, &mut self.scratch.twist);
        let before = whole(tree, &self.start, &self.scratch.twist);
        let momentum = before.momentum + self.load * drift.h;
        let moved = mean_motion(tree, &self.start, drift.displacement, &mut self.scratch);
        let mean_plus = mean_motion(tree, &self.start, drift.v_plus, &mut self.scratch);
        let defect = (momentum.linear / before.mass - mean_plus) * (share * drift.h);
        (momentum, before.com + (moved + defect))
    }

    /// How much round-off grows in the energy of the tree: the spread of the pivots of its mass matrix; 1 where the tree asks for an implicit step.
    pub fn spread(&self) -> f64 {
        if self.at == ForceAt::Implicit {
            1.0
        } else if self.is_implicit {
            self.implicit.spread()
        } else {
            self.inertia.spread()
        }
    }

    /// Energy of one step in the account `integration` [J]; `after` is the tree at the end of the step, with v⁺ or with
    /// the velocities of [`TreeKick::drift`].
    pub fn integration_energy(
        &mut self,
        tree: &Tree,
        after: &TreeKinematics,
        gravity: Vec3,
        work: &KickWork,
    ) -> f64 {
        integration_energy(tree, [&self.start, after], gravity, work, &mut self.scratch)
    }

    fn fit(&mut self, tree: &Tree) {
        for buffer in [
            &mut self.v_free,
            &mut self.smooth,
            &mut self.user,
            &mut self.damping,
            &mut self.spring,
            &mut self.drive,
            &mut self.force,
            &mut self.trial,
            &mut self.middle_bias,
            &mut self.middle_user,
        ] {
            buffer.resize(tree.dofs(), 0.0);
        }
        self.middle_q.resize(tree.coordinates(), 0.0);
    }
}

/// What the implicit step has found already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The step of the smooth forces alone.
    Step,
    Nothing,
}

/// What an implicit step starts with.
struct Given<'a> {
    v: &'a [f64],
    impulse: &'a [f64],
    shift: &'a [f64],
}

/// Force of the motors where the coordinates are `q` and the velocities `v`.
pub(super) fn drive_force(tree: &Tree, drives: &[DofDrive], q: &[f64], v: &[f64], out: &mut [f64]) {
    for (dof, drive) in drives.iter().enumerate() {
        out[dof] = drive.at(tree.coordinate_of(dof).map_or(drive.position, |at| q[at]), v[dof]);
    }
}

/// Generalised force of external wrenches and joint forces at the poses of `kin`.
pub(super) fn user_force(
    tree: &Tree,
    kin: &TreeKinematics,
    forces: &SmoothForces,
    scratch: &mut TreeScratch,
    out: &mut [f64],
) {
    external_force(tree, kin, forces.external, scratch, out);
    for (out, joint) in out.iter_mut().zip(forces.joint) {
        *out += joint;
    }
}
