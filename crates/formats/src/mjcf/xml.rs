//! XML files as trees of elements with their places, files that they include among them.

use super::error::{Fault, Place, Source};
use roxmltree::{Document, ParsingOptions};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A file longer than this is no model [bytes].
const LONGEST_FILE: u64 = 64 << 20;
/// More elements than this in one model are a mistake, or an attack.
const MOST_ELEMENTS: usize = 2_000_000;
/// Elements deeper than this are a mistake, or an attack.
const DEEPEST: usize = 400;
/// Files that include files that include …
const MOST_INCLUDES: usize = 1000;

/// One attribute with its place.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub name: String,
    pub value: String,
    pub place: Place,
}

/// One element with its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub tag: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Node>,
    pub place: Place,
    /// Which model the element was written in: models that are attached have their own compiler settings.
    pub scope: usize,
}

impl Node {
    /// The value of an attribute that is written on the element itself.
    pub fn own(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// The children with a name.
    pub fn all<'n>(&'n self, tag: &'n str) -> impl Iterator<Item = &'n Node> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    /// Itself and all elements inside.
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}

/// Reads files of one folder.
#[derive(Debug)]
pub(super) struct Files {
    /// The folder of the main file; files above it are not read.
    pub folder: PathBuf,
    elements: usize,
    includes: usize,
}

impl Files {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), elements: 0, includes: 0 }
    }

    /// Where the file `name` lies, which the text at `place` asks for, relative to the folder `from` of the model.
    pub fn find(&self, from: &Path, name: &str, place: &Place) -> Result<PathBuf, Fault> {
        let path = from.join(name);
        // A model may have its meshes in a folder beside it, but not anywhere on the machine.
        let depth = |path: &Path| {
            path.components().fold((0_i32, 0_i32), |(depth, least), c| {
                let depth = match c {
                    Component::ParentDir => depth - 1,
                    Component::Normal(_) => depth + 1,
                    _ => depth,
                };
                (depth, least.min(depth))
            })
        };
        let outside = Path::new(name).is_absolute()
            || depth(&path.strip_prefix(&self.folder).map_or(path.clone(), Path::to_path_buf)).1 < -MOST_UP;
        if outside {
            let message = format!("the file {name:?} lies outside of the model's folder");
            return Err(Fault::at(
                place,
                message,
                "Put it beside the model, and name it relative to the model.",
            ));
        }
        Ok(path)
    }

    /// The root element of the file at `path`, with what it includes.
    pub fn read(&mut self, path: &Path, asked_at: Option<&Place>) -> Result<Node, Fault> {
        let text = read_text(path, asked_at)?;
        self.parse(
            &path.display().to_string(),
            text,
            path.parent().unwrap_or(Path::new("")),
            &mut vec![path.to_owned()],
        )
    }

    /// The root element of a text, with what it includes; `open` are the files that are being read.
    pub fn parse(
        &mut self,
        name: &str,
        text: String,
        folder: &Path,
        open: &mut Vec<PathBuf>,
    ) -> Result<Node, Fault> {
        let source = Arc::new(Source { name: name.to_owned(), text });
        let options = ParsingOptions { nodes_limit: MOST_ELEMENTS as u32 * 4, ..ParsingOptions::default() };
        let document = Document::parse_with_options(&source.text, options).map_err(|error| {
            let at = offset(&source.text, error.pos());
            let place = Place { source: source.clone(), span: at..at };
            Fault::at(
                &place,
                format!("this is no XML: {error}"),
                "Mend the file; `xmllint` finds such places too.",
            )
        })?;
        let root = document.root_element();
        let mut nodes = Vec::new();
        self.convert(root, &source, folder, open, 0, &mut nodes)?;
        nodes.pop().ok_or_else(|| {
            Fault::of_file(format!("{name}: no element"), "An MJCF file begins with <mujoco>.")
        })
    }

    fn convert(
        &mut self,
        from: roxmltree::Node<'_, '_>,
        source: &Arc<Source>,
        folder: &Path,
        open: &mut Vec<PathBuf>,
        depth: usize,
        out: &mut Vec<Node>,
    ) -> Result<(), Fault> {
        let place = Place { source: source.clone(), span: tag_span(&source.text, from.range().start) };
        self.elements += 1;
        if self.elements > MOST_ELEMENTS || depth > DEEPEST {
            let message = format!("more than {MOST_ELEMENTS} elements, or {DEEPEST} inside of each other");
            return Err(Fault::at(&place, message, "Split the model."));
        }
        let attributes = from
            .attributes()
            .map(|a| Attribute {
                name: a.name().to_owned(),
                value: a.value().to_owned(),
                place: Place { source: source.clone(), span: a.range() },
            })
            .collect();
        let tag = from.tag_name().name().to_owned();
        let mut node = Node { tag, attributes, children: Vec::new(), place, scope: 0 };
        if node.tag == "include" {
            return self.include(&node, folder, open, out);
        }
        for child in from.children().filter(roxmltree::Node::is_element) {
            self.convert(child, source, folder, open, depth + 1, &mut node.children)?;
        }
        out.push(node);
        Ok(())
    }

    /// The children of the included file's root come in the place of the element.
    fn include(
        &mut self,
        node: &Node,
        folder: &Path,
        open: &mut Vec<PathBuf>,
        out: &mut Vec<Node>,
    ) -> Result<(), Fault> {
        let Some(file) = node.own("file") else {
            return Err(Fault::at(
                &node.place,
                "<include> has no attribute `file`",
                "Name the file to include.",
            ));
        };
        self.includes += 1;
        if self.includes > MOST_INCLUDES {
            return Err(Fault::at(&node.place, format!("more than {MOST_INCLUDES} files are included"), ""));
        }
        // Files are named relative to the main file, or to the including one.
        let mut path = self.find(&self.folder.clone(), &file.value, &file.place)?;
        if !path.exists() {
            path = self.find(folder, &file.value, &file.place)?;
        }
        if open.contains(&path) {
            let message = format!("{:?} includes itself", file.value);
            return Err(Fault::at(&file.place, message, "Take the include out."));
        }
        let text = read_text(&path, Some(&file.place))?;
        open.push(path.clone());
        let root =
            self.parse(&path.display().to_string(), text, path.parent().unwrap_or(Path::new("")), open)?;
        open.pop();
        out.extend(root.children);
        Ok(())
    }
}

/// How many folders above the model's a file may lie: meshes are often in `../meshes`, shared by several models.
const MOST_UP: i32 = 4;

fn read_text(path: &Path, asked_at: Option<&Place>) -> Result<String, Fault> {
    let fail = |message: String| {
        let help = "Check the path and its permissions.";
        asked_at.map_or_else(
            || Fault::of_file(message.clone(), help),
            |place| Fault::at(place, message.clone(), help),
        )
    };
    let name = path.display();
    let length = std::fs::metadata(path).map_err(|e| fail(format!("{name} cannot be read: {e}")))?.len();
    if length > LONGEST_FILE {
        return Err(fail(format!("{name} has {length} bytes; a model has at most {LONGEST_FILE}")));
    }
    let bytes = std::fs::read(path).map_err(|e| fail(format!("{name} cannot be read: {e}")))?;
    String::from_utf8(bytes).map_err(|e| fail(format!("{name} is no UTF-8 text: {e}")))
}

/// From `<` to the end of the tag's name.
fn tag_span(text: &str, start: usize) -> std::ops::Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(rest.len());
    start..start + length
}

fn offset(text: &str, position: roxmltree::TextPos) -> usize {
    let line =
        text.split_inclusive('\n').take(position.row.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let rest = text.get(line..).unwrap_or_default();
    let column =
        rest.char_indices().nth(position.col.saturating_sub(1) as usize).map_or(rest.len(), |(i, _)| i);
    line + column
}
