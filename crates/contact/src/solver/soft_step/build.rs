//! Gives each manifold its lane: sections of islands, blocks, colours.

use super::balls::are_balls;
use super::body::Bodies;
use super::census::{Census, SECTIONS};
use super::finish::Touched;
use super::kind::{Batches, Chunk, KINDS, for_each_kind, place};
use super::reach::{GROUPS_OF_CHUNK, LEAST_GROUPS, Reach};
use super::scalar_row::ScalarRow;
use super::softness::{FrictionAt, Softness};
use crate::coloring::Coloring;
use crate::scratch::{Room, reserve};
use crate::{
    ContactProblem, Demand, Groups, Head, Impulse, Law, NO_COUPLE, Settings, Side, SurfaceVelocity, Unit,
    Velocity, Warm,
};
use huygens_math::lanes::{Level, WIDTH};
use huygens_math::{BlockInertia, Pool, SplitMix, Twist, Vec3, at_level};
use std::ops::Range;

/// Islands that are solved alike: the same rounds and turns. They share batches, since no lane depends on those beside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// Places in [`SoftScratch::colours`] and [`SoftScratch::rows`].
    pub colours: Range<usize>,
    pub rows: Range<usize>,
    /// Normal passes of each sub-step.
    pub rounds: usize,
    /// Contact passes of each sub-step.
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
    /// It is one point of a contact whose points have friction of their own.
    pub is_point: bool,
    /// Place of its kind of batch.
    pub kind: u8,
    /// Class of its demand: [`SoftScratch::numbers`].
    pub class: u8,
    /// Place of its block and colour in [`SoftScratch::colours`].
    pub colour: u32,
    /// Place of its surface among [`SoftScratch::surfaces`]; [`NO_SURFACE`] for none.
    pub surface: u32,
}

/// What a contact is by itself.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    /// The points that count, and how many.
    list: [u8; 4],
    len: u8,
    /// Its sides are plain bodies, and nothing else about it is special.
    is_plain: bool,
    /// It is one point between balls.
    are_balls: bool,
}

impl Look {
    #[inline(always)]
    fn at(problem: &ContactProblem, reach: &Reach, head: &Head) -> Self {
        let (list, len) = reach.near(problem, head);
        let is_plain = head.side.iter().all(|side| is_plain(problem.move_inertia, *side))
            && head.couple == NO_COUPLE
            && !head.is_soft;
        let point = head.first as usize + list[0] as usize;
        Self { list, len, is_plain, are_balls: is_plain && len == 1 && are_balls(problem, head, point) }
    }
}

/// No surface that moves along itself.
pub(super) const NO_SURFACE: u32 = u32::MAX;

/// Contact passes of each sub-step where a motor with a torque limit acts against contacts.
const DRIVE_TURNS: usize = 8;

/// A surface that moves along itself, as a body that no impulse moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceSide {
    /// The side of the contact that it stands for; 2 where both sides can move, and it is one more.
    pub side: usize,
    pub twist: Twist,
    /// Half of the change of its velocity in the step ([`crate::SurfaceVelocity::half_change`]).
    pub half_change: Twist,
}

impl Item {
    /// Its points.
    #[inline(always)]
    pub fn point(self, k: usize) -> usize {
        self.first as usize + self.list[k] as usize
    }

    /// The place of its own couple among those of a contact with friction against spinning and rolling; `None` where it has the couple of all
    /// points.
    pub fn couple(self, head: &Head) -> Option<usize> {
        self.is_point.then(|| (head.couple + self.first - head.first) as usize)
    }
}

/// Room of `soft-step`.
#[derive(Clone, Debug)]
pub(crate) struct SoftScratch {
    pub(super) level: Level,
    pub(super) bodies: Bodies,
    reach: Reach,
    /// The contacts of a large island.
    looks: Vec<Look>,
    coloring: Coloring,
    /// Where the block that is being coloured begins, among the items and the colours.
    block: [usize; 2],
    pub(super) items: Vec<Item>,
    /// Rows of limits, joints and motors.
    pub(super) rows: Vec<ScalarRow>,
    /// Surfaces that move along themselves, each as a body of its own behind the drivers.
    pub(super) surfaces: Vec<SurfaceSide>,
    /// Islands by the work that they need, and the section of each island.
    pub(super) sections: Vec<Section>,
    census: Vec<Census>,
    pub(super) batches: Batches,
    /// Batches of each colour of each block and of each class, for each kind; classes are innermost.
    pub(super) colours: Vec<[Range<usize>; KINDS]>,
    /// The batches of each colour in pieces, colour after colour, and the pieces of each kind of each colour.
    pub(super) chunks: Vec<Chunk>,
    pub(super) chunks_of: Vec<[u32; KINDS + 1]>,
    /// The threads that take them.
    pub(super) pool: Pool,
    /// The numbers of a sub-step for each class of demands, and the class of each demand: contacts of one class ask for the same recovery and
    /// compliance, and no batch has contacts of two.
    pub(super) numbers: Vec<Softness>,
    class_of: Vec<u8>,
    /// Next lane of each of them while items are given theirs.
    cursor: Vec<[usize; KINDS]>,
    /// Contacts of a colour get their lanes in random order: a test of the law that no lane depends on those beside it.
    shuffle: Option<SplitMix>,
    pub(super) touched: Touched,
    /// Mean velocity of the step, for the books.
    pub(super) mean: Velocity,
}

impl Default for SoftScratch {
    fn default() -> Self {
        Self {
            level: Level::new(),
            bodies: Bodies::default(),
            reach: Reach::default(),
            looks: Vec::new(),
            coloring: Coloring::default(),
            block: [0; 2],
            items: Vec::new(),
            rows: Vec::new(),
            surfaces: Vec::new(),
            sections: Vec::new(),
            census: Vec::new(),
            batches: Batches::default(),
            colours: Vec::new(),
            chunks: Vec::new(),
            chunks_of: Vec::new(),
            pool: Pool::default(),
            numbers: Vec::new(),
            class_of: Vec::new(),
            cursor: Vec::new(),
            shuffle: None,
            touched: Touched::default(),
            mean: Velocity::default(),
        }
    }
}

impl SoftScratch {
    /// Chooses the instructions.
    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// The threads.
    pub(crate) fn pool(&self) -> Pool {
        self.pool.clone()
    }

    /// Chooses the threads.
    pub(crate) fn set_pool(&mut self, pool: &Pool) {
        self.pool = pool.clone();
    }

    /// Takes over the instructions and the threads of another.
    pub(crate) fn choose_as(&mut self, other: &Self) {
        self.level = other.level;
        self.pool = other.pool.clone();
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
        self.mean.reserve(&Room { bodies: room.bodies + 16, ..*room });
        reserve(&mut self.items, room.groups);
        reserve(&mut self.looks, room.groups);
        reserve(&mut self.sections, SECTIONS);
        reserve(&mut self.census, room.groups.min(room.bodies + room.dofs));
        let colours = (room.groups / BLOCK + 1) * USUAL_COLOURS;
        reserve(&mut self.colours, colours);
        reserve(&mut self.cursor, colours);
        reserve(&mut self.chunks_of, colours);
        reserve(&mut self.chunks, room.groups / WIDTH + 2 * colours);
        self.batches.reserve(room.groups, colours);
    }

    /// Finds the classes of demands.
    pub(super) fn classify(&mut self, settings: &Settings, problem: &ContactProblem) {
        self.numbers.clear();
        self.class_of.clear();
        let demands = &problem.groups.demands;
        let alike = |a: &Demand, b: &Demand| {
            a.unit == b.unit && a.recovery == b.recovery && a.compliance == b.compliance
        };
        for (k, demand) in demands.iter().enumerate() {
            let class = match demands[..k].iter().position(|other| alike(other, demand)) {
                Some(other) => self.class_of[other],
                // Demands of angles are not those of contacts.
                None if demand.unit == Unit::Radian => 0,
                None => {
                    self.numbers.push(Softness::new(settings, demand, problem.h, problem.scale));
                    self.numbers.len() as u8 - 1
                }
            };
            self.class_of.push(class);
        }
        if self.numbers.is_empty() {
            self.numbers.push(Softness::new(settings, &Demand::default(), problem.h, problem.scale));
        }
    }

    /// Sorts the groups into lanes and rows.
    #[inline(always)]
    pub(super) fn arrange(&mut self, problem: &ContactProblem, warm: &[Impulse], friction: FrictionAt) {
        self.items.clear();
        self.rows.clear();
        self.surfaces.clear();
        self.cursor.clear();
        self.block = [0; 2];
        self.sections.clear();
        self.census.clear();
        self.reach.reset(problem);
        self.coloring.reset(problem.graph.free_bodies() + problem.graph.trees());
        let mut count = [0; SECTIONS];
        for island in 0..problem.graph.islands() {
            let census = Census::of(problem, warm, problem.graph.groups(island));
            count[census.section()] += 1;
            self.census.push(census);
        }
        for section in (0..SECTIONS).filter(|&section| count[section] > 0) {
            self.section(problem, friction, section);
        }
        self.bodies.add(&self.surfaces);
        self.lay_out();
    }

    /// Finds places for the islands of a section.
    #[inline(always)]
    fn section(&mut self, problem: &ContactProblem, friction: FrictionAt, section: usize) {
        let first = [self.cursor.len(), self.rows.len()];
        self.begin_block(problem);
        for island in 0..self.census.len() {
            let census = self.census[island];
            if census.section() == section {
                self.island(problem, friction, problem.graph.groups(island), &census);
            }
        }
        self.sections.push(Section {
            colours: first[0]..self.cursor.len(),
            rows: first[1]..self.rows.len(),
            rounds: 1 << (section / 2),
            turns: if section % 2 == 1 { DRIVE_TURNS } else { 1 },
        });
    }

    /// Finds places for an island.
    #[inline(always)]
    fn island(&mut self, problem: &ContactProblem, friction: FrictionAt, island: &[u32], census: &Census) {
        let is_large = census.manifolds > BLOCK;
        if is_large || self.items.len() - self.block[0] >= BLOCK {
            self.begin_block(problem);
        }
        self.reach.find(problem, island, census, &self.pool);
        let is_seen = self.pool.threads() > 1 && island.len() >= LEAST_GROUPS;
        if is_seen {
            self.look_at(problem, island);
        }
        for (place, at) in island.iter().map(|&group| group as usize).enumerate() {
            let head = &problem.groups.heads[at];
            match head.law {
                Law::Contact => {
                    let look = if is_seen { self.looks[place] } else { Look::at(problem, &self.reach, head) };
                    self.contact(problem, friction, (at, head), look);
                    if is_large && self.items.len() - self.block[0] >= BLOCK {
                        self.begin_block(problem);
                    }
                }
                _ => self.rows.extend(head.range().map(|i| ScalarRow::new(at, i))),
            }
        }
        if is_large {
            self.begin_block(problem);
        }
    }

    /// Looks at all contacts of a large island.
    fn look_at(&mut self, problem: &ContactProblem, island: &[u32]) {
        self.looks.resize(self.looks.len().max(island.len()), Look::default());
        let (reach, level) = (&self.reach, self.level);
        self.pool.for_parts(&mut self.looks[..island.len()], GROUPS_OF_CHUNK, |first, looks| {
            at_level!(level, simd => for (look, &group) in looks.iter_mut().zip(&island[first..]) {
                let head = &problem.groups.heads[group as usize];
                if head.law == Law::Contact {
                    *look = Look::at(problem, reach, head);
                }
            });
        });
    }

    /// Gives every item its lane.
    #[inline(always)]
    fn lay_out(&mut self) {
        let mut ends = [0; KINDS];
        self.colours.clear();
        for cursor in &mut self.cursor {
            let mut ranges = [const { 0..0 }; KINDS];
            for kind in 0..KINDS {
                let batches = cursor[kind].div_ceil(WIDTH);
                ranges[kind] = ends[kind]..ends[kind] + batches;
                cursor[kind] = ends[kind] * WIDTH;
                ends[kind] += batches;
            }
            self.colours.push(ranges);
        }
        for_each_kind!(&mut self.batches, list, kind => list.reset(ends[kind]));
        let classes = self.numbers.len();
        if classes > 1 {
            for (at, ranges) in self.colours.iter().enumerate() {
                for_each_kind!(&mut self.batches, list, kind => {
                    list.class[ranges[kind].clone()].fill((at % classes) as u8);
                });
            }
        }
        for (k, item) in self.items.iter().enumerate() {
            let slot = &mut self.cursor[item.colour as usize][item.kind as usize];
            self.batches.lanes_of(item.kind as usize)[*slot / WIDTH][*slot % WIDTH] = k as u32;
            *slot += 1;
        }
        if let Some(random) = &mut self.shuffle {
            for ranges in &self.colours {
                for_each_kind!(&mut self.batches, list, kind => list.shuffle(random, ranges[kind].clone()));
            }
        }
        self.cut();
    }

    /// Cuts the batches of each colour into pieces for threads.
    fn cut(&mut self) {
        let Self { batches, colours, chunks, chunks_of, .. } = self;
        chunks.clear();
        chunks_of.clear();
        for ranges in colours.iter() {
            let mut ends = [chunks.len() as u32; KINDS + 1];
            for_each_kind!(&mut *batches, list, kind => {
                list.cut(kind, &ranges[kind], chunks);
                ends[kind + 1] = chunks.len() as u32;
            });
            chunks_of.push(ends);
        }
    }

    /// Finds a place for a contact.
    #[inline(always)]
    fn contact(
        &mut self,
        problem: &ContactProblem,
        friction: FrictionAt,
        (at, head): (usize, &Head),
        look: Look,
    ) {
        let groups = problem.groups;
        let Look { list, len, mut is_plain, are_balls } = look;
        let mut surface = NO_SURFACE;
        if let Some(moving) = groups.surface_velocity(head) {
            surface = self.surfaces.len() as u32;
            let side = SurfaceSide::new(groups, head, moving);
            is_plain &= side.side < 2;
            self.surfaces.push(side);
        }
        let first = head.first;
        let class = self.class_of[head.demand as usize];
        let mut item =
            Item { head: at as u32, first, list, len, is_point: false, kind: 0, class, colour: 0, surface };
        let is_ball = are_balls && is_plain && surface == NO_SURFACE;
        let kind = |len: u8| {
            let kinds = match is_plain {
                true => place::PLAIN,
                false if head.couple == NO_COUPLE => place::GENERAL,
                false => place::LEVER,
            };
            if is_ball { place::BALLS } else { kinds[(len.clamp(1, 3) - 1) as usize] }
        };
        match friction {
            FrictionAt::Patch if len == 0 => {}
            FrictionAt::Patch => {
                item.kind = kind(len) as u8;
                self.place(problem, head, item);
            }
            FrictionAt::Point => {
                for k in 0..len as usize {
                    let (first, kind) = (item.point(k) as u32, kind(1) as u8);
                    let list = Reach::ALL;
                    self.place(problem, head, Item { first, list, len: 1, is_point: true, kind, ..item });
                }
            }
        }
    }

    /// Prepares rows of limits, joints and motors, and applies their warm start.
    pub(super) fn prepare_rows(
        &mut self,
        settings: &Settings,
        problem: &ContactProblem,
        warm: Warm,
        share: f64,
    ) {
        for row in &mut self.rows {
            let old = warm.rows.get(row.row as usize).copied().unwrap_or_default();
            row.prepare(settings, problem, old, share, &mut self.bodies.v);
        }
    }

    /// Finds a colour for points of a contact.
    #[inline(always)]
    fn place(&mut self, problem: &ContactProblem, head: &Head, item: Item) {
        let (colour, classes) = (self.coloring.assign(problem.graph.movables_of(head)), self.numbers.len());
        let end = self.block[1] + (colour + 1) * classes;
        let colour = end - classes + item.class as usize;
        let item = Item { colour: colour as u32, ..item };
        if self.cursor.len() < end {
            self.cursor.resize(end, [0; KINDS]);
        }
        self.cursor[colour][item.kind as usize] += 1;
        self.items.push(item);
    }

    /// Begins another block.
    fn begin_block(&mut self, problem: &ContactProblem) {
        for item in &self.items[self.block[0]..] {
            let head = &problem.groups.heads[item.head as usize];
            self.coloring.forget(problem.graph.movables_of(head));
        }
        self.block = [self.items.len(), self.cursor.len()];
    }
}

impl SurfaceSide {
    /// The surface of a contact. A side that no impulse moves takes it over.
    fn new(groups: &Groups, head: &Head, moving: &SurfaceVelocity) -> Self {
        let alone = |linear| Twist::new(linear, Vec3::ZERO);
        let side = head.side.iter().position(|side| matches!(side, Side::Fixed | Side::Driven(_)));
        let Some(side) = side else {
            let twist = alone(moving.velocity[0] - moving.velocity[1]);
            return Self { side: 2, twist, half_change: alone(moving.half_change) };
        };
        let across = moving.velocity[side] - moving.velocity[1 - side];
        let driven =
            if let Side::Driven(i) = head.side[side] { groups.driven[i as usize] } else { Twist::ZERO };
        let half_change = if side == 0 { moving.half_change } else { -moving.half_change };
        Self { side, twist: driven + alone(across), half_change: alone(half_change) }
    }
}

/// True for a side that moves alike in all directions, or not at all, and is no tree.
#[inline(always)]
fn is_plain(inertia: &BlockInertia, side: Side) -> bool {
    match side {
        Side::Fixed | Side::Driven(_) => true,
        Side::Free(i) => {
            let m = inertia.free[i as usize].inv_mass;
            m.x == m.y && m.y == m.z && m.x > 0.0
        }
        Side::Tree(_) => false,
    }
}
