//! Boxes, walls and hulls as one thing: corners and flat faces.

use super::bias::TIE;
use super::box_faces::{corner_id, edge_id, face, main_axis, signs_of};
use crate::clip::{Face, MAX_CORNERS};
use crate::shape::Hull;
use huygens_math::Vec3;

/// A shape with flat faces, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Polyhedron<'a> {
    /// A box by its half edges; a wall when half.z is 0.
    Box(Vec3),
    Hull(&'a Hull),
}

impl Polyhedron<'_> {
    /// Number of corners; those of a wall count once.
    pub fn corner_count(&self) -> usize {
        match self {
            Self::Box(half) => {
                if half.z == 0.0 {
                    4
                } else {
                    8
                }
            }
            Self::Hull(hull) => hull.vertices().len(),
        }
    }

    /// Corner `i`.
    #[inline]
    pub fn corner(&self, i: usize) -> Vec3 {
        match self {
            Self::Box(half) => {
                let signed = |bit: usize, h: f64| if i >> bit & 1 == 1 { -h } else { h };
                Vec3::new(signed(0, half.x), signed(1, half.y), signed(2, half.z))
            }
            Self::Hull(hull) => hull.vertices()[i],
        }
    }

    /// The face whose outward normal is closest to the unit vector `d`, out of those at the corner that lies farthest
    /// along `d`; the lowest number of those tied.
    pub fn face_towards(&self, d: Vec3) -> Face<MAX_CORNERS> {
        match self {
            Self::Box(half) => {
                let axis = if half.z == 0.0 { 2 } else { main_axis(d) };
                widen(&face(*half, axis, d[axis]))
            }
            Self::Hull(hull) => hull_face(hull, hull_face_towards(hull, d)),
        }
    }

    /// The edge from the corner farthest along `d` to its neighbour that is next.
    pub fn edge_towards(&self, d: Vec3) -> EdgeOf {
        match self {
            Self::Box(half) => {
                let drop = half.abs() * d.abs();
                // The edge of a wall across it has no length.
                let axes = if half.z == 0.0 { 2 } else { 3 };
                let axis = (0..axes).fold(0, |best, i| if drop[i] < drop[best] { i } else { best });
                let mut at = signs_of(*half, d);
                let (id, top) = (edge_id(axis, at), corner_id(at));
                at[axis] = -at[axis];
                EdgeOf { id, corners: [top, corner_id(at)] }
            }
            Self::Hull(hull) => {
                let top = hull.support_vertex(d);
                let height = |v: u32| hull.vertices()[v as usize].dot(d);
                let next = hull
                    .neighbours(top)
                    .iter()
                    .fold(top, |best, &v| if best == top || height(v) > height(best) { v } else { best });
                let pair = [top.min(next), top.max(next)];
                let id = hull.edges().binary_search(&pair).unwrap_or(0) as u32;
                EdgeOf { id, corners: [top, next] }
            }
        }
    }
}

/// An edge with its number and those of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeOf {
    pub id: u32,
    pub corners: [u32; 2],
}

fn widen(small: &Face<4>) -> Face<MAX_CORNERS> {
    let mut out = Face::new(small.normal, small.id);
    for i in 0..small.len {
        out.push(small.corners[i], small.vertex[i], small.edge[i]);
    }
    out
}

fn hull_face_towards(hull: &Hull, d: Vec3) -> usize {
    let count = hull.face_count();
    let best = best_face(hull, d, |_| true);
    let top = hull.vertices().iter().map(|v| v.dot(d)).fold(f64::NEG_INFINITY, huygens_math::scalar::max);
    let slack = TIE * hull.bounding_radius();
    let holds =
        |i: usize| hull.face(i).vertices.iter().any(|&v| hull.vertices()[v as usize].dot(d) >= top - slack);
    if best < count && holds(best) {
        return best;
    }
    // The closest normal may belong to a face beside a long thin ridge: take one that holds the farthest corner.
    best_face(hull, d, holds)
}

fn best_face(hull: &Hull, d: Vec3, allowed: impl Fn(usize) -> bool) -> usize {
    let mut best = 0;
    let mut most = f64::NEG_INFINITY;
    for i in 0..hull.face_count() {
        let along = hull.face(i).normal.dot(d);
        if along > most + TIE && allowed(i) {
            most = along;
            best = i;
        }
    }
    best
}

/// Face `i` of a hull; of a face with too many corners an even choice.
pub(crate) fn hull_face(hull: &Hull, i: usize) -> Face<MAX_CORNERS> {
    let f = hull.face(i);
    let mut out = Face::new(f.normal, i as u32);
    let n = f.vertices.len();
    let take = n.min(MAX_CORNERS);
    for k in 0..take {
        let k = k * n / take;
        out.push(hull.vertices()[f.vertices[k] as usize], f.vertices[k], f.edges[k]);
    }
    out
}
