//! What a solver returns.

use crate::Velocity;
use huygens_math::Sum;

/// Impulse on A in (n, t₁, t₂) [N·s].
pub type Impulse = [f64; 3];

/// Energy that a stage brought into the system, by account [J]; losses are negative.
///
/// Each is a sum of p·(u before + u after)/2 over its rows; the velocity before is that of the start of the step, so
/// that a body at rest shows nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Normal impulses of contacts.
    pub impact: Sum,
    /// Tangential impulses of contacts.
    pub friction: Sum,
    /// What a velocity bias brought: ½ p b.
    pub stabilisation: Sum,
    /// Equality rows.
    pub joint: Sum,
    /// Unilateral rows: limits.
    pub limit: Sum,
    /// Bounded rows: motors.
    pub actuator: Sum,
    /// p·u_d of all driven sides.
    pub driver: Sum,
    /// The same total, added up increment by increment inside the sweeps from the free velocity on; for checking.
    pub increments: Sum,
    /// Sum of the sizes of all terms, for the bound on round-off.
    pub magnitude: f64,
}

/// Answer of a contact model.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// Impulse of each point of [`crate::Groups::points`].
    pub impulses: Vec<Impulse>,
    /// Impulse of each row of [`crate::Groups::rows`].
    pub rows: Vec<f64>,
    /// Velocity at the end of the step.
    pub v: Velocity,
    /// Displacement c that is added to the integrator's own [m, rad, or dof units].
    pub correction: Velocity,
    /// Energy by account.
    pub work: Work,
}
