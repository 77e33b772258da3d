//! `sequential-impulse`: the normal impulse with accumulated clamping, then friction on the exact disc.

use super::gauss_seidel::PointLaw;
use crate::Impulse;
use crate::kernel::{friction_disc, normal};
use crate::prepare::{Inverse, PointData};

/// The law of `sequential-impulse`.
pub(super) struct SequentialImpulse;

impl PointLaw for SequentialImpulse {
    const INVERSE: Inverse = Inverse::Parts;

    #[inline(always)]
    fn relax(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse {
        let block = &data.block;
        let p_n = normal(block.inverse_nn, u[0], data.target.speed, p[0]);
        if p_n == 0.0 {
            return [0.0; 3];
        }
        // Friction sees the normal impulse of this visit and what it does to the tangential velocity.
        let change = p_n - p[0];
        let u_t = [u[1] + block.w[3] * change, u[2] + block.w[4] * change];
        let [stick, slip] = [data.friction.stick * p_n, data.friction.slip * p_n];
        let p_t = friction_disc(&block.tangential, u_t, [p[1], p[2]], stick, slip);
        [p_n, p_t[0], p_t[1]]
    }
}
