//! Which function answers for which pair.

use super::box_box::box_box;
use super::box_inside::box_inside;
use super::build::Setting;
use super::convex::{Prefer, convex, wall_convex};
use super::cylinder_inside::cylinder_inside;
use super::mesh::mesh;
use super::plane::half_space;
use super::round::{capsule_capsule, capsule_sphere, sphere_sphere};
use super::round_box::{box_capsule, box_sphere};
use super::round_cylinder::cylinder_sphere;
use crate::manifold::Manifold;
use crate::query::Convex;
use crate::shape::{CollisionShape, Wall};
use huygens_math::lanes::Level;
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec3};
use std::cell::Cell;
use std::cmp::Ordering;

/// Appends all manifolds of two shapes to `out`; `b_in_a` is the pose of B in A's frame.
///
/// Points with a gap of at most `margin` [m] are reported, with positive gaps too. Two convex shapes give one manifold
/// at most; a container gives one for each inner face that is touched and a mesh one for each group of normals within 5°,
/// told apart by `sub_shape`. Two shapes that both
/// reach to infinity, and poses that are not finite, give nothing.
///
/// Returns a distance [m] that the shapes keep where nothing is reported: at least `margin`.
#[inline]
pub fn collide(
    a: &CollisionShape,
    b: &CollisionShape,
    b_in_a: &Pose,
    margin: f64,
    out: &mut Vec<Manifold>,
) -> f64 {
    collide_at(Level::new(), [a, b], b_in_a, margin, out)
}

/// As [`collide`], of the shapes A and B, with the instructions of a level; the bits are the same for every choice.
#[inline]
pub fn collide_at(
    level: Level,
    [a, b]: [&CollisionShape; 2],
    b_in_a: &Pose,
    margin: f64,
    out: &mut Vec<Manifold>,
) -> f64 {
    let (q, t) = (b_in_a.rotation, b_in_a.translation);
    // 0 for finite numbers, NaN if one of them is not.
    if (q.x + q.y + q.z + q.w + t.x + t.y + t.z + margin) * 0.0 != 0.0 {
        return margin;
    }
    match (a, b) {
        (CollisionShape::Sphere(a), CollisionShape::Sphere(b)) => {
            sphere_sphere(a, b, b_in_a, margin, out);
            margin
        }
        _ => collide_any(level, [a, b], b_in_a, margin, out),
    }
}

fn collide_any(
    level: Level,
    [a, b]: [&CollisionShape; 2],
    b_in_a: &Pose,
    margin: f64,
    out: &mut Vec<Manifold>,
) -> f64 {
    let (reach_a, reach_b) = (a.bounding_radius(), b.bounding_radius());
    let far = reach_a + reach_b + margin;
    if b_in_a.translation.length_squared() > far * far {
        return b_in_a.translation.length() - (reach_a + reach_b);
    }
    let (rank_a, rank_b) = (rank(a), rank(b));
    // The reference comes first: by kind, and of one kind the larger shape.
    let swap = match (rank_a.cmp(&rank_b), reach_b.total_cmp(&reach_a)) {
        (Ordering::Greater, _) | (Ordering::Equal, Ordering::Greater) => true,
        (Ordering::Equal, Ordering::Equal) => b_comes_first(b_in_a),
        _ => false,
    };
    let clearance = Cell::new(margin);
    let set = Setting {
        margin,
        size: min(a.size(), b.size()),
        reach: min(reach_a, reach_b),
        a_is_larger: if swap { reach_b >= reach_a } else { reach_a >= reach_b },
        clearance: &clearance,
    };
    if !swap {
        ordered(level, [a, b], b_in_a, &set, out);
        return clearance.get();
    }
    let first = out.len();
    let a_in_b = b_in_a.inverse();
    ordered(level, [b, a], &a_in_b, &set, out);
    for manifold in &mut out[first..] {
        manifold.swap(&a_in_b);
    }
    clearance.get()
}

/// Which of two equal shapes comes first: what is said of A in B must be the opposite of what is said of B in A, so that
/// exchanging the two mirrors the manifold, and it must not hang on the last bit for one body on another.
fn b_comes_first(b_in_a: &Pose) -> bool {
    let (b, a) = (b_in_a.translation, b_in_a.inverse_rotate(-b_in_a.translation));
    let clear = 1e-9 * b.length();
    // The first direction along which the two differ; where there is none, the shapes see the same of each other.
    let odd = [Vec3::new(1.0, 0.618, 0.383), Vec3::new(-0.383, 1.0, 0.618), Vec3::new(0.618, -0.383, 1.0)];
    let differ = odd.map(|d| d.dot(a - b)).into_iter().find(|x| x.abs() > clear);
    differ.is_some_and(|x| x > 0.0)
}

fn rank(shape: &CollisionShape) -> u8 {
    match shape {
        CollisionShape::HalfSpace => 0,
        CollisionShape::BoxInside(_) => 1,
        CollisionShape::CylinderInside(_) => 2,
        CollisionShape::Mesh(_) => 3,
        CollisionShape::Wall(_) => 4,
        CollisionShape::Hull(_) => 5,
        CollisionShape::Box(_) => 6,
        CollisionShape::Cone(_) => 7,
        CollisionShape::Cylinder(_) => 8,
        CollisionShape::Ellipsoid(_) => 9,
        CollisionShape::Capsule(_) => 10,
        CollisionShape::Sphere(_) => 11,
    }
}

fn ordered(
    level: Level,
    [a, b]: [&CollisionShape; 2],
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) {
    match (a, b) {
        (CollisionShape::Capsule(a), CollisionShape::Sphere(b)) => capsule_sphere(a, b, b_in_a, set, out),
        (CollisionShape::Capsule(a), CollisionShape::Capsule(b)) => capsule_capsule(a, b, b_in_a, set, out),
        (CollisionShape::Cylinder(a), CollisionShape::Sphere(b)) => cylinder_sphere(a, b, b_in_a, set, out),
        (CollisionShape::Box(a), CollisionShape::Sphere(b)) => box_sphere(a.half, b, b_in_a, set, out),
        (CollisionShape::Box(a), CollisionShape::Capsule(b)) => box_capsule(a.half, b, b_in_a, set, out),
        (CollisionShape::Box(a), CollisionShape::Box(b)) => box_box(a.half, b.half, b_in_a, set, out),
        (CollisionShape::Wall(a), CollisionShape::Sphere(b)) => {
            box_sphere(a.half.extend(0.0), b, b_in_a, set, out)
        }
        (CollisionShape::HalfSpace, b) => half_space().contact(b, b_in_a, set, out).is_some(),
        (CollisionShape::BoxInside(a), b) => box_inside(a, b, b_in_a, set, out),
        (CollisionShape::CylinderInside(a), b) => cylinder_inside(a, b, b_in_a, set, out),
        (CollisionShape::Mesh(a), b) => mesh(level, a, b, b_in_a, set, out),
        (CollisionShape::Wall(a), b) => wall_pair(a, b, b_in_a, set, out),
        (a, b) => convex_pair(a, b, b_in_a, set, out),
    };
}

fn wall_pair(a: &Wall, b: &CollisionShape, b_in_a: &Pose, set: &Setting, out: &mut Vec<Manifold>) -> bool {
    match b {
        CollisionShape::Wall(b) => wall_convex(a, b, b_in_a, set, out),
        CollisionShape::Hull(b) => wall_convex(a, &**b, b_in_a, set, out),
        CollisionShape::Box(b) => wall_convex(a, b, b_in_a, set, out),
        CollisionShape::Cylinder(b) => wall_convex(a, b, b_in_a, set, out),
        CollisionShape::Capsule(b) => wall_convex(a, b, b_in_a, set, out),
        b => Convex::new(b).is_some_and(|b| wall_convex(a, &b, b_in_a, set, out)),
    }
}

/// Pairs that GJK and EPA answer for; A comes no later than B in the order of kinds.
fn convex_pair(
    a: &CollisionShape,
    b: &CollisionShape,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let set = (set, if set.a_is_larger { Prefer::A } else { Prefer::B });
    match (a, b) {
        (CollisionShape::Hull(a), CollisionShape::Hull(b)) => convex(&**a, &**b, b_in_a, set, out),
        (CollisionShape::Hull(a), CollisionShape::Box(b)) => convex(&**a, b, b_in_a, set, out),
        (CollisionShape::Hull(a), CollisionShape::Cylinder(b)) => convex(&**a, b, b_in_a, set, out),
        (CollisionShape::Hull(a), CollisionShape::Capsule(b)) => convex(&**a, b, b_in_a, set, out),
        (CollisionShape::Hull(a), CollisionShape::Sphere(b)) => convex(&**a, b, b_in_a, set, out),
        (CollisionShape::Box(a), CollisionShape::Cylinder(b)) => convex(a, b, b_in_a, set, out),
        (CollisionShape::Cylinder(a), CollisionShape::Cylinder(b)) => convex(a, b, b_in_a, set, out),
        (CollisionShape::Cylinder(a), CollisionShape::Capsule(b)) => convex(a, b, b_in_a, set, out),
        // Cones and ellipsoids are rarer: one instance serves all.
        (a, b) => match (Convex::new(a), Convex::new(b)) {
            (Some(a), Some(b)) => convex(&a, &b, b_in_a, set, out),
            _ => false,
        },
    }
}
