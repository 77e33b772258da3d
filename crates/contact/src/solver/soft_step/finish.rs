//! The answer of a solve: impulses of the points, end velocity, correction, books.

use super::balls::Balls;
use super::batch::{At, Batch, Motion, PADDING, load};
use super::body::Bodies;
use super::build::{BeltSide, Item, SoftScratch};
use super::law::bias;
use super::softness::Softness;
use crate::correction::Landing;
use crate::{ContactProblem, Groups, Head, Law, Settings, Side, Solution, Work, work};
use huygens_math::lanes::{Lane, WIDTH};
use huygens_math::{Sum, Twist, Vec3};

/// Fills the impulses of the points and rows from the totals of batches and single ones; finds what they touched, and which points landed.
#[inline(always)]
pub(super) fn impulses(
    soft: &Softness,
    scratch: &SoftScratch,
    problem: &ContactProblem,
    (touched, landing): (&mut Touched, &mut Vec<Landing>),
    out: &mut Solution,
) {
    let groups = problem.groups;
    landing.clear();
    out.impulses.clear();
    out.impulses.resize(groups.points.len(), [0.0; 3]);
    out.couples.clear();
    out.couples.resize(groups.couples as usize, [0.0; 3]);
    out.rows.clear();
    out.rows.resize(groups.rows.len(), 0.0);
    touched.reset(problem, soft.slop);
    let (items, [ones, twos, fours, balls]) = (&scratch.items, &scratch.lanes);
    for (batch, lanes) in scratch.balls.iter().zip(balls) {
        collect_balls(batch, lanes, items, (touched, landing), out);
    }
    for (batch, lanes) in scratch.ones.iter().zip(ones) {
        collect(batch, lanes, items, (touched, landing), out);
    }
    for (batch, lanes) in scratch.twos.iter().zip(twos) {
        collect(batch, lanes, items, (touched, landing), out);
    }
    for (batch, lanes) in scratch.fours.iter().zip(fours) {
        collect(batch, lanes, items, (touched, landing), out);
    }
    for narrow in &scratch.narrow {
        for (i, p) in narrow.totals() {
            out.impulses[i] = p;
            if groups.points[i].gap > 0.0 && p[0] > 0.0 {
                landing.push(Landing::new(narrow.head, i));
            }
        }
    }
    for couple in &scratch.couples {
        couple.share(problem, &out.impulses, &mut out.couples);
    }
    for row in &scratch.rows {
        out.rows[row.row as usize] = row.total;
    }
    let single = scratch.narrow.iter().map(|narrow| narrow.head);
    for head in single.chain(scratch.rows.iter().map(|row| row.head)) {
        touched.by_head(groups, &groups.heads[head as usize], out);
    }
}

#[inline(always)]
fn collect<const N: usize, const M: usize, const T: usize>(
    batch: &Batch<N, M, T>,
    lanes: &[u32; WIDTH],
    items: &[Item],
    (touched, landing): (&mut Touched, &mut Vec<Landing>),
    out: &mut Solution,
) {
    for lane in (0..WIDTH).filter(|&lane| lanes[lane] != PADDING) {
        let item = items[lanes[lane] as usize];
        let len = item.len as usize;
        let rub = [batch.rub_total[0][lane], batch.rub_total[1][lane]];
        let share = 1.0 / len as f64;
        let spun = batch.face.first().map_or(0.0, |face| face.total[lane]);
        let mut acts = rub != [0.0; 2] || spun != 0.0;
        for k in 0..len {
            out.impulses[item.point(k)] = [batch.total[k][lane], rub[0] * share, rub[1] * share];
            acts |= batch.total[k][lane] != 0.0 || batch.gap[k][lane] < -touched.slop;
            if batch.gap[k][lane] > 0.0 && batch.total[k][lane] > 0.0 {
                landing.push(Landing::new(item.head, item.point(k)));
            }
        }
        if acts {
            touched.bodies([batch.body[0][lane], batch.body[1][lane]]);
        }
        if spun == 0.0 {
            continue;
        }
        let (x, y) = (|k: usize| -batch.face[0].q[1][k][lane], |k: usize| batch.face[0].q[0][k][lane]);
        let square: f64 = (0..len).map(|k| x(k) * x(k) + y(k) * y(k)).sum();
        for k in 0..len {
            out.impulses[item.point(k)][1] -= spun * y(k) / square;
            out.impulses[item.point(k)][2] += spun * x(k) / square;
        }
    }
}

#[inline(always)]
fn collect_balls(
    batch: &Balls,
    lanes: &[u32; WIDTH],
    items: &[Item],
    (touched, landing): (&mut Touched, &mut Vec<Landing>),
    out: &mut Solution,
) {
    for lane in (0..WIDTH).filter(|&lane| lanes[lane] != PADDING) {
        let p = [batch.total[lane], batch.rub_total[0][lane], batch.rub_total[1][lane]];
        let item = items[lanes[lane] as usize];
        out.impulses[item.point(0)] = p;
        if batch.first.gap[lane] > 0.0 && p[0] > 0.0 {
            landing.push(Landing::new(item.head, item.point(0)));
        }
        if p != [0.0; 3] || batch.first.gap[lane] < -touched.slop {
            touched.bodies([batch.first.body[0][lane], batch.first.body[1][lane]]);
        }
    }
}

/// End velocity and correction. What no impulse touched flies as if there were no contacts, to the bit.
#[inline(always)]
pub(super) fn motion(
    settings: &Settings,
    problem: &ContactProblem,
    bodies: &Bodies,
    touched: &Touched,
    out: &mut Solution,
) {
    let (h, theta) = (problem.h, settings.start_share);
    let half = 0.5 * h / f64::from(settings.soft.substeps);
    let n = problem.v_start.free.len();
    out.v.free.clear();
    out.correction.free.clear();
    for i in 0..n {
        let (start, free) = (problem.v_start.free[i], problem.v_free.free[i]);
        if !touched.free[i] {
            out.v.free.push(free);
            out.correction.free.push(Twist::ZERO);
            continue;
        }
        let (mut end, s) = (bodies.v.free[i], bodies.s.free[i]);
        end.linear = at_rest(end.linear, start.linear, free.linear);
        let kick = (free - start).linear;
        let share = smooth_share((end - start).linear.length(), kick.length());
        let mut shift = (start - end) * (half * share);
        if settings.guard {
            shift.linear = across(shift.linear, kick);
        }
        let path = s + shift;
        let mut c = path - (start * theta + end * (1.0 - theta)) * h;
        if Bodies::is_cut(&s) {
            // The integrator's own turn stands: the displacement is not the whole of it.
            c.angular = Vec3::ZERO;
        }
        out.v.free.push(end);
        out.correction.free.push(c);
    }
    out.v.dof.clear();
    out.correction.dof.clear();
    for i in 0..problem.v_start.dof.len() {
        let (start, free) = (problem.v_start.dof[i], problem.v_free.dof[i]);
        if !touched.dof[i] {
            out.v.dof.push(free);
            out.correction.dof.push(0.0);
            continue;
        }
        let (end, s) = (bodies.v.dof[i], bodies.s.dof[i]);
        let share =
            if settings.guard { 0.0 } else { smooth_share((end - start).abs(), (free - start).abs()) };
        out.v.dof.push(end);
        out.correction
            .dof
            .push(s + (start - end) * (half * share) - h * (start * theta + end * (1.0 - theta)));
    }
}

/// Zero where a velocity is round-off of those that it comes from: what rests, rests.
#[inline(always)]
fn at_rest(end: Vec3, start: Vec3, free: Vec3) -> Vec3 {
    let noise = 4.0 * f64::EPSILON * (start.abs() + free.abs()).max_element();
    let still = |x: f64| if x.abs() <= noise { 0.0 } else { x };
    Vec3::new(still(end.x), still(end.y), still(end.z))
}

/// The part of a vector across another. Under the guard no body is shifted along its weight: one that rises a little and lands within the
/// step would be left hovering, with energy that nothing gave it (measured: 1 mJ of 5 J, a cube of 1 kg that comes to rest).
fn across(x: Vec3, axis: Vec3) -> Vec3 {
    let square = axis.length_squared();
    if square > 0.0 { x - axis * (axis.dot(x) / square) } else { x }
}

/// How much of the change of velocity came smoothly over the step, by its size against that of the free motion.
///
/// Displacements are summed from the end velocities of the sub-steps. A force that acts all the time, like sliding friction, moves the
/// body half a sub-step's change farther: the trapezoid, which `motion` adds. A landing does not: its velocity has
/// stopped at the surface.
#[inline(always)]
fn smooth_share(change: f64, kick: f64) -> f64 {
    let limit = 2.0 * kick;
    if change <= limit {
        1.0
    } else if change >= 2.0 * limit {
        0.0
    } else {
        2.0 - change / limit
    }
}

/// What an impulse of this step touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    free: Vec<bool>,
    dof: Vec<bool>,
    /// Overlap beyond this is pushed apart [m].
    slop: f64,
}

impl Touched {
    pub fn reserve(&mut self, room: &crate::scratch::Room) {
        crate::scratch::reserve(&mut self.free, room.bodies);
        crate::scratch::reserve(&mut self.dof, room.dofs);
    }

    /// Nothing is touched yet.
    fn reset(&mut self, problem: &ContactProblem, slop: f64) {
        self.slop = slop;
        self.free.clear();
        self.free.resize(problem.v_start.free.len(), false);
        self.dof.clear();
        self.dof.resize(problem.v_start.dof.len(), false);
    }

    /// Marks the bodies of a lane. Behind the free bodies stand those that do not move.
    #[inline(always)]
    fn bodies(&mut self, sides: [u32; 2]) {
        for side in sides {
            if let Some(touched) = self.free.get_mut(side as usize) {
                *touched = true;
            }
        }
    }

    /// Marks what a group touched, also where no impulse held but overlap was pushed apart.
    fn by_head(&mut self, groups: &Groups, head: &Head, out: &Solution) {
        let acts = if head.law == Law::Contact {
            out.impulses[head.range()].iter().any(|p| *p != [0.0; 3])
                || groups.points[head.range()].iter().any(|point| point.gap < -self.slop)
        } else {
            out.rows[head.range()].iter().any(|p| *p != 0.0)
        };
        if !acts {
            return;
        }
        self.trees_of(groups, head);
        for side in head.side {
            if let Side::Free(body) = side {
                self.bodies([body; 2]);
            }
        }
        if !groups.parts.is_empty() && !head.is_contact() {
            for part in head.range().flat_map(|i| groups.parts_of(i)) {
                if let Side::Free(body) = part.side {
                    self.bodies([body; 2]);
                }
                self.dof[part.span.dofs()].fill(true);
            }
        }
    }

    /// Marks the dofs over which the rows of a group go.
    fn trees_of(&mut self, groups: &Groups, head: &Head) {
        for i in head.range() {
            let tree = if head.law == Law::Contact { groups.points[i].tree } else { groups.rows[i].tree };
            if let Some(tree) = tree {
                for span in groups.tree.spans_at(tree) {
                    self.dof[span.dofs()].fill(true);
                }
            }
        }
    }
}

/// Sums in lanes, compensated, with a fixed order.
#[derive(Clone, Copy)]
pub(super) struct LaneSum<L> {
    sum: L,
    lost: L,
}

impl<L: Lane> LaneSum<L> {
    #[inline(always)]
    pub fn new(token: L::Token) -> Self {
        let zero = L::splat(token, 0.0);
        Self { sum: zero, lost: zero }
    }

    /// Adds a term and keeps what rounding loses (Knuth's two-sum).
    #[inline(always)]
    fn add(&mut self, term: L) {
        let sum = self.sum + term;
        let taken = sum - self.sum;
        self.lost += (self.sum - (sum - taken)) + (term - taken);
        self.sum = sum;
    }

    fn post(&self, to: &mut Sum) {
        let (mut sum, mut lost) = ([0.0; WIDTH], [0.0; WIDTH]);
        self.sum.store(&mut sum);
        self.lost.store(&mut lost);
        for term in sum.into_iter().chain(lost).filter(|term| *term != 0.0) {
            to.add(term);
        }
    }
}

/// The books of the batches, in lanes.
#[derive(Clone, Copy)]
pub(super) struct Books<L> {
    impact: LaneSum<L>,
    friction: LaneSum<L>,
    stabilisation: LaneSum<L>,
    magnitude: L,
}

impl<L: Lane> Books<L> {
    #[inline(always)]
    pub fn new(token: L::Token) -> Self {
        let sum = LaneSum::new(token);
        Self { impact: sum, friction: sum, stabilisation: sum, magnitude: L::splat(token, 0.0) }
    }

    /// Books p·ū of lanes of a batch, with the mean velocity of the step `mean`.
    #[inline(always)]
    pub fn book<const A: usize, const N: usize, const M: usize, const T: usize>(
        &mut self,
        at: At<L, A>,
        soft: &Softness,
        batch: &Batch<N, M, T>,
        mean: &[Twist],
    ) {
        let motion = Motion::gather(at, mean, &batch.body);
        let frame = batch.frame(at);
        let rates = batch.rates(at, &frame, &motion);
        let u = batch.spread(at, rates[0], [rates[4], rates[5]]);
        let p: [L; N] = load(at, &batch.total);
        let mut impact = p[0] * u[0];
        self.magnitude += impact.abs();
        for k in 1..N {
            let term = p[k] * u[k];
            impact += term;
            self.magnitude += term.abs();
        }
        self.impact.add(impact);
        if soft.bias[0] > 0.0 {
            for (p, gap) in p.iter().zip(&batch.gap) {
                self.unbias(soft, *p, at.load(gap));
            }
        }
        let rub: [L; 2] = load(at, &batch.rub_total);
        let (a, b) = (rub[0] * rates[1], rub[1] * rates[2]);
        let mut friction = a + b;
        self.magnitude += a.abs() + b.abs();
        for i in 0..T {
            let term = at.load(&batch.face[i].total) * rates[3];
            friction += term;
            self.magnitude += term.abs();
        }
        self.friction.add(friction);
    }

    /// As [`Books::book`].
    #[inline(always)]
    pub fn book_balls<const A: usize>(
        &mut self,
        at: At<L, A>,
        soft: &Softness,
        batch: &Balls,
        mean: &[Twist],
    ) {
        let motion = Motion::gather(at, mean, &batch.first.body);
        let [u, u1, u2] = batch.rates(at, &batch.frame(at), &motion);
        let p = at.load(&batch.total);
        let rub: [L; 2] = load(at, &batch.rub_total);
        let (pressed, a, b) = (p * u, rub[0] * u1, rub[1] * u2);
        self.magnitude += pressed.abs() + (a.abs() + b.abs());
        self.impact.add(pressed);
        self.friction.add(a + b);
        if soft.bias[0] > 0.0 {
            self.unbias(soft, p, at.load(&batch.first.gap));
        }
    }

    /// Books what Baumgarte's bias asked for as stabilisation.
    #[inline(always)]
    fn unbias(&mut self, soft: &Softness, p: L, gap: L) {
        let pushed = L::splat(p.token(), 0.5) * p * bias(soft, gap);
        self.impact.add(-pushed);
        self.stabilisation.add(pushed);
        self.magnitude += pushed;
    }

    pub fn post(&self, work: &mut Work) {
        self.impact.post(&mut work.impact);
        self.friction.post(&mut work.friction);
        self.stabilisation.post(&mut work.stabilisation);
        work.magnitude += self.magnitude.sum();
    }
}

/// Mean velocity of the step, bodies as the batches know them.
pub(super) fn mean_velocity(
    problem: &ContactProblem,
    belts: &[BeltSide],
    out: &Solution,
    mean: &mut Vec<Twist>,
) {
    mean.clear();
    mean.extend(problem.v_start.free.iter().zip(&out.v.free).map(|(start, end)| (*start + *end) * 0.5));
    mean.push(Twist::ZERO);
    mean.extend_from_slice(&problem.groups.driven);
    mean.extend(belts.iter().map(|belt| belt.twist));
}

/// Books what was solved one by one, and what the drivers gave.
pub(super) fn book_single(scratch: &SoftScratch, problem: &ContactProblem, out: &mut Solution) {
    let groups = problem.groups;
    for narrow in &scratch.narrow {
        let head = &groups.heads[narrow.head as usize];
        for (i, _) in narrow.totals() {
            let entry = groups.entry(head, i);
            let p = entry.impulse(out.all());
            let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
            let bias = groups.point_target(problem.h, head, i).bias;
            work::book(&mut out.work, &entry, &p, &before, &after, bias);
        }
    }
    let rows = groups.heads.iter().filter(|head| !head.is_contact());
    for entry in rows.flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p[0] != 0.0 {
            let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
            let bias = groups.row_target(problem.h, entry.head, &groups.rows[entry.index]).bias;
            work::book(&mut out.work, &entry, &p, &before, &after, bias);
            let mean = 0.5 * (before[0] + after[0]);
            work::load(groups, &entry, &p, mean, &mut out.work, &mut out.drivers);
        }
    }
    if groups.driven.is_empty() {
        return;
    }
    for head in groups.contacts() {
        if head.side.iter().any(|side| groups.driver_of(*side).is_some()) || groups.belt(head).is_some() {
            for entry in groups.entries(head) {
                let p = entry.impulse(out.all());
                work::load(groups, &entry, &p, 0.0, &mut out.work, &mut out.drivers);
            }
        }
    }
}
