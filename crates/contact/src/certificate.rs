//! The judge.

use crate::{ContactProblem, Impulse, Velocity};

/// How far an answer is from the law; every number is dimensionless and 0 for an exact answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Penetrating velocity.
    pub gap: f64,
    /// Impulse outside the friction cone.
    pub cone: f64,
    /// Impulse where the contact opens.
    pub complementarity: f64,
    /// Friction that does not oppose the slip with full force.
    pub dissipation: f64,
    /// v⁺ that the impulses do not explain.
    pub momentum: f64,
    /// Natural map of the Coulomb problem with De Saxcé's correction.
    pub natural_map: f64,
}

impl Certificate {
    /// Judges impulses of points and rows and the end velocity they claim.
    pub fn of(problem: &ContactProblem, impulses: &[Impulse], rows: &[f64], v: &Velocity) -> Self {
        let _ = (problem, impulses, rows, v);
        Self::default()
    }

    /// The worse of two, number by number.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        let _ = other;
        self
    }
}
