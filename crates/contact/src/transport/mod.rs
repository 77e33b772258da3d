//! Moves between body velocities and rows: u = J v − u_d and v += M⁻¹Jᵀ p. The only code that knows what a side is.

mod point;
mod power;
mod row;
mod spin;

pub(crate) use row::{Directions, RowEnd};

/// Below this share of the terms it is made of, W is round-off of a space that cannot move: noise starts at 1e-15, and a
/// lever arm a millionth of the distance stays real.
pub(crate) const RANK: f64 = 1e-12;

/// 1/W, or 0 when W is noise on terms of that size.
#[inline(always)]
fn effective_mass(w: f64, size: f64) -> f64 {
    if w > RANK * size { 1.0 / w } else { 0.0 }
}
