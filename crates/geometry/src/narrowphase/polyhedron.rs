//! Boxes, walls and hulls as one thing: corners and flat faces.

use super::bias::TIE;
use super::box_faces::{corner_id, edge_id, face, face_frame, face_id, main_axis, signs_of};
use super::line::Line;
use super::surface::Facing;
use crate::clip::{Face, FaceCorner, MAX_CORNERS, PlaneFrame};
use crate::manifold::Feature;
use crate::shape::Hull;
use arrayvec::ArrayVec;
use huygens_math::Vec3;
use huygens_math::scalar::max;

/// Cosine of the angle to its normal below which a wall shows its edge.
const STANDING: f64 = 0.5;

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

    /// The corner that lies farthest along `d`.
    #[inline]
    pub fn summit(&self, d: Vec3) -> Summit {
        match self {
            Self::Box(half) => Summit { vertex: corner_id(signs_of(*half, d)), height: half.dot(d.abs()) },
            Self::Hull(hull) => {
                let vertex = hull.support_vertex(d);
                Summit { vertex, height: hull.vertices()[vertex as usize].dot(d) }
            }
        }
    }

    /// Number of the face whose outward normal is closest to the unit vector `d`, out of those at the corner that lies
    /// farthest along `d`; the lowest of those tied.
    #[inline]
    pub fn face_towards(&self, d: Vec3, summit: &Summit) -> u32 {
        match self {
            Self::Box(half) => {
                let axis = if half.z == 0.0 { 2 } else { main_axis(d) };
                face_id(axis, d[axis])
            }
            Self::Hull(hull) => hull_face_towards(hull, d, summit),
        }
    }

    /// Outward normal of face `i`, and its distance from the origin.
    #[inline]
    pub fn plane(&self, i: u32) -> (Vec3, f64) {
        match self {
            Self::Box(half) => {
                let (axis, side) = axis_and_side(i);
                (Vec3::AXES[axis] * side, half[axis])
            }
            Self::Hull(hull) => {
                let face = hull.face(i as usize);
                (face.normal, face.offset)
            }
        }
    }

    /// Axes in the plane of face `i`.
    #[inline]
    pub fn frame(&self, i: u32) -> PlaneFrame {
        match self {
            Self::Box(half) => {
                let (axis, side) = axis_and_side(i);
                face_frame(*half, axis, side)
            }
            Self::Hull(hull) => {
                let face = hull.face(i as usize);
                PlaneFrame::new(hull.vertices()[face.vertices[0] as usize], face.normal)
            }
        }
    }

    /// Face `i`; of one with too many corners an even choice.
    #[inline]
    pub fn face(&self, i: u32) -> Face<MAX_CORNERS> {
        match self {
            Self::Box(half) => {
                let (axis, side) = axis_and_side(i);
                face(*half, axis, side)
            }
            Self::Hull(hull) => hull_face(hull, i),
        }
    }

    /// The edge from the corner farthest along `d` to its neighbour that is next.
    pub fn edge_towards(&self, d: Vec3, summit: &Summit) -> EdgeOf {
        match self {
            Self::Box(half) => {
                let drop = half.abs() * d.abs();
                // The edge of a wall across it has no length.
                let axes = if half.z == 0.0 { 2 } else { 3 };
                let axis = (0..axes).fold(0, |best, i| if drop[i] < drop[best] { i } else { best });
                let mut at = signs_of(*half, d);
                let (id, top) = (edge_id(axis, at), corner_id(at));
                let from = at * *half;
                at[axis] = -at[axis];
                EdgeOf { id, corners: [top, corner_id(at)], ends: [from, at * *half] }
            }
            Self::Hull(hull) => {
                let top = summit.vertex;
                let height = |v: u32| hull.vertices()[v as usize].dot(d);
                let next = hull
                    .neighbours(top)
                    .iter()
                    .fold(top, |best, &v| if best == top || height(v) > height(best) { v } else { best });
                let pair = [top.min(next), top.max(next)];
                let id = hull.edges().binary_search(&pair).unwrap_or(0) as u32;
                let ends = [top, next].map(|v| hull.vertices()[v as usize]);
                EdgeOf { id, corners: [top, next], ends }
            }
        }
    }
}

impl Polyhedron<'_> {
    /// The edge on which a wall stands when it is seen from its edge.
    pub fn standing_edge(&self, facing: &Facing) -> Option<Line> {
        match self {
            Self::Box(half) if half.z == 0.0 && facing.d.z.abs() < STANDING => {
                let edge = self.edge_towards(facing.d, &facing.summit);
                let [i, j] = edge.corners;
                let names = [Feature::vertex(i), Feature::vertex(j), Feature::edge(edge.id)];
                Some(Line { ends: edge.ends, tip: None, names, radius: 0.0 })
            }
            _ => None,
        }
    }
}

/// The corner farthest along some direction, and how far that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summit {
    pub vertex: u32,
    pub height: f64,
}

/// An edge with its number and those of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeOf {
    pub id: u32,
    pub corners: [u32; 2],
    pub ends: [Vec3; 2],
}

fn axis_and_side(face: u32) -> (usize, f64) {
    (face as usize / 2, if face % 2 == 1 { 1.0 } else { -1.0 })
}

fn hull_face_towards(hull: &Hull, d: Vec3, summit: &Summit) -> u32 {
    let normals = hull.normals();
    // Four at a time, since each comparison waits for the one before.
    let mut lanes = [f64::NEG_INFINITY; 4];
    let chunks = normals.chunks_exact(4);
    for (lane, normal) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = normal.dot(d);
    }
    for four in chunks {
        for (lane, normal) in lanes.iter_mut().zip(four) {
            *lane = max(*lane, normal.dot(d));
        }
    }
    let mut most = max(max(lanes[0], lanes[1]), max(lanes[2], lanes[3]));
    let mut best = normals.iter().position(|n| n.dot(d) >= most - TIE).unwrap_or(0);
    if hull.face(best).vertices.contains(&summit.vertex) {
        return best as u32;
    }
    let low = summit.height - TIE * hull.bounding_radius();
    let holds = |i: usize| hull.face(i).vertices.iter().any(|&v| hull.vertices()[v as usize].dot(d) >= low);
    if holds(best) {
        return best as u32;
    }
    // The closest normal may belong to a face beside a long thin ridge: take one that holds the farthest corner.
    most = f64::NEG_INFINITY;
    for (i, normal) in normals.iter().enumerate() {
        let along = normal.dot(d);
        if along > most + TIE && holds(i) {
            (most, best) = (along, i);
        }
    }
    best as u32
}

fn hull_face(hull: &Hull, i: u32) -> Face<MAX_CORNERS> {
    let f = hull.face(i as usize);
    let mut out = Face { id: i, corners: ArrayVec::new() };
    let n = f.vertices.len();
    let take = n.min(MAX_CORNERS);
    for k in 0..take {
        let k = k * n / take;
        let (vertex, edge) = (f.vertices[k], f.edges[k]);
        out.corners.push(FaceCorner { at: hull.vertices()[vertex as usize], vertex, edge });
    }
    out
}
