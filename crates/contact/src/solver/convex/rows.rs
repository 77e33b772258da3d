//! The rows and the mass matrix of a soft convex problem.

/// The law of a block of rows. With x = J a − a_ref, D = 1/R and the force f = −∂s/∂x:
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoftLaw {
    /// s = D x²/2 on each row.
    Equality,
    /// Dry friction: D x²/2 while |f| ≤ `loss`, linear beyond.
    Friction {
        /// Largest force [N or N m].
        loss: f64,
    },
    /// As [`SoftLaw::Friction`] with any two bounds of the force: a motor.
    Bounded {
        /// Least force [N or N m].
        lo: f64,
        /// Largest force [N or N m].
        hi: f64,
    },
    /// s = D x²/2 where x < 0, else 0: a limit, a contact without friction.
    Unilateral,
    /// A pyramidal contact: edges in pairs n + c t, n − c t, each [`SoftLaw::Unilateral`].
    Pyramid,
    /// A contact with an elliptic cone: a normal row, then up to five of friction.
    Elliptic {
        /// Friction coefficients of rows 1 to 5: two of sliding, one of spin [m], two of rolling [m].
        friction: [f64; 5],
        /// friction[0]/√impratio.
        mu: f64,
    },
}

/// Rows over the same dofs with one law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftBlock {
    /// Their law.
    pub law: SoftLaw,
    /// The first row.
    pub first: usize,
    /// Number of rows; at most 6 for an elliptic contact.
    pub rows: usize,
    /// Where its dofs begin in [`SoftRows::columns`].
    pub first_column: usize,
    /// Number of dofs.
    pub columns: usize,
    /// Where its J begins in [`SoftRows::values`]: `rows` × `columns` numbers, row after row.
    pub first_value: usize,
}

/// All rows of a problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoftRows {
    /// The blocks, in order of their rows.
    pub blocks: Vec<SoftBlock>,
    /// Dofs of each block, ascending.
    pub columns: Vec<usize>,
    /// J of each block.
    pub values: Vec<f64>,
    /// Reference acceleration of each row.
    pub aref: Vec<f64>,
    /// Regularisation of each row, above 0.
    pub r: Vec<f64>,
}

impl SoftRows {
    /// Forgets all rows, keeps the room.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.columns.clear();
        self.values.clear();
        self.aref.clear();
        self.r.clear();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.aref.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.aref.is_empty()
    }

    /// Adds a block over `columns` (ascending); J, a_ref and R of its rows are zero, zero and one, to be filled by the caller.
    pub fn push(&mut self, law: SoftLaw, rows: usize, columns: &[usize]) -> SoftBlock {
        let block = SoftBlock {
            law,
            first: self.len(),
            rows,
            first_column: self.columns.len(),
            columns: columns.len(),
            first_value: self.values.len(),
        };
        self.blocks.push(block);
        self.columns.extend_from_slice(columns);
        self.values.resize(self.values.len() + rows * columns.len(), 0.0);
        self.aref.resize(block.first + rows, 0.0);
        self.r.resize(block.first + rows, 1.0);
        block
    }

    /// Dofs of a block.
    #[inline]
    pub fn columns_of(&self, block: &SoftBlock) -> &[usize] {
        &self.columns[block.first_column..block.first_column + block.columns]
    }

    /// J of row `row` of a block, counted from its first.
    #[inline]
    pub fn row_of(&self, block: &SoftBlock, row: usize) -> &[f64] {
        let at = block.first_value + row * block.columns;
        &self.values[at..at + block.columns]
    }

    /// J of row `row` of a block, to be filled.
    #[inline]
    pub fn row_of_mut(&mut self, block: &SoftBlock, row: usize) -> &mut [f64] {
        let at = block.first_value + row * block.columns;
        &mut self.values[at..at + block.columns]
    }

    /// J v of all rows into `out`.
    pub fn times(&self, v: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for block in &self.blocks {
            let columns = self.columns_of(block);
            let mut row = 0;
            // Four rows side by side: their sums do not wait for each other.
            while row + 4 <= block.rows {
                let j: [&[f64]; 4] = std::array::from_fn(|k| self.row_of(block, row + k));
                let mut sum = [0.0; 4];
                for (c, &dof) in columns.iter().enumerate() {
                    (0..4).for_each(|k| sum[k] += j[k][c] * v[dof]);
                }
                out.extend_from_slice(&sum);
                row += 4;
            }
            for row in row..block.rows {
                let j = self.row_of(block, row);
                out.push(j.iter().zip(columns).map(|(j, &dof)| j * v[dof]).sum());
            }
        }
    }

    /// Adds Jᵀ f to `out`.
    pub fn add_transposed(&self, f: &[f64], out: &mut [f64]) {
        for block in &self.blocks {
            let columns = self.columns_of(block);
            for row in 0..block.rows {
                let force = f[block.first + row];
                if force != 0.0 {
                    let j = self.row_of(block, row);
                    columns.iter().zip(j).for_each(|(&dof, j)| out[dof] += j * force);
                }
            }
        }
    }
}

/// A diagonal block of the mass matrix: a tree of the mechanism, or a free body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MassBlock {
    /// Its first dof.
    pub first: usize,
    /// Number of its dofs.
    pub size: usize,
    /// Where its `size`² numbers begin in [`MassBlocks::values`].
    pub at: usize,
}

/// A mass matrix of blocks along the diagonal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MassBlocks {
    /// The blocks, in order of their dofs, which they cover without gaps.
    pub blocks: Vec<MassBlock>,
    /// The numbers of all blocks, row-major.
    pub values: Vec<f64>,
}

impl MassBlocks {
    /// Forgets all blocks, keeps the room.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.values.clear();
    }

    /// Number of dofs.
    pub fn dofs(&self) -> usize {
        self.blocks.last().map_or(0, |b| b.first + b.size)
    }

    /// Adds a block of `size` dofs and returns its numbers, all zero.
    pub fn push(&mut self, size: usize) -> &mut [f64] {
        let (first, at) = (self.dofs(), self.values.len());
        self.blocks.push(MassBlock { first, size, at });
        self.values.resize(at + size * size, 0.0);
        &mut self.values[at..]
    }

    /// Replaces all blocks by those of a dense n × n matrix, whose trees `root_of` tells apart: dofs with the same root are one block.
    pub fn fill_from_dense(&mut self, dense: &[f64], n: usize, root_of: impl Fn(usize) -> usize) {
        self.clear();
        let mut first = 0;
        while first < n {
            let root = root_of(first);
            let end = (first..n).find(|&dof| root_of(dof) != root).unwrap_or(n);
            let block = self.push(end - first);
            for (row, out) in (first..end).zip(block.chunks_exact_mut(end - first)) {
                out.copy_from_slice(&dense[row * n + first..row * n + end]);
            }
            first = end;
        }
    }
}
