//! Typed access to the tree of a scene file; what does not fit becomes an error at its place.

use super::document::{Document, Entry, Node, Place, Value, find};
use super::keys::names;
use huygens::scene::keys::{self, Absent, Key};
use huygens::scene::{Named, SceneError, SpecPath, suggest};

/// More errors than this help nobody.
const MOST: usize = 32;

/// Collects the errors of a reading.
pub(super) struct Reader<'d> {
    document: &'d Document,
    pub errors: Vec<(SceneError, Place)>,
}

/// A table that is being read, and its name in errors.
pub(super) struct Table<'d> {
    pub entries: &'d [Entry],
    pub path: SpecPath,
    pub place: &'d Place,
    /// The keys that it may have; empty for a table whose keys depend on its kind.
    pub keys: &'static [Key],
}

impl Table<'_> {
    pub(super) fn has(&self, key: &str) -> bool {
        find(self.entries, key).is_some()
    }

    /// What a key is, by the table of keys.
    fn meaning(&self, key: &str) -> &'static str {
        self.keys.iter().find(|known| known.name == key).map_or("", |known| known.meaning)
    }

    fn is_needed(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known.name == key && known.default == Absent::Needed)
    }

    /// Reading asks for no key that the table of keys does not have.
    fn must_know(&self, key: &str) {
        debug_assert!(self.keys.is_empty() || self.keys.iter().any(|known| known.name == key), "{key}");
    }
}

impl<'d> Reader<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self { document, errors: Vec::new() }
    }

    pub(super) fn error(&mut self, error: SceneError, place: &Place) {
        if self.errors.len() < MOST {
            self.errors.push((error, place.clone()));
        }
    }

    /// "expected …, found …" at `node`.
    pub(super) fn mismatch(&mut self, node: &Node, path: SpecPath, expected: &str) {
        let value = self.document.text_at(&node.place);
        let problem = format!("expected {expected}, found {}", node.describe());
        self.error(SceneError::new(path, value, problem, format!("Write {expected}.")), &node.place);
    }

    /// The entries of a table; its unknown keys are errors.
    pub(super) fn table(
        &mut self,
        node: &'d Node,
        path: &SpecPath,
        keys: &'static [Key],
    ) -> Option<Table<'d>> {
        let table = Table { keys, ..self.open(node, path)? };
        self.only(&table, &names(keys), "here");
        Some(table)
    }

    /// The entries of a table with the names of a list for its keys.
    pub(super) fn table_of(&mut self, node: &'d Node, path: &SpecPath, known: &[&str]) -> Option<Table<'d>> {
        let table = self.open(node, path)?;
        self.only(&table, known, "here");
        Some(table)
    }

    /// The entries of a table, before its keys are looked at.
    pub(super) fn open(&mut self, node: &'d Node, path: &SpecPath) -> Option<Table<'d>> {
        match &node.value {
            Value::Table(entries) => {
                Some(Table { entries, path: path.clone(), place: &node.place, keys: &[] })
            }
            _ => {
                self.mismatch(node, path.clone(), "a table");
                None
            }
        }
    }

    /// The same for an element of `[[kind]]`; errors call it by its own name if it has one.
    pub(super) fn open_named(
        &mut self,
        node: &'d Node,
        path: SpecPath,
        kind: &'static str,
    ) -> Option<Table<'d>> {
        let mut table = self.open(node, &path)?;
        if let Some(Entry { node: Node { value: Value::String(name), .. }, .. }) = find(table.entries, "name")
            && !name.is_empty()
        {
            table.path = SpecPath::top(kind).name(name);
        }
        Some(table)
    }

    /// Keys that are not `known` are errors that name the nearest; `place` says where it is no key.
    pub(super) fn only(&mut self, table: &Table<'_>, known: &[&str], place: &str) {
        self.only_and(table, known, place, String::new);
    }

    /// The same, with something to add to the remedy.
    pub(super) fn only_and(
        &mut self,
        table: &Table<'_>,
        known: &[&str],
        place: &str,
        more: impl Fn() -> String,
    ) {
        for entry in table.entries {
            if !known.contains(&entry.key.as_str()) {
                let problem = format!("there is no key `{}` {place}", entry.key);
                let remedy = suggest(&entry.key, known.iter().copied()) + &more();
                let path = table.path.key(entry.key.clone());
                self.error(SceneError::new(path, "", problem, remedy), &entry.key_place);
            }
        }
    }

    /// The value of `key`, if it is there and fits.
    pub(super) fn get<T: FromNode>(&mut self, table: &Table<'d>, key: &'static str) -> Option<T> {
        table.must_know(key);
        let entry = find(table.entries, key)?;
        let value = T::from_node(&entry.node);
        if value.is_none() {
            self.mismatch(&entry.node, table.path.key(key), T::EXPECTED);
        }
        value
    }

    /// Sets `field` to the value of `key`, if it is there and fits.
    pub(super) fn set<T: FromNode>(&mut self, table: &Table<'d>, key: &'static str, field: &mut T) {
        if let Some(value) = self.get(table, key) {
            *field = value;
        }
    }

    /// The value of `key`, which must be there; `what` says what it is for.
    pub(super) fn need<T: FromNode>(
        &mut self,
        table: &Table<'d>,
        key: &'static str,
        what: &str,
    ) -> Option<T> {
        if !table.has(key) {
            self.missing(table, key, what);
            return None;
        }
        self.get(table, key)
    }

    /// The value of a key that must be there, by its table of keys.
    pub(super) fn needed<T: FromNode>(&mut self, table: &Table<'d>, key: &'static str) -> Option<T> {
        debug_assert!(table.is_needed(key), "{key}");
        self.need(table, key, table.meaning(key))
    }

    pub(super) fn missing(&mut self, table: &Table<'_>, key: &'static str, what: &str) {
        let error = SceneError::new(table.path.key(key), "", "is missing", format!("Add `{key}`: {what}."));
        self.error(error, table.place);
    }

    /// Sets `field` to the choice that the word at `key` names, if it is there.
    pub(super) fn set_word<T: Named>(&mut self, table: &Table<'d>, key: &'static str, field: &mut T) {
        let Some(word) = self.get::<String>(table, key) else { return };
        match T::from_word(&word) {
            Some(choice) => *field = choice,
            None => {
                let known = T::NAMES.iter().map(|(known, _)| *known);
                self.unknown_word(table, key, &word, known);
            }
        }
    }

    /// The word at `key` is none of those known.
    pub(super) fn unknown_word<'a>(
        &mut self,
        table: &Table<'d>,
        key: &'static str,
        word: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) {
        if let Some(entry) = find(table.entries, key) {
            let what = format!("`{key}`");
            let error = SceneError::unknown_word(table.path.key(key), word, &what, known);
            self.error(error, &entry.node.place);
        }
    }

    /// The value of `key`, if it is there.
    pub(super) fn node(&self, table: &Table<'d>, key: &str) -> Option<&'d Node> {
        table.must_know(key);
        find(table.entries, key).map(|entry| &entry.node)
    }

    /// The items of the array at `key`.
    pub(super) fn items(&mut self, table: &Table<'d>, key: &'static str, expected: &str) -> &'d [Node] {
        match self.node(table, key) {
            None => &[],
            Some(Node { value: Value::Array(items), .. }) => items,
            Some(node) => {
                self.mismatch(node, table.path.key(key), expected);
                &[]
            }
        }
    }
}

/// A type that one value of a scene file can be.
pub(super) trait FromNode: Sized {
    /// What a file writes for it.
    const EXPECTED: &'static str;

    /// The value, when `node` is one.
    fn from_node(node: &Node) -> Option<Self>;
}

impl<T: keys::Value> FromNode for T {
    const EXPECTED: &'static str = <T as keys::Value>::EXPECTED;

    fn from_node(node: &Node) -> Option<Self> {
        T::read(node).ok()
    }
}

/// The numbers of an array, when it has as many as wanted.
pub(super) fn numbers<const N: usize>(node: &Node) -> Option<[f64; N]> {
    let Value::Array(items) = &node.value else { return None };
    let mut numbers = [0.0; N];
    if items.len() != N {
        return None;
    }
    for (number, item) in numbers.iter_mut().zip(items) {
        *number = f64::from_node(item)?;
    }
    Some(numbers)
}
