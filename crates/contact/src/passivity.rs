//! Closed forms that keep contact from adding energy.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u*, u⁺ | `before`, `after` | row velocities around the impulse p, relative to drivers | m/s |
//! | D₀ | `loss` | energy that the inelastic impulse p₀ takes out, ≥ 0 | J |
//! | Δ | | p − p₀: what restitution adds | N·s |
//!
//! The impulse p₀ + βΔ takes out D₀ − βΔ·u₀⁺ − ½β²ΔᵀWΔ, since T(v + M⁻¹Jᵀp) − T(v) = p·u + ½pᵀWp. Largest β that keeps
//! this ≥ 0: the root of a parabola. The rows stay in their cones, which are convex, and u⁺ between u₀⁺ and u⁺.

use huygens_math::scalar;

/// Largest α in [0, 1] so that αp adds no energy, from p·u* and p·(u⁺ − u*) = pᵀWp.
pub fn impulse_scale(p_before: f64, p_change: f64) -> f64 {
    if p_before >= 0.0 {
        // Along a direction that opens already, every impulse adds energy; an impulse that does nothing adds none.
        return if p_change > 0.0 { 0.0 } else { 1.0 };
    }
    if -2.0 * p_before >= p_change { 1.0 } else { -2.0 * p_before / p_change }
}

/// Largest β in [0, 1] so that p₀ + βΔ adds no energy, from the loss D₀ ≥ 0, Δ·u₀⁺ and ΔᵀWΔ.
pub fn restitution_scale(loss: f64, delta_after: f64, delta_w_delta: f64) -> f64 {
    if loss - delta_after - 0.5 * delta_w_delta >= 0.0 {
        return 1.0;
    }
    let root = (scalar::square(delta_after) + 2.0 * loss * delta_w_delta).sqrt();
    // Two forms of one root; each without cancellation on its side.
    let beta = if delta_after > 0.0 {
        2.0 * loss / (delta_after + root)
    } else {
        (root - delta_after) / delta_w_delta
    };
    scalar::clamp(beta, 0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn the_scaled_impulse_adds_nothing_and_more_would() {
        let mut r = SplitMix::new(3);
        for _ in 0..1000 {
            let (b, w) = (r.range(-1.0, 1.0), r.range(0.0, 3.0));
            let alpha = impulse_scale(b, w);
            let gain = |a: f64| a * b + 0.5 * a * a * w;
            // Three roundings on numbers up to 3.
            assert!(gain(alpha) <= 2e-15, "{b} {w} {alpha}");
            assert!(alpha == 1.0 || gain(alpha + 1e-6) > 0.0);
        }
        assert_eq!(impulse_scale(0.0, 0.0), 1.0);
    }

    #[test]
    fn the_scaled_restitution_takes_out_nothing_less_than_zero_and_is_the_largest() {
        let mut r = SplitMix::new(5);
        for _ in 0..1000 {
            let (d, b, w) = (r.range(0.0, 1.0), r.range(-1.0, 1.0), r.range(0.0, 3.0));
            let beta = restitution_scale(d, b, w);
            let loss = |x: f64| d - x * b - 0.5 * x * x * w;
            // A few roundings on numbers up to 3.
            assert!(loss(beta) >= -4e-15, "{d} {b} {w} {beta}");
            assert!(beta == 1.0 || loss(beta + 1e-6) < 0.0);
        }
        assert_eq!(restitution_scale(0.0, 0.0, 0.0), 1.0);
        assert_eq!(restitution_scale(0.0, 1.0, 0.0), 0.0);
    }
}
