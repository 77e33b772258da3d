//! Where the corners of a face come down on the plane of a triangle, four at a time.

use huygens_math::Vec3;
use huygens_math::lanes::{Lane, Simd, f64x4};

/// A triangle to stand on.
pub(super) struct Ground<'g> {
    pub corners: &'g [Vec3; 3],
    pub normal: Vec3,
    /// Unit vectors in its plane, out across the edges.
    pub out: &'g [Vec3; 3],
}

/// Four points over a plane, coordinate by coordinate.
pub(super) struct Down {
    /// Where they come down.
    pub at: [[f64; 4]; 3],
    /// How high they are [m].
    pub gap: [f64; 4],
    /// How far outside of the triangle that is, across the edge that it is farthest outside of [m].
    pub beyond: [f64; 4],
}

impl Ground<'_> {
    #[inline(always)]
    pub fn under<S: Simd>(&self, simd: S, points: &[[f64; 4]; 3]) -> Down {
        let p = [f64x4::load(simd, &points[0]), f64x4::load(simd, &points[1]), f64x4::load(simd, &points[2])];
        let n = splat(simd, self.normal);
        let gap = dot(n, minus(p, splat(simd, self.corners[0])));
        let at = minus(p, [n[0] * gap, n[1] * gap, n[2] * gap]);
        let mut beyond = dot(splat(simd, self.out[0]), minus(at, splat(simd, self.corners[0])));
        for k in 1..3 {
            beyond = beyond.max(dot(splat(simd, self.out[k]), minus(at, splat(simd, self.corners[k]))));
        }
        let mut down = Down { at: [[0.0; 4]; 3], gap: [0.0; 4], beyond: [0.0; 4] };
        for (x, to) in at.into_iter().zip(&mut down.at) {
            x.store(to);
        }
        gap.store(&mut down.gap);
        beyond.store(&mut down.beyond);
        down
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, v: Vec3) -> [f64x4<S>; 3] {
    [f64x4::splat(simd, v.x), f64x4::splat(simd, v.y), f64x4::splat(simd, v.z)]
}

#[inline(always)]
fn minus<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// In the order of `Vec3::dot`, for the same bits.
#[inline(always)]
fn dot<L: Lane>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::scalar::max;
    use huygens_math::{SimdLevel, SplitMix, at_level};

    #[test]
    fn four_points_come_down_where_each_alone_does() {
        let mut r = SplitMix::new(11);
        for _ in 0..200 {
            let corners = [r.in_cube(), r.in_cube(), r.in_cube()];
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            let out = [0, 1, 2].map(|k| (corners[(k + 1) % 3] - corners[k]).cross(normal).normalize());
            let ground = Ground { corners: &corners, normal, out: &out };
            let points = [0; 4].map(|_| r.in_cube());
            let columns = [0, 1, 2].map(|i| points.map(|p| p[i]));
            for level in SimdLevel::available().filter_map(SimdLevel::level) {
                let down = at_level!(level, simd => ground.under(simd, &columns));
                for (i, p) in points.into_iter().enumerate() {
                    let gap = normal.dot(p - corners[0]);
                    let at = p - normal * gap;
                    let beyond = (0..3).map(|k| out[k].dot(at - corners[k])).fold(f64::NEG_INFINITY, max);
                    assert_eq!(down.at.map(|x| x[i]), at.to_array());
                    assert_eq!((down.gap[i], down.beyond[i]), (gap, beyond));
                }
            }
        }
    }
}
