//! From the groups of a problem to batches: colours, lanes, and what the passes need of each manifold.

use super::batch::{Batch, PADDING, Wide};
use super::body::Bodies;
use super::finish::Touched;
use super::narrow::{Narrow, NarrowRow};
use super::softness::FrictionAt;
use super::turning::NarrowCouple;
use crate::coloring::Coloring;
use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Groups, Head, Impulse, Law, Settings, Side, Velocity, Warm};
use huygens_math::lanes::{Level, WIDTH};
use huygens_math::{BlockInertia, FreeInertia, Twist};
use std::ops::Range;

/// Shapes of a batch: one point, two, up to four.
const SHAPES: usize = 3;

/// Rounds of the first pass in a step that starts cold: a stack that is put down at once, a blow, a body that comes from one support to
/// the next. Later steps start from the last one's answer. A large heap that falls has new points in every step; there only
/// a step in which nearly all is new gets them.
const COLD_ROUNDS: usize = 16;
/// Manifolds times rounds that are spent on a step of which a part is cold.
const COLD_WORK: usize = 2048;

/// Rounds of a step with so many manifolds, of whose `closed` points `cold` have no impulse to start from.
fn rounds(manifolds: usize, closed: usize, cold: usize) -> usize {
    if cold * 8 > closed * 7 {
        COLD_ROUNDS
    } else if cold * 4 > closed {
        (COLD_WORK / manifolds.max(1)).clamp(1, COLD_ROUNDS)
    } else {
        1
    }
}

/// Manifolds that are coloured together. Each colour of a block goes over the bodies of that block alone, not over all of a large scene.
const BLOCK: usize = 2048;

/// Colours of a block for which there is room from the start: few bodies touch more.
const USUAL_COLOURS: usize = 32;

/// A manifold, or one point of it, on its way to a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub head: u32,
    /// First point.
    pub first: u32,
    pub len: u8,
    /// Place of its block and colour in [`SoftScratch::colours`].
    pub colour: u32,
    /// Place of its belt among [`SoftScratch::belts`]; [`NO_BELT`] for none.
    pub belt: u32,
}

/// No belt.
const NO_BELT: u32 = u32::MAX;

/// Times that the second pass goes over what is solved one by one, where a motor or a friction couple acts against contacts.
const TURNING_ROUNDS: usize = 8;

/// A surface that moves along itself: a side that no impulse moves, with the velocity of its surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeltSide {
    side: usize,
    pub twist: Twist,
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
    /// Where the block that is being coloured begins, among the items and the colours.
    block: [usize; 2],
    pub(super) items: Vec<Item>,
    /// Contacts that are solved one by one: trees, locked bodies, and what found no colour.
    pub(super) narrow: Vec<Narrow>,
    /// Friction against spinning and rolling.
    pub(super) couples: Vec<NarrowCouple>,
    /// Limits, joints and motors.
    pub(super) rows: Vec<NarrowRow>,
    /// Sides whose surface moves along itself, each as a body of its own behind the drivers.
    pub(super) belts: Vec<BeltSide>,
    /// Times that the second pass goes over what is solved one by one.
    pub(super) turns: usize,
    pub(super) ones: Vec<Batch<1, 0, 0>>,
    pub(super) twos: Vec<Batch<2, 1, 1>>,
    pub(super) fours: Vec<Batch<4, 6, 1>>,
    /// Batches of each colour of each block, for each shape.
    pub(super) colours: Vec<[Range<usize>; SHAPES]>,
    /// Times that the first pass goes over all batches in each sub-step.
    pub(super) rounds: usize,
    /// Next lane of each of them while the batches are filled.
    cursor: Vec<[usize; SHAPES]>,
    pub(super) touched: Touched,
    /// Mean velocity of the step, for the books.
    pub(super) mean: Vec<Twist>,
    /// The way of the sub-steps beyond the integrator's, while the guard makes an answer of its own.
    pub(crate) way: Velocity,
}

impl Default for SoftScratch {
    fn default() -> Self {
        Self {
            level: Level::new(),
            bodies: Bodies::default(),
            coloring: Coloring::default(),
            block: [0; 2],
            items: Vec::new(),
            narrow: Vec::new(),
            couples: Vec::new(),
            rows: Vec::new(),
            belts: Vec::new(),
            turns: 1,
            ones: Vec::new(),
            twos: Vec::new(),
            fours: Vec::new(),
            colours: Vec::new(),
            rounds: 1,
            cursor: Vec::new(),
            touched: Touched::default(),
            mean: Vec::new(),
            way: Velocity::default(),
        }
    }
}

impl SoftScratch {
    /// Chooses the instructions.
    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        self.coloring.reserve(room);
        self.bodies.reserve(room);
        self.touched.reserve(room);
        reserve(&mut self.mean, room.bodies + 16);
        self.way.reserve(room);
        reserve(&mut self.items, room.groups);
        let colours = (room.groups / BLOCK + 1) * USUAL_COLOURS;
        reserve(&mut self.colours, colours);
        reserve(&mut self.cursor, colours);
        let batches = room.groups / WIDTH + colours;
        reserve(&mut self.ones, batches);
        reserve(&mut self.twos, batches / 2 + colours);
        reserve(&mut self.fours, batches / 2 + colours);
    }

    /// Sorts the groups into lanes and what is solved one by one.
    pub(super) fn arrange(&mut self, problem: &ContactProblem, friction: FrictionAt) {
        self.items.clear();
        self.narrow.clear();
        self.rows.clear();
        self.couples.clear();
        self.belts.clear();
        self.cursor.clear();
        self.block = [0; 2];
        self.coloring.reset(problem.v_start.free.len());
        for (at, head) in problem.groups.heads.iter().enumerate() {
            match head.law {
                Law::Contact => {
                    self.contact(problem, friction, at, head);
                    self.turn_over(problem.groups);
                }
                Law::Couple { .. } => {
                    self.couples.push(NarrowCouple::new(problem, at, head, &self.narrow));
                }
                _ => self.rows.extend(head.range().map(|i| NarrowRow::new(at, i))),
            }
        }
        let turns = !self.couples.is_empty() || !problem.groups.geared.is_empty();
        self.turns = if turns { TURNING_ROUNDS } else { 1 };
        self.bodies.add(self.belts.iter().map(|belt| belt.twist));
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

    /// Finds a place for a contact.
    fn contact(&mut self, problem: &ContactProblem, friction: FrictionAt, at: usize, head: &Head) {
        let groups = problem.groups;
        let material = &groups.materials[head.material as usize];
        let mut is_wide = head.side.iter().all(|side| is_plain(problem.move_inertia, *side))
            && material.friction_torsional <= 0.0
            && material.friction_rolling <= 0.0;
        if !groups.geared.is_empty() {
            is_wide &= !head
                .side
                .iter()
                .any(|side| matches!(side, Side::Free(_)) && groups.driver_of(*side).is_some());
        }
        let mut belt = NO_BELT;
        if let Some(moving) = groups.belt(head).filter(|_| is_wide) {
            let side = head.side.iter().position(|side| matches!(side, Side::Fixed | Side::Driven(_)));
            is_wide = side.is_some();
            if let Some(side) = side {
                belt = self.belts.len() as u32;
                let across = moving.velocity[side] - moving.velocity[1 - side];
                let driven = if let Side::Driven(i) = head.side[side] {
                    groups.driven[i as usize]
                } else {
                    Twist::ZERO
                };
                self.belts
                    .push(BeltSide { side, twist: driven + Twist::new(across, huygens_math::Vec3::ZERO) });
            }
        }
        let item = Item { head: at as u32, first: head.first, len: head.len, colour: 0, belt };
        match friction {
            FrictionAt::Patch => self.place(head, is_wide, item),
            FrictionAt::Point => {
                head.range()
                    .for_each(|i| self.place(head, is_wide, Item { first: i as u32, len: 1, ..item }));
            }
        }
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
        for couple in &mut self.couples {
            couple.prepare(problem, (warm.rows, share), &mut self.narrow, &mut self.bodies.v);
        }
        for row in &mut self.rows {
            let old = warm.rows.get(row.row as usize).copied().unwrap_or_default();
            row.prepare(settings, problem, old, share, &mut self.bodies.v);
        }
    }

    /// Finds a colour for points of a contact.
    fn place(&mut self, head: &Head, is_wide: bool, item: Item) {
        let Some(colour) = is_wide.then(|| self.coloring.assign(movable(head))).flatten() else {
            self.narrow.push(Narrow::new(item.head as usize, item.first, item.len));
            return;
        };
        let colour = self.block[1] + colour as usize;
        let item = Item { colour: colour as u32, ..item };
        if self.cursor.len() <= colour {
            self.cursor.resize(colour + 1, [0; SHAPES]);
        }
        self.cursor[colour][item.shape()] += 1;
        self.items.push(item);
    }

    /// Begins another block when this one is full.
    fn turn_over(&mut self, groups: &Groups) {
        if self.items.len() - self.block[0] < BLOCK {
            return;
        }
        for item in &self.items[self.block[0]..] {
            self.coloring.forget(movable(&groups.heads[item.head as usize]));
        }
        self.block = [self.items.len(), self.cursor.len()];
    }

    /// Writes what is known of each manifold into its lane.
    pub(super) fn fill(&mut self, problem: &ContactProblem, warm: &[Impulse], share: f64) {
        let fixed = self.bodies.fixed();
        let (mut closed, mut cold) = (0, 0);
        for (i, point) in problem.groups.points.iter().enumerate() {
            if point.gap <= 0.0 {
                closed += 1;
                cold += usize::from(warm.get(i).is_none_or(|p| p[0] <= 0.0));
            }
        }
        self.rounds = rounds(self.items.len() + self.narrow.len(), closed, cold);
        for k in 0..self.items.len() {
            let item = self.items[k];
            let shape = item.shape();
            let slot = self.cursor[item.colour as usize][shape];
            self.cursor[item.colour as usize][shape] += 1;
            let belt =
                self.belts.get(item.belt as usize).map(|belt| (belt.side, self.bodies.belt(item.belt)));
            let source = Source { problem, warm, share, item, index: k as u32, fixed, belt };
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

fn movable(head: &Head) -> [Option<u32>; 2] {
    head.side.map(|side| if let Side::Free(i) = side { Some(i) } else { None })
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
    /// The side whose surface moves along itself, and its place among the bodies.
    belt: Option<(usize, u32)>,
}

impl Source<'_> {
    /// Raw numbers into a lane. `inverse` says for now which points are real.
    #[inline(always)]
    fn write<const N: usize, const M: usize, const T: usize>(&self, batch: &mut Batch<N, M, T>, lane: usize) {
        let groups = self.problem.groups;
        let head = &groups.heads[self.item.head as usize];
        batch.item[lane] = self.index;
        put(&mut batch.normal, lane, head.normal.to_array());
        put(&mut batch.tangent, lane, head.tangent.to_array());
        for side in 0..2 {
            let (mut body, block) = self.body(head.side[side]);
            if let Some((_, place)) = self.belt.filter(|(moves, _)| *moves == side) {
                body = place;
            }
            batch.body[side][lane] = body;
            batch.inv_mass[side][lane] = block.inv_mass.x;
            let i = &block.inv_inertia;
            put(&mut batch.inv_inertia[side], lane, [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
        }
        let material = &groups.materials[head.material as usize];
        put(&mut batch.mu, lane, [material.friction_static, material.friction_dynamic]);
        let (first, len) = (self.item.first as usize, self.item.len as usize);
        let points = &groups.points[first..first + len];
        let mut middle = points[0].arm[0];
        for point in &points[1..] {
            middle += point.arm[0];
        }
        middle *= 1.0 / len as f64;
        put(&mut batch.arm[0], lane, middle.to_array());
        put(&mut batch.arm[1], lane, (middle + (points[0].arm[1] - points[0].arm[0])).to_array());
        let mut sum = Sums::default();
        for k in 0..N {
            let is_real = k < len;
            // A missing point stands in the middle and is never pressed.
            let point = &points[if is_real { k } else { 0 }];
            batch.gap[k][lane] = point.gap;
            batch.inverse[k][lane] = if is_real { 1.0 } else { 0.0 };
            let warm = self.warm.get(first + k).filter(|p| is_real && p[0] > 0.0);
            let warm = warm.map_or([0.0; 3], |p| [p[0] * self.share, p[1] * self.share, p[2] * self.share]);
            batch.lambda[k][lane] = warm[0];
            if T > 0 && is_real {
                let [z, x, y] = head.to_local(point.arm[0] - middle);
                batch.face[0].q[0][k][lane] = y;
                batch.face[0].q[1][k][lane] = -x;
                sum.add([x, y, z], warm);
            } else {
                sum.add([0.0; 3], warm);
                for i in 0..T {
                    batch.face[i].q[0][k][lane] = 0.0;
                    batch.face[i].q[1][k][lane] = 0.0;
                }
            }
        }
        put(&mut batch.rub, lane, sum.push);
        for i in 0..T {
            let face = &mut batch.face[i];
            let per_square = if sum.square > 0.0 { 1.0 / sum.square } else { 0.0 };
            put(&mut face.axis, lane, [-sum.tilt[0] * per_square, -sum.tilt[1] * per_square]);
            face.lambda[lane] = if sum.square > 0.0 { sum.twist } else { 0.0 };
            face.inverse[lane] = if sum.square > 0.0 { 1.0 } else { 0.0 };
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

/// What the points of a manifold add up to.
#[derive(Default)]
struct Sums {
    /// Σ|ρ|².
    square: f64,
    /// Σ z ρ.
    tilt: [f64; 2],
    /// Warm-start impulse in the plane, and its moment about n.
    push: [f64; 2],
    twist: f64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, [x, y, z]: [f64; 3], warm: Impulse) {
        self.square += x * x + y * y;
        self.tilt = [self.tilt[0] + z * x, self.tilt[1] + z * y];
        self.push = [self.push[0] + warm[1], self.push[1] + warm[2]];
        self.twist += x * warm[2] - y * warm[1];
    }
}

/// A lane that does nothing.
fn pad<const N: usize, const M: usize, const T: usize>(batch: &mut Batch<N, M, T>, lane: usize, fixed: u32) {
    batch.item[lane] = PADDING;
    put(&mut batch.normal, lane, [1.0, 0.0, 0.0]);
    put(&mut batch.tangent, lane, [0.0, 1.0, 0.0]);
    put(&mut batch.mu, lane, [0.0; 2]);
    put(&mut batch.rub, lane, [0.0; 2]);
    for side in 0..2 {
        batch.body[side][lane] = fixed;
        batch.inv_mass[side][lane] = 0.0;
        put(&mut batch.inv_inertia[side], lane, [0.0; 6]);
        put(&mut batch.arm[side], lane, [0.0; 3]);
    }
    for list in [&mut batch.gap, &mut batch.inverse, &mut batch.lambda] {
        put(list, lane, [0.0; N]);
    }
    for face in &mut batch.face {
        put(&mut face.q[0], lane, [0.0; N]);
        put(&mut face.q[1], lane, [0.0; N]);
        put(&mut face.axis, lane, [0.0; 2]);
        (face.lambda[lane], face.inverse[lane]) = (0.0, 0.0);
    }
}

#[inline(always)]
fn put<const K: usize>(to: &mut [Wide; K], lane: usize, from: [f64; K]) {
    for (to, from) in to.iter_mut().zip(from) {
        to[lane] = from;
    }
}
