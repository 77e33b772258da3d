//! The smooth part of a tree's step: the velocity that it would have without constraints, and the account of it.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | q, v | `q`, `v` | coordinates and velocities at the start of the step | |
//! | H | `ldl` | mass matrix at q | |
//! | f | `smooth` | gravity − velocity products, as the kick used them | N, N m |
//! | v⁺ | `v_plus` | velocities after the constraints | |
//!
//! The drift h(v+v⁺)/2 with the force of the start pose is of first order: for an oscillator of frequency Ω its energy
//! grows by the factor 1 + h²Ω²/2 in every step. With the force at the predicted middle of the step
//! (q + hv/2, v + ha/2), same drift, it is of second order, and its energy error is of third. A drift by h·v⁺
//! (symplectic Euler) with the force of the start pose is of first order with an energy that only swings, where H does
//! not depend on q.

use crate::bias::{Wrench, bias, damping_force, external_force};
use crate::inertia::{TreeScratch, joint_inertia, mass_matrix_quadratic, mass_times};
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::{Singular, TreeLdl, Vec3};

/// Where in the step the smooth forces of a tree are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceAt {
    /// At its start: one evaluation, first order.
    Start,
    /// At its predicted middle: two evaluations, second order.
    #[default]
    Middle,
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
    scratch: TreeScratch,
    middle: TreeKinematics,
    middle_ldl: TreeLdl,
    middle_q: Vec<f64>,
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
        kinematics(tree, q, v, &mut self.start);
        external_force(tree, &self.start, forces.external, &mut self.scratch, &mut self.user);
        for (user, joint) in self.user.iter_mut().zip(forces.joint) {
            *user += joint;
        }
        damping_force(tree, v, &mut self.damping);
        bias(tree, &self.start, forces.gravity, &[], &mut self.scratch, &mut self.smooth);
        for (i, f) in self.force.iter_mut().enumerate() {
            *f = self.smooth[i] + self.user[i] + self.damping[i];
        }
        ldl.solve(&mut self.force);
        if forces.at == ForceAt::Middle {
            self.accelerate_at_middle(tree, q, v, forces)?;
        }
        for ((free, v), a) in self.v_free.iter_mut().zip(v).zip(&self.force) {
            *free = v + forces.h * a;
        }
        if forces.at == ForceAt::Middle {
            // The force that the identity of the ledger needs: what H(q) turns into this acceleration.
            mass_times(tree, &self.start, &self.force, &mut self.scratch, &mut self.smooth);
            for (i, f) in self.smooth.iter_mut().enumerate() {
                *f -= self.user[i] + self.damping[i];
            }
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
        for ((t, v), a) in self.trial.iter_mut().zip(v).zip(&self.force) {
            *t = v + half * a;
        }
        kinematics(tree, &self.middle_q, &self.trial, &mut self.middle);
        joint_inertia(tree, &self.middle, &mut self.scratch, &mut self.middle_ldl)?;
        bias(tree, &self.middle, forces.gravity, forces.external, &mut self.scratch, &mut self.force);
        for (f, joint) in self.force.iter_mut().zip(forces.joint) {
            *f += joint;
        }
        for ((f, damping), v) in self.force.iter_mut().zip(tree.damping()).zip(&self.trial) {
            *f -= damping * v;
        }
        self.middle_ldl.solve(&mut self.force);
        Ok(())
    }

    /// Energy of one step in the account `integration` [J]; `after` is the tree at the end of the step with v⁺.
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
        ] {
            buffer.resize(tree.dofs(), 0.0);
        }
        self.middle_q.resize(tree.coordinates(), 0.0);
        if self.middle_ldl.len() != tree.dofs() {
            self.middle_ldl = tree.new_ldl();
        }
    }
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
    /// Velocities at its end.
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
/// ½v⁺ᵀ(H(q')−H(q))v⁺ + V(q')−V(q) + h f·(v+v⁺)/2, each from its own evaluation.
///
/// `ends` are the tree at q, with any velocity, and at q' with the velocities v⁺.
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
