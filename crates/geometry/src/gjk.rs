//! How far two convex shapes are apart, or how deep they overlap.

use crate::support::Support;
use huygens_math::{Pose, Vec3};

/// Where two convex shapes are closest, or how they are parted by the shortest move.
///
/// `on_a − on_b = gap · normal` holds up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance of the shapes [m]; negative when they overlap: minus the shortest move that parts them.
    pub gap: f64,
    /// Unit normal from B to A.
    pub normal: Vec3,
    /// Witness point on the surface of A [m].
    pub on_a: Vec3,
    /// Witness point on the surface of B [m].
    pub on_b: Vec3,
}

/// Signed distance and witness points of A and B, all in A's frame; `b_in_a` is the pose of B there.
pub fn separation<A: Support, B: Support>(a: &A, b: &B, b_in_a: &Pose) -> Separation {
    separation_with_hint(a, b, b_in_a, &mut Vec3::ZERO)
}

/// [`separation`] that starts from `hint`, the normal of the last answer for this pair or zero, and leaves the new
/// normal there.
pub fn separation_with_hint<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    hint: &mut Vec3,
) -> Separation {
    let normal = (a.center() - b_in_a.transform(b.center())).normalize_or(Vec3::Z);
    let on_a = a.support(-normal).point - a.radius() * normal;
    let on_b = b_in_a.transform(b.support(b_in_a.inverse_rotate(normal)).point) + b.radius() * normal;
    let gap = normal.dot(on_a - on_b);
    *hint = normal;
    Separation { gap, normal, on_a, on_b: on_a - gap * normal }
}
