//! Rows at the moment of a touch inside the step: how shapes move, and the manifold where they meet.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | τ | `time` | moment of the touch, in the unit of the motions' velocities | s, or a share of the step |
//! | n, r | `normal`, arm | normal, and arm from each centre of mass to the point, both at the touch | –, m |
//! | g | `gap` | gap of the row at the start of the step: that of the touch less τ n·(v̄ + ω × r), so that straight motion closes it at τ | m |

use super::links::{LinkWays, vector_of};
use super::table::{BodyRow, ShapeRow};
use crate::model::{Model, Motion as Moved};
use crate::state::State;
use crate::workspace::FoundPoint;
use huygens_contact::GroupKey;
use huygens_dynamics::{Spin, rotate_locked};
use huygens_geometry::query::Motion;
use huygens_geometry::{CollisionShape, Feature, Manifold, narrowphase};
use huygens_math::lanes::Level;
use huygens_math::{Pose, Quat, Twist, Vec3, scalar};

/// Turns in a step up to which the spin may be taken as constant, and from which the short way round may be the wrong one [rad].
const STEADY: f64 = 0.02;
const HALF_TURN: f64 = 2.8;

/// A group whose rows are those of a touch inside the step.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Its shapes and their parts.
    pub key: GroupKey,
    /// How far the centre of mass of each side has moved by then [m].
    pub moved: [Vec3; 2],
}

/// The touch of a group, if its rows are those of one. The list is sorted by key.
pub(super) fn touch_of(touches: &[Touch], key: &GroupKey) -> Option<Touch> {
    touches.binary_search_by_key(key, |touch| touch.key).ok().map(|at| touches[at])
}

/// True for shapes that a sweep can decide: one of them is bounded and convex.
pub(super) fn can_be_swept([a, b]: [&CollisionShape; 2]) -> bool {
    let is_convex = |shape: &CollisionShape| {
        !matches!(
            shape,
            CollisionShape::Mesh(_)
                | CollisionShape::HalfSpace
                | CollisionShape::BoxInside(_)
                | CollisionShape::CylinderInside(_)
        )
    };
    is_convex(a) || is_convex(b)
}

/// The motion of a shape in this step by velocity, gravity and the user's force alone; that of a link as `links` tells its end.
pub(super) fn free_motion(
    model: &Model,
    state: &State,
    (row, body): (&ShapeRow, &BodyRow),
    links: &LinkWays,
) -> Motion {
    let (mut motion, slot, h) =
        (steady_motion(model, state, row, body), row.body as usize, model.settings.dt);
    match body.motion {
        _ if row.asleep => {}
        Moved::Link { .. } => {
            let way = links.of(slot);
            motion.acceleration = (way.linear - motion.velocity * h) * (2.0 / (h * h));
            motion.spin = way.angular / h;
        }
        Moved::Dynamic => {
            let angle = motion.spin.length() * h;
            if angle > STEADY && angle < HALF_TURN {
                let turned = turned(model, state, slot, [motion.spin; 2]);
                motion.spin = vector_of(turned * state.orientation[slot].conjugate()) / h;
            }
        }
        _ => {}
    }
    motion
}

/// As [`free_motion`], with the spin of the start through the whole step; not for links.
pub(super) fn steady_motion(model: &Model, state: &State, row: &ShapeRow, body: &BodyRow) -> Motion {
    if row.is_static || row.asleep {
        return Motion::at_rest(row.pose());
    }
    let slot = row.body as usize;
    let (Twist { linear: mut velocity, angular: spin }, mut acceleration) =
        (state.velocity.free[slot], Vec3::ZERO);
    if body.motion == Moved::Dynamic && !state.quarantined[slot] {
        acceleration = body.gravity;
        if state.force[slot] != Vec3::ZERO {
            acceleration += state.force[slot] / model.bodies[slot].mass;
        }
    }
    if body.motion == Moved::Dynamic && !model.settings.integrator.follows_parabola() {
        (velocity, acceleration) = (velocity + acceleration * model.settings.dt, Vec3::ZERO);
    }
    Motion { pose: row.pose(), center: state.position[slot], velocity, acceleration, spin }
}

/// The orientation to which a body turns in the step, by its angular velocities at both ends.
pub(super) fn turned(model: &Model, state: &State, slot: usize, [start, end]: [Vec3; 2]) -> Quat {
    let (body, settings) = (&model.bodies[slot], &model.settings);
    let drift = settings.integrator.mean(start, end);
    let world_from_body = state.orientation[slot];
    let spin = Spin { inertia_body: body.inertia, world_from_body, drift, omega: end };
    rotate_locked(&spin, body.lock_angular.map(|locked| !locked), settings.dt, settings.gyroscopic)
        .orientation
}

/// Fills `pair` with the manifolds of two shapes at a moment of their motion.
pub(super) fn manifolds_at(
    shapes: [&CollisionShape; 2],
    motions: [&Motion; 2],
    (time, reach): (f64, f64),
    level: Level,
    pair: &mut Vec<Manifold>,
) {
    let [a, b] = motions.map(|motion| motion.pose_at(time));
    pair.clear();
    narrowphase::collide_at(level, shapes, &a.relative(&b), reach, pair);
    pair.sort_by_key(|manifold| manifold.sub_shape);
}

/// Least square of |d + t w| for t from 0 to 1.
pub(super) fn least_square(d: Vec3, w: Vec3) -> f64 {
    let square = w.length_squared();
    let t = if square > 0.0 { scalar::clamp(-d.dot(w) / square, 0.0, 1.0) } else { 0.0 };
    (d + w * t).length_squared()
}

/// Displacement of a centre of mass up to a moment, and its mean velocity until then.
pub(super) fn moved(motion: &Motion, time: f64) -> [Vec3; 2] {
    let mean = motion.velocity + motion.acceleration * (0.5 * time);
    [mean * time, mean]
}

/// Adds the points of a manifold that closes at a moment; returns its normal in world axes. Points that open are left out.
pub(super) fn add_points(
    manifold: &Manifold,
    motions: [&Motion; 2],
    time: f64,
    points: &mut Vec<FoundPoint>,
) -> Vec3 {
    let [pose_a, pose_b]: [Pose; 2] = motions.map(|motion| motion.pose_at(time));
    let normal = pose_a.rotate(manifold.normal);
    let twist = |motion: &Motion| Twist::new(moved(motion, time)[1], motion.spin);
    let [a, b] = motions.map(twist);
    let centers = motions.map(|motion| motion.center + moved(motion, time)[0]);
    for point in manifold.points() {
        let feature = [point.feature.a, point.feature.b].map(Feature::bits);
        let at = (pose_a.transform(point.on_a) + pose_b.transform(point.on_b)) * 0.5;
        let rate = normal.dot(a.at(at - centers[0]) - b.at(at - centers[1]));
        let gap = point.gap - time * rate;
        if rate < 0.0 && gap > 0.0 {
            points.push(FoundPoint { at, gap, feature, before: feature });
        }
    }
    normal
}
