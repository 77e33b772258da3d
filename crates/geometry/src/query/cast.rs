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

use super::convex::Solid;
use super::motion::{Motion, first_touch};
use super::pair::solid_separation;
use crate::gjk::Separation;
use crate::shape::CollisionShape;
use crate::support::Support;
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec3};

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

/// The first contact of shape A with B when A moves by `displacement`, or `None` when it passes.
///
/// A hit is reported where the gap has closed to 1e-8 of the smaller shape, never later; if the shapes overlap at
/// the start, `fraction` is 0 and the normal is that of the overlap. `None` also for two boundaries without end and for two
/// meshes. Triangles of a mesh count from both sides.
pub fn shape_cast(
    shape_a: &CollisionShape,
    pose_a: &Pose,
    displacement: Vec3,
    shape_b: &CollisionShape,
    pose_b: &Pose,
) -> Option<CastHit> {
    let (a, b) = (Solid::new(shape_a), Solid::new(shape_b));
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
            let moving = Motion { velocity: displacement, ..Motion::at_rest(*pose_a) };
            let found = first_touch(shape_a, &moving, shape_b, &Motion::at_rest(*pose_b), 1.0)?;
            Some(hit(found.time, &found.separation))
        }
        _ => bracket(at, start, touch),
    }
}

/// Gap at which two shapes count as touching; none where neither is bounded and convex.
pub(super) fn touch_of(a: &Solid, b: &Solid) -> Option<f64> {
    match (a, b) {
        (Solid::Convex(a), Solid::Convex(b)) => Some(TOUCH * min(a.extent(), b.extent())),
        (Solid::Convex(c), _) | (_, Solid::Convex(c)) => Some(TOUCH * c.extent()),
        _ => None,
    }
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
