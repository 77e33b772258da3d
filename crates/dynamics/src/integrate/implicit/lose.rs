//! Energy taken from the velocities of a tree.
//!
//! Taken is the tree's own motion: that which is left without what must stay. Of a floating tree its momentum stays, as the motion with all joints
//! locked that has it; of prescribed bases their velocity; of motors that hold a speed that speed. The own motion is orthogonal to the rest, in
//! the norm of H (relative to the bases), and satisfies G x = 0: a share of it can be taken, and all equalities hold.

use super::ImplicitStep;
use crate::equality::equality_projection;
use crate::inertia::{joint_inertia_with, mass_matrix_quadratic};
use crate::integrate::momentum::{base_motion, has_free_base, whole};
use crate::kinematics::{TreeKinematics, kinematics};
use crate::tree::Tree;
use huygens_math::scalar;

impl ImplicitStep {
    /// Takes the energy `gain` [J] from the velocities at the end, as far as their own motion has it, and returns what is left of it.
    pub(super) fn lose(&mut self, tree: &Tree, gain: f64) -> f64 {
        if gain.is_nan() || gain <= 0.0 {
            return 0.0;
        }
        let own = self.own_motion(tree);
        if own > 0.0 {
            let less = 1.0 - scalar::max(1.0 - gain / own, 0.0).sqrt();
            self.velocity.iter_mut().zip(&self.change).for_each(|(v, own)| *v -= less * own);
            kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
        }
        scalar::max(gain - own, 0.0)
    }

    /// Leaves the own motion of the tree at the end in `change`, and returns its energy [J].
    fn own_motion(&mut self, tree: &Tree) -> f64 {
        self.change.copy_from_slice(&self.velocity);
        self.change.iter_mut().enumerate().filter(|(dof, _)| tree.is_held(*dof)).for_each(|(_, v)| *v = 0.0);
        if has_free_base(tree) {
            let twist = base_motion(tree, &self.end, &whole(tree, &self.end, &self.end.twist).momentum);
            let rigid = twist.linear.to_array().into_iter().chain(twist.angular.to_array());
            self.change.iter_mut().zip(rigid).for_each(|(v, rigid)| *v -= rigid);
        }
        // Other equalities than those hold for all of the motion, and for any share of it.
        if tree.rates() > 0 || (tree.has_prescribed() && !tree.equalities().is_empty()) {
            let factored = joint_inertia_with(tree, &self.end, &mut self.scratch, &mut self.end_ldl, |_| 0.0);
            if factored.is_err() {
                return 0.0;
            }
            equality_projection(tree, &self.end, &self.end_q, &self.end_ldl, &mut self.end_equalities);
            self.end_equalities.project(&mut self.change, &mut self.room);
        }
        0.5 * mass_matrix_quadratic(tree, &self.end, &self.change, &mut self.scratch)
    }

    /// Takes the energy `gain` [J] from the velocities `v` of a tree that stands in `kin`, as [`ImplicitStep::lose`]; returns what they
    /// become, and what is left of the gain.
    pub(in crate::integrate) fn slow_down(
        &mut self,
        tree: &Tree,
        [q, v]: [&[f64]; 2],
        kin: &TreeKinematics,
        gain: f64,
    ) -> (&[f64], f64) {
        self.end_q.resize(q.len(), 0.0);
        self.velocity.resize(v.len(), 0.0);
        self.end_q.copy_from_slice(q);
        self.velocity.copy_from_slice(v);
        self.change.resize(v.len(), 0.0);
        if self.end_ldl.len() != tree.dofs() {
            self.end_ldl = tree.new_ldl();
        }
        kinematics(tree, q, &kin.velocity, &mut self.end);
        let left = self.lose(tree, gain);
        (&self.velocity, left)
    }
}
