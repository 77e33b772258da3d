//! Values from the command line, put over those of the file before anything is read from it.

use super::document::{Document, Entry, Node, Place, Source, Value, find, name_of, names, other_spelling};
use super::keys;
use huygens::scene::keys::keys_of;
use huygens::scene::{DriveLimit, SceneError, ShapeKind, SpecPath, suggest};
use std::ops::Range;
use toml::de::DeValue;

/// One `--set PATH=VALUE`, or another option that stands for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The words of the command line, for errors.
    text: String,
    /// Steps of the path, each with its bytes in `text`.
    path: Vec<(String, Range<usize>)>,
    /// The bytes of the value in `text`.
    value: Range<usize>,
    quoted: Quoted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoted {
    /// The value is TOML; a bare word is a string.
    Toml,
    /// The value is a string, whatever it looks like.
    Plain,
}

type Failed = (SceneError, Place);

impl Setting {
    /// `--set PATH=VALUE`: a dotted path, tables in arrays by name or number; VALUE is TOML, a bare word is a string.
    ///
    /// # Errors
    /// An argument that has no `=`, no path or no value.
    pub fn set(argument: &str) -> Result<Self, SceneError> {
        let bad = |problem: &str| {
            SceneError::new(
                SpecPath::root(),
                "",
                format!("--set {argument}: {problem}"),
                "Write --set PATH=VALUE, for example --set world.dt=0.001.",
            )
        };
        let text = format!("--set {argument}");
        let equals = outside_quotes(&text, '=').next().ok_or_else(|| bad("there is no `=`"))?;
        let value = trimmed(&text, equals + 1..text.len());
        if value.is_empty() {
            return Err(bad("there is no value"));
        }
        let path = split(&text, "--set ".len()..equals).ok_or_else(|| bad("a part of the path is empty"))?;
        Ok(Self { text, path, value, quoted: Quoted::Toml })
    }

    /// The option `flag` with the string `value`, which stands for setting `path`.
    pub fn text_option(flag: &str, path: &str, value: &str) -> Self {
        Self::option(flag, path, value, Quoted::Plain)
    }

    /// The option `flag` with the TOML value `value`, which stands for setting `path`.
    pub fn value_option(flag: &str, path: &str, value: &str) -> Self {
        Self::option(flag, path, value, Quoted::Toml)
    }

    fn option(flag: &str, path: &str, value: &str, quoted: Quoted) -> Self {
        let text = format!("{flag} {value}");
        let path = path.split('.').map(|step| (step.to_owned(), 0..flag.len())).collect();
        let value = flag.len() + 1..text.len();
        Self { text, path, value, quoted }
    }

    /// The place that it sets, as a dotted path.
    pub fn path(&self) -> String {
        let steps: Vec<&str> = self.path.iter().map(|(step, _)| step.as_str()).collect();
        steps.join(".")
    }

    /// The value, as it was written.
    pub fn value(&self) -> &str {
        &self.text[self.value.clone()]
    }

    /// Puts the value into the document.
    pub(super) fn apply(&self, document: &mut Document) -> Result<(), Failed> {
        let source = document.sources.len();
        document.sources.push(Source { name: None, text: self.text.clone() });
        let value = self.node(source)?;
        put(&mut document.root, Walk { setting: self, source, at: 0, path: SpecPath::root() }, value)
    }

    fn node(&self, source: usize) -> Result<Node, Failed> {
        let text = &self.text[self.value.clone()];
        let place = Place { source, span: self.value.clone() };
        if self.quoted == Quoted::Plain {
            return Ok(Node { value: Value::String(text.to_owned()), place });
        }
        match DeValue::parse(text) {
            Ok(value) => Ok(Node::of(value, source, self.value.start)),
            Err(_) if is_bare_word(text) => Ok(Node { value: Value::String(text.to_owned()), place }),
            Err(error) => {
                let message = error.message().trim_end_matches('.').replace('\n', "; ");
                let problem = format!("the value is no TOML: {message}");
                let remedy = "Write a number, true, a word, \"a text\", [a, b] or { key = value }.";
                Err((SceneError::new(SpecPath::root(), "", problem, remedy), place))
            }
        }
    }
}

/// A walk along the path of a setting.
struct Walk<'s> {
    setting: &'s Setting,
    source: usize,
    at: usize,
    path: SpecPath,
}

impl<'s> Walk<'s> {
    fn step(&self) -> &'s str {
        &self.setting.path[self.at].0
    }

    fn place(&self) -> Place {
        Place { source: self.source, span: self.setting.path[self.at].1.clone() }
    }

    fn is_last(&self) -> bool {
        self.at + 1 == self.setting.path.len()
    }

    fn onto(&self, path: SpecPath) -> Self {
        Self { setting: self.setting, source: self.source, at: self.at + 1, path }
    }

    fn fail(&self, problem: String, remedy: String) -> Failed {
        (SceneError::new(self.path.clone(), "", problem, remedy), self.place())
    }
}

fn put(node: &mut Node, walk: Walk<'_>, value: Node) -> Result<(), Failed> {
    let described = node.describe();
    match &mut node.value {
        Value::Table(entries) => put_in_table(entries, walk, value),
        Value::Array(items) => put_in_array(items, walk, value),
        _ => {
            let problem = format!("is {described}, so it has no `{}`", walk.step());
            Err(walk.fail(problem, "Set the whole value: --set PATH='{ kind = …, … }'.".to_owned()))
        }
    }
}

fn put_in_table(entries: &mut Vec<Entry>, walk: Walk<'_>, value: Node) -> Result<(), Failed> {
    let step = walk.step();
    // `shape.radius` also finds the first of `shapes`, and `shapes[0]` the only `shape`.
    if !walk.is_last()
        && find(entries, step).is_none()
        && let Some(other) = other_spelling(step)
        && let Some(entry) = entries.iter_mut().find(|entry| entry.key == other)
    {
        let path = walk.path.key(other);
        return put(&mut entry.node, walk.onto(path), value);
    }
    // `shape = {…}` is the shape number 0.
    if step == "0" && !walk.is_last() && find(entries, "kind").is_some() {
        let mut inner = Node { value: Value::Table(std::mem::take(entries)), place: walk.place() };
        let result = put(&mut inner, walk.onto(walk.path.index(0)), value);
        if let Value::Table(back) = inner.value {
            *entries = back;
        }
        return result;
    }
    let top = walk.path.segments().is_empty();
    let in_materials = walk.path == SpecPath::top("materials");
    if find(entries, step).is_none() {
        let arrays = ["body", "repeat", "joint", "coupling", "tendon", "pair", "spring", "edit"];
        if in_materials && !walk.is_last() {
            let known: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
            return Err(walk.fail(format!("there is no material `{step}`"), suggest(step, known)));
        }
        if top && arrays.contains(&step) && !walk.is_last() {
            return Err(
                walk.fail(format!("the scene has no {step}"), format!("Add a [[{step}]] to the file."))
            );
        }
    }
    let index = match entries.iter().position(|entry| entry.key == step) {
        Some(index) => index,
        None => {
            // An absent key is made; if it is no key of this table, the reading says so.
            let node = Node { value: Value::Table(Vec::new()), place: walk.place() };
            entries.push(Entry { key: step.to_owned(), key_place: walk.place(), node });
            entries.len() - 1
        }
    };
    if !walk.is_last() {
        let path = walk.path.key(step.to_owned());
        return put(&mut entries[index].node, walk.onto(path), value);
    }
    entries[index].key_place = walk.place();
    entries[index].node = value;
    drop_replaced(entries, step);
    Ok(())
}

/// What the new value of `key` makes meaningless: the other one of two alternatives, the parameters of another kind.
fn drop_replaced(entries: &mut Vec<Entry>, key: &str) {
    for group in keys::ALTERNATIVES.iter().filter(|group| group.contains(&key)) {
        entries.retain(|entry| entry.key == key || !group.contains(&entry.key.as_str()));
    }
    if key != "kind" {
        return;
    }
    let Some(Entry { node: Node { value: Value::String(kind), .. }, .. }) = find(entries, key) else {
        return;
    };
    for kinds in [keys::STABILISATION, keys::MOTION, DriveLimit::KINDS] {
        if let Some((_, own)) = kinds.iter().find(|(word, _)| word == kind) {
            let of_another = |key: &str| kinds.iter().any(|(_, keys)| keys.contains(&key));
            entries.retain(|entry| own.contains(&entry.key.as_str()) || !of_another(&entry.key));
            return;
        }
    }
    if let Some(own) = ShapeKind::of_word(kind) {
        let has = |kind: &ShapeKind, key: &str| keys_of(kind).iter().any(|known| known.name == key);
        let of_another = |key: &str| {
            ShapeKind::words().into_iter().filter_map(ShapeKind::of_word).any(|kind| has(&kind, key))
        };
        entries.retain(|entry| has(&own, &entry.key) || !of_another(&entry.key));
    }
}

fn put_in_array(items: &mut [Node], walk: Walk<'_>, value: Node) -> Result<(), Failed> {
    let step = walk.step();
    let by_name = (0..items.len()).find(|&i| items[i].table().is_some() && names(&items[i], i, step));
    let by_number = step.parse::<usize>().ok().filter(|&i| i < items.len());
    let Some(index) = by_name.or(by_number) else {
        let known: Vec<&str> = items.iter().filter_map(name_of).collect();
        // `body.x` of several bodies is looked up by name; `shape.radius` of several shapes needs its number.
        let remedy = if known.is_empty() && !items.is_empty() {
            format!("Give the number of one, from 0 to {}.", items.len() - 1)
        } else {
            suggest(step, known)
        };
        return Err(walk.fail(format!("there is no `{step}`"), remedy));
    };
    if walk.is_last() {
        items[index] = value;
        return Ok(());
    }
    let path = match by_name {
        Some(_) => walk.path.name(step),
        None => walk.path.index(index),
    };
    put(&mut items[index], walk.onto(path), value)
}

/// A word that needs no quotes on the command line: it starts with a letter and has no sign of TOML in it.
fn is_bare_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_-/.+:".contains(c))
}

fn outside_quotes(text: &str, wanted: char) -> impl Iterator<Item = usize> + '_ {
    let mut quote: Option<char> = None;
    text.char_indices().filter_map(move |(i, c)| {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == wanted => return Some(i),
            None => {}
        }
        None
    })
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The steps of `body.rotor.motion`, `body."a.b".mass`, `body.box.shapes[0].radius`.
fn split(text: &str, range: Range<usize>) -> Option<Vec<(String, Range<usize>)>> {
    let (start, end) = (range.start, range.end);
    let dots = outside_quotes(&text[start..end], '.').map(|i| start + i);
    let mut steps = Vec::new();
    let mut from = start;
    for dot in dots.chain([end]) {
        let range = trimmed(text, from..dot);
        let step = &text[range.clone()];
        from = dot + 1;
        let inner = step.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
        if let Some(name) = inner {
            steps.push((name.to_owned(), range));
            continue;
        }
        // A number in brackets is a step of its own, unless a body is really called `crate[3]`.
        match step.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            Some((key, number)) if number.parse::<usize>().is_ok() && !key.is_empty() => {
                let split = range.start + key.len();
                steps.push((key.to_owned(), range.start..split));
                steps.push((number.to_owned(), split..range.end));
            }
            _ if step.is_empty() => return None,
            _ => steps.push((step.to_owned(), range)),
        }
    }
    Some(steps)
}
