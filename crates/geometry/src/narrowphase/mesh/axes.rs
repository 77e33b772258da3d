//! How a triangle and a box are parted, by the thirteen axes that can part them. Much cheaper than GJK, which decides where
//! the axes do not.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | a, b, c | `corners` | of the triangle, in the box's frame | m |
//! | n | `normal` | outward normal of the triangle | – |
//! | h | `half` | half edges of the box | m |
//! | u | | direction from the triangle to the box: ±eᵢ, or across an edge of each, L = eᵢ × (b − a) | – |
//!
//! Along u the gap is the least u·x over the box, −h·|u|, less the largest over the triangle. The largest gap of all axes is the
//! signed distance of shapes that overlap, and a lower bound for those apart; there the points that face each other must
//! confirm it.

use super::super::bias::band;
use super::super::box_faces::{edge_rod, next};
use super::super::rods::{Rod, closest};
use crate::manifold::Feature;
use huygens_math::Vec3;
use huygens_math::lanes::{Lane, Simd, f64x4};
use huygens_math::scalar::max;

/// What the axes say.
#[derive(Debug)]
pub(super) enum Parted {
    /// By more than the margin.
    Apart,
    /// Along the triangle's normal as well as along any.
    ByFace,
    /// Along u by this gap, at this point of the triangle; all in the box's frame.
    By { up: Vec3, gap: f64, at: Vec3 },
    /// The points that face each other are farther apart than the axes say.
    Unclear,
}

/// Edges whose directions differ by a smaller sine than this are parallel: their common normal is no axis.
const PARALLEL: f64 = 1e-4;

/// Heights that differ by less than this part of the size are one.
const LEVEL: f64 = 1e-6;

/// A triangle in the frame of a box.
pub(super) struct TriangleBox {
    pub corners: [Vec3; 3],
    pub normal: Vec3,
    pub half: Vec3,
    pub margin: f64,
    pub size: f64,
}

impl TriangleBox {
    #[inline(always)]
    pub fn parted<S: Simd>(&self, simd: S) -> Parted {
        let by_normal = -self.half.dot(self.normal.abs()) - self.normal.dot(self.corners[0]);
        let (mut face_gap, mut face_up) = (f64::NEG_INFINITY, Vec3::Z);
        for axis in 0..3 {
            let along = self.corners.map(|p| p[axis]);
            let (low, high) = range(along);
            // The box is below a triangle that lies above it.
            for (gap, side) in [(low - self.half[axis], -1.0), (-high - self.half[axis], 1.0)] {
                if gap > face_gap {
                    (face_gap, face_up) = (gap, Vec3::AXES[axis] * side);
                }
            }
        }
        if face_gap > self.margin || by_normal > self.margin {
            return Parted::Apart;
        }
        let Some(edges) = self.edges(simd) else { return Parted::Apart };
        let edges = edges.best();
        let by_edges = edges.as_ref().map_or(f64::NEG_INFINITY, |e| e.gap);
        let best = max(max(by_normal, face_gap), by_edges);
        let allowed = best - band(best, self.size);
        if by_normal >= allowed {
            return Parted::ByFace;
        }
        if face_gap >= allowed {
            return self.on_box_face(face_up, face_gap);
        }
        edges.map_or(Parted::Unclear, |e| self.across(e.gap, e.up, e.k, e.axis))
    }

    /// The gaps across an edge of each, with the edges of the triangle in lanes; none when one of them exceeds the margin.
    #[inline(always)]
    fn edges<S: Simd>(&self, simd: S) -> Option<Edges> {
        let (corners, half) = (&self.corners, self.half.to_array());
        let (from, to, other) = (lanes(simd, corners, 0), lanes(simd, corners, 1), lanes(simd, corners, 2));
        let d = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        let (one, none) = (f64x4::splat(simd, 1.0), f64x4::splat(simd, f64::NEG_INFINITY));
        let margin = f64x4::splat(simd, self.margin);
        let parallel = f64x4::splat(simd, PARALLEL * PARALLEL) * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let (mut found, mut farthest) = (Edges::default(), none);
        for axis in 0..3 {
            // L has no part along the axis: only the other two count.
            let (i, j) = (next(axis), next(next(axis)));
            let square = d[i] * d[i] + d[j] * d[j];
            let inverse = one / square.sqrt();
            let (u, v) = (-d[j] * inverse, d[i] * inverse);
            let (on_edge, opposite) = (u * from[i] + v * from[j], u * other[i] + v * other[j]);
            let reach = f64x4::splat(simd, half[i]) * u.abs() + f64x4::splat(simd, half[j]) * v.abs();
            // On the side of the box the edge must be the nearest part of the triangle.
            let side = f64x4::select(on_edge.lt(opposite), -one, one);
            let gap = -side * on_edge - reach;
            // From the other side the opposite corner is; that can only tell them apart.
            let most = gap.max(side * opposite - reach);
            let crosses = parallel.lt(square);
            farthest = farthest.max(f64x4::select(crosses, most, none));
            f64x4::select(crosses, gap, none).store(&mut found.gap[axis]);
            (u * side).store(&mut found.u[axis]);
            (v * side).store(&mut found.v[axis]);
        }
        if f64x4::any(margin.lt(farthest)) { None } else { Some(found) }
    }

    /// The highest corner, or the middle of the highest edge, if it is over the face of the box.
    fn on_box_face(&self, up: Vec3, gap: f64) -> Parted {
        let heights = self.corners.map(|p| p.dot(up));
        let (_, top) = range(heights);
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for (p, height) in self.corners.iter().zip(heights) {
            if height >= top - LEVEL * self.size {
                sum += *p;
                count += 1.0;
            }
        }
        let at = sum / count;
        let within = (at.abs() - self.half) * (Vec3::ONE - up.abs());
        let over = within.max_element() <= LEVEL * self.size;
        if over { Parted::By { up, gap, at } } else { Parted::Unclear }
    }

    /// Where edge `k` crosses the edge of the box along `axis`.
    fn across(&self, gap: f64, up: Vec3, k: usize, axis: usize) -> Parted {
        let (from, to) = (self.corners[k], self.corners[(k + 1) % 3]);
        let edge = Rod {
            center: 0.5 * (from + to),
            half: 0.5 * (to - from),
            radius: 0.0,
            blunt: false,
            names: [Feature::edge(0); 3],
        };
        let own = edge_rod(self.half, axis, -up);
        let (s, t) = closest(&edge, &own);
        let (x, y) = (edge.center + edge.half * s, own.center + own.half * t);
        let off = (y - x - up * gap).length_squared();
        let near = LEVEL * self.size;
        if off <= near * near { Parted::By { up, gap, at: x } } else { Parted::Unclear }
    }
}

/// By axis of the box and edge of the triangle: gaps, and the two numbers of the direction that are not 0.
#[derive(Default)]
struct Edges {
    gap: [[f64; 4]; 3],
    u: [[f64; 4]; 3],
    v: [[f64; 4]; 3],
}

/// Across edge `k` of the triangle and the edge of the box along `axis`.
struct Across {
    gap: f64,
    up: Vec3,
    k: usize,
    axis: usize,
}

impl Edges {
    /// The largest gap, the first of those tied; none where all edges are parallel.
    #[inline(always)]
    fn best(&self) -> Option<Across> {
        let (mut gap, mut at) = (f64::NEG_INFINITY, (0, 0));
        for k in 0..3 {
            for axis in 0..3 {
                if self.gap[axis][k] > gap {
                    (gap, at) = (self.gap[axis][k], (k, axis));
                }
            }
        }
        if gap == f64::NEG_INFINITY {
            return None;
        }
        let (k, axis) = at;
        let mut up = Vec3::ZERO;
        (up[next(axis)], up[next(next(axis))]) = (self.u[axis][k], self.v[axis][k]);
        Some(Across { gap, up, k, axis })
    }
}

/// Of each edge the corner that comes `after` its first: coordinates, with the edges in lanes. The fourth lane repeats the first.
#[inline(always)]
fn lanes<S: Simd>(simd: S, corners: &[Vec3; 3], after: usize) -> [f64x4<S>; 3] {
    let (p, q, r) = (corners[after], corners[(after + 1) % 3], corners[(after + 2) % 3]);
    [
        f64x4::load(simd, &[p.x, q.x, r.x, p.x]),
        f64x4::load(simd, &[p.y, q.y, r.y, p.y]),
        f64x4::load(simd, &[p.z, q.z, r.z, p.z]),
    ]
}

/// Least and largest of three numbers.
#[inline]
fn range(x: [f64; 3]) -> (f64, f64) {
    let [a, b, c] = x;
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    (if c < low { c } else { low }, if c > high { c } else { high })
}

#[cfg(test)]
mod tests {
    use super::super::super::box_faces::sign;
    use super::*;
    use crate::gjk;
    use crate::shape::Cuboid;
    use crate::support::Triangle;
    use huygens_math::lanes::Level;
    use huygens_math::{Pose, SimdLevel, SplitMix, at_level};

    #[test]
    fn what_the_axes_say_is_what_gjk_says() {
        let mut r = SplitMix::new(1);
        let (mut told, mut unclear) = (0, 0);
        for _ in 0..20_000 {
            let half = Vec3::new(r.range(0.2, 1.0), r.range(0.2, 1.0), r.range(0.2, 1.0));
            let offset = r.direction() * r.range(0.3, 1.6);
            let corners = [0; 3].map(|_| r.in_cube() + offset);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            // It looks at the box.
            let normal = normal * -sign(normal.dot(corners[0]));
            let size = 2.0 * half.min_element();
            let truth = gjk::separation(&Triangle(corners), &Cuboid { half }, &Pose::IDENTITY);
            let pair = TriangleBox { corners, normal, half, margin: 0.05, size };
            let allowed = 1e-6 + band(truth.gap, size);
            let parted = at_level!(Level::new(), simd => pair.parted(simd));
            for level in SimdLevel::available().filter_map(SimdLevel::level) {
                let same = at_level!(level, simd => pair.parted(simd));
                assert_eq!(format!("{same:?}"), format!("{parted:?}"), "{level:?}");
            }
            match parted {
                Parted::Apart => assert!(truth.gap > 0.05 - 1e-9, "{}", truth.gap),
                Parted::ByFace => {
                    let gap = -half.dot(normal.abs()) - normal.dot(corners[0]);
                    // A lower bound: what lies over the face decides.
                    assert!(gap <= truth.gap + 1e-9);
                }
                Parted::By { gap, up, .. } => {
                    told += 1;
                    assert!((gap - truth.gap).abs() <= allowed, "{gap} {}", truth.gap);
                    assert!((up.length() - 1.0).abs() < 1e-12);
                }
                Parted::Unclear => unclear += 1,
            }
        }
        println!("{told} told, {unclear} unclear");
        assert!(told > 1000);
    }
}
