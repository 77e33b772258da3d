//! Newton's Hessian H = M + JᵀCJ of a large island, in blocks: one for each block of M, and one for each pair of them that a block of rows
//! couples. C is the second derivative of the rows' cost at the iterate.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | Hₖₖ | `diagonal` | laid out as the blocks of M |
//! | Hᵢⱼ, i > j | `Coupling`, `values` | size(i) × size(j) numbers, row-major |

use super::island::Island;
use super::law::{self, Block6, Curvature};
use super::rows::{MassBlock, SoftBlock, SoftLaw, SoftRows};

/// A block below the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coupling {
    /// Block of M of its rows.
    pub row: u32,
    /// Block of M of its columns, lower than `row`.
    pub column: u32,
    /// Where its numbers begin.
    pub at: usize,
}

/// The columns of a block of rows that belong to one block of M.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// That block of M.
    node: u32,
    /// Columns of the block of rows, from its first on.
    from: u32,
    to: u32,
}

/// H in blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockHessian {
    /// Blocks below the diagonal, by row, then column.
    pub couplings: Vec<Coupling>,
    /// Numbers of the couplings.
    pub values: Vec<f64>,
    /// The blocks on the diagonal.
    pub diagonal: Vec<f64>,
    /// Parts of each block of rows; `part_of[k]` is where those of block k begin.
    parts: Vec<Part>,
    part_of: Vec<u32>,
    /// Coupling of each pair of parts of a block of rows, in the order in which [`pairs`] counts them.
    coupled: Vec<u32>,
    /// Where those of block k begin.
    coupled_of: Vec<u32>,
    /// Row and column of each pair, for sorting.
    keys: Vec<(u32, u32)>,
    /// Where the couplings of each row begin.
    starts: Vec<u32>,
    /// Block of M of each dof.
    node_of: Vec<u32>,
    /// Second derivative of each row that H has, and of each elliptic contact.
    weight: Vec<f64>,
    full: Vec<Block6>,
    /// H has nothing yet.
    is_fresh: bool,
}

/// Pairs (i, j), i > j, of `n` parts.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..n).flat_map(|i| (0..i).map(move |j| (i, j)))
}

impl BlockHessian {
    /// Finds the blocks of an island; its iterate may change after that, its rows and their columns not.
    pub fn lay_out(&mut self, island: &Island) {
        self.is_fresh = true;
        let (mass, rows) = (&island.mass, &island.rows);
        self.node_of.clear();
        for (k, block) in mass.blocks.iter().enumerate() {
            self.node_of.resize(block.first + block.size, k as u32);
        }
        self.parts.clear();
        self.part_of.clear();
        self.keys.clear();
        for block in &rows.blocks {
            let first = self.parts.len();
            self.part_of.push(first as u32);
            self.find_parts(rows, block);
            let parts = &self.parts[first..];
            self.keys.extend(pairs(parts.len()).map(|(i, j)| (parts[i].node, parts[j].node)));
        }
        self.part_of.push(self.parts.len() as u32);
        self.keys.sort_unstable();
        self.keys.dedup();
        self.couplings.clear();
        self.starts.clear();
        let mut at = 0;
        for &(row, column) in &self.keys {
            self.starts.resize(row as usize + 1, self.couplings.len() as u32);
            self.couplings.push(Coupling { row, column, at });
            at += mass.blocks[row as usize].size * mass.blocks[column as usize].size;
        }
        self.starts.resize(mass.blocks.len() + 1, self.couplings.len() as u32);
        self.values.clear();
        self.values.resize(at, 0.0);
        // Its length is part of the work, by which the method is chosen before the first numbers come.
        self.diagonal.clear();
        self.diagonal.resize(mass.values.len(), 0.0);
        self.coupled.clear();
        self.coupled_of.clear();
        for k in 0..rows.blocks.len() {
            self.coupled_of.push(self.coupled.len() as u32);
            let parts = &self.parts[self.part_of[k] as usize..self.part_of[k + 1] as usize];
            for (i, j) in pairs(parts.len()) {
                let row = parts[i].node as usize;
                let from = self.starts[row] as usize;
                let those = &self.couplings[from..self.starts[row + 1] as usize];
                let found = those.partition_point(|c| c.column < parts[j].node);
                self.coupled.push((from + found) as u32);
            }
        }
    }

    fn find_parts(&mut self, rows: &SoftRows, block: &SoftBlock) {
        let columns = rows.columns_of(block);
        let mut from = 0;
        while from < columns.len() {
            let node = self.node_of[columns[from]];
            let to = from + columns[from..].iter().take_while(|&&c| self.node_of[c] == node).count();
            self.parts.push(Part { node, from: from as u32, to: to as u32 });
            from = to;
        }
    }

    /// Multiplications of a product with a vector.
    pub fn work(&self) -> f64 {
        (self.diagonal.len() + 2 * self.values.len()) as f64
    }

    /// Couplings of row `k`.
    pub fn row(&self, k: usize) -> &[Coupling] {
        &self.couplings[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// Brings H to the iterate. Only rows whose second derivative is not that of the last time are added, since most contacts stay as they are from
    /// one iteration to the next; what rounding leaves of those that came and went is far below what the direction of a step needs.
    pub fn fill(&mut self, island: &Island) {
        if self.is_fresh {
            self.is_fresh = false;
            self.diagonal.clone_from(&island.mass.values);
            self.values.fill(0.0);
            self.weight.clear();
            self.weight.resize(island.rows.len(), 0.0);
            self.full.clear();
            let elliptic = |b: &&SoftBlock| matches!(b.law, SoftLaw::Elliptic { .. });
            self.full.resize(island.rows.blocks.iter().filter(elliptic).count(), Block6::default());
        }
        let (mut weight, mut full) = (std::mem::take(&mut self.weight), std::mem::take(&mut self.full));
        let mut at = 0;
        for (k, block) in island.rows.blocks.iter().enumerate() {
            if let SoftLaw::Elliptic { .. } = block.law {
                self.change_full(island, k, &mut full[at]);
                at += 1;
                continue;
            }
            for row in 0..block.rows {
                let of = block.first + row;
                let now = law::row_curvature(&block.law, island.x[of], island.d[of]);
                let change = now - weight[of];
                if change != 0.0 {
                    weight[of] = now;
                    let j = island.rows.row_of(block, row);
                    self.add(island, k, |a| change * j[a], j);
                }
            }
        }
        (self.weight, self.full) = (weight, full);
    }

    /// Brings an elliptic contact, whose matrix was `old`, to the iterate.
    fn change_full(&mut self, island: &Island, k: usize, old: &mut Block6) {
        let block = &island.rows.blocks[k];
        let range = block.first..block.first + block.rows;
        let (mut now, mut weight) = (Block6::default(), [0.0; 6]);
        let weight = &mut weight[..block.rows];
        let (x, d) = (&island.x[range.clone()], &island.d[range]);
        if law::curvature(&block.law, x, d, island.latch(k), weight, &mut now) == Curvature::Diagonal {
            weight.iter().enumerate().for_each(|(i, w)| now[i][i] = *w);
        }
        if now == *old {
            return;
        }
        let values = &island.rows.values[block.first_value..];
        for row in 0..block.rows {
            let left = |a: usize| {
                let change = |i: usize| (now[i][row] - old[i][row]) * values[i * block.columns + a];
                (0..block.rows).map(change).sum::<f64>()
            };
            self.add(island, k, left, island.rows.row_of(block, row));
        }
        *old = now;
    }

    /// Adds l jᵀ to the blocks that block of rows `k` couples, of a symmetric matrix of which l jᵀ is a part.
    #[inline]
    fn add(&mut self, island: &Island, k: usize, l: impl Fn(usize) -> f64, j: &[f64]) {
        let parts = &self.parts[self.part_of[k] as usize..self.part_of[k + 1] as usize];
        let columns = island.rows.columns_of(&island.rows.blocks[k]);
        let blocks = &island.mass.blocks;
        for part in parts {
            let node = blocks[part.node as usize];
            let h = &mut self.diagonal[node.at..node.at + node.size * node.size];
            add_outer(h, [&node, &node], [*part; 2], columns, &l, j);
        }
        let coupled = &self.coupled[self.coupled_of[k] as usize..];
        for ((a, b), &coupling) in pairs(parts.len()).zip(coupled) {
            let ends = [parts[a], parts[b]];
            let [row, column] = ends.map(|part| &blocks[part.node as usize]);
            let at = self.couplings[coupling as usize].at;
            add_outer(&mut self.values[at..at + row.size * column.size], [row, column], ends, columns, &l, j);
        }
    }

    /// `out` = H v.
    pub fn times(&self, blocks: &[MassBlock], v: &[f64], out: &mut [f64]) {
        for (k, block) in blocks.iter().enumerate() {
            let (own, size) = (block.first, block.size);
            if size == 6 {
                // The common case, a free body, with lengths that the compiler knows.
                let mine: &[f64; 6] = v[own..own + 6].try_into().expect("six dofs");
                let mut sum = times6(self.diagonal[block.at..block.at + 36].try_into().expect("6 × 6"), mine);
                for coupling in self.row(k) {
                    let other = &blocks[coupling.column as usize];
                    if other.size != 6 {
                        self.couple(coupling, block, other, v, out, &mut sum);
                        continue;
                    }
                    let h: &[f64; 36] = self.values[coupling.at..coupling.at + 36].try_into().expect("6 × 6");
                    let theirs: &[f64; 6] = v[other.first..other.first + 6].try_into().expect("six dofs");
                    let to: &mut [f64; 6] =
                        (&mut out[other.first..other.first + 6]).try_into().expect("six dofs");
                    for i in 0..6 {
                        let row = &h[6 * i..6 * i + 6];
                        let mut dot = 0.0;
                        for c in 0..6 {
                            dot += row[c] * theirs[c];
                            to[c] += row[c] * mine[i];
                        }
                        sum[i] += dot;
                    }
                }
                out[own..own + 6].copy_from_slice(&sum);
                continue;
            }
            for i in 0..size {
                let row = &self.diagonal[block.at + i * size..block.at + (i + 1) * size];
                out[own + i] = row.iter().zip(&v[own..own + size]).map(|(h, v)| h * v).sum();
            }
            let (before, mine) = out.split_at_mut(own);
            for coupling in self.row(k) {
                self.couple(coupling, block, &blocks[coupling.column as usize], v, before, &mut mine[..size]);
            }
        }
    }

    /// Adds what a coupling does to both of its sides: to `sum` for its row, to `out` for its column.
    fn couple(
        &self,
        coupling: &Coupling,
        row: &MassBlock,
        column: &MassBlock,
        v: &[f64],
        out: &mut [f64],
        sum: &mut [f64],
    ) {
        for (i, sum) in sum.iter_mut().enumerate() {
            let h = &self.values[coupling.at + i * column.size..coupling.at + (i + 1) * column.size];
            let theirs = column.first..column.first + column.size;
            *sum += h.iter().zip(&v[theirs.clone()]).map(|(h, v)| h * v).sum::<f64>();
            out[theirs].iter_mut().zip(h).for_each(|(out, h)| *out += h * v[row.first + i]);
        }
    }
}

/// A 6 × 6 matrix times a vector.
#[inline]
pub(super) fn times6(h: &[f64; 36], v: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| (0..6).map(|k| h[6 * i + k] * v[k]).sum())
}

/// Adds l jᵀ over two parts of the columns of a block of rows to the block `h` of their two blocks of M.
#[inline]
fn add_outer(
    h: &mut [f64],
    [row, column]: [&MassBlock; 2],
    [a, b]: [Part; 2],
    columns: &[usize],
    l: &impl Fn(usize) -> f64,
    j: &[f64],
) {
    let theirs = &j[b.from as usize..b.to as usize];
    let whole = theirs.len() == column.size;
    if let (true, Ok(theirs)) = (row.size == 6 && a.to - a.from == 6, <&[f64; 6]>::try_from(theirs))
        && column.size == 6
        && let Ok(h) = <&mut [f64; 36]>::try_from(&mut *h)
    {
        // Two free bodies: lengths that the compiler knows.
        for i in 0..6 {
            let factor = l(a.from as usize + i);
            (0..6).for_each(|k| h[6 * i + k] += factor * theirs[k]);
        }
        return;
    }
    for i in a.from as usize..a.to as usize {
        let factor = l(i);
        let out = &mut h[(columns[i] - row.first) * column.size..][..column.size];
        if whole {
            out.iter_mut().zip(theirs).for_each(|(out, j)| *out += factor * j);
        } else {
            for (&dof, j) in columns[b.from as usize..b.to as usize].iter().zip(theirs) {
                out[dof - column.first] += factor * j;
            }
        }
    }
}
