//! What a user chooses for `soft-step`, and the numbers of a sub-step that follow from it.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | h_s | `h` | sub-step | s |
//! | ω, ζ | `hertz`·2π, `damping_ratio` | of the spring that undoes overlap | rad/s, – |
//!
//! Overlap d beyond the slop is undone at the speed to which an implicit spring and damper settle, ω d/(2ζ + h_s ω), from
//! ω²d − 2ζω v − h_s ω²v = 0. It is undone by displacements alone. Asked of the velocity and relaxed after, as others do, it is either soft
//! and sinks under a load in proportion to it (1.4 mm under five cubes of a metre), or hard and pumps energy into a tower that
//! has not converged (measured: 1.2 kJ in 200 steps of ten cubes).

use crate::{Settings, Stabilisation};
use huygens_math::scalar::min;

/// Where friction acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionAt {
    /// Once for each manifold: a disc μΣλₙ at the middle of its points, and a bound on the twist about the normal.
    #[default]
    Patch,
    /// At each point, with its own disc.
    Point,
}

/// Choices of `soft-step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftStep {
    /// Sub-steps of a step, ≥ 1.
    pub substeps: u32,
    /// Frequency of the spring that undoes overlap [Hz]; never above a quarter of the sub-steps' own.
    pub hertz: f64,
    /// Its damping ratio.
    pub damping_ratio: f64,
    /// Largest speed at which overlap is undone [m/s].
    pub push_speed: f64,
    /// Where friction acts.
    pub friction: FrictionAt,
}

impl SoftStep {
    /// The defaults for a scene with that speed.
    pub fn for_speed(speed: f64) -> Self {
        Self { substeps: 4, hertz: 30.0, damping_ratio: 10.0, push_speed: speed, friction: FrictionAt::Patch }
    }
}

/// Depth to which that may take it, in lengths of the scene: a fifth of the usual slop.
const FIT: f64 = 1e-4;

/// The numbers of a sub-step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    /// Sub-step [s].
    pub h: f64,
    /// 1/h.
    pub per_h: f64,
    /// Share of the overlap beyond the slop that is undone in a step.
    pub share: f64,
    /// Overlap that is left alone [m].
    pub slop: f64,
    /// How much faster than its gap allows a point of a face may close, where all its points are solved at once [m/s].
    pub fit: f64,
    /// Most of it [m].
    pub push: f64,
    /// Speed that Baumgarte's bias asks for each metre of overlap [1/s], and the most of it [m/s]; zero without it.
    pub bias: [f64; 2],
    /// Batches and bodies are asked for before they are needed.
    pub looks_ahead: bool,
}

/// Overlap beyond this is pushed apart by displacements [m]. Without stabilisation none is, and Baumgarte's asks the velocity for it.
pub(super) fn slop(settings: &Settings) -> f64 {
    match settings.stabilisation {
        Stabilisation::None | Stabilisation::Baumgarte { .. } => f64::MAX,
        Stabilisation::SplitImpulse { slop, .. } => slop,
    }
}

impl Softness {
    /// The numbers of sub-steps of `h`, in a scene of size `length`.
    pub fn new(settings: &Settings, h: f64, length: f64) -> Self {
        let soft = &settings.soft;
        let omega = std::f64::consts::TAU * min(soft.hertz, 0.25 / h);
        let rate = omega / (2.0 * soft.damping_ratio + h * omega);
        let whole = h * f64::from(soft.substeps);
        let bias = match settings.stabilisation {
            Stabilisation::Baumgarte { erp, cap } => [erp / whole, min(cap, settings.correction_cap / whole)],
            Stabilisation::None | Stabilisation::SplitImpulse { .. } => [0.0; 2],
        };
        Self {
            h,
            per_h: 1.0 / h,
            share: min(whole * rate, 1.0),
            slop: slop(settings),
            bias,
            fit: FIT * length / h,
            push: whole * soft.push_speed,
            looks_ahead: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(soft: SoftStep) -> Settings {
        let scale = crate::Scale { length: 1.0, speed: 3.0 };
        let stabilisation = Stabilisation::SplitImpulse { beta: 0.2, slop: 0.0 };
        Settings { soft, stabilisation, ..Settings::for_scale(scale) }
    }

    #[test]
    fn the_push_is_the_speed_at_which_spring_and_damper_balance() {
        let soft = SoftStep::for_speed(3.0);
        let (h, depth) = (1.0 / 240.0, 0.01);
        let v = Softness::new(&settings(soft), h, 1.0).share * depth / (4.0 * h);
        let omega = std::f64::consts::TAU * soft.hertz;
        let (k, c) = (omega * omega, 2.0 * soft.damping_ratio * omega);
        let spring = k * (depth - h * v);
        assert!((spring - c * v).abs() < 1e-14 * spring, "{v}");
    }

    #[test]
    fn the_spring_is_never_faster_than_the_sub_steps_can_follow() {
        let soft = SoftStep { hertz: 1e9, ..SoftStep::for_speed(3.0) };
        let s = Softness::new(&settings(soft), 0.01, 1.0);
        let capped = Softness::new(&settings(SoftStep { hertz: 25.0, ..soft }), 0.01, 1.0);
        assert_eq!(s.share, capped.share);
    }
}
