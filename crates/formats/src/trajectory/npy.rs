//! The `.npy` form of an array: a header that says type and shape, then the numbers.

/// Type and shape of an array; its first dimension grows.
#[derive(Clone, Debug)]
pub(super) struct ArrayType {
    /// As numpy writes it.
    pub descr: String,
    /// All dimensions but the first.
    pub inner: Vec<usize>,
    /// Bytes of one row: of everything but the first dimension.
    pub row: usize,
}

impl ArrayType {
    /// Numbers of 64 bits.
    pub fn floats(inner: &[usize]) -> Self {
        Self::of("'<f8'", 8, inner)
    }

    /// Whole numbers of 64 bits.
    pub fn integers(inner: &[usize]) -> Self {
        Self::of("'<i8'", 8, inner)
    }

    /// Texts of at most `longest` characters.
    pub fn texts(longest: usize) -> Self {
        Self::of(&format!("'<U{longest}'"), 4 * longest, &[])
    }

    /// Rows with named parts.
    pub fn records(descr: &str, row: usize) -> Self {
        Self::of(descr, row, &[])
    }

    fn of(descr: &str, item: usize, inner: &[usize]) -> Self {
        Self { descr: descr.to_owned(), inner: inner.to_vec(), row: inner.iter().product::<usize>() * item }
    }

    /// Bytes of the header, whatever the number of rows: a multiple of 64, as numpy likes it.
    pub fn header_size(&self) -> usize {
        (10 + self.words(u64::MAX).len() + 1).next_multiple_of(64)
    }

    /// The header of an array with `rows` rows.
    pub fn push_header(&self, out: &mut Vec<u8>, rows: u64) {
        let size = self.header_size();
        let words = self.words(rows);
        out.extend_from_slice(b"\x93NUMPY\x01\x00");
        out.extend_from_slice(&(size as u16 - 10).to_le_bytes());
        out.extend_from_slice(words.as_bytes());
        out.resize(out.len() + size - 10 - words.len() - 1, b' ');
        out.push(b'\n');
    }

    fn words(&self, rows: u64) -> String {
        let inner: String = self.inner.iter().map(|n| format!(" {n},")).collect();
        format!("{{'descr': {}, 'fortran_order': False, 'shape': ({rows},{inner}), }}", self.descr)
    }
}

/// A text of `longest` characters, four bytes each, zeros at its end.
pub(super) fn push_text(out: &mut Vec<u8>, text: &str, longest: usize) {
    let start = out.len();
    text.chars().for_each(|c| out.extend_from_slice(&u32::from(c).to_le_bytes()));
    out.resize(start + 4 * longest, 0);
}
