//! What belongs into a picture.

use crate::colour::Role;
use crate::stage::Placed;
use huygens::geometry::Aabb;
use huygens_math::Vec3;
use huygens_math::scalar::{max, min};

/// A static shape larger than this times what moves is not framed as a whole.
const LARGE: f64 = 4.0;
/// A container is framed as a whole up to this times what moves in it.
const LARGE_CONTAINER: f64 = 25.0;

/// Which shapes belong into the picture: all that can move, but for a few that flew away, containers that they are in, and what
/// stands still near them and is not much larger.
pub(crate) fn framed(shapes: &[Placed]) -> Vec<bool> {
    let mut framed: Vec<bool> =
        shapes.iter().map(|shape| shape.role != Role::Fixed && shape.aabb.is_some()).collect();
    leave_out_strays(shapes, &mut framed);
    let chosen = shapes.iter().zip(&framed).filter(|(_, framed)| **framed).filter_map(|(s, _)| s.aabb);
    let moving = chosen.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb));
    let (size, none) = ((moving.max - moving.min).length(), framed.iter().all(|framed| !framed));
    for (shape, framed) in shapes.iter().zip(&mut framed) {
        if let (Role::Fixed, Some(aabb)) = (shape.role, shape.aabb) {
            let own = (aabb.max - aabb.min).length();
            let holds = aabb.min.cmple(moving.max).all() && aabb.max.cmpge(moving.min).all();
            let most = if shape.is_container() && holds { LARGE_CONTAINER } else { LARGE };
            *framed = none || own <= most * size && away(&aabb, &moving) <= LARGE * size;
        }
    }
    framed
}

/// Distance between two boxes.
fn away(a: &Aabb, b: &Aabb) -> f64 {
    let gap = |i: usize| max(0.0, max(a.min[i] - b.max[i], b.min[i] - a.max[i]));
    Vec3::new(gap(0), gap(1), gap(2)).length()
}

/// A piece of a large static shape near what moves, so that one sees where things stand: the part of its box within half the size of the
/// moving bodies around them.
pub(crate) fn surroundings(shape: &Placed, moving: &Aabb) -> Option<Aabb> {
    let aabb = shape.aabb?;
    let room = Vec3::splat(0.35 * (moving.max - moving.min).length());
    let clip = |low: f64, high: f64, x: f64| max(low, min(x, high));
    let (low, high) = (moving.min - room, moving.max + room);
    let part =
        |p: Vec3| Vec3::new(clip(low.x, high.x, p.x), clip(low.y, high.y, p.y), clip(low.z, high.z, p.z));
    let part = Aabb { min: part(aabb.min), max: part(aabb.max) };
    let inside = aabb.min.cmple(high).all() && aabb.max.cmpge(low).all();
    inside.then_some(part)
}

/// Leaves out what is farther from the middle than eight times the usual.
fn leave_out_strays(shapes: &[Placed], framed: &mut [bool]) {
    let middle = |aabb: &Aabb| (aabb.min + aabb.max) * 0.5;
    let of = |shape: &Placed, framed: bool| shape.aabb.filter(|_| framed);
    let boxes: Vec<Aabb> = shapes.iter().zip(&*framed).filter_map(|(s, framed)| of(s, *framed)).collect();
    if boxes.len() < 8 {
        return;
    }
    let median = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let axis = |i: usize| median(boxes.iter().map(|aabb| middle(aabb)[i]).collect());
    let center = Vec3::new(axis(0), axis(1), axis(2));
    let far = |aabb: &Aabb| (middle(aabb) - center).length() + 0.5 * (aabb.max - aabb.min).length();
    let usual = median(boxes.iter().map(far).collect());
    for (shape, framed) in shapes.iter().zip(framed) {
        *framed = *framed && shape.aabb.is_some_and(|aabb| far(&aabb) <= 8.0 * usual);
    }
}
