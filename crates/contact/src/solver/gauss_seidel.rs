//! Block Gauss–Seidel: groups in key order, point after point, until a sweep changes nothing.
//!
//! A model is a [`PointLaw`]: the relaxation of one point. Rows of joints, limits and motors are the same for all.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | `u` | row velocity before a visit | m/s |
//! | δ | `delta` | change of the impulse in a visit | N·s |
//! | W | `data.block.w`, `data.w` | own block of J M⁻¹ Jᵀ | 1/kg |

use super::{SolveReport, Stop};
use crate::kernel::{multiply3, normal};
use crate::prepare::{Inverse, PointData, RowData};
use crate::{ContactProblem, Groups, Head, Impulse, Law, Scratch, Settings, Solution, Velocity, Warm, work};
use huygens_math::{BlockInertia, Sum, scalar};

/// The relaxation of one contact point.
pub(super) trait PointLaw {
    /// Which inverses it uses.
    const INVERSE: Inverse;

    /// The new impulse of a point with velocity `u` and impulse `p` so far.
    fn relax(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse;
}

/// What a sweep changed.
#[derive(Clone, Copy, Default)]
struct Change {
    /// Largest change of a row velocity.
    largest: f64,
    /// Largest row velocity met: below its round-off no change means anything.
    speed: f64,
}

impl Change {
    #[inline(always)]
    fn see(&mut self, u: f64, change: f64) {
        self.speed = scalar::max(u.abs(), self.speed);
        // In this order a NaN gets through.
        let change = change.abs();
        self.largest = if self.largest >= change { self.largest } else { change };
    }
}

/// Solves a problem with the law `K`.
pub(super) fn run<K: PointLaw>(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    prepare::<K>(settings, problem, scratch);
    scratch.v.copy_from(problem.v_free);
    let mut increments = start(settings, problem, warm, scratch, out);
    let report = iterate::<K>(settings, problem, scratch, out, &mut increments);
    finish(problem, scratch, out);
    out.work.increments = increments;
    report
}

fn prepare<K: PointLaw>(settings: &Settings, problem: &ContactProblem, scratch: &mut Scratch) {
    let groups = problem.groups;
    scratch.points.clear();
    scratch.points.resize(groups.points.len(), PointData::default());
    scratch.rows.clear();
    scratch.rows.resize(groups.rows.len(), RowData::default());
    for head in &groups.heads {
        for i in head.range() {
            match head.law {
                Law::Contact => {
                    scratch.points[i] = PointData::new(problem, settings, head, i, K::INVERSE);
                }
                _ => scratch.rows[i] = RowData::new(problem, settings, head, &groups.rows[i]),
            }
        }
    }
}

/// Takes over admissible warm-start impulses and applies them; returns the work that this did.
fn start(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> Sum {
    let groups = problem.groups;
    reset(&mut out.impulses, warm.points, groups.points.len(), settings.warm_start);
    reset(&mut out.rows, warm.rows, groups.rows.len(), settings.warm_start);
    let mut work = Sum::default();
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                let p = &mut out.impulses[i];
                if p[0] > 0.0 && scratch.points[i].block.inverse_nn > 0.0 {
                    let u = groups.relative(head, &groups.points[i], &scratch.v);
                    work.add(gain(&scratch.points[i], u, *p));
                    groups.apply(problem.move_inertia, head, &groups.points[i], *p, &mut scratch.v);
                } else {
                    *p = [0.0; 3];
                }
            } else {
                let lambda = &mut out.rows[i];
                *lambda = if scratch.rows[i].inverse > 0.0 { admissible(head.law, *lambda) } else { 0.0 };
                if *lambda != 0.0 {
                    let u = groups.relative_row(head, &groups.rows[i], &scratch.v);
                    work.add(*lambda * (u + 0.5 * scratch.rows[i].w * *lambda));
                    groups.apply_row(problem.move_inertia, head, &groups.rows[i], *lambda, &mut scratch.v);
                }
            }
        }
    }
    work
}

fn reset<T: Copy + Default>(to: &mut Vec<T>, warm: &[T], len: usize, use_warm: bool) {
    to.clear();
    if use_warm && !warm.is_empty() {
        assert_eq!(warm.len(), len, "warm-start impulses must be aligned with the problem's entries");
        to.extend_from_slice(warm);
    } else {
        to.resize(len, T::default());
    }
}

/// The impulse nearest to `lambda` that the law of a row allows.
#[inline(always)]
fn admissible(law: Law, lambda: f64) -> f64 {
    match law {
        Law::Contact | Law::Equality => lambda,
        Law::Unilateral => scalar::max(lambda, 0.0),
        Law::Bounded { lo, hi } => scalar::clamp(lambda, lo, hi),
    }
}

/// Work of the increment δ on a point with velocity u before it: δ·(u + ½Wδ).
#[inline(always)]
fn gain(data: &PointData, u: [f64; 3], delta: [f64; 3]) -> f64 {
    let w = multiply3(&data.block.w, delta);
    delta[0] * (u[0] + 0.5 * w[0]) + delta[1] * (u[1] + 0.5 * w[1]) + delta[2] * (u[2] + 0.5 * w[2])
}

fn iterate<K: PointLaw>(
    settings: &Settings,
    problem: &ContactProblem,
    scratch: &mut Scratch,
    out: &mut Solution,
    increments: &mut Sum,
) -> SolveReport {
    let tolerance = settings.tolerance * problem.scale.speed;
    let mut report = SolveReport { stopped: Stop::IterationLimit, ..SolveReport::default() };
    if problem.groups.heads.is_empty() {
        report.stopped = Stop::Converged;
        return report;
    }
    let mut sweep = Sweep {
        groups: problem.groups,
        inertia: problem.move_inertia,
        points: &scratch.points,
        rows: &scratch.rows,
        v: &mut scratch.v,
        impulses: &mut out.impulses,
        lambdas: &mut out.rows,
        work: increments,
    };
    for _ in 0..settings.iterations {
        let change = sweep.once::<K>();
        report.iterations += 1;
        report.residual =
            if problem.scale.speed > 0.0 { change.largest / problem.scale.speed } else { change.largest };
        if change.largest <= tolerance {
            report.stopped = Stop::Converged;
            break;
        }
        if change.largest.is_nan() || change.largest <= 4.0 * f64::EPSILON * change.speed {
            report.stopped = Stop::Stalled;
            break;
        }
    }
    report
}

/// One solve's data, borrowed for its sweeps.
struct Sweep<'a> {
    groups: &'a Groups,
    inertia: &'a BlockInertia,
    points: &'a [PointData],
    rows: &'a [RowData],
    v: &'a mut Velocity,
    impulses: &'a mut [Impulse],
    lambdas: &'a mut [f64],
    work: &'a mut Sum,
}

impl Sweep<'_> {
    fn once<K: PointLaw>(&mut self) -> Change {
        let mut change = Change::default();
        let groups = self.groups;
        for head in &groups.heads {
            match head.law {
                Law::Contact => self.contact::<K>(head, &mut change),
                _ => self.rows(head, &mut change),
            }
        }
        change
    }

    #[inline(always)]
    fn contact<K: PointLaw>(&mut self, head: &Head, change: &mut Change) {
        for i in head.range() {
            let (point, data) = (&self.groups.points[i], &self.points[i]);
            let u = self.groups.relative(head, point, self.v);
            let p = self.impulses[i];
            let new = K::relax(data, u, p);
            let delta = [new[0] - p[0], new[1] - p[1], new[2] - p[2]];
            if delta == [0.0; 3] {
                continue;
            }
            self.groups.apply(self.inertia, head, point, delta, self.v);
            self.impulses[i] = new;
            self.work.add(gain(data, u, delta));
            let largest = data.block.tangential.largest;
            change.see(u[0], data.block.w[0] * delta[0]);
            change.see(u[1], largest * delta[1]);
            change.see(u[2], largest * delta[2]);
        }
    }

    #[inline(always)]
    fn rows(&mut self, head: &Head, change: &mut Change) {
        for i in head.range() {
            let (row, data) = (&self.groups.rows[i], &self.rows[i]);
            let u = self.groups.relative_row(head, row, self.v);
            let lambda = self.lambdas[i];
            let new = match head.law {
                Law::Unilateral => normal(data.inverse, u, data.target.speed, lambda),
                law => admissible(law, lambda - data.inverse * (u - data.target.speed)),
            };
            let delta = new - lambda;
            if delta == 0.0 {
                continue;
            }
            self.groups.apply_row(self.inertia, head, row, delta, self.v);
            self.lambdas[i] = new;
            self.work.add(delta * (u + 0.5 * data.w * delta));
            change.see(u, data.w * delta);
        }
    }
}

/// The end velocity from the total impulses, once and in key order, so that the books close however many sweeps ran.
fn finish(problem: &ContactProblem, scratch: &Scratch, out: &mut Solution) {
    let groups = problem.groups;
    out.v.copy_from(problem.v_free);
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                let p = out.impulses[i];
                if p != [0.0; 3] {
                    groups.apply(problem.move_inertia, head, &groups.points[i], p, &mut out.v);
                }
            } else if out.rows[i] != 0.0 {
                groups.apply_row(problem.move_inertia, head, &groups.rows[i], out.rows[i], &mut out.v);
            }
        }
    }
    out.correction.reset_like(problem.v_free);
    work::account(problem, scratch, out);
}
