//! Spheres and capsules against each other.

use super::build::Setting;
use super::rods::{Expected, Rod, distance, rods};
use crate::manifold::{Feature, FeatureId, Manifold, ManifoldPoint};
use crate::shape::{Capsule, Sphere};
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec3};
use std::cell::Cell;

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
        blunt: false,
        names: NAMES,
    }
}

/// The foot of a ball on A: the point of A's core that is closest to the ball's centre, in A's frame.
pub(crate) struct Foot {
    pub core: Vec3,
    /// Around the core.
    pub radius: f64,
    pub name: Feature,
    /// The normal where the foot is the ball's centre.
    pub normal: Vec3,
}

impl Foot {
    /// The ball of that radius about `center`, seen from its foot.
    #[inline(always)]
    pub fn near(&self, center: Vec3, radius: f64) -> Near {
        let d = self.core - center;
        let distance = d.length();
        let coincident = distance <= COINCIDENT * (self.radius + radius);
        let normal = if coincident { self.normal } else { d * (1.0 / distance) };
        let gap = if coincident { normal.dot(d) } else { distance } - self.radius - radius;
        let on_a = self.core - normal * self.radius;
        Near { normal, gap, on_a, name: self.name, lever: distance }
    }
}

/// Where a ball is nearest to A, in A's frame.
pub(crate) struct Near {
    /// From the ball to A.
    pub normal: Vec3,
    pub gap: f64,
    pub on_a: Vec3,
    /// The feature of A.
    pub name: Feature,
    /// Distance about which the normal turns when the ball moves.
    pub lever: f64,
}

/// Adds the contact of a ball B of that radius; `round` is A's radius of curvature.
#[inline(always)]
pub(crate) fn ball_contact(
    near: &Near,
    [round, radius]: [f64; 2],
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    if near.gap > set.margin {
        return set.part(near.gap);
    }
    let feature = FeatureId { a: near.name, b: Feature::vertex(0) };
    let on_b = b_in_a.inverse_rotate(near.normal * radius);
    let at = ManifoldPoint { on_a: near.on_a, on_b, gap: near.gap, feature };
    out.push(Manifold::of_point(near.normal, [round, radius], set.reuse_of_ball(near.lever), at));
    true
}

/// The commonest pair of all, so it does without the preparations of the others.
#[inline]
pub(crate) fn sphere_sphere(a: &Sphere, b: &Sphere, b_in_a: &Pose, margin: f64, out: &mut Vec<Manifold>) {
    let (radii, t) = (a.radius + b.radius, b_in_a.translation);
    let (square, far) = (t.length_squared(), radii + margin);
    if square > far * far {
        return;
    }
    let distance = square.sqrt();
    let apart = distance > COINCIDENT * radii;
    let normal = if apart { t * (-1.0 / distance) } else { Vec3::Z };
    let gap = if apart { distance } else { -normal.dot(t) } - radii;
    let set = Setting {
        margin,
        size: 2.0 * min(a.radius, b.radius),
        reach: min(a.radius, b.radius),
        a_is_larger: a.radius >= b.radius,
        clearance: &Cell::new(margin),
    };
    let feature = FeatureId { a: NAMES[0], b: NAMES[0] };
    let (on_a, on_b) = (normal * -a.radius, b_in_a.inverse_rotate(normal) * b.radius);
    let at = ManifoldPoint { on_a, on_b, gap, feature };
    out.push(Manifold::of_point(normal, [a.radius, b.radius], set.reuse_of_ball(distance), at));
}

/// A ball beside a capsule.
#[inline(always)]
pub(crate) fn capsule_ball(a: &Capsule, center: Vec3, radius: f64) -> Near {
    let rod = capsule_rod(a, &Pose::IDENTITY);
    let s = rod.nearest(center);
    let name = if s <= -1.0 {
        NAMES[0]
    } else if s >= 1.0 {
        NAMES[1]
    } else {
        NAMES[2]
    };
    Foot { core: rod.half * s, radius: a.radius, name, normal: Vec3::X }.near(center, radius)
}

pub(crate) fn capsule_sphere(
    a: &Capsule,
    b: &Sphere,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let near = capsule_ball(a, b_in_a.translation, b.radius);
    ball_contact(&near, [a.radius, b.radius], b_in_a, set, out)
}

pub(crate) fn capsule_capsule(
    a: &Capsule,
    b: &Capsule,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let nothing = Expected { normal: Vec3::ZERO, gap: None };
    let rod = [capsule_rod(a, &Pose::IDENTITY), capsule_rod(b, b_in_a)];
    let apart = distance(&rod[0], &rod[1]) - (a.radius + b.radius);
    if apart > set.margin {
        return set.part(apart);
    }
    rods(&rod[0], &rod[1], b_in_a, set, &nothing, out)
}
