//! Words and numbers of a text file, with their lines.

use super::{MeshError, MeshProblem, Place, error::excerpt};

/// A word and the line that it stands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub line: usize,
}

impl Word<'_> {
    /// True for a keyword, in upper or lower case.
    pub fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }

    /// The number that this word writes.
    pub fn number(&self, what: &'static str) -> Result<f64, MeshProblem> {
        self.text.parse().map_err(|_| MeshProblem::BadNumber { what, found: excerpt(self.text) })
    }

    /// The number that this word writes, which must be finite.
    pub fn finite(&self, what: &'static str) -> Result<f64, MeshProblem> {
        let value = self.number(what)?;
        if value.is_finite() { Ok(value) } else { Err(MeshProblem::NotFinite { what, value }) }
    }
}

/// The words of a text, one after the other.
pub(super) struct Words<'a> {
    rest: &'a [u8],
    /// Line of the last word, or of the end.
    pub line: usize,
}

impl<'a> Words<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 1 }
    }

    /// Passes over what is left of the line.
    pub fn skip_line(&mut self) {
        let end = self.rest.iter().position(|b| *b == b'\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let start = self.rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(self.rest.len());
        self.line += self.rest[..start].iter().filter(|b| **b == b'\n').count();
        let from = &self.rest[start..];
        let end = from.iter().position(u8::is_ascii_whitespace).unwrap_or(from.len());
        self.rest = &from[end..];
        // What is not UTF-8 is no keyword and no number either.
        let text = std::str::from_utf8(&from[..end]).unwrap_or("\u{FFFD}");
        (end > 0).then_some(Word { text, line: self.line })
    }
}

/// Turns a problem into an error of a file and a line.
pub(super) fn at_line(file: &str, line: usize) -> impl Fn(MeshProblem) -> MeshError + '_ {
    move |problem| MeshError { file: file.to_owned(), place: Place::Line(line), problem }
}

/// Names of the coordinates, for messages.
pub(super) const COORDINATES: [&str; 3] = ["x of the vertex", "y of the vertex", "z of the vertex"];
