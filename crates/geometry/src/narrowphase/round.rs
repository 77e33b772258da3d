//! Spheres and capsules against each other.

use super::build::{Setting, point};
use super::rods::{Rod, rods};
use crate::manifold::{Feature, FeatureId, Manifold, Reference};
use crate::shape::{Capsule, Sphere};
use huygens_math::{Pose, Vec3};

/// Centres closer than this part of the radii have no direction between them; the normal is then A's z.
const COINCIDENT: f64 = 1e-12;

const NAMES: [Feature; 3] = [Feature::vertex(0), Feature::vertex(1), Feature::edge(0)];

/// The capsule placed by `pose`, as a rod.
#[inline]
pub(crate) fn capsule_rod(capsule: &Capsule, pose: &Pose) -> Rod {
    Rod {
        center: pose.translation,
        half: pose.rotate(Vec3::new(0.0, 0.0, capsule.half_length)),
        radius: capsule.radius,
        names: NAMES,
    }
}

/// The contact of a ball B about `center` with the point `foot` of A, both in A's frame, where `radii` are those
/// around the foot and the ball; `normal` is taken when the two coincide.
pub(crate) fn ball_contact(
    foot: (Vec3, f64, Feature),
    ball: (Vec3, f64),
    normal: Vec3,
    b_in_a: &Pose,
    set: &Setting,
) -> Option<Manifold> {
    let (core, radius_a, name) = foot;
    let (center, radius_b) = ball;
    let d = core - center;
    let distance = d.length();
    let gap = distance - radius_a - radius_b;
    if gap > set.margin {
        return None;
    }
    let normal = if distance > COINCIDENT * (radius_a + radius_b) { d / distance } else { normal };
    let mut out = Manifold::new(normal, Reference::A);
    out.round = [radius_a, radius_b];
    out.push(point(
        core - normal * radius_a,
        center + normal * radius_b,
        gap,
        b_in_a,
        FeatureId { a: name, b: Feature::vertex(0) },
    ));
    out.reuse = set.reuse_of_ball(distance);
    Some(out)
}

pub(crate) fn sphere_sphere(a: &Sphere, b: &Sphere, b_in_a: &Pose, set: &Setting) -> Option<Manifold> {
    let foot = (Vec3::ZERO, a.radius, Feature::vertex(0));
    ball_contact(foot, (b_in_a.translation, b.radius), Vec3::Z, b_in_a, set)
}

pub(crate) fn capsule_sphere(a: &Capsule, b: &Sphere, b_in_a: &Pose, set: &Setting) -> Option<Manifold> {
    let rod = capsule_rod(a, &Pose::IDENTITY);
    let s = rod.nearest(b_in_a.translation);
    let name = if s <= -1.0 {
        NAMES[0]
    } else if s >= 1.0 {
        NAMES[1]
    } else {
        NAMES[2]
    };
    let foot = (rod.half * s, a.radius, name);
    ball_contact(foot, (b_in_a.translation, b.radius), Vec3::X, b_in_a, set)
}

pub(crate) fn capsule_capsule(a: &Capsule, b: &Capsule, b_in_a: &Pose, set: &Setting) -> Option<Manifold> {
    rods(&capsule_rod(a, &Pose::IDENTITY), &capsule_rod(b, b_in_a), b_in_a, set, None)
}
