//! Lists of pairs: sorting by key, and merging what is new into what is kept, in time linear in the lists.

/// Two slots whose boxes overlap, `a` < `b`. Ordered by (a, b).
// Aligned so that a pair is copied as one word.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The lower slot.
    pub a: u32,
    /// The higher slot.
    pub b: u32,
}

impl Pair {
    /// The pair of two different slots, in whatever order they come.
    #[inline(always)]
    pub fn new(x: u32, y: u32) -> Self {
        if x < y { Self { a: x, b: y } } else { Self { a: y, b: x } }
    }

    /// One number with the order of the pair.
    #[inline(always)]
    pub fn key(self) -> u64 {
        u64::from(self.a) << 32 | u64::from(self.b)
    }
}

/// Pairs in a vector whose length never shrinks, so that loops may write beyond the last pair without a branch and
/// nothing is filled twice.
#[derive(Clone, Debug, Default)]
pub(super) struct PairBuffer {
    data: Vec<Pair>,
    len: usize,
}

impl PairBuffer {
    pub(super) fn as_slice(&self) -> &[Pair] {
        &self.data[..self.len]
    }

    /// The pairs from the index `from` on.
    pub(super) fn tail_mut(&mut self, from: usize) -> &mut [Pair] {
        &mut self.data[from..self.len]
    }

    /// Adds a pair when it is `wanted`, without a branch.
    #[inline(always)]
    pub(super) fn push_if(&mut self, wanted: bool, pair: Pair) {
        self.spare::<1>()[0] = pair;
        self.len += usize::from(wanted);
    }

    /// Room for N pairs after the last; `set_len` makes them valid.
    #[inline(always)]
    pub(super) fn spare<const N: usize>(&mut self) -> &mut [Pair; N] {
        if self.data.len() - self.len < N {
            self.grow(self.len + N);
        }
        self.data[self.len..].first_chunk_mut().expect("there is room for N")
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Room for `n` pairs of any content; the caller says afterwards with `set_len` how many are valid.
    pub(super) fn room(&mut self, n: usize) -> &mut [Pair] {
        if self.data.len() < n {
            self.grow(n);
        }
        &mut self.data[..n]
    }

    pub(super) fn set_len(&mut self, len: usize) {
        assert!(len <= self.data.len());
        self.len = len;
    }

    /// By an eighth more than needed: doubling would cost more memory than everything else at a million proxies.
    #[cold]
    fn grow(&mut self, n: usize) {
        let target = n + n / 8 + 64;
        self.data.reserve_exact(target - self.data.len());
        self.data.resize(target, Pair::default());
    }

    pub(super) fn bytes(&self) -> usize {
        self.data.capacity() * size_of::<Pair>()
    }
}

/// Where each row of a counting sort begins: one counter per slot and column.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    by_a: Vec<u32>,
    by_b: Vec<u32>,
}

impl Rows {
    pub(super) fn reserve(&mut self, slots: usize) {
        for counters in [&mut self.by_a, &mut self.by_b] {
            counters.reserve(slots.saturating_sub(counters.len()));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.by_a.capacity() + self.by_b.capacity()) * size_of::<u32>()
    }

    /// Sorts pairs of slots below `slots`. `spare` is overwritten.
    ///
    /// Two stable counting sorts, by b and then by a: linear also where 10⁴ boxes coincide and every row is long.
    pub(super) fn sort(&mut self, pairs: &mut [Pair], spare: &mut PairBuffer, slots: usize) {
        let len = pairs.len();
        // Clearing the counters costs as much as a comparison sort of a sixteenth as many pairs; the counters have 32 bits.
        if len < slots / 16 + 32 || len > u32::MAX as usize {
            pairs.sort_unstable_by_key(|p| p.key());
            return;
        }
        for counters in [&mut self.by_a, &mut self.by_b] {
            if counters.len() < slots {
                counters.reserve_exact(slots - counters.len());
            }
            counters.clear();
            counters.resize(slots, 0);
        }
        for p in &*pairs {
            self.by_a[p.a as usize] += 1;
            self.by_b[p.b as usize] += 1;
        }
        start_of_rows(&mut self.by_a);
        start_of_rows(&mut self.by_b);
        let by_b = spare.room(len);
        scatter(pairs, by_b, &mut self.by_b, |p| p.b);
        scatter(by_b, pairs, &mut self.by_a, |p| p.a);
    }
}

/// Turns counts into the sums of the counts before.
fn start_of_rows(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

#[inline(always)]
fn scatter(from: &[Pair], to: &mut [Pair], next: &mut [u32], row: impl Fn(&Pair) -> u32) {
    for p in from {
        let at = &mut next[row(p) as usize];
        to[*at as usize] = *p;
        *at += 1;
    }
}

/// `out` = the pairs of `old` that `keep` accepts, merged with `fresh`; both lists sorted, nothing in both.
#[inline(always)]
pub(super) fn merge(old: &[Pair], fresh: &[Pair], out: &mut PairBuffer, keep: impl Fn(&Pair) -> bool) {
    let room = out.room(old.len() + fresh.len());
    let (mut read, mut write) = (0, 0);
    for f in fresh {
        while read < old.len() && old[read].key() < f.key() {
            room[write] = old[read];
            write += usize::from(keep(&old[read]));
            read += 1;
        }
        room[write] = *f;
        write += 1;
    }
    for p in &old[read..] {
        room[write] = *p;
        write += usize::from(keep(p));
    }
    out.set_len(write);
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    fn random_pairs(r: &mut SplitMix, n: usize, slots: usize) -> PairBuffer {
        let mut out = PairBuffer::default();
        for _ in 0..n {
            let (x, y) = (r.index(slots) as u32, r.index(slots) as u32);
            out.push_if(x != y, Pair::new(x, y));
        }
        out
    }

    #[test]
    fn counting_sort_and_comparison_sort_agree() {
        let mut r = SplitMix::new(3);
        let (mut rows, mut spare) = (Rows::default(), PairBuffer::default());
        for n in [0, 1, 5, 31, 100, 5000] {
            for slots in [2, 7, 300, 200_000] {
                let mut pairs = random_pairs(&mut r, n, slots);
                let mut expected = pairs.as_slice().to_vec();
                expected.sort();
                rows.sort(pairs.tail_mut(0), &mut spare, slots);
                assert_eq!(pairs.as_slice(), expected, "{n} pairs of {slots} slots");
            }
        }
    }

    #[test]
    fn merge_keeps_order_and_drops_what_is_not_kept() {
        let mut r = SplitMix::new(4);
        for n in [0, 1, 10, 1000] {
            let mut all = random_pairs(&mut r, 2 * n, 400).as_slice().to_vec();
            all.sort();
            all.dedup();
            let (mut old, mut fresh) = (Vec::new(), Vec::new());
            for p in &all {
                if r.index(3) == 0 { fresh.push(*p) } else { old.push(*p) }
            }
            let mut out = PairBuffer::default();
            merge(&old, &fresh, &mut out, |p| p.a % 5 != 0);
            let expected: Vec<Pair> =
                all.iter().copied().filter(|p| fresh.contains(p) || p.a % 5 != 0).collect();
            assert_eq!(out.as_slice(), expected);
        }
    }
}
