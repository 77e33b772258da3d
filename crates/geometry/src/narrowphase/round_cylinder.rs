//! A sphere against a cylinder, in closed form. A is the cylinder.

use super::bias::TIE;
use super::build::Setting;
use super::round::{Foot, Near, ball_contact};
use crate::manifold::{Feature, Manifold};
use crate::shape::{Cylinder, Sphere};
use huygens_math::scalar::clamp;
use huygens_math::{Pose, Vec2, Vec3};

/// A ball beside or in a cylinder; `size` is that of the smaller of the two.
pub(crate) fn cylinder_ball(a: &Cylinder, center: Vec3, radius: f64, size: f64) -> Near {
    let across = Vec2::new(center.x, center.y);
    let radial = across.length();
    let cap = u32::from(center.z >= 0.0);
    let (beyond_side, beyond_cap) = (radial > a.radius, center.z.abs() > a.half_length);
    if beyond_side || beyond_cap {
        let name = match (beyond_side, beyond_cap) {
            (true, true) => Feature::edge(cap),
            (true, false) => Feature::face(2),
            _ => Feature::face(cap),
        };
        let scale = if beyond_side { a.radius / radial } else { 1.0 };
        let foot = (across * scale).extend(clamp(center.z, -a.half_length, a.half_length));
        return Foot { core: foot, radius: 0.0, name, normal: Vec3::Z }.near(center, radius);
    }
    // The centre is inside: out through the cap or the side, whichever is nearer.
    let (to_side, to_cap) = (a.radius - radial, a.half_length - center.z.abs());
    let (outward, depth, name) = if to_cap <= to_side + TIE * size {
        (Vec3::new(0.0, 0.0, if cap == 1 { 1.0 } else { -1.0 }), to_cap, Feature::face(cap))
    } else {
        let direction = if radial > TIE * a.radius { across / radial } else { Vec2::X };
        (direction.extend(0.0), to_side, Feature::face(2))
    };
    // On the way out through the side the normal follows the centre around the axis.
    let lever = if name == Feature::face(2) { radial } else { size };
    Near { normal: -outward, gap: -depth - radius, on_a: center + outward * depth, name, lever }
}

pub(crate) fn cylinder_sphere(
    a: &Cylinder,
    b: &Sphere,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let near = cylinder_ball(a, b_in_a.translation, b.radius, set.size);
    ball_contact(&near, [0.0, b.radius], b_in_a, set, out)
}
