//! A scene file as a tree of values, each of which knows where it was written.

use huygens::scene::{Segment, SpecPath};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A piece of text that values come from: the file, or an option of the command line.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// File name; `None` for the command line.
    pub name: Option<String>,
    pub text: String,
}

/// Where something is written: bytes of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub source: usize,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub value: Value,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    String(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    /// A date; nothing in a scene is one.
    Datetime,
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// One key of a table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

/// A parsed scene file, kept so that errors found later can point at their line.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) sources: Vec<Source>,
    pub(super) root: Node,
}

/// Text that is no TOML: what and where.
pub(super) struct SyntaxError {
    pub message: String,
    pub place: Place,
}

impl Document {
    /// The tree of `text`; with an error the tree is empty, and still shows the text around it.
    pub(super) fn parse(name: &str, text: &str) -> (Self, Option<SyntaxError>) {
        let sources = vec![Source { name: Some(name.to_owned()), text: text.to_owned() }];
        let (tree, error) = match DeTable::parse(text) {
            Ok(table) => (entries(table.into_inner(), 0, 0), None),
            Err(error) => {
                let place = Place { source: 0, span: error.span().unwrap_or(0..0) };
                (Vec::new(), Some(SyntaxError { message: error.message().to_owned(), place }))
            }
        };
        let root = Node { value: Value::Table(tree), place: Place { source: 0, span: 0..0 } };
        (Self { sources, root }, error)
    }

    /// Where `path` is written; where that is absent, the nearest table around it that is written.
    pub(super) fn locate(&self, path: &SpecPath) -> Place {
        let mut node = &self.root;
        let mut place = self.root.place.clone();
        for segment in path.segments() {
            let Some((next, at)) = step(node, segment) else { break };
            (node, place) = (next, at);
        }
        place
    }

    /// The text at `place`, on one line and not too long.
    pub(super) fn text_at(&self, place: &Place) -> String {
        const LONGEST: usize = 60;
        let text = self.sources.get(place.source).and_then(|s| s.text.get(place.span.clone())).unwrap_or("");
        let line = text.lines().next().unwrap_or("").trim();
        let mut short: String = line.chars().take(LONGEST).collect();
        if short.len() < text.trim().len() {
            short.push('…');
        }
        short
    }
}

/// One step of a path, by the spellings that a file allows: `shape` or `shapes`, one table or an array of them.
fn step<'a>(node: &'a Node, segment: &Segment) -> Option<(&'a Node, Place)> {
    match (&node.value, segment) {
        (Value::Table(entries), Segment::Key(key)) => {
            let entry = find(entries, key).or_else(|| other_spelling(key).and_then(|k| find(entries, k)))?;
            Some((&entry.node, entry.node.place.clone()))
        }
        (Value::Table(entries), Segment::Name(name)) => {
            let entry = find(entries, name)?;
            Some((&entry.node, entry.node.place.clone()))
        }
        // `shape = {…}` is the shape number 0.
        (Value::Table(_), Segment::Index(_)) => Some((node, node.place.clone())),
        (Value::Array(items), Segment::Index(i)) => items.get(*i).map(|item| (item, item.place.clone())),
        (Value::Array(items), Segment::Name(name)) => {
            let item = items.iter().enumerate().find(|(i, item)| names(item, *i, name))?.1;
            Some((item, item.place.clone()))
        }
        _ => None,
    }
}

/// True when table `node`, number `index` of its array, is called `name`; a body without a name is called `body7`.
pub(super) fn names(node: &Node, index: usize, name: &str) -> bool {
    match name_of(node) {
        Some(own) => own == name,
        None => ["body", "joint", "coupling", "spring"]
            .iter()
            .any(|kind| name.strip_prefix(kind).is_some_and(|number| number.parse::<usize>() == Ok(index))),
    }
}

/// The name that a table carries; for a repeat, that of its body.
pub(super) fn name_of(node: &Node) -> Option<&str> {
    let entries = node.table()?;
    if let Some(Entry { node: Node { value: Value::String(name), .. }, .. }) = find(entries, "name") {
        return Some(name);
    }
    let body = find(entries, "body")?.node.table()?;
    match &find(body, "name")?.node.value {
        Value::String(name) => Some(name),
        _ => None,
    }
}

pub(super) fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.key == key)
}

/// A body has `shape` for one and `shapes` for several; a scene has `materials`, of which a path names one.
pub(super) fn other_spelling(key: &str) -> Option<&'static str> {
    match key {
        "shape" => Some("shapes"),
        "shapes" => Some("shape"),
        "material" => Some("materials"),
        _ => None,
    }
}

impl Node {
    pub(super) fn table(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// What the value is, for "expected …, found …".
    pub(super) fn describe(&self) -> String {
        match &self.value {
            Value::String(_) => "a string".to_owned(),
            Value::Integer(x) => format!("the integer {x}"),
            Value::Float(x) => format!("the number {x:?}"),
            Value::Boolean(truth) => format!("the truth value {truth}"),
            Value::Datetime => "a date".to_owned(),
            Value::Array(items) => {
                let number = |item: &Self| matches!(item.value, Value::Integer(_) | Value::Float(_));
                // Where all but one are numbers, that one is the slip.
                let other = items.iter().position(|item| !number(item));
                match other.filter(|_| items.iter().any(number)) {
                    Some(i) => format!(
                        "an array of {} whose number {} is {}",
                        items.len(),
                        i + 1,
                        items[i].describe()
                    ),
                    None => format!("an array of {}", items.len()),
                }
            }
            Value::Table(_) => "a table".to_owned(),
        }
    }

    /// The tree of a parsed value; `shift` is added to its byte positions.
    pub(super) fn of(value: Spanned<DeValue<'_>>, source: usize, shift: usize) -> Self {
        let span = value.span();
        let place = Place { source, span: span.start + shift..span.end + shift };
        let value = match value.into_inner() {
            DeValue::String(text) => Value::String(text.into_owned()),
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(integer) => Value::Integer(integer),
                // Too long for any integer type: as a number it is at least finite or infinite.
                Err(_) => Value::Float(number.as_str().parse().unwrap_or(f64::INFINITY)),
            },
            DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(truth) => Value::Boolean(truth),
            DeValue::Datetime(_) => Value::Datetime,
            DeValue::Array(items) => {
                Value::Array(items.into_iter().map(|item| Self::of(item, source, shift)).collect())
            }
            DeValue::Table(table) => Value::Table(entries(table, source, shift)),
        };
        Self { value, place }
    }
}

/// The entries of a table in the order of the file.
fn entries(table: DeTable<'_>, source: usize, shift: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| {
            let span = key.span();
            let key_place = Place { source, span: span.start + shift..span.end + shift };
            Entry { key: key.into_inner().into_owned(), key_place, node: Node::of(value, source, shift) }
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_place.span.start);
    entries
}
