//! The account `integration` of a tree's step.

use crate::inertia::{TreeScratch, mass_matrix_quadratic};
use crate::kinematics::TreeKinematics;
use crate::tree::Tree;
use huygens_math::Vec3;

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
    let kinetic = 0.5
        * (mass_matrix_quadratic(tree, after, &after.velocity, scratch)
            - mass_matrix_quadratic(tree, before, work.v_plus, scratch));
    let potential: f64 = tree
        .links()
        .iter()
        .zip(after.com.iter().zip(&before.com))
        .map(|(link, (to, from))| -link.mass * link.gravity_scale * gravity.dot(*to - *from))
        .sum();
    kinetic + potential + work.work()
}
