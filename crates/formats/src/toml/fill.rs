//! Filling a table of a scene from a table of a file.

use super::document::{Node, Value, find};
use super::reader::{Reader, Table};
use huygens::scene::SceneError;
use huygens::scene::keys::{self, Absent, Fill, Holds, Key, Source, Unfit};

impl Source for Node {
    fn number(&self) -> Option<f64> {
        match self.value {
            Value::Float(x) => Some(x),
            Value::Integer(x) => Some(x as f64),
            _ => None,
        }
    }

    fn integer(&self) -> Option<i128> {
        match self.value {
            Value::Integer(x) => Some(x),
            _ => None,
        }
    }

    fn flag(&self) -> Option<bool> {
        match self.value {
            Value::Boolean(truth) => Some(truth),
            _ => None,
        }
    }

    fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }
}

/// A walk over the keys of a table that reads each from the file. Several structs may be filled from one table.
pub(super) struct Filling<'r, 'd> {
    reader: &'r mut Reader<'d>,
    table: &'r Table<'d>,
    known: Vec<&'static str>,
    /// Errors of the reader before the first walk.
    errors: usize,
}

impl<'r, 'd> Filling<'r, 'd> {
    pub(super) fn new(reader: &'r mut Reader<'d>, table: &'r Table<'d>) -> Self {
        let errors = reader.errors.len();
        Self { reader, table, known: Vec::new(), errors }
    }

    /// Keys of the file that no walk has met are errors; `place` says where they are none, `more` is added to the remedy. They come before the
    /// errors of the walks: a key that is missing is often one that is misspelt.
    pub(super) fn refuse_others(self, place: &str, more: impl Fn() -> String) {
        let of_walks = self.reader.errors.len() - self.errors;
        self.reader.only_and(self.table, &self.known, place, more);
        self.reader.errors[self.errors..].rotate_left(of_walks);
    }

    /// The value of a key, if it is written and fits.
    fn read<T: keys::Value>(&mut self, key: Key) -> Option<T> {
        self.known.push(key.name);
        let Some(entry) = find(self.table.entries, key.name) else {
            if key.default == Absent::Needed {
                self.reader.missing(self.table, key.name, key.meaning);
            }
            return None;
        };
        match T::read(&entry.node) {
            Ok(value) => Some(value),
            Err(Unfit::Type) => {
                self.reader.mismatch(&entry.node, self.table.path.key(key.name), T::EXPECTED);
                None
            }
            Err(Unfit::Word(known)) => {
                let word = entry.node.text().unwrap_or_default();
                let (path, what) = (self.table.path.key(key.name), format!("`{}`", key.name));
                self.reader.error(SceneError::unknown_word(path, word, &what, known), &entry.node.place);
                None
            }
        }
    }
}

impl Fill for Filling<'_, '_> {
    fn value<T: keys::Value>(&mut self, key: Key, field: &mut T, _: Holds) {
        if let Some(value) = self.read(key) {
            *field = value;
        }
    }

    fn option<T: keys::Value>(&mut self, key: Key, field: &mut Option<T>, _: Holds) {
        if let Some(value) = self.read(key) {
            *field = Some(value);
        }
    }

    fn other(&mut self, key: Key) {
        self.known.push(key.name);
    }
}

impl<'d> Reader<'d> {
    /// Fills `spec` from a table; keys that it does not have are errors.
    pub(super) fn fill<T: keys::Table>(&mut self, table: &Table<'d>, spec: &mut T) {
        let mut filling = Filling::new(self, table);
        spec.fill(&mut filling);
        filling.refuse_others("here", String::new);
    }
}
