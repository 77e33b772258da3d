//! One block Gauss–Seidel sweep over an island, each entry solved exactly.

use super::{Entry, EntryLaw, System, local};
use huygens_math::{Mat3, Vec3, scalar};

/// Sweeps once over W + `epsilon`, forward or backward. `u` = W p + q (plus what a proximal term adds) is kept up to date
/// with that matrix; `mu` gives the friction of each entry, to stick and to slip.
pub(in crate::solver) fn sweep(
    system: &System,
    epsilon: f64,
    mu: impl Fn(usize) -> [f64; 2],
    p: &mut [f64],
    u: &mut [f64],
    backward: bool,
) {
    let count = system.entries.len();
    for k in 0..count {
        let k = if backward { count - 1 - k } else { k };
        let entry = &system.entries[k];
        let new = match entry.law {
            EntryLaw::Contact { .. } => contact(system, epsilon, entry, mu(k), p, u),
            EntryLaw::Row { lo, hi } => {
                let own = system.row(entry.at)[entry.at] + epsilon;
                Vec3::X * scalar::clamp(p[entry.at] - u[entry.at] / own, lo, hi)
            }
        };
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

fn contact(system: &System, epsilon: f64, entry: &Entry, mu: [f64; 2], p: &[f64], u: &[f64]) -> Vec3 {
    let at = entry.at;
    let column = |k: usize| {
        let mut column = Vec3::from_slice(&system.column(at + k)[at..]);
        column[k] += epsilon;
        column
    };
    let w = Mat3::from_cols(column(0), column(1), column(2));
    let now = Vec3::from_slice(&p[at..]);
    local::solve(&w, Vec3::from_slice(&u[at..]) - w * now, mu, now)
}
