//! The Coulomb problem of one contact alone, solved exactly.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | W | `w` | the contact's 3×3 block in (n, t₁, t₂), positive definite |
//! | b | `b` | velocity without the own impulse |
//! | d | `d` | direction of slip; friction is −μ p_n d |
//! | a | `a` | W_nn − μ W_nt·d: what a unit of slipping p_n does to the normal velocity |
//! | c | `c` | W_tn − μ W_tt d: what it does to the slip |
//!
//! It is open when b_n ≥ 0. It sticks when −W⁻¹b is in the cone. Else it slips: p_n = −b_n/a with a > 0, and the slip
//! b_t + p_n c must be along d: a b_t − b_n c = α d with α ≥ 0. Its part across d is a trigonometric polynomial of degree two
//! in the angle of d, whose zeros are bracketed on a grid (Bonnefon, Daviet 2011 solve it as a quartic).

use huygens_math::{Mat3, Vec3, trig};

/// Angles of the grid: a polynomial with four zeros at most.
const GRID: usize = 32;

/// Most steps to a zero in a bracket.
const STEPS: usize = 60;

/// Impulse of one contact that sticks up to `mu[0]` and slips with `mu[1]`; `p` is the one so far, whose friction direction is
/// tried first.
pub(in crate::solver) fn solve(w: &Mat3, b: Vec3, mu: [f64; 2], p: Vec3) -> Vec3 {
    if b.x >= 0.0 {
        return Vec3::ZERO;
    }
    let stick = -(w.inverse() * b);
    let limit = mu[0] * stick.x;
    if limit > 0.0 && stick.is_finite() && stick.y * stick.y + stick.z * stick.z <= limit * limit {
        return stick;
    }
    if mu[1] <= 0.0 {
        return Vec3::new(-b.x / w.x_axis.x, 0.0, 0.0);
    }
    slip(w, b, mu[1], p).unwrap_or(p)
}

/// The slipping answer; `None` when there is none on the grid.
fn slip(w: &Mat3, b: Vec3, mu: f64, p: Vec3) -> Option<Vec3> {
    let against = if p.y != 0.0 || p.z != 0.0 { [-p.y, -p.z] } else { [b.y, b.z] };
    let first = trig::atan2(against[1], against[0]);
    let step = std::f64::consts::TAU / GRID as f64;
    let at = |angle: f64| Slip::new(w, b, mu, angle);
    // The guess is in the middle of the first interval, not at its end, where round-off decides on which side of it a zero is.
    let begin = at(first - 0.5 * step);
    let mut left = begin.clone();
    for k in 1..=GRID {
        let angle = begin.angle + step * k as f64;
        // Around the circle the values are those of the start.
        let right = if k < GRID { at(angle) } else { Slip { angle, ..begin.clone() } };
        if (left.across <= 0.0) != (right.across <= 0.0) {
            let best = zero(left.clone(), right.clone(), &at);
            if best.a > 0.0 && best.along >= 0.0 {
                let p_n = -b.x / best.a;
                return Some(Vec3::new(p_n, -mu * p_n * best.d[0], -mu * p_n * best.d[1]));
            }
        }
        left = right;
    }
    None
}

/// A zero of the part across between two angles where it changes sign: regula falsi in its Illinois form, which keeps the
/// bracket and gains digits superlinearly.
fn zero(mut low: Slip, mut high: Slip, at: &impl Fn(f64) -> Slip) -> Slip {
    let (mut f_low, mut f_high) = (low.across, high.across);
    for _ in 0..STEPS {
        let width = high.angle - low.angle;
        if f_low == 0.0 || f_high == 0.0 || width.abs() <= 2.0 * f64::EPSILON {
            break;
        }
        let angle = high.angle - f_high * width / (f_high - f_low);
        let middle = at(angle);
        if middle.across == 0.0 || angle == low.angle || angle == high.angle {
            return middle;
        }
        if (middle.across < 0.0) == (f_high < 0.0) {
            f_low *= 0.5;
        } else {
            low = high;
            f_low = f_high;
        }
        f_high = middle.across;
        high = middle;
    }
    if low.across.abs() < high.across.abs() { low } else { high }
}

/// The conditions of slip along one direction.
#[derive(Clone)]
struct Slip {
    angle: f64,
    d: [f64; 2],
    a: f64,
    along: f64,
    across: f64,
}

impl Slip {
    fn new(w: &Mat3, b: Vec3, mu: f64, angle: f64) -> Self {
        let (s, c) = trig::sin_cos(angle);
        let d = [c, s];
        let pushed = *w * Vec3::new(1.0, -mu * d[0], -mu * d[1]);
        let v = [pushed.x * b.y - b.x * pushed.y, pushed.x * b.z - b.x * pushed.z];
        Self { angle, d, a: pushed.x, along: v[0] * d[0] + v[1] * d[1], across: v[1] * d[0] - v[0] * d[1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, Sym3};

    #[test]
    fn every_random_contact_is_open_sticks_or_slips_by_the_law() {
        let mut r = SplitMix::new(11);
        let mut count = [0; 3];
        for _ in 0..5000 {
            let values = Vec3::new(r.range(0.01, 1.0), r.range(0.01, 1.0), 1.0);
            let w = Sym3::rotated_diagonal(values, r.rotation()).to_mat3();
            let (b, mu) = (r.in_cube(), r.range(0.0, 2.0));
            let p = solve(&w, b, [mu; 2], Vec3::ZERO);
            let u = b + w * p;
            let (p_t, u_t) = ((p.y * p.y + p.z * p.z).sqrt(), (u.y * u.y + u.z * u.z).sqrt());
            if p == Vec3::ZERO {
                count[0] += 1;
                assert!(u.x >= 0.0);
            } else if p_t < mu * p.x * (1.0 - 1e-12) || u_t < 1e-13 {
                count[1] += 1;
                assert!(u.length() < 1e-12, "{u}");
            } else {
                count[2] += 1;
                // Bisection ends at the round-off of the angle; p may be 100 times b.
                assert!(u.x.abs() < 1e-12 * (1.0 + p.x), "{u}");
                let off = (p.y * u.z - p.z * u.y).abs() / p_t;
                assert!(off < 1e-12 * (1.0 + p.x) && p.y * u.y + p.z * u.z <= 0.0, "{off} {p} {u}");
            }
        }
        assert!(count.iter().all(|&n| n > 500), "{count:?}");
    }
}
