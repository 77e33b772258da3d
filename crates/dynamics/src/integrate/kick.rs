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

use super::kind::Integrator;
use super::momentum::{Load, base_motion, centre, has_free_base, mean_motion, whole};
use crate::bias::{Wrench, bias, damping_force, external_force};
use crate::inertia::{TreeScratch, joint_inertia, mass_matrix_quadratic, mass_times, twists_of};
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::{Singular, TreeLdl, Twist, Vec3};

/// Where in the step the smooth forces of a tree are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceAt {
    /// At its start: one evaluation, first order.
    Start,
    /// At its predicted middle pose with the velocity of the start: exact at rest, and of second order together with
    /// [`TreeKick::drift`], which makes good what depends on velocity.
    #[default]
    MiddlePose,
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
    at: ForceAt,
    /// Force and torque about the centre of mass of the whole, while a free base carries it.
    load: Load,
    /// Generalised force at the middle pose and at the velocity of the start.
    middle_force: Vec<f64>,
    /// Those wrenches and joint forces alone, at the middle pose.
    middle_user: Vec<f64>,
    scratch: TreeScratch,
    middle: TreeKinematics,
    middle_ldl: TreeLdl,
    middle_q: Vec<f64>,
    gravity: Vec3,
    force: Vec<f64>,
    trial: Vec<f64>,
}

impl TreeKick {
    /// Places the tree at the start of a step and factors its mass matrix there.
    ///
    /// # Errors
    /// When the mass matrix is not positive definite.
    pub fn begin(&mut self, tree: &Tree, q: &[f64], v: &[f64], ldl: &mut TreeLdl) -> Result<(), Singular> {
        kinematics(tree, q, v, &mut self.start);
        joint_inertia(tree, &self.start, &mut self.scratch, ldl)
    }

    /// The velocity `v_free` that the smooth forces give to the tree at `q` with the velocities `v` (after impacts
    /// these may differ from those of [`TreeKick::begin`]); `ldl` is as `begin` left it.
    ///
    /// # Errors
    /// When the mass matrix at the middle of the step is not positive definite.
    pub fn kick(
        &mut self,
        tree: &Tree,
        q: &[f64],
        v: &[f64],
        forces: &SmoothForces,
        ldl: &TreeLdl,
    ) -> Result<(), Singular> {
        self.fit(tree);
        (self.at, self.gravity) = (forces.at, forces.gravity);
        kinematics(tree, q, v, &mut self.start);
        user_force(tree, &self.start, forces, &mut self.scratch, &mut self.user);
        damping_force(tree, v, &mut self.damping);
        bias(tree, &self.start, forces.gravity, &[], &mut self.scratch, &mut self.smooth);
        for (i, f) in self.force.iter_mut().enumerate() {
            *f = self.smooth[i] + self.user[i] + self.damping[i];
        }
        ldl.solve(&mut self.force);
        if forces.at != ForceAt::Start {
            self.accelerate_at_middle(tree, q, v, forces)?;
        }
        for ((free, v), a) in self.v_free.iter_mut().zip(v).zip(&self.force) {
            *free = v + forces.h * a;
        }
        if forces.at != ForceAt::Start {
            // The force that the identity of the ledger needs: what H(q) turns into this acceleration.
            mass_times(tree, &self.start, &self.force, &mut self.scratch, &mut self.smooth);
            for (i, f) in self.smooth.iter_mut().enumerate() {
                *f -= self.user[i] + self.damping[i];
            }
        }
        if has_free_base(tree) {
            let at = if forces.at == ForceAt::Start { &self.start } else { &self.middle };
            self.load = load(tree, at, forces);
        }
        Ok(())
    }

    /// Replaces the acceleration of the start in `force` by that of the predicted middle.
    fn accelerate_at_middle(
        &mut self,
        tree: &Tree,
        q: &[f64],
        v: &[f64],
        forces: &SmoothForces,
    ) -> Result<(), Singular> {
        let half = 0.5 * forces.h;
        self.middle_q.copy_from_slice(q);
        for (s, v) in self.trial.iter_mut().zip(v) {
            *s = half * v;
        }
        advance(tree, &mut self.middle_q, &self.trial);
        self.trial.copy_from_slice(v);
        kinematics(tree, &self.middle_q, &self.trial, &mut self.middle);
        joint_inertia(tree, &self.middle, &mut self.scratch, &mut self.middle_ldl)?;
        user_force(tree, &self.middle, forces, &mut self.scratch, &mut self.middle_user);
        self.force_at_middle(tree);
        self.middle_force.copy_from_slice(&self.force);
        self.middle_ldl.solve(&mut self.force);
        Ok(())
    }

    /// Generalised force at the middle pose and the velocities `trial`, into `force`.
    fn force_at_middle(&mut self, tree: &Tree) {
        bias(tree, &self.middle, self.gravity, &[], &mut self.scratch, &mut self.force);
        for (i, f) in self.force.iter_mut().enumerate() {
            *f += self.middle_user[i] - tree.damping()[i] * self.trial[i];
        }
    }

    /// Moves the tree from `q` through the step that [`TreeKick::kick`] began, and leaves in `end` its poses and its
    /// velocities there, which are to be those of the next step:
    /// * after a kick at the middle pose, v⁺ + hH⁻¹(f((v+v⁺)/2) − f(v)): a change of the size h², and none at rest;
    /// * a free base then takes up what is missing in the momentum of the whole tree, whose change is that of the impulses and
    ///   of the external forces, and in the way of its centre of mass: both exact, as those of a free body.
    pub fn drift(&mut self, tree: &Tree, q: &mut [f64], drift: &Drift, end: &mut TreeKinematics) {
        self.fit(tree);
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
            self.force_at_middle(tree);
            for (f, kicked) in self.force.iter_mut().zip(&self.middle_force) {
                *f -= kicked;
            }
            self.middle_ldl.solve(&mut self.force);
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
            &mut self.force,
            &mut self.trial,
            &mut self.middle_force,
            &mut self.middle_user,
        ] {
            buffer.resize(tree.dofs(), 0.0);
        }
        self.middle_q.resize(tree.coordinates(), 0.0);
        if self.middle_ldl.len() != tree.dofs() {
            self.middle_ldl = tree.new_ldl();
        }
    }
}

/// Generalised force of external wrenches and joint forces at the poses of `kin`.
fn user_force(
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

/// Force on the whole tree, and torque about its centre of mass: gravity, external wrenches, forces on the base's dofs.
fn load(tree: &Tree, kin: &TreeKinematics, forces: &SmoothForces) -> Load {
    let (_, com) = centre(tree, kin);
    let mut sum = Twist::ZERO;
    for (i, link) in tree.links().iter().enumerate() {
        let given = forces.external.get(i).copied().unwrap_or_default();
        let force = forces.gravity * (link.mass * link.gravity_scale) + given.force;
        sum += Twist::new(force, (kin.com[i] - com).cross(force) + given.torque);
    }
    if let Some(base) = forces.joint.get(..6) {
        let force = Vec3::from_slice(&base[..3]);
        let torque = Vec3::from_slice(&base[3..]) + (kin.com[0] - com).cross(force);
        sum += Twist::new(force, torque);
    }
    sum
}

/// What the smooth forces of a step did.
#[derive(Clone, Copy, Debug)]
pub struct KickWork<'a> {
    /// The step [s].
    pub h: f64,
    /// Gravity − velocity products as the kick used them ([`TreeKick::smooth`]).
    pub force: &'a [f64],
    /// Velocities at the start of the step.
    pub v: &'a [f64],
    /// Velocities after the constraints.
    pub v_plus: &'a [f64],
}

impl KickWork<'_> {
    /// h f·(v+v⁺)/2 [J].
    pub fn work(&self) -> f64 {
        let twice: f64 = self.force.iter().zip(self.v).zip(self.v_plus).map(|((f, v), p)| f * (v + p)).sum();
        0.5 * self.h * twice
    }
}

/// The account `integration` of a tree's step (reference/ledger.md, Trees) [J]:
/// ½v'ᵀH(q')v' − ½v⁺ᵀH(q)v⁺ + V(q')−V(q) + h f·(v+v⁺)/2, each from its own evaluation.
///
/// `ends` are the tree at q, with any velocity, and at q' with the velocities v' of the next step (v⁺, or those of
/// [`TreeKick::drift`]).
pub fn integration_energy(
    tree: &Tree,
    ends: [&TreeKinematics; 2],
    gravity: Vec3,
    work: &KickWork,
    scratch: &mut TreeScratch,
) -> f64 {
    let [before, after] = ends;
    let kinetic =
        kinetic_energy(tree, after) - 0.5 * mass_matrix_quadratic(tree, before, work.v_plus, scratch);
    let potential: f64 = tree
        .links()
        .iter()
        .zip(after.com.iter().zip(&before.com))
        .map(|(link, (to, from))| -link.mass * link.gravity_scale * gravity.dot(*to - *from))
        .sum();
    kinetic + potential + work.work()
}
