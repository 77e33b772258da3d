//! A tree of boxes, eight to a node, packed without pointers.
//!
//! Level 0 holds the boxes of the proxies; lane j mod 8 of node j / 8 of level k + 1 is the box around node j of level k.
//! So a proxy moves, is taken out or put in by writing a lane and the path above; what it means to be near each
//! other is decided only when the tree is packed (`pack`), which is seldom.

use super::bounds::ProxyBox;
use super::node::{Bits, LANES, Node, Probe};
use super::pack::Packer;
use super::proxies::Filter;
use fearless_simd::Simd;

/// No slot, no entry.
pub(super) const NONE: u32 = u32::MAX;

/// Levels that u32 entries can need, 8¹¹ > 2³², and a stack that depth-first search cannot exceed: it leaves at
/// most 7 brothers at each level, and writes one further.
const MAX_LEVELS: usize = 11;
pub(super) const STACK: usize = LANES * MAX_LEVELS + 1;

/// Leaves that are collected before they are looked at.
const BATCH: usize = 56;

/// A node to visit: its level and its index there.
#[derive(Clone, Copy, Default)]
pub(super) struct Visit {
    pub(super) level: u32,
    pub(super) node: u32,
}

/// Who is in a lane of level 0, and whom it may meet: all that decides a pair beside the box, side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) slot: u32,
    pub(super) owner: u32,
    pub(super) filter: Filter,
}

impl Entry {
    const VACANT: Self = Self { slot: NONE, owner: 0, filter: Filter { layer: 0, mask: 0 } };

    /// True when filters and owners let two proxies pair.
    #[inline(always)]
    pub(super) fn may_pair(&self, other: &Self) -> bool {
        (self.owner != other.owner) & self.filter.passes(other.filter)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Level 0 first; those from `height` on are empty and keep their memory.
    pub(super) levels: Vec<Vec<Node>>,
    pub(super) height: usize,
    /// The lanes of level 0.
    pub(super) entries: Vec<Entry>,
    /// Entries handed out, vacant ones included.
    used: usize,
    live: usize,
    /// Entries handed out by the last packing.
    packed: usize,
    /// Boxes written since the inner boxes were exact.
    written: usize,
}

impl Tree {
    pub(super) fn len(&self) -> usize {
        self.live
    }

    pub(super) fn leaves(&self) -> usize {
        self.entries.len() / LANES
    }

    /// The top of the tree; none when there are no entries.
    #[inline(always)]
    pub(super) fn root(&self) -> Option<Visit> {
        (self.live > 0).then(|| Visit { level: self.height as u32 - 1, node: 0 })
    }

    /// Makes room for that many entries; as many again may be vacant before the next packing.
    pub(super) fn reserve(&mut self, entries: usize) {
        let entries = 2 * entries + 8 * LANES;
        self.entries.reserve(entries.saturating_sub(self.entries.len()));
        let mut nodes = entries.div_ceil(LANES);
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let list = &mut self.levels[level];
            list.reserve(nodes.saturating_sub(list.len()));
            if nodes <= 1 {
                break;
            }
            nodes = nodes.div_ceil(LANES);
        }
    }

    /// Puts a box in and returns its entry.
    pub(super) fn append(&mut self, who: Entry, b: &ProxyBox) -> u32 {
        if self.used == self.entries.len() {
            self.add_leaf();
        }
        let entry = self.used as u32;
        self.entries[self.used] = who;
        self.used += 1;
        self.live += 1;
        self.write(entry, b);
        entry
    }

    /// Changes a box, and makes all boxes above contain it.
    pub(super) fn write(&mut self, entry: u32, b: &ProxyBox) {
        let mut at = entry as usize;
        self.levels[0][at / LANES].set(at % LANES, b);
        for level in &mut self.levels[1..self.height] {
            at /= LANES;
            if !level[at / LANES].grow(at % LANES, b) {
                break;
            }
        }
        self.written += 1;
    }

    /// Changes a box and nothing above: only before `refit`.
    pub(super) fn write_unfitted(&mut self, entry: u32, b: &ProxyBox) {
        let at = entry as usize;
        self.levels[0][at / LANES].set(at % LANES, b);
        self.written += 1;
    }

    pub(super) fn remove(&mut self, entry: u32) {
        let at = entry as usize;
        self.levels[0][at / LANES].set(at % LANES, &ProxyBox::EMPTY);
        self.entries[at] = Entry::VACANT;
        self.live -= 1;
        self.written += 1;
    }

    fn add_leaf(&mut self) {
        self.entries.resize(self.entries.len() + LANES, Entry::VACANT);
        let mut nodes = self.entries.len() / LANES;
        let mut level = 0;
        loop {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let before = self.levels[level].len();
            self.levels[level].resize(nodes, Node::VACANT);
            if level > 0 && before == 0 {
                // A new top: everything so far hangs under its first lane.
                for lane in 0..LANES {
                    let b = self.levels[level - 1][0].get(lane);
                    if !b.is_empty() {
                        self.levels[level][0].grow(0, &b);
                    }
                }
            }
            if nodes == 1 {
                self.height = level + 1;
                break;
            }
            nodes = nodes.div_ceil(LANES);
            level += 1;
        }
    }

    /// True when most entries are vacant, or were never packed.
    pub(super) fn is_ragged(&self) -> bool {
        let loose = self.used - self.packed;
        2 * loose > self.packed + 2 * LANES || self.used > 2 * self.live + 8 * LANES
    }

    /// True when so many boxes were written that the inner boxes, which only grew, are worth a pass.
    pub(super) fn is_loose(&self) -> bool {
        4 * self.written > self.used
    }

    /// Makes every inner box exact.
    #[inline(always)]
    pub(super) fn refit<S: Simd>(&mut self, simd: S) {
        for k in 1..self.height {
            let (below, above) = self.levels.split_at_mut(k);
            for (node, children) in above[0].iter_mut().zip(below[k - 1].chunks(LANES)) {
                for (lane, child) in children.iter().enumerate() {
                    node.set(lane, &child.union(simd));
                }
            }
        }
        self.written = 0;
    }

    /// Sorts the entries anew, so that near ones share nodes. `place(slot, entry)` is told where each goes and returns
    /// what is there; the inner boxes are left to `refit`.
    pub(super) fn pack(&mut self, packer: &mut Packer, mut place: impl FnMut(u32, u32) -> (Entry, ProxyBox)) {
        packer.begin();
        self.for_each(|_, b| packer.count(b));
        packer.allot();
        self.for_each(|slot, b| packer.put(slot, b));
        let items = packer.finish();
        self.used = items.len();
        self.packed = items.len();
        self.entries.clear();
        self.entries.resize(items.len().div_ceil(LANES) * LANES, Entry::VACANT);
        self.lay_levels();
        for (entry, item) in items.iter().enumerate() {
            let (who, b) = place(item.slot, entry as u32);
            self.entries[entry] = who;
            self.levels[0][entry / LANES].set(entry % LANES, &b);
        }
    }

    /// Vacant nodes at every level, as many as the entries need.
    fn lay_levels(&mut self) {
        let mut nodes = self.leaves();
        self.height = 0;
        for level in &mut self.levels {
            level.clear();
            level.resize(nodes, Node::VACANT);
            self.height += usize::from(nodes > 0);
            nodes = if nodes > 1 { nodes.div_ceil(LANES) } else { 0 };
        }
    }

    /// Calls `f(slot, box)` for every entry.
    fn for_each(&self, mut f: impl FnMut(u32, &ProxyBox)) {
        for (leaf, lanes) in self.levels.iter().take(1).flatten().zip(self.entries.chunks(LANES)) {
            for (lane, who) in lanes.iter().enumerate() {
                if who.slot != NONE {
                    f(who.slot, &leaf.get(lane));
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.levels.iter().map(|l| l.capacity() * size_of::<Node>()).sum::<usize>()
            + self.entries.capacity() * size_of::<Entry>()
    }

    /// Who is in a leaf.
    #[inline(always)]
    pub(super) fn leaf(&self, leaf: usize) -> &[Entry; LANES] {
        self.entries[leaf * LANES..].first_chunk().expect("entries come in whole leaves")
    }

    /// The box around a leaf.
    #[inline(always)]
    pub(super) fn leaf_box<S: Simd>(&self, simd: S, leaf: usize) -> ProxyBox {
        match self.height {
            0 | 1 => self.levels[0][leaf].union(simd),
            _ => self.levels[1][leaf / LANES].get(leaf % LANES),
        }
    }

    /// Calls `hit(entry)` for every entry whose box overlaps `b`; returns how many nodes were looked at.
    #[inline(always)]
    pub(super) fn visit<S: Simd>(&self, simd: S, b: &ProxyBox, mut hit: impl FnMut(usize)) -> usize {
        let probe = Probe::new(simd, b);
        self.visit_leaves(simd, &probe, 0, |leaf| {
            for lane in Bits(probe.overlaps(simd, &self.levels[0][leaf])) {
                hit(leaf * LANES + lane);
            }
        })
    }

    /// Calls `hit(leaf)` for every leaf not before `from` whose box overlaps; returns how many nodes were looked at.
    ///
    /// Which children overlap is as random as the boxes, and a branch on it would be mispredicted: so all eight are
    /// written and some kept, and leaves are collected before they are looked at.
    #[inline(always)]
    pub(super) fn visit_leaves<S: Simd>(
        &self,
        simd: S,
        probe: &Probe<S>,
        from: u32,
        mut hit: impl FnMut(usize),
    ) -> usize {
        let mut stack = [Visit::default(); STACK];
        let mut leaves = [0; BATCH + LANES];
        let Some(root) = self.root() else { return 0 };
        stack[0] = root;
        // A tree of one leaf has nothing above it to look at.
        let (mut top, mut collected) = if root.level > 0 { (1, 0) } else { (0, 1) };
        let mut work = 0;
        loop {
            if collected > BATCH || top == 0 {
                work += collected;
                for &leaf in &leaves[..collected] {
                    hit(leaf as usize);
                }
                collected = 0;
            }
            if top == 0 {
                break;
            }
            top -= 1;
            let Visit { level, node } = stack[top];
            let first = node * LANES as u32;
            let passed = (from >> (3 * (level - 1))).saturating_sub(first);
            let found = probe.overlaps(simd, &self.levels[level as usize][node as usize]) & (!0 << passed);
            work += 1;
            for lane in 0..LANES as u32 {
                let is_found = (found >> lane & 1) as usize;
                if level == 1 {
                    leaves[collected] = first + lane;
                    collected += is_found;
                } else {
                    stack[top] = Visit { level: level - 1, node: first + lane };
                    top += is_found;
                }
            }
        }
        work
    }
}
