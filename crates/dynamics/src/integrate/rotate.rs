//! Free rotation of a rigid body over one step.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | I | `inertia_body` | inertia about the centre of mass, body axes | kg m² |
//! | R | `world_from_body` | orientation | – |
//! | ω | `omega` | velocity after the contact solve | rad/s |
//! | d | `drift` | velocity that moves the orientation | rad/s |
//! | x | `mid` | d at the middle of the step | rad/s |
//!
//! Midpoint (reference/ledger.md): in body axes I(d'−d) + h x×Ix = 0 with x = (d+d')/2, then R' = R·cay(hx) and
//! Iω' = cay(hx)ᵀIω. So R'Iω' = RIω holds for any x, and with a = (ω+ω')/2 the energy that this brings is
//! T' − T = a·I(ω'−ω) = −h a·(x×Ia), exactly, whether or not Newton's method has converged; it vanishes for ω = d. The
//! first form is computed, with I(ω'−ω) as one rotation difference: the second loses digits where h|x| is large.
//!
//! The equation for x is x + (h/2) I⁻¹(x×Ix) = d. In principal axes the first component of I⁻¹(x×Iy + y×Ix) is
//! (I₃−I₂)(x₂y₃+x₃y₂)/I₁, and |I₃−I₂| ≤ I₁ for every body (triangle inequality). So its norm is at most
//! (2/√3)|x||y|, and by Kantorovich's theorem Newton's method converges from x = d when h|d| ≤ √3/2, whatever the
//! shape. Faster rotations are turned in pieces.

use super::cayley::{MOST_PIECES, PIECE, cayley, pieces, turned, unrotated_minus};
use super::kind::Gyroscopic;
use super::midpoint::{Axes, SpinLanes, piece};
use huygens_math::lanes::{Lane, Vec3Lanes};
use huygens_math::trig::rotation_vector;
use huygens_math::{Quat, Sym3, Vec3};

/// What turns: a body about its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin {
    /// Inertia about the centre of mass in body axes [kg m²].
    pub inertia_body: Sym3,
    /// Orientation at the start of the step.
    pub world_from_body: Quat,
    /// Angular velocity that moves the orientation, world axes [rad/s].
    pub drift: Vec3,
    /// Angular velocity after the contact solve, world axes [rad/s].
    pub omega: Vec3,
}

/// A body after its rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotated {
    /// Orientation at the end of the step, a unit quaternion.
    pub orientation: Quat,
    /// Angular velocity at the end of the step, world axes [rad/s].
    pub omega: Vec3,
    /// Kinetic energy that the rotation brought [J], by its own formula.
    pub energy: f64,
    /// Sum of the sizes of its parts [J], for the bound on rounding: above |energy| when a fast rotation was turned in
    /// pieces and energy came and went in between.
    pub magnitude: f64,
    /// Newton iterations.
    pub iterations: u32,
}

/// Turns a free body through the step `h` [s].
///
/// `omega` is the velocity after the contact solve and `drift` the velocity that moves the orientation, both in world
/// axes: `drift` equals `omega` for symplectic Euler, and is the mean of the velocities at start and end of the step
/// for kick-drift-kick. Never gives a NaN for finite input: what overflows is left as it was.
///
/// ```
/// use huygens_dynamics::{Gyroscopic, rotate};
/// use huygens_math::{Quat, Sym3, Vec3};
/// let inertia = Sym3::diagonal(Vec3::new(1.0, 2.0, 2.5));
/// let omega = Vec3::new(0.1, 3.0, 0.2);
/// let end = rotate(&inertia, Quat::IDENTITY, omega, omega, 0.01, Gyroscopic::Midpoint);
/// assert!(end.energy.abs() < 1e-15);
/// ```
#[inline]
pub fn rotate(
    inertia_body: &Sym3,
    world_from_body: Quat,
    drift: Vec3,
    omega: Vec3,
    h: f64,
    scheme: Gyroscopic,
) -> Rotated {
    let spin = Spin { inertia_body: *inertia_body, world_from_body, drift, omega };
    let turned = match scheme {
        _ if is_isotropic(inertia_body) => spin.without_gyroscope(h, scheme),
        Gyroscopic::Midpoint => match inertia_body.inverse() {
            Some(inverse) => midpoint(&spin, &inverse, h),
            None => spin.carried(cayley(drift * h), 0.0),
        },
        Gyroscopic::Explicit => {
            let inverse = inertia_body.inverse().unwrap_or(Sym3::ZERO);
            explicit(&spin, &inverse.rotated(world_from_body), h)
        }
    };
    spin.checked(turned)
}

/// True when every axis is a principal one: nothing is gyroscopic.
#[inline]
pub fn is_isotropic(i: &Sym3) -> bool {
    i.xx == i.yy && i.yy == i.zz && is_diagonal(i)
}

/// True when the axes are principal ones.
#[inline]
pub fn is_diagonal(i: &Sym3) -> bool {
    i.xy == 0.0 && i.xz == 0.0 && i.yz == 0.0
}

impl Spin {
    /// The turn of a body whose velocity stays: all that a sphere does, and a body that can turn about one world axis.
    #[inline]
    pub(super) fn without_gyroscope(&self, h: f64, scheme: Gyroscopic) -> Rotated {
        let turn = self.drift * h;
        let orientation = match scheme {
            Gyroscopic::Midpoint if turn.length_squared() <= PIECE * PIECE => {
                turned((turn * 0.5).into(), self.world_from_body.into()).into()
            }
            Gyroscopic::Midpoint => (cayley(turn) * self.world_from_body).normalize(),
            Gyroscopic::Explicit => (rotation_vector(turn) * self.world_from_body).normalize(),
        };
        Rotated { orientation, omega: self.omega, energy: 0.0, magnitude: 0.0, iterations: 0 }
    }

    /// Turns the body by `turn` (world axes) and keeps ω in world axes. The energy of that is ½ωᵀ(I'−I)ω; with
    /// y = Qᵀω it is ½(y+ω)·I(y−ω) in body axes, which vanishes for a turn about ω.
    pub(super) fn carried(&self, turn: Quat, energy: f64) -> Rotated {
        let body_from_world = self.world_from_body.conjugate();
        let change = body_from_world * unrotated_minus(turn, self.omega);
        let mean = body_from_world * self.omega + change * 0.5;
        let brought = mean.dot(self.inertia_body * change);
        Rotated {
            orientation: (turn * self.world_from_body).normalize(),
            omega: self.omega,
            energy: energy + brought,
            magnitude: energy.abs() + brought.abs(),
            iterations: 0,
        }
    }

    /// What was turned, or the body as it was when a number overflowed.
    #[inline]
    pub(super) fn checked(&self, turned: Rotated) -> Rotated {
        if turned.orientation.is_finite() && turned.omega.is_finite() && turned.magnitude.is_finite() {
            turned
        } else {
            Rotated {
                orientation: self.world_from_body,
                omega: self.omega,
                energy: 0.0,
                magnitude: 0.0,
                iterations: turned.iterations,
            }
        }
    }
}

/// Lanes whose body turns so little in the step `h` [s] that one piece does it: there [`crate::turn_midpoint`] and
/// [`crate::turn_isotropic`] give the bits of [`rotate`]. A little less than `PIECE`, so that rounding does not decide.
#[inline(always)]
pub fn is_slow<L: Lane>(drift: Vec3Lanes<L>, h: L) -> L::Mask {
    let turn = drift.scale(h);
    turn.dot(turn).lt(L::splat(h.token(), 0.98 * (PIECE * PIECE)))
}

/// Implicit midpoint rule and Cayley map, in as many pieces as the speed asks for.
fn midpoint(spin: &Spin, inverse: &Sym3, h: f64) -> Rotated {
    let mut at = SpinLanes::<f64> {
        inertia: spin.inertia_body.into(),
        inverse: (*inverse).into(),
        orientation: spin.world_from_body.into(),
        drift: spin.drift.into(),
        omega: spin.omega.into(),
    };
    let axes = if is_diagonal(&spin.inertia_body) { Axes::Principal } else { Axes::Any };
    let (mut energy, mut magnitude, mut iterations, mut remaining) = (0.0, 0.0, 0, h);
    for count in 0..MOST_PIECES {
        // Not the same number for all: a thin body speeds up while it turns towards its long axis.
        let n = pieces(remaining * Vec3::from(at.drift).length(), PIECE, MOST_PIECES - count);
        let dt = remaining / f64::from(n);
        let piece = piece(&at, axes, dt);
        energy += piece.end.energy;
        magnitude += piece.end.energy.abs();
        iterations += piece.iterations as u32;
        (at.orientation, at.omega) = (piece.end.orientation, piece.end.omega);
        if n == 1 {
            break;
        }
        at.drift = piece.drift(&at);
        remaining -= dt;
    }
    let (orientation, omega) = (at.orientation.into(), at.omega.into());
    Rotated { orientation, omega, energy, magnitude, iterations }
}

/// Gyroscopic term at the start pose, then the exact rotation by the drift; `inverse` is in world axes and restricted
/// to what can turn. With t = ω×Iω the first part brings +½h² tᵀI⁻¹t, since ω·t = 0.
pub(super) fn explicit(spin: &Spin, inverse: &Sym3, h: f64) -> Rotated {
    let torque = |omega: Vec3| {
        let body = spin.world_from_body.conjugate() * omega;
        spin.world_from_body * body.cross(spin.inertia_body * body)
    };
    let t = torque(spin.omega);
    let change = *inverse * t * -h;
    let drift = spin.drift - *inverse * torque(spin.drift) * h;
    let kicked = Spin { omega: spin.omega + change, ..*spin };
    kicked.carried(rotation_vector(drift * h), -0.5 * h * t.dot(change))
}
