//! Rotation of a body that may turn about some world axes only.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | P | `on_free` | keeps the free components of a world vector | – |
//! | A | `inertia` | P R I Rᵀ P: world inertia on the free axes | kg m² |
//! | d, x | `drift`, `mid` | velocity that moves the orientation, at the start and at the middle | rad/s |
//!
//! The lock gives any torque about the locked axes and none about the free ones: d(P Iω)/dt = 0 while Pω = ω.
//! * One free axis: A is one number that the rotation does not change, so ω stays.
//! * Two free axes: A changes, and Aω stays: A'ω' = Aω exactly, the momentum that the body may keep. Solved here with
//!   R' = cay(hx)R and x = (d+d')/2, A'd' = Ad: the same forwards and backwards in time, so of second order and without
//!   a trend in the energy. That it brings −½ω'ᵀ(A'−A)ω: from ω' = A'⁻¹Aω and T = ½ωᵀAω.

use super::cayley::{MOST_PIECES, cayley, pieces, quaternion};
use super::kind::Gyroscopic;
use super::rotate::{Rotated, Spin, explicit, is_isotropic, rotate};
use huygens_math::{Quat, Sym3, Vec3};

/// Angle of one piece [rad]: the fixed-point iteration gains a digit or more each time.
const LOCKED_PIECE: f64 = 0.2;

/// Turns a body through the step `h` [s] when only the world axes in `free` can turn; velocities about the other axes
/// are taken to be zero. With all three free it is [`rotate`].
pub fn rotate_locked(spin: &Spin, free: [bool; 3], h: f64, scheme: Gyroscopic) -> Rotated {
    let spin = Spin { drift: on_free(free, spin.drift), omega: on_free(free, spin.omega), ..*spin };
    let turned = match free.iter().filter(|f| **f).count() {
        3 => {
            return rotate(&spin.inertia_body, spin.world_from_body, spin.drift, spin.omega, h, scheme);
        }
        0 | 1 => spin.without_gyroscope(h, scheme),
        _ if is_isotropic(&spin.inertia_body) => spin.without_gyroscope(h, scheme),
        _ => match scheme {
            Gyroscopic::Midpoint => two_axes(&spin, free, h),
            Gyroscopic::Explicit => {
                let inverse = spin.inertia_body.rotated(spin.world_from_body).inverse_on_axes(free);
                explicit(&spin, &inverse.unwrap_or(Sym3::ZERO), h)
            }
        },
    };
    spin.checked(turned)
}

fn on_free(free: [bool; 3], v: Vec3) -> Vec3 {
    let keep = |k: usize| if free[k] { v[k] } else { 0.0 };
    Vec3::new(keep(0), keep(1), keep(2))
}

/// State of the body within the step; A is the whole world inertia, P is applied to its products.
struct Inside {
    orientation: Quat,
    inertia: Sym3,
    drift: Vec3,
    omega: Vec3,
}

fn two_axes(spin: &Spin, free: [bool; 3], h: f64) -> Rotated {
    let mut at = Inside {
        orientation: spin.world_from_body,
        inertia: spin.inertia_body.rotated(spin.world_from_body),
        drift: spin.drift,
        omega: spin.omega,
    };
    let (mut energy, mut magnitude, mut iterations, mut remaining) = (0.0, 0.0, 0, h);
    for piece in 0..MOST_PIECES {
        let n = pieces(remaining * at.drift.length(), LOCKED_PIECE, MOST_PIECES - piece);
        let dt = remaining / f64::from(n);
        match one_piece(spin, &at, free, dt) {
            Some((next, brought, count)) => {
                energy += brought;
                magnitude += brought.abs();
                iterations += count;
                at = next;
            }
            None => return spin.carried(cayley(spin.drift * h), 0.0),
        }
        if n == 1 {
            break;
        }
        remaining -= dt;
    }
    Rotated { orientation: at.orientation, omega: at.omega, energy, magnitude, iterations }
}

/// One symmetric step; `None` when the inertia on the free axes is singular.
fn one_piece(spin: &Spin, at: &Inside, free: [bool; 3], h: f64) -> Option<(Inside, f64, u32)> {
    let mut mid = at.drift;
    let mut count = 0;
    loop {
        count += 1;
        let orientation = (quaternion(mid * (0.5 * h)) * at.orientation).normalize();
        let inertia = spin.inertia_body.rotated(orientation);
        let inverse = inertia.inverse_on_axes(free)?;
        let growth = inertia - at.inertia;
        let drift = at.drift - inverse * (growth * at.drift);
        let next_mid = (at.drift + drift) * 0.5;
        let settled = (next_mid - mid).length_squared() <= 1e-30 * mid.length_squared();
        if settled || count == 16 {
            let omega = at.omega - inverse * (growth * at.omega);
            let brought = -0.5 * omega.dot(growth * at.omega);
            return Some((Inside { orientation, inertia, drift, omega }, brought, count));
        }
        mid = next_mid;
    }
}
