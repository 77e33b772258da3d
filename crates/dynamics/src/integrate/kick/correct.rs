//! Displaces a tree beside the motion of its velocities: the correction of positions.
//!
//! The passivity bound allows a correction by its work against the forces at the pose of the start, which is linear in it. Where links turn far
//! the tree rises otherwise: a ring that was pushed 20 mm out of the ground once rose by a metre. So what a correction lifts is measured.

use super::TreeKick;
use crate::equality::spring_energy;
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy, potential};
use crate::tree::Tree;
use huygens_math::{Vec3, scalar};

/// Largest gap of equalities after a correction, as a share of the size of the mechanism.
const CLOSED: f64 = 1e-12;
/// What a correction may lift beyond what its beginning lets expect, as a share of the kinetic energy: the bound on the island can take that.
const MOST_LIFT: f64 = 1e-3;
/// Share of a correction that is its beginning.
const BEGINNING: f64 = 1.0 / 64.0;

impl TreeKick {
    /// Displaces a tree by `correction` and closes its equalities by the smallest change of coordinates and velocities; by a half, a
    /// quarter … of it, or not at all, where the mechanism cannot follow or would rise by more than the beginning of the correction lets expect.
    /// Leaves the tree there in `end`, and returns that share.
    pub fn correct(
        &mut self,
        tree: &Tree,
        [q, v]: [&mut [f64]; 2],
        correction: &[f64],
        end: &mut TreeKinematics,
    ) -> f64 {
        self.fit(tree);
        let reach = self.start.com.iter().zip(&end.com).fold(0.0, |far, (from, to)| {
            let origin = self.start.com[0];
            scalar::max(far, scalar::max((*from - origin).length(), (*to - *from).length()))
        });
        let most = 2.0 * self.gap + CLOSED * reach;
        self.middle_q.copy_from_slice(q);
        self.trial.copy_from_slice(v);
        let kinetic = kinetic_energy(tree, end);
        let before = self.stored(tree, q, end);
        self.before_correction.clear();
        self.before_correction.extend_from_slice(&end.com);
        let mut expected = None;
        for share in [1.0, 0.5, 0.25, 0.0625, 0.0] {
            let open = self.displace(tree, q, share, correction) - before;
            v.copy_from_slice(&self.trial);
            let (mut gap, mut is_allowed) = (0.0, true);
            if tree.equalities().is_empty() {
                kinematics(tree, q, v, end);
            } else {
                gap = self.implicit.settle(tree, q, v, end);
                // A closure that moves farther than the correction leads to another way to put the mechanism together.
                let moved = far(&self.middle.com, &self.before_correction);
                is_allowed = far(&end.com, &self.middle.com) <= 2.0 * moved + CLOSED * reach;
            }
            let lift = self.stored(tree, q, end) - before;
            // What the open mechanism takes up is what the correction was allowed: the closed one may not take up much more.
            is_allowed &= lift <= scalar::max(2.0 * open, 0.0) + CLOSED * kinetic;
            if is_allowed && lift > MOST_LIFT * kinetic {
                let beginning = *expected.get_or_insert_with(|| {
                    let mut q = q.to_vec();
                    (self.displace(tree, &mut q, BEGINNING, correction) - before) / BEGINNING
                });
                is_allowed = lift <= scalar::max(2.0 * share * beginning, 0.0) + MOST_LIFT * kinetic;
            }
            if gap <= most && is_allowed || share == 0.0 {
                if !tree.equalities().is_empty() {
                    self.gap = gap;
                }
                // The same rates of the joints are another motion where the mechanism stands now.
                let gain = kinetic_energy(tree, end) - kinetic;
                if share > 0.0 && gain > 0.0 {
                    v.copy_from_slice(self.implicit.slow_down(tree, [q, v], end, gain).0);
                    kinematics(tree, q, v, end);
                }
                return share;
            }
        }
        0.0
    }

    /// Puts `q` where a share of the correction leads, and returns what gravity and springs hold there [J].
    fn displace(&mut self, tree: &Tree, q: &mut [f64], share: f64, correction: &[f64]) -> f64 {
        q.copy_from_slice(&self.middle_q);
        self.force.iter_mut().zip(correction).for_each(|(to, c)| *to = share * c);
        advance(tree, q, &self.force);
        let mut there = std::mem::take(&mut self.middle);
        kinematics(tree, q, &self.trial, &mut there);
        let stored = self.stored(tree, q, &there);
        self.middle = there;
        stored
    }

    pub(super) fn stored(&self, tree: &Tree, q: &[f64], kin: &TreeKinematics) -> f64 {
        potential(tree, kin, self.gravity, self.start.com[0]) + spring_energy(tree, q)
    }
}

/// The largest distance between two lists of points.
fn far(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |far, (a, b)| scalar::max(far, (*a - *b).length()))
}
