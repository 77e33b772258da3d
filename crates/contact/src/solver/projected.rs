//! `nbgs/projected`: the impulse that would stop the contact, brought to the cone so that the closing still stops
//! (Tschisgale, Thiry, Fröhlich 2019; waLBerla's projected Gauss–Seidel).
//!
//! p = −W⁻¹b if the cone allows it; else p = p_n (n + μ d) with d along the tangential part of that impulse and
//! p_n = −b_n/(W_nn + μ W_nt·d). Friction points against the slip where W_tt is isotropic: the law is as published.

use super::law::PointLaw;
use crate::kernel::{Block, Friction, normal_then_friction, square2, stick_or, without_own};
use huygens_math::lanes::Lane;

/// Below this share of W_nn friction jams the normal, and it takes the two in turn.
const JAMS: f64 = 0.05;

/// Blocks whose slack is below this are singular: the impulse that stops them is not unique, and has no direction to offer.
const SINGULAR: f64 = 1e300;

/// The law of `nbgs/projected`.
pub(super) struct Projected;

impl PointLaw for Projected {
    const EXACT_SLIP: bool = false;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        stick_or(block, mu, b, |full| {
            let constant = |x: f64| L::splat(b[0].token(), x);
            let (zero, one) = (constant(0.0), constant(1.0));
            let size = square2([full[1], full[2]]).sqrt();
            let inverse = L::select(zero.lt(size), one / size, zero);
            let d = [full[1] * inverse, full[2] * inverse];
            let both = block.w[0] + mu.slip * (block.w[3] * d[0] + block.w[4] * d[1]);
            let jams = L::select(both.lt(constant(JAMS) * block.w[0]), one, zero);
            let jams = zero.lt(L::select(block.slack.lt(constant(SINGULAR)), one, jams));
            let p_n = -b[0] / both;
            let x = [p_n, mu.slip * p_n * d[0], mu.slip * p_n * d[1]];
            if !L::any(jams) {
                return x;
            }
            let turn = normal_then_friction(block, mu, target, u, p);
            std::array::from_fn(|k| L::select(jams, turn[k], x[k]))
        })
    }
}
