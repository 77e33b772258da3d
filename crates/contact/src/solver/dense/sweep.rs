//! One block Gauss–Seidel sweep over an island, each entry solved exactly.

use super::law::{DISCS, Entry};
use super::local_block::Block;
use super::{System, local};
use huygens_math::{Mat3, Vec3, scalar};

/// Sweeps once over W + `epsilon`, forward or backward. `u` = W p + q (plus what a proximal term adds) is kept up to date
/// with that matrix; `mu` is the friction of each entry.
pub(in crate::solver) fn sweep(
    system: &System,
    epsilon: f64,
    mu: &[f64],
    p: &mut [f64],
    u: &mut [f64],
    backward: bool,
) {
    let count = system.entries.len();
    for k in 0..count {
        let k = if backward { count - 1 - k } else { k };
        let entry = &system.entries[k];
        let new = relaxed(system, epsilon, entry, mu[k], p, u);
        for (axis, i) in entry.rows().enumerate() {
            let delta = new[axis] - p[i];
            if delta == 0.0 {
                continue;
            }
            p[i] = new[axis];
            let band = system.band(i);
            for (u, w) in u[band.clone()].iter_mut().zip(&system.column(i)[band]) {
                *u += w * delta;
            }
            u[i] += epsilon * delta;
        }
    }
}

/// The impulses of an entry alone, given all others.
fn relaxed(system: &System, epsilon: f64, entry: &Entry, mu: f64, p: &[f64], u: &[f64]) -> [f64; 6] {
    let (at, n) = (entry.at, entry.len());
    let mut new = [0.0; 6];
    if n == 1 {
        let own = system.row(at)[at] + epsilon;
        new[0] = scalar::clamp(p[at] - u[at] / own, entry.lo, entry.hi);
    } else if n == 3 && entry.has_friction() {
        new[..3].copy_from_slice(&contact(system, epsilon, at, mu, p, u).to_array());
    } else {
        new = block(system, epsilon, entry, mu, p, u);
    }
    new
}

/// A contact with friction at its point alone.
fn contact(system: &System, epsilon: f64, at: usize, mu: f64, p: &[f64], u: &[f64]) -> Vec3 {
    let column = |k: usize| {
        let mut column = Vec3::from_slice(&system.column(at + k)[at..]);
        column[k] += epsilon;
        column
    };
    let w = Mat3::from_cols(column(0), column(1), column(2));
    let now = Vec3::from_slice(&p[at..]);
    local::solve(&w, Vec3::from_slice(&u[at..]) - w * now, [mu; 2], now)
}

/// A contact with friction against spinning or rolling.
fn block(system: &System, epsilon: f64, entry: &Entry, mu: f64, p: &[f64], u: &[f64]) -> [f64; 6] {
    let (at, n) = (entry.at, entry.len());
    let mut block =
        Block { n, w: [[0.0; 6]; 6], b: [0.0; 6], discs: [None; DISCS], has_friction: entry.has_friction() };
    for (k, disc) in entry.discs(mu).enumerate() {
        block.discs[k] = Some(disc.from(at));
    }
    let mut now = [0.0; 6];
    now[..n].copy_from_slice(&p[at..at + n]);
    for i in 0..n {
        block.w[i][..n].copy_from_slice(&system.row(at + i)[at..at + n]);
        block.w[i][i] += epsilon;
        block.b[i] = u[at + i] - block.w[i].iter().zip(&now).map(|(w, p)| w * p).sum::<f64>();
    }
    block.solve(now)
}
