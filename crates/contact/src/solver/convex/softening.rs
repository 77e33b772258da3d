//! How soft an entry of a contact problem is, and what its leading row asks for.

use super::{ConvexSettings, PyramidRule, Resolution, Softness};
use crate::entry::Entry;
use crate::{Compliance, ContactProblem, GroupId, Law, Settings, Side};
use huygens_math::scalar;

/// R of a stiff row as a share of its A: what such a row misses of its target.
const STIFF: f64 = 1e-7;

/// How an entry is soft.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLaw {
    /// Reference acceleration of the leading row.
    pub aref: f64,
    /// Damping rate of the rows of friction [1/s].
    pub b: f64,
    /// R of the leading row.
    pub r: f64,
    /// The row is a spring of that size: all edges of a pyramid together have this R.
    pub is_exact: bool,
}

/// A of the leading row; `None` when nothing moves along it.
pub(super) fn inverse_mass(convex: &ConvexSettings, problem: &ContactProblem, entry: &Entry) -> Option<f64> {
    let mass = entry.first_mass(problem.move_inertia);
    if mass <= 0.0 {
        return None;
    }
    let Some(point) = entry.point().filter(|_| !convex.exact_diagonal) else { return Some(1.0 / mass) };
    // The mean of the three translations of each side, without the turns of free bodies: MuJoCo's approximation.
    let mut sum = 0.0;
    for side in entry.head.side {
        if let Side::Free(i) = side {
            let inverse = problem.move_inertia.free[i as usize].inv_mass;
            sum += (inverse.x + inverse.y + inverse.z) / 3.0;
        }
    }
    if let Some(spans) = point.tree {
        let rows = &problem.groups.tree;
        sum += (0..3).map(|k| rows.delassus(spans, k, spans, k)).sum::<f64>() / 3.0;
    }
    Some(if sum > 0.0 { sum } else { 1.0 / mass })
}

/// Softness of an entry that has one: contacts, limits, couplings; motors and dry friction have none, and springs theirs.
pub(super) fn softness(settings: &Settings, problem: &ContactProblem, entry: &Entry) -> Option<Softness> {
    let is_motor = matches!(entry.head.key.id(), GroupId::JointMotor { .. } | GroupId::DriverMotor { .. });
    let is_row = matches!(entry.head.law, Law::Bounded { .. } | Law::Drive { .. });
    match problem.groups.demand(entry.head).compliance {
        _ if is_motor || is_row => None,
        Compliance::Rigid => Some(settings.convex.softness),
        Compliance::Impedance(softness) => Some(softness),
        Compliance::Spring { .. } | Compliance::Response { .. } => None,
    }
}

/// Least time constant of a reference.
pub(super) fn least_time(settings: &Settings, problem: &ContactProblem) -> f64 {
    if settings.convex.refsafe { 2.0 * problem.h } else { 0.0 }
}

/// True for a contact or limit that is open at the start of the step.
pub(super) fn is_open(entry: &Entry) -> bool {
    entry.error() > 0.0 && matches!(entry.head.law, Law::Contact | Law::Unilateral)
}

/// Reference and softness of the leading row, whose velocity at the start is `u`.
pub(super) fn law_of(
    settings: &Settings,
    problem: &ContactProblem,
    entry: &Entry,
    u: f64,
    inverse_mass: f64,
) -> RowLaw {
    let h = problem.h;
    let (error, target) = (entry.error(), entry.row_target());
    let exact = |speed: f64, r: f64| RowLaw { aref: (speed - u) / h, b: 1.0 / h, r, is_exact: true };
    if let Some(spring) = entry.spring(problem.move_inertia) {
        return exact(target + spring.target(h, error, entry.head.law), spring.regularisation(h));
    }
    let Some(softness) = softness(settings, problem, entry) else {
        return exact(target, STIFF * inverse_mass);
    };
    if is_open(entry) {
        let impedance = softness.at(0.0, least_time(settings, problem));
        let mut speed = target - error / h;
        if entry.point().is_some() && problem.airborne.get(entry.index) == Some(&true) {
            speed = scalar::min(speed, entry.first_at_end(problem.v_free));
        }
        let r = impedance.regularisation(inverse_mass);
        return RowLaw { aref: (speed - u) / h, b: impedance.b, r, is_exact: false };
    }
    let impedance = softness.at(error, least_time(settings, problem));
    RowLaw {
        aref: impedance.reference(u - target, error),
        b: impedance.b,
        r: impedance.regularisation(inverse_mass),
        is_exact: false,
    }
}

/// R of an elliptic contact whose normal has `r`.
pub(super) fn set_elliptic(convex: &ConvexSettings, friction: &[f64; 5], r: f64, rows: &mut [f64]) {
    rows[0] = r;
    for (k, row) in rows.iter_mut().enumerate().skip(1) {
        // Genesis does not scale the rows of spin and roll under `signorini`.
        let same = convex.resolution == Resolution::Signorini || k <= 2;
        let scale = if same { 1.0 } else { scalar::square(friction[0] / friction[k - 1]) };
        *row = r / convex.impratio * scale;
    }
}

/// R of an edge of a pyramid whose normal alone would have `r`.
pub(super) fn pyramid_r(convex: &ConvexSettings, friction: &[f64; 5], r: f64) -> f64 {
    let mu = if friction[0] > 0.0 { friction[0] } else { 1.0 };
    let regularised = mu * mu / convex.impratio;
    let seen = match convex.pyramid {
        PyramidRule::Mujoco => mu * mu,
        PyramidRule::Genesis => regularised,
    };
    2.0 * regularised * (1.0 + seen) * r
}

/// Coefficients of the rows of friction of an entry, while it sticks.
pub(super) fn coefficients(entry: &Entry) -> [f64; 5] {
    let cone = entry.cone();
    [cone.stick, cone.stick, cone.spin, cone.roll, cone.roll]
}
