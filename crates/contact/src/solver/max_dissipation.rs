//! `nbgs/max-dissipation`: of all impulses in the cone that stop the closing, the one that dissipates most (Preclik,
//! Eibl, Rüde 2018).
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | k | `k` | W_nt | 1/kg |
//! | c | `c` | μ/W_nn | kg |
//! | β | `closing` | −b_n | m/s |
//! | Ă, b̆ | `a`, `-gradient` | W_tt − kkᵀ/W_nn and −b_t + k b_n/W_nn | 1/kg, m/s |
//! | s | `s` | 1 − c²k² | – |
//!
//! On the plane of maximum compression, W_nn p_n + k·x + b_n = 0, the cone |x| ≤ μ p_n is |x| ≤ c(β − k·x): an ellipse about
//! x₀ = −(c²β/s) k with half axes cβ/s along k and cβ/√s across, while s > 0. With x = x₀ + A y, A = 1/√s along k and 1
//! across, it is the circle |y| ≤ cβ/√s, and ½xᵀĂx − x·b̆ is minimised on a circle, as friction is elsewhere (pe: a golden
//! section over the angle). Where k ≠ 0 that is not quite against the slip: the law is as published.

use super::law::PointLaw;
use crate::kernel::{
    Block, Friction, Tangential, against_slip, multiply2, normal_then_friction, square2, stick_or,
    without_own,
};
use huygens_math::lanes::Lane;

/// Below this s the section of the cone is too long for double precision, or no ellipse at all.
const ELLIPSE: f64 = 0.1;

/// The law of `nbgs/max-dissipation`.
pub(super) struct MaxDissipation;

impl PointLaw for MaxDissipation {
    const EXACT_SLIP: bool = false;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        stick_or(block, mu, b, |_| {
            let constant = |x: f64| L::splat(b[0].token(), x);
            let c = mu.slip * block.inverse_nn;
            let k2 = square2([block.w[3], block.w[4]]);
            let s = constant(1.0) - c * c * k2;
            let open = s.lt(constant(ELLIPSE));
            let x = on_ellipse(block, mu.slip, b, s);
            if !L::any(open) {
                return x;
            }
            let turn = normal_then_friction(block, mu, target, u, p);
            std::array::from_fn(|i| L::select(open, turn[i], x[i]))
        })
    }
}

#[inline(always)]
fn on_ellipse<L: Lane>(block: &Block<L>, mu: L, b: [L; 3], s: L) -> [L; 3] {
    let constant = |x: f64| L::splat(mu.token(), x);
    let (zero, one) = (constant(0.0), constant(1.0));
    let s = s.max(constant(ELLIPSE));
    let (w, inverse_nn, closing) = (&block.w, block.inverse_nn, -b[0]);
    let (k, c) = ([w[3], w[4]], mu * inverse_nn);
    let a = [
        block.tangential.w[0] - k[0] * k[0] * inverse_nn,
        block.tangential.w[1] - k[0] * k[1] * inverse_nn,
        block.tangential.w[2] - k[1] * k[1] * inverse_nn,
    ];
    let shift = -(c * c * closing / s);
    let centre = [shift * k[0], shift * k[1]];
    // A = 1 + e ddᵀ with d along k.
    let size = square2(k);
    let e = L::select(zero.lt(size), (one / s.sqrt() - one) / size, zero);
    let stretch = |x: [L; 2]| {
        let along = e * (k[0] * x[0] + k[1] * x[1]);
        [x[0] + along * k[0], x[1] + along * k[1]]
    };
    let at_centre = multiply2(&a, centre);
    let gradient = stretch([
        at_centre[0] + b[1] - k[0] * b[0] * inverse_nn,
        at_centre[1] + b[2] - k[1] * b[0] * inverse_nn,
    ]);
    let first = stretch(multiply2(&a, stretch([one, zero])));
    let second = stretch(multiply2(&a, stretch([zero, one])));
    let circle =
        Tangential { w: [first[0], second[0], second[1]], largest: first[0] + second[1], ..block.tangential };
    let y = stretch(against_slip(&circle, gradient, c * closing / s.sqrt()));
    let x = [centre[0] + y[0], centre[1] + y[1]];
    let p_n = ((closing - k[0] * x[0] - k[1] * x[1]) * inverse_nn).max(zero);
    let length = square2(x).sqrt();
    let cut = L::select(zero.lt(length), mu * p_n / length, zero);
    [p_n, x[0] * cut, x[1] * cut]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::tests::random_block;
    use crate::kernel::{add3, multiply3};
    use huygens_math::{SplitMix, trig};

    #[test]
    fn no_other_impulse_that_stops_the_closing_takes_out_more() {
        let mut r = SplitMix::new(8);
        let mut slipped = 0;
        for _ in 0..2000 {
            let block = random_block(&mut r, 0.7);
            let (b, mu) = (r.in_cube().to_array(), Friction { stick: 0.4, slip: 0.4 });
            let p = MaxDissipation::relax(&block, &mu, 0.0, b, [0.0; 3]);
            let k = [block.w[3], block.w[4]];
            let steep = mu.slip * square2(k).sqrt() > 0.9 * block.w[0];
            if b[0] >= 0.0 || steep || square2([p[1], p[2]]).sqrt() < 0.399 * p[0] {
                continue;
            }
            slipped += 1;
            let gain = |p: [f64; 3]| {
                let u = add3(b, multiply3(&block.w, p));
                (0..3).map(|i| 0.5 * p[i] * (b[i] + u[i])).sum::<f64>()
            };
            let u = add3(b, multiply3(&block.w, p));
            assert!(u[0].abs() < 1e-12, "the closing stops: {u:?}");
            let best = gain(p);
            for angle in 0..360 {
                let (s, c) = trig::sin_cos(f64::from(angle).to_radians());
                let p_n = -b[0] / (block.w[0] + mu.slip * (k[0] * c + k[1] * s));
                let other = gain([p_n, mu.slip * p_n * c, mu.slip * p_n * s]);
                assert!(best <= other + 1e-13, "{best} J, at {angle}° {other} J");
            }
        }
        assert!(slipped > 300, "{slipped}");
    }
}
