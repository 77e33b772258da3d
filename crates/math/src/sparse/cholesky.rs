//! The Cholesky factor of a sparse matrix of blocks, panel by panel (Ng, Peyton 1993): each panel takes from itself what the panels before it
//! have to give, then is factored dense.

use super::kernel::{factor_panel, subtract_product};
use super::symbolic::{Panel, Symbolic};
use crate::{SimdLevel, at_level};

/// A block of the matrix, row-major: the rows of node `row` times the columns of node `column`.
#[derive(Clone, Copy, Debug)]
pub struct BlockEntry<'a> {
    /// Node of its rows.
    pub row: u32,
    /// Node of its columns.
    pub column: u32,
    /// Its numbers.
    pub values: &'a [f64],
}

const NONE: u32 = u32::MAX;

/// A factor whose pattern is kept from one matrix to the next while their graph is the same.
#[derive(Clone, Debug, Default)]
pub struct BlockCholesky {
    symbolic: Symbolic,
    /// The graph of the pattern.
    sizes: Vec<u32>,
    edges: Vec<(u32, u32)>,
    values: Vec<f64>,
    /// Row of a panel for each row of the matrix.
    local: Vec<u32>,
    /// Panels that have yet something to give to a panel: a linked list for each.
    head: Vec<u32>,
    next: Vec<u32>,
    /// How many entries of its list of nodes each panel has done with.
    done: Vec<u32>,
    update: Vec<f64>,
    rows: Vec<u32>,
    x: Vec<f64>,
}

impl BlockCholesky {
    /// Takes the graph of a matrix: the sizes of its nodes, and pairs of nodes between which it has a block, each once. Finds a new pattern only
    /// when the graph is another one. True when it did. The pattern of a graph with more pairs would do, but its order of elimination is
    /// another one: the bits of a solution would depend on matrices that this factor has had before.
    pub fn lay_out(&mut self, sizes: &[u32], edges: impl Iterator<Item = (u32, u32)> + Clone) -> bool {
        if self.sizes == sizes && self.is_graph(edges.clone()) {
            return false;
        }
        self.sizes.clear();
        self.sizes.extend_from_slice(sizes);
        self.edges.clear();
        self.edges.extend(edges.map(|(a, b)| (a.max(b), a.min(b))));
        self.edges.sort_unstable();
        self.symbolic.find(sizes, self.edges.iter().copied());
        true
    }

    /// True when these pairs, each once, are those of the pattern's graph.
    fn is_graph(&self, mut edges: impl Iterator<Item = (u32, u32)> + Clone) -> bool {
        let is_known = |(a, b): (u32, u32)| self.edges.binary_search(&(a.max(b), a.min(b))).is_ok();
        edges.clone().count() == self.edges.len() && edges.all(is_known)
    }

    /// Multiplications that a factorisation takes.
    pub fn work(&self) -> f64 {
        self.symbolic.work
    }

    /// Number of numbers in the factor, with the zeros that its panels hold.
    pub fn len(&self) -> usize {
        self.symbolic.len
    }

    /// True before the first matrix.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Factors the matrix with these blocks: those on the diagonal, of which the lower half is read, and one for each pair, in any order.
    /// False when a pivot is not above 0.
    pub fn factor<'a>(&mut self, blocks: impl Iterator<Item = BlockEntry<'a>>) -> bool {
        self.values.clear();
        self.values.resize(self.symbolic.len, 0.0);
        for block in blocks {
            self.put(&block);
        }
        let level = SimdLevel::Best.level().expect("some level is always there");
        at_level!(level, simd => { let _ = simd; self.factor_panels() })
    }

    /// Copies a block to its place.
    fn put(&mut self, block: &BlockEntry<'_>) {
        let s = &self.symbolic;
        let [p, q] = [block.row, block.column].map(|node| s.place[node as usize]);
        let width = self.sizes[block.column as usize] as usize;
        let (low, high) = (p.min(q), p.max(q));
        let panel = s.panels[s.panel_of[low as usize] as usize];
        let list = &s.lists[panel.list as usize..(panel.list + panel.count) as usize];
        // Rows of the panel above those of `high`.
        let row = if high < panel.end {
            s.row[high as usize] - s.row[panel.first as usize]
        } else {
            let own = (panel.end - panel.first) as usize;
            let below = list[own..].iter().take_while(|&&k| k < high);
            panel.width + below.map(|&k| s.row[k as usize + 1] - s.row[k as usize]).sum::<u32>()
        } as usize;
        let column = (s.row[low as usize] - s.row[panel.first as usize]) as usize;
        let rows = panel.rows as usize;
        for (i, values) in block.values.chunks_exact(width).enumerate() {
            for (j, value) in values.iter().enumerate() {
                // A block above the diagonal is transposed.
                let (x, y) = if p >= q { (i, j) } else { (j, i) };
                self.values[panel.at + (column + y) * rows + row + x] = *value;
            }
        }
    }

    #[inline(always)]
    fn factor_panels(&mut self) -> bool {
        let s = &self.symbolic;
        let count = s.panels.len();
        for list in [&mut self.head, &mut self.next] {
            list.clear();
            list.resize(count, NONE);
        }
        self.done.clear();
        self.done.resize(count, 0);
        self.local.resize(s.row.last().map_or(0, |&n| n as usize), 0);
        for k in 0..count {
            let panel = s.panels[k];
            let (before, own) = self.values.split_at_mut(panel.at);
            let own = &mut own[..panel.rows as usize * panel.width as usize];
            let mut at = 0;
            for &node in &s.lists[panel.list as usize..(panel.list + panel.count) as usize] {
                for row in s.row[node as usize]..s.row[node as usize + 1] {
                    self.local[row as usize] = at;
                    at += 1;
                }
            }
            let mut giver = std::mem::replace(&mut self.head[k], NONE);
            while giver != NONE {
                let following = self.next[giver as usize];
                let from = s.panels[giver as usize];
                let done = &mut self.done[giver as usize];
                let list = &s.lists[from.list as usize..(from.list + from.count) as usize];
                let height = |nodes: &[u32]| -> usize {
                    nodes.iter().map(|&i| (s.row[i as usize + 1] - s.row[i as usize]) as usize).sum()
                };
                let above = height(&list[..*done as usize]);
                let here = list[*done as usize..].iter().take_while(|&&i| i < panel.end).count();
                let n = height(&list[*done as usize..*done as usize + here]);
                let m = from.rows as usize - above;
                self.update.clear();
                self.update.resize(m * n, 0.0);
                let values = &before[from.at..from.at + from.rows as usize * from.width as usize];
                subtract_product(
                    values,
                    from.rows as usize,
                    [above, m],
                    [above, n],
                    from.width as usize,
                    &mut self.update,
                    m,
                );
                self.rows.clear();
                for &i in &list[*done as usize..] {
                    self.rows
                        .extend((s.row[i as usize]..s.row[i as usize + 1]).map(|r| self.local[r as usize]));
                }
                for j in 0..n {
                    let to = &mut own[self.rows[j] as usize * panel.rows as usize..][..panel.rows as usize];
                    for (&row, u) in self.rows[j..].iter().zip(&self.update[j * m + j..(j + 1) * m]) {
                        to[row as usize] += u;
                    }
                }
                *done += here as u32;
                if *done < from.count {
                    let taker = s.panel_of[list[*done as usize] as usize] as usize;
                    self.next[giver as usize] = self.head[taker];
                    self.head[taker] = giver;
                }
                giver = following;
            }
            if !factor_panel(own, panel.rows as usize, panel.width as usize) {
                return false;
            }
            self.done[k] = panel.end - panel.first;
            if self.done[k] < panel.count {
                let taker = s.panel_of[s.lists[(panel.list + self.done[k]) as usize] as usize] as usize;
                self.next[k] = self.head[taker];
                self.head[taker] = k as u32;
            }
        }
        true
    }

    /// Replaces `b` by the solution x of A x = b; `first` is the first row of each node in `b`.
    pub fn solve(&mut self, first: impl Fn(usize) -> usize, b: &mut [f64]) {
        let s = &self.symbolic;
        self.x.clear();
        for &node in &s.node {
            let at = first(node as usize);
            self.x.extend_from_slice(&b[at..at + self.sizes[node as usize] as usize]);
        }
        for panel in &s.panels {
            forward(s, panel, &self.values, &mut self.x, &mut self.update);
        }
        for panel in s.panels.iter().rev() {
            backward(s, panel, &self.values, &mut self.x, &mut self.update);
        }
        for (place, &node) in s.node.iter().enumerate() {
            let (at, size) = (first(node as usize), self.sizes[node as usize] as usize);
            b[at..at + size].copy_from_slice(&self.x[s.row[place] as usize..][..size]);
        }
    }
}

/// Rows of the matrix below a panel's own, in the order of the panel.
fn below<'a>(s: &'a Symbolic, panel: &Panel) -> impl Iterator<Item = usize> + 'a {
    let own = panel.end - panel.first;
    s.lists[(panel.list + own) as usize..(panel.list + panel.count) as usize]
        .iter()
        .flat_map(|&k| s.row[k as usize] as usize..s.row[k as usize + 1] as usize)
}

fn forward(s: &Symbolic, panel: &Panel, values: &[f64], x: &mut [f64], sum: &mut Vec<f64>) {
    let (rows, width) = (panel.rows as usize, panel.width as usize);
    let at = s.row[panel.first as usize] as usize;
    sum.clear();
    sum.resize(rows - width, 0.0);
    for j in 0..width {
        let column = &values[panel.at + j * rows..panel.at + (j + 1) * rows];
        let own = &mut x[at..at + width];
        let y = own[j] / column[j];
        own[j] = y;
        own[j + 1..].iter_mut().zip(&column[j + 1..width]).for_each(|(x, l)| *x -= l * y);
        sum.iter_mut().zip(&column[width..]).for_each(|(s, l)| *s += l * y);
    }
    below(s, panel).zip(sum).for_each(|(row, s)| x[row] -= *s);
}

fn backward(s: &Symbolic, panel: &Panel, values: &[f64], x: &mut [f64], under: &mut Vec<f64>) {
    let (rows, width) = (panel.rows as usize, panel.width as usize);
    let at = s.row[panel.first as usize] as usize;
    under.clear();
    under.extend(below(s, panel).map(|row| x[row]));
    for j in (0..width).rev() {
        let column = &values[panel.at + j * rows..panel.at + (j + 1) * rows];
        let own = &mut x[at..at + width];
        let known = column[j + 1..width].iter().zip(&own[j + 1..]).map(|(l, x)| l * x).sum::<f64>();
        let known = known + column[width..].iter().zip(&*under).map(|(l, x)| l * x).sum::<f64>();
        own[j] = (own[j] - known) / column[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;
    use crate::dense::{factor_rows, solve_factored};

    /// A random symmetric positive definite matrix of blocks: sizes, pairs, and all of its numbers, dense.
    fn random(random: &mut SplitMix, n: usize, pairs: usize) -> (Vec<u32>, Vec<(u32, u32)>, Vec<f64>) {
        let mut within = |most: usize| ((random.unit() * most as f64) as usize).min(most - 1);
        let sizes: Vec<u32> = (0..n).map(|_| 1 + within(7) as u32).collect();
        let mut edges: Vec<(u32, u32)> = (0..pairs)
            .map(|_| (within(n) as u32, within(n) as u32))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.max(b), a.min(b)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let first: Vec<usize> = std::iter::once(0)
            .chain(sizes.iter().scan(0, |s, &k| {
                *s += k as usize;
                Some(*s)
            }))
            .collect();
        let rows = first[n];
        let mut dense = vec![0.0; rows * rows];
        for (a, b) in edges.iter().copied().chain((0..n as u32).map(|k| (k, k))) {
            for i in first[a as usize]..first[a as usize + 1] {
                for j in first[b as usize]..first[b as usize + 1] {
                    let value = random.unit() - 0.5;
                    (dense[i * rows + j], dense[j * rows + i]) = (value, value);
                }
            }
        }
        for i in 0..rows {
            let sum: f64 = dense[i * rows..(i + 1) * rows].iter().map(|x| x.abs()).sum();
            dense[i * rows + i] = sum + 0.1;
        }
        (sizes, edges, dense)
    }

    #[test]
    fn a_sparse_factor_solves_what_a_dense_one_solves_and_keeps_its_pattern() {
        let mut numbers = SplitMix::new(1);
        let mut factor = BlockCholesky::default();
        for case in 0..200 {
            let n = 1 + case % 40;
            let (sizes, edges, dense) = random(&mut numbers, n, case % 97);
            let first: Vec<usize> = std::iter::once(0)
                .chain(sizes.iter().scan(0, |s, &k| {
                    *s += k as usize;
                    Some(*s)
                }))
                .collect();
            let rows = first[n];
            let blocks: Vec<(u32, u32, Vec<f64>)> = edges
                .iter()
                .copied()
                .chain((0..n as u32).map(|k| (k, k)))
                .map(|(a, b)| {
                    let (rows_of, columns_of) =
                        (first[a as usize]..first[a as usize + 1], first[b as usize]..first[b as usize + 1]);
                    (a, b, rows_of.flat_map(|i| dense[i * rows..][columns_of.clone()].to_vec()).collect())
                })
                .collect();
            let entries = || {
                blocks.iter().map(|(row, column, values)| BlockEntry { row: *row, column: *column, values })
            };
            factor.lay_out(&sizes, edges.iter().copied());
            assert!(!factor.lay_out(&sizes, edges.iter().copied()), "the same graph keeps its pattern");
            assert!(factor.factor(entries()), "positive definite");
            let b: Vec<f64> = (0..rows).map(|_| numbers.unit() - 0.5).collect();
            let (mut x, mut y) = (b.clone(), b);
            factor.solve(|k| first[k], &mut x);
            let mut l = dense.clone();
            assert!(factor_rows(&mut l, rows));
            solve_factored(&l, rows, &mut y);
            let off = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, crate::scalar::max);
            let size = y.iter().map(|y| y.abs()).fold(0.0, crate::scalar::max);
            assert!(off <= 1e-12 * size, "case {case}: {off} of {size}");
        }
    }

    #[test]
    fn the_pattern_of_a_graph_depends_on_that_graph_alone() {
        let mut numbers = SplitMix::new(2);
        for case in 0..100 {
            let (sizes, edges, _) = random(&mut numbers, 2 + case % 40, 5 + case % 97);
            let part = || edges.iter().copied().filter(|(a, b)| (a + b) % 3 != 0);
            let (mut used, mut new) = (BlockCholesky::default(), BlockCholesky::default());
            used.lay_out(&sizes, edges.iter().copied());
            used.lay_out(&sizes, part());
            new.lay_out(&sizes, part());
            assert_eq!(
                (&used.symbolic.node, &used.symbolic.lists),
                (&new.symbolic.node, &new.symbolic.lists)
            );
            assert_eq!((used.work(), used.len()), (new.work(), new.len()));
        }
    }

    #[test]
    fn a_grid_fills_no_more_than_nested_dissection_would() {
        // 31 n log₂ n / 4 is what George's nested dissection leaves of a square grid of n points, of which minimum degree stays near.
        let side = 40_u32;
        let at = |x: u32, y: u32| x * side + y;
        let across = (0..side - 1).flat_map(|x| (0..side).map(move |y| (at(x, y), at(x + 1, y))));
        let along = (0..side).flat_map(|x| (0..side - 1).map(move |y| (at(x, y), at(x, y + 1))));
        let mut factor = BlockCholesky::default();
        factor.lay_out(&vec![1; (side * side) as usize], across.chain(along));
        let n = f64::from(side * side);
        assert!((factor.len() as f64) < 7.75 * n * n.log2(), "{} numbers", factor.len());
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut factor = BlockCholesky::default();
        factor.lay_out(&[1, 1], std::iter::once((1, 0)));
        let entry = |row, column, values| BlockEntry { row, column, values };
        assert!(
            !factor.factor([entry(0, 0, &[1.0][..]), entry(1, 1, &[1.0]), entry(1, 0, &[2.0])].into_iter())
        );
        assert!(
            factor.factor([entry(0, 0, &[1.0][..]), entry(1, 1, &[1.0]), entry(1, 0, &[0.5])].into_iter())
        );
    }
}
