//! The point of a simplex nearest to the origin: the inner step of GJK.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | D | `Difference` | the Minkowski difference A − B of two cores, in A's frame |
//! | p | `Vertex::point` | a point of D: a point of A minus a point of B |
//! | λ | `weight` | barycentric weights, ≥ 0, with sum 1 |
//! | v | `nearest` | Σ λ p, the point nearest to the origin |
//!
//! The signs of the barycentric coordinates say which edges can hold v. If v lies inside the edge opposite to corner
//! k, the origin lies in that edge's outer strip and so coordinate k is negative; if v is a corner, the coordinate
//! opposite to one of its two edges is. So only edges opposite to negative coordinates are tried, and the best of
//! them is v. A triangle without area has no coordinates worth the name: then all three edges are tried.

use crate::support::Support;
use huygens_math::scalar::{max, min};
use huygens_math::{Mat3, Pose, Vec3};

/// Rounding error of a point of D or of a plane's distance, relative to `size`: a dozen half-ulps.
pub(crate) const NOISE: f64 = 2e-15;

/// On a round core an error δ of the normal costs δ²/2 of distance: 1e-12 of the smaller shape holds δ to 1.4e-6 rad.
const ROUND_TOLERANCE: f64 = 1e-12;

/// The Minkowski difference of two cores, in A's frame.
pub(crate) struct Difference<'s, A, B> {
    a: &'s A,
    b: &'s B,
    a_from_b: Mat3,
    translation: Vec3,
    /// Size of the numbers that its points are differences of.
    pub size: f64,
}

/// A point of the difference and where it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// Point of A minus point of B.
    pub point: Vec3,
    /// The point of A.
    pub on_a: Vec3,
}

impl Vertex {
    /// Halfway between the two points.
    #[inline(always)]
    pub fn middle(&self) -> Vec3 {
        self.on_a - self.point * 0.5
    }
}

impl<'s, A: Support, B: Support> Difference<'s, A, B> {
    #[inline(always)]
    pub fn new(a: &'s A, b: &'s B, b_in_a: &Pose) -> Self {
        let translation = b_in_a.translation;
        let t = translation.abs();
        let size = a.extent() + b.extent() + t.x + t.y + t.z;
        Self { a, b, a_from_b: Mat3::from_quat(b_in_a.rotation), translation, size }
    }

    /// The point of the difference that lies farthest along `direction`.
    #[inline(always)]
    pub fn vertex(&self, direction: Vec3) -> Vertex {
        let on_a = self.a.support(direction).point;
        let m = &self.a_from_b;
        let in_b = Vec3::new(m.x_axis.dot(direction), m.y_axis.dot(direction), m.z_axis.dot(direction));
        let on_b = self.a_from_b * self.b.support(-in_b).point + self.translation;
        Vertex { point: on_a - on_b, on_a }
    }

    /// The difference seen from the point `origin` of it.
    pub fn shifted(&self, origin: Vec3) -> Self {
        Self { translation: self.translation + origin, ..*self }
    }

    /// From the middle of B to the middle of A.
    #[inline]
    pub fn center_offset(&self) -> Vec3 {
        self.a.center() - (self.a_from_b * self.b.center() + self.translation)
    }

    /// Size of the smaller shape.
    #[inline]
    pub fn least_extent(&self) -> f64 {
        min(self.a.extent(), self.b.extent())
    }

    /// How far bounds on a distance may stay apart: what rounding cannot tell apart, or with a round core what its
    /// normal needs.
    #[inline(always)]
    pub fn tolerance(&self) -> f64 {
        let noise = NOISE * self.size;
        if self.is_round() { max(noise, ROUND_TOLERANCE * self.least_extent()) } else { noise }
    }

    /// True when one of the cores is.
    #[inline(always)]
    pub fn is_round(&self) -> bool {
        self.a.round_axis().is_some() || self.b.round_axis().is_some()
    }

    /// The axes that the cores are round about.
    pub fn round_axes(&self) -> [Option<Vec3>; 2] {
        [self.a.round_axis(), self.b.round_axis().map(|axis| self.a_from_b * axis)]
    }

    /// max n·p over D.
    #[inline]
    pub fn height(&self, n: Vec3) -> f64 {
        n.dot(self.vertex(n).point)
    }

    /// The two radii.
    #[inline(always)]
    pub fn radii(&self) -> [f64; 2] {
        [self.a.radius(), self.b.radius()]
    }
}

/// A face of a simplex and the nearest point on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nearest {
    /// Which corners span the face.
    pub corner: [u8; 3],
    /// Their weights.
    pub weight: [f64; 3],
    /// How many of them.
    pub len: u8,
    /// The point.
    pub nearest: Vec3,
}

impl Nearest {
    #[inline(always)]
    fn corner(i: u8, p: Vec3) -> Self {
        Self { corner: [i, 0, 0], weight: [1.0, 0.0, 0.0], len: 1, nearest: p }
    }

    #[inline(always)]
    fn closer(self, other: Self) -> Self {
        if other.nearest.length_squared() < self.nearest.length_squared() { other } else { self }
    }
}

/// `v` without what rounding has left of it along `edge`.
///
/// Where v is short, that would turn it, and a turn along the edge moves the far end of the edge most.
#[inline(always)]
fn across(v: Vec3, edge: Vec3, length_squared: f64) -> Vec3 {
    v - edge * (v.dot(edge) / length_squared)
}

/// The point nearest to the origin on the segment between corners `i` and `j`.
#[inline(always)]
pub(crate) fn on_segment(p: &[Vertex; 4], i: u8, j: u8) -> Nearest {
    let (a, b) = (p[i as usize].point, p[j as usize].point);
    let edge = b - a;
    let along = -a.dot(edge);
    let length_squared = edge.length_squared();
    if along <= 0.0 {
        return Nearest::corner(i, a);
    }
    if along >= length_squared {
        return Nearest::corner(j, b);
    }
    let t = along / length_squared;
    let nearest = across(a + edge * t, edge, length_squared);
    Nearest { corner: [i, j, 0], weight: [1.0 - t, t, 0.0], len: 2, nearest }
}

/// Which corner of a triangle lies opposite to its longest edge, from the squares of the edges.
///
/// The two edges there are the shorter ones. Products with them keep the digits that two long, nearly parallel edges
/// of a sliver would lose.
#[inline(always)]
pub(crate) fn blunt_corner(ab: f64, bc: f64, ca: f64) -> usize {
    if bc >= ab && bc >= ca {
        0
    } else if ca >= ab {
        1
    } else {
        2
    }
}

/// The point nearest to the origin on the triangle of the given corners.
#[inline]
pub(crate) fn on_triangle(p: &[Vertex; 4], corner: [u8; 3]) -> Nearest {
    let q = corner.map(|i| p[i as usize].point);
    let squares = [0, 1, 2].map(|m| (q[NEXT[m]] - q[m]).length_squared());
    let base = blunt_corner(squares[0], squares[1], squares[2]);
    let order = [base, NEXT[base], NEXT[NEXT[base]]];
    let [a, b, c] = order.map(|m| q[m]);
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let area_squared = normal.length_squared();
    let flat = area_squared <= 1e-28 * squares[order[0]] * squares[order[2]];
    // Twice the signed areas towards the origin, times `normal`.
    let toward_b = normal.dot(ac.cross(a));
    let toward_c = normal.dot(a.cross(ab));
    let toward = [area_squared - toward_b - toward_c, toward_b, toward_c];
    if !flat && toward[0] >= 0.0 && toward[1] >= 0.0 && toward[2] >= 0.0 {
        let scale = 1.0 / area_squared;
        let mut weight = [0.0; 3];
        for m in 0..3 {
            weight[order[m]] = toward[m] * scale;
        }
        let height = normal.dot(a);
        let long = squares[order[1]];
        // Close to the triangle its normal says better where v points than a sum of corners that cancel; far
        // away, or on a sliver, the sum does.
        let normal_is_better = height * height * long < area_squared * area_squared;
        let nearest = if normal_is_better {
            normal * (height * scale)
        } else {
            let sum = a + ab * (toward_b * scale) + ac * (toward_c * scale);
            let (ab2, ac2) = (squares[order[0]], squares[order[2]]);
            if ab2 > ac2 { across(sum, ab, ab2) } else { across(sum, ac, ac2) }
        };
        return Nearest { corner, weight, len: 3, nearest };
    }
    let mut best = Nearest { nearest: Vec3::splat(f64::INFINITY), ..Nearest::default() };
    for m in 0..3 {
        // The edge opposite to corner `m`, from the lower corner to the higher.
        if toward[m] < 0.0 || flat {
            let [from, to] = EDGE_OPPOSITE[order[m]];
            best = best.closer(on_segment(p, corner[from], corner[to]));
        }
    }
    best
}

const NEXT: [usize; 3] = [1, 2, 0];
const EDGE_OPPOSITE: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// The point nearest to the origin on the tetrahedron of all four corners, of which the last is new: the origin lies
/// on its side of the other three. `None` when the origin is inside.
#[inline]
pub(crate) fn on_tetrahedron(p: &[Vertex; 4]) -> Option<Nearest> {
    let mut best: Option<Nearest> = None;
    for (face, opposite) in [([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
        let [a, b, c] = [p[face[0] as usize].point, p[face[1] as usize].point, p[3].point];
        let normal = (a - c).cross(b - c);
        let inward = p[opposite].point - c;
        let across = normal.dot(inward);
        let thin = across * across <= 1e-28 * normal.length_squared() * inward.length_squared();
        if thin || across * normal.dot(c) > 0.0 {
            let found = on_triangle(p, face);
            best = Some(best.map_or(found, |known| known.closer(found)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    fn random(r: &mut SplitMix) -> [Vertex; 4] {
        // Half of them slivers: two corners close together, or all in line.
        let squash = if r.unit() < 0.5 { 1.0 } else { 1e-6 };
        let shift = r.in_cube();
        std::array::from_fn(|_| {
            let point = r.in_cube() * Vec3::new(1.0, squash, squash) + shift;
            Vertex { point, on_a: point }
        })
    }

    /// v is nearest when no corner lies beyond the plane through v across v, and the weights make v.
    fn check(p: &[Vertex; 4], corners: &[u8], found: &Nearest) {
        let mut sum = Vec3::ZERO;
        let mut weights = 0.0;
        for k in 0..found.len as usize {
            assert!(found.weight[k] >= 0.0 && corners.contains(&found.corner[k]));
            sum += p[found.corner[k] as usize].point * found.weight[k];
            weights += found.weight[k];
        }
        // Coordinates up to 2, slivers of 1e-6: the weights of a sliver know v to 1e-16 / 1e-6.
        assert!((weights - 1.0).abs() < 1e-9 && (sum - found.nearest).length() < 1e-9, "{found:?}");
        let v = found.nearest;
        for &i in corners {
            assert!(v.dot(p[i as usize].point) >= v.length_squared() - 1e-14, "{found:?}");
        }
    }

    #[test]
    fn nearest_point_has_the_whole_simplex_on_its_far_side() {
        let mut r = SplitMix::new(1);
        let mut inside = 0;
        for _ in 0..20_000 {
            let p = random(&mut r);
            check(&p, &[0, 1], &on_segment(&p, 0, 1));
            check(&p, &[0, 1, 2], &on_triangle(&p, [0, 1, 2]));
            // The last corner is new: the origin is on its side of the others.
            let normal = (p[1].point - p[0].point).cross(p[2].point - p[0].point);
            if normal.dot(p[0].point) * normal.dot(p[3].point - p[0].point) < 0.0 {
                match on_tetrahedron(&p) {
                    Some(found) => check(&p, &[0, 1, 2, 3], &found),
                    None => inside += 1,
                }
            }
        }
        assert!(inside > 100, "{inside}");
    }

    #[test]
    fn triangle_without_area_is_as_near_as_its_edges() {
        let corner = |x: f64, y: f64| Vertex { point: Vec3::new(x, y, 1.0), on_a: Vec3::ZERO };
        let p = [corner(-1.0, -2.0), corner(1.0, 2.0), corner(3.0, 6.0), corner(0.0, 0.0)];
        assert!((on_triangle(&p, [0, 1, 2]).nearest - Vec3::Z).length() < 1e-15);
        let p = [corner(0.5, 0.0); 4];
        assert_eq!(on_triangle(&p, [0, 1, 2]).nearest, Vec3::new(0.5, 0.0, 1.0));
    }
}
