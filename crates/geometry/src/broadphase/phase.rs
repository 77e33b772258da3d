//! The broad phase itself: what changes when a box is set, and how the list of pairs follows.
//!
//! Each proxy has a second, fat box around the one that was set, and the trees hold the fat boxes. While a proxy stays
//! inside its fat box nothing else is touched. The candidates are exactly the pairs whose fat boxes overlap, sorted;
//! they change only for proxies that left their fat box. The pairs are the candidates whose boxes as set overlap: one
//! pass without branches. How the fat boxes are chosen decides the cost and never the result.

use super::bounds::ProxyBox;
use super::fat::{Temper, ahead, fattened, is_too_fat, remembered};
use super::join::{Sides, join};
use super::meter::{Debt, Meter};
use super::node::LANES;
use super::pack::Packer;
use super::pairs::{Pair, PairBuffer, Rows, merge};
use super::proxies::{Filter, Mobility, Proxies};
use super::tree::{Entry, NONE, Tree};
use fearless_simd::Simd;
use huygens_math::at_level;
use huygens_math::lanes::Level;

/// Updates in which each fat box is looked at once, to see whether it has become too large.
const ROUND: usize = 256;

/// Finds all overlapping pairs of boxes, step after step.
///
/// Proxies live in slots that the caller numbers, best without large holes. Static proxies pair only with moving
/// ones; proxies of one owner never pair.
///
/// ```
/// use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, Pair, ProxyBox};
///
/// let mut phase = BroadPhase::new();
/// let unit = |x: f32| ProxyBox { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
/// phase.insert(0, unit(0.0), Filter::DEFAULT, Mobility::Moving, 0);
/// phase.insert(1, unit(5.0), Filter::DEFAULT, Mobility::Moving, 1);
/// assert!(phase.update_pairs().is_empty());
/// phase.set_bounds(1, unit(0.5));
/// assert_eq!(phase.update_pairs(), [Pair { a: 0, b: 1 }]);
/// ```
#[derive(Clone, Debug)]
pub struct BroadPhase {
    pub(super) level: Level,
    pub(super) proxies: Proxies,
    pub(super) moving: Tree,
    pub(super) fixed: Tree,
    /// Slots whose candidates are out of date.
    pub(super) touched: Vec<u32>,
    /// A box was set since the last update.
    changed: bool,
    /// Pairs of overlapping fat boxes, sorted; while they change, the new ones stand after the old.
    candidates: PairBuffer,
    /// The last result; scratch while the candidates change.
    pairs: PairBuffer,
    rows: Rows,
    packer: Packer,
    join_meter: Meter,
    query_meter: Meter,
    debt: Debt,
    cursor: usize,
}

impl Default for BroadPhase {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase {
    /// A broad phase without proxies.
    pub fn new() -> Self {
        Self {
            level: Level::new(),
            proxies: Proxies::default(),
            moving: Tree::default(),
            fixed: Tree::default(),
            touched: Vec::new(),
            changed: false,
            candidates: PairBuffer::default(),
            pairs: PairBuffer::default(),
            rows: Rows::default(),
            packer: Packer::default(),
            join_meter: Meter::default(),
            query_meter: Meter::default(),
            debt: Debt::default(),
            cursor: 0,
        }
    }

    /// Chooses the instructions of the tests on boxes; the pairs are the same for every choice.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// The instructions of the tests on boxes.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Makes room for that many slots and pairs: until there are more, no update allocates.
    pub fn reserve(&mut self, slots: usize, pairs: usize) {
        self.proxies.reserve(slots);
        for tree in [&mut self.moving, &mut self.fixed] {
            tree.reserve(slots);
        }
        self.touched.reserve(slots.saturating_sub(self.touched.len()));
        // Fat boxes of a pile that falls fast overlap twice as often as the boxes in them, and new candidates stand after old
        // ones while they change.
        for list in [&mut self.candidates, &mut self.pairs] {
            list.room(4 * pairs);
        }
        self.rows.reserve(slots);
        self.packer.reserve(slots);
    }

    /// Puts a proxy in a slot, in place of what may be there. `owner` is the body: its proxies never pair.
    pub fn insert(&mut self, slot: u32, bounds: ProxyBox, filter: Filter, mobility: Mobility, owner: u32) {
        assert!(slot < NONE, "slot {slot} is the number that stands for no slot");
        self.remove(slot);
        self.proxies.fill(slot, filter, mobility, owner);
        self.set_bounds(slot, bounds);
    }

    /// Empties a slot; nothing when it is empty.
    pub fn remove(&mut self, slot: u32) {
        if !self.proxies.is_alive(slot) {
            return;
        }
        self.take_out(slot);
        self.proxies.clear(slot);
        self.touch(slot);
    }

    /// Gives a proxy its box for the coming update; nothing when the slot is empty.
    #[inline]
    pub fn set_bounds(&mut self, slot: u32, bounds: ProxyBox) {
        if !self.proxies.is_alive(slot) {
            return;
        }
        if bounds.is_empty() {
            return self.vanish(slot);
        }
        if self.proxies.tight_is(slot, &bounds) {
            return;
        }
        self.changed = true;
        if self.proxies.fat_contains(slot, &bounds) {
            self.proxies.set_tight(slot, &bounds);
        } else {
            self.leave_fat_box(slot, &bounds);
        }
    }

    /// Changes which proxies one may meet; nothing when the slot is empty.
    pub fn set_filter(&mut self, slot: u32, filter: Filter) {
        if self.proxies.is_alive(slot) && self.proxies.filter(slot) != filter {
            self.proxies.set_filter(slot, filter);
            let (entry, who) = (self.proxies.entry(slot), self.proxies.who(slot));
            if entry != NONE {
                self.tree_of(slot).entries[entry as usize] = who;
            }
            self.touch(slot);
        }
    }

    /// All pairs of overlapping boxes that filters, owners and mobility allow, sorted by (a, b).
    ///
    /// A pure function of what the slots hold: the same for every history that led to it.
    pub fn update_pairs(&mut self) -> &[Pair] {
        if self.changed || !self.touched.is_empty() {
            self.tend_fat_boxes();
            at_level!(self.level, simd => self.update(simd));
            self.changed = false;
        }
        self.pairs.as_slice()
    }

    /// The pairs of the last update.
    pub fn pairs(&self) -> &[Pair] {
        self.pairs.as_slice()
    }

    /// Memory held [bytes].
    pub fn bytes(&self) -> usize {
        let lists = self.candidates.bytes() + self.pairs.bytes();
        let trees = self.moving.bytes() + self.fixed.bytes() + self.packer.bytes();
        lists + trees + self.proxies.bytes() + self.rows.bytes() + self.touched.capacity() * size_of::<u32>()
    }

    /// Makes a proxy's box empty.
    #[cold]
    fn vanish(&mut self, slot: u32) {
        if !self.proxies.tight(slot).is_empty() {
            self.proxies.set_tight(slot, &ProxyBox::EMPTY);
            self.proxies.set_fat(slot, &ProxyBox::EMPTY);
            self.touch(slot);
        }
    }

    /// Sets a box that is not inside the fat box.
    #[cold]
    fn leave_fat_box(&mut self, slot: u32, now: &ProxyBox) {
        let before = self.proxies.tight(slot);
        let mut fat = *now;
        if !self.proxies.is_static(slot) {
            let ahead = ahead(&before, now);
            // A proxy that comes from nowhere did not leave.
            let again = !before.is_empty() && self.proxies.note_leaving(slot);
            fat = fattened(now, ahead, if again { Temper::Restless } else { Temper::Calm });
            self.proxies.set_ahead(slot, ahead);
        }
        self.proxies.set_tight(slot, now);
        self.proxies.set_fat(slot, &fat);
        self.touch(slot);
    }

    fn touch(&mut self, slot: u32) {
        if self.proxies.touch(slot) {
            self.touched.push(slot);
        }
    }

    fn tree_of(&mut self, slot: u32) -> &mut Tree {
        if self.proxies.is_static(slot) { &mut self.fixed } else { &mut self.moving }
    }

    fn take_out(&mut self, slot: u32) {
        let entry = self.proxies.entry(slot);
        if entry != NONE {
            self.tree_of(slot).remove(entry);
            self.proxies.set_entry(slot, NONE);
        }
    }

    /// Shrinks fat boxes of proxies that have become slow, a few at each update.
    fn tend_fat_boxes(&mut self) {
        let len = self.proxies.len();
        for _ in 0..len.div_ceil(ROUND) {
            self.cursor = if self.cursor + 1 < len { self.cursor + 1 } else { 0 };
            let slot = self.cursor as u32;
            if self.proxies.settle(slot) {
                let tight = self.proxies.tight(slot);
                if is_too_fat(&self.proxies.fat(slot), &tight) {
                    self.proxies.set_fat(slot, &fattened(&tight, [0.0; 3], Temper::Calm));
                    self.touch(slot);
                }
            }
        }
    }

    /// Gives a new fat box to every moving proxy that has not left its own: since all candidates are found anew, all
    /// may as well begin together, and none leaves in the next steps.
    fn renew_fat_boxes(&mut self) {
        for entry in 0..self.moving.entries.len() {
            let slot = self.moving.entries[entry].slot;
            if slot == NONE || self.proxies.is_touched(slot) {
                continue;
            }
            let (fat, tight) = (self.proxies.fat(slot), self.proxies.tight(slot));
            let ahead = remembered(&fat, &tight, self.proxies.backward(slot));
            let temper = if self.proxies.is_recent(slot) { Temper::Restless } else { Temper::Calm };
            self.proxies.set_fat(slot, &fattened(&tight, ahead, temper));
            self.touch(slot);
        }
    }

    #[inline(always)]
    fn update<S: Simd>(&mut self, simd: S) {
        if !self.touched.is_empty() {
            let all = self.is_all_worthwhile();
            if all {
                self.renew_fat_boxes();
            }
            self.place_touched(simd);
            if all {
                self.find_all(simd);
            } else {
                self.find_touched(simd);
            }
            for &slot in &self.touched {
                self.proxies.untouch(slot);
            }
            self.touched.clear();
        }
        let candidates = self.candidates.as_slice();
        let room = self.pairs.room(candidates.len());
        let mut len = 0;
        for &pair in candidates {
            room[len] = pair;
            len += usize::from(self.proxies.overlap(simd, pair.a, pair.b));
        }
        self.pairs.set_len(len);
    }

    /// True when finding all candidates from nothing costs less than finding those of the touched: now, or, where most
    /// proxies move, in the steps to come.
    fn is_all_worthwhile(&self) -> bool {
        let (touched, moving) = (self.touched.len(), self.moving.len());
        let flows = 2 * self.proxies.recent() > moving;
        6 * touched > moving || (flows && self.debt.is_due(moving, self.candidates.len()))
    }

    /// Brings the trees up to date with the fat boxes.
    #[inline(always)]
    fn place_touched<S: Simd>(&mut self, simd: S) {
        let many = 8 * self.touched.len() > self.moving.len() + self.fixed.len();
        for i in 0..self.touched.len() {
            let slot = self.touched[i];
            if !self.proxies.is_alive(slot) {
                continue;
            }
            let fat = self.proxies.fat(slot);
            let entry = self.proxies.entry(slot);
            if fat.is_empty() {
                self.take_out(slot);
            } else if entry == NONE {
                let who = self.proxies.who(slot);
                let entry = self.tree_of(slot).append(who, &fat);
                self.proxies.set_entry(slot, entry);
            } else if many {
                self.tree_of(slot).write_unfitted(entry, &fat);
            } else {
                self.tree_of(slot).write(entry, &fat);
            }
        }
        let entries = self.moving.len() + self.fixed.len();
        let tired = self.join_meter.is_spent(entries) || self.query_meter.is_spent(entries);
        if tired {
            self.join_meter.reset();
            self.query_meter.reset();
        }
        for tree in [&mut self.moving, &mut self.fixed] {
            let pack = tired || tree.is_ragged();
            if pack {
                tree.pack(&mut self.packer, |slot, entry| {
                    self.proxies.set_entry(slot, entry);
                    (self.proxies.who(slot), self.proxies.fat(slot))
                });
            }
            if pack || many || tree.is_loose() {
                tree.refit(simd);
            }
        }
    }

    /// Candidates from nothing.
    #[inline(always)]
    fn find_all<S: Simd>(&mut self, simd: S) {
        let Self { proxies, moving, fixed, candidates, .. } = self;
        candidates.set_len(0);
        let mut work = 0;
        for (other, sides) in [(&*moving, Sides::Same), (&*fixed, Sides::Different)] {
            work += join(simd, moving, other, sides, |i, j, overlaps| {
                push_pairs(candidates, moving.leaf(i), other.leaf(j), overlaps);
            });
        }
        self.join_meter.record(moving.len(), work, moving.len());
        self.debt.clear();
        self.rows.sort(candidates.tail_mut(0), &mut self.pairs, proxies.len());
    }

    /// Candidates anew for the touched, and as they were for the others.
    #[inline(always)]
    fn find_touched<S: Simd>(&mut self, simd: S) {
        let Self { proxies, moving, fixed, candidates, .. } = self;
        let old = candidates.len();
        let mut work = 0;
        for &slot in &self.touched {
            let (fat, who) = (proxies.fat(slot), proxies.who(slot));
            let others: &[&Tree] = if proxies.is_static(slot) { &[moving] } else { &[moving, fixed] };
            for tree in others {
                work += tree.visit(simd, &fat, |entry| {
                    let other = &tree.entries[entry];
                    // Two touched proxies find each other; the lower slot says so. (A proxy that finds itself has
                    // the same owner.)
                    let counted = (other.slot < slot) & proxies.is_touched(other.slot);
                    candidates.push_if(!counted & who.may_pair(other), Pair::new(slot, other.slot));
                });
            }
        }
        self.query_meter.record(self.touched.len(), work, moving.len());
        self.debt.add(self.touched.len(), old);
        self.rows.sort(candidates.tail_mut(old), &mut self.pairs, proxies.len());
        let kept = |p: &Pair| !(proxies.is_touched(p.a) | proxies.is_touched(p.b));
        let (old, fresh) = candidates.as_slice().split_at(old);
        merge(old, fresh, &mut self.pairs, kept);
        std::mem::swap(&mut self.candidates, &mut self.pairs);
    }
}

/// Adds the pairs of two leaves that overlap and may pair. Writes all and keeps some: no branch to mispredict.
#[inline(always)]
fn push_pairs(to: &mut PairBuffer, p: &[Entry; LANES], q: &[Entry; LANES], mut overlaps: u64) {
    let room = to.spare::<{ LANES * LANES }>();
    let mut kept = 0;
    while overlaps != 0 {
        let at = overlaps.trailing_zeros() as usize;
        overlaps &= overlaps - 1;
        let (a, b) = (&p[at / LANES % LANES], &q[at % LANES]);
        room[kept] = Pair::new(a.slot, b.slot);
        kept += usize::from(a.may_pair(b));
    }
    let len = to.len() + kept;
    to.set_len(len);
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, Vec3};

    #[test]
    fn every_simd_level_gives_the_same_pairs() {
        let mut levels = vec![Level::baseline(), Level::new()];
        levels.extend(Level::new().as_sse2().map(Level::Sse2));
        levels.extend(Level::new().as_avx2().map(Level::Avx2));
        let run = |level: Level| {
            let mut r = SplitMix::new(1);
            let mut phase = BroadPhase { level, ..BroadPhase::new() };
            let mut random_box = || {
                let (c, h) = (r.in_cube(), r.in_cube().abs() * 0.2);
                ProxyBox::from_f64_outward(c - h, c + h + Vec3::splat(0.01))
            };
            let mut log = Vec::new();
            for step in 0..40 {
                for slot in 0..500 {
                    let mobility = if slot % 5 == 0 { Mobility::Static } else { Mobility::Moving };
                    match (step, slot % 7 == step % 7) {
                        (0, _) => phase.insert(slot, random_box(), Filter::DEFAULT, mobility, slot),
                        (_, true) => phase.set_bounds(slot, random_box()),
                        _ => {}
                    }
                }
                log.extend_from_slice(phase.update_pairs());
            }
            log
        };
        let expected = run(levels[0]);
        assert!(expected.len() > 10_000);
        for &level in &levels[1..] {
            assert_eq!(run(level), expected, "{level:?}");
        }
    }
}
