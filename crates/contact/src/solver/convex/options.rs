//! Choices of the soft convex model.

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
pub enum Cone {
    /// A pyramid: each edge is a one-sided row.
    #[default]
    Pyramidal,
    /// An elliptic cone: the rows of a contact are one block.
    Elliptic,
}

/// How sliding acts on the normal force of an elliptic contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolution {
    /// The force is the gradient of one convex cost: sliding raises the normal force.
    #[default]
    Convex,
    /// The normal force does not feel sliding; the friction disc has the radius μ fₙ. A fixed point, not a minimum.
    Signorini,
}

/// Where the iteration starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarmRule {
    /// At the cheaper of the last acceleration and aₛ, as MuJoCo does.
    #[default]
    Cheaper,
    /// At the last acceleration, as Genesis does.
    Last,
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

impl Default for SoftOptions {
    fn default() -> Self {
        Self {
            method: Method::Newton,
            iterations: 100,
            tolerance: 1e-8,
            ls_iterations: 50,
            ls_tolerance: 0.01,
            noslip_iterations: 0,
            noslip_tolerance: 1e-6,
            resolution: Resolution::Convex,
            warm: WarmRule::Cheaper,
        }
    }
}
