//! Rows over the dofs of a mechanism of which most entries are zero.

/// Rows, each a list of dofs and what they have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    /// Where each row ends in the lists.
    end: Vec<u32>,
    dof: Vec<u32>,
    value: Vec<f64>,
}

impl SparseRows {
    /// Forgets all rows, keeps the room.
    pub fn clear(&mut self) {
        self.end.clear();
        self.dof.clear();
        self.value.clear();
    }

    /// Adds the entries of a dense row from `range`, and makes them zero there.
    pub fn take(&mut self, row: &mut [f64], range: std::ops::Range<usize>) {
        for (dof, value) in range.clone().zip(&mut row[range]) {
            if *value != 0.0 {
                self.dof.push(dof as u32);
                self.value.push(std::mem::take(value));
            }
        }
        self.end.push(self.dof.len() as u32);
    }

    /// Puts a dense row in the place of row `i`.
    pub fn replace(&mut self, i: usize, row: &[f64]) {
        let range = self.range(i);
        let entries = || row.iter().enumerate().filter(|(_, value)| **value != 0.0);
        self.dof.splice(range.clone(), entries().map(|(dof, _)| dof as u32));
        self.value.splice(range.clone(), entries().map(|(_, value)| *value));
        let len = entries().count();
        self.end[i..].iter_mut().for_each(|end| *end = *end + len as u32 - range.len() as u32);
    }

    /// Where row `i` stands in the lists.
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let from = if i == 0 { 0 } else { self.end[i - 1] as usize };
        from..self.end[i] as usize
    }

    /// The dofs of row `i` and what they have, ascending.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.range(i);
        self.dof[range.clone()].iter().zip(&self.value[range]).map(|(dof, value)| (*dof as usize, *value))
    }

    /// Row `i` times `v`.
    pub fn dot(&self, i: usize, v: &[f64]) -> f64 {
        self.row(i).map(|(dof, value)| value * v[dof]).sum()
    }

    /// Row `i` with its zeros, over `n` dofs.
    pub fn dense(&self, i: usize, n: usize) -> Vec<f64> {
        let mut out = vec![0.0; n];
        self.row(i).for_each(|(dof, value)| out[dof] = value);
        out
    }
}
