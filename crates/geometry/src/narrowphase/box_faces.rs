//! Corners, edges and faces of a box, and their numbers (see the table of the narrow phase).
//!
//! A wall is a box with half.z = 0 whose corners and edges are those with +z.

use super::bias::TIE;
use super::rods::Rod;
use crate::clip::{Face, FaceCorner, PlaneFrame};
use crate::manifold::Feature;
use arrayvec::ArrayVec;
use huygens_math::Vec3;

/// −1 for a negative number, else 1.
#[inline(always)]
pub(crate) fn sign(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// 1 for a negative number, else 0.
#[inline(always)]
pub(crate) fn bit(x: f64) -> u32 {
    u32::from(x < 0.0)
}

/// Number of the corner that has the signs of `at`.
#[inline(always)]
pub(crate) fn corner_id(at: Vec3) -> u32 {
    bit(at.x) | (bit(at.y) << 1) | (bit(at.z) << 2)
}

/// Number of the edge along `axis` on the sides that the other two coordinates of `at` have.
#[inline(always)]
pub(crate) fn edge_id(axis: usize, at: Vec3) -> u32 {
    4 * axis as u32 + (bit(at[next(axis)]) | (bit(at[next(next(axis))]) << 1))
}

/// Number of the face across `axis` on the given side.
#[inline(always)]
pub(crate) fn face_id(axis: usize, side: f64) -> u32 {
    2 * axis as u32 + u32::from(side >= 0.0)
}

/// The axis after this one: x → y → z → x.
#[inline(always)]
pub(crate) const fn next(axis: usize) -> usize {
    if axis == 2 { 0 } else { axis + 1 }
}

/// The face across `axis` on the side of the sign of `side`.
#[inline]
pub(crate) fn face<const N: usize>(half: Vec3, axis: usize, side: f64) -> Face<N> {
    let side = sign(side);
    let (u, v) = (next(axis), next(next(axis)));
    let mut out = Face { id: face_id(axis, side), corners: ArrayVec::new() };
    let mut signs = Vec3::ZERO;
    signs[axis] = side;
    // Counter-clockwise from outside: (+,+), (−,+), (−,−), (+,−), the other way round on the negative side.
    for (k, (su, sv)) in [(1.0, 1.0), (-side, side), (-1.0, -1.0), (side, -side)].into_iter().enumerate() {
        signs[u] = su;
        signs[v] = sv;
        // The edge to the next corner runs along u after the first and third corner of a positive face.
        let along = if (k % 2 == 0) == (side > 0.0) { u } else { v };
        let (vertex, edge) = (corner_id(signs), edge_id(along, signs));
        out.corners.push(FaceCorner { at: signs * half, vertex, edge });
    }
    out
}

/// The plane of that face, with its centre as origin.
#[inline]
pub(crate) fn face_frame(half: Vec3, axis: usize, side: f64) -> PlaneFrame {
    let side = sign(side);
    let (x, y) = (Vec3::AXES[next(axis)], Vec3::AXES[next(next(axis))] * side);
    let normal = Vec3::AXES[axis] * side;
    PlaneFrame { origin: normal * half[axis], x, y, normal }
}

/// The axis along which `v` is longest; the first of those tied.
#[inline]
pub(crate) fn main_axis(v: Vec3) -> usize {
    let size = v.abs();
    let most = size.max_element() * (1.0 - TIE);
    if size.x >= most {
        0
    } else if size.y >= most {
        1
    } else {
        2
    }
}

/// The edge of a box along `axis` that lies farthest along `towards`, as a rod.
pub(crate) fn edge_rod(half: Vec3, axis: usize, towards: Vec3) -> Rod {
    let mut signs = signs_of(half, towards);
    let mut center = signs * half;
    let name = Feature::edge(edge_id(axis, signs));
    center[axis] = 0.0;
    signs[axis] = -1.0;
    let low = Feature::vertex(corner_id(signs));
    signs[axis] = 1.0;
    let high = Feature::vertex(corner_id(signs));
    Rod { center, half: Vec3::AXES[axis] * half[axis], radius: 0.0, blunt: false, names: [low, high, name] }
}

/// The signs of `p` as ±1; a wall has only corners with +z.
#[inline(always)]
pub(crate) fn signs_of(half: Vec3, p: Vec3) -> Vec3 {
    Vec3::new(sign(p.x), sign(p.y), if half.z == 0.0 { 1.0 } else { sign(p.z) })
}

/// What the point of the box closest to `p` lies on, for a `p` outside.
#[inline]
pub(crate) fn region(half: Vec3, p: Vec3) -> Feature {
    let beyond = [p.x.abs() > half.x, p.y.abs() > half.y, p.z.abs() > half.z];
    let at = signs_of(half, p);
    match beyond {
        [true, true, true] => Feature::vertex(corner_id(at)),
        [false, true, true] => Feature::edge(edge_id(0, at)),
        [true, false, true] => Feature::edge(edge_id(1, at)),
        [true, true, false] => Feature::edge(edge_id(2, at)),
        [true, false, false] => Feature::face(face_id(0, p.x)),
        [false, true, false] => Feature::face(face_id(1, p.y)),
        _ => Feature::face(face_id(2, p.z)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Support;

    #[test]
    fn faces_are_counter_clockwise_and_their_edges_join_their_corners() {
        let half = Vec3::new(1.0, 2.0, 3.0);
        let mut uses = [0; 12];
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let f = face::<4>(half, axis, side);
                let frame = face_frame(half, axis, side);
                assert!(frame.x.cross(frame.y).dot(frame.normal) > 0.99);
                for i in 0..4 {
                    let corner = f.corners[i];
                    let (p, q) = (corner.at, f.next(i).at);
                    let r = f.corners[(i + 2) % 4].at;
                    assert!((q - p).cross(r - q).dot(frame.normal) > 0.0);
                    assert_eq!(corner.vertex, corner_id(p));
                    // The edge's number follows from its direction and its middle.
                    let along = main_axis(q - p);
                    assert_eq!(corner.edge, edge_id(along, 0.5 * (p + q)));
                    uses[corner.edge as usize] += 1;
                }
            }
        }
        assert_eq!(uses, [2; 12]);
    }

    #[test]
    fn corners_have_the_numbers_of_the_support_function() {
        let shape = crate::shape::Cuboid { half: Vec3::ONE };
        for i in 0..8u32 {
            let sign = |k: u32| if i >> k & 1 == 1 { -1.0 } else { 1.0 };
            let d = Vec3::new(sign(0), sign(1), sign(2));
            assert_eq!(shape.support(d).feature, i);
            assert_eq!(corner_id(shape.support(d).point), i);
        }
    }
}
