//! Broad phase, then narrow phase: which shapes are near, and where they touch.

use super::narrow::{NarrowRoom, narrow};
use super::table::{self, Kind};
use crate::access::CollideAccess;
use crate::edit_log::Since;
use crate::meeting::Hook;
use crate::model::{Model, Motion};
use crate::state::State;
use crate::workspace::room;
use huygens_geometry::Aabb;
use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, ProxyBox};
use huygens_math::Vec3;

/// Which shapes are near.
pub(crate) fn near(model: &Model, state: &State, work: &mut CollideAccess) {
    let edits = table::update(model, state, work);
    if let Since::All = edits {
        insert_all(model, state, work);
    } else {
        for i in 0..work.turned.len() {
            insert(model, state, work, work.turned[i] as usize);
        }
        for slot in edits.shapes() {
            if model.shapes[slot].removed {
                work.broad.remove(slot as u32);
            } else {
                insert(model, state, work, slot);
            }
        }
        move_all(model, state, work);
    }
    work.broad.update_pairs();
}

/// Where shapes that are near touch.
pub(crate) fn collide(
    model: &Model,
    state: &mut State,
    work: &mut CollideAccess,
    hook: Option<&mut Hook<'_>>,
) {
    let (level, pairs) = (work.bodies.level, work.broad.pairs());
    let room = NarrowRoom {
        pool: work.pool,
        shapes: work.shapes,
        found: work.found,
        found_points: work.found_points,
        kept_pairs: work.kept_pairs,
        chunks: work.narrow,
        pair: work.pair,
        level,
    };
    narrow(model, pairs, &mut state.contacts.kept, room);
    super::swept::keep_what_meets(model, state, work, hook);
    super::ghost::drop_ghosts(model, state, work);
}

/// True when nothing but the user moves this body.
fn is_immovable(model: &Model, state: &State, body: u32) -> bool {
    let slot = body as usize;
    match model.bodies[slot].motion {
        Motion::Dynamic | Motion::Link { .. } => state.quarantined[slot],
        Motion::Driven(_) if model.torque_limited(slot).is_some() => state.quarantined[slot],
        Motion::Static | Motion::Driven(_) => true,
    }
}

/// Tells a new broad phase of every shape.
fn insert_all(model: &Model, state: &State, work: &mut CollideAccess) {
    *work.broad = BroadPhase::default();
    work.broad.set_level(work.bodies.level);
    work.broad.reserve(model.shapes.len(), room(model).groups);
    for slot in (0..model.shapes.len()).filter(|&slot| !model.shapes[slot].removed) {
        insert(model, state, work, slot);
    }
}

/// Tells the broad phase of a shape that is new, fell asleep or woke. Sleepers meet each other no more than static bodies do.
fn insert(model: &Model, state: &State, work: &mut CollideAccess, slot: usize) {
    let shape = &model.shapes[slot];
    let immovable = work.shapes[slot].asleep || is_immovable(model, state, shape.body);
    let mobility = if immovable { Mobility::Static } else { Mobility::Moving };
    let filter = Filter { layer: shape.layer, mask: shape.mask };
    let bounds = bounds(model, state, work, slot);
    work.broad.insert(slot as u32, bounds, filter, mobility, shape.body);
}

/// Shapes whose boxes one chunk finds: some 20 µs.
const SHAPES_OF_CHUNK: usize = 512;

/// With fewer shapes the caller works alone.
const LEAST_SHAPES: usize = 2048;

/// Tells the broad phase where everything is that may have moved.
fn move_all(model: &Model, state: &State, work: &mut CollideAccess) {
    let awake = &work.bodies.awake_shapes;
    if work.pool.threads() > 1 && awake.len() >= LEAST_SHAPES {
        let mut boxes = std::mem::take(work.boxes);
        boxes.resize(awake.len(), ProxyBox::EMPTY);
        let from = &*work;
        work.pool.for_parts(&mut boxes, SHAPES_OF_CHUNK, |first, part| {
            for (slot, to) in awake[first..].iter().zip(part) {
                *to = bounds(model, state, from, *slot as usize);
            }
        });
        for (slot, found) in awake.iter().zip(&boxes) {
            work.broad.set_bounds(*slot, *found);
        }
        *work.boxes = boxes;
        return;
    }
    for &slot in awake {
        let bounds = bounds(model, state, work, slot as usize);
        work.broad.set_bounds(slot, bounds);
    }
}

/// The box of all that a shape can touch in this step.
#[inline(always)]
fn bounds(model: &Model, state: &State, work: &CollideAccess, slot: usize) -> ProxyBox {
    let row = &work.shapes[slot];
    if state.quarantined[row.body as usize] {
        // It meets nothing any more.
        return ProxyBox::EMPTY;
    }
    let aabb = if row.kind == Kind::Ball {
        let half = Vec3::splat(row.radius);
        Aabb { min: row.place - half, max: row.place + half }
    } else {
        model.shapes[slot].shape.aabb(&row.pose())
    };
    if row.is_static {
        return ProxyBox::from_f64_outward(aabb.min, aabb.max);
    }
    let margin = if row.margin < f32::INFINITY { f64::from(row.margin) } else { 0.0 };
    let grow = Vec3::splat(margin + f64::from(row.turning));
    let drift = row.drift.map(f64::from);
    let [back, ahead] =
        [drift.map(|x| if x < 0.0 { x } else { 0.0 }), drift.map(|x| if x > 0.0 { x } else { 0.0 })];
    ProxyBox::around(aabb.min + Vec3::from_array(back) - grow, aabb.max + Vec3::from_array(ahead) + grow)
}

#[cfg(test)]
mod tests {
    use crate::World;
    use crate::scene::{Body, Scene, Shape};
    use huygens_math::SimdLevel;

    #[test]
    fn the_level_of_a_world_reaches_the_broad_phase_and_survives_steps_edits_and_a_dropped_workspace() {
        let ball = |name: &str, z| Body::dynamic(name).shape(Shape::sphere(0.5)).at(0.0, 0.0, z);
        let scene = Scene::new().body(Body::fixed("floor").shape(Shape::half_space())).body(ball("a", 0.5));
        for level in SimdLevel::available() {
            let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
            let expected = format!("{:?}", level.level().expect("an available level"));
            let check = |world: &World, when: &str| {
                assert_eq!(format!("{:?}", world.work.broad.level()), expected, "{when}");
                assert_eq!(format!("{:?}", world.work.bodies.level), expected, "{when}");
            };
            world.set_simd_level(level).expect("an available level");
            check(&world, "at once");
            world.step();
            check(&world, "after a step");
            world.add_body(&ball("b", 2.0)).unwrap_or_else(|errors| panic!("{errors}"));
            world.step();
            check(&world, "after an edit");
            world.drop_workspace();
            check(&world, "without a workspace");
            world.step();
            check(&world, "after another step");
        }
    }
}
