//! What each slot holds: two cache-line halves and a byte.

use super::bounds::ProxyBox;
use super::tree::{Entry, NONE};
use fearless_simd::{Simd, SimdBase, SimdMask, f32x4};

/// Which proxies may meet: a and b pass when a's layer is in b's mask and b's layer is in a's mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The layers that the proxy is on, a bit each.
    pub layer: u32,
    /// The layers that it meets, a bit each.
    pub mask: u32,
}

impl Filter {
    /// On the first layer, meets all layers.
    pub const DEFAULT: Self = Self { layer: 1, mask: !0 };

    /// True when both accept each other.
    #[inline(always)]
    pub fn passes(self, other: Self) -> bool {
        (self.layer & other.mask != 0) & (other.layer & self.mask != 0)
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Whether a proxy is expected to move. Two static proxies never pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// Its box changes at most steps.
    Moving,
    /// Its box changes seldom.
    Static,
}

/// A box in two registers; the fourth lanes carry a word each.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug)]
struct Packed {
    lo: [f32; 4],
    hi: [f32; 4],
}

impl Packed {
    fn new(b: &ProxyBox, words: [u32; 2]) -> Self {
        let [lo, hi] = words.map(f32::from_bits);
        Self { lo: [b.min[0], b.min[1], b.min[2], lo], hi: [b.max[0], b.max[1], b.max[2], hi] }
    }

    #[inline(always)]
    fn bounds(&self) -> ProxyBox {
        let ([x, y, z, _], [u, v, w, _]) = (self.lo, self.hi);
        ProxyBox { min: [x, y, z], max: [u, v, w] }
    }

    #[inline(always)]
    fn set_bounds(&mut self, b: &ProxyBox) {
        self.lo[..3].copy_from_slice(&b.min);
        self.hi[..3].copy_from_slice(&b.max);
    }
}

const ALIVE: u8 = 1;
const STATIC: u8 = 2;
const TOUCHED: u8 = 4;
const RECENT: u8 = 8;
/// The fat box reaches further towards lower x, y, z.
const BACKWARD: [u8; 3] = [16, 32, 64];

/// The slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Proxies {
    /// The box as set; words: owner, entry in its tree.
    tight: Vec<Packed>,
    /// A box around it, which the tree holds; words: layer, mask.
    fat: Vec<Packed>,
    flags: Vec<u8>,
    /// How many are `RECENT`.
    recent: usize,
}

impl Proxies {
    pub(super) fn len(&self) -> usize {
        self.flags.len()
    }

    pub(super) fn reserve(&mut self, slots: usize) {
        let more = slots.saturating_sub(self.len());
        self.tight.reserve(more);
        self.fat.reserve(more);
        self.flags.reserve(more);
    }

    pub(super) fn bytes(&self) -> usize {
        (self.tight.capacity() + self.fat.capacity()) * size_of::<Packed>() + self.flags.capacity()
    }

    /// Fills a slot; its box is empty at first.
    pub(super) fn fill(&mut self, slot: u32, filter: Filter, mobility: Mobility, owner: u32) {
        let at = slot as usize;
        if at >= self.flags.len() {
            let nothing = Packed::new(&ProxyBox::EMPTY, [0, NONE]);
            self.tight.resize(at + 1, nothing);
            self.fat.resize(at + 1, nothing);
            self.flags.resize(at + 1, 0);
        }
        self.tight[at] = Packed::new(&ProxyBox::EMPTY, [owner, NONE]);
        self.fat[at] = Packed::new(&ProxyBox::EMPTY, [filter.layer, filter.mask]);
        self.flags[at] =
            (self.flags[at] & TOUCHED) | ALIVE | if mobility == Mobility::Static { STATIC } else { 0 };
    }

    /// Empties a slot.
    pub(super) fn clear(&mut self, slot: u32) {
        self.tight[slot as usize] = Packed::new(&ProxyBox::EMPTY, [0, NONE]);
        self.fat[slot as usize] = Packed::new(&ProxyBox::EMPTY, [0, 0]);
        self.settle(slot);
        self.flags[slot as usize] &= TOUCHED;
    }

    pub(super) fn is_alive(&self, slot: u32) -> bool {
        self.flags.get(slot as usize).is_some_and(|f| f & ALIVE != 0)
    }

    #[inline(always)]
    pub(super) fn is_static(&self, slot: u32) -> bool {
        self.flags[slot as usize] & STATIC != 0
    }

    #[inline(always)]
    pub(super) fn is_touched(&self, slot: u32) -> bool {
        self.flags[slot as usize] & TOUCHED != 0
    }

    /// Marks a slot whose candidates are out of date; false when it was marked already.
    #[inline(always)]
    pub(super) fn touch(&mut self, slot: u32) -> bool {
        let flags = &mut self.flags[slot as usize];
        let first = *flags & TOUCHED == 0;
        *flags |= TOUCHED;
        first
    }

    pub(super) fn untouch(&mut self, slot: u32) {
        self.flags[slot as usize] &= !TOUCHED;
    }

    /// Remembers that a proxy left its fat box; true when it had done so lately.
    pub(super) fn note_leaving(&mut self, slot: u32) -> bool {
        let flags = &mut self.flags[slot as usize];
        let again = *flags & RECENT != 0;
        *flags |= RECENT;
        self.recent += usize::from(!again);
        again
    }

    pub(super) fn is_recent(&self, slot: u32) -> bool {
        self.flags[slot as usize] & RECENT != 0
    }

    /// How many left their fat boxes lately.
    pub(super) fn recent(&self) -> usize {
        self.recent
    }

    /// Forgets about leaving; true for a moving proxy in its fat box that has not left since the last call.
    pub(super) fn settle(&mut self, slot: u32) -> bool {
        let flags = &mut self.flags[slot as usize];
        let was_recent = *flags & RECENT != 0;
        *flags &= !RECENT;
        self.recent -= usize::from(was_recent);
        !was_recent && *flags & (ALIVE | STATIC | TOUCHED) == ALIVE
    }

    /// Keeps the sides towards which the fat box reaches ahead.
    pub(super) fn set_ahead(&mut self, slot: u32, ahead: [f32; 3]) {
        let flags = &mut self.flags[slot as usize];
        for (bit, x) in BACKWARD.into_iter().zip(ahead) {
            *flags = if x < 0.0 { *flags | bit } else { *flags & !bit };
        }
    }

    pub(super) fn backward(&self, slot: u32) -> [bool; 3] {
        BACKWARD.map(|bit| self.flags[slot as usize] & bit != 0)
    }

    #[inline(always)]
    pub(super) fn tight(&self, slot: u32) -> ProxyBox {
        self.tight[slot as usize].bounds()
    }

    /// True when the box as set is this one.
    #[inline(always)]
    pub(super) fn tight_is(&self, slot: u32, b: &ProxyBox) -> bool {
        let Packed { lo, hi } = &self.tight[slot as usize];
        let same = |i: usize| (lo[i] == b.min[i]) & (hi[i] == b.max[i]);
        same(0) & same(1) & same(2)
    }

    /// True when a box, which is not empty, lies inside the fat box.
    #[inline(always)]
    pub(super) fn fat_contains(&self, slot: u32, b: &ProxyBox) -> bool {
        let Packed { lo, hi } = &self.fat[slot as usize];
        let inside = |i: usize| (lo[i] <= b.min[i]) & (b.max[i] <= hi[i]);
        inside(0) & inside(1) & inside(2)
    }

    #[inline(always)]
    pub(super) fn set_tight(&mut self, slot: u32, b: &ProxyBox) {
        self.tight[slot as usize].set_bounds(b);
    }

    #[inline(always)]
    pub(super) fn fat(&self, slot: u32) -> ProxyBox {
        self.fat[slot as usize].bounds()
    }

    #[inline(always)]
    pub(super) fn set_fat(&mut self, slot: u32, b: &ProxyBox) {
        self.fat[slot as usize].set_bounds(b);
    }

    #[inline(always)]
    pub(super) fn entry(&self, slot: u32) -> u32 {
        self.tight[slot as usize].hi[3].to_bits()
    }

    #[inline(always)]
    pub(super) fn set_entry(&mut self, slot: u32, entry: u32) {
        self.tight[slot as usize].hi[3] = f32::from_bits(entry);
    }

    #[inline(always)]
    pub(super) fn filter(&self, slot: u32) -> Filter {
        let fat = &self.fat[slot as usize];
        Filter { layer: fat.lo[3].to_bits(), mask: fat.hi[3].to_bits() }
    }

    pub(super) fn set_filter(&mut self, slot: u32, filter: Filter) {
        let fat = &mut self.fat[slot as usize];
        (fat.lo[3], fat.hi[3]) = (f32::from_bits(filter.layer), f32::from_bits(filter.mask));
    }

    /// What the tree keeps beside the box.
    #[inline(always)]
    pub(super) fn who(&self, slot: u32) -> Entry {
        Entry { slot, owner: self.tight[slot as usize].lo[3].to_bits(), filter: self.filter(slot) }
    }

    /// True when the boxes as set overlap.
    #[inline(always)]
    pub(super) fn overlap<S: Simd>(&self, simd: S, a: u32, b: u32) -> bool {
        let (a, b) = (&self.tight[a as usize], &self.tight[b as usize]);
        let load = |x: &[f32; 4]| f32x4::load_array_ref(simd, x);
        let all = load(&a.lo).simd_le(load(&b.hi)) & load(&b.lo).simd_le(load(&a.hi));
        all.to_bitmask() & 7 == 7
    }
}
