//! Rows of joints, limits and motors, one at a time.

use super::body::Bodies;
use super::law::{Normals, landed, normals_in_turn, push_out};
use super::pass::PassOptions;
use super::softness::Softness;
use crate::demand::Spring;
use crate::prepare::RowData;
use crate::{ContactProblem, Law, Settings, Velocity};
use huygens_math::scalar;

/// A row of a joint, a limit or a motor.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarRow {
    pub head: u32,
    pub row: u32,
    inverse: f64,
    lambda: f64,
    pub total: f64,
    is_closed: bool,
    /// Speed that Baumgarte's bias asks for [m/s or rad/s].
    bias: f64,
    /// The numbers of a sub-step for its own recovery.
    soft: Softness,
    spring: Option<SpringRow>,
    /// Impulse of its damper over the sub-steps that have ended.
    pub damper: f64,
}

/// A row that gives way, in a sub-step.
#[derive(Clone, Copy, Debug)]
struct SpringRow {
    spring: Spring,
    /// R of a sub-step.
    regularisation: f64,
    /// Position error before the bodies move, and the velocity that it asks for where there is no impulse.
    error: f64,
    target: f64,
}

impl ScalarRow {
    pub fn new(head: usize, row: usize) -> Self {
        Self {
            head: head as u32,
            row: row as u32,
            inverse: 0.0,
            lambda: 0.0,
            total: 0.0,
            is_closed: false,
            bias: 0.0,
            soft: Softness::NONE,
            spring: None,
            damper: 0.0,
        }
    }

    /// Fills W and the warm start, of which a sub-step has a `share`, and applies it.
    pub fn prepare(
        &mut self,
        settings: &Settings,
        problem: &ContactProblem,
        warm: f64,
        share: f64,
        v: &mut Velocity,
    ) {
        let groups = problem.groups;
        let head = &groups.heads[self.head as usize];
        let data = RowData::new(problem, head, self.row as usize);
        (self.inverse, self.bias) = (data.inverse, data.target.bias);
        self.soft = Softness::new(settings, groups.demand(head), problem.h, problem.scale);
        if let Some(spring) = groups.spring(head, data.w).filter(|_| data.inverse > 0.0) {
            let regularisation = spring.regularisation(self.soft.h);
            self.spring = Some(SpringRow { spring, regularisation, error: 0.0, target: 0.0 });
            self.inverse = 1.0 / (data.w + regularisation);
        }
        if self.inverse > 0.0 {
            self.lambda = bounded(head.law, warm * share, share);
            groups.apply_row(problem.move_inertia, head, self.row as usize, self.lambda, v);
        }
    }

    /// A limit as a contact, a joint pulled back from either side, a motor as it is; `time` since the start of the step tells how far drivers
    /// have come.
    pub fn normal_pass(
        &mut self,
        problem: &ContactProblem,
        options: PassOptions,
        time: f64,
        bodies: &mut Bodies,
    ) {
        let Bodies { v, s, .. } = bodies;
        let (groups, soft) = (problem.groups, &self.soft);
        let (head, row) = (&groups.heads[self.head as usize], &groups.rows[self.row as usize]);
        let moved = groups.rate_row(head, self.row as usize, s)
            + time * groups.prescribed_row(head, self.row as usize);
        let error = row.error + moved - time * row.target;
        let u = groups.relative_row(head, self.row as usize, v) - row.target;
        let share = soft.h / problem.h;
        if let Some(row) = &mut self.spring {
            (row.error, row.target) = (error, row.spring.target(soft.h, error, head.law));
            return self.relax_spring(problem, v);
        }
        let new = match head.law {
            Law::Unilateral => {
                let rows = Normals { inverse: [self.inverse], coupling: [] };
                // A limit that was closed at the start of the step stays closed.
                let gap = if row.error > 0.0 { [error] } else { [row.error] };
                if options.push_out {
                    let kappa = push_out(soft, &rows, &[row.error], &gap);
                    groups.apply_row(problem.move_inertia, head, self.row as usize, kappa[0], s);
                }
                let new = normals_in_turn(soft, &rows, [u], gap, [self.lambda], options.over_relaxation);
                self.is_closed = landed(&new, gap)[0] <= 0.0;
                new[0]
            }
            Law::Equality => {
                if options.push_out && soft.slop < f64::MAX {
                    let distance = scalar::clamp(-soft.share * error, -soft.max_push_out, soft.max_push_out);
                    groups.apply_row(
                        problem.move_inertia,
                        head,
                        self.row as usize,
                        self.inverse * distance,
                        s,
                    );
                }
                self.lambda - self.inverse * (u - self.bias)
            }
            Law::Contact | Law::Bounded { .. } | Law::Drive { .. } => {
                bounded(head.law, self.lambda - self.inverse * u, share)
            }
        };
        self.take(problem, new, v);
    }

    /// The row once more, after bodies have moved; a limit only where it is closed.
    pub fn contact_pass(&mut self, problem: &ContactProblem, v: &mut Velocity) {
        let groups = problem.groups;
        if self.spring.is_some() {
            return self.relax_spring(problem, v);
        }
        let (head, row) = (&groups.heads[self.head as usize], &groups.rows[self.row as usize]);
        let u = groups.relative_row(head, self.row as usize, v) - row.target - self.bias;
        let is_open = head.law == Law::Unilateral && !self.is_closed;
        if !is_open {
            let share = self.soft.h / problem.h;
            self.take(problem, bounded(head.law, self.lambda - self.inverse * u, share), v);
        }
    }

    /// A row that gives way, with the compression that it had before the bodies moved.
    fn relax_spring(&mut self, problem: &ContactProblem, v: &mut Velocity) {
        let Some(row) = &self.spring else { return };
        let u = self.speed(problem, v);
        let felt = u + row.regularisation * self.lambda - row.target;
        let law = problem.groups.heads[self.head as usize].law;
        let new = bounded(law, self.lambda - self.inverse * felt, self.soft.h / problem.h);
        self.take(problem, new, v);
    }

    /// Velocity of the row against its target.
    fn speed(&self, problem: &ContactProblem, v: &Velocity) -> f64 {
        let (groups, row) = (problem.groups, self.row as usize);
        groups.relative_row(&groups.heads[self.head as usize], row, v) - groups.rows[row].target
    }

    /// Ends the sub-step.
    pub fn finish(&mut self, problem: &ContactProblem, v: &Velocity) {
        self.total += self.lambda;
        if let Some(row) = self.spring.filter(|_| self.lambda != 0.0) {
            let law = problem.groups.heads[self.head as usize].law;
            self.damper += row.spring.damper(self.soft.h, row.error, law, self.speed(problem, v));
        }
    }

    fn take(&mut self, problem: &ContactProblem, new: f64, v: &mut Velocity) {
        let groups = problem.groups;
        let head = &groups.heads[self.head as usize];
        let delta = new - self.lambda;
        if delta != 0.0 {
            groups.apply_row(problem.move_inertia, head, self.row as usize, delta, v);
            self.lambda = new;
        }
    }
}

/// The impulse of a sub-step, which has that share of the step, as the law of a row allows it.
fn bounded(law: Law, lambda: f64, share: f64) -> f64 {
    let (low, high) = law.bounds();
    scalar::clamp(lambda, low * share, high * share)
}
