//! Momentum of a tree as a whole, and the motion of a free base that restores it.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | m, c | `mass`, `com` | mass and centre of mass of the whole tree | kg, m |
//! | P, L | `linear`, `angular` | momentum, and angular momentum about c | N s, N m s |
//! | I | `inertia` | inertia about c with all joints locked | kg m² |
//!
//! The base moves all links as one rigid body. So P and L can be given any value by its velocity alone: with the
//! differences δP and δL the body turns by δω = I⁻¹δL more, and its centre of mass moves by δP/m more.

use crate::equality::Equality;
use crate::inertia::TreeScratch;
use crate::joint::JointKind;
use crate::kinematics::TreeKinematics;
use crate::tree::Tree;
use huygens_math::{Sym3, Twist, Vec3};

/// Force and torque about the centre of mass of the whole tree, from gravity and external wrenches.
pub(super) type Load = Twist;

/// The tree as one body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    pub mass: f64,
    pub com: Vec3,
    pub momentum: Twist,
}

/// True when the tree is one piece that hangs on a free joint, so that its base can carry any momentum. Its first joint is then that of
/// the base. A base without mass will do: it carries the others.
pub(super) fn has_free_base(tree: &Tree) -> bool {
    tree.joints().first().is_some_and(|slot| slot.link == 0 && slot.joint.kind == JointKind::Free)
        && !tree.has_prescribed()
        && tree.links()[1..].iter().all(|link| link.parent.is_some())
        && tree.links().iter().any(|link| link.mass > 0.0)
        && tree.equalities().iter().all(Equality::is_internal)
}

/// Mass and centre of mass.
pub(super) fn centre(tree: &Tree, kin: &TreeKinematics) -> (f64, Vec3) {
    let base = kin.com.first().copied().unwrap_or_default();
    let (mut mass, mut moment) = (0.0, Vec3::ZERO);
    for (link, com) in tree.links().iter().zip(&kin.com) {
        mass += link.mass;
        moment += (*com - base) * link.mass;
    }
    (mass, base + moment / mass)
}

/// Momentum of the links with the twists `twist` at the poses of `kin`.
pub(super) fn whole(tree: &Tree, kin: &TreeKinematics, twist: &[Twist]) -> Whole {
    let (mass, com) = centre(tree, kin);
    let mut momentum = Twist::ZERO;
    for (i, link) in tree.links().iter().enumerate() {
        let linear = twist[i].linear * link.mass;
        momentum.linear += linear;
        momentum.angular += (kin.com[i] - com).cross(linear) + kin.inertia[i] * twist[i].angular;
    }
    Whole { mass, com, momentum }
}

/// Mean velocity Σ m J v / m of the whole tree for the velocities (or displacement) `v`.
pub(super) fn mean_motion(tree: &Tree, kin: &TreeKinematics, v: &[f64], scratch: &mut TreeScratch) -> Vec3 {
    crate::inertia::twists_of(tree, kin, v, &mut scratch.twist);
    let (mut mass, mut sum) = (0.0, Vec3::ZERO);
    for (link, twist) in tree.links().iter().zip(&scratch.twist) {
        mass += link.mass;
        sum += twist.linear * link.mass;
    }
    sum / mass
}

/// The change of the base's dofs that changes the momentum of the tree by `change`; none where the tree is too thin
/// to turn.
pub(super) fn base_motion(tree: &Tree, kin: &TreeKinematics, change: &Twist) -> Twist {
    let (mass, com) = centre(tree, kin);
    let mut inertia = Sym3::ZERO;
    for (i, link) in tree.links().iter().enumerate() {
        inertia = inertia + kin.inertia[i] + Sym3::point_inertia(kin.com[i] - com) * link.mass;
    }
    let turn = inertia.inverse().map_or(Vec3::ZERO, |inverse| inverse * change.angular);
    Twist::new(change.linear / mass + turn.cross(kin.com[0] - com), turn)
}
