//! Positions: the smallest displacement c that keeps what the integrator does admissible.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `s` | displacement that the integrator is about to make | m |
//! | c | `c` | displacement to add to it, c = M⁻¹Jᵀκ | m |
//! | κ | `kappa` | multiplier of a row, ≥ 0 for contacts and limits | kg·m |
//!
//! Minimise ½ cᵀMc such that J(s + c) is not below what a row is asked for: projected Gauss–Seidel on the normals.
//! Velocities take no part and are not touched.

use crate::{ContactProblem, Head, Law, Scratch, Settings, Solution, Stabilisation, Velocity};
use huygens_math::scalar;

/// Violations below this share of the scene's length do not count: a hundred roundings of a position.
const ROUND_OFF: f64 = 1e-14;

/// A row of the correction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CorrectionRow {
    /// What is still asked of J c [m].
    need: f64,
    /// 1/W_nn, or 0 when nothing moves.
    inverse: f64,
    kappa: f64,
}

/// How a correction went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorrectionReport {
    /// Sweeps done; 0 when nothing was violated.
    pub sweeps: u32,
    /// Rows that s alone would violate.
    pub violated: u32,
    /// The largest of those violations [m].
    pub largest: f64,
}

/// Finds the smallest displacement `c` so that s + c drives no contact or limit further in than its gap allows, and
/// undoes overlap as the stabilisation asks; joints follow their target. Exactly zero when s alone does.
///
/// `s` is the integrator's own displacement plus that of the impact stage; driven sides move by h times their velocity.
pub fn correct(
    settings: &Settings,
    problem: &ContactProblem,
    s: &Velocity,
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    solve(settings, problem, (s, &[]), Recovery::Full, scratch, c)
}

/// As [`correct`], without the contacts of the drivers that are marked ([`crate::Solution::capped`]): what they could not push
/// away, no correction carries along.
pub fn correct_except(
    settings: &Settings,
    problem: &ContactProblem,
    (s, capped): (&Velocity, &[bool]),
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    solve(settings, problem, (s, capped), Recovery::Full, scratch, c)
}

/// Whether overlap of contacts and limits is undone, or only kept from growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// As the stabilisation asks.
    Full,
    /// Not at all.
    None,
}

/// [`correct`], with or without recovery.
pub(crate) fn solve(
    settings: &Settings,
    problem: &ContactProblem,
    (s, capped): (&Velocity, &[bool]),
    recovery: Recovery,
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    c.reset_like(s);
    let mut report = needs(settings, problem, (s, capped), recovery, scratch);
    if report.violated == 0 {
        return report;
    }
    weigh(problem, capped, scratch);
    let enough =
        scalar::max(ROUND_OFF * problem.scale.length, settings.tolerance * problem.scale.speed * problem.h);
    for _ in 0..settings.iterations {
        report.sweeps += 1;
        if sweep(problem, scratch, c) <= enough {
            break;
        }
    }
    report
}

/// Sweeps of [`land`] at most: corners of a face share the work.
const LANDINGS: u32 = 16;

/// A point that was open at the start of the step and is pressed at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    head: u32,
    point: u32,
    row: CorrectionRow,
}

/// Adds to the correction of a model that finds the displacement itself: a point that landed in this step comes as far as its gap and no
/// deeper. `s` is the displacement of the step without that correction.
///
/// Sub-steps run ahead of the parabola by half a sub-step of what the kick adds, and what they land on is lower by as much: 1.2 µm at
/// 1 ms, which the ledger showed as heat that no fall had given.
pub fn land(problem: &ContactProblem, s: &Velocity, scratch: &mut Scratch, solution: &mut Solution) {
    let (groups, h, m) = (problem.groups, problem.h, problem.move_inertia);
    let Solution { impulses, correction, capped, .. } = solution;
    let list = &mut scratch.landing;
    list.clear();
    for (k, head) in groups.heads.iter().enumerate() {
        if head.law != Law::Contact || gives_way(problem, capped, head) {
            continue;
        }
        for i in head.range() {
            let point = &groups.points[i];
            if point.gap > 0.0 && impulses[i][0] > 0.0 {
                let moved = groups.normal_rate(head, point, s) + h * groups.prescribed(head, point)[0];
                let row = CorrectionRow {
                    need: -point.gap - moved,
                    inverse: groups.normal_mass(m, head, point),
                    kappa: 0.0,
                };
                list.push(Landing { head: k as u32, point: i as u32, row });
            }
        }
    }
    for _ in 0..LANDINGS {
        let mut largest = 0.0;
        for landing in list.iter_mut().filter(|landing| landing.row.inverse > 0.0) {
            let (head, row) = (&groups.heads[landing.head as usize], &mut landing.row);
            let point = &groups.points[landing.point as usize];
            let new = row.kappa + (row.need - groups.normal_rate(head, point, correction)) * row.inverse;
            let delta = scalar::max(new, 0.0) - row.kappa;
            row.kappa += delta;
            largest = scalar::max((delta / row.inverse).abs(), largest);
            groups.apply(m, head, point, [delta, 0.0, 0.0], correction);
        }
        if largest <= ROUND_OFF * problem.scale.length {
            break;
        }
    }
}

impl Scratch {
    /// Multiplier of entry `i` of a group in the last correction [kg·m].
    pub(crate) fn kappa(&self, problem: &ContactProblem, head: &Head, i: usize) -> f64 {
        self.correction.get(slot(problem, head, i)).map_or(0.0, |row| row.kappa)
    }
}

/// Where in the scratch entry `i` of a group stands: points first, rows after them.
#[inline(always)]
fn slot(problem: &ContactProblem, head: &Head, i: usize) -> usize {
    if head.law == Law::Contact { i } else { problem.groups.points.len() + i }
}

/// Motors and friction have no place to keep.
#[inline(always)]
fn keeps_place(head: &Head) -> bool {
    matches!(head.law, Law::Contact | Law::Equality | Law::Unilateral)
}

/// What s leaves to be done, row by row.
fn needs(
    settings: &Settings,
    problem: &ContactProblem,
    (s, capped): (&Velocity, &[bool]),
    recovery: Recovery,
    scratch: &mut Scratch,
) -> CorrectionReport {
    let (groups, h) = (problem.groups, problem.h);
    let held = Settings { stabilisation: Stabilisation::None, ..*settings };
    let mut report = CorrectionReport::default();
    scratch.correction.clear();
    scratch.correction.resize(groups.points.len() + groups.rows.len(), CorrectionRow::default());
    for head in &groups.heads {
        if !keeps_place(head) || gives_way(problem, capped, head) {
            continue;
        }
        let settings = if recovery == Recovery::None && head.law != Law::Equality { &held } else { settings };
        for i in head.range() {
            let need = if head.law == Law::Contact {
                let point = &groups.points[i];
                let moved = groups.normal_rate(head, point, s) + h * groups.prescribed(head, point)[0];
                settings.contact_displacement(h, point.gap) - moved
            } else {
                let row = &groups.rows[i];
                let moved = groups.rate_row(head, row, s) + h * groups.prescribed_row(head, row);
                settings.row_displacement(h, head.law, row) - moved
            };
            scratch.correction[slot(problem, head, i)].need = need;
            let violation = if head.law == Law::Equality { need.abs() } else { need };
            if violation > ROUND_OFF * problem.scale.length {
                report.violated += 1;
                report.largest = scalar::max(violation, report.largest);
            }
        }
    }
    report
}

/// What a capped driver touches is not held by it.
#[inline(always)]
fn gives_way(problem: &ContactProblem, capped: &[bool], head: &Head) -> bool {
    let is_capped = |side| problem.groups.driver_of(side).is_some_and(|i| capped[i as usize]);
    !capped.is_empty() && head.side.into_iter().any(is_capped)
}

/// Rows that are left out keep an inverse of zero, and so do nothing.
fn weigh(problem: &ContactProblem, capped: &[bool], scratch: &mut Scratch) {
    let (groups, m) = (problem.groups, problem.move_inertia);
    for head in groups.heads.iter().filter(|head| !gives_way(problem, capped, head)) {
        for i in head.range() {
            scratch.correction[slot(problem, head, i)].inverse = if head.law == Law::Contact {
                groups.normal_mass(m, head, &groups.points[i])
            } else {
                groups.row_mass(m, head, &groups.rows[i])
            };
        }
    }
}

/// One sweep; returns the largest change of a row's displacement [m].
fn sweep(problem: &ContactProblem, scratch: &mut Scratch, c: &mut Velocity) -> f64 {
    let (groups, m) = (problem.groups, problem.move_inertia);
    let mut largest = 0.0;
    for head in &groups.heads {
        if !keeps_place(head) {
            continue;
        }
        for i in head.range() {
            let entry = &mut scratch.correction[slot(problem, head, i)];
            if entry.inverse == 0.0 {
                continue;
            }
            let moved = if head.law == Law::Contact {
                groups.normal_rate(head, &groups.points[i], c)
            } else {
                groups.rate_row(head, &groups.rows[i], c)
            };
            let wish = entry.kappa + (entry.need - moved) * entry.inverse;
            let new = if head.law == Law::Equality { wish } else { scalar::max(wish, 0.0) };
            let delta = new - entry.kappa;
            if delta == 0.0 {
                continue;
            }
            entry.kappa = new;
            largest = scalar::max((delta / entry.inverse).abs(), largest);
            if head.law == Law::Contact {
                groups.apply(m, head, &groups.points[i], [delta, 0.0, 0.0], c);
            } else {
                groups.apply_row(m, head, &groups.rows[i], delta, c);
            }
        }
    }
    largest
}
