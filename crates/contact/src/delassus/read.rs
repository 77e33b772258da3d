//! The form in which Siconos writes W, q and μ: numbers with white space between them.
//!
//! Every count is compared with the length of the text before anything is stored by it.

use super::problem::{Block, DelassusProblem};
use crate::ReadError;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Most contacts: W of one set is dense, and indices have 32 bits.
const MOST_CONTACTS: usize = 1_000_000;

impl FromStr for DelassusProblem {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        let mut words = Words::new(text);
        let (d, contacts) = header(&mut words)?;
        let blocks = matrix(&mut words, d, contacts)?;
        let mut q = Vec::new();
        for contact in 0..contacts {
            for axis in &["n", "t1", "t2", "m1", "m2"][..d] {
                q.push(words.number(|| format!("component {axis} of q of contact {contact}"))?);
            }
        }
        let mu = coefficients(&mut words, contacts, "friction coefficient")?;
        let roll = if d == 3 {
            vec![0.0; contacts]
        } else {
            coefficients(&mut words, contacts, "rolling coefficient")?
        };
        tail(&mut words, d * contacts)?;
        Ok(Self::new(d, blocks, q, mu, roll))
    }
}

/// One coefficient for each contact.
fn coefficients(words: &mut Words, contacts: usize, what: &str) -> Result<Vec<f64>, ReadError> {
    let mut all = Vec::new();
    for contact in 0..contacts {
        let x = words.number(|| format!("the {what} of contact {contact}"))?;
        if x < 0.0 {
            return Err(words.error(format!("the {what} of contact {contact} is {x}; it must be ≥ 0")));
        }
        all.push(x);
    }
    Ok(all)
}

/// The words of a text with their places.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    line: std::str::SplitWhitespace<'a>,
    /// Line of the last word, its number in the line and in the text, from 1.
    at: usize,
    in_line: usize,
    in_text: usize,
    /// Bytes of the text: no more than half of them begin a word.
    bytes: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate(),
            line: "".split_whitespace(),
            at: 1,
            in_line: 0,
            in_text: 0,
            bytes: text.len(),
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.line.next() {
                self.in_line += 1;
                self.in_text += 1;
                return Some(word);
            }
            let (k, line) = self.lines.next()?;
            (self.at, self.in_line, self.line) = (k + 1, 0, line.split_whitespace());
        }
    }

    /// An error at the last word.
    fn error(&self, what: String) -> ReadError {
        if self.in_text == 0 {
            return ReadError { line: self.at, what };
        }
        ReadError {
            line: self.at,
            what: format!("word {} (number {} of the file): {what}", self.in_line, self.in_text),
        }
    }

    fn word(&mut self, what: &impl Fn() -> String) -> Result<&'a str, ReadError> {
        match self.next() {
            Some(word) => Ok(word),
            None if self.in_text == 0 => Err(self.error(format!("the file is empty; expected {}", what()))),
            None => Err(self.error(format!("the file ends after this word; expected {}", what()))),
        }
    }

    fn number(&mut self, what: impl Fn() -> String) -> Result<f64, ReadError> {
        let word = self.word(&what)?;
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(_) => Err(self.error(format!("{} is {}, not a finite number", what(), cut(word)))),
            Err(_) => Err(self.error(format!("{} is not a number; expected {}", cut(word), what()))),
        }
    }

    fn count(&mut self, what: &'static str) -> Result<usize, ReadError> {
        let word = self.word(&|| what.to_owned())?;
        word.parse()
            .map_err(|_| self.error(format!("{} is not a whole number ≥ 0; expected {what}", cut(word))))
    }

    /// A count that the form gives twice.
    fn same(&mut self, what: &'static str, expected: usize, because: &str) -> Result<(), ReadError> {
        let found = self.count(what)?;
        if found == expected {
            return Ok(());
        }
        Err(self.error(format!("{what} is {found}; expected {expected}, {because}")))
    }

    /// Fails when so many more words cannot be in the text.
    fn has_room(&self, words: Option<usize>, for_what: &str) -> Result<(), ReadError> {
        let room = self.bytes.div_ceil(2);
        match words {
            Some(words) if words <= room.saturating_sub(self.in_text) => Ok(()),
            _ => Err(self.error(format!(
                "{for_what} needs more numbers than the file has words; is it cut off, or a count wrong?"
            ))),
        }
    }
}

/// A word for a message: binary files have long ones.
fn cut(word: &str) -> String {
    if word.chars().count() <= 32 {
        format!("{word:?}")
    } else {
        format!("{:?}…", word.chars().take(32).collect::<String>())
    }
}

/// Dimension and number of contacts.
fn header(words: &mut Words) -> Result<(usize, usize), ReadError> {
    let d = words.count("the dimension of a contact, 3 or 5")?;
    if d != 3 && d != 5 {
        return Err(words.error(format!(
            "dimension {d} is not known; a contact with friction has 3, with friction against rolling 5"
        )));
    }
    let contacts = words.count("the number of contacts")?;
    if contacts == 0 || contacts > MOST_CONTACTS {
        return Err(words.error(format!("{contacts} contacts; there must be 1 to {MOST_CONTACTS}")));
    }
    words.has_room(contacts.checked_mul(d + 1), &format!("q and μ of {contacts} contacts"))?;
    Ok((d, contacts))
}

type Blocks = BTreeMap<(u32, u32), Block>;

fn matrix(words: &mut Words, d: usize, contacts: usize) -> Result<Blocks, ReadError> {
    let n = d * contacts;
    let storage = words.count("the storage of W, 0 (dense) or 1 (blocks)")?;
    if storage > 1 {
        let kind = if storage == 2 { " (sparse)" } else { "" };
        return Err(words.error(format!(
            "storage {storage}{kind} of W is not known; write it as 0 (dense) or 1 (blocks)"
        )));
    }
    let count = if d == 3 { "three" } else { "five" };
    let square = format!("{count} rows for each of {contacts} contacts");
    words.same("the number of rows of W", n, &square)?;
    words.same("the number of columns of W", n, "as many as rows")?;
    if storage == 0 { dense(words, d, n) } else { sparse(words, d, n) }
}

/// Entry (`row`, `column`) of W.
fn set(blocks: &mut Blocks, d: usize, row: usize, column: usize, x: f64) {
    let block = blocks.entry(((row / d) as u32, (column / d) as u32)).or_insert_with(|| vec![0.0; d * d]);
    block[d * (row % d) + column % d] = x;
}

fn dense(words: &mut Words, d: usize, n: usize) -> Result<Blocks, ReadError> {
    words.same("the number of rows of W", n, "as before")?;
    words.same("the number of columns of W", n, "as before")?;
    words.has_room(n.checked_mul(n), &format!("a dense W of {n} rows"))?;
    let mut blocks = Blocks::new();
    for row in 0..n {
        for column in 0..n {
            let x = words.number(|| format!("entry ({row}, {column}) of W"))?;
            if x != 0.0 {
                set(&mut blocks, d, row, column, x);
            }
        }
    }
    Ok(blocks)
}

/// The block rows or columns: where each ends.
fn ends(words: &mut Words, n: usize, what: &'static str) -> Result<Vec<usize>, ReadError> {
    let count = words.count(what)?;
    if count > n {
        return Err(words.error(format!("{count} blocks in {n} rows")));
    }
    words.has_room(Some(count), what)?;
    Ok(vec![0; count])
}

fn sizes(words: &mut Words, ends: &mut [usize], n: usize, what: &'static str) -> Result<(), ReadError> {
    let mut last = 0;
    let count = ends.len();
    for (k, end) in ends.iter_mut().enumerate() {
        *end = words.count(what)?;
        if *end <= last || *end > n || (k + 1 == count && *end != n) {
            return Err(
                words.error(format!("{what} is {end} after {last}; they must grow, and the last be {n}"))
            );
        }
        last = *end;
    }
    Ok(())
}

/// W as blocks, each column by column.
fn sparse(words: &mut Words, d: usize, n: usize) -> Result<Blocks, ReadError> {
    let count = words.count("the number of blocks")?;
    words.has_room(count.checked_mul(3), &format!("{count} blocks"))?;
    let mut row_ends = ends(words, n, "the number of block rows")?;
    let mut column_ends = ends(words, n, "the number of block columns")?;
    sizes(words, &mut row_ends, n, "the end of a block row")?;
    sizes(words, &mut column_ends, n, "the end of a block column")?;
    let places = places(words, count, row_ends.len(), column_ends.len())?;
    let range = |ends: &[usize], k: usize| if k == 0 { 0..ends[0] } else { ends[k - 1]..ends[k] };
    let mut blocks = Blocks::new();
    for (k, &(row, column)) in places.iter().enumerate() {
        words.same("the number of a block", k, "they come in order")?;
        let (rows, columns) = (range(&row_ends, row), range(&column_ends, column));
        for j in columns {
            for i in rows.clone() {
                let x = words.number(|| format!("entry ({i}, {j}) of W"))?;
                if x != 0.0 {
                    set(&mut blocks, d, i, j, x);
                }
            }
        }
    }
    Ok(blocks)
}

/// Block row and block column of each block, in order.
fn places(
    words: &mut Words,
    count: usize,
    rows: usize,
    columns: usize,
) -> Result<Vec<(usize, usize)>, ReadError> {
    let starts = words.count("the length of the first index")?;
    if starts == 0 || starts > rows + 1 {
        return Err(words.error(format!(
            "the first index has {starts} entries; with {rows} block rows there are at most {}",
            rows + 1
        )));
    }
    words.same("the length of the second index", count, "one for each block")?;
    let mut first = Vec::new();
    for k in 0..starts {
        let start = words.count("where a block row begins")?;
        let last = first.last().copied().unwrap_or(0);
        if start < last || start > count || (k == 0 && start != 0) || (k + 1 == starts && start != count) {
            return Err(words.error(format!("block row {k} begins at {start} after {last}; the first is 0, they do not fall, and the last is {count}")));
        }
        first.push(start);
    }
    let mut places: Vec<(usize, usize)> = Vec::new();
    for row in 0..starts - 1 {
        for k in first[row]..first[row + 1] {
            let column = words.count("the block column of a block")?;
            if column >= columns {
                return Err(
                    words.error(format!("block {k} is in block column {column}; there are {columns}"))
                );
            }
            if places[first[row]..].iter().any(|place| place.1 == column) {
                return Err(words.error(format!("block row {row} has two blocks in block column {column}")));
            }
            places.push((row, column));
        }
    }
    Ok(places)
}

/// The end: nothing, a 0, or a 1 and perhaps an answer that somebody has had (impulses, or impulses and velocities), which is not used.
fn tail(words: &mut Words, rows: usize) -> Result<(), ReadError> {
    let Some(word) = words.next() else { return Ok(()) };
    let mut known = 0;
    if word == "1" {
        while let Some(word) = words.next() {
            known += 1;
            if known > 2 * rows || word.parse::<f64>().is_err() {
                return Err(words.error(format!("{} is one word too many after the problem", cut(word))));
            }
        }
    } else if word != "0" || words.next().is_some() {
        return Err(words.error(
            "the problem ended before this word; after it there may be a 0, or a 1 and an answer".to_owned(),
        ));
    }
    if known.is_multiple_of(rows) {
        return Ok(());
    }
    Err(words.error(format!(
        "after the problem comes an answer of {known} numbers; expected {rows} or {}",
        2 * rows
    )))
}
