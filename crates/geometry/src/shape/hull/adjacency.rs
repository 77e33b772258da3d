//! Who is joined to whom.

/// For each corner the corners that it is joined to, in ascending order.
#[derive(Clone, Debug)]
pub(super) struct Adjacency {
    /// Start of each corner's list in `joined`; one more entry than corners.
    first: Vec<u32>,
    joined: Vec<u32>,
}

impl Adjacency {
    /// From pairs in any order and direction, and with repetitions.
    pub fn new(count: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut both: Vec<[u32; 2]> = pairs.flat_map(|[a, b]| [[a, b], [b, a]]).collect();
        both.sort_unstable();
        both.dedup();
        Self {
            first: (0..=count as u32).map(|v| both.partition_point(|p| p[0] < v) as u32).collect(),
            joined: both.iter().map(|p| p[1]).collect(),
        }
    }

    /// What corner `v` is joined to.
    #[inline(always)]
    pub fn of(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.joined[self.first[v] as usize..self.first[v + 1] as usize]
    }
}
