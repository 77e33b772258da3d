//! Where the factor of a matrix of blocks has numbers.

use super::order::MinimumDegree;

/// Nodes of which the columns of L have the same rows below them: a panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// First and one past the last of its nodes, in the order of elimination.
    pub first: u32,
    pub end: u32,
    /// Where its list of nodes begins: its own, then those below.
    pub list: u32,
    pub count: u32,
    /// Its numbers: `width` columns of `rows`.
    pub at: usize,
    pub width: u32,
    pub rows: u32,
}

/// The pattern of a factor.
#[derive(Clone, Debug, Default)]
pub struct Symbolic {
    order: MinimumDegree,
    /// Place in the order of elimination of each node, and the node of each place.
    pub place: Vec<u32>,
    pub node: Vec<u32>,
    /// First row of each place, and one past the last.
    pub row: Vec<u32>,
    pub panels: Vec<Panel>,
    /// Nodes (by place) of each panel.
    pub lists: Vec<u32>,
    /// Panel of each place.
    pub panel_of: Vec<u32>,
    /// Number of numbers in all panels.
    pub len: usize,
    /// Multiplications of the factorisation.
    pub work: f64,
    parent: Vec<u32>,
    /// Columns of L by node: their rows, ascending.
    columns: Vec<u32>,
    column: Vec<(u32, u32)>,
    child: Vec<u32>,
    sibling: Vec<u32>,
    mark: Vec<u32>,
    /// Edges from a place to later ones.
    later: Vec<u32>,
    later_of: Vec<u32>,
    renumbered: Vec<u32>,
    stack: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Symbolic {
    /// Finds the pattern for a graph over nodes of `sizes` rows.
    pub fn find(&mut self, sizes: &[u32], edges: impl Iterator<Item = (u32, u32)> + Clone) {
        let n = sizes.len();
        self.order.order(sizes, edges.clone());
        self.node.clone_from(&self.order.order);
        self.place.clear();
        self.place.resize(n, 0);
        self.set_places();
        self.list_edges(edges.clone());
        self.find_columns();
        self.renumber_by_children();
        self.set_places();
        self.list_edges(edges);
        self.find_columns();
        self.row.clear();
        let mut row = 0;
        for &node in &self.node {
            self.row.push(row);
            row += sizes[node as usize];
        }
        self.row.push(row);
        self.find_panels();
    }

    fn set_places(&mut self) {
        for (place, &node) in self.node.iter().enumerate() {
            self.place[node as usize] = place as u32;
        }
    }

    /// Lists for each place the later ones that an edge leads to.
    fn list_edges(&mut self, edges: impl Iterator<Item = (u32, u32)> + Clone) {
        let n = self.node.len();
        let place = &self.place;
        let ends = |(a, b): (u32, u32)| {
            let (a, b) = (place[a as usize], place[b as usize]);
            (a.min(b), a.max(b))
        };
        self.later_of.clear();
        self.later_of.resize(n + 1, 0);
        edges.clone().for_each(|edge| self.later_of[ends(edge).0 as usize + 1] += 1);
        for k in 0..n {
            self.later_of[k + 1] += self.later_of[k];
        }
        self.later.clear();
        self.later.resize(self.later_of[n] as usize, 0);
        self.mark.clear();
        self.mark.resize(n, 0);
        for edge in edges {
            let (low, high) = ends(edge);
            let at = self.later_of[low as usize] + self.mark[low as usize];
            self.later[at as usize] = high;
            self.mark[low as usize] += 1;
        }
    }

    /// Rows of the columns of L, and the elimination tree: the parent of a column is its first row below.
    fn find_columns(&mut self) {
        let n = self.node.len();
        for list in [&mut self.parent, &mut self.child, &mut self.sibling, &mut self.mark] {
            list.clear();
            list.resize(n, NONE);
        }
        self.columns.clear();
        self.column.clear();
        for j in 0..n {
            let first = self.columns.len();
            self.mark[j] = j as u32;
            for k in self.later_of[j] as usize..self.later_of[j + 1] as usize {
                let i = self.later[k];
                if self.mark[i as usize] != j as u32 {
                    self.mark[i as usize] = j as u32;
                    self.columns.push(i);
                }
            }
            let mut child = self.child[j];
            while child != NONE {
                let (from, count) = self.column[child as usize];
                for k in from..from + count {
                    let i = self.columns[k as usize];
                    if self.mark[i as usize] != j as u32 {
                        self.mark[i as usize] = j as u32;
                        self.columns.push(i);
                    }
                }
                child = self.sibling[child as usize];
            }
            self.columns[first..].sort_unstable();
            self.column.push((first as u32, (self.columns.len() - first) as u32));
            if let Some(&parent) = self.columns.get(first) {
                self.parent[j] = parent;
                self.sibling[j] = self.child[parent as usize];
                self.child[parent as usize] = j as u32;
            }
        }
    }

    /// Puts each node right after its children, so that columns with the same rows are neighbours.
    fn renumber_by_children(&mut self) {
        let n = self.node.len();
        self.renumbered.clear();
        self.stack.clear();
        for root in (0..n).filter(|&k| self.parent[k] == NONE) {
            self.stack.push(root as u32);
            while let Some(&top) = self.stack.last() {
                let child = self.child[top as usize];
                if child == NONE {
                    self.renumbered.push(self.node[top as usize]);
                    self.stack.pop();
                } else {
                    self.child[top as usize] = self.sibling[child as usize];
                    self.stack.push(child);
                }
            }
        }
        std::mem::swap(&mut self.node, &mut self.renumbered);
    }

    /// Columns of a chain in the tree whose rows are the same, or nearly so, are one panel.
    fn find_panels(&mut self) {
        let n = self.node.len();
        self.panels.clear();
        self.lists.clear();
        self.panel_of.clear();
        (self.len, self.work) = (0, 0.0);
        let mut first = 0;
        while first < n {
            let mut end = first + 1;
            // Zeros that the panel would hold, by nodes.
            let mut zeros = 0;
            while end < n && self.parent[end - 1] as usize == end {
                let (gap, below) = (self.column[end].1 + 1 - self.column[end - 1].1, self.column[end].1);
                let more = zeros + gap * (end - first) as u32;
                let held = (end - first + 1) as u32 * (below + 1);
                if more * 8 > held {
                    break;
                }
                zeros = more;
                end += 1;
            }
            let list = self.lists.len();
            self.lists.extend(first as u32..end as u32);
            let (from, count) = self.column[end - 1];
            let below = from as usize..(from + count) as usize;
            self.lists.extend_from_slice(&self.columns[below.clone()]);
            let width = self.row[end] - self.row[first];
            let under: u32 =
                self.columns[below].iter().map(|&k| self.row[k as usize + 1] - self.row[k as usize]).sum();
            let rows = width + under;
            self.panel_of.resize(end, self.panels.len() as u32);
            self.panels.push(Panel {
                first: first as u32,
                end: end as u32,
                list: list as u32,
                count: (self.lists.len() - list) as u32,
                at: self.len,
                width,
                rows,
            });
            self.len += width as usize * rows as usize;
            self.work += (0..width).map(|k| 0.5 * f64::from(rows - k) * f64::from(rows - k)).sum::<f64>();
            first = end;
        }
    }
}
