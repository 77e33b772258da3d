//! How far two placed shapes are apart, and whether they overlap.

use super::boundary::clearance;
use super::convex::{Boundary, Convex, Solid};
use super::mesh::{from_mesh, overlaps_mesh};
use crate::gjk::{self, Separation};
use crate::shape::CollisionShape;
use crate::support::Support;
use huygens_math::{Pose, Vec3};

/// Signed distance, normal (from B to A) and witness points of two placed shapes, in world axes.
///
/// - Inside a container the gap is the smallest clearance from any of its walls, negative where the shape pokes
///   through one.
/// - A wall has no thickness and is solid from both sides. A shape that it cuts is pushed to the side on which the
///   shape's centre lies, or past the wall's edge where that is shorter.
/// - From a mesh the gap is that from its nearest triangle, or from the one that reaches deepest into the shape; each
///   triangle counts from both sides here.
/// - `None` when neither is bounded and convex: two boundaries without end (half-space, insides) overlap for ever.
///
/// ```
/// use huygens_geometry::{CollisionShape, query};
/// use huygens_math::{Pose, Vec3};
/// let ball = CollisionShape::sphere(0.5)?;
/// let floor = CollisionShape::HalfSpace;
/// let s = query::separation(&ball, &Pose::at(Vec3::new(3.0, 0.0, 2.0)), &floor, &Pose::IDENTITY).unwrap();
/// assert_eq!((s.gap, s.normal, s.on_b), (1.5, Vec3::Z, Vec3::new(3.0, 0.0, 0.0)));
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn separation(
    a: &CollisionShape,
    pose_a: &Pose,
    b: &CollisionShape,
    pose_b: &Pose,
) -> Option<Separation> {
    solid_separation(&Solid::new(a), pose_a, &Solid::new(b), pose_b)
}

/// True when two placed shapes overlap or touch; false for two boundaries without end, which nothing can part.
///
/// Cheaper than [`separation`]: stops at the first direction that parts the shapes.
pub fn overlap(a: &CollisionShape, pose_a: &Pose, b: &CollisionShape, pose_b: &Pose) -> bool {
    match (Solid::new(a), Solid::new(b)) {
        (Solid::Convex(a), Solid::Convex(b)) => gjk::overlap(&a, &b, &pose_a.relative(pose_b)),
        (Solid::Convex(a), Solid::Boundary(b)) => clearance(&b, &a, &pose_b.relative(pose_a)).gap <= 0.0,
        (Solid::Boundary(a), Solid::Convex(b)) => clearance(&a, &b, &pose_a.relative(pose_b)).gap <= 0.0,
        (Solid::Mesh(m), Solid::Convex(c)) => overlaps_mesh(m, &c, &pose_a.relative(pose_b)),
        (Solid::Convex(c), Solid::Mesh(m)) => overlaps_mesh(m, &c, &pose_b.relative(pose_a)),
        _ => false,
    }
}

/// How far two placed shapes are apart along a unit vector `normal` from B to A, in world axes [m]: a plane across it parts them where that is
/// positive. `None` where no plane can: containers and meshes, and a half-space seen along any direction but its own.
///
/// ```
/// use huygens_geometry::{CollisionShape, query};
/// use huygens_math::{Pose, Vec3};
/// let (ball, block) = (CollisionShape::sphere(0.5)?, CollisionShape::cuboid(Vec3::ONE)?);
/// let poses = [Pose::at(Vec3::new(0.7, 0.0, 2.0)), Pose::IDENTITY];
/// assert_eq!(query::separation_along([&ball, &block], &poses, Vec3::Z), Some(1.0));
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn separation_along(shapes: [&CollisionShape; 2], poses: &[Pose; 2], normal: Vec3) -> Option<f64> {
    apart_along(&shapes.map(Solid::new), poses, normal)
}

/// As [`separation_along`].
pub(super) fn apart_along(solids: &[Solid; 2], poses: &[Pose; 2], normal: Vec3) -> Option<f64> {
    // Least n·x of A, and of B along −n.
    let least = |k: usize, n: Vec3| match &solids[k] {
        Solid::Convex(convex) => Some(least_along(convex, &poses[k], n)),
        Solid::Boundary(Boundary::HalfSpace) if poses[k].rotate(Vec3::NEG_Z).dot(n) > 1.0 - ALIGNED => {
            Some(n.dot(poses[k].translation))
        }
        _ => None,
    };
    Some(least(0, normal)? + least(1, -normal)?)
}

/// Least n·x of the points x of a placed convex shape.
#[inline]
pub(super) fn least_along(convex: &impl Support, pose: &Pose, n: Vec3) -> f64 {
    n.dot(pose.transform(convex.support(pose.inverse_rotate(-n)).point)) - convex.radius()
}

/// How far the cosine between a direction and the normal of a half-space may be from one.
const ALIGNED: f64 = 1e-14;

pub(super) fn solid_separation(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose) -> Option<Separation> {
    match (a, b) {
        (Solid::Convex(a), Solid::Convex(b)) => Some(convex_separation(a, pose_a, b, pose_b)),
        (Solid::Convex(a), Solid::Boundary(b)) => {
            Some(clearance(b, a, &pose_b.relative(pose_a)).transformed(pose_b))
        }
        (Solid::Boundary(a), Solid::Convex(b)) => {
            Some(clearance(a, b, &pose_a.relative(pose_b)).swapped().transformed(pose_a))
        }
        (Solid::Mesh(a), Solid::Convex(b)) => {
            Some(from_mesh(a, b, &pose_a.relative(pose_b)).transformed(pose_a))
        }
        (Solid::Convex(a), Solid::Mesh(b)) => {
            Some(from_mesh(b, a, &pose_b.relative(pose_a)).swapped().transformed(pose_b))
        }
        _ => None,
    }
}

fn convex_separation(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Separation {
    match (a, b) {
        (Convex::Wall(_), Convex::Wall(_)) => {}
        (_, Convex::Wall(_)) => return from_wall(a, b, &pose_b.relative(pose_a)).transformed(pose_b),
        (Convex::Wall(_), _) => {
            return from_wall(b, a, &pose_a.relative(pose_b)).swapped().transformed(pose_a);
        }
        _ => {}
    }
    gjk::separation(a, b, &pose_a.relative(pose_b)).transformed(pose_a)
}

/// Separation of `convex`, as shape A, from a wall, in the wall's frame.
fn from_wall(convex: &Convex, wall: &Convex, pose: &Pose) -> Separation {
    let found = gjk::separation(wall, convex, pose).swapped();
    let side = if pose.transform(convex.center()).z < 0.0 { Vec3::NEG_Z } else { Vec3::Z };
    if found.gap >= 0.0 || found.normal.dot(side) >= 0.0 {
        return found;
    }
    // The shortest way out leads through the wall to the other side: take the way back.
    let core = pose.transform(convex.support(pose.inverse_rotate(-side)).point);
    let on_a = core - side * convex.radius();
    let gap = on_a.dot(side);
    Separation { gap, normal: side, on_a, on_b: on_a - side * gap }
}
