//! Contacts that are none: with the hidden side of a neighbour that lies flush with what a body stands on.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | n | `support.up` | normal of a contact that holds the shape, from the ground to it | – |
//! | h | `level` | height of that ground along n | m |
//! | u | `contact.up` | normal of another contact of the same shape, with a neighbour of the ground | – |
//!
//! A box that slides over the seam between two flush boxes meets the hidden side of the second one at gap 0, and a ball
//! meets its edge; both would be braked. But the plane n·x = h parts the shape from that neighbour as well as u does: the
//! shape lies above it, the neighbour below. Of the two directions the one along which the shape is held already is the
//! right one, and what it says is said by the first contact. So the second one is a ghost when
//!
//! 1. u is another direction than n, and does not look down on the ground;
//! 2. its points lie at the level of the ground, no deeper than the shape has sunk into it;
//! 3. the neighbour nowhere reaches above the ground, by more than [`FLUSH`] of the shape's size;
//! 4. the shape nowhere reaches below it, by more than that and what it has sunk.
//!
//! A step higher than that is no ghost, and stops the shape. Nor is a face that the shape stands on: a box on two others is held by
//! both, though they lean by a little (without this rule a pyramid loses half of its supports and falls).

use crate::CollisionShape;
use crate::query::Convex;
use crate::support::Support;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec3};

/// A neighbour that reaches less than this above the ground is flush with it, in parts of the size of the shape that moves
/// over them: a tenth of a step that must stop it.
pub const FLUSH: f64 = 1e-3;

/// Directions with a cosine above this are one.
const SAME: f64 = 1.0 - 1e-15;

/// Faces with a cosine above this are one ground: within 5°.
const FACING: f64 = 0.996;

/// Cosine between u and n below which the neighbour is above the shape, and no part of the ground.
const DOWN: f64 = -0.01;

/// A contact as one of its two shapes sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s, F> {
    /// The shape that looks, and `world_from_shape`.
    pub this: (&'s CollisionShape, &'s Pose),
    /// The other shape, and `world_from_shape`.
    pub other: (&'s CollisionShape, &'s Pose),
    /// Unit normal from the other shape to this one, in world axes.
    pub up: Vec3,
    /// Least gap [m].
    pub gap: f64,
    /// The contact points on the other shape, in the world [m].
    pub feet: F,
}

/// True for shapes that can have a side hidden between them and a flush neighbour. Round ones have none: where they are at the
/// level of the ground, their normal is the ground's.
pub fn has_sides(shape: &CollisionShape) -> bool {
    use CollisionShape::{Box, Cone, Cylinder, Hull, Mesh, Wall};
    matches!(shape, Box(_) | Cone(_) | Cylinder(_) | Hull(_) | Mesh(_) | Wall(_))
}

/// True when a contact along `up` can be with the ground that another along `n` stands on, and is another direction.
#[inline]
pub fn is_ground(up: Vec3, n: Vec3) -> bool {
    (DOWN..=SAME).contains(&n.dot(up))
}

/// True when `contact` is a ghost because of `support`; `this` must be the same shape in both.
#[inline]
pub fn is_ghost<F: Iterator<Item = Vec3> + Clone>(contact: &Seen<F>, support: &Seen<F>) -> bool {
    let n = support.up;
    if !is_ground(contact.up, n) || (stands_on(contact) && n.dot(contact.up) > FACING) {
        return false;
    }
    let heights = |seen: &Seen<F>| seen.feet.clone().map(move |p| p.dot(n));
    let flush = FLUSH * contact.this.0.size();
    let level = heights(support).fold(f64::NEG_INFINITY, max);
    let sunk = max(-support.gap, 0.0) + flush;
    // False also for what is not a number.
    let at_level = |height: f64| height <= level + flush && height >= level - sunk;
    heights(contact).all(at_level)
        && top(contact.other, n) <= level + flush
        && -top(contact.this, -n) >= level - sunk
}

/// True when a contact is of a face, or of a shape that has nothing but faces.
#[inline]
fn stands_on<F: Iterator<Item = Vec3> + Clone>(contact: &Seen<F>) -> bool {
    matches!(contact.this.0, CollisionShape::Box(_) | CollisionShape::Hull(_))
        || contact.feet.clone().count() > 2
}

/// How far a placed shape reaches along the unit vector `n` of the world; without end where it is not known.
fn top((shape, pose): (&CollisionShape, &Pose), n: Vec3) -> f64 {
    let d = pose.inverse_rotate(n);
    let reach = match (Convex::new(shape), shape) {
        (Some(convex), _) => convex.support(d).point.dot(d) + convex.radius(),
        (None, CollisionShape::Mesh(mesh)) => {
            let bounds = mesh.bounds();
            bounds.center().dot(d) + bounds.half_extents().dot(d.abs())
        }
        _ => f64::INFINITY,
    };
    n.dot(pose.translation) + reach
}
