//! Heights of a height field from a text file.

use super::text::at_line;
use super::{MeshError, MeshProblem, Place, error::excerpt};
use std::path::Path;

/// The rows of heights of a text file: a row on each line, numbers apart by blanks, commas or semicolons; what follows `#` is
/// left out, as are empty lines.
///
/// # Errors
/// When it cannot be read, a word is no finite number, or there is no row.
pub fn read_heights(path: &Path) -> Result<Vec<Vec<f64>>, MeshError> {
    let name = path.display().to_string();
    let fail = |problem| MeshError { file: name.clone(), place: Place::File, problem };
    let bytes = std::fs::read(path).map_err(|e| fail(MeshProblem::Unreadable { reason: e.to_string() }))?;
    parse_heights(&name, &bytes)
}

/// As [`read_heights`], from the bytes of a file called `name` in errors.
///
/// # Errors
/// When a word is no finite number, or there is no row.
pub fn parse_heights(name: &str, bytes: &[u8]) -> Result<Vec<Vec<f64>>, MeshError> {
    let mut rows = Vec::new();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        // What is not UTF-8 is no number either.
        let line = std::str::from_utf8(line).unwrap_or("\u{FFFD}");
        let line = line.split('#').next().unwrap_or_default();
        let mut row = Vec::new();
        let apart = |c: char| c.is_whitespace() || c == ',' || c == ';';
        for word in line.split(apart).filter(|word| !word.is_empty()) {
            let what = "a height";
            let value: f64 = word
                .parse()
                .map_err(|_| MeshProblem::BadNumber { what, found: excerpt(word) })
                .map_err(at_line(name, i + 1))?;
            if !value.is_finite() {
                return Err(at_line(name, i + 1)(MeshProblem::NotFinite { what, value }));
            }
            row.push(value);
        }
        if !row.is_empty() {
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return Err(MeshError { file: name.to_owned(), place: Place::File, problem: MeshProblem::NoHeights });
    }
    Ok(rows)
}
