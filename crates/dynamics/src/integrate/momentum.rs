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

use super::implicit::Start;
use super::kick::SmoothForces;
use crate::equality::Equality;
use crate::inertia::{TreeScratch, twists_of};
use crate::joint::JointKind;
use crate::kinematics::{TreeKinematics, kinematics};
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
pub fn has_free_base(tree: &Tree) -> bool {
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
    twists_of(tree, kin, v, &mut scratch.twist);
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

/// The end of a step, before it is final.
pub(super) struct Moving<'a> {
    pub q: &'a mut [f64],
    pub v: &'a mut [f64],
    pub end: &'a mut TreeKinematics,
}

/// The whole tree at the start of a step, with the impulses of constraints: what its momentum and the way of its centre of mass follow from.
pub(super) struct Base {
    mass: f64,
    com: Vec3,
    momentum: Twist,
    /// Momentum and displacement before those impulses.
    before: Vec3,
    moved: Vec3,
}

impl Base {
    pub(super) fn of(tree: &Tree, start: &Start, h: f64, scratch: &mut TreeScratch) -> Self {
        twists_of(tree, start.kin, start.v, &mut scratch.twist);
        let all = whole(tree, start.kin, &scratch.twist);
        let (mut momentum, before) = (all.momentum, all.momentum.linear);
        if let Some(p) = start.impulse.get(..6) {
            // The dofs of the base move all links as one body: their impulses are those on the whole.
            let linear = Vec3::from_slice(&p[..3]);
            let turn = Vec3::from_slice(&p[3..]) + (start.kin.com[0] - all.com).cross(linear);
            momentum += Twist::new(linear, turn);
        }
        let mut moved = before * (h / all.mass);
        if !start.shift.is_empty() {
            moved += mean_motion(tree, start.kin, start.shift, scratch);
        }
        Self { mass: all.mass, com: all.com, momentum, before, moved }
    }

    /// Gives the base the velocity that the momentum asks for, and moves the centre of mass to its place.
    pub(super) fn restore(&self, tree: &Tree, load: &Load, h: f64, moving: Moving) {
        let Moving { q, v, end } = moving;
        let due = self.momentum + *load * h;
        let missing = due - whole(tree, end, &end.twist).momentum;
        let gain = base_motion(tree, end, &missing);
        for (k, (linear, angular)) in
            gain.linear.to_array().into_iter().zip(gain.angular.to_array()).enumerate()
        {
            v[k] += linear;
            v[k + 3] += angular;
        }
        let way = self.com + (self.moved + (due.linear - self.before) * (0.5 * h / self.mass));
        let step = way - centre(tree, end).1;
        for (q, step) in q.iter_mut().zip(step.to_array()) {
            *q += step;
        }
        kinematics(tree, q, v, end);
    }
}

/// Force on the whole tree, and torque about its centre of mass: gravity, external wrenches, forces on the base's dofs.
pub(super) fn load(tree: &Tree, kin: &TreeKinematics, forces: &SmoothForces) -> Load {
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
