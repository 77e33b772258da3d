//! Contacts of balls, eight side by side: bodies that turn alike about all axes and are touched straight below their centres.
//!
//! A push along n turns nothing there, and one in the plane does not reach the normals. So such a contact takes half of the memory of one
//! with any arms, and its first pass in a sub-step reads a quarter: a heap of balls is bound by memory, not by arithmetic.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ℓ | `lever` | from the centre of each side to the contact, along n | m |
//! | i | `inv_inertia` | inverse moment of inertia of each side | 1/(kg m²) |
//! | w | `rolling` | ℓ_A ω_A − ℓ_B ω_B: the velocity in the plane is v + w × n | m/s |
//! | W_tt | `per_slip` | Σ over the sides of 1/m + ℓ²i, the same in all directions: its inverse | kg |

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, PADDING, Wide, ZERO, load, store, vector};
use super::body::{Bodies, LentBodies, LentVelocity};
use super::books::Books;
use super::build::Item;
use super::fill::{Fill, gap_of};
use super::finish::Collector;
use super::kind::Kind;
use super::law::{
    Normals, Plane, SlipBound, gaps_now, inverse_of, is_deep, landed, normals_in_turn, open_gap, push_out,
    slip_impulse, stick_impulse,
};
use super::pass::PassOptions;
use super::plain::{Frame, Motion, prefetch_twists};
use super::side_rows::SideRows;
use super::softness::Softness;
use crate::{ContactProblem, Head, Side, Velocity};
use huygens_math::Sym3;
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH};

/// Sine of the angle between an arm and the normal up to which the arm counts as along it: round-off of places.
const MOST_SINE: f64 = 1e-12;

/// The part of a batch that the normal pass reads.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct First {
    /// Place of each side among the bodies of a solve.
    pub body: [[u32; WIDTH]; 2],
    /// As those of [`super::batch::Batch`].
    is_open: [bool; 2],
    is_deep: [bool; 2],
    normal: [Wide; 3],
    inv_mass: [Wide; 2],
    /// 1/W_nn.
    inverse: Wide,
    /// Gap at the start of the step, and as the contact pass sees it where some are open.
    pub gap: Wide,
    gap_now: Wide,
    /// Normal impulse of the sub-step.
    lambda: Wide,
}

/// Eight contacts of balls that share no movable body.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Balls {
    pub first: First,
    tangent: [Wide; 3],
    lever: [Wide; 2],
    inv_inertia: [Wide; 2],
    per_slip: Wide,
    /// μ_s and μ_d.
    mu: [Wide; 2],
    /// Tangential impulse of the sub-step, and its sum.
    tangential: [Wide; 2],
    pub tangential_total: [Wide; 2],
    /// Sum of the normal impulse over the sub-steps that have ended.
    pub total: Wide,
}

/// True for a contact of one point whose movable sides are balls.
#[inline(always)]
pub(super) fn are_balls(problem: &ContactProblem, head: &Head, point: usize) -> bool {
    let (n, arm) = (head.normal, problem.groups.points[point].arm);
    for side in 0..2 {
        match head.side[side] {
            Side::Fixed => {}
            Side::Free(i) => {
                let Sym3 { xx, yy, zz, xy, xz, yz } = problem.move_inertia.free[i as usize].inv_inertia;
                let is_round = xx == yy && yy == zz && xy == 0.0 && xz == 0.0 && yz == 0.0;
                let across = arm[side].cross(n).length_squared();
                if !is_round || across > MOST_SINE * MOST_SINE * arm[side].length_squared() {
                    return false;
                }
            }
            Side::Driven(_) | Side::Tree(_) => return false,
        }
    }
    true
}

impl Balls {
    /// Nothing in it.
    pub const EMPTY: Self = Self {
        first: First {
            body: [[0; WIDTH]; 2],
            is_open: [false; 2],
            is_deep: [false; 2],
            normal: [ZERO; 3],
            inv_mass: [ZERO; 2],
            inverse: ZERO,
            gap: ZERO,
            gap_now: ZERO,
            lambda: ZERO,
        },
        tangent: [ZERO; 3],
        lever: [ZERO; 2],
        inv_inertia: [ZERO; 2],
        per_slip: ZERO,
        mu: [ZERO; 2],
        tangential: [ZERO; 2],
        tangential_total: [ZERO; 2],
        total: ZERO,
    };

    #[inline(always)]
    pub fn frame<L: Lane>(&self, at: At<L>) -> Frame<L> {
        Frame::new(at, &self.first.normal, &self.tangent)
    }

    /// Velocity along n, t₁ and t₂.
    #[inline(always)]
    pub fn rates<L: Lane>(&self, at: At<L>, frame: &Frame<L>, motion: &Motion<L>) -> [L; 3] {
        let v = motion.linear[0] - motion.linear[1];
        let [a, b]: [L; 2] = load(at, &self.lever);
        let rolling = motion.angular[0].scale(a) - motion.angular[1].scale(b);
        [frame.n.dot(v), frame.t1.dot(v) + frame.t2.dot(rolling), frame.t2.dot(v) - frame.t1.dot(rolling)]
    }

    /// Adds M⁻¹Jᵀ of an impulse along n, t₁ and t₂.
    #[inline(always)]
    fn apply<L: Lane>(&self, at: At<L>, frame: &Frame<L>, p: [L; 3], motion: &mut Motion<L>) {
        let impulse = frame.n.scale(p[0]) + frame.t1.scale(p[1]) + frame.t2.scale(p[2]);
        // n × impulse.
        let turn = frame.t2.scale(p[1]) - frame.t1.scale(p[2]);
        let inv_mass: [L; 2] = load(at, &self.first.inv_mass);
        let (lever, inertia): ([L; 2], [L; 2]) = (load(at, &self.lever), load(at, &self.inv_inertia));
        motion.linear[0] = motion.linear[0] + impulse.scale(inv_mass[0]);
        motion.linear[1] = motion.linear[1] - impulse.scale(inv_mass[1]);
        motion.angular[0] = motion.angular[0] + turn.scale(lever[0] * inertia[0]);
        motion.angular[1] = motion.angular[1] - turn.scale(lever[1] * inertia[1]);
    }
}

#[cfg(test)]
impl Balls {
    /// All numbers of a lane but `gap_now`, which is only there where a gap is open.
    pub fn numbers(&self, lane: usize) -> Vec<f64> {
        let first = &self.first;
        let singles = [&first.inverse, &first.gap, &first.lambda, &self.per_slip, &self.total];
        let lists: [&[Wide]; 8] = [
            &first.normal,
            &first.inv_mass,
            &self.tangent,
            &self.lever,
            &self.inv_inertia,
            &self.mu,
            &self.tangential,
            &self.tangential_total,
        ];
        singles.into_iter().chain(lists.into_iter().flatten()).map(|wide| wide[lane]).collect()
    }
}

impl First {
    #[inline(always)]
    fn row<L: Lane>(&self, at: At<L>) -> Normals<L, 1, 0> {
        Normals { inverse: [at.load(&self.inverse)], coupling: [] }
    }

    /// Adds M⁻¹Jᵀ of a normal impulse.
    #[inline(always)]
    fn apply_normal<L: Lane>(&self, at: At<L>, n: Vec3Lanes<L>, p: L, linear: &mut [Vec3Lanes<L>; 2]) {
        let inv_mass: [L; 2] = load(at, &self.inv_mass);
        let impulse = n.scale(p);
        linear[0] = linear[0] + impulse.scale(inv_mass[0]);
        linear[1] = linear[1] - impulse.scale(inv_mass[1]);
    }
}

impl Kind for Balls {
    const EMPTY: Self = Self::EMPTY;
    const NORMAL_BYTES: usize = size_of::<First>();
    const AT_BASELINE: bool = false;
    const BATCHES_OF_CHUNK: usize = 16;

    #[inline(always)]
    fn prepare<L: Lane>(
        &mut self,
        at: At<L>,
        fill: &Fill,
        soft: &Softness,
        lanes: &[u32; WIDTH],
        bodies: &LentBodies,
        _: &mut SideRows,
    ) {
        let zero = at.splat(0.0);
        fill_part(at, fill, lanes, bodies, self);
        at.store(zero, &mut self.total);
        store(at, &[zero; 2], &mut self.tangential_total);
        let [a, b]: [L; 2] = load(at, &self.first.inv_mass);
        let (lever, inertia): ([L; 2], [L; 2]) = (load(at, &self.lever), load(at, &self.inv_inertia));
        let turning = lever[0] * lever[0] * inertia[0] + lever[1] * lever[1] * inertia[1];
        at.store(inverse_of(a + b), &mut self.first.inverse);
        at.store(inverse_of(a + b + turning), &mut self.per_slip);
        let frame = self.frame(at);
        let gap = at.load(&self.first.gap);
        let is_open = L::any(zero.lt(gap));
        if is_open {
            let kick = Motion::gather(at, bodies.kick, &self.first.body);
            let kicked = frame.n.dot(kick.linear[0] - kick.linear[1]);
            at.store(open_gap(gap, kicked, fill.problem.h), &mut self.first.gap);
        }
        let is_biased = soft.bias[0] > 0.0 && L::any(gap.lt(zero));
        self.first.is_open[at.half()] = is_open || is_biased;
        self.first.is_deep[at.half()] = L::any(is_deep(soft, gap));
        let mut motion = Motion::gather(at, &bodies.v, &self.first.body);
        let [a, b]: [L; 2] = load(at, &self.tangential);
        self.apply(at, &frame, [at.load(&self.first.lambda), a, b], &mut motion);
        motion.scatter(at, &bodies.v, &self.first.body);
    }

    #[inline(always)]
    fn normal_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        options: PassOptions,
        bodies: &LentBodies,
        _: &SideRows,
    ) {
        let batch = &mut self.first;
        let LentBodies { v, s, .. } = bodies;
        let n = vector(at, &batch.normal);
        let start = at.load(&batch.gap);
        let mut gap = [start];
        let pushes = options.push_out && batch.is_deep[at.half()];
        if pushes || (!options.push_out && batch.is_open[at.half()]) {
            let mut moved = Motion::gather(at, s, &batch.body);
            let now = [start + n.dot(moved.linear[0] - moved.linear[1])];
            if pushes {
                let [kappa] = push_out(soft, &batch.row(at), &[start], &now);
                batch.apply_normal(at, n, kappa, &mut moved.linear);
                moved.scatter(at, s, &batch.body);
            } else {
                gap = gaps_now([start], now);
            }
        }
        let mut motion = Motion::gather(at, v, &batch.body);
        let u = n.dot(motion.linear[0] - motion.linear[1]);
        let lambda = [at.load(&batch.lambda)];
        let over_relaxation = at.splat(options.over_relaxation);
        let new = normals_in_turn(soft, &batch.row(at), [u], gap, lambda, over_relaxation);
        at.store(new[0], &mut batch.lambda);
        if batch.is_open[at.half()] {
            at.store(landed(&new, gap)[0], &mut batch.gap_now);
        }
        batch.apply_normal(at, n, new[0] - lambda[0], &mut motion.linear);
        motion.scatter_linear(at, v, &batch.body);
    }

    #[inline(always)]
    fn contact_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        is_last: bool,
        bodies: &LentBodies,
        _: &SideRows,
    ) {
        let v = &bodies.v;
        let frame = self.frame(at);
        let gap = at.load(if self.first.is_open[at.half()] { &self.first.gap_now } else { &self.first.gap });
        let mut motion = Motion::gather(at, v, &self.first.body);
        let lambda = at.load(&self.first.lambda);
        let [stick, slip]: [L; 2] = load(at, &self.mu);
        let (zero, one) = (at.splat(0.0), at.splat(1.0));
        let per_slip = at.load(&self.per_slip);
        let plane = Plane { inverse: [per_slip, zero, per_slip], step: per_slip };
        let p: [L; 2] = load(at, &self.tangential);
        let [u, u1, u2] = self.rates(at, &frame, &motion);
        let (mut tangential, slips) = stick_impulse(&plane, [u1, u2], p, stick * lambda);
        if L::any(slips) {
            let bound = SlipBound { mu: slip, load: lambda, load_response: [zero; 2] };
            let slid = slip_impulse(&plane, [u1, u2], p, &bound);
            tangential = [L::select(slips, slid[0], tangential[0]), L::select(slips, slid[1], tangential[1])];
        }
        let [new] = normals_in_turn(soft, &self.first.row(at), [u], [gap], [lambda], one);
        at.store(new, &mut self.first.lambda);
        store(at, &tangential, &mut self.tangential);
        if is_last {
            at.store(at.load(&self.total) + new, &mut self.total);
            let sum: [L; 2] = load(at, &self.tangential_total);
            store(at, &[sum[0] + tangential[0], sum[1] + tangential[1]], &mut self.tangential_total);
        }
        self.apply(at, &frame, [new - lambda, tangential[0] - p[0], tangential[1] - p[1]], &mut motion);
        motion.scatter(at, v, &self.first.body);
    }

    #[inline(always)]
    fn book<L: Lane>(&self, at: At<L>, soft: &Softness, _: &Bodies, mean: &Velocity, books: &mut Books<L>) {
        let motion = Motion::gather(at, mean, &self.first.body);
        let rates = self.rates(at, &self.frame(at), &motion);
        let p: [L; 2] = load(at, &self.tangential_total);
        books.book_point(soft, at.load(&self.total), p, rates, at.load(&self.first.gap));
    }

    #[inline(always)]
    fn collect(&self, lane: usize, item: &Item, collector: &mut Collector) {
        let p = [self.total[lane], self.tangential_total[0][lane], self.tangential_total[1][lane]];
        collector.ball(item, p, self.first.gap[lane], [self.first.body[0][lane], self.first.body[1][lane]]);
    }

    #[inline(always)]
    fn prefetch_bodies(&self, v: &LentVelocity) {
        prefetch_twists(&self.first.body, v);
    }

    #[cfg(test)]
    fn numbers(&self, lane: usize) -> Vec<f64> {
        self.numbers(lane)
    }

    #[cfg(test)]
    fn impulse(&self, lane: usize) -> [f64; 2] {
        let [a, b] = self.tangential_total.map(|p| p[lane]);
        [self.total[lane], (a * a + b * b).sqrt()]
    }
}

/// Writes the items of the lanes of `at`.
#[inline(always)]
fn fill_part<L: Lane>(at: At<L>, fill: &Fill, lanes: &[u32; WIDTH], bodies: &LentBodies, batch: &mut Balls) {
    let groups = fill.problem.groups;
    let (mut normal, mut tangent) = ([[0.0; 4]; WIDTH], [[0.0; 4]; WIDTH]);
    let (mut weight, mut press) = ([[0.0; 4]; WIDTH], [[0.0; 4]; WIDTH]);
    let mut lever = [[0.0; 4]; WIDTH];
    for i in 0..L::WIDTH {
        let index = lanes[at.first() + i];
        if index == PADDING {
            batch.first.body[0][at.first() + i] = bodies.fixed();
            batch.first.body[1][at.first() + i] = bodies.fixed();
            normal[i][0] = 1.0;
            tangent[i][1] = 1.0;
            continue;
        }
        let item = fill.items[index as usize];
        let (head, place) = (&groups.heads[item.head as usize], item.point(0));
        let (point, material) = (&groups.points[place], &groups.materials[head.material as usize]);
        let (n, t) = (head.normal, head.tangent);
        normal[i] = [n.x, n.y, n.z, material.friction_static];
        tangent[i] = [t.x, t.y, t.z, material.friction_dynamic];
        for side in 0..2 {
            let (body, inertia) = fill.body(head.side[side], bodies);
            batch.first.body[side][at.first() + i] = body;
            weight[i][side] = inertia.inv_mass.x;
            weight[i][2 + side] = inertia.inv_inertia.xx;
            lever[i][side] = n.dot(point.arm[side]);
        }
        let warm = fill.warm.points.get(place).copied().unwrap_or_default();
        press[i] = [warm[0], warm[1], warm[2], gap_of(fill.problem, head, place)];
    }
    let [x, y, z, stick] = L::columns(at.token, &normal);
    store(at, &[x, y, z], &mut batch.first.normal);
    let [x, y, z, slip] = L::columns(at.token, &tangent);
    store(at, &[x, y, z], &mut batch.tangent);
    store(at, &[stick, slip], &mut batch.mu);
    let [a, b, of_a, of_b] = L::columns(at.token, &weight);
    store(at, &[a, b], &mut batch.first.inv_mass);
    store(at, &[of_a, of_b], &mut batch.inv_inertia);
    let [a, b, _, _] = L::columns(at.token, &lever);
    store(at, &[a, b], &mut batch.lever);
    let [p, a, b, gap] = L::columns(at.token, &press);
    let zero = L::splat(at.token, 0.0);
    let share = L::select(zero.lt(p), L::splat(at.token, fill.share), zero);
    at.store(p * share, &mut batch.first.lambda);
    store(at, &[a * share, b * share], &mut batch.tangential);
    at.store(gap, &mut batch.first.gap);
}
