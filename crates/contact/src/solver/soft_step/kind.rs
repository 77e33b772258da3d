//! The kinds of batches, as one list: every pass goes over it with `for_each_kind!`.

use super::balls::Balls;
use super::batch::{At, Batch, PADDING};
use super::body::{Bodies, LentBodies, LentVelocity};
use super::books::Books;
use super::build::Item;
use super::fill::Fill;
use super::finish::Collector;
use super::general::General;
use super::pass::PassOptions;
use super::plain::Plain;
use super::side_rows::SideRows;
use super::softness::Softness;
use super::transport::{Motions, Transport};
use crate::scratch::reserve;
use crate::{Velocity, Work};
use huygens_math::SplitMix;
use huygens_math::lanes::{Lane, Level, WIDTH, f64x4, prefetch, prefetch_first};
use huygens_math::pool::Lent;
use std::ops::Range;

/// Contacts of plain bodies with one point, two, and up to four.
pub(super) type PlainPoint = Batch<Plain, 1, 0, 0, 0>;
pub(super) type PlainPair = Batch<Plain, 2, 1, 1, 0>;
pub(super) type PlainFace = Batch<Plain, 4, 6, 1, 0>;
/// Contacts of trees and locked bodies with one point, two, and up to four.
pub(super) type GeneralPoint = Batch<General, 1, 0, 1, 0>;
pub(super) type GeneralPair = Batch<General, 2, 1, 1, 0>;
pub(super) type GeneralFace = Batch<General, 4, 6, 1, 0>;
/// Contacts with friction against spinning and rolling, of any bodies, with one point, two, and up to four.
pub(super) type LeverPoint = Batch<General, 1, 0, 1, 1>;
pub(super) type LeverPair = Batch<General, 2, 1, 1, 1>;
pub(super) type LeverFace = Batch<General, 4, 6, 1, 1>;

/// Runs an expression with the instructions that every CPU of the kind has.
#[cfg(target_arch = "x86_64")]
macro_rules! at_baseline {
    ($simd:ident => $run:expr) => {{
        let $simd = Level::baseline().as_sse2().expect("every x86-64 has SSE2");
        $run
    }};
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! at_baseline {
    ($simd:ident => $run:expr) => {
        huygens_math::lanes::dispatch!(Level::baseline(), $simd => $run)
    };
}

/// A kind of batch: its passes over the lanes of `at`.
pub(super) trait Kind: Copy + Send {
    const EMPTY: Self;
    /// Bytes at the start of a batch that the normal pass reads.
    const NORMAL_BYTES: usize;
    /// Its passes run with the instructions that every CPU of the kind has, whatever the level: their bodies are read and written one by one,
    /// wider vectors would gain little, and they are compiled once instead of once for each level.
    const AT_BASELINE: bool;

    /// Batches of one chunk: some 2 µs of a pass, which is what it costs to share a colour with another core.
    const BATCHES_OF_CHUNK: usize;

    /// Fills and prepares lanes, and applies the impulses that they start from; rows of sides are added to `rows`.
    fn prepare<L: Lane>(
        &mut self,
        at: At<L>,
        fill: &Fill,
        soft: &Softness,
        lanes: &[u32; WIDTH],
        bodies: &LentBodies,
        rows: &mut SideRows,
    );
    /// A pass over normals alone.
    fn normal_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        options: PassOptions,
        bodies: &LentBodies,
        rows: &SideRows,
    );
    /// A pass over friction and normals; the last of a sub-step ends its impulses.
    fn contact_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        is_last: bool,
        bodies: &LentBodies,
        rows: &SideRows,
    );
    /// Books the work of its impulses, with the mean velocity of the step.
    fn book<L: Lane>(
        &self,
        at: At<L>,
        soft: &Softness,
        bodies: &Bodies,
        mean: &Velocity,
        books: &mut Books<L>,
    );
    /// Hands over the impulses of a lane.
    fn collect(&self, lane: usize, item: &Item, collector: &mut Collector);
    /// Prefetches the bodies.
    fn prefetch_bodies(&self, v: &LentVelocity);

    /// All numbers of a lane but the gap of the contact pass, which is only there where a gap is open.
    #[cfg(test)]
    fn numbers(&self, lane: usize) -> Vec<f64>;
    /// Normal impulse and size of the tangential one, summed over points and sub-steps.
    #[cfg(test)]
    fn impulse(&self, lane: usize) -> [f64; 2];
}

impl<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize> Kind
    for Batch<X, N, M, T, C>
{
    const EMPTY: Self = Self::EMPTY;
    const NORMAL_BYTES: usize = Self::NORMAL_BYTES;
    const AT_BASELINE: bool = X::AT_BASELINE;
    const BATCHES_OF_CHUNK: usize = if N == 1 { 16 } else { 4 };

    #[inline(always)]
    fn prepare<L: Lane>(
        &mut self,
        at: At<L>,
        fill: &Fill,
        soft: &Softness,
        lanes: &[u32; WIDTH],
        bodies: &LentBodies,
        rows: &mut SideRows,
    ) {
        fill.part(at, lanes, bodies, rows, self);
        self.prepare_lanes(at, fill.problem.h, soft, bodies, rows);
    }

    #[inline(always)]
    fn normal_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        options: PassOptions,
        bodies: &LentBodies,
        rows: &SideRows,
    ) {
        self.solve_normal_pass(at, soft, options, bodies, rows);
    }

    #[inline(always)]
    fn contact_pass<L: Lane>(
        &mut self,
        at: At<L>,
        soft: &Softness,
        is_last: bool,
        bodies: &LentBodies,
        rows: &SideRows,
    ) {
        self.solve_contact_pass(at, soft, is_last, bodies, rows);
    }

    #[inline(always)]
    fn book<L: Lane>(
        &self,
        at: At<L>,
        soft: &Softness,
        bodies: &Bodies,
        mean: &Velocity,
        books: &mut Books<L>,
    ) {
        let motion = self.transport.gather(at, &bodies.rows, mean, Motions::All);
        let rates = self.rates(at, &self.transport.frame(at), &motion);
        books.book(at, soft, self, &rates);
    }

    #[inline(always)]
    fn collect(&self, lane: usize, item: &Item, collector: &mut Collector) {
        collector.manifold(self, lane, item);
    }

    #[inline(always)]
    fn prefetch_bodies(&self, v: &LentVelocity) {
        self.transport.prefetch_bodies(v);
    }

    #[cfg(test)]
    fn numbers(&self, lane: usize) -> Vec<f64> {
        self.numbers(lane)
    }

    #[cfg(test)]
    fn impulse(&self, lane: usize) -> [f64; 2] {
        let [a, b] = self.tangential_total.map(|p| p[lane]);
        [self.total.iter().map(|total| total[lane]).sum(), (a * a + b * b).sqrt()]
    }
}

/// Number of kinds.
pub(super) const KINDS: usize = 10;

/// Which list of batches an item goes to: the place of its kind.
pub(super) mod place {
    pub const BALLS: usize = 0;
    pub const PLAIN: [usize; 3] = [1, 2, 3];
    pub const GENERAL: [usize; 3] = [4, 5, 6];
    pub const LEVER: [usize; 3] = [7, 8, 9];
}

/// The batches of a kind, and which item each of their lanes is; [`PADDING`] for none.
#[derive(Clone, Debug)]
pub(super) struct List<B> {
    pub batches: Vec<B>,
    pub lanes: Vec<[u32; WIDTH]>,
    /// Class of the demand of each batch.
    pub class: Vec<u8>,
}

impl<B> Default for List<B> {
    fn default() -> Self {
        Self { batches: Vec::new(), lanes: Vec::new(), class: Vec::new() }
    }
}

/// The batches of a solve, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Batches {
    pub balls: List<Balls>,
    pub plain_points: List<PlainPoint>,
    pub plain_pairs: List<PlainPair>,
    pub plain_faces: List<PlainFace>,
    pub general_points: List<GeneralPoint>,
    pub general_pairs: List<GeneralPair>,
    pub general_faces: List<GeneralFace>,
    pub lever_points: List<LeverPoint>,
    pub lever_pairs: List<LeverPair>,
    pub lever_faces: List<LeverFace>,
}

/// Runs an expression for the list of each kind, with its place: `for_each_kind!(batches, list, place => …)`.
macro_rules! for_each_kind {
    ($batches:expr, $list:ident, $place:ident => $run:expr) => {{
        let $crate::solver::soft_step::kind::Batches {
            balls,
            plain_points,
            plain_pairs,
            plain_faces,
            general_points,
            general_pairs,
            general_faces,
            lever_points,
            lever_pairs,
            lever_faces,
        } = $batches;
        for_each_kind!(@ $list, $place, $run;
            0 balls, 1 plain_points, 2 plain_pairs, 3 plain_faces,
            4 general_points, 5 general_pairs, 6 general_faces,
            7 lever_points, 8 lever_pairs, 9 lever_faces);
    }};
    (@ $list:ident, $place:ident, $run:expr; $($at:literal $kind:ident),*) => {
        $({
            let ($list, $place): (_, usize) = ($kind, $at);
            let _ = $place;
            $run
        })*
    };
}
pub(super) use for_each_kind;

/// The batches of a kind, lent to chunks.
#[derive(Clone, Copy)]
pub(super) struct LentList<'a, B> {
    pub batches: Lent<'a, B>,
    lanes: &'a [[u32; WIDTH]],
    class: &'a [u8],
}

/// The batches of a solve, lent to chunks.
pub(super) struct LentBatches<'a> {
    pub balls: LentList<'a, Balls>,
    pub plain_points: LentList<'a, PlainPoint>,
    pub plain_pairs: LentList<'a, PlainPair>,
    pub plain_faces: LentList<'a, PlainFace>,
    pub general_points: LentList<'a, GeneralPoint>,
    pub general_pairs: LentList<'a, GeneralPair>,
    pub general_faces: LentList<'a, GeneralFace>,
    pub lever_points: LentList<'a, LeverPoint>,
    pub lever_pairs: LentList<'a, LeverPair>,
    pub lever_faces: LentList<'a, LeverFace>,
}

/// Runs an expression for the list of one kind: `at_kind!(lent, place, list => …)`.
macro_rules! at_kind {
    ($lent:expr, $place:expr, $list:ident => $run:expr) => {
        at_kind!(@ $lent, $place, $list, $run;
            0 balls, 1 plain_points, 2 plain_pairs, 3 plain_faces,
            4 general_points, 5 general_pairs, 6 general_faces,
            7 lever_points, 8 lever_pairs; lever_faces)
    };
    (@ $lent:expr, $place:expr, $list:ident, $run:expr; $($at:literal $kind:ident),*; $last:ident) => {
        match $place {
            $($at => {
                let $list = &$lent.$kind;
                $run
            })*
            _ => {
                let $list = &$lent.$last;
                $run
            }
        }
    };
}
pub(super) use at_kind;

/// Some batches of one kind and one colour: what a thread takes at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub kind: u8,
    pub first: u32,
    pub end: u32,
}

impl Chunk {
    pub fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

impl Batches {
    /// Makes room for so many contacts and colours.
    pub fn reserve(&mut self, contacts: usize, colours: usize) {
        let batches = contacts / WIDTH + colours;
        let some = batches / 2 + colours;
        self.balls.reserve(batches);
        self.plain_points.reserve(batches);
        self.plain_pairs.reserve(some);
        self.plain_faces.reserve(some);
    }

    /// The lanes of a kind.
    #[inline(always)]
    pub fn lanes_of(&mut self, place: usize) -> &mut [[u32; WIDTH]] {
        match place {
            place::BALLS => &mut self.balls.lanes,
            1 => &mut self.plain_points.lanes,
            2 => &mut self.plain_pairs.lanes,
            3 => &mut self.plain_faces.lanes,
            4 => &mut self.general_points.lanes,
            5 => &mut self.general_pairs.lanes,
            6 => &mut self.general_faces.lanes,
            7 => &mut self.lever_points.lanes,
            8 => &mut self.lever_pairs.lanes,
            _ => &mut self.lever_faces.lanes,
        }
    }

    /// Lends all batches.
    pub fn lend(&mut self) -> LentBatches<'_> {
        LentBatches {
            balls: self.balls.lend(),
            plain_points: self.plain_points.lend(),
            plain_pairs: self.plain_pairs.lend(),
            plain_faces: self.plain_faces.lend(),
            general_points: self.general_points.lend(),
            general_pairs: self.general_pairs.lend(),
            general_faces: self.general_faces.lend(),
            lever_points: self.lever_points.lend(),
            lever_pairs: self.lever_pairs.lend(),
            lever_faces: self.lever_faces.lend(),
        }
    }

    /// Bytes of all batches.
    pub fn bytes(&self) -> usize {
        let mut bytes = 0;
        for_each_kind!(self, list, _place => bytes += size_of_val(&*list.batches));
        bytes
    }
}

impl<B: Kind> List<B> {
    fn reserve(&mut self, batches: usize) {
        reserve(&mut self.batches, batches);
        reserve(&mut self.lanes, batches);
        reserve(&mut self.class, batches);
    }

    /// So many batches, all lanes without an item.
    pub fn reset(&mut self, len: usize) {
        if self.batches.len() < len {
            self.batches.resize(len, B::EMPTY);
        }
        self.batches.truncate(len);
        self.lanes.clear();
        self.lanes.resize(len, [PADDING; WIDTH]);
        self.class.clear();
        self.class.resize(len, 0);
    }

    /// Permutes the lanes of some batches, those without an item too.
    #[cold]
    pub fn shuffle(&mut self, random: &mut SplitMix, range: Range<usize>) {
        let items = self.lanes[range].as_flattened_mut();
        for i in (1..items.len()).rev() {
            items.swap(i, random.index(i + 1));
        }
    }

    fn lend(&mut self) -> LentList<'_, B> {
        LentList { batches: Lent::new(&mut self.batches), lanes: &self.lanes, class: &self.class }
    }

    /// Adds the chunks of some batches of kind `kind`.
    pub fn cut(&self, kind: usize, range: &Range<usize>, chunks: &mut Vec<Chunk>) {
        for first in range.clone().step_by(B::BATCHES_OF_CHUNK) {
            let end = range.end.min(first + B::BATCHES_OF_CHUNK) as u32;
            chunks.push(Chunk { kind: kind as u8, first: first as u32, end });
        }
    }

    /// Books all batches.
    #[inline(always)]
    pub fn book<L: Lane>(
        &self,
        token: L::Token,
        numbers: &[Softness],
        bodies: &Bodies,
        mean: &Velocity,
        work: &mut Work,
    ) {
        // Most kinds have none: 240 instructions each to post nothing.
        if self.batches.is_empty() {
            return;
        }
        if B::AT_BASELINE {
            at_baseline!(simd => self.book_apart::<f64x4<_>>(simd, numbers, bodies, mean, work));
        } else {
            self.book_apart::<L>(token, numbers, bodies, mean, work);
        }
    }

    #[inline(never)]
    fn book_apart<L: Lane>(
        &self,
        token: L::Token,
        numbers: &[Softness],
        bodies: &Bodies,
        mean: &Velocity,
        work: &mut Work,
    ) {
        L::vectorize(
            token,
            #[inline(always)]
            || self.book_in::<L>(token, numbers, bodies, mean, work),
        );
    }

    /// [`List::book`], in lanes of that width; each half of the lanes has books of its own. Contacts that give way are booked point by point
    /// ([`super::finish::book_rows`]).
    #[inline(always)]
    fn book_in<L: Lane>(
        &self,
        token: L::Token,
        numbers: &[Softness],
        bodies: &Bodies,
        mean: &Velocity,
        work: &mut Work,
    ) {
        let mut books = [Books::<L>::new(token); 2];
        for (batch, class) in self.batches.iter().zip(&self.class) {
            let soft = &numbers[*class as usize];
            if B::AT_BASELINE && soft.spring.is_some() {
                continue;
            }
            let mut lanes_left = Some(At::<L>::start(token));
            while let Some(at) = lanes_left {
                batch.book(at, soft, bodies, mean, &mut books[at.half()]);
                lanes_left = at.next();
            }
        }
        books.iter().for_each(|books| books.post(work));
    }

    /// Hands over the impulses of all batches.
    #[inline(always)]
    pub fn collect(&self, items: &[Item], collector: &mut Collector) {
        for (batch, lanes) in self.batches.iter().zip(&self.lanes) {
            for lane in 0..WIDTH {
                if lanes[lane] != PADDING {
                    batch.collect(lane, &items[lanes[lane] as usize], collector);
                }
            }
        }
    }
}

impl<B: Kind> LentList<'_, B> {
    // Each pass over some batches is a function of its own: all passes over all kinds in one function took three times as long to compile.

    /// Fills and prepares some batches, and applies the impulses that they start from.
    #[inline(always)]
    pub fn prepare<L: Lane>(
        &self,
        token: L::Token,
        range: Range<usize>,
        fill: &Fill,
        numbers: &[Softness],
        (bodies, rows): (&LentBodies, &mut SideRows),
    ) {
        let (lanes, class) = (&self.lanes[range.clone()], &self.class[range.clone()]);
        // SAFETY: a range of batches is one chunk, and each chunk is one thread's in each pass.
        let batches = unsafe { self.batches.slice(range) };
        if B::AT_BASELINE {
            at_baseline!(simd => prepare_apart::<f64x4<_>, B>(simd, batches, (lanes, class), fill, numbers, (bodies, rows)));
        } else {
            prepare_apart::<L, B>(token, batches, (lanes, class), fill, numbers, (bodies, rows));
        }
    }

    /// The normal pass over some batches.
    #[inline(always)]
    pub fn normal_pass<L: Lane>(
        &self,
        token: L::Token,
        range: Range<usize>,
        soft: &Softness,
        options: PassOptions,
        (bodies, rows): (&LentBodies, &SideRows),
    ) {
        // SAFETY: a range of batches is one chunk, and each chunk is one thread's in each pass.
        let batches = unsafe { self.batches.slice(range) };
        if B::AT_BASELINE {
            at_baseline!(simd => normal_pass_apart::<f64x4<_>, B>(simd, batches, soft, options, (bodies, rows)));
        } else {
            normal_pass_apart::<L, B>(token, batches, soft, options, (bodies, rows));
        }
    }

    /// The contact pass over some batches; the last of a sub-step ends its impulses.
    #[inline(always)]
    pub fn contact_pass<L: Lane>(
        &self,
        token: L::Token,
        range: Range<usize>,
        soft: &Softness,
        is_last: bool,
        (bodies, rows): (&LentBodies, &SideRows),
    ) {
        // SAFETY: a range of batches is one chunk, and each chunk is one thread's in each pass.
        let batches = unsafe { self.batches.slice(range) };
        if B::AT_BASELINE {
            at_baseline!(simd => contact_pass_apart::<f64x4<_>, B>(simd, batches, soft, is_last, (bodies, rows)));
        } else {
            contact_pass_apart::<L, B>(token, batches, soft, is_last, (bodies, rows));
        }
    }
}

#[inline(never)]
fn prepare_apart<L: Lane, B: Kind>(
    token: L::Token,
    batches: &mut [B],
    lanes: (&[[u32; WIDTH]], &[u8]),
    fill: &Fill,
    numbers: &[Softness],
    bodies: (&LentBodies, &mut SideRows),
) {
    L::vectorize(
        token,
        #[inline(always)]
        || prepare_in::<L, B>(token, batches, lanes, fill, numbers, bodies),
    );
}

#[inline(never)]
fn normal_pass_apart<L: Lane, B: Kind>(
    token: L::Token,
    batches: &mut [B],
    soft: &Softness,
    options: PassOptions,
    bodies: (&LentBodies, &SideRows),
) {
    L::vectorize(
        token,
        #[inline(always)]
        || normal_pass_in::<L, B>(token, batches, soft, options, bodies),
    );
}

#[inline(never)]
fn contact_pass_apart<L: Lane, B: Kind>(
    token: L::Token,
    batches: &mut [B],
    soft: &Softness,
    is_last: bool,
    bodies: (&LentBodies, &SideRows),
) {
    L::vectorize(
        token,
        #[inline(always)]
        || contact_pass_in::<L, B>(token, batches, soft, is_last, bodies),
    );
}

/// Fills and prepares batches, in lanes of that width: each batch while it is near.
#[inline(always)]
pub(super) fn prepare_in<L: Lane, B: Kind>(
    token: L::Token,
    batches: &mut [B],
    (lanes, class): (&[[u32; WIDTH]], &[u8]),
    fill: &Fill,
    numbers: &[Softness],
    (bodies, rows): (&LentBodies, &mut SideRows),
) {
    for (i, here) in lanes.iter().enumerate() {
        let soft = &numbers[class[i] as usize];
        if soft.prefetches {
            if let Some(next) = lanes.get(i + 2) {
                fill.prefetch_contacts(next);
            }
            if let (Some(next), Some(batch)) = (lanes.get(i + 1), batches.get(i + 1)) {
                fill.prefetch_bodies(next, &bodies.v);
                prefetch(batch);
            }
        }
        let batch = &mut batches[i];
        let mut lanes_left = Some(At::<L>::start(token));
        while let Some(at) = lanes_left {
            batch.prepare(at, fill, soft, here, bodies, rows);
            lanes_left = at.next();
        }
    }
}

/// The normal pass, in lanes of that width.
#[inline(always)]
pub(super) fn normal_pass_in<L: Lane, B: Kind>(
    token: L::Token,
    batches: &mut [B],
    soft: &Softness,
    options: PassOptions,
    (bodies, rows): (&LentBodies, &SideRows),
) {
    for i in 0..batches.len() {
        if soft.prefetches {
            prefetch_next(batches, i, B::NORMAL_BYTES, &bodies.v);
        }
        let batch = &mut batches[i];
        let mut lanes_left = Some(At::<L>::start(token));
        while let Some(at) = lanes_left {
            batch.normal_pass(at, soft, options, bodies, rows);
            lanes_left = at.next();
        }
    }
}

/// The contact pass, in lanes of that width.
#[inline(always)]
pub(super) fn contact_pass_in<L: Lane, B: Kind>(
    token: L::Token,
    batches: &mut [B],
    soft: &Softness,
    is_last: bool,
    (bodies, rows): (&LentBodies, &SideRows),
) {
    for i in 0..batches.len() {
        if soft.prefetches {
            prefetch_next(batches, i, size_of::<B>(), &bodies.v);
        }
        let batch = &mut batches[i];
        let mut lanes_left = Some(At::<L>::start(token));
        while let Some(at) = lanes_left {
            batch.contact_pass(at, soft, is_last, bodies, rows);
            lanes_left = at.next();
        }
    }
}

/// Prefetches the first `bytes` of the batch after the next, and the bodies of the next.
#[inline(always)]
fn prefetch_next<B: Kind>(batches: &[B], i: usize, bytes: usize, v: &LentVelocity) {
    if let Some(batch) = batches.get(i + 2) {
        prefetch_first(batch, bytes);
    }
    if let Some(batch) = batches.get(i + 1) {
        batch.prefetch_bodies(v);
    }
}
