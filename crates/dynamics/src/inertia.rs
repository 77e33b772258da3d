//! The mass matrix of a tree.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | H | `TreeLdl` | mass matrix over the dofs | kg, kg m, kg m² |
//! | m, c, I | `Composite` | mass, centre and inertia (about c) of a link and all that hangs on it | |
//!
//! Composite rigid bodies (Featherstone 2008, section 6.2) in world axes. When dof j moves with velocity 1, all that
//! hangs on it has the momentum m·v_j(c) and the spin I a_j about c; its product with the motion that dof i above it
//! gives to the same composite is H_ji = m v_j(c)·v_i(c) + a_i·I a_j. Everything is about centres of mass, so a tree
//! far from the origin loses nothing.

use crate::kinematics::{TreeKinematics, energy_of, kinematics, link_twist};
use crate::tree::Tree;
use huygens_math::{Singular, Sym3, TreeLdl, Twist, Vec3};

/// A link with all that hangs on it, as one rigid body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Composite {
    mass: f64,
    com: Vec3,
    inertia: Sym3,
}

impl Composite {
    fn join(&mut self, other: &Self) {
        let mass = self.mass + other.mass;
        self.inertia = self.inertia + other.inertia;
        if mass > 0.0 {
            let apart = other.com - self.com;
            let share = other.mass / mass;
            self.inertia = self.inertia + Sym3::point_inertia(apart) * (self.mass * share);
            self.com += apart * share;
        }
        self.mass = mass;
    }
}

/// A pivot of the mass matrix below this share of its diagonal entry is round-off. Lengths of one tree may differ by 1e6, which leaves real
/// pivots of 1e-12: far more than a few roundings.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

/// A link with all that hangs on it, about a point that all links of its robot share.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About {
    point: Vec3,
    mass: f64,
    /// Mass times the way from the point to the centre of mass.
    moment: Vec3,
    inertia: Sym3,
}

/// Room that the algorithms over a tree reuse; nothing in it outlives a call.
#[derive(Clone, Debug, Default)]
pub struct TreeScratch {
    pub(crate) composite: Vec<Composite>,
    pub(crate) about: Vec<About>,
    /// Velocities or accelerations of links.
    pub(crate) twist: Vec<Twist>,
    /// Force (linear) and torque about the centre of mass (angular) of links.
    pub(crate) wrench: Vec<Twist>,
}

/// Fills and factors the mass matrix at the poses of `kin`; `ldl` comes from [`Tree::new_ldl`].
///
/// # Errors
/// When the matrix is not positive definite: a dof moves no mass.
pub fn joint_inertia(
    tree: &Tree,
    kin: &TreeKinematics,
    scratch: &mut TreeScratch,
    ldl: &mut TreeLdl,
) -> Result<(), Singular> {
    fill_joint_inertia(tree, kin, scratch, ldl.matrix_mut());
    ldl.factor()
}

/// As [`joint_inertia`], with `more` on the diagonal of each dof: dampers and springs that act implicitly.
///
/// # Errors
/// When the matrix is not positive definite.
pub(crate) fn joint_inertia_with(
    tree: &Tree,
    kin: &TreeKinematics,
    scratch: &mut TreeScratch,
    ldl: &mut TreeLdl,
    more: impl Fn(usize) -> f64,
) -> Result<(), Singular> {
    let n = tree.dofs();
    fill_joint_inertia(tree, kin, scratch, ldl.matrix_mut());
    for dof in 0..n {
        ldl.matrix_mut()[dof * n + dof] += more(dof);
    }
    ldl.factor()
}

/// A dof that moves no mass at the coordinates `q`, or none that other dofs do not move already: the mass matrix is singular there.
/// `None` when every dof is good. For checks before a run: it allocates.
pub fn massless_dof(tree: &Tree, q: &[f64]) -> Option<usize> {
    let n = tree.dofs();
    let (mut kin, mut ldl) = (TreeKinematics::default(), tree.new_ldl());
    kinematics(tree, q, &vec![0.0; n], &mut kin);
    fill_joint_inertia(tree, &kin, &mut TreeScratch::default(), ldl.matrix_mut());
    let diagonal: Vec<f64> = (0..n).map(|i| ldl.factors()[i * n + i]).collect();
    if let Err(singular) = ldl.factor() {
        return Some(singular.dof);
    }
    // What is left of a diagonal entry after the dofs below it are eliminated; round-off is a few roundings of the entry.
    let free = (0..n).filter(|dof| !tree.is_held(*dof));
    ldl.pivots().zip(free).find(|&(pivot, dof)| pivot <= ROUND_OFF * diagonal[dof]).map(|(_, dof)| dof)
}

/// The whole mass matrix at the poses of `kin`, row-major n × n.
///
/// # Panics
/// When `matrix` has not n² entries for n dofs.
pub fn mass_matrix(tree: &Tree, kin: &TreeKinematics, scratch: &mut TreeScratch, matrix: &mut [f64]) {
    let n = tree.dofs();
    assert_eq!(matrix.len(), n * n, "n × n numbers");
    matrix.fill(0.0);
    fill_joint_inertia(tree, kin, scratch, matrix);
    for row in 0..n {
        for column in 0..row {
            matrix[column * n + row] = matrix[row * n + column];
        }
    }
}

/// The lower half of the mass matrix at the poses of `kin`, in a row-major n × n matrix: entries between dofs of which neither carries the other,
/// and those above the diagonal, are left as they are.
///
/// Momenta are taken about one point for each child of the world with all that hangs on it: an entry costs two products of vectors instead of four.
/// What that loses is round-off of (size of the tree/lever)², so that this is for robots, not for chains of a kilometre.
///
/// # Panics
/// When `matrix` has not n² entries for n dofs.
pub fn robot_mass_matrix(tree: &Tree, kin: &TreeKinematics, scratch: &mut TreeScratch, matrix: &mut [f64]) {
    let n = tree.dofs();
    assert_eq!(matrix.len(), n * n, "n × n numbers");
    let TreeScratch { about, twist, .. } = scratch;
    about.clear();
    // Velocity of its robot's point and spin, for each dof.
    twist.clear();
    twist.resize(n, Twist::ZERO);
    for (i, link) in tree.links().iter().enumerate() {
        let point = match link.parent {
            Some(p) if tree.path(p).next().is_some() => about[p].point,
            _ => kin.com[i],
        };
        let arm = kin.com[i] - point;
        let inertia = kin.inertia[i] + Sym3::point_inertia(arm) * link.mass;
        about.push(About { point, mass: link.mass, moment: arm * link.mass, inertia });
        for dof in tree.dofs_of(i) {
            let axis = &kin.axis[dof];
            twist[dof] = Twist::new(axis.at(point), axis.angular);
        }
    }
    for (i, link) in tree.links().iter().enumerate().rev() {
        let body = about[i];
        for dof in tree.dofs_of(i) {
            let Twist { linear, angular } = twist[dof];
            let momentum = linear * body.mass + angular.cross(body.moment);
            let spin = body.inertia * angular + body.moment.cross(linear);
            let row = &mut matrix[dof * n..dof * n + dof + 1];
            for above in tree.path_from_dof(dof) {
                let other = &twist[above];
                row[above] = momentum.dot(other.linear) + spin.dot(other.angular);
            }
            row[dof] += tree.armature()[dof];
        }
        if let Some(p) = link.parent {
            let to = &mut about[p];
            to.mass += body.mass;
            to.moment += body.moment;
            to.inertia = to.inertia + body.inertia;
        }
    }
}

/// The entries (j, i) of the mass matrix with i = j or above it, row-major n × n; others are left alone.
fn fill_joint_inertia(tree: &Tree, kin: &TreeKinematics, scratch: &mut TreeScratch, matrix: &mut [f64]) {
    let n = tree.dofs();
    let composite = &mut scratch.composite;
    composite.clear();
    composite.extend(tree.links().iter().enumerate().map(|(i, link)| Composite {
        mass: link.mass,
        com: kin.com[i],
        inertia: kin.inertia[i],
    }));
    for (i, link) in tree.links().iter().enumerate().rev() {
        let body = composite[i];
        for dof in tree.dofs_of(i) {
            let axis = &kin.axis[dof];
            let momentum = axis.at(body.com) * body.mass;
            let spin = body.inertia * axis.angular;
            for above in tree.path_from_dof(dof) {
                let other = &kin.axis[above];
                matrix[dof * n + above] = momentum.dot(other.at(body.com)) + spin.dot(other.angular);
            }
            matrix[dof * n + dof] += tree.armature()[dof];
        }
        if let Some(p) = link.parent {
            composite[p].join(&body);
        }
    }
}

/// vᵀHv at the poses of `kin`, from the twists that `v` gives to the links: twice the kinetic energy of `v`.
pub fn mass_matrix_quadratic(tree: &Tree, kin: &TreeKinematics, v: &[f64], scratch: &mut TreeScratch) -> f64 {
    twists_of(tree, kin, v, &mut scratch.twist);
    2.0 * energy_of(tree, kin, &scratch.twist, v)
}

/// H v at the poses of `kin`, without the matrix.
///
/// # Panics
/// When `v` or `out` has not one number per dof.
pub fn mass_times(tree: &Tree, kin: &TreeKinematics, v: &[f64], scratch: &mut TreeScratch, out: &mut [f64]) {
    twists_of(tree, kin, v, &mut scratch.twist);
    let momentum = &mut scratch.wrench;
    momentum.clear();
    momentum.extend(
        tree.links()
            .iter()
            .zip(&kin.inertia)
            .zip(&scratch.twist)
            .map(|((link, inertia), t)| Twist::new(t.linear * link.mass, *inertia * t.angular)),
    );
    project(tree, kin, momentum, out);
    for ((out, armature), v) in out.iter_mut().zip(tree.armature()).zip(v) {
        *out += armature * v;
    }
}

pub(crate) fn twists_of(tree: &Tree, kin: &TreeKinematics, v: &[f64], twist: &mut Vec<Twist>) {
    assert_eq!(v.len(), tree.dofs(), "one number per dof");
    twist.clear();
    for (i, link) in tree.links().iter().enumerate() {
        let parent = link.parent.map_or(Twist::ZERO, |p| twist[p]);
        twist.push(link_twist(tree, kin, i, v, parent));
    }
}

/// Σ over links of Jᵀ·wrench, where a wrench is a force and a torque about the link's centre of mass (world axes);
/// uses up the wrenches.
pub(crate) fn project(tree: &Tree, kin: &TreeKinematics, wrench: &mut [Twist], out: &mut [f64]) {
    assert_eq!(out.len(), tree.dofs(), "one number per dof");
    for (i, link) in tree.links().iter().enumerate().rev() {
        let Twist { linear: force, angular: torque } = wrench[i];
        for dof in tree.dofs_of(i) {
            let axis = &kin.axis[dof];
            out[dof] = force.dot(axis.at(kin.com[i])) + torque.dot(axis.angular);
        }
        if let Some(p) = link.parent {
            let arm = kin.com[i] - kin.com[p];
            wrench[p] += Twist::new(force, torque + arm.cross(force));
        }
    }
}
