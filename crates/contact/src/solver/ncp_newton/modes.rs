//! The law of a block as equations, after Alart and Curnier (1991).
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | z | `z` | p − u (the step is 1: every block has the largest eigenvalue 1) |
//! | F | `f` | p₀ − clamp(z₀) of the leading row; p − Proj(z) on each disc of radius μ clamp(z₀); zero exactly at solutions |
//! | d | `d` | z/\|z\| on a disc where it slips |
//! | κ | `kappa` | μ z₀/\|z\| on a disc where it slips, below 1 |
//!
//! Each part of an entry is in one mode, and F is smooth inside it. The leading row is at a bound (a contact without impulse: at zero), or free with u = 0.
//! A disc is empty, p = 0; it sticks, u = 0; or it slips, p = μ z₀ d. Newton's method takes the derivative of the modes it is in.

use crate::solver::dense::{DISCS, Disc, Entry};
use huygens_math::scalar;

/// Where the leading row of an entry stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lead {
    /// At this bound.
    Bound(f64),
    /// Between its bounds, at its target.
    Free,
}

/// Where a disc stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum DiscMode {
    /// It has no radius.
    #[default]
    Empty,
    /// Inside.
    Stick,
    /// On its rim.
    Slip {
        /// Direction of the impulse; a disc of one row has the first alone.
        d: [f64; 2],
        /// μ z₀/|z|.
        kappa: f64,
    },
}

/// Where an entry stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    pub lead: Lead,
    pub discs: [DiscMode; DISCS],
}

/// The mode of an entry with impulses `p`, velocities `u` and friction `mu`.
pub(super) fn mode(entry: &Entry, mu: f64, p: &[f64], u: &[f64]) -> Mode {
    let at = entry.at;
    let z = p[at] - u[at];
    // A contact has no bound to go beyond but zero, also for a NaN.
    let lead = if z > entry.hi {
        Lead::Bound(entry.hi)
    } else if z > entry.lo {
        Lead::Free
    } else {
        Lead::Bound(entry.lo)
    };
    let mut mode = Mode { lead, discs: [DiscMode::Empty; DISCS] };
    if lead == Lead::Free {
        for (to, disc) in mode.discs.iter_mut().zip(entry.discs(mu)) {
            *to = disc_mode(&disc, z, p, u);
        }
    }
    mode
}

fn disc_mode(disc: &Disc, load: f64, p: &[f64], u: &[f64]) -> DiscMode {
    let radius = disc.radius * load;
    if radius <= 0.0 {
        return DiscMode::Empty;
    }
    let mut z = [0.0; 2];
    for (z, i) in z.iter_mut().zip(disc.rows()) {
        *z = p[i] - u[i];
    }
    let size = if disc.len == 1 { z[0].abs() } else { (z[0] * z[0] + z[1] * z[1]).sqrt() };
    if size <= radius {
        return DiscMode::Stick;
    }
    DiscMode::Slip { d: [z[0] / size, z[1] / size], kappa: radius / size }
}

/// F of an entry, into its rows of `f`.
pub(super) fn residual(entry: &Entry, mode: &Mode, mu: f64, p: &[f64], u: &[f64], f: &mut [f64]) {
    let at = entry.at;
    f[at] = match mode.lead {
        Lead::Bound(bound) => p[at] - bound,
        Lead::Free => u[at],
    };
    for (disc, mode) in entry.discs(mu).zip(mode.discs) {
        let radius = disc.radius * scalar::max(p[at] - u[at], 0.0);
        for (k, i) in disc.rows().enumerate() {
            f[i] = match mode {
                DiscMode::Empty => p[i],
                DiscMode::Stick => u[i],
                DiscMode::Slip { d, .. } => p[i] - radius * d[k],
            };
        }
    }
}
