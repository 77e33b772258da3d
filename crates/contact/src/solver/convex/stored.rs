//! What the springs of contacts, limits and couplings store, and how their work is booked.

use super::softening::{coefficients, inverse_mass, is_open, least_time, pyramid_r, softness};
use super::{Cone, Softness};
use crate::entry::{BlockRows, Entry};
use crate::{ContactProblem, Law, Settings};
use huygens_math::scalar;

/// The spring of a contact, limit or coupling.
///
/// | symbol | code | meaning | unit |
/// |---|---|---|---|
/// | x | `depth` | compression at the start of the step: −gap of a contact or limit, error of a coupling | m |
/// | D | `stiffness` | Σ 1/R of the rows that carry the normal | kg |
/// | V | | ∫ D k d x dx: what the spring stores | J |
///
/// An impulse p of such a row is that of the spring, h D k d x, and that of the damper with its regularisation, −D(h b u + u⁺ − u), which is the
/// rest: in a sliding contact the part of the cone, too. V is released at x and taken up at x − h ū; what an explicit spring gives beyond that is
/// numerical.
pub(super) struct Stored {
    softness: Softness,
    least_time: f64,
    depth: f64,
    /// Number of rows over their R at (1 − d)/d = 1.
    weight: f64,
    is_open: bool,
}

impl Stored {
    pub(super) fn of(settings: &Settings, problem: &ContactProblem, entry: &Entry) -> Option<Self> {
        let softness = softness(settings, problem, entry)?;
        let inverse_mass = inverse_mass(&settings.convex, problem, entry)?;
        let friction = coefficients(entry);
        let edges = 2.0 * friction.iter().filter(|c| **c > 0.0).count() as f64;
        let weight = if entry.point().is_some() && edges > 0.0 && settings.convex.cone == Cone::Pyramidal {
            edges / pyramid_r(&settings.convex, &friction, inverse_mass)
        } else {
            1.0 / inverse_mass
        };
        let is_open = is_open(entry);
        let depth = match entry.head.law {
            Law::Contact | Law::Unilateral => scalar::max(-entry.error(), 0.0),
            Law::Equality | Law::Bounded { .. } | Law::Drive { .. } => -entry.error(),
        };
        Some(Self { softness, least_time: least_time(settings, problem), depth, weight, is_open })
    }

    /// Books an entry with its velocities before and after. Returns by how much the stored energy grew.
    pub(super) fn book(
        &self,
        problem: &ContactProblem,
        entry: &Entry,
        p: &BlockRows,
        [before, after]: [&BlockRows; 2],
        work: &mut crate::Work,
    ) -> f64 {
        let h = problem.h;
        let mean = |k: usize| 0.5 * (before[k] + after[k]);
        let normal = mean(0);
        let moved = h * (normal - entry.row_target());
        let one_sided = matches!(entry.head.law, Law::Contact | Law::Unilateral);
        let end = if self.is_open { -(entry.error() + moved) } else { self.depth - moved };
        let end = if one_sided { scalar::max(end, 0.0) } else { end };
        let impedance = self.softness.at(self.depth, self.least_time);
        let stored = self.weight * impedance.k * self.softness.stored(self.depth, end);
        let stiffness = self.weight / impedance.regularisation(1.0);
        let mut terms = [-stored, 0.0, 0.0, 0.0];
        if self.is_open {
            // A blow, of which the spring takes up its part.
            let blow = p[0] * normal;
            (terms[1], terms[3]) = if blow > 0.0 { (stored + blow, 0.0) } else { (stored, blow) };
        } else if p[0] == 0.0 && one_sided {
            terms[2] = stored;
        } else {
            let spring = h * stiffness * impedance.k * impedance.d * self.depth;
            terms[1] = spring * normal + stored;
            terms[2] = (p[0] - spring) * normal;
        }
        work.spring_released.add(terms[0]);
        work.numerical.add(terms[1]);
        work.viscous.add(terms[2]);
        if entry.point().is_some() { &mut work.impact } else { &mut work.limit }.add(terms[3]);
        work.magnitude += terms.iter().map(|term| term.abs()).sum::<f64>();
        work.magnitude += 0.5 * p[0].abs() * (before[0].abs() + after[0].abs());
        for k in 1..6 {
            work.friction.add(p[k] * mean(k));
            work.magnitude += 0.5 * p[k].abs() * (before[k].abs() + after[k].abs());
        }
        stored
    }
}
