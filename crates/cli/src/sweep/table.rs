//! The table of a sweep: rows are added as runs end, and a table that was cut off anywhere can be gone on with.

use super::grid::Grid;
use crate::Failure;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A table under way.
pub struct Table {
    path: PathBuf,
    file: File,
    /// Lines of the rows, by the number of their run from 0.
    lines: BTreeMap<usize, String>,
    head: String,
}

/// A row of a table that was there already.
pub struct Old {
    /// Number of the run, from 0.
    pub number: usize,
    /// Fingerprint of its scene and settings.
    pub input: String,
}

impl Table {
    /// A new table. One that is there already is not written over.
    ///
    /// # Errors
    /// When there is a table already, or the file cannot be made.
    pub fn create(path: &Path, columns: &[String]) -> Result<Self, Failure> {
        if path.metadata().is_ok_and(|file| file.len() > 0) {
            let remedy = "--resume goes on with it; else name another file, or remove it.";
            return Err(bad(path, "there is a table already", remedy));
        }
        let head = line(columns);
        let mut table = Self { path: path.to_owned(), file: open(path)?, lines: BTreeMap::new(), head };
        let head = table.head.clone();
        table.append(&head).map_err(|error| trouble(path, &error))?;
        Ok(table)
    }

    /// A table that is gone on with: the rows that it has whole are kept, a last line without its end is dropped. What is not there yet
    /// is begun anew.
    ///
    /// # Errors
    /// When the file is no table of this sweep, or cannot be read or written.
    pub fn resume(path: &Path, columns: &[String], grid: &Grid) -> Result<(Self, Vec<Old>), Failure> {
        if path.metadata().is_ok_and(|file| file.len() == 0) || !path.exists() {
            return Ok((Self::create(path, columns)?, Vec::new()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        let head = line(columns);
        // What stands behind the last end of a line was being written when the program was killed.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        if !whole.starts_with(&head) && !head.starts_with(&text) {
            let remedy =
                "The scene's --set must be those that the table was begun with; or name another file.";
            return Err(bad(path, "is no table of this sweep: its columns are others", remedy));
        }
        let mut lines: BTreeMap<usize, String> = BTreeMap::new();
        let mut old = Vec::new();
        for text in whole.strip_prefix(&head).unwrap_or("").split_inclusive('\n') {
            let (number, input) = read(text, columns.len(), grid).ok_or_else(|| {
                let remedy = "Remove that line, or name another file.";
                bad(path, &format!("is no table of this sweep: {}", text.trim_end()), remedy)
            })?;
            if lines.insert(number, text.to_owned()).is_none() {
                old.push(Old { number, input });
            }
        }
        let mut table = Self { path: path.to_owned(), file: open(path)?, lines, head };
        table.rewrite().map_err(|error| trouble(path, &error))?;
        Ok((table, old))
    }

    /// Adds the row of run `number`, from 0.
    ///
    /// # Errors
    /// When the file takes no more.
    pub fn add(&mut self, number: usize, fields: &[String]) -> Result<(), Failure> {
        let text = line(fields);
        self.append(&text).map_err(|error| trouble(&self.path, &error))?;
        self.lines.insert(number, text);
        Ok(())
    }

    /// Puts the rows into the order of the grid, now that all are there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.rewrite().map_err(|error| trouble(&self.path, &error))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }

    /// The table anew, in order. It is made beside the old one and then takes its place, so that a kill leaves one of the two.
    fn rewrite(&mut self) -> io::Result<()> {
        let rows: String = self.lines.values().map(String::as_str).collect();
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        std::fs::write(&beside, format!("{}{rows}", self.head))?;
        std::fs::rename(&beside, &self.path)?;
        self.file = File::options().append(true).open(&self.path)?;
        Ok(())
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    File::options().append(true).create(true).open(path).map_err(|error| {
        bad(path, &error.to_string(), "Name a file in a folder that exists and can be written.")
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    bad(path, &error.to_string(), "Name the table of an earlier sweep, or leave out --resume.")
}

fn bad(path: &Path, problem: &str, remedy: &str) -> Failure {
    Failure::Input(format!("error: --out {}: {problem}\n  = help: {remedy}", path.display()))
}

fn trouble(path: &Path, error: &io::Error) -> Failure {
    Failure::Trouble(format!("error: --out {}: {error}", path.display()))
}

/// A line of comma-separated values, with its end.
fn line(fields: &[String]) -> String {
    let quoted = fields.iter().map(|field| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.clone()
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// The fields of a line.
fn fields(text: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = text.trim_end_matches(['\n', '\r']).chars().peekable();
    while let Some(c) = letters.next() {
        let last = fields.len() - 1;
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    fields
}

/// Number of the run, from 0, and fingerprint of a row, when it is one of this grid.
fn read(text: &str, columns: usize, grid: &Grid) -> Option<(usize, String)> {
    let fields = fields(text);
    let number = fields.first()?.parse::<usize>().ok()?.checked_sub(1)?;
    let same = fields.len() == columns && number < grid.len();
    let values = fields.get(1..=grid.sides.len())?;
    (same && grid.values(number).iter().eq(values.iter())).then(|| Some((number, fields.last()?.clone())))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_its_fields() {
        let row = ["1", "[0,0,-1]", "say \"no\"", ""].map(str::to_owned);
        assert_eq!(line(&row), "1,\"[0,0,-1]\",\"say \"\"no\"\"\",\n");
        assert_eq!(fields(&line(&row)), row);
    }
}
