//! The inside of a box against every bounded shape: six planes, a manifold for each that is touched.

use super::box_faces::{face_id, next};
use super::build::Setting;
use super::plane::Plane;
use crate::clip::PlaneFrame;
use crate::manifold::Manifold;
use crate::shape::{BoxInside, CollisionShape};
use huygens_math::{Pose, Vec3};

/// The inner face across `axis` on the given side, which looks inwards.
pub(crate) fn inner_face(half: Vec3, axis: usize, side: f64) -> Plane {
    let normal = Vec3::AXES[axis] * -side;
    let (x, y) = (Vec3::AXES[next(axis)], Vec3::AXES[next(next(axis))] * -side);
    Plane { frame: PlaneFrame { origin: normal * -half[axis], x, y, normal }, id: face_id(axis, side) }
}

pub(crate) fn box_inside(
    a: &BoxInside,
    b: &CollisionShape,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let before = out.len();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let plane = inner_face(a.half, axis, side);
            // Most faces are far away: no need to look at B's corners then.
            let distance = plane.frame.project(b_in_a.translation).1;
            if distance > set.reach + set.margin {
                continue;
            }
            if let Some(manifold) = plane.contact(b, b_in_a, set, out) {
                manifold.sub_shape[0] = plane.id;
            }
        }
    }
    out.len() > before
}
