//! All normals of a face at once.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u_n, ω₁, ω₂ | `rates` | the three motions that normals feel: velocity at the middle, spin along t₁ and t₂ | m/s, rad/s |
//! | q_k | `q` | lever of point k along t₁ and t₂; Σ q_k = 0 | m |
//! | W | `block` | what a push along n and couples about t₁ and t₂ do to those motions | 1/kg, … |
//! | G | `response` | Δλ_k = −Σ_j G_kj rate_j stops all three motions | kg, … |
//!
//! Impulses with the push P and the couple K are P/m + q_k·(Σ q qᵀ)⁻¹K, if they are to be as even as possible; and W(P, K) = −rates
//! stops the face. Point after point, as [`super::law::normals_in_turn`] goes, the first corner of a box takes most, the box tilts, and a tower
//! of ten sways (measured: 9 cm in 10 s, and a sinking of 1.2 mm for each contact). So that order is left for faces that lift.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::law::{Normals, inverse_of};
use huygens_math::lanes::Lane;

/// A determinant below this share of what its diagonal gives counts as none.
const LEAST_DET: f64 = 1e-6;

/// Points whose spread has a smaller determinant, as a share of its trace squared, lie on a line: a millionth of their length wide.
const MOST_LINE: f64 = 1e-12;

/// Response of all normal impulses of a face to its motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceNormals<L, const N: usize> {
    /// For u_n, then for the spin along t₁ and t₂.
    pub response: [[L; N]; 3],
    /// 1 where there is such an response, else 0.
    pub exists: L,
}

impl<L: Lane, const N: usize> FaceNormals<L, N> {
    /// Of two points, from their own W; those after the second are not there.
    #[inline(always)]
    pub fn of_two<const M: usize>(rows: &Normals<L, N, M>, q: &[[L; N]; 2]) -> Self {
        let token = q[0][0].token();
        let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
        let (a, b, c) = (inverse_of(rows.inverse[0]), inverse_of(rows.inverse[1]), rows.coupling[0]);
        let det = a * b - c * c;
        let exists = L::select((a * b * L::splat(token, LEAST_DET)).lt(det), one, zero);
        let inv = inverse_of(exists * det);
        let w = [[b * inv, -c * inv], [-c * inv, a * inv]];
        let mut response = [[zero; N]; 3];
        for k in 0..2 {
            response[0][k] = w[k][0] + w[k][1];
            for j in 0..2 {
                response[1 + j][k] = w[k][0] * q[j][0] + w[k][1] * q[j][1];
            }
        }
        Self { response, exists }
    }

    /// Of three or four points; one that is not there has no inverse.
    #[inline(always)]
    pub fn of_face<const M: usize>(rows: &Normals<L, N, M>, q: &[[L; N]; 2], block: &[[L; 3]; 3]) -> Self {
        let token = q[0][0].token();
        let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
        let (mut xx, mut xy, mut yy, mut count) = (zero, zero, zero, zero);
        let mut is_real = [zero; N];
        for k in 0..N {
            is_real[k] = L::select(zero.lt(rows.inverse[k]), one, zero);
            count += is_real[k];
            xx += q[0][k] * q[0][k];
            xy += q[0][k] * q[1][k];
            yy += q[1][k] * q[1][k];
        }
        let spread = Spread::new([xx, xy, yy]);
        let ((whole, is_solid), (line, moves)) = (inverse_block(block), spread.inverse_along(block));
        let mut inverse = whole;
        for i in 0..3 {
            for j in 0..3 {
                inverse[i][j] = L::select(spread.is_line, line[i][j], whole[i][j]);
            }
        }
        let of_plane = L::select(spread.is_flat, is_solid, zero);
        let exists = L::select(spread.is_line, moves, of_plane);
        let share = inverse_of(count);
        let mut response = [[zero; N]; 3];
        for k in 0..N {
            let [a, b] = spread.solve([q[0][k] * exists, q[1][k] * exists]);
            for j in 0..3 {
                response[j][k] = is_real[k] * share * inverse[0][j] + a * inverse[1][j] + b * inverse[2][j];
            }
        }
        Self { response, exists }
    }

    /// The new impulses, `over_relaxation` times as far as needed, and a number that is negative where they cannot be taken: where there is no
    /// response, or a point would have to pull.
    #[inline(always)]
    pub fn solve(&self, rates: &[L; 3], lambda: &[L; N], over_relaxation: L) -> ([L; N], L) {
        let [u, a, b] = [rates[0] * over_relaxation, rates[1] * over_relaxation, rates[2] * over_relaxation];
        let mut new = *lambda;
        let mut least = self.exists - L::splat(u.token(), 0.5);
        for k in 0..N {
            new[k] -= self.response[0][k] * u + self.response[1][k] * a + self.response[2][k] * b;
            least = least.min(new[k]);
        }
        (new, least)
    }
}

/// The motion of a face that gives its points the normal velocities `u`, or comes as near as it can.
#[inline(always)]
pub(super) fn motion_of<L: Lane, const N: usize>(is_real: &[L; N], q: &[[L; N]; 2], u: &[L; N]) -> [L; 3] {
    let zero = L::splat(u[0].token(), 0.0);
    let (mut xx, mut xy, mut yy, mut count) = (zero, zero, zero, zero);
    let (mut mean, mut x, mut y) = (zero, zero, zero);
    for k in 0..N {
        let u = is_real[k] * u[k];
        count += is_real[k];
        mean += u;
        x += q[0][k] * u;
        y += q[1][k] * u;
        xx += q[0][k] * q[0][k];
        xy += q[0][k] * q[1][k];
        yy += q[1][k] * q[1][k];
    }
    mean = mean * inverse_of(count);
    if N == 2 {
        // A lever on a line: the spin across it is not felt.
        let inv = inverse_of(xx + yy);
        return [mean, x * inv, y * inv];
    }
    let [a, b] = Spread::new([xx, xy, yy]).solve([x, y]);
    [mean, a, b]
}

/// How the points of a face lie about their middle: Q = Σ q qᵀ, and what stands for its inverse.
struct Spread<L: Lane> {
    /// Entries 11, 12, 22.
    entries: [L; 3],
    inverse: [L; 3],
    trace: L,
    /// They span a plane.
    is_flat: L::Mask,
    /// They lie on a line: the side of a cylinder or of a cone on a face. Q/tr² then is the inverse on that line; a spin about the line is not felt.
    is_line: L::Mask,
}

impl<L: Lane> Spread<L> {
    #[inline(always)]
    fn new([xx, xy, yy]: [L; 3]) -> Self {
        let (token, trace, det) = (xx.token(), xx + yy, xx * yy - xy * xy);
        let square = trace * trace;
        let is_flat = (square * L::splat(token, LEAST_DET)).lt(det);
        let is_line = det.lt(square * L::splat(token, MOST_LINE));
        let (inv, per_square) = (inverse_of(det), inverse_of(square));
        let inverse = [
            L::select(is_line, xx * per_square, yy * inv),
            L::select(is_line, xy * per_square, -xy * inv),
            L::select(is_line, yy * per_square, xx * inv),
        ];
        Self { entries: [xx, xy, yy], inverse, trace, is_flat, is_line }
    }

    /// Q⁻¹ b.
    #[inline(always)]
    fn solve(&self, b: [L; 2]) -> [L; 2] {
        let [p, q, r] = self.inverse;
        [p * b[0] + q * b[1], q * b[0] + r * b[1]]
    }

    /// The inverse of the block on the two motions that points on a line feel, along the direction e with e eᵀ = Q/tr; and 1 where it has one,
    /// else 0.
    #[inline(always)]
    fn inverse_along(&self, block: &[[L; 3]; 3]) -> ([[L; 3]; 3], L) {
        let per_trace = inverse_of(self.trace);
        let [xx, xy, yy] = self.entries;
        let (xx, xy, yy) = (xx * per_trace, xy * per_trace, yy * per_trace);
        let [[w, v1, v2], [_, b11, b12], [_, _, b22]] = *block;
        let couple = xx * b11 + (xy + xy) * b12 + yy * b22;
        let across = [xx * v1 + xy * v2, xy * v1 + yy * v2];
        let det = w * couple - (v1 * across[0] + v2 * across[1]);
        let token = w.token();
        let is_solid = (w * couple * L::splat(token, LEAST_DET)).lt(det);
        let exists = L::select(is_solid, L::splat(token, 1.0), L::splat(token, 0.0));
        let inv = inverse_of(exists * det);
        let (a, b) = (-across[0] * inv, -across[1] * inv);
        let scale = w * inv;
        ([[couple * inv, a, b], [a, xx * scale, xy * scale], [b, xy * scale, yy * scale]], exists)
    }
}

/// The inverse of a symmetric positive block, and 1 where it has one, else 0.
#[inline(always)]
fn inverse_block<L: Lane>(block: &[[L; 3]; 3]) -> ([[L; 3]; 3], L) {
    let [[a, b, c], [_, d, e], [_, _, f]] = *block;
    let token = a.token();
    let first = [d * f - e * e, c * e - b * f, b * e - c * d];
    let det = a * first[0] + b * first[1] + c * first[2];
    let is_solid = (a * d * f * L::splat(token, LEAST_DET)).lt(det);
    let exists = L::select(is_solid, L::splat(token, 1.0), L::splat(token, 0.0));
    let inv = inverse_of(exists * det);
    let (g, h, i) = ((a * f - c * c) * inv, (b * c - a * e) * inv, (a * d - b * b) * inv);
    let [x, y, z] = [first[0] * inv, first[1] * inv, first[2] * inv];
    ([[x, y, z], [y, g, h], [z, h, i]], exists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::soft_step::law::pair;
    use huygens_math::SplitMix;

    /// A face of `len` random points about their middle, with W = B Bᵀ of the three motions.
    fn face(r: &mut SplitMix, len: usize) -> (Normals<f64, 4, 6>, [[f64; 4]; 2], [[f64; 3]; 3]) {
        let mut q = [[0.0; 4]; 2];
        for list in &mut q {
            list[..len].fill_with(|| r.range(-1.0, 1.0));
            let middle = list.iter().sum::<f64>() / len as f64;
            list[..len].iter_mut().for_each(|q| *q -= middle);
        }
        let b = [0, 1, 2].map(|_| [r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)]);
        let mut block = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                block[i][j] = (0..3).map(|k| b[i][k] * b[j][k]).sum::<f64>() + f64::from(u8::from(i == j));
            }
        }
        let row = |k: usize| [1.0, q[0][k], q[1][k]];
        let w = |i: usize, j: usize| -> f64 {
            (0..3)
                .flat_map(|a| (0..3).map(move |b| (a, b)))
                .map(|(a, b)| row(i)[a] * block[a][b] * row(j)[b])
                .sum()
        };
        let mut rows = Normals { inverse: [0.0; 4], coupling: [0.0; 6] };
        for j in 0..len {
            rows.inverse[j] = 1.0 / w(j, j);
            (0..j).for_each(|i| rows.coupling[pair(i, j)] = w(i, j));
        }
        (rows, q, block)
    }

    fn after(q: &[[f64; 4]; 2], block: &[[f64; 3]; 3], rates: [f64; 3], p: &[f64; 4]) -> [f64; 3] {
        let sums = [
            p.iter().sum::<f64>(),
            (0..4).map(|k| q[0][k] * p[k]).sum(),
            (0..4).map(|k| q[1][k] * p[k]).sum(),
        ];
        let mut out = rates;
        (0..3).for_each(|i| out[i] += (0..3).map(|j| block[i][j] * sums[j]).sum::<f64>());
        out
    }

    #[test]
    fn points_on_a_line_stop_at_once() {
        let mut r = SplitMix::new(11);
        for _ in 0..500 {
            let (mut rows, mut q, block) = face(&mut r, 4);
            let (x, y) = (r.range(-1.0, 1.0), r.range(-1.0, 1.0));
            let mut along: [f64; 4] = [0, 1, 2, 3].map(|_| r.range(-1.0, 1.0));
            // Two of them are almost the same.
            along[3] = along[2] + 1e-3;
            let middle = along.iter().sum::<f64>() / 4.0;
            (0..4).for_each(|k| (q[0][k], q[1][k]) = (x * (along[k] - middle), y * (along[k] - middle)));
            rows.inverse = [1.0; 4];
            let at_once = FaceNormals::of_face(&rows, &q, &block);
            assert_eq!(at_once.exists, 1.0);
            let rates = [r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
            let (p, _) = at_once.solve(&rates, &[0.0; 4], 1.0);
            let left = after(&q, &block, rates, &p);
            let largest = p.iter().fold(1.0, |most: f64, p| huygens_math::scalar::max(most, p.abs()));
            for k in 0..4 {
                let speed = left[0] + q[0][k] * left[1] + q[1][k] * left[2];
                assert!(speed.abs() < 1e-12 * largest, "{speed:e} of {largest:e}");
            }
        }
    }

    #[test]
    fn a_face_of_three_or_four_points_stops_at_once_and_bears_evenly() {
        let mut r = SplitMix::new(7);
        for _ in 0..500 {
            for len in [3, 4] {
                let (rows, q, block) = face(&mut r, len);
                let at_once = FaceNormals::of_face(&rows, &q, &block);
                if at_once.exists == 0.0 {
                    continue;
                }
                let rates = [r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
                let (p, _) = at_once.solve(&rates, &[0.0; 4], 1.0);
                let left = after(&q, &block, rates, &p);
                let size = p.iter().fold(1.0, |m: f64, p| huygens_math::scalar::max(m, p.abs()));
                assert!(left.iter().all(|x| x.abs() < 1e-9 * size), "{left:?}");
                // Even: no part along the pattern that does nothing to the bodies.
                if len == 4 {
                    let [x, y] = q;
                    let area = |a: usize, b: usize, c: usize| {
                        (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])
                    };
                    let z = [area(1, 2, 3), -area(2, 3, 0), area(3, 0, 1), -area(0, 1, 2)];
                    let along: f64 = (0..4).map(|k| z[k] * p[k]).sum();
                    assert!(along.abs() < 1e-9 * size, "{along}");
                } else {
                    assert_eq!(p[3], 0.0, "what is not there is not pressed");
                }
            }
        }
    }

    #[test]
    fn two_points_stop_both() {
        let mut r = SplitMix::new(8);
        for _ in 0..200 {
            let (rows, q, block) = face(&mut r, 2);
            let at_once = FaceNormals::of_two(&rows, &q);
            let rates = [r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
            let (p, _) = at_once.solve(&rates, &[0.0; 4], 1.0);
            let left = after(&q, &block, rates, &p);
            for k in 0..2 {
                let u = left[0] + q[0][k] * left[1] + q[1][k] * left[2];
                assert!(at_once.exists == 0.0 || u.abs() < 1e-8, "{u}");
            }
        }
    }

    #[test]
    fn it_is_not_taken_where_a_point_would_pull_or_all_points_are_one() {
        let mut r = SplitMix::new(9);
        let (rows, q, block) = face(&mut r, 4);
        let at_once = FaceNormals::of_face(&rows, &q, &block);
        assert!(at_once.solve(&[-1.0, 0.0, 0.0], &[9.0; 4], 1.0).1 >= 0.0);
        assert!(at_once.solve(&[99.0, 0.0, 0.0], &[0.1; 4], 1.0).1 < 0.0, "pulls");
        let one = [[0.0; 4]; 2];
        let at_once = FaceNormals::of_face(&rows, &one, &block);
        assert!(at_once.solve(&[-1.0, 0.0, 0.0], &[9.0; 4], 1.0).1 < 0.0, "one point");
    }

    #[test]
    fn the_motion_of_a_face_is_found_from_its_points() {
        let mut r = SplitMix::new(10);
        for len in [3, 4] {
            let (_, q, _) = face(&mut r, len);
            let is_real = [1.0, 1.0, 1.0, if len == 4 { 1.0 } else { 0.0 }];
            let rates = [0.3, -0.7, 0.2];
            let u = [0, 1, 2, 3].map(|k| rates[0] + q[0][k] * rates[1] + q[1][k] * rates[2]);
            let found = motion_of(&is_real, &q, &u);
            assert!((0..3).all(|i| (found[i] - rates[i]).abs() < 1e-12), "{found:?}");
        }
    }
}
