//! The Coulomb law as equations, after Alart and Curnier (1991).
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | z | `z` | p − u (the step is 1: every block has the largest eigenvalue 1) |
//! | F | `f` | p_n − max(0, z_n); p_t − Proj(z_t) on the disc of radius μ max(0, z_n); zero exactly at solutions |
//! | d | `d` | z_t/\|z_t\| where it slips |
//! | κ | `kappa` | μ z_n/\|z_t\| where it slips, below 1 |
//!
//! Each entry is in one mode, and F is smooth inside it: open p = 0; held at a bound; at rest u = 0; stuck u = 0; slipping u_n = 0 and
//! p_t = μ z_n d. Newton's method takes the derivative of the mode it is in.

use crate::solver::dense::{Entry, EntryLaw};
use huygens_math::scalar;

/// Where an entry stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    /// A contact without impulse.
    Open,
    /// A row at this bound.
    Bound(f64),
    /// A row that reaches its target.
    Rest,
    /// A contact without friction that presses.
    Smooth,
    /// A contact that sticks.
    Stick,
    /// A contact that slips.
    Slip {
        /// Direction of friction.
        d: [f64; 2],
        /// μ z_n/|z_t|.
        kappa: f64,
    },
}

/// The mode of an entry with impulse `p`, velocity `u` and friction `mu`.
pub(super) fn mode(entry: &Entry, mu: f64, p: &[f64], u: &[f64]) -> Mode {
    let at = entry.at;
    if let EntryLaw::Row { lo, hi } = entry.law {
        let z = p[at] - u[at];
        return if z < lo {
            Mode::Bound(lo)
        } else if z > hi {
            Mode::Bound(hi)
        } else {
            Mode::Rest
        };
    }
    let z = [p[at] - u[at], p[at + 1] - u[at + 1], p[at + 2] - u[at + 2]];
    if z[0] <= 0.0 || z[0].is_nan() {
        return Mode::Open;
    }
    if mu <= 0.0 {
        return Mode::Smooth;
    }
    let size = (z[1] * z[1] + z[2] * z[2]).sqrt();
    if size <= mu * z[0] {
        return Mode::Stick;
    }
    Mode::Slip { d: [z[1] / size, z[2] / size], kappa: mu * z[0] / size }
}

/// F of an entry, into its rows of `f`.
pub(super) fn residual(entry: &Entry, mode: Mode, mu: f64, p: &[f64], u: &[f64], f: &mut [f64]) {
    let at = entry.at;
    match mode {
        Mode::Open => f[at..at + 3].copy_from_slice(&p[at..at + 3]),
        Mode::Bound(bound) => f[at] = p[at] - bound,
        Mode::Rest => f[at] = u[at],
        Mode::Smooth => {
            f[at] = u[at];
            f[at + 1] = p[at + 1];
            f[at + 2] = p[at + 2];
        }
        Mode::Stick => f[at..at + 3].copy_from_slice(&u[at..at + 3]),
        Mode::Slip { d, .. } => {
            let radius = mu * scalar::max(p[at] - u[at], 0.0);
            f[at] = u[at];
            f[at + 1] = p[at + 1] - radius * d[0];
            f[at + 2] = p[at + 2] - radius * d[1];
        }
    }
}
