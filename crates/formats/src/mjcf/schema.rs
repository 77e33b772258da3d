//! The elements and attributes of MJCF: `schema.txt`, a line an element, indented by its depth.
//!
//! The names are those of MuJoCo 4.0's schema. `worldbody`, `frame` and `replicate` hold what a body holds; `default` holds itself.

use super::error::Fault;
use super::xml::Node;
use huygens::scene::suggest;
use std::sync::LazyLock;

/// An element: its name, its attributes, the elements inside.
#[derive(Debug, Default)]
pub(super) struct Element {
    name: &'static str,
    attributes: Vec<&'static str>,
    inside: Vec<usize>,
}

static SCHEMA: LazyLock<Vec<Element>> = LazyLock::new(|| read(include_str!("schema.txt")));

fn read(text: &'static str) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        let (name, attributes) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        open.truncate(depth);
        let index = elements.len();
        if let Some(&parent) = open.last() {
            elements[parent].inside.push(index);
        }
        open.push(index);
        let attributes = attributes.split_whitespace().collect();
        elements.push(Element { name, attributes, inside: Vec::new() });
    }
    elements
}

/// Which element of the schema stands for `tag` inside of `parent`.
fn find(parent: usize, tag: &str) -> Option<usize> {
    let schema = &*SCHEMA;
    let inside = |name: &str| schema[parent].inside.iter().copied().find(|&i| schema[i].name == name);
    let body_like = matches!(schema[parent].name, "body" | "frame" | "replicate");
    match tag {
        "worldbody" if parent == 0 => inside("body"),
        "body" | "frame" | "replicate" if body_like => {
            let body = schema[0].inside.iter().copied().find(|&i| schema[i].name == "body")?;
            if tag == "body" {
                return Some(body);
            }
            schema[body].inside.iter().copied().find(|&i| schema[i].name == tag)
        }
        "default" if schema[parent].name == "default" => Some(parent),
        _ if matches!(schema[parent].name, "frame" | "replicate") => {
            let body = schema[0].inside.iter().copied().find(|&i| schema[i].name == "body")?;
            schema[body].inside.iter().copied().find(|&i| schema[i].name == tag)
        }
        _ => inside(tag),
    }
}

/// Checks a whole file: names of elements, of attributes, and where they stand.
pub(super) fn check(root: &Node) -> Result<(), Fault> {
    if root.tag != "mujoco" {
        let help = "An MJCF file begins with <mujoco>.";
        return Err(Fault::at(&root.place, format!("the first element is <{}>", root.tag), help));
    }
    check_element(root, 0)
}

fn check_element(node: &Node, index: usize) -> Result<(), Fault> {
    let schema = &*SCHEMA;
    let element = &schema[index];
    let known = &element.attributes;
    for attribute in &node.attributes {
        let world = node.tag == "worldbody";
        // A world has no place of its own.
        let fits = known.contains(&attribute.name.as_str()) && (!world || attribute.name == "name");
        if !fits {
            let message = format!("<{}> has no attribute `{}`", node.tag, attribute.name);
            return Err(Fault::at(
                &attribute.place,
                message,
                suggest(&attribute.name, known.iter().copied()),
            ));
        }
    }
    for child in &node.children {
        let Some(inner) = find(index, &child.tag) else {
            let message = format!("<{}> has no element <{}>", node.tag, child.tag);
            let mut names: Vec<&str> = element.inside.iter().map(|&i| schema[i].name).collect();
            if matches!(element.name, "body" | "frame" | "replicate") {
                names.push("body");
            }
            return Err(Fault::at(&child.place, message, suggest(&child.tag, names)));
        };
        check_element(child, inner)?;
    }
    Ok(())
}
