//! Which manifold goes to which lane of which batch: colours.

use super::balls::{Balls, are_balls};
use super::batch::{Batch, PADDING};
use super::body::Bodies;
use super::finish::Touched;
use super::narrow::{Narrow, NarrowRow};
use super::reach::Reach;
use super::softness::FrictionAt;
use super::turning::NarrowCouple;
use crate::coloring::Coloring;
use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Groups, Head, Impulse, Law, NO_COUPLE, Settings, Side, Warm};
use huygens_math::lanes::{Level, WIDTH};
use huygens_math::{BlockInertia, SplitMix, Twist};
use std::ops::Range;

/// Shapes of a batch: one point, two, up to four, balls.
const SHAPES: usize = 4;
const BALLS: usize = 3;

/// Rounds of the first pass in an island that starts cold: a stack that is put down at once, a blow, a body that comes from one support to
/// the next. Later steps start from the last one's answer. A large heap that falls has new points in every step; there only
/// a step in which nearly all is new gets them.
const COLD_ROUNDS: usize = 16;
/// Rounds where all is new and the island is small: five cubes that are put down then move by 1e-14 m instead of 1e-6 m.
const MOST_ROUNDS: usize = 64;
/// Manifolds times rounds that are spent on an island of which a part is cold.
const COLD_WORK: usize = 2048;

/// What an island has, and what follows from that alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Census {
    pub manifolds: usize,
    pub points: usize,
    /// Points that are closed, and how many of those have no impulse to start from.
    pub closed: usize,
    pub cold: usize,
    /// A motor with a torque limit or a friction couple acts against contacts.
    pub turning: bool,
}

impl Census {
    /// Counts the groups of an island.
    #[inline(always)]
    fn of(problem: &ContactProblem, warm: &[Impulse], island: &[u32]) -> Self {
        let groups = problem.groups;
        let mut census = Self::default();
        for head in island.iter().map(|&group| &groups.heads[group as usize]) {
            match head.law {
                Law::Contact => {
                    census.turning |= head.couple != NO_COUPLE;
                    census.manifolds += 1;
                    census.points += head.len as usize;
                    for i in head.range().filter(|&i| groups.points[i].gap <= 0.0) {
                        census.closed += 1;
                        census.cold += usize::from(warm.get(i).is_none_or(|p| p[0] <= 0.0));
                    }
                }
                Law::Drive { .. } => census.turning = true,
                Law::Equality | Law::Unilateral | Law::Bounded { .. } => {}
            }
        }
        census
    }

    /// Rounds of the first pass: a power of two, so that few sections are needed.
    fn rounds(&self) -> usize {
        let affordable = COLD_WORK / self.manifolds.max(1);
        let rounds = if self.cold * 8 > self.closed * 7 {
            affordable.clamp(COLD_ROUNDS, MOST_ROUNDS)
        } else if self.cold * 4 > self.closed {
            affordable.clamp(1, COLD_ROUNDS)
        } else {
            1
        };
        1 << rounds.ilog2()
    }

    /// Number of the section that the island belongs to.
    fn section(&self) -> usize {
        2 * self.rounds().ilog2() as usize + usize::from(self.turning)
    }
}

/// Sections that there can be: rounds 1, 2, 4 to 64, with and without turning.
const SECTIONS: usize = 14;

/// Islands that are solved alike: the same rounds and turns. They share batches, since no lane depends on those beside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// Places in [`SoftScratch::colours`], [`SoftScratch::narrow`], [`SoftScratch::couples`] and [`SoftScratch::rows`].
    pub colours: Range<usize>,
    pub narrow: Range<usize>,
    pub couples: Range<usize>,
    pub rows: Range<usize>,
    /// Times that the first pass goes over the batches in each sub-step.
    pub rounds: usize,
    /// Times that the second pass goes over what is solved one by one.
    pub turns: usize,
}

/// Manifolds that are coloured together. Each colour of a block goes over the bodies of that block alone, not over all of a large scene.
/// An island is in one block, or has blocks of its own: its order is then the same whatever else there is.
const BLOCK: usize = 2048;

/// Colours of a block for which there is room from the start: few bodies touch more.
const USUAL_COLOURS: usize = 32;

/// A manifold, or one point of it, on its way to a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub head: u32,
    /// First point of its contact, which of them it has, and how many.
    pub first: u32,
    pub list: [u8; 4],
    pub len: u8,
    /// It is a contact of balls.
    pub is_ball: bool,
    /// Place of its block and colour in [`SoftScratch::colours`].
    pub colour: u32,
    /// Place of its belt among [`SoftScratch::belts`]; [`NO_BELT`] for none.
    pub belt: u32,
}

/// No belt.
pub(super) const NO_BELT: u32 = u32::MAX;

/// Times that the second pass goes over what is solved one by one, where a motor or a friction couple acts against contacts.
const TURNING_ROUNDS: usize = 8;

/// A surface that moves along itself: a side that no impulse moves, with the velocity of its surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeltSide {
    pub side: usize,
    pub twist: Twist,
    /// Half of what its velocity changes by in the step ([`crate::Belt::run`]).
    pub run: Twist,
}

impl Item {
    /// Its points.
    #[inline(always)]
    pub fn point(self, k: usize) -> usize {
        self.first as usize + self.list[k] as usize
    }

    /// Which list of batches it goes to.
    #[inline(always)]
    fn shape(self) -> usize {
        match self.len {
            1 if self.is_ball => BALLS,
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
    reach: Reach,
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
    /// Islands by the work that they need, and the section of each island.
    pub(super) sections: Vec<Section>,
    census: Vec<Census>,
    pub(super) balls: Vec<Balls>,
    pub(super) ones: Vec<Batch<1, 0, 0>>,
    pub(super) twos: Vec<Batch<2, 1, 1>>,
    pub(super) fours: Vec<Batch<4, 6, 1>>,
    /// Batches of each colour of each block, for each shape.
    pub(super) colours: Vec<[Range<usize>; SHAPES]>,
    /// Next lane of each of them while items are given theirs.
    cursor: Vec<[usize; SHAPES]>,
    /// Which item each lane of each batch is, for each shape; [`PADDING`] for none.
    pub(super) lanes: [Vec<[u32; WIDTH]>; SHAPES],
    /// Contacts of a colour get their lanes in random order: a test of the law that no lane depends on those beside it.
    shuffle: Option<SplitMix>,
    pub(super) touched: Touched,
    /// Mean velocity of the step, for the books.
    pub(super) mean: Vec<Twist>,
}

impl Default for SoftScratch {
    fn default() -> Self {
        Self {
            level: Level::new(),
            bodies: Bodies::default(),
            reach: Reach::default(),
            coloring: Coloring::default(),
            block: [0; 2],
            items: Vec::new(),
            narrow: Vec::new(),
            couples: Vec::new(),
            rows: Vec::new(),
            belts: Vec::new(),
            sections: Vec::new(),
            census: Vec::new(),
            balls: Vec::new(),
            ones: Vec::new(),
            twos: Vec::new(),
            fours: Vec::new(),
            colours: Vec::new(),
            cursor: Vec::new(),
            lanes: Default::default(),
            shuffle: None,
            touched: Touched::default(),
            mean: Vec::new(),
        }
    }
}

impl SoftScratch {
    /// Chooses the instructions.
    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Takes over the instructions of another.
    pub(crate) fn choose_as(&mut self, other: &Self) {
        self.level = other.level;
    }

    /// Gives contacts of a colour their lanes in random order, another in each solve; in the order of the contacts without a seed.
    pub(crate) fn shuffle_lanes(&mut self, seed: Option<u64>) {
        self.shuffle = seed.map(SplitMix::new);
    }

    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        self.coloring.reserve(room);
        self.bodies.reserve(room);
        self.reach.reserve(room);
        self.touched.reserve(room);
        reserve(&mut self.mean, room.bodies + 16);
        reserve(&mut self.items, room.groups);
        reserve(&mut self.sections, SECTIONS);
        reserve(&mut self.census, room.groups.min(room.bodies + room.dofs));
        let colours = (room.groups / BLOCK + 1) * USUAL_COLOURS;
        reserve(&mut self.colours, colours);
        reserve(&mut self.cursor, colours);
        let batches = room.groups / WIDTH + colours;
        reserve(&mut self.balls, batches);
        reserve(&mut self.ones, batches);
        reserve(&mut self.twos, batches / 2 + colours);
        reserve(&mut self.fours, batches / 2 + colours);
        reserve(&mut self.lanes[0], batches);
        reserve(&mut self.lanes[1], batches / 2 + colours);
        reserve(&mut self.lanes[2], batches / 2 + colours);
        reserve(&mut self.lanes[BALLS], batches);
    }

    /// Bytes of all batches.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.ones)
            + size_of_val(&*self.twos)
            + size_of_val(&*self.fours)
            + size_of_val(&*self.balls)
    }

    /// Sorts the groups into lanes and what is solved one by one.
    #[inline(always)]
    pub(super) fn arrange(&mut self, problem: &ContactProblem, warm: &[Impulse], friction: FrictionAt) {
        self.items.clear();
        self.narrow.clear();
        self.rows.clear();
        self.couples.clear();
        self.belts.clear();
        self.cursor.clear();
        self.block = [0; 2];
        self.sections.clear();
        self.census.clear();
        self.reach.reset(problem);
        self.coloring.reset(problem.v_start.free.len());
        let mut count = [0; SECTIONS];
        for island in 0..problem.graph.islands() {
            let census = Census::of(problem, warm, problem.graph.groups(island));
            count[census.section()] += 1;
            self.census.push(census);
        }
        for section in (0..SECTIONS).filter(|&section| count[section] > 0) {
            self.section(problem, friction, section);
        }
        self.bodies.add(&self.belts);
        self.lay_out();
    }

    /// Finds places for the islands of a section.
    #[inline(always)]
    fn section(&mut self, problem: &ContactProblem, friction: FrictionAt, section: usize) {
        let ends = |scratch: &Self| {
            [scratch.cursor.len(), scratch.narrow.len(), scratch.couples.len(), scratch.rows.len()]
        };
        let first = ends(self);
        self.begin_block(problem.groups);
        for island in 0..self.census.len() {
            let census = self.census[island];
            if census.section() == section {
                self.island(problem, friction, problem.graph.groups(island), &census);
            }
        }
        let last = ends(self);
        self.sections.push(Section {
            colours: first[0]..last[0],
            narrow: first[1]..last[1],
            couples: first[2]..last[2],
            rows: first[3]..last[3],
            rounds: 1 << (section / 2),
            turns: if section % 2 == 1 { TURNING_ROUNDS } else { 1 },
        });
    }

    /// Finds places for an island.
    #[inline(always)]
    fn island(&mut self, problem: &ContactProblem, friction: FrictionAt, island: &[u32], census: &Census) {
        let is_large = census.manifolds > BLOCK;
        if is_large || self.items.len() - self.block[0] >= BLOCK {
            self.begin_block(problem.groups);
        }
        self.reach.find(problem, island, census);
        for at in island.iter().map(|&group| group as usize) {
            let head = &problem.groups.heads[at];
            match head.law {
                Law::Contact => {
                    self.contact(problem, friction, at, head);
                    if head.couple != NO_COUPLE {
                        self.couples.push(NarrowCouple::new(problem, at, head, &self.narrow));
                    }
                    if is_large && self.items.len() - self.block[0] >= BLOCK {
                        self.begin_block(problem.groups);
                    }
                }
                _ => self.rows.extend(head.range().map(|i| NarrowRow::new(at, i))),
            }
        }
        if is_large {
            self.begin_block(problem.groups);
        }
    }

    /// Gives every item its lane.
    #[inline(always)]
    fn lay_out(&mut self) {
        let mut ends = [0; SHAPES];
        self.colours.clear();
        for cursor in &mut self.cursor {
            let mut ranges = [0..0, 0..0, 0..0, 0..0];
            for shape in 0..SHAPES {
                let batches = cursor[shape].div_ceil(WIDTH);
                ranges[shape] = ends[shape]..ends[shape] + batches;
                cursor[shape] = ends[shape] * WIDTH;
                ends[shape] += batches;
            }
            self.colours.push(ranges);
        }
        fit(&mut self.ones, ends[0], Batch::EMPTY);
        fit(&mut self.twos, ends[1], Batch::EMPTY);
        fit(&mut self.fours, ends[2], Batch::EMPTY);
        fit(&mut self.balls, ends[BALLS], Balls::EMPTY);
        for (lanes, batches) in self.lanes.iter_mut().zip(ends) {
            lanes.clear();
            lanes.resize(batches, [PADDING; WIDTH]);
        }
        for (k, item) in self.items.iter().enumerate() {
            let slot = &mut self.cursor[item.colour as usize][item.shape()];
            self.lanes[item.shape()][*slot / WIDTH][*slot % WIDTH] = k as u32;
            *slot += 1;
        }
        if let Some(random) = &mut self.shuffle {
            shuffle(random, &self.colours, &mut self.lanes);
        }
    }

    /// Finds a place for a contact.
    #[inline(always)]
    fn contact(&mut self, problem: &ContactProblem, friction: FrictionAt, at: usize, head: &Head) {
        let groups = problem.groups;
        let material = &groups.materials[head.material as usize];
        let mut is_wide = head.side.iter().all(|side| is_plain(problem.move_inertia, *side))
            && material.friction_torsional <= 0.0
            && material.friction_rolling <= 0.0;
        if !groups.torque_limited.is_empty() {
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
                let run = if side == 0 { moving.run } else { -moving.run };
                let alone = |linear| Twist::new(linear, huygens_math::Vec3::ZERO);
                self.belts.push(BeltSide { side, twist: driven + alone(across), run: alone(run) });
            }
        }
        let (list, len) = self.reach.near(problem, head);
        let first = head.first;
        let mut item = Item { head: at as u32, first, list, len, is_ball: false, colour: 0, belt };
        item.is_ball = is_wide && len == 1 && belt == NO_BELT && are_balls(problem, head, item.point(0));
        match friction {
            FrictionAt::Patch if len == 0 => {}
            FrictionAt::Patch => self.place(head, is_wide, item),
            FrictionAt::Point => {
                for k in 0..len as usize {
                    let first = item.point(k) as u32;
                    let list = Reach::ALL;
                    self.place(head, is_wide, Item { first, list, len: 1, ..item });
                }
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
            couple.prepare(problem, (warm.couples, share), &mut self.narrow, &mut self.bodies.v);
        }
        for row in &mut self.rows {
            let old = warm.rows.get(row.row as usize).copied().unwrap_or_default();
            row.prepare(settings, problem, old, share, &mut self.bodies.v);
        }
    }

    /// Finds a colour for points of a contact.
    #[inline(always)]
    fn place(&mut self, head: &Head, is_wide: bool, item: Item) {
        let Some(colour) = is_wide.then(|| self.coloring.assign(movable(head))).flatten() else {
            self.narrow.push(Narrow::new(item));
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

    /// Begins another block.
    fn begin_block(&mut self, groups: &Groups) {
        for item in &self.items[self.block[0]..] {
            self.coloring.forget(movable(&groups.heads[item.head as usize]));
        }
        self.block = [self.items.len(), self.cursor.len()];
    }
}

/// Permutes the lanes of each colour and shape, those without a contact too.
#[cold]
fn shuffle(
    random: &mut SplitMix,
    colours: &[[Range<usize>; SHAPES]],
    lanes: &mut [Vec<[u32; WIDTH]>; SHAPES],
) {
    for ranges in colours {
        for (lanes, range) in lanes.iter_mut().zip(ranges) {
            let items = lanes[range.clone()].as_flattened_mut();
            for i in (1..items.len()).rev() {
                items.swap(i, random.index(i + 1));
            }
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

fn fit<T: Copy>(list: &mut Vec<T>, len: usize, empty: T) {
    if list.len() < len {
        list.resize(len, empty);
    }
    list.truncate(len);
}
