//! Choices of the soft convex model.

use super::Softness;

/// How the cost is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Newton's method with an exact line search.
    #[default]
    Newton,
    /// Conjugate gradients, preconditioned with M (Hager, Zhang 2005).
    Cg,
}

/// The shape of the friction cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Cone {
    /// A pyramid: each edge is a one-sided row.
    #[default]
    Pyramidal,
    /// An elliptic cone: the rows of a contact are one block.
    Elliptic,
}

/// How sliding acts on the normal force of an elliptic contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Resolution {
    /// The force is the gradient of one convex cost: sliding raises the normal force.
    #[default]
    Convex,
    /// The normal force does not feel sliding; the friction disc has the radius μ fₙ. A fixed point, not a minimum.
    Signorini,
}

/// Where the iteration starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WarmRule {
    /// At the cheaper of the last acceleration and aₛ, as MuJoCo does.
    #[default]
    Cheaper,
    /// At the last acceleration, as Genesis does.
    Last,
}

/// Regularisation of the edges of a pyramid of friction μ, with μ² over impratio in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PyramidRule {
    /// 2 μ²/impratio (1 + μ²) (1 − d)/d A.
    #[default]
    Mujoco,
    /// 2 m (1 + m) (1 − d)/d A with m = μ²/impratio.
    Genesis,
}

/// Choices of `convex/newton` and `convex/cg` on a contact problem; the defaults are MuJoCo's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexSettings {
    /// Softness of contacts, limits and couplings that ask for none of their own.
    pub softness: Softness,
    /// The shape of the friction cone.
    pub cone: Cone,
    /// How much stiffer friction is than the normal, > 0.
    pub impratio: f64,
    /// How sliding acts on the normal force of an elliptic contact.
    pub resolution: Resolution,
    /// Regularisation of a pyramid.
    pub pyramid: PyramidRule,
    /// A time constant is at least two steps.
    pub refsafe: bool,
    /// R of a contact is that of its own inverse mass, not of the mean over the translations of its sides.
    pub exact_diagonal: bool,
    /// Where the iteration starts.
    pub warm: WarmRule,
    /// Largest number of evaluations of a line search.
    pub ls_iterations: u32,
    /// Bound on the slope at the end of a line search, relative to the tolerance.
    pub ls_tolerance: f64,
    /// Sweeps of the no-slip pass after the solve.
    pub noslip_iterations: u32,
    /// Bound on the improvement of a no-slip sweep over the trace of M.
    pub noslip_tolerance: f64,
}

impl Default for ConvexSettings {
    fn default() -> Self {
        let core = SoftOptions::default();
        Self {
            softness: Softness::default(),
            cone: Cone::Pyramidal,
            impratio: 1.0,
            resolution: Resolution::Convex,
            pyramid: PyramidRule::Mujoco,
            refsafe: true,
            exact_diagonal: false,
            warm: WarmRule::Cheaper,
            ls_iterations: core.ls_iterations,
            ls_tolerance: core.ls_tolerance,
            noslip_iterations: 0,
            noslip_tolerance: core.noslip_tolerance,
        }
    }
}

/// Options of the soft convex model; the defaults are MuJoCo's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftOptions {
    /// How the cost is minimised.
    pub method: Method,
    /// Largest number of iterations.
    pub iterations: u32,
    /// Bound on gradient, improvement and Newton decrement, each over the trace of M. 0: until round-off stops the iteration.
    pub tolerance: f64,
    /// Another bound on improvement and decrement, which have other units than the gradient; `None` for the same number, as in MuJoCo.
    pub improvement: Option<f64>,
    /// Islands with more dofs are solved by conjugate gradients inside Newton's method.
    pub dense_dofs: usize,
    /// Largest number of evaluations of a line search.
    pub ls_iterations: u32,
    /// Bound on the slope at the end of a line search, relative to `tolerance`.
    pub ls_tolerance: f64,
    /// Sweeps of the no-slip pass after the solve.
    pub noslip_iterations: u32,
    /// Bound on the improvement of a no-slip sweep over the trace of M.
    pub noslip_tolerance: f64,
    /// How sliding acts on normal forces.
    pub resolution: Resolution,
    /// Where the iteration starts.
    pub warm: WarmRule,
}

/// Dofs up to which a dense Hessian is factored.
const DENSE_DOFS: usize = 180;

impl SoftOptions {
    /// Bound on improvement and decrement, over the trace of M.
    pub(super) fn least_improvement(&self) -> f64 {
        self.improvement.unwrap_or(self.tolerance)
    }
}

impl Default for SoftOptions {
    fn default() -> Self {
        Self {
            method: Method::Newton,
            iterations: 100,
            tolerance: 1e-8,
            improvement: None,
            dense_dofs: DENSE_DOFS,
            ls_iterations: 50,
            ls_tolerance: 0.01,
            noslip_iterations: 0,
            noslip_tolerance: 1e-6,
            resolution: Resolution::Convex,
            warm: WarmRule::Cheaper,
        }
    }
}
