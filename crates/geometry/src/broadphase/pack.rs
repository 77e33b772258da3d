//! The order of boxes in a packed tree: neighbours in space become neighbours in the list.
//!
//! The list is cut at the boundary of the largest possible subtree, so that each side of the cut holds the boxes on
//! one side along the axis where the centres spread most; then each side is cut again, down to single leaves. Cuts are
//! by number and not by place: coincident centres, outliers and any mixture of scales give the same depth.
//!
//! Boxes much larger than the median come last, in bands of size, so that one ground slab does not spoil the nodes of
//! a thousand grains.

use super::bounds::ProxyBox;
use super::node::LANES;

/// Binary exponents of an f32.
const EXPONENTS: usize = 256;
/// Boxes up to 2³ times the median's size share a band; so does each further factor 2³.
const BAND: usize = 3;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Item {
    centre: [f32; 3],
    pub(super) slot: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Packer {
    items: Vec<Item>,
    sizes: [u32; EXPONENTS],
    median: usize,
    /// Where the next item of each band goes, and in the end where each band ends.
    next: [usize; EXPONENTS],
}

impl Default for Packer {
    fn default() -> Self {
        Self { items: Vec::new(), sizes: [0; EXPONENTS], median: 0, next: [0; EXPONENTS] }
    }
}

impl Packer {
    pub(super) fn reserve(&mut self, slots: usize) {
        self.items.reserve(slots.saturating_sub(self.items.len()));
    }

    pub(super) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item>()
    }

    pub(super) fn begin(&mut self) {
        self.sizes = [0; EXPONENTS];
    }

    /// First pass: every box.
    pub(super) fn count(&mut self, b: &ProxyBox) {
        self.sizes[exponent(b)] += 1;
    }

    /// Between the passes: room for each band.
    pub(super) fn allot(&mut self) {
        let total: usize = self.sizes.iter().map(|&n| n as usize).sum();
        let mut below = 0;
        self.median = (0..EXPONENTS)
            .find(|&e| {
                below += self.sizes[e] as usize;
                2 * below >= total
            })
            .unwrap_or(0);
        let mut in_band = [0; EXPONENTS];
        for (e, &n) in self.sizes.iter().enumerate() {
            in_band[self.band(e)] += n as usize;
        }
        let mut sum = 0;
        for (next, n) in self.next.iter_mut().zip(in_band) {
            *next = sum;
            sum += n;
        }
        if self.items.len() < total {
            self.items.reserve_exact(total - self.items.len());
        }
        self.items.resize(total, Item::default());
    }

    /// Second pass: the same boxes again.
    pub(super) fn put(&mut self, slot: u32, b: &ProxyBox) {
        let next = &mut self.next[band(exponent(b), self.median)];
        self.items[*next] = Item { centre: centre(b), slot };
        *next += 1;
    }

    /// The boxes in their new order.
    pub(super) fn finish(&mut self) -> &[Item] {
        let mut start = 0;
        for end in self.next {
            arrange(&mut self.items[start..end], start);
            start = end;
        }
        &self.items
    }

    fn band(&self, exponent: usize) -> usize {
        band(exponent, self.median)
    }
}

fn band(exponent: usize, median: usize) -> usize {
    exponent.saturating_sub(median) / BAND
}

/// The binary exponent of the largest edge; the highest for infinite boxes.
fn exponent(b: &ProxyBox) -> usize {
    let edge = |i: usize| ((b.max[i] - b.min[i]).to_bits() >> 23) as usize & (EXPONENTS - 1);
    edge(0).max(edge(1)).max(edge(2))
}

/// Always finite, with differences that are finite too.
fn centre(b: &ProxyBox) -> [f32; 3] {
    const FAR: f32 = f32::MAX / 4.0;
    std::array::from_fn(|i| {
        let c = 0.5 * b.min[i] + 0.5 * b.max[i];
        if c.is_nan() { 0.0 } else { c.clamp(-FAR, FAR) }
    })
}

/// Orders items that are to fill the entries from `start` on.
fn arrange(items: &mut [Item], start: usize) {
    if items.len() < 2 {
        return;
    }
    // The highest bit in which the first and the last entry differ: the largest subtree boundary between them.
    let last = start + items.len() - 1;
    let bit = (start ^ last).ilog2();
    if (1 << bit) < LANES {
        return;
    }
    let cut = ((last >> bit) << bit) - start;
    let axis = widest(items);
    items.select_nth_unstable_by(cut, |p, q| p.centre[axis].total_cmp(&q.centre[axis]));
    let (left, right) = items.split_at_mut(cut);
    arrange(left, start);
    arrange(right, start + cut);
}

fn widest(items: &[Item]) -> usize {
    let (mut lo, mut hi) = (items[0].centre, items[0].centre);
    for item in items {
        for i in 0..3 {
            let c = item.centre[i];
            lo[i] = if c < lo[i] { c } else { lo[i] };
            hi[i] = if c > hi[i] { c } else { hi[i] };
        }
    }
    let spread: [f32; 3] = std::array::from_fn(|i| hi[i] - lo[i]);
    let xy = usize::from(spread[1] > spread[0]);
    if spread[2] > spread[xy] { 2 } else { xy }
}
