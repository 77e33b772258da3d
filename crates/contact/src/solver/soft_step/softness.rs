//! What a user chooses for `soft-step`, and the numbers of a sub-step that follow from it and from the demand of the contacts.
//!
//! Overlap beyond the slop is undone by displacements alone ([`crate::Recovery::Spring`]). Asked of the velocity and relaxed after, as others
//! do, it is either soft and sinks under a load in proportion to it (1.4 mm under five cubes of a metre), or hard and pumps energy into a
//! tower that has not converged (measured: 1.2 kJ in 200 steps of ten cubes).

use crate::{Compliance, Demand, Law, Recovery, Scale, Settings};
use huygens_math::scalar::square;

/// Where friction acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FrictionAt {
    /// Once for each manifold: a disc μΣλₙ at the middle of its points, and a bound on the twist about the normal.
    #[default]
    Patch,
    /// At each point, with its own disc.
    Point,
}

/// Choices of `soft-step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftStep {
    /// Sub-steps of a step, ≥ 1.
    pub substeps: u32,
    /// Where friction acts.
    pub friction: FrictionAt,
}

impl Default for SoftStep {
    fn default() -> Self {
        Self { substeps: 4, friction: FrictionAt::Patch }
    }
}

/// Slip that no impulse stops counts as stopped below this share of the scene's speed.
const STOPPED: f64 = 1e-9;

/// Depth to which a point of a face may go where all its points are solved at once, in lengths of the scene: a fifth of the usual slop.
const FIT: f64 = 1e-4;

/// The numbers of a sub-step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    /// Sub-step [s].
    pub h: f64,
    /// 1/h.
    pub per_h: f64,
    /// Share of the overlap beyond the slop that is undone in a step.
    pub share: f64,
    /// Overlap that is left alone [m].
    pub slop: f64,
    /// How much faster than its gap allows a point of a face may close, where all its points are solved at once [m/s].
    pub fit: f64,
    /// Largest push-out of a step [m].
    pub max_push_out: f64,
    /// Speed that Baumgarte's bias asks for each metre of overlap [1/s], and the most of it [m/s]; zero without it.
    pub bias: [f64; 2],
    /// Squared speed that counts as none, where bodies are locked [m²/s²].
    pub stopped: f64,
    /// Prefetch the next batch and its bodies.
    pub prefetches: bool,
    /// Normals that give way.
    pub spring: Option<SpringNumbers>,
}

/// The numbers of a sub-step for normals that give way, whose J M⁻¹ Jᵀ is w.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpringNumbers {
    /// Velocity that each unit of compression asks for where there is no impulse [1/s].
    pub rate: f64,
    /// R = `constant` + `relative`·w.
    pub constant: f64,
    pub relative: f64,
}

impl SpringNumbers {
    /// The numbers of a sub-step `h`; `None` for rigid normals.
    fn new(compliance: Compliance, h: f64) -> Option<Self> {
        // With w = 1 a response has the stiffness and damping of a unit mass, and R is in proportion to w.
        let spring = compliance.spring(1.0)?;
        let regularisation = spring.regularisation(h);
        let is_relative = matches!(compliance, Compliance::Response { .. });
        let [constant, relative] = if is_relative { [0.0, regularisation] } else { [regularisation, 0.0] };
        Some(Self { rate: -spring.target(h, 1.0, Law::Equality), constant, relative })
    }
}

impl Softness {
    /// Nothing is pushed out.
    pub const NONE: Self = Self {
        h: 0.0,
        per_h: 0.0,
        share: 0.0,
        slop: f64::MAX,
        fit: 0.0,
        max_push_out: 0.0,
        bias: [0.0; 2],
        stopped: 0.0,
        prefetches: false,
        spring: None,
    };

    /// The numbers of the sub-steps of a step `h` in a scene of that scale, for groups with that demand.
    pub fn new(settings: &Settings, demand: &Demand, h: f64, scale: Scale) -> Self {
        let is_soft = demand.compliance != Compliance::Rigid;
        let recovery = if is_soft { Recovery::None } else { demand.recovery };
        let sub = h / f64::from(settings.soft.substeps);
        let push_out = recovery.push_out(h);
        Self {
            h: sub,
            per_h: 1.0 / sub,
            share: push_out.map_or(0.0, |push_out| push_out.share),
            slop: push_out.map_or(f64::MAX, |push_out| push_out.slop),
            bias: recovery.bias(h),
            fit: FIT * scale.length / sub,
            max_push_out: push_out.map_or(0.0, |push_out| push_out.max_step),
            stopped: square(STOPPED * scale.speed),
            prefetches: false,
            spring: SpringNumbers::new(demand.compliance, sub),
        }
    }
}
