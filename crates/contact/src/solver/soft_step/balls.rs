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

use super::batch::{At, Frame, Motion, OfBodies, PADDING, Wide, load, look_ahead, store, vector};
use super::body::Bodies;
use super::fill::{Fill, gap_of};
use super::law::{Normals, Plane, follow, hold, inverse_of, is_deep, landed, press, push_apart, slide};
use super::pass::Haste;
use super::softness::Softness;
use crate::{ContactProblem, Head, Side};
use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH, prefetch};
use huygens_math::{Sym3, Twist};

/// Sine of the angle between an arm and the normal up to which the arm counts as along it: round-off of places.
const MOST_SINE: f64 = 1e-12;

const ZERO: Wide = [0.0; WIDTH];

/// What [`settle`] reads.
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
    /// Gap at the start of the step, and as [`pass`] sees it where some are open.
    pub gap: Wide,
    now: Wide,
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
    rub: [Wide; 2],
    pub rub_total: [Wide; 2],
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

impl OfBodies for Balls {
    #[inline(always)]
    fn body(&self) -> &[[u32; WIDTH]; 2] {
        &self.first.body
    }
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
            now: ZERO,
            lambda: ZERO,
        },
        tangent: [ZERO; 3],
        lever: [ZERO; 2],
        inv_inertia: [ZERO; 2],
        per_slip: ZERO,
        mu: [ZERO; 2],
        rub: [ZERO; 2],
        rub_total: [ZERO; 2],
        total: ZERO,
    };

    #[inline(always)]
    pub fn frame<L: Lane, const A: usize>(&self, at: At<L, A>) -> Frame<L> {
        Frame::new(at, &self.first.normal, &self.tangent)
    }

    /// Velocity along n, t₁ and t₂.
    #[inline(always)]
    pub fn rates<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        motion: &Motion<L>,
    ) -> [L; 3] {
        let v = motion.linear[0] - motion.linear[1];
        let [a, b]: [L; 2] = load(at, &self.lever);
        let rolling = motion.angular[0].scale(a) - motion.angular[1].scale(b);
        [frame.n.dot(v), frame.t1.dot(v) + frame.t2.dot(rolling), frame.t2.dot(v) - frame.t1.dot(rolling)]
    }

    /// Adds M⁻¹Jᵀ of an impulse along n, t₁ and t₂.
    #[inline(always)]
    fn strike<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        frame: &Frame<L>,
        p: [L; 3],
        motion: &mut Motion<L>,
    ) {
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
    /// All numbers of a lane but `now`, which is only there where a gap is open.
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
            &self.rub,
            &self.rub_total,
        ];
        singles.into_iter().chain(lists.into_iter().flatten()).map(|wide| wide[lane]).collect()
    }
}

impl First {
    #[inline(always)]
    fn row<L: Lane, const A: usize>(&self, at: At<L, A>) -> Normals<L, 1, 0> {
        Normals { inverse: [at.load(&self.inverse)], coupling: [] }
    }

    /// Adds M⁻¹Jᵀ of a normal impulse.
    #[inline(always)]
    fn push<L: Lane, const A: usize>(
        &self,
        at: At<L, A>,
        n: Vec3Lanes<L>,
        p: L,
        [a, b]: &mut [Vec3Lanes<L>; 2],
    ) {
        let inv_mass: [L; 2] = load(at, &self.inv_mass);
        let impulse = n.scale(p);
        *a = *a + impulse.scale(inv_mass[0]);
        *b = *b - impulse.scale(inv_mass[1]);
    }
}

/// Fills and prepares batches, and applies the impulses that they start from.
#[inline(always)]
pub(super) fn prepare<L: Lane>(
    token: L::Token,
    fill: Fill,
    soft: &Softness,
    (lanes, batches): (&[[u32; WIDTH]], &mut [Balls]),
    bodies: &mut Bodies,
) {
    for (i, here) in lanes.iter().enumerate() {
        if soft.looks_ahead
            && let Some(next) = lanes.get(i + 2)
        {
            fill.look_ahead(next);
        }
        if soft.looks_ahead
            && let (Some(next), Some(batch)) = (lanes.get(i + 1), batches.get(i + 1))
        {
            fill.look_at_bodies(next, &bodies.v.free);
            prefetch(batch);
        }
        let batch = &mut batches[i];
        prepare_part(At::<L, 0> { token }, fill, soft, (here, batch), bodies);
        if L::WIDTH < WIDTH {
            prepare_part(At::<L, 4> { token }, fill, soft, (here, batch), bodies);
        }
    }
}

#[inline(always)]
fn prepare_part<L: Lane, const A: usize>(
    at: At<L, A>,
    fill: Fill,
    soft: &Softness,
    (lanes, batch): (&[u32; WIDTH], &mut Balls),
    bodies: &mut Bodies,
) {
    let zero = L::splat(at.token, 0.0);
    fill_part(at, fill, lanes, bodies, batch);
    at.store(zero, &mut batch.total);
    store(at, &[zero; 2], &mut batch.rub_total);
    let [a, b]: [L; 2] = load(at, &batch.first.inv_mass);
    let (lever, inertia): ([L; 2], [L; 2]) = (load(at, &batch.lever), load(at, &batch.inv_inertia));
    let turning = lever[0] * lever[0] * inertia[0] + lever[1] * lever[1] * inertia[1];
    at.store(inverse_of(a + b), &mut batch.first.inverse);
    at.store(inverse_of(a + b + turning), &mut batch.per_slip);
    let frame = batch.frame(at);
    let gap = at.load(&batch.first.gap);
    let is_open = L::any(zero.lt(gap));
    if is_open {
        // As `open_gaps` of other batches.
        let kick = Motion::gather(at, &bodies.kick, &batch.first.body);
        let kicked = frame.n.dot(kick.linear[0] - kick.linear[1]);
        let slack = (kicked * L::splat(at.token, -0.5 * fill.problem.h)).min(gap).max(zero);
        at.store(L::select(zero.lt(gap), gap + slack, gap), &mut batch.first.gap);
    }
    let is_biased = soft.bias[0] > 0.0 && L::any(gap.lt(zero));
    batch.first.is_open[A / 4] = is_open || is_biased;
    batch.first.is_deep[A / 4] = L::any(is_deep(soft, gap));
    let mut motion = Motion::gather(at, &bodies.v.free, &batch.first.body);
    let rub: [L; 2] = load(at, &batch.rub);
    batch.strike(at, &frame, [at.load(&batch.first.lambda), rub[0], rub[1]], &mut motion);
    motion.scatter(at, &mut bodies.v.free, &batch.first.body);
}

/// Writes the items of lanes `A` and on.
#[inline(always)]
fn fill_part<L: Lane, const A: usize>(
    at: At<L, A>,
    fill: Fill,
    lanes: &[u32; WIDTH],
    bodies: &Bodies,
    batch: &mut Balls,
) {
    let groups = fill.problem.groups;
    let (mut normal, mut tangent) = ([[0.0; 4]; WIDTH], [[0.0; 4]; WIDTH]);
    let (mut weight, mut press) = ([[0.0; 4]; WIDTH], [[0.0; 4]; WIDTH]);
    let mut lever = [[0.0; 4]; WIDTH];
    for i in 0..L::WIDTH {
        let index = lanes[A + i];
        if index == PADDING {
            batch.first.body[0][A + i] = bodies.fixed();
            batch.first.body[1][A + i] = bodies.fixed();
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
            batch.first.body[side][A + i] = body;
            weight[i][side] = inertia.inv_mass.x;
            weight[i][2 + side] = inertia.inv_inertia.xx;
            lever[i][side] = n.dot(point.arm[side]);
        }
        let warm = fill.warm.get(place).copied().unwrap_or_default();
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
    store(at, &[a * share, b * share], &mut batch.rub);
    at.store(gap, &mut batch.first.gap);
}

/// As [`super::pass::settle`].
#[inline(always)]
pub(super) fn settle<L: Lane>(
    token: L::Token,
    soft: &Softness,
    haste: Haste,
    batches: &mut [Balls],
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    for i in 0..batches.len() {
        if soft.looks_ahead {
            look_ahead(batches, i, size_of::<First>(), v);
        }
        let batch = &mut batches[i].first;
        settle_part(At::<L, 0> { token }, soft, haste, batch, (v, s));
        if L::WIDTH < WIDTH {
            settle_part(At::<L, 4> { token }, soft, haste, batch, (v, s));
        }
    }
}

#[inline(always)]
fn settle_part<L: Lane, const A: usize>(
    at: At<L, A>,
    soft: &Softness,
    haste: Haste,
    batch: &mut First,
    (v, s): (&mut [Twist], &mut [Twist]),
) {
    let n = vector(at, &batch.normal);
    let start = at.load(&batch.gap);
    let mut gap = [start];
    let pushes = haste.push && batch.is_deep[A / 4];
    if pushes || batch.is_open[A / 4] {
        let mut moved = Motion::gather(at, s, &batch.body);
        let now = [start + n.dot(moved.linear[0] - moved.linear[1])];
        if pushes {
            let [kappa] = push_apart(soft, &batch.row(at), &[start], &now);
            batch.push(at, n, kappa, &mut moved.linear);
            moved.scatter(at, s, &batch.body);
        }
        gap = follow([start], now);
    }
    let mut motion = Motion::gather(at, v, &batch.body);
    let u = n.dot(motion.linear[0] - motion.linear[1]);
    let lambda = [at.load(&batch.lambda)];
    let new = press(soft, &batch.row(at), [u], gap, lambda, L::splat(at.token, haste.over));
    at.store(new[0], &mut batch.lambda);
    if batch.is_open[A / 4] {
        at.store(landed(&new, gap)[0], &mut batch.now);
    }
    batch.push(at, n, new[0] - lambda[0], &mut motion.linear);
    motion.scatter_linear(at, v, &batch.body);
}

/// As [`super::pass::pass`].
#[inline(always)]
pub(super) fn pass<L: Lane>(token: L::Token, soft: &Softness, batches: &mut [Balls], v: &mut [Twist]) {
    for i in 0..batches.len() {
        if soft.looks_ahead {
            look_ahead(batches, i, size_of::<Balls>(), v);
        }
        let batch = &mut batches[i];
        pass_part(At::<L, 0> { token }, soft, batch, v);
        if L::WIDTH < WIDTH {
            pass_part(At::<L, 4> { token }, soft, batch, v);
        }
    }
}

#[inline(always)]
fn pass_part<L: Lane, const A: usize>(at: At<L, A>, soft: &Softness, batch: &mut Balls, v: &mut [Twist]) {
    let frame = batch.frame(at);
    let gap = at.load(if batch.first.is_open[A / 4] { &batch.first.now } else { &batch.first.gap });
    let mut motion = Motion::gather(at, v, &batch.first.body);
    let lambda = at.load(&batch.first.lambda);
    let [stick, slip]: [L; 2] = load(at, &batch.mu);
    let (zero, one) = (L::splat(at.token, 0.0), L::splat(at.token, 1.0));
    let per_slip = at.load(&batch.per_slip);
    let plane = Plane { inverse: [per_slip, zero, per_slip], step: per_slip };
    let p: [L; 2] = load(at, &batch.rub);
    let [u, u1, u2] = batch.rates(at, &frame, &motion);
    let (mut rub, slips) = hold(&plane, [u1, u2], p, stick * lambda);
    if L::any(slips) {
        let slid = slide(&plane, [u1, u2], p, (slip, lambda), [zero; 2]);
        rub = [L::select(slips, slid[0], rub[0]), L::select(slips, slid[1], rub[1])];
    }
    let [new] = press(soft, &batch.first.row(at), [u], [gap], [lambda], one);
    at.store(new, &mut batch.first.lambda);
    at.store(at.load(&batch.total) + new, &mut batch.total);
    let sum: [L; 2] = load(at, &batch.rub_total);
    store(at, &rub, &mut batch.rub);
    store(at, &[sum[0] + rub[0], sum[1] + rub[1]], &mut batch.rub_total);
    batch.strike(at, &frame, [new - lambda, rub[0] - p[0], rub[1] - p[1]], &mut motion);
    motion.scatter(at, v, &batch.first.body);
}
