//! From the groups of a problem to batches: colours, lanes, and what the passes need of each manifold.

use super::batch::{At, Batch, Motion, PADDING, Wide, load, respond, store, vector};
use super::body::Bodies;
use super::finish::Touched;
use super::law::{extremes, pair};
use super::narrow::{Narrow, NarrowRow};
use super::softness::{FrictionAt, Softness};
use crate::coloring::{COLOURS, Coloring};
use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Head, Impulse, Law, Settings, Side, Warm};
use huygens_math::lanes::{Lane, Level, Vec3Lanes, WIDTH};
use huygens_math::{BlockInertia, FreeInertia, Twist};
use std::ops::Range;

/// Shapes of a batch: one point, two, up to four.
const SHAPES: usize = 3;

/// A manifold, or one point of it, on its way to a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub head: u32,
    /// First point.
    pub first: u32,
    pub len: u8,
    pub colour: u8,
}

impl Item {
    /// Which list of batches it goes to.
    #[inline(always)]
    fn shape(self) -> usize {
        match self.len {
            1 => 0,
            2 => 1,
            _ => 2,
        }
    }
}

/// Room of `soft-step`.
#[derive(Clone, Debug)]
pub(crate) struct SoftScratch {
    pub(super) level: Level,
    pub(super) bodies: Bodies,
    coloring: Coloring,
    pub(super) items: Vec<Item>,
    /// Contacts that are solved one by one: trees, locked bodies, and what found no colour.
    pub(super) narrow: Vec<Narrow>,
    /// Limits, joints and motors.
    pub(super) rows: Vec<NarrowRow>,
    pub(super) ones: Vec<Batch<1, 0, 0>>,
    pub(super) twos: Vec<Batch<2, 1, 1>>,
    pub(super) fours: Vec<Batch<4, 6, 1>>,
    /// Batches of each colour, for each shape.
    pub(super) colours: Vec<[Range<usize>; SHAPES]>,
    /// Next lane of each colour and shape while the batches are filled.
    cursor: Vec<[usize; SHAPES]>,
    pub(super) touched: Touched,
    /// Mean velocity of the step, for the books.
    pub(super) mean: Vec<Twist>,
}

impl Default for SoftScratch {
    fn default() -> Self {
        Self {
            level: Level::new(),
            bodies: Bodies::default(),
            coloring: Coloring::default(),
            items: Vec::new(),
            narrow: Vec::new(),
            rows: Vec::new(),
            ones: Vec::new(),
            twos: Vec::new(),
            fours: Vec::new(),
            colours: Vec::new(),
            cursor: Vec::new(),
            touched: Touched::default(),
            mean: Vec::new(),
        }
    }
}

impl SoftScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        self.coloring.reserve(room);
        self.bodies.reserve(room);
        self.touched.reserve(room);
        reserve(&mut self.mean, room.bodies + 16);
        reserve(&mut self.items, room.groups);
        reserve(&mut self.colours, COLOURS);
        reserve(&mut self.cursor, COLOURS);
        let batches = room.groups / WIDTH + COLOURS;
        reserve(&mut self.ones, batches);
        reserve(&mut self.twos, batches / 2 + COLOURS);
        reserve(&mut self.fours, batches / 2 + COLOURS);
    }

    /// Sorts the groups into lanes and what is solved one by one.
    pub(super) fn arrange(&mut self, problem: &ContactProblem, friction: FrictionAt) {
        self.items.clear();
        self.narrow.clear();
        self.rows.clear();
        self.cursor.clear();
        self.coloring.reset(problem.v_start.free.len());
        for (at, head) in problem.groups.heads.iter().enumerate() {
            if head.law != Law::Contact {
                self.rows.extend(head.range().map(|i| NarrowRow::new(at, i)));
                continue;
            }
            let is_wide = head.side.iter().all(|side| is_plain(problem.move_inertia, *side));
            match friction {
                FrictionAt::Patch => self.place(head, at, is_wide, head.first, head.len),
                FrictionAt::Point => head.range().for_each(|i| self.place(head, at, is_wide, i as u32, 1)),
            }
        }
        let mut ends = [0; SHAPES];
        self.colours.clear();
        for cursor in &mut self.cursor {
            let mut ranges = [0..0, 0..0, 0..0];
            for shape in 0..SHAPES {
                let batches = cursor[shape].div_ceil(WIDTH);
                ranges[shape] = ends[shape]..ends[shape] + batches;
                cursor[shape] = ends[shape] * WIDTH;
                ends[shape] += batches;
            }
            self.colours.push(ranges);
        }
        fit(&mut self.ones, ends[0]);
        fit(&mut self.twos, ends[1]);
        fit(&mut self.fours, ends[2]);
    }

    /// Prepares what is solved one by one, and applies its warm start.
    pub(super) fn prepare_single(
        &mut self,
        settings: &Settings,
        problem: &ContactProblem,
        warm: Warm,
        share: f64,
    ) {
        for narrow in &mut self.narrow {
            narrow.prepare(problem, warm.points, share, &mut self.bodies.v);
        }
        for row in &mut self.rows {
            let old = warm.rows.get(row.row as usize).copied().unwrap_or_default();
            row.prepare(settings, problem, old, share, &mut self.bodies.v);
        }
    }

    /// Finds a colour for points of a contact.
    fn place(&mut self, head: &Head, at: usize, is_wide: bool, first: u32, len: u8) {
        let sides = head.side.map(|side| if let Side::Free(i) = side { Some(i) } else { None });
        let Some(colour) = is_wide.then(|| self.coloring.assign(sides)).flatten() else {
            self.narrow.push(Narrow::new(at, first, len));
            return;
        };
        let item = Item { head: at as u32, first, len, colour };
        if self.cursor.len() <= colour as usize {
            self.cursor.resize(colour as usize + 1, [0; SHAPES]);
        }
        self.cursor[colour as usize][item.shape()] += 1;
        self.items.push(item);
    }

    /// Writes what is known of each manifold into its lane.
    pub(super) fn fill(&mut self, problem: &ContactProblem, warm: &[Impulse], share: f64) {
        let fixed = self.bodies.fixed();
        for k in 0..self.items.len() {
            let item = self.items[k];
            let shape = item.shape();
            let slot = self.cursor[item.colour as usize][shape];
            self.cursor[item.colour as usize][shape] += 1;
            let source = Source { problem, warm, share, item, index: k as u32, fixed };
            let (batch, lane) = (slot / WIDTH, slot % WIDTH);
            match shape {
                0 => source.write(&mut self.ones[batch], lane),
                1 => source.write(&mut self.twos[batch], lane),
                _ => source.write(&mut self.fours[batch], lane),
            }
        }
        for (cursor, ranges) in self.cursor.iter().zip(&self.colours) {
            let rest = |shape: usize| cursor[shape]..ranges[shape].end * WIDTH;
            rest(0).for_each(|slot| pad(&mut self.ones[slot / WIDTH], slot % WIDTH, fixed));
            rest(1).for_each(|slot| pad(&mut self.twos[slot / WIDTH], slot % WIDTH, fixed));
            rest(2).for_each(|slot| pad(&mut self.fours[slot / WIDTH], slot % WIDTH, fixed));
        }
    }
}

/// What a wide batch can carry: one inverse mass for all directions, no tree.
#[inline(always)]
fn is_plain(inertia: &BlockInertia, side: Side) -> bool {
    match side {
        Side::Fixed | Side::Driven(_) => true,
        Side::Free(i) => {
            let m = inertia.free[i as usize].inv_mass;
            m.x == m.y && m.y == m.z
        }
        Side::Tree(_) => false,
    }
}

fn fit<const N: usize, const M: usize, const T: usize>(list: &mut Vec<Batch<N, M, T>>, len: usize) {
    if list.len() < len {
        list.resize(len, Batch::EMPTY);
    }
    list.truncate(len);
}

/// One item with all that its lane is made of.
struct Source<'a> {
    problem: &'a ContactProblem<'a>,
    warm: &'a [Impulse],
    /// Share of the warm-start impulses that a sub-step has.
    share: f64,
    item: Item,
    index: u32,
    fixed: u32,
}

impl Source<'_> {
    /// Raw numbers into a lane: points' arms where `turn` will be, warm tangential impulses where `now` and `total` will be.
    #[inline(always)]
    fn write<const N: usize, const M: usize, const T: usize>(&self, batch: &mut Batch<N, M, T>, lane: usize) {
        let groups = self.problem.groups;
        let head = &groups.heads[self.item.head as usize];
        batch.item[lane] = self.index;
        put(&mut batch.normal, lane, head.normal.to_array());
        put(&mut batch.tangent, lane, head.tangent.to_array());
        for side in 0..2 {
            let (body, block) = self.body(head.side[side]);
            batch.body[side][lane] = body;
            batch.inv_mass[side][lane] = block.inv_mass.x;
            let i = &block.inv_inertia;
            put(&mut batch.inv_inertia[side], lane, [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
        }
        let material = &groups.materials[head.material as usize];
        put(&mut batch.mu, lane, [material.friction_static, material.friction_dynamic]);
        for k in 0..N {
            // A missing point repeats the last one, with no weight: its normal is never pressed.
            let is_real = k < self.item.len as usize;
            let i = self.item.first as usize + if is_real { k } else { self.item.len as usize - 1 };
            let point = &groups.points[i];
            put(&mut batch.turn[k][0], lane, point.arm[0].to_array());
            put(&mut batch.turn[k][1], lane, point.arm[1].to_array());
            batch.gap[k][lane] = point.gap;
            batch.inverse[k][lane] = if is_real { 1.0 } else { 0.0 };
            let warm = self.warm.get(i).filter(|_| is_real).map_or([0.0; 3], |p| p.map(|p| p * self.share));
            let is_pressed = warm[0] > 0.0;
            batch.lambda[k][lane] = if is_pressed { warm[0] } else { 0.0 };
            batch.now[k][lane] = if is_pressed { warm[1] } else { 0.0 };
            batch.total[k][lane] = if is_pressed { warm[2] } else { 0.0 };
        }
    }

    #[inline(always)]
    fn body(&self, side: Side) -> (u32, FreeInertia) {
        match side {
            Side::Free(i) => (i, self.problem.move_inertia.free[i as usize]),
            Side::Driven(i) => (self.fixed + 1 + i, FreeInertia::FIXED),
            Side::Fixed | Side::Tree(_) => (self.fixed, FreeInertia::FIXED),
        }
    }
}

/// A lane that does nothing.
fn pad<const N: usize, const M: usize, const T: usize>(batch: &mut Batch<N, M, T>, lane: usize, fixed: u32) {
    batch.item[lane] = PADDING;
    put(&mut batch.normal, lane, [1.0, 0.0, 0.0]);
    put(&mut batch.tangent, lane, [0.0, 1.0, 0.0]);
    put(&mut batch.mu, lane, [0.0; 2]);
    for side in 0..2 {
        batch.body[side][lane] = fixed;
        batch.inv_mass[side][lane] = 0.0;
        put(&mut batch.inv_inertia[side], lane, [0.0; 6]);
    }
    for k in 0..N {
        for side in 0..2 {
            put(&mut batch.turn[k][side], lane, [0.0; 3]);
        }
        for list in [&mut batch.gap, &mut batch.inverse, &mut batch.lambda, &mut batch.now, &mut batch.total]
        {
            list[k][lane] = 0.0;
        }
    }
}

#[inline(always)]
fn put<const K: usize>(to: &mut [Wide; K], lane: usize, from: [f64; K]) {
    for (to, from) in to.iter_mut().zip(from) {
        to[lane] = from;
    }
}

/// Turns the raw numbers of each lane into what the passes need, and applies the warm start.
#[inline(always)]
pub(super) fn prepare<L: Lane, const N: usize, const M: usize, const T: usize>(
    token: L::Token,
    h: f64,
    soft: &Softness,
    batches: &mut [Batch<N, M, T>],
    bodies: &mut Bodies,
) {
    for batch in batches {
        prepare_part(At::<L, 0> { token }, h, soft, batch, bodies);
        if L::WIDTH < WIDTH {
            prepare_part(At::<L, 4> { token }, h, soft, batch, bodies);
        }
    }
}

#[inline(always)]
fn prepare_part<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    h: f64,
    soft: &Softness,
    batch: &mut Batch<N, M, T>,
    bodies: &mut Bodies,
) {
    let zero = L::splat(at.token, 0.0);
    let frame = Frame::of(at, batch);
    let warm: [[L; N]; 2] = [load(at, &batch.now), load(at, &batch.total)];
    store(at, &[zero; N], &mut batch.total);
    store(at, &[zero; 2], &mut batch.rub_total);
    let plane = middle(at, batch, &frame);
    start_friction(at, batch, &plane, &warm);
    normal_rows(at, batch, &frame);
    tangent_rows(at, batch, &frame);
    let kicked = Motion::gather(at, &bodies.kick, &batch.body);
    open_gaps(at, h, batch, &kicked);
    let [least, most] = extremes(&load(at, &batch.gap));
    batch.is_open[A / 4] = L::any(zero.lt(most));
    batch.is_deep[A / 4] = L::any(least.lt(L::splat(at.token, -soft.slop)));
    let mut motion = Motion::gather(at, &bodies.v.free, &batch.body);
    apply_warm(at, batch, &frame, &mut motion);
    motion.scatter(at, &mut bodies.v.free, &batch.body);
}

/// The axes of eight manifolds.
struct Frame<L> {
    n: Vec3Lanes<L>,
    t1: Vec3Lanes<L>,
    t2: Vec3Lanes<L>,
}

impl<L: Lane> Frame<L> {
    #[inline(always)]
    fn of<const A: usize, const N: usize, const M: usize, const T: usize>(
        at: At<L, A>,
        batch: &Batch<N, M, T>,
    ) -> Self {
        let (n, t1) = (vector(at, &batch.normal), vector(at, &batch.tangent));
        Self { n, t1, t2: n.cross(t1) }
    }
}

/// Where the points lie in the plane of the contact, about their middle.
struct InPlane<L, const N: usize> {
    /// 1 for a point, 0 for padding.
    real: [L; N],
    /// ρ_k along t₁ and t₂, 0 for padding.
    rho: [[L; 2]; N],
    /// 1/S, or 0.
    inv_square: L,
}

/// Finds the middle of the points and the twist row.
#[inline(always)]
fn middle<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
) -> InPlane<L, N> {
    let (zero, one) = (L::splat(at.token, 0.0), L::splat(at.token, 1.0));
    let real: [L; N] = load(at, &batch.inverse);
    let mut count = real[0];
    for k in 1..N {
        count += real[k];
    }
    let share = one / count.max(one);
    for side in 0..2 {
        let mut sum = vector(at, &batch.turn[0][side]).scale(real[0]);
        for k in 1..N {
            sum = sum + vector(at, &batch.turn[k][side]).scale(real[k]);
        }
        let c = sum.scale(share);
        store(at, &[c.x, c.y, c.z], &mut batch.arm[side]);
    }
    let c = vector(at, &batch.arm[0]);
    let mut rho = [[zero; 2]; N];
    let mut square = zero;
    let mut tilt = [zero; 2];
    for k in 0..N {
        let x = vector(at, &batch.turn[k][0]) - c;
        let (a, b, z) = (frame.t1.dot(x) * real[k], frame.t2.dot(x) * real[k], frame.n.dot(x));
        rho[k] = [a, b];
        square += a * a + b * b;
        tilt = [tilt[0] + z * a, tilt[1] + z * b];
    }
    let inv_square =
        L::select(zero.lt(square), one / square.max(L::splat(at.token, f64::MIN_POSITIVE)), zero);
    for i in 0..T {
        let d = frame.n - (frame.t1.scale(tilt[0]) + frame.t2.scale(tilt[1])).scale(inv_square);
        let w = d.dot(respond(at, &batch.inv_inertia[0], d)) + d.dot(respond(at, &batch.inv_inertia[1], d));
        let spin = &mut batch.spin[i];
        store(at, &[d.x, d.y, d.z], &mut spin.axis);
        let is_wide = zero.lt(inv_square * w);
        at.store(L::select(is_wide, one / L::select(is_wide, w, one), zero), &mut spin.inverse);
        for k in 0..N {
            at.store((rho[k][0] * rho[k][0] + rho[k][1] * rho[k][1]).sqrt(), &mut spin.lever[k]);
        }
    }
    InPlane { real, rho, inv_square }
}

/// Tangential impulse and twist that the warm-start impulses of the points add up to.
#[inline(always)]
fn start_friction<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    plane: &InPlane<L, N>,
    warm: &[[L; N]; 2],
) {
    let zero = L::splat(at.token, 0.0);
    let (mut sum, mut turn) = ([zero; 2], zero);
    for k in 0..N {
        let p = [warm[0][k] * plane.real[k], warm[1][k] * plane.real[k]];
        sum = [sum[0] + p[0], sum[1] + p[1]];
        turn += plane.rho[k][0] * p[1] - plane.rho[k][1] * p[0];
    }
    store(at, &sum, &mut batch.rub);
    for i in 0..T {
        at.store(L::select(zero.lt(plane.inv_square), turn, zero), &mut batch.spin[i].lambda);
        at.store(zero, &mut batch.spin[i].total);
    }
}

/// Angular parts and W of the normals.
#[inline(always)]
fn normal_rows<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
) {
    let (zero, one) = (L::splat(at.token, 0.0), L::splat(at.token, 1.0));
    for k in 0..N {
        for side in 0..2 {
            let turn = vector(at, &batch.turn[k][side]).cross(frame.n);
            store(at, &[turn.x, turn.y, turn.z], &mut batch.turn[k][side]);
        }
    }
    let [a, b]: [L; 2] = load(at, &batch.inv_mass);
    let mass = a + b;
    for j in 0..N {
        let a = respond(at, &batch.inv_inertia[0], vector(at, &batch.turn[j][0]));
        let b = respond(at, &batch.inv_inertia[1], vector(at, &batch.turn[j][1]));
        let is_real = at.load(&batch.inverse[j]);
        for i in 0..=j {
            let turn = &batch.turn[i];
            let w = mass + vector(at, &turn[0]).dot(a) + vector(at, &turn[1]).dot(b);
            if i < j {
                at.store(w, &mut batch.coupling[pair(i, j)]);
                continue;
            }
            let moves = zero.lt(w * is_real);
            at.store(L::select(moves, one / L::select(moves, w, one), zero), &mut batch.inverse[j]);
        }
    }
}

/// W_tt at the middle of the points.
#[inline(always)]
fn tangent_rows<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
) {
    let (zero, one, half) = (L::splat(at.token, 0.0), L::splat(at.token, 1.0), L::splat(at.token, 0.5));
    let [ma, mb]: [L; 2] = load(at, &batch.inv_mass);
    let mass = ma + mb;
    let (mut w11, mut w12, mut w22) = (mass, zero, mass);
    for side in 0..2 {
        let arm = vector(at, &batch.arm[side]);
        let (x, y) = (arm.cross(frame.t1), arm.cross(frame.t2));
        let (ix, iy) = (respond(at, &batch.inv_inertia[side], x), respond(at, &batch.inv_inertia[side], y));
        w11 += x.dot(ix);
        w12 += x.dot(iy);
        w22 += y.dot(iy);
    }
    let det = w11 * w22 - w12 * w12;
    let moves = zero.lt(det);
    let inv = L::select(moves, one / L::select(moves, det, one), zero);
    let spread = (w11 - w22) * half;
    let largest = (w11 + w22) * half + (spread * spread + w12 * w12).sqrt();
    let step = L::select(moves, one / L::select(moves, largest, one), zero);
    store(at, &[w22 * inv, -w12 * inv, w11 * inv, step], &mut batch.plane);
}

/// Lets an open gap take what free flight within a sub-step needs: displacements are summed from the end velocities of sub-steps, and
/// fall short of the true path by half a sub-step of what the kick adds. Without this a body would be stopped before it lands.
#[inline(always)]
fn open_gaps<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    h: f64,
    batch: &mut Batch<N, M, T>,
    kick: &Motion<L>,
) {
    let zero = L::splat(at.token, 0.0);
    let kicked = batch.normal_rates(at, kick);
    for k in 0..N {
        let gap = at.load(&batch.gap[k]);
        let slack = (kicked[k] * L::splat(at.token, -0.5 * h)).max(zero);
        at.store(L::select(zero.lt(gap), gap + slack, gap), &mut batch.gap[k]);
    }
}

/// Applies the impulses that the sub-step starts from.
#[inline(always)]
fn apply_warm<L: Lane, const A: usize, const N: usize, const M: usize, const T: usize>(
    at: At<L, A>,
    batch: &mut Batch<N, M, T>,
    frame: &Frame<L>,
    motion: &mut Motion<L>,
) {
    batch.push(at, load(at, &batch.lambda), motion);
    let [a, b]: [L; 2] = load(at, &batch.rub);
    let impulse = frame.t1.scale(a) + frame.t2.scale(b);
    let mut turn = batch.moments(at, impulse);
    for i in 0..T {
        let spin = &batch.spin[i];
        let about = vector(at, &spin.axis).scale(at.load(&spin.lambda));
        turn = [turn[0] + about, turn[1] + about];
    }
    batch.kick(at, impulse, turn, motion);
}
