//! The result of a solve: impulses of the points, end velocity, correction.

use super::batch::Batch;
use super::body::{BODIES_OF_CHUNK, Bodies};
use super::build::{Item, SoftScratch, SurfaceSide};
use super::kind::for_each_kind;
use super::scalar_row::ScalarRow;
use super::softness::Softness;
use super::transport::Transport;
use crate::correction::Landing;
use crate::couple;
use crate::{
    Compliance, ContactProblem, CoupleImpulse, Groups, Head, Impulse, Settings, Side, Solution, Velocity,
    Work, work,
};
use huygens_math::lanes::Level;
use huygens_math::pool::{Lent, part};
use huygens_math::{Pool, Twist, Vec3, at_level};

/// Takes the impulses from the batches: fills a solution, finds the bodies that they touched, and the points that landed.
pub(super) struct Collector<'a> {
    pub problem: &'a ContactProblem<'a>,
    /// The numbers of each class of demands.
    pub numbers: &'a [Softness],
    pub touched: &'a mut Touched,
    pub landing: &'a mut Vec<Landing>,
    pub out: &'a mut Solution,
}

impl Collector<'_> {
    /// All impulses of the batches and rows.
    #[inline(always)]
    pub fn collect(&mut self, scratch: &SoftScratch) {
        let problem = self.problem;
        let groups = problem.groups;
        self.landing.clear();
        self.out.impulses.clear();
        self.out.impulses.resize(groups.points.len(), [0.0; 3]);
        self.out.couples.clear();
        self.out.couples.resize(groups.couples as usize, [0.0; 3]);
        self.out.rows.clear();
        self.out.rows.resize(groups.rows.len(), 0.0);
        self.touched.reset(problem);
        for_each_kind!(&scratch.batches, list, _place => list.collect(&scratch.items, self));
        for row in &scratch.rows {
            self.out.rows[row.row as usize] = row.total;
        }
        for row in &scratch.rows {
            self.touched.rows(groups, &groups.heads[row.head as usize], self.out);
        }
    }

    /// The impulses of a lane.
    #[inline(always)]
    pub fn manifold<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize>(
        &mut self,
        batch: &Batch<X, N, M, T, C>,
        lane: usize,
        item: &Item,
    ) {
        let (len, impulses) = (item.len as usize, &mut self.out.impulses);
        let push = [batch.tangential_total[0][lane], batch.tangential_total[1][lane]];
        let share = 1.0 / len as f64;
        let twist = if N > 1 { batch.face.first().map_or(0.0, |face| face.twist_total[lane]) } else { 0.0 };
        let mut acts = push != [0.0; 2] || twist != 0.0;
        let soft = &self.numbers[item.class as usize];
        for k in 0..len {
            impulses[item.point(k)] = [batch.total[k][lane], push[0] * share, push[1] * share];
            acts |= batch.total[k][lane] != 0.0 || batch.gap[k][lane] < -soft.slop;
            if batch.gap[k][lane] > 0.0 && batch.total[k][lane] > 0.0 && soft.spring.is_none() {
                self.landing.push(Landing::new(item.head, item.point(k)));
            }
        }
        if twist != 0.0 {
            let (x, y) = (|k: usize| -batch.face[0].q[1][k][lane], |k: usize| batch.face[0].q[0][k][lane]);
            let square: f64 = (0..len).map(|k| x(k) * x(k) + y(k) * y(k)).sum();
            for k in 0..len {
                impulses[item.point(k)][1] -= twist * y(k) / square;
                impulses[item.point(k)][2] += twist * x(k) / square;
            }
        }
        if let Some(couple) = batch.couple.first() {
            let couple = couple.couple_total.map(|total| total[lane]);
            if couple != [0.0; 3] {
                acts = true;
                self.couple(item, couple);
            }
        }
        if acts {
            match batch.transport.body() {
                Some(body) => self.touched.bodies([body[0][lane], body[1][lane]]),
                None => {
                    let groups = self.problem.groups;
                    self.touched.sides(groups, &groups.heads[item.head as usize]);
                }
            }
        }
    }

    /// The couple of an item, shared among its points.
    fn couple(&mut self, item: &Item, total: CoupleImpulse) {
        let head = &self.problem.groups.heads[item.head as usize];
        match item.couple(head) {
            Some(own) => self.out.couples[own] = total,
            None => couple::share(head, total, &self.out.impulses, &mut self.out.couples),
        }
    }

    /// The impulse of a lane of balls.
    #[inline(always)]
    pub fn ball(&mut self, item: &Item, p: Impulse, gap: f64, bodies: [u32; 2]) {
        self.out.impulses[item.point(0)] = p;
        if gap > 0.0 && p[0] > 0.0 {
            self.landing.push(Landing::new(item.head, item.point(0)));
        }
        if p != [0.0; 3] || gap < -self.numbers[item.class as usize].slop {
            self.touched.bodies(bodies);
        }
    }
}

/// The solution of a problem without groups, by the same numbers that [`motion`] has for bodies that nothing touched: a small world is spared all
/// that finds out that there is nothing to do, a sixth of the step of a lone body.
pub(super) fn fly_free(problem: &ContactProblem, landing: &mut Vec<Landing>, out: &mut Solution) {
    landing.clear();
    out.impulses.clear();
    out.couples.clear();
    out.rows.clear();
    out.v.copy_from(problem.v_free);
    out.correction.reset_like(problem.v_start);
    out.push_out.reset_like(problem.v_start);
    out.work = Work::default();
    work::reset_drivers(problem.groups, &mut out.drivers);
}

/// End velocity and correction. A body that no impulse touched flies as if there were no contacts, to the bit.
pub(super) fn motion(
    settings: &Settings,
    problem: &ContactProblem,
    (pool, level): (&Pool, Level),
    bodies: &Bodies,
    touched: &Touched,
    out: &mut Solution,
) {
    let (h, theta) = (problem.h, settings.start_share);
    let half = 0.5 * h / f64::from(settings.soft.substeps);
    let n = problem.v_start.free.len();
    out.push_out.reset_like(problem.v_start);
    // Bodies of the last step are written over.
    out.v.free.resize(n, Twist::ZERO);
    out.correction.free.resize(n, Twist::ZERO);
    let [v, correction, push_out] =
        [&mut out.v, &mut out.correction, &mut out.push_out].map(|velocity| Lent::new(&mut velocity.free));
    pool.for_chunks(n.div_ceil(BODIES_OF_CHUNK), |chunk, _| {
        let range = part(chunk, BODIES_OF_CHUNK, n);
        // SAFETY: parts of different chunks do not overlap.
        let (v, correction, push_out) = unsafe {
            (v.slice(range.clone()), correction.slice(range.clone()), push_out.slice(range.clone()))
        };
        at_level!(level, simd => for (k, i) in range.enumerate() {
            let (start, free) = (problem.v_start.free[i], problem.v_free.free[i]);
            if !touched.free[i] {
                (v[k], correction[k]) = (free, Twist::ZERO);
                continue;
            }
            let (mut end, s) = (bodies.v.free[i], bodies.s.free[i] + bodies.pushed.free[i]);
            end.linear = at_rest(end.linear, start.linear, free.linear);
            let kick = (free - start).linear;
            let share = smooth_share((end - start).linear.length(), kick.length());
            let path = s + (start - end) * (half * share);
            let mut c = path - (start * theta + end * (1.0 - theta)) * h;
            if Bodies::is_cut(&s) {
                // The integrator's own turn stands: the displacement is not the whole of it.
                c.angular = Vec3::ZERO;
            } else {
                push_out[k].angular = bodies.pushed.free[i].angular;
            }
            push_out[k].linear = bodies.pushed.free[i].linear;
            (v[k], correction[k]) = (end, c);
        });
    });
    out.v.dof.clear();
    out.correction.dof.clear();
    for i in 0..problem.v_start.dof.len() {
        let (start, free) = (problem.v_start.dof[i], problem.v_free.dof[i]);
        if !touched.dof[i] {
            out.v.dof.push(free);
            out.correction.dof.push(0.0);
            continue;
        }
        let (end, s) = (bodies.v.dof[i], bodies.s.dof[i] + bodies.pushed.dof[i]);
        let share = smooth_share((end - start).abs(), (free - start).abs());
        out.v.dof.push(end);
        out.push_out.dof[i] = bodies.pushed.dof[i];
        out.correction
            .dof
            .push(s + (start - end) * (half * share) - h * (start * theta + end * (1.0 - theta)));
    }
}

/// Zero where a velocity is round-off of those that it comes from: a body at rest rests.
#[inline(always)]
fn at_rest(end: Vec3, start: Vec3, free: Vec3) -> Vec3 {
    let noise = 4.0 * f64::EPSILON * (start.abs() + free.abs()).max_element();
    let still = |x: f64| if x.abs() <= noise { 0.0 } else { x };
    Vec3::new(still(end.x), still(end.y), still(end.z))
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

/// Bodies and dofs that an impulse of this step touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    free: Vec<bool>,
    dof: Vec<bool>,
}

impl Touched {
    pub fn reserve(&mut self, room: &crate::scratch::Room) {
        crate::scratch::reserve(&mut self.free, room.bodies);
        crate::scratch::reserve(&mut self.dof, room.dofs);
    }

    /// Nothing is touched yet.
    fn reset(&mut self, problem: &ContactProblem) {
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

    /// Marks the sides of a group of rows that has an impulse.
    fn rows(&mut self, groups: &Groups, head: &Head, out: &Solution) {
        if out.rows[head.range()].iter().any(|p| *p != 0.0) {
            self.sides(groups, head);
        }
        for part in groups.parts_of_group(head) {
            if let Side::Free(body) = part.side {
                self.bodies([body; 2]);
            }
            self.dof[part.span.dofs()].fill(true);
        }
    }

    /// Marks the sides of a group.
    fn sides(&mut self, groups: &Groups, head: &Head) {
        for entry in groups.entries(head) {
            if let Some(tree) = entry.tree() {
                for span in groups.tree.spans_at(tree) {
                    self.dof[span.dofs()].fill(true);
                }
            }
        }
        for side in head.side {
            if let Side::Free(body) = side {
                self.bodies([body; 2]);
            }
        }
    }
}

/// Mean velocity of the step, with the bodies that no impulse moves behind the free ones.
pub(super) fn mean_velocity(
    problem: &ContactProblem,
    surfaces: &[SurfaceSide],
    out: &Solution,
    mean: &mut Velocity,
) {
    let dofs = problem.v_start.dof.iter().zip(&out.v.dof);
    mean.dof.clear();
    mean.dof.extend(dofs.map(|(start, end)| (start + end) * 0.5));
    let mean = &mut mean.free;
    mean.clear();
    mean.extend(problem.v_start.free.iter().zip(&out.v.free).map(|(start, end)| (*start + *end) * 0.5));
    mean.push(Twist::ZERO);
    mean.extend_from_slice(&problem.groups.driven);
    mean.extend(surfaces.iter().map(|surface| surface.twist));
}

/// Books rows of joints, limits and motors, contacts that give way, and the loads of drivers.
pub(super) fn book_rows(problem: &ContactProblem, solved: &[ScalarRow], out: &mut Solution) {
    let groups = problem.groups;
    for entry in groups.row_groups().flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p[0] != 0.0 {
            let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
            if entry.head.is_soft {
                let row = solved.iter().find(|row| row.row as usize == entry.index);
                let damper = row.map_or(0.0, |row| row.damper);
                work::book_spring(&mut out.work, &entry, &p, &before, &after, damper);
            } else {
                let bias = groups.row_target(problem.h, entry.head, &groups.rows[entry.index]).bias;
                work::book(&mut out.work, &entry, &p, &before, &after, bias);
            }
            let mean = 0.5 * (before[0] + after[0]);
            work::load(groups, &entry, &p, mean, &mut out.work, &mut out.drivers);
        }
    }
    let any_soft = groups.demands.iter().any(|demand| demand.compliance != Compliance::Rigid);
    let soft = groups.contacts().filter(|head| head.is_soft).take(if any_soft { usize::MAX } else { 0 });
    for entry in soft.flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p != [0.0; 6]
            && let Some(spring) = entry.spring(problem.move_inertia)
        {
            let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
            // The dampers of the sub-steps together: the compression of the step, with its mean velocity.
            let mean = 0.5 * (before[0] + after[0]);
            let damper = spring.damper(problem.h, entry.error(), entry.head.law, mean);
            work::book_spring(&mut out.work, &entry, &p, &before, &after, damper);
        }
    }
    if groups.driven.is_empty() {
        return;
    }
    for head in groups.contacts() {
        if head.side.iter().any(|side| groups.driver_of(*side).is_some())
            || groups.surface_velocity(head).is_some()
        {
            for entry in groups.entries(head) {
                let p = entry.impulse(out.all());
                work::load(groups, &entry, &p, 0.0, &mut out.work, &mut out.drivers);
            }
        }
    }
}
