//! The centre of a fast body never passes through what it meets.
//!
//! Contacts are found at the start of a step, and their rows move straight: that holds a body back while it turns by less
//! than about half a radian. A rod that is shot at a wall, or that an impact of its tip sets spinning, turns by more, and
//! points that no row knows come through. Its centre moves straight all the same. So a body that moves by a part
//! of its size in a step gets one more row where its core, a ball about the centre of mass, would reach the other
//! shape: without friction and without bounce, and without a lever. It acts only when nothing else has stopped the body;
//! what sticks through the other shape then is drawn back to the side of the centre by the next steps.

use crate::access::CollideAccess;
use crate::model::{Model, Motion};
use crate::state::State;
use crate::workspace::{Found, FoundPoint};
use huygens_contact::{GroupKey, Material};
use huygens_geometry::narrowphase::collide_at;
use huygens_geometry::{Feature, Shape};
use huygens_math::scalar;
use huygens_math::{Pose, Vec3};

/// A body is watched when it moves by more than this part of its size in a step, or is as deep in the other.
const WATCHED: f64 = 0.2;

/// Radius of the core, in parts of the body's size: half of what lies within it.
const CORE: f64 = 0.25;

/// Part numbers from here on are cores.
const PART: u32 = u32::MAX - 64;

/// True for the contact of a core.
pub(crate) fn is_core(key: &GroupKey) -> bool {
    key.parts().into_iter().all(|part| part >= PART)
}

/// The material of a core: no friction and no bounce.
pub(crate) fn smooth(mut material: Material) -> Material {
    material.restitution = 0.0;
    material.friction_static = 0.0;
    material.friction_dynamic = 0.0;
    material.friction_torsional = 0.0;
    material.friction_rolling = 0.0;
    material
}

/// Adds the contacts of cores to the manifolds found.
pub(crate) fn guard_cores(model: &Model, state: &State, work: &mut CollideAccess) {
    if !model.settings.speculative {
        return;
    }
    let count = work.found.len();
    let watch = Watch::of(model, state, work);
    if !work.found.iter().any(|found| watch.is_called_for(found.gap)) {
        return;
    }
    let mut last = None;
    for i in 0..count {
        let [a, b] = work.found[i].key.shapes();
        if last == Some((a, b)) {
            continue;
        }
        last = Some((a, b));
        let gap = work.found[i].gap;
        for [this, other] in [[a, b], [b, a]] {
            if let Some(far) = way(model, state, [this, other], gap) {
                core(model, work, [this, other], far);
            }
        }
    }
    if work.found.len() > count {
        work.found.sort_unstable_by_key(|found| found.key);
    }
}

/// What all bodies have in common: in most steps none is watched, and no pair need be looked at.
struct Watch {
    /// Some two bodies may move by as much against each other as makes the least of them be watched.
    fast: bool,
    /// Depth at which the least of them is watched [m].
    deep: f64,
}

impl Watch {
    fn of(model: &Model, state: &State, work: &CollideAccess) -> Self {
        let (mut least, mut most) = (f64::INFINITY, 0.0);
        for row in work.shapes.iter().filter(|row| !row.is_static && !row.removed) {
            least = scalar::min(least, row.size);
            most = scalar::max(most, state.velocity.free[row.body as usize].linear.length_squared());
        }
        Self {
            fast: 2.0 * most.sqrt() * model.settings.dt > 0.99 * WATCHED * least,
            deep: 0.99 * WATCHED * least,
        }
    }

    #[inline(always)]
    fn is_called_for(&self, gap: f64) -> bool {
        self.fast || gap < -self.deep
    }
}

/// How far the centre of a body moves against the other in this step [m]; none where that is little, or where the straight
/// rows of its only shape are exact.
fn way(model: &Model, state: &State, [this, other]: [u32; 2], gap: f64) -> Option<f64> {
    let shape = &model.shapes[this as usize];
    let body = &model.bodies[shape.body as usize];
    if body.motion != Motion::Dynamic || body.shapes.len() != 1 || matches!(shape.shape, Shape::Sphere(_)) {
        return None;
    }
    let velocity = |slot: u32| state.velocity.free[model.shapes[slot as usize].body as usize].linear;
    let far = (velocity(this) - velocity(other)).length() * model.settings.dt;
    (far > WATCHED * shape.size || gap < -WATCHED * shape.size).then_some(far)
}

fn core(model: &Model, work: &mut CollideAccess, [this, other]: [u32; 2], far: f64) {
    let shape = &model.shapes[this as usize];
    let Ok(ball) = Shape::sphere(CORE * shape.size) else { return };
    let center: Vec3 = shape.in_body.inverse_transform(Vec3::ZERO);
    let at = work.shape_pose[this as usize] * Pose::at(center);
    let geometry = &model.shapes[other as usize].shape;
    let pose = &work.shape_pose[other as usize];
    work.pair.clear();
    let is_a = this < other;
    let level = work.bodies.level;
    if is_a {
        collide_at(level, [&ball, geometry], &at.relative(pose), far, work.pair);
    } else {
        collide_at(level, [geometry, &ball], &pose.relative(&at), far, work.pair);
    }
    let pose_a = if is_a { at } else { *pose };
    for (i, manifold) in work.pair.iter().enumerate().take(8) {
        let part = PART + 8 * u32::from(is_a) + i as u32;
        let (a, b) = if is_a { (this, other) } else { (other, this) };
        let key = GroupKey::contact([a, b], [part; 2]);
        let normal = pose_a.rotate(manifold.normal);
        let first = work.found_points.len() as u32;
        for point in manifold.points() {
            let feature = [point.feature.a, point.feature.b].map(Feature::bits);
            let middle = pose_a.transform(point.on_a) - normal * (0.5 * point.gap);
            work.found_points.push(FoundPoint { at: middle, gap: point.gap, feature, before: feature });
        }
        let len = (work.found_points.len() as u32 - first) as u16;
        // It reports no touch: that is for the body's surface to say.
        let gap = scalar::max(manifold.gap(), f64::MIN_POSITIVE);
        work.found.push(Found { key, normal, gap, margin: 0.0, first, len, single: true });
    }
}
