//! Softness of a row in MuJoCo's terms: `solref` says how fast a violation goes, `solimp` how hard the row is.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | d | `d` | impedance in (0, 1): the share of the constraint's own acceleration that a row enforces |
//! | k, b | `k`, `b` | stiffness 1/s² and damping 1/s of the reference a_ref = −b J v − k d (pos − margin) |
//! | R | `r` | regularisation (1 − d)/d · A, with A the inverse mass that the row sees |

use huygens_math::{scalar, trig};

const LEAST_IMPEDANCE: f64 = 1e-4;
const MOST_IMPEDANCE: f64 = 0.9999;
const LEAST: f64 = 1e-15;

/// How a row gives way.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Softness {
    /// Time constant [s] and damping ratio, both above 0; or −stiffness and −damping. Mixed signs mean the default.
    pub solref: [f64; 2],
    /// Impedance at zero and at `width`, width, midpoint, power.
    pub solimp: [f64; 5],
}

impl Default for Softness {
    fn default() -> Self {
        Self { solref: Self::SOLREF, solimp: [0.9, 0.95, 0.001, 0.5, 2.0] }
    }
}

/// Impedance, stiffness and damping of a row at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impedance {
    /// Stiffness of the reference [1/s²].
    pub k: f64,
    /// Damping of the reference [1/s].
    pub b: f64,
    /// Impedance.
    pub d: f64,
}

impl Softness {
    /// The default time constant and damping ratio.
    pub const SOLREF: [f64; 2] = [0.02, 1.0];

    /// Impedance, stiffness and damping at the violation `pos` − margin; a time constant is at least `least_time` (two steps, or 0).
    pub fn at(&self, violation: f64, least_time: f64) -> Impedance {
        let clamp = |x: f64| scalar::clamp(x, LEAST_IMPEDANCE, MOST_IMPEDANCE);
        let [d0, dw, width, mid, power] = self.solimp;
        let (d0, dw, mid) = (clamp(d0), clamp(dw), clamp(mid));
        let (width, power) = (scalar::max(width, 0.0), scalar::max(power, 1.0));
        let [mut tc, mut ratio] = self.solref;
        if (tc > 0.0) != (ratio > 0.0) {
            [tc, ratio] = Self::SOLREF;
        }
        if tc > 0.0 {
            tc = scalar::max(tc, least_time);
        }
        let (k, b) = if tc > 0.0 {
            let rate = dw * tc * ratio;
            (1.0 / scalar::max(LEAST, rate * rate), 2.0 / scalar::max(LEAST, dw * tc))
        } else {
            (-tc / scalar::max(LEAST, dw * dw), -ratio / scalar::max(LEAST, dw))
        };
        Impedance { k, b, d: curve([d0, dw, width, mid, power], violation.abs()) }
    }
}

/// Nodes and weights of Gauss's rule of five points on [−1, 1].
const GAUSS: [[f64; 2]; 5] = [
    [-0.906_179_845_938_664, 0.236_926_885_056_189_1],
    [-0.538_469_310_105_683_1, 0.478_628_670_499_366_5],
    [0.0, 0.568_888_888_888_888_9],
    [0.538_469_310_105_683_1, 0.478_628_670_499_366_5],
    [0.906_179_845_938_664, 0.236_926_885_056_189_1],
];

impl Softness {
    /// ∫ d²x/(1 − d) dx from one compression to another: times k over the inverse mass the energy that a row stores between them.
    pub fn stored(&self, from: f64, to: f64) -> f64 {
        self.primitive(to.abs()) - self.primitive(from.abs())
    }

    /// The integral from 0 to `x` ≥ 0.
    fn primitive(&self, x: f64) -> f64 {
        let [_, _, width, mid, _] = self.solimp;
        let width = scalar::max(width, 0.0);
        let mid = scalar::clamp(mid, LEAST_IMPEDANCE, MOST_IMPEDANCE);
        let ends = [0.0, mid * width, width, f64::INFINITY];
        let mut sum = 0.0;
        for piece in ends.windows(2) {
            let (low, high) = (piece[0], scalar::min(piece[1], x));
            if high <= low {
                continue;
            }
            let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
            for [node, weight] in GAUSS {
                let at = centre + half * node;
                let d = self.at(at, 0.0).d;
                sum += half * weight * d * d * at / (1.0 - d);
            }
        }
        sum
    }
}

/// d at the distance `x` ≥ 0 from the surface.
fn curve([d0, dw, width, mid, power]: [f64; 5], x: f64) -> f64 {
    if d0 == dw || width <= LEAST {
        return 0.5 * (d0 + dw);
    }
    let x = x / width;
    if x >= 1.0 {
        return dw;
    }
    if x == 0.0 {
        return d0;
    }
    let y = if power == 1.0 {
        x
    } else if x <= mid {
        raise(x, power) / raise(mid, power - 1.0)
    } else {
        1.0 - raise(1.0 - x, power) / raise(1.0 - mid, power - 1.0)
    };
    d0 + y * (dw - d0)
}

fn raise(x: f64, power: f64) -> f64 {
    if power == 1.0 {
        x
    } else if power == 2.0 {
        x * x
    } else {
        trig::pow(x, power)
    }
}

impl Impedance {
    /// a_ref of a row with velocity `v` and violation `pos` − margin.
    #[inline]
    pub fn reference(&self, v: f64, violation: f64) -> f64 {
        -self.b * v - self.k * self.d * violation
    }

    /// R of a row that sees the inverse mass `inverse_mass`.
    #[inline]
    pub fn regularisation(&self, inverse_mass: f64) -> f64 {
        scalar::max(LEAST, (1.0 - self.d) / self.d * inverse_mass)
    }
}
