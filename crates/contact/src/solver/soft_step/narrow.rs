//! What does not go side by side: contacts with a tree, a locked body, a torque limit or a lever of friction, and rows of joints,
//! limits and motors. The same laws, one at a time.

#![allow(clippy::needless_range_loop, reason = "one index goes through several small arrays")]

use super::build::Item;
use super::fill::gap_of;
use super::law::{Normals, TURNS, follow, landed, pair, press, push_apart, target_speed, twist};
use super::pass::Haste;
use super::softness::Softness;
use super::whole::Whole;
use crate::kernel::{Tangential, friction_disc};
use crate::prepare::{RowData, tangential_of};
use crate::{ContactProblem, Head, Impulse, Law, Settings, Velocity};
use huygens_math::{Mat3, scalar};

const MAX: usize = 4;

/// A contact, or one point of it, with its state through the sub-steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow {
    pub head: u32,
    item: Item,
    inverse: [f64; MAX],
    coupling: [f64; 6],
    whole: Whole<f64, MAX>,
    /// From the normal velocities of the points to the three motions that they come from.
    motion_of: [[f64; MAX]; 3],
    tangential: Tangential<f64>,
    spin_inverse: f64,
    /// Places of the points about their middle, along t₁ and t₂.
    rho: [[f64; 2]; MAX],
    inv_square: f64,
    gap: [f64; MAX],
    now: [f64; MAX],
    lambda: [f64; MAX],
    rub: [f64; 2],
    spin: f64,
    total: [Impulse; MAX],
}

impl Narrow {
    pub fn new(item: Item) -> Self {
        Self {
            head: item.head,
            item,
            inverse: [0.0; MAX],
            coupling: [0.0; 6],
            whole: Whole { answer: [[0.0; MAX]; 3], exists: 0.0 },
            motion_of: [[0.0; MAX]; 3],
            tangential: Tangential::default(),
            spin_inverse: 0.0,
            rho: [[0.0; 2]; MAX],
            inv_square: 0.0,
            gap: [0.0; MAX],
            now: [0.0; MAX],
            lambda: [0.0; MAX],
            rub: [0.0; 2],
            spin: 0.0,
            total: [[0.0; 3]; MAX],
        }
    }

    fn len(&self) -> usize {
        self.item.len as usize
    }

    fn point(&self, k: usize) -> usize {
        self.item.point(k)
    }

    /// Fills W and the warm start, and applies it.
    pub fn prepare(&mut self, problem: &ContactProblem, warm: &[Impulse], share: f64, v: &mut Velocity) {
        let groups = problem.groups;
        let head = &groups.heads[self.head as usize];
        let n = self.len();
        self.place(problem, head, share);
        let mut w = [[Mat3::ZERO; MAX]; MAX];
        for i in 0..n {
            for (j, w) in w[i].iter_mut().enumerate().take(n) {
                let (to, from) = (&groups.points[self.point(i)], &groups.points[self.point(j)]);
                *w = groups.delassus_between(problem.move_inertia, head, to, from);
            }
        }
        for j in 0..n {
            self.inverse[j] = groups.normal_mass(problem.move_inertia, head, &groups.points[self.point(j)]);
            for (i, w) in w.iter().enumerate().take(j) {
                self.coupling[pair(i, j)] = w[j].x_axis.x;
            }
        }
        self.at_once(&w);
        self.tangents(problem, &w);
        for k in 0..n {
            let p = warm.get(self.point(k)).copied().unwrap_or_default();
            if p[0] > 0.0 && self.inverse[k] > 0.0 {
                self.lambda[k] = p[0] * share;
                self.rub = [self.rub[0] + p[1] * share, self.rub[1] + p[2] * share];
                self.spin += (self.rho[k][0] * p[2] - self.rho[k][1] * p[1]) * share;
            }
        }
        self.spin = if self.inv_square > 0.0 { self.spin } else { 0.0 };
        for k in 0..n {
            self.apply(problem, k, self.impulse(k), v);
        }
    }

    /// Gaps, and where the points lie about their middle.
    fn place(&mut self, problem: &ContactProblem, head: &Head, share: f64) {
        let groups = problem.groups;
        let n = self.len();
        let mut middle = [0.0; 2];
        for k in 0..n {
            let point = &groups.points[self.point(k)];
            let local = head.to_local(point.arm[0]);
            self.rho[k] = [local[1], local[2]];
            middle = [middle[0] + local[1] / n as f64, middle[1] + local[2] / n as f64];
            let fall =
                groups.rate(head, point, problem.v_free)[0] - groups.rate(head, point, problem.v_start)[0];
            let gap = gap_of(problem, head, self.point(k));
            self.gap[k] = gap;
            if gap > 0.0 {
                // As `open_gaps` of a batch.
                self.gap[k] += scalar::clamp(-0.5 * fall * problem.h * share, 0.0, gap);
            }
        }
        let mut square = 0.0;
        for rho in &mut self.rho[..n] {
            *rho = [rho[0] - middle[0], rho[1] - middle[1]];
            square += rho[0] * rho[0] + rho[1] * rho[1];
        }
        self.inv_square = if n > 1 && square > 0.0 { 1.0 / square } else { 0.0 };
    }

    /// The answer of all normals at once, from the blocks of the points.
    fn at_once(&mut self, w: &[[Mat3; MAX]; MAX]) {
        let n = self.len();
        // Levers along t₁ and t₂: ρ × n.
        let mut q = [[0.0; MAX]; 2];
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for k in 0..n {
            let [x, y] = [self.rho[k][1], -self.rho[k][0]];
            (q[0][k], q[1][k]) = (x, y);
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        }
        if n == 2 {
            // A lever on a line: the spin across it is not felt.
            (xx, xy, yy) = (xx + yy, 0.0, xx + yy);
        }
        let flat = xx * yy - xy * xy;
        let per_flat = if flat > 0.0 { 1.0 / flat } else { 0.0 };
        for k in 0..n {
            self.motion_of[0][k] = 1.0 / n as f64;
            self.motion_of[1][k] = (yy * q[0][k] - xy * q[1][k]) * per_flat;
            self.motion_of[2][k] = (xx * q[1][k] - xy * q[0][k]) * per_flat;
        }
        self.whole = match n {
            0 | 1 => self.whole,
            2 => Whole::of_two(&self.rows(), &q),
            _ => {
                let mut block = [[0.0; 3]; 3];
                for i in 0..3 {
                    for j in 0..3 {
                        for a in 0..n {
                            for b in 0..n {
                                block[i][j] += self.motion_of[i][a] * w[a][b].x_axis.x * self.motion_of[j][b];
                            }
                        }
                    }
                }
                Whole::of_face(&self.rows(), &q, &block)
            }
        };
    }

    /// As `press_all` of a batch, and the bodies' answer.
    fn press(
        &mut self,
        problem: &ContactProblem,
        soft: &Softness,
        gap: [f64; MAX],
        over: f64,
        v: &mut Velocity,
    ) {
        let u = self.velocities(problem, v).map(|u| u[0]);
        let n = self.len();
        let mut speed = [0.0; MAX];
        (0..n).for_each(|k| speed[k] = target_speed(soft, gap[k]));
        let motion = |u: &[f64; MAX]| self.motion_of.map(|row| (0..n).map(|k| row[k] * u[k]).sum::<f64>());
        let (rates, wish) = (motion(&u), motion(&speed));
        let q = |k: usize| [self.rho[k][1], -self.rho[k][0]];
        let fits =
            (0..n).all(|k| wish[0] + wish[1] * q(k)[0] + wish[2] * q(k)[1] - speed[k] + soft.fit >= 0.0);
        let felt = [rates[0] - wish[0], rates[1] - wish[1], rates[2] - wish[2]];
        let (mut new, least) = self.whole.press(&felt, &self.lambda, over);
        if least < 0.0 || !fits {
            new = press(soft, &self.rows(), u, gap, self.lambda, over);
        }
        for k in 0..self.len() {
            self.apply(problem, k, [new[k] - self.lambda[k], 0.0, 0.0], v);
        }
        self.lambda = new;
    }

    /// W of the middle and of the twist, from the blocks of the points.
    fn tangents(&mut self, problem: &ContactProblem, w: &[[Mat3; MAX]; MAX]) {
        let n = self.len();
        let (mut sum, mut spin) = (Mat3::ZERO, 0.0);
        for i in 0..n {
            for j in 0..n {
                sum += w[i][j];
                let (a, b) = (self.turned(i), self.turned(j));
                let block = w[i][j];
                spin += a[0] * (block.y_axis.y * b[0] + block.z_axis.y * b[1])
                    + a[1] * (block.y_axis.z * b[0] + block.z_axis.z * b[1]);
            }
        }
        self.tangential = tangential_of(&(sum * (1.0 / (n * n) as f64)), problem.scale);
        self.spin_inverse = if self.inv_square > 0.0 && spin > 1e-12 * sum.y_axis.y.abs() * self.inv_square {
            1.0 / spin
        } else {
            0.0
        };
    }

    /// (n × ρ_k)/S along t₁ and t₂: the share of point k in the twist.
    fn turned(&self, k: usize) -> [f64; 2] {
        [-self.rho[k][1] * self.inv_square, self.rho[k][0] * self.inv_square]
    }

    /// Impulse of a point in this sub-step.
    fn impulse(&self, k: usize) -> Impulse {
        let (n, turned) = (f64::from(self.item.len), self.turned(k));
        [self.lambda[k], self.rub[0] / n + self.spin * turned[0], self.rub[1] / n + self.spin * turned[1]]
    }

    fn apply(&self, problem: &ContactProblem, k: usize, p: Impulse, v: &mut Velocity) {
        if p != [0.0; 3] {
            let groups = problem.groups;
            let (head, point) = (&groups.heads[self.head as usize], &groups.points[self.point(k)]);
            groups.apply(problem.move_inertia, head, point, p, v);
        }
    }

    fn rows(&self) -> Normals<f64, MAX, 6> {
        Normals { inverse: self.inverse, coupling: self.coupling }
    }

    fn velocities(&self, problem: &ContactProblem, v: &Velocity) -> [[f64; 3]; MAX] {
        let groups = problem.groups;
        let head = &groups.heads[self.head as usize];
        let mut u = [[0.0; 3]; MAX];
        for (k, u) in u.iter_mut().enumerate().take(self.len()) {
            *u = groups.relative(head, &groups.points[self.point(k)], v);
        }
        u
    }

    /// The gaps now, and what pushes overlap apart; `time` since the start of the step tells how far drivers have come.
    fn gaps(
        &self,
        problem: &ContactProblem,
        soft: &Softness,
        push: bool,
        s: &mut Velocity,
        time: f64,
    ) -> [f64; MAX] {
        let groups = problem.groups;
        let head = &groups.heads[self.head as usize];
        let mut now = self.gap;
        for (k, gap) in now.iter_mut().enumerate().take(self.len()) {
            let point = &groups.points[self.point(k)];
            *gap += groups.normal_rate(head, point, s) + time * groups.prescribed(head, point)[0];
        }
        if push {
            let kappa = push_apart(soft, &self.rows(), &self.gap, &now);
            (0..self.len()).for_each(|k| self.apply(problem, k, [kappa[k], 0.0, 0.0], s));
        }
        follow(self.gap, now)
    }

    /// As the wide pass of that name.
    pub fn settle(
        &mut self,
        problem: &ContactProblem,
        soft: &Softness,
        haste: Haste,
        (v, s): (&mut Velocity, &mut Velocity),
        time: f64,
    ) {
        let gap = self.gaps(problem, soft, haste.push, s, time);
        self.press(problem, soft, gap, haste.over, v);
        self.now = landed(&self.lambda, gap);
    }

    /// As the wide pass.
    pub fn pass(&mut self, problem: &ContactProblem, soft: &Softness, v: &mut Velocity) {
        for _ in 0..if self.len() > 1 { TURNS } else { 1 } {
            self.friction(problem, v);
            self.press(problem, soft, self.now, 1.0, v);
        }
    }

    /// Ends the sub-step.
    pub fn finish(&mut self) {
        for k in 0..self.len() {
            let p = self.impulse(k);
            for (total, p) in self.total[k].iter_mut().zip(p) {
                *total += p;
            }
        }
    }

    /// The push in the plane, then the twist.
    fn friction(&mut self, problem: &ContactProblem, v: &mut Velocity) {
        let head = &problem.groups.heads[self.head as usize];
        let material = &problem.groups.materials[head.material as usize];
        let n = f64::from(self.item.len);
        let (mut pressed, mut lever, mut slip) = (0.0, 0.0, [0.0; 2]);
        for (k, u) in self.velocities(problem, v).iter().enumerate().take(self.len()) {
            let rho = self.rho[k];
            pressed += self.lambda[k];
            lever += self.lambda[k] * (rho[0] * rho[0] + rho[1] * rho[1]).sqrt();
            slip = [slip[0] + u[1] / n, slip[1] + u[2] / n];
        }
        let (stick, slide) = (material.friction_static * pressed, material.friction_dynamic * pressed);
        let rub = friction_disc(&self.tangential, slip, self.rub, stick, slide);
        let change = [(rub[0] - self.rub[0]) / n, (rub[1] - self.rub[1]) / n];
        (0..self.len()).for_each(|k| self.apply(problem, k, [0.0, change[0], change[1]], v));
        self.rub = rub;
        if self.inv_square == 0.0 {
            return;
        }
        let mut spin = 0.0;
        for (k, u) in self.velocities(problem, v).iter().enumerate().take(self.len()) {
            let turned = self.turned(k);
            spin += turned[0] * u[1] + turned[1] * u[2];
        }
        let spun = twist(self.spin_inverse, spin, self.spin, material.friction_dynamic * lever);
        for k in 0..self.len() {
            let turned = self.turned(k);
            let change = spun - self.spin;
            self.apply(problem, k, [0.0, change * turned[0], change * turned[1]], v);
        }
        self.spin = spun;
    }

    /// Sum of the normal impulses of the sub-step.
    pub fn load(&self) -> f64 {
        self.lambda[..self.len()].iter().sum()
    }

    /// Velocity at the middle of the points, in the plane.
    pub fn slip(&self, problem: &ContactProblem, v: &Velocity) -> [f64; 2] {
        let n = f64::from(self.item.len);
        let u = self.velocities(problem, v);
        u[..self.len()].iter().fold([0.0; 2], |slip, u| [slip[0] + u[1] / n, slip[1] + u[2] / n])
    }

    /// Adds a push in the plane; false, and nothing done, when it would slip.
    pub fn stick(&mut self, problem: &ContactProblem, push: [f64; 2], v: &mut Velocity) -> bool {
        let head = &problem.groups.heads[self.head as usize];
        let material = &problem.groups.materials[head.material as usize];
        let (new, most) =
            ([self.rub[0] + push[0], self.rub[1] + push[1]], material.friction_static * self.load());
        if new[0] * new[0] + new[1] * new[1] > most * most {
            return false;
        }
        let n = f64::from(self.item.len);
        (0..self.len()).for_each(|k| self.apply(problem, k, [0.0, push[0] / n, push[1] / n], v));
        self.rub = new;
        true
    }

    /// Impulses of the whole step, point by point.
    pub fn totals(&self) -> impl Iterator<Item = (usize, Impulse)> + '_ {
        (0..self.len()).map(|k| (self.point(k), self.total[k]))
    }
}

/// A row of a joint, a limit or a motor.
#[derive(Clone, Copy, Debug)]
pub(super) struct NarrowRow {
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
}

impl NarrowRow {
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
        }
    }

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
        self.soft = Softness::new(settings, groups.demand(head).recovery, problem.h, problem.scale.length);
        if self.inverse > 0.0 {
            self.lambda = bounded(head.law, warm * share, share);
            groups.apply_row(problem.move_inertia, head, self.row as usize, self.lambda, v);
        }
    }

    /// A limit as a contact, a joint pulled back from either side, a motor as it is.
    pub fn settle(
        &mut self,
        problem: &ContactProblem,
        haste: Haste,
        (v, s): (&mut Velocity, &mut Velocity),
        time: f64,
    ) {
        let (groups, soft) = (problem.groups, &self.soft);
        let (head, row) = (&groups.heads[self.head as usize], &groups.rows[self.row as usize]);
        let moved = groups.rate_row(head, self.row as usize, s)
            + time * groups.prescribed_row(head, self.row as usize);
        let error = row.error + moved - time * row.target;
        let u = groups.relative_row(head, self.row as usize, v) - row.target;
        let share = soft.h / problem.h;
        let new = match head.law {
            Law::Unilateral => {
                let rows = Normals { inverse: [self.inverse], coupling: [] };
                // One that was closed at the start of the step stays so.
                let gap = if row.error > 0.0 { [error] } else { [row.error] };
                if haste.push {
                    let kappa = push_apart(soft, &rows, &[row.error], &gap);
                    groups.apply_row(problem.move_inertia, head, self.row as usize, kappa[0], s);
                }
                let new = press(soft, &rows, [u], gap, [self.lambda], haste.over);
                self.is_closed = landed(&new, gap)[0] <= 0.0;
                new[0]
            }
            Law::Equality => {
                if haste.push && soft.slop < f64::MAX {
                    let way = scalar::clamp(-soft.share * error, -soft.push, soft.push);
                    groups.apply_row(problem.move_inertia, head, self.row as usize, self.inverse * way, s);
                }
                self.lambda - self.inverse * (u - self.bias)
            }
            Law::Contact | Law::Bounded { .. } | Law::Drive { .. } => {
                bounded(head.law, self.lambda - self.inverse * u, share)
            }
        };
        self.take(problem, new, v);
    }

    pub fn pass(&mut self, problem: &ContactProblem, v: &mut Velocity) {
        let groups = problem.groups;
        let (head, row) = (&groups.heads[self.head as usize], &groups.rows[self.row as usize]);
        let u = groups.relative_row(head, self.row as usize, v) - row.target - self.bias;
        let is_open = head.law == Law::Unilateral && !self.is_closed;
        if !is_open {
            let share = self.soft.h / problem.h;
            self.take(problem, bounded(head.law, self.lambda - self.inverse * u, share), v);
        }
    }

    /// Ends the sub-step.
    pub fn finish(&mut self) {
        self.total += self.lambda;
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
