//! An explicit step whose velocity products act with the velocity of its end, linear in its change: MuJoCo's `implicit`.
//!
//! With b(v) the velocity products, homogeneous of second degree, b(v + w) = b(v) + B w + b(w) for every w: each column of B = ∂b/∂v is a
//! difference of three evaluations, exact but for round-off. The step solves (Ĥ − hB) a = f, which is not symmetric.

use crate::bias::bias;
use crate::inertia::{TreeScratch, mass_matrix};
use crate::kinematics::{TreeKinematics, kinematics};
use crate::tree::Tree;
use huygens_math::Vec3;
use huygens_math::dense::{LuProfile, solve_rows};

/// Room for the derivative of the velocity products.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    matrix: Vec<f64>,
    /// b(v), b(e), b(v + e).
    values: [Vec<f64>; 3],
    velocity: Vec<f64>,
    kin: TreeKinematics,
    scratch: TreeScratch,
    profile: LuProfile,
}

impl Products {
    /// Replaces the forces `x` by the accelerations that they give; `more` is what Ĥ has on its diagonal beside H. False where the matrix
    /// cannot be factored. Dofs that are held are not moved.
    pub(super) fn solve(
        &mut self,
        tree: &Tree,
        [q, v]: [&[f64]; 2],
        h: f64,
        start: &TreeKinematics,
        more: impl Fn(usize) -> f64,
        x: &mut [f64],
    ) -> bool {
        let n = tree.dofs();
        self.matrix.resize(n * n, 0.0);
        self.values.iter_mut().for_each(|values| values.resize(n, 0.0));
        mass_matrix(tree, start, &mut self.scratch, &mut self.matrix);
        self.velocity.clear();
        self.velocity.extend_from_slice(v);
        self.at(tree, q, 0);
        // A step of the size of the velocities: what is added cancels to round-off of the same size.
        let size = v.iter().fold(0.0, |size: f64, v| if v.abs() > size { v.abs() } else { size });
        let size = if size > 0.0 { size } else { 1.0 };
        for column in 0..n {
            self.velocity.fill(0.0);
            self.velocity[column] = size;
            self.at(tree, q, 1);
            self.velocity.iter_mut().zip(v).for_each(|(to, v)| *to += v);
            self.at(tree, q, 2);
            let [own, step, both] = &self.values;
            for row in 0..n {
                self.matrix[row * n + column] -= h * (both[row] - own[row] - step[row]) / size;
            }
        }
        for (dof, x) in x.iter_mut().enumerate() {
            self.matrix[dof * n + dof] += more(dof);
            if tree.is_held(dof) {
                self.matrix[dof * n..(dof + 1) * n].fill(0.0);
                (self.matrix[dof * n + dof], *x) = (1.0, 0.0);
            }
        }
        solve_rows(&mut self.matrix, x, &mut self.profile)
    }

    /// b at `self.velocity`.
    fn at(&mut self, tree: &Tree, q: &[f64], which: usize) {
        kinematics(tree, q, &self.velocity, &mut self.kin);
        bias(tree, &self.kin, Vec3::ZERO, &[], &mut self.scratch, &mut self.values[which]);
    }
}
