//! What a shape hits first when it moves.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | s | `fraction` | part of the displacement, 0 to 1 |
//! | g(s) | `gap` | signed distance there |
//!
//! Between convex shapes g is convex in s, and −n·(displacement) is the slope of a line below it. So the zero of that
//! line is never past the contact, and the step to it is Newton's: it converges from the left, quadratically unless
//! the shapes only graze. Inside a container the clearance is a least of concave functions: it has one zero at most,
//! which a bracket holds.

use super::convex::{Boundary, Solid};
use super::pair::solid_separation;
use crate::gjk::Separation;
use crate::shape::Shape;
use crate::support::Support;
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec3, trig};

/// First contact of a moving shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// Part of the displacement until contact, 0 to 1.
    pub fraction: f64,
    /// Unit normal at the contact, from B to the moving shape A, in world axes.
    pub normal: Vec3,
    /// The point of B that is hit, in world axes [m].
    pub witness: Vec3,
}

/// Gap at which shapes count as touching, relative to the smaller one.
const TOUCH: f64 = 1e-8;

/// Steps of Newton or of the bracket. Grazing, where a step takes three quarters of the gap, needs half as many.
const MAX_STEPS: usize = 64;

/// Steps of the conservative advance of a shape that turns.
const MAX_TURNING_STEPS: usize = 512;

/// The first contact of shape A with B when A moves by `displacement`, or `None` when it passes.
///
/// A hit is reported where the gap has closed to 1e-8 of the smaller shape, never later; if the shapes overlap at
/// the start, `fraction` is 0 and the normal is that of the overlap. `None` also for two boundaries without end and for two
/// meshes. Triangles of a mesh count from both sides.
pub fn shape_cast(a: &Shape, pose_a: &Pose, displacement: Vec3, b: &Shape, pose_b: &Pose) -> Option<CastHit> {
    let (a, b) = (Solid::new(a), Solid::new(b));
    let at = |fraction: f64| {
        let moved = Pose::new(pose_a.rotation, pose_a.translation + displacement * fraction);
        solid_separation(&a, &moved, &b, pose_b)
    };
    let touch = touch_of(&a, &b)?;
    let start = at(0.0)?;
    if start.gap <= 0.0 {
        return Some(hit(0.0, &start));
    }
    match (&a, &b) {
        (Solid::Convex(_), Solid::Convex(_)) => advance(at, start, displacement, touch),
        // The least of convex gaps is not convex: a plane between the shapes is not one for all triangles.
        (Solid::Mesh(_), _) | (_, Solid::Mesh(_)) => {
            conservative(at, start, touch, |_| displacement.length())
        }
        _ => bracket(at, start, touch),
    }
}

/// The first contact of shape A with B when A moves by `displacement` and turns about its origin by the rotation vector
/// `turn` [rad] meanwhile, both at constant rates; or `None` when it passes.
///
/// As [`shape_cast`]; B must not be a container, for which the answer is `None`. A plane between the shapes is reached no
/// sooner than its gap divided by how fast any point of A can approach it, (v + ω × r)·n ≤ v·n + |n × ω| r: the cast
/// advances by that much at a time, and never past a contact. Should 512 such steps not reach the contact, the hit is
/// reported where they end, a little early.
pub fn turning_cast(
    a: &Shape,
    pose_a: &Pose,
    (displacement, turn): (Vec3, Vec3),
    b: &Shape,
    pose_b: &Pose,
) -> Option<CastHit> {
    let reach = a.bounding_radius();
    let (a, b) = (Solid::new(a), Solid::new(b));
    if !reach.is_finite()
        || matches!(b, Solid::Boundary(Boundary::BoxInside(_) | Boundary::CylinderInside(_)))
    {
        return None;
    }
    let at = |fraction: f64| {
        let turned = trig::rotation_vector(turn * fraction) * pose_a.rotation;
        let moved = Pose::new(turned.normalize(), pose_a.translation + displacement * fraction);
        solid_separation(&a, &moved, &b, pose_b)
    };
    let touch = touch_of(&a, &b)?;
    let start = at(0.0)?;
    if start.gap <= 0.0 {
        return Some(hit(0.0, &start));
    }
    let any_way = matches!((&a, &b), (Solid::Mesh(_), _) | (_, Solid::Mesh(_)));
    conservative(at, start, touch, |normal| {
        if any_way {
            displacement.length() + turn.length() * reach
        } else {
            -normal.dot(displacement) + normal.cross(turn).length() * reach
        }
    })
}

/// Gap at which two shapes count as touching; none where neither is bounded and convex.
fn touch_of(a: &Solid, b: &Solid) -> Option<f64> {
    match (a, b) {
        (Solid::Convex(a), Solid::Convex(b)) => Some(TOUCH * min(a.extent(), b.extent())),
        (Solid::Convex(c), _) | (_, Solid::Convex(c)) => Some(TOUCH * c.extent()),
        _ => None,
    }
}

/// Steps that no contact can fall into, where `rate` bounds how fast the gap along a normal closes.
fn conservative(
    at: impl Fn(f64) -> Option<Separation>,
    start: Separation,
    touch: f64,
    rate: impl Fn(Vec3) -> f64,
) -> Option<CastHit> {
    let (mut fraction, mut found) = (0.0, start);
    for _ in 0..MAX_TURNING_STEPS {
        let closing = rate(found.normal);
        if found.gap <= touch && closing > 0.0 {
            return Some(hit(fraction, &found));
        }
        if closing <= 0.0 || found.gap > closing * (1.0 - fraction) {
            return None;
        }
        fraction += (found.gap - 0.5 * touch) / closing;
        found = at(fraction)?;
        if found.gap < 0.0 {
            return Some(hit(fraction, &found));
        }
    }
    Some(hit(fraction, &found))
}

fn hit(fraction: f64, found: &Separation) -> CastHit {
    CastHit { fraction, normal: found.normal, witness: found.on_b }
}

/// Newton's steps from the left on a convex gap.
fn advance(
    at: impl Fn(f64) -> Option<Separation>,
    start: Separation,
    displacement: Vec3,
    touch: f64,
) -> Option<CastHit> {
    let (mut fraction, mut found) = (0.0, start);
    for _ in 0..MAX_STEPS {
        let closing = -found.normal.dot(displacement);
        if found.gap <= touch && closing > 0.0 {
            return Some(hit(fraction, &found));
        }
        // The plane between the shapes stays between them.
        if closing <= 0.0 || found.gap > closing * (1.0 - fraction) {
            return None;
        }
        // Half the tolerance short, so that rounding does not carry the step past the contact.
        fraction += (found.gap - 0.5 * touch) / closing;
        found = at(fraction)?;
        if found.gap < 0.0 {
            return Some(hit(fraction, &found));
        }
    }
    Some(hit(fraction, &found))
}

/// The only zero of a concave clearance.
fn bracket(at: impl Fn(f64) -> Option<Separation>, start: Separation, touch: f64) -> Option<CastHit> {
    let end = at(1.0)?;
    if end.gap > 0.0 {
        return None;
    }
    let (mut low, mut before) = (0.0, start);
    let (mut high, mut after) = (1.0, end);
    // The chord of a concave function has its zero left of the contact, so alone it would creep up from one side.
    // Halving the height of the end that stays (the "Illinois" rule) brings the bracket in from both.
    let (mut left, mut right) = (before.gap, after.gap);
    for step in 0..MAX_STEPS {
        if before.gap <= touch {
            break;
        }
        let chord = low + (high - low) * left / (left - right);
        let middle = if step % 8 == 7 { 0.5 * (low + high) } else { chord };
        let found = at(middle)?;
        if found.gap >= 0.0 {
            (low, before, left) = (middle, found, found.gap);
            right *= 0.5;
        } else {
            (high, after, right) = (middle, found, found.gap);
            left *= 0.5;
        }
    }
    Some(CastHit { fraction: low, normal: after.normal, witness: after.on_b })
}
