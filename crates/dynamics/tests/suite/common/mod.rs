//! Trees that several tests use.

// Every test file compiles this module for itself and uses a part of it.
#![allow(dead_code, reason = "each test file uses a part")]

use huygens_dynamics::{Joint, JointKind, Link, Tree, TreeKinematics, kinematics};
use huygens_math::{Pose, Quat, SplitMix, Sym3, Vec3};

/// A point mass on a massless rod that hangs down from a hinge about y.
pub fn pendulum_link(parent: Option<usize>, anchor: Vec3, mass: f64, length: f64) -> Link {
    Link::new(parent, Joint::hinge(Pose::at(anchor), Vec3::Y), mass, Sym3::ZERO)
        .with_com(Vec3::new(0.0, 0.0, -length))
}

/// Double pendulum of case 13; the coordinate of the second hinge is relative.
pub fn double_pendulum() -> Tree {
    let first = pendulum_link(None, Vec3::ZERO, 1.0, 1.0);
    let second = pendulum_link(Some(0), Vec3::new(0.0, 0.0, -1.0), 1.0, 1.0);
    Tree::new(vec![first, second]).unwrap()
}

pub fn random_pose(r: &mut SplitMix) -> Pose {
    Pose::new(r.rotation(), r.in_cube())
}

fn random_inertia(r: &mut SplitMix) -> Sym3 {
    let moments = Vec3::new(r.range(0.1, 0.2), r.range(0.2, 0.3), r.range(0.2, 0.3));
    Sym3::rotated_diagonal(moments, r.rotation())
}

/// A branching tree of hinges, with a rigid link here and there.
pub fn random_tree(r: &mut SplitMix, links: usize, base: JointKind) -> Tree {
    let list = (0..links)
        .map(|i| {
            let kind = match i {
                0 => base,
                _ if r.index(5) == 0 => JointKind::Fixed,
                _ => JointKind::Hinge,
            };
            let joint = Joint {
                kind,
                parent_from_joint: random_pose(r),
                child_from_joint: random_pose(r),
                axis: r.direction() * r.range(0.5, 2.0),
                armature: if kind == JointKind::Hinge { r.range(0.0, 0.1) } else { 0.0 },
                ..Joint::fixed(Pose::IDENTITY)
            };
            let parent = (i > 0).then(|| r.index(i));
            Link::new(parent, joint, r.range(0.5, 2.0), random_inertia(r)).with_com(r.in_cube())
        })
        .collect();
    Tree::new(list).unwrap()
}

fn random_joint(r: &mut SplitMix, kind: JointKind) -> Joint {
    Joint {
        kind,
        parent_from_joint: random_pose(r),
        child_from_joint: random_pose(r),
        axis: r.direction() * r.range(0.5, 2.0),
        armature: if r.index(2) == 0 { r.range(0.0, 0.1) } else { 0.0 },
        pitch: 0.3,
        ..Joint::fixed(Pose::IDENTITY)
    }
}

/// A branching tree of all kinds of joints: up to three on one link (and at most three dofs, so that no dof is there twice), and links
/// without mass that hang on one with mass and carry one.
pub fn random_mechanism(r: &mut SplitMix, links: usize, base: JointKind) -> Tree {
    const KINDS: [JointKind; 5] =
        [JointKind::Hinge, JointKind::Slide, JointKind::Ball, JointKind::Screw, JointKind::Fixed];
    let mut list: Vec<Link> = Vec::new();
    for i in 0..links {
        let parent = (i > 0).then(|| r.index(i));
        let on_mass = parent.is_none_or(|p| list[p].mass > 0.0);
        // The last link has mass, and so has the child of a link without.
        let massless = i > 0 && i + 1 < links && on_mass && r.index(3) == 0;
        let (most, mut dofs) = (if massless { 2 } else { 3 }, 0);
        let mut joints = Vec::new();
        for k in 0..1 + r.index(3) {
            let kind = if i == 0 && k == 0 { base } else { KINDS[r.index(KINDS.len())] };
            if kind.is_free() || dofs + kind.dofs() <= most {
                dofs += kind.dofs();
                joints.push(random_joint(r, kind));
            }
            if kind.is_free() {
                break;
            }
        }
        let (mass, inertia) =
            if massless { (0.0, Sym3::ZERO) } else { (r.range(0.5, 2.0), random_inertia(r)) };
        let com = r.in_cube();
        list.push(Link { parent, joints, mass, com, inertia, gravity_scale: 1.0 });
    }
    // A link without mass that carries nothing has no dof of its own.
    for i in 0..links {
        if list[i].mass == 0.0 && !list.iter().any(|link| link.parent == Some(i)) {
            (list[i].mass, list[i].inertia) = (r.range(0.5, 2.0), random_inertia(r));
        }
    }
    Tree::new(list).unwrap()
}

pub fn has_free_base(tree: &Tree) -> bool {
    tree.joints().first().is_some_and(|slot| slot.joint.kind == JointKind::Free)
}

/// Random coordinates, with the free base near the origin.
pub fn random_coordinates(r: &mut SplitMix, tree: &Tree) -> Vec<f64> {
    let mut q = Vec::new();
    for slot in tree.joints() {
        match slot.joint.kind {
            JointKind::Fixed => {}
            JointKind::Hinge | JointKind::Screw => q.push(r.range(-3.0, 3.0)),
            JointKind::Slide => q.push(r.range(-1.0, 1.0)),
            JointKind::Ball | JointKind::BallLocal => {
                let turn = r.rotation();
                q.extend([turn.w, turn.x, turn.y, turn.z]);
            }
            JointKind::Free | JointKind::FreeLocal => {
                let (at, turn) = (r.in_cube(), r.rotation());
                q.extend([at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z]);
            }
        }
    }
    q
}

pub fn random_velocities(r: &mut SplitMix, n: usize) -> Vec<f64> {
    (0..n).map(|_| r.range(-1.0, 1.0)).collect()
}

pub fn placed(tree: &Tree, q: &[f64], v: &[f64]) -> TreeKinematics {
    let mut kin = TreeKinematics::default();
    kinematics(tree, q, v, &mut kin);
    kin
}

/// Linear momentum, and angular momentum about the world's origin.
pub fn momenta(tree: &Tree, kin: &TreeKinematics) -> (Vec3, Vec3) {
    let (mut p, mut l) = (Vec3::ZERO, Vec3::ZERO);
    for (i, link) in tree.links().iter().enumerate() {
        let twist = &kin.twist[i];
        p += twist.linear * link.mass;
        l += kin.com[i].cross(twist.linear * link.mass) + kin.inertia[i] * twist.angular;
    }
    (p, l)
}

pub fn rotation_of(q: &[f64]) -> Quat {
    Quat::from_xyzw(q[4], q[5], q[6], q[3])
}

pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |a, b| if b.abs() > a { b.abs() } else { a })
}
