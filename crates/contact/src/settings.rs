//! Choices that every contact model takes.

use crate::convex::ConvexSettings;
use crate::{Scale, SoftStep};

/// Choices that every contact model takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Most sweeps over all groups.
    pub iterations: u32,
    /// A sweep that changes no row velocity by more than this, relative to the problem's speed, ends the solve.
    pub tolerance: f64,
    /// Share ω of every change that a sweep makes, in (0, 1]: p ← p + ω(p' − p). Below 1 it damps sweeps that swing.
    pub relaxation: f64,
    /// Start from the impulses of the last step.
    pub warm_start: bool,
    /// Contact may never add energy: the passivity guard.
    pub guard: bool,
    /// Slower impacts do not bounce [m/s].
    pub restitution_threshold: f64,
    /// Share of the velocity at the start of the step in the integrator's own displacement h(θ v_start + (1 − θ) v⁺): ½ for
    /// kick-drift-kick, 0 for symplectic Euler.
    pub start_share: f64,
    /// Choices of `soft-step`.
    pub soft: SoftStep,
    /// Choices of the convex models.
    pub convex: ConvexSettings,
    /// Islands with more rows (three for each point) are swept by the models that else solve an island whole.
    pub exact_rows: u32,
    /// `active-set` solves its normals once, without friction, as msd-sim does.
    pub decoupled_friction: bool,
}

impl Settings {
    /// The documented defaults for a scene of that size: the restitution threshold follows from it.
    pub fn for_scale(scale: Scale) -> Self {
        Self {
            iterations: 50,
            tolerance: 1e-10,
            relaxation: 1.0,
            warm_start: true,
            guard: false,
            restitution_threshold: 0.01 * scale.speed,
            start_share: 0.5,
            soft: SoftStep::default(),
            convex: ConvexSettings::default(),
            exact_rows: 600,
            decoupled_friction: false,
        }
    }
}
