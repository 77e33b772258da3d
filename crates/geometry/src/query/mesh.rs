//! How far a convex shape is from a mesh: from its nearest triangle.

use super::convex::Convex;
use crate::Aabb;
use crate::gjk::{self, Separation};
use crate::shape::TriangleMesh;
use crate::support::{Support, Triangle};
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec3};
use std::cell::Cell;

/// A box around a convex shape that `pose` places.
pub(super) fn bounds(convex: &Convex, pose: &Pose) -> Aabb {
    let reach = |d: Vec3| pose.rotate(convex.support(pose.inverse_rotate(d)).point);
    let r = Vec3::splat(convex.radius());
    let high = Vec3::new(reach(Vec3::X).x, reach(Vec3::Y).y, reach(Vec3::Z).z) + r;
    let low = Vec3::new(reach(Vec3::NEG_X).x, reach(Vec3::NEG_Y).y, reach(Vec3::NEG_Z).z) - r;
    Aabb::new(low + pose.translation, high + pose.translation)
}

/// Least distance between two boxes; 0 when they overlap.
fn apart(a: &Aabb, b: &Aabb) -> f64 {
    let gap = |i: usize| max(max(a.min[i] - b.max[i], b.min[i] - a.max[i]), 0.0);
    Vec3::new(gap(0), gap(1), gap(2)).length()
}

/// Separation of a mesh, as shape A, from `convex`, which `pose` places in the mesh's frame.
pub(super) fn from_mesh(mesh: &TriangleMesh, convex: &Convex, pose: &Pose) -> Separation {
    let own = bounds(convex, pose);
    let least = Cell::new(f64::INFINITY);
    let mut best: Option<Separation> = None;
    let mut look = |triangle| {
        let triangle = Triangle(mesh.corners(triangle));
        if apart(&Aabb::of_points(&triangle.0), &own) > max(least.get(), 0.0) {
            return;
        }
        let found = gjk::separation(&triangle, convex, pose);
        if best.is_none() || found.gap < least.get() {
            least.set(found.gap);
            best = Some(found);
        }
    };
    // Triangles at the shape first: where one of them reaches into it, all others are farther away.
    mesh.near(&own, &mut look);
    if least.get() > 0.0 {
        mesh.each(|node| apart(node, &own) <= max(least.get(), 0.0), look);
    }
    // A mesh has a triangle, and the first one that is looked at is the best so far.
    best.unwrap_or(Separation { gap: f64::INFINITY, normal: Vec3::Z, on_a: Vec3::ZERO, on_b: Vec3::ZERO })
}

/// True when a triangle of the mesh reaches into `convex`.
pub(super) fn overlaps_mesh(mesh: &TriangleMesh, convex: &Convex, pose: &Pose) -> bool {
    let mut found = false;
    mesh.near(&bounds(convex, pose), |triangle| {
        found = found || gjk::overlap(&Triangle(mesh.corners(triangle)), convex, pose);
    });
    found
}
