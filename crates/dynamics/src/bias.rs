//! Forces over the dofs of a tree: gravity, velocity products, external wrenches.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | a, α | `acceleration` | acceleration of a link's centre of mass and of its spin when no dof accelerates | m/s², rad/s² |
//! | f | `out` of [`bias`] | generalised force: H v̇ = f | N or N m |
//! | τ | `out` of [`inverse_dynamics`] | H v̇ − f, what the joints must give for the acceleration v̇ | N or N m |
//!
//! Recursive Newton–Euler (Featherstone 2008, section 5.3) in world axes about centres of mass. With the axes of
//! `kinematics.rs`, v_c = v_p + ω_p×(c−c_p) + Σ (l + a×(c−s)) v, whose rate at constant v is
//! a_p + α_p×(c−c_p) + ω_p×(v_c−v_p) + Σ (l̇ + ȧ×(c−s) + a×(v_c−ṡ)) v.

use crate::inertia::{TreeScratch, project};
use crate::kinematics::TreeKinematics;
use crate::tree::Tree;
use huygens_math::{Twist, Vec3};

/// A force and a torque on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force at the centre of mass, world axes [N].
    pub force: Vec3,
    /// Torque about the centre of mass, world axes [N m].
    pub torque: Vec3,
}

/// Generalised force of gravity and of the velocity products (Coriolis, centrifugal, gyroscopic) at the poses and
/// velocities of `kin`, plus external wrenches, one per link or none at all: the acceleration without constraints is
/// H⁻¹ of it. Damping is not in it: see [`damping_force`].
///
/// # Panics
/// When `out` has not one number per dof, or `external` is neither empty nor one per link.
pub fn bias(
    tree: &Tree,
    kin: &TreeKinematics,
    gravity: Vec3,
    external: &[Wrench],
    scratch: &mut TreeScratch,
    out: &mut [f64],
) {
    newton_euler(tree, kin, gravity, external, &[], scratch);
    project(tree, kin, &mut scratch.wrench, out);
}

/// Generalised force that the dofs need for the acceleration `acceleration`, against gravity and velocity products:
/// H v̇ − f.
///
/// # Panics
/// As [`bias`], and when `acceleration` has not one number per dof.
pub fn inverse_dynamics(
    tree: &Tree,
    kin: &TreeKinematics,
    gravity: Vec3,
    acceleration: &[f64],
    scratch: &mut TreeScratch,
    out: &mut [f64],
) {
    assert_eq!(acceleration.len(), tree.dofs(), "one number per dof");
    newton_euler(tree, kin, gravity, &[], acceleration, scratch);
    project(tree, kin, &mut scratch.wrench, out);
    for ((out, armature), a) in out.iter_mut().zip(tree.armature()).zip(acceleration) {
        *out = armature * a - *out;
    }
}

/// Leaves in `scratch.wrench` what acts on each link less what its motion needs; dofs accelerate by `given`, or not at
/// all when that is empty.
fn newton_euler(
    tree: &Tree,
    kin: &TreeKinematics,
    gravity: Vec3,
    external: &[Wrench],
    given: &[f64],
    scratch: &mut TreeScratch,
) {
    check_external(tree, external);
    accelerations(tree, kin, given, &mut scratch.twist);
    let wrench = &mut scratch.wrench;
    wrench.clear();
    for (i, link) in tree.links().iter().enumerate() {
        let (a, twist) = (&scratch.twist[i], &kin.twist[i]);
        let spin = kin.inertia[i] * twist.angular;
        let force = (gravity * link.gravity_scale - a.linear) * link.mass;
        let torque = -(kin.inertia[i] * a.angular) - twist.angular.cross(spin);
        let given = external.get(i).copied().unwrap_or_default();
        wrench.push(Twist::new(force + given.force, torque + given.torque));
    }
}

/// Generalised force Σ Jᵀ·wrench of external wrenches, one per link.
///
/// # Panics
/// When `out` has not one number per dof, or `external` is neither empty nor one per link.
pub fn external_force(
    tree: &Tree,
    kin: &TreeKinematics,
    external: &[Wrench],
    scratch: &mut TreeScratch,
    out: &mut [f64],
) {
    check_external(tree, external);
    if external.is_empty() {
        out.fill(0.0);
        return;
    }
    scratch.wrench.clear();
    scratch.wrench.extend(external.iter().map(|w| Twist::new(w.force, w.torque)));
    project(tree, kin, &mut scratch.wrench, out);
}

/// Generalised force of the joints' damping at the velocities `v`: −damping·v.
pub fn damping_force(tree: &Tree, v: &[f64], out: &mut [f64]) {
    for ((out, damping), v) in out.iter_mut().zip(tree.damping()).zip(v) {
        *out = -damping * v;
    }
}

fn check_external(tree: &Tree, external: &[Wrench]) {
    assert!(
        external.is_empty() || external.len() == tree.links().len(),
        "one wrench per link, or none at all"
    );
}

/// Acceleration of every link's centre of mass and of its spin, world axes, when the dofs accelerate by `given`, or not at all when that
/// is empty.
pub fn accelerations(tree: &Tree, kin: &TreeKinematics, given: &[f64], acceleration: &mut Vec<Twist>) {
    acceleration.clear();
    for (i, link) in tree.links().iter().enumerate() {
        let (com, velocity) = (kin.com[i], kin.twist[i].linear);
        let mut a = match link.parent {
            Some(p) => {
                let (above, twist) = (acceleration[p], &kin.twist[p]);
                let carried = twist.angular.cross(velocity - twist.linear);
                Twist::new(above.at(com - kin.com[p]) + carried, above.angular)
            }
            None => Twist::ZERO,
        };
        for dof in tree.dofs_of(i) {
            let (axis, rate) = (&kin.axis[dof], &kin.axis_rate[dof]);
            let turned = rate.angular.cross(com - axis.anchor) + axis.angular.cross(velocity - rate.anchor);
            a += Twist::new(rate.linear + turned, rate.angular) * kin.velocity[dof];
            if let Some(&given) = given.get(dof) {
                a += Twist::new(axis.at(com), axis.angular) * given;
            }
        }
        acceleration.push(a);
    }
}
