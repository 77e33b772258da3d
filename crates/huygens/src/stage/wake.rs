//! What wakes sleepers inside a step: something that moves and comes to them, or a driver that begins to move.
//!
//! A sleeper wakes when a body that is awake has, or may get in this step, a contact with it. Who only flies by wakes nobody. Islands that lie beside one
//! another and touch are one island already; what a woken body reaches wakes in the same step.

use super::table::{Kind, ShapeRow};
use super::touch::{can_be_swept, steady_motion};
use crate::access::CollideAccess;
use crate::model::{Model, Motion};
use crate::sleep::{held, is_moving_driver, tree_sleeps};
use crate::state::State;
use huygens_geometry::broadphase::Filter;
use huygens_geometry::narrowphase;
use huygens_geometry::query::{Motion as Course, first_touch_within};
use huygens_math::Vec3;

/// Wakes what is touched; true when something woke, and the stages before must see to it.
pub(crate) fn wake_touched(model: &Model, state: &mut State, work: &mut CollideAccess) -> bool {
    if state.sleep.is_empty() {
        return false;
    }
    work.woken.clear();
    by_bodies(model, state, work);
    by_drivers(model, state, work);
    if work.woken.is_empty() {
        return false;
    }
    state.wake_islands(model, work.woken, work.spare);
    true
}

/// Notes the islands that bodies come to.
fn by_bodies(model: &Model, state: &State, work: &mut CollideAccess) {
    for i in 0..work.broad.pairs().len() {
        let pair = work.broad.pairs()[i];
        let [a, b] = [pair.a, pair.b].map(|slot| &work.shapes[slot as usize]);
        if a.asleep != b.asleep && !a.sensor && !b.sensor {
            note(model, state, work, [pair.a, pair.b]);
        }
    }
}

/// Notes the islands that moving drivers come to, or that hang on them.
fn by_drivers(model: &Model, state: &State, work: &mut CollideAccess) {
    let bodies = model.drivers.iter().filter_map(|driver| driver.body);
    for slot in bodies.filter(|slot| is_moving_driver(model, state, *slot as usize)) {
        for &shape in &model.bodies[slot as usize].shapes {
            let CollideAccess { broad, shapes, near, .. } = work;
            near.clear();
            broad.query_box(broad.bounds(shape), |other| {
                if shapes[other as usize].asleep {
                    near.push(other);
                }
            });
            for i in 0..work.near.len() {
                let other = work.near[i];
                let [this, that] = [shape, other].map(|slot| &model.shapes[slot as usize]);
                let filters = [this, that].map(|shape| Filter { layer: shape.layer, mask: shape.mask });
                if filters[0].passes(filters[1]) {
                    note(model, state, work, [shape.min(other), shape.max(other)]);
                }
            }
        }
    }
    for tree in (0..model.trees.len()).filter(|&tree| tree_sleeps(model, state, tree)) {
        if model.bases_of(tree).iter().any(|&base| is_moving_driver(model, state, base as usize)) {
            let link = model.tree_bodies[tree].last().copied();
            work.woken.extend(link.map(|link| state.sleep.island[link as usize]));
        }
    }
    for ends in held(model) {
        for (one, other) in [(0, 1), (1, 0)] {
            if let [Some(one), Some(other)] = [ends[one], ends[other]]
                && is_moving_driver(model, state, one as usize)
                && state.sleep.has(other as usize)
            {
                work.woken.push(state.sleep.island[other as usize]);
            }
        }
    }
}

/// Notes the island of the one of two shapes that sleeps, when the other comes to it.
fn note(model: &Model, state: &State, work: &mut CollideAccess, slots: [u32; 2]) {
    let [a, b] = slots.map(|slot| &work.shapes[slot as usize]);
    let sleeper = if a.asleep { a } else { b };
    let island = state.sleep.island[sleeper.body as usize];
    if work.woken.contains(&island) || model.exclusions.contains(a.body, b.body) {
        return;
    }
    if meets(model, state, work, slots) {
        work.woken.push(island);
    }
}

/// True when two shapes touch, or may touch in this step.
fn meets(model: &Model, state: &State, work: &mut CollideAccess, slots: [u32; 2]) -> bool {
    let [a, b] = slots.map(|slot| work.shapes[slot as usize]);
    let margin = f64::from(if a.margin < b.margin { a.margin } else { b.margin });
    let mut reach = margin;
    if model.settings.speculative {
        let [x, y, z] = [0, 1, 2].map(|i| a.drift[i] - b.drift[i]);
        reach += f64::from((x * x + y * y + z * z).sqrt() + (a.turning + b.turning));
    }
    let far = a.radius + b.radius + reach;
    if (a.place - b.place).length_squared() > far * far {
        return false;
    }
    let shapes = slots.map(|slot| &model.shapes[slot as usize].shape);
    work.pair.clear();
    narrowphase::collide_at(work.bodies.level, shapes, &a.pose().relative(&b.pose()), reach, work.pair);
    let gaps = work.pair.iter().flat_map(|manifold| manifold.points()).map(|point| point.gap);
    let gap = gaps.fold(f64::INFINITY, |least, gap| if gap < least { gap } else { least });
    if !model.settings.speculative || gap > reach {
        return gap <= 0.0;
    }
    let is_link = |row: &ShapeRow| matches!(work.body_rows[row.body as usize].motion, Motion::Link { .. });
    if gap <= margin || !can_be_swept(shapes) || is_link(&a) || is_link(&b) {
        return true;
    }
    let course = |row: &ShapeRow| steady_motion(model, state, row, &work.body_rows[row.body as usize]);
    let (motions, h) = ([course(&a), course(&b)], model.settings.dt);
    // What lies on something does not fall.
    let carried = motions.map(|motion| Course { acceleration: Vec3::ZERO, ..motion });
    let comes = |[a, b]: &[Course; 2]| first_touch_within(shapes, [a, b], None, margin, h).is_some();
    let is_ball = a.kind == Kind::Ball && b.kind == Kind::Ball;
    let turns = !is_ball && scalar_turn(&motions, h) > WIDE_TURN;
    turns || comes(&motions) || comes(&carried)
}

/// A turn in a step beyond which the spin of the start does not tell the way [rad].
const WIDE_TURN: f64 = 0.5;

fn scalar_turn(motions: &[Course; 2], h: f64) -> f64 {
    (motions[0].spin.length() + motions[1].spin.length()) * h
}
