//! A problem in the form that Siconos reads, blocks column by column; the numbers read back with the same bits.

use super::DelassusProblem;
use std::fmt::{Display, Formatter, Result};

impl Display for DelassusProblem {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let contacts = self.contacts();
        let count: usize = self.blocks.iter().map(Vec::len).sum();
        let d = self.dimension;
        writeln!(f, "{d}\n{contacts}\n1\n{0}\n{0}\n{count}\n{contacts}\n{contacts}", d * contacts)?;
        for _ in 0..2 {
            line(f, (1..=contacts).map(|k| d * k))?;
        }
        writeln!(f, "{}\n{count}", contacts + 1)?;
        let mut start = 0;
        let starts = self.blocks.iter().map(|row| {
            start += row.len();
            start
        });
        line(f, std::iter::once(0).chain(starts))?;
        line(f, self.blocks.iter().flatten().map(|(column, _)| *column))?;
        for (k, (_, block)) in self.blocks.iter().flatten().enumerate() {
            writeln!(f, "{k}")?;
            for column in 0..d {
                line(f, (0..d).map(|row| format!("{:e}", block[d * row + column])))?;
            }
        }
        for q in self.q.chunks_exact(d) {
            line(f, q.iter().map(|q| format!("{q:e}")))?;
        }
        line(f, self.mu.iter().map(|mu| format!("{mu:e}")))?;
        if d > 3 {
            line(f, self.roll.iter().map(|roll| format!("{roll:e}")))?;
        }
        Ok(())
    }
}

fn line(f: &mut Formatter<'_>, words: impl IntoIterator<Item = impl Display>) -> Result {
    for (k, word) in words.into_iter().enumerate() {
        if k > 0 {
            write!(f, " ")?;
        }
        write!(f, "{word}")?;
    }
    writeln!(f)
}
