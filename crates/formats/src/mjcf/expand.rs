//! `<attach>` and `<replicate>`: other models and copies, spliced into the tree of elements before anything is compiled.

use super::attributes::Element;
use super::compile::Scope;
use super::error::Fault;
use super::schema;
use super::xml::{Attribute, Files, Node};
use huygens::scene::suggest;
use huygens_math::{Pose, Quat, Vec3};
use std::collections::BTreeSet;

/// Most elements after all copies are made.
const MOST_ELEMENTS: usize = 2_000_000;
/// Models that attach models that attach …
const DEEPEST_ATTACH: usize = 8;

/// Attributes whose value is the name of something else.
const REFERENCES: [&str; 34] = [
    "joint",
    "joint1",
    "joint2",
    "jointinparent",
    "tendon",
    "tendon1",
    "tendon2",
    "site",
    "site1",
    "site2",
    "refsite",
    "slidersite",
    "cranksite",
    "sidesite",
    "body",
    "body1",
    "body2",
    "geom",
    "geom1",
    "geom2",
    "mesh",
    "hfield",
    "material",
    "texture",
    "target",
    "objname",
    "refname",
    "actuator",
    "camera",
    "subtree1",
    "subtree2",
    "skin",
    "flex",
    "instance",
];
/// Parts of a model whose elements speak of bodies and of what is on them.
const SECTIONS: [&str; 5] = ["contact", "equality", "tendon", "actuator", "sensor"];

/// Makes a model of one file of several: `root` gets the bodies and sections of the models that it attaches, `scopes` their settings.
pub(super) fn attach(
    root: &mut Node,
    scopes: &mut Vec<Scope>,
    files: &mut Files,
    depth: usize,
) -> Result<(), Fault> {
    let mut models = Vec::new();
    for asset in root.all("asset") {
        for model in asset.all("model") {
            let element = Element::plain(model);
            let file = element.needed("file")?.clone();
            let name = model.own("name").map_or_else(|| stem(&file.value), |a| a.value.clone());
            models.push((name, file));
        }
    }
    let here = root.scope;
    let mut sections = Vec::new();
    let mut error = None;
    visit(root, &mut |node| {
        if error.is_none() && node.tag == "attach" {
            match attached(node, &models, here, scopes, files, depth) {
                Ok((body, more)) => {
                    *node = body;
                    sections.extend(more);
                }
                Err(fault) => error = Some(fault),
            }
        }
    });
    if let Some(fault) = error {
        return Err(fault);
    }
    root.children.extend(sections);
    Ok(())
}

fn stem(file: &str) -> String {
    std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The body that an `<attach>` asks for, and the other parts of its model.
fn attached(
    node: &Node,
    models: &[(String, Attribute)],
    here: usize,
    scopes: &mut Vec<Scope>,
    files: &mut Files,
    depth: usize,
) -> Result<(Node, Vec<Node>), Fault> {
    let element = Element::plain(node);
    let name = element.needed("model")?;
    let prefix = element.text("prefix").unwrap_or_default();
    let Some((_, file)) = models.iter().find(|(known, _)| *known == name.value) else {
        let known: Vec<&str> = models.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Fault::at(
            &name.place,
            format!("there is no model {:?}", name.value),
            suggest(&name.value, known),
        ));
    };
    if depth >= DEEPEST_ATTACH {
        return Err(Fault::at(
            &node.place,
            format!("more than {DEEPEST_ATTACH} models attach each other"),
            "",
        ));
    }
    let path = files.find(&scopes[here].folder, &file.value, &file.place)?;
    let mut root = files.read(&path, Some(&file.place))?;
    schema::check(&root)?;
    let scope = scopes.len();
    visit(&mut root, &mut |node| node.scope = scope);
    root.scope = scope;
    scopes.push(Scope::read(&root, path.parent().unwrap_or(&files.folder))?);
    attach(&mut root, scopes, files, depth + 1)?;
    let wanted = element.get("body").or(element.get("frame"));
    let found = match wanted {
        Some(wanted) => {
            let mut found = None;
            for world in root.all("worldbody") {
                find(world, &wanted.value, &mut found);
            }
            found.cloned().ok_or_else(|| {
                Fault::at(
                    &wanted.place,
                    format!("{} has no body or frame {:?}", path.display(), wanted.value),
                    "",
                )
            })?
        }
        None => {
            let children = root.all("worldbody").flat_map(|world| world.children.clone()).collect();
            Node {
                tag: "frame".to_owned(),
                attributes: Vec::new(),
                children,
                place: node.place.clone(),
                scope,
            }
        }
    };
    let mut found = found;
    let mut names = BTreeSet::new();
    visit(&mut found, &mut |node| names.extend(node.own("name").map(|a| a.value.clone())));
    for asset in root.children.iter_mut().filter(|c| SECTIONS.contains(&c.tag.as_str())) {
        visit(asset, &mut |node| names.extend(node.own("name").map(|a| a.value.clone())));
    }
    let mut parts: Vec<Node> = root
        .children
        .into_iter()
        .filter(|c| c.tag == "asset" || SECTIONS.contains(&c.tag.as_str()))
        .collect();
    for part in parts.iter_mut().filter(|part| part.tag != "asset") {
        part.children.retain(|child| speaks_only_of(child, &names));
    }
    rename(&mut found, &|name| format!("{prefix}{name}"), &|_| true);
    for part in &mut parts {
        rename(part, &|name| format!("{prefix}{name}"), &|_| true);
    }
    Ok((found, parts))
}

fn speaks_only_of(node: &Node, names: &BTreeSet<String>) -> bool {
    let refers = |a: &&Attribute| REFERENCES.contains(&a.name.as_str()) && !is_asset(&a.name);
    node.attributes.iter().filter(refers).all(|a| names.contains(&a.value) || a.value == "world")
        && node.children.iter().all(|child| speaks_only_of(child, names))
}

fn is_asset(attribute: &str) -> bool {
    matches!(attribute, "mesh" | "hfield" | "material" | "texture")
}

fn find<'n>(node: &'n Node, name: &str, found: &mut Option<&'n Node>) {
    for child in &node.children {
        if matches!(child.tag.as_str(), "body" | "frame" | "replicate") {
            if found.is_none() && child.own("name").is_some_and(|a| a.value == name) {
                *found = Some(child);
            }
            find(child, name, found);
        }
    }
}

/// Every element inside, the innermost first.
fn visit(node: &mut Node, act: &mut impl FnMut(&mut Node)) {
    for child in &mut node.children {
        visit(child, act);
        act(child);
    }
}

/// Gives names, and references to names that `which` picks, another form.
fn rename(node: &mut Node, form: &impl Fn(&str) -> String, which: &impl Fn(&str) -> bool) {
    for attribute in &mut node.attributes {
        let refers = attribute.name == "name" || REFERENCES.contains(&attribute.name.as_str());
        if refers && which(&attribute.value) && attribute.value != "world" && !attribute.value.is_empty() {
            attribute.value = form(&attribute.value);
        }
    }
    for child in &mut node.children {
        rename(child, form, which);
    }
}

/// Turns every `<replicate>` into frames, and copies the elements of other parts that speak of what was copied.
pub(super) fn replicate(root: &mut Node, scopes: &[Scope]) -> Result<(), Fault> {
    loop {
        let mut copies = None;
        let mut error = None;
        visit_worlds(root, &mut |node| {
            if copies.is_none() && error.is_none() && node.tag == "replicate" {
                match frames(node, scopes) {
                    Ok(made) => copies = Some(made),
                    Err(fault) => error = Some(fault),
                }
            }
        });
        if let Some(fault) = error {
            return Err(fault);
        }
        let Some(copies) = copies else { return Ok(()) };
        for part in root.children.iter_mut().filter(|c| SECTIONS.contains(&c.tag.as_str())) {
            copy_elements(part, &copies);
        }
        if root.count() > MOST_ELEMENTS {
            let message = format!("more than {MOST_ELEMENTS} elements when all copies are made");
            return Err(Fault::at(&root.place, message, "Make fewer copies."));
        }
    }
}

fn visit_worlds(root: &mut Node, act: &mut impl FnMut(&mut Node)) {
    for world in root.children.iter_mut().filter(|c| c.tag == "worldbody") {
        visit(world, act);
    }
}

/// What was copied: the names, and the ending of each copy.
struct Copies {
    names: BTreeSet<String>,
    endings: Vec<String>,
}

/// Makes a frame of frames of one `<replicate>` that holds no other.
fn frames(node: &mut Node, scopes: &[Scope]) -> Result<Copies, Fault> {
    let element = Element::plain(node);
    let count = element.int("count", 0)?;
    let size = node.count();
    if count < 0 || (count as usize).saturating_mul(size) > MOST_ELEMENTS {
        return Err(element.fault(format!("`count` is {count}"), "Make fewer copies."));
    }
    let count = count as usize;
    let offset = element.vec3("offset", Vec3::ZERO)?;
    let euler = element.reals("euler", [0.0; 3])?;
    let sep = element.text("sep").unwrap_or_default().to_owned();
    let angles = &scopes[node.scope].angles;
    let width = count.saturating_sub(1).to_string().len();
    let endings: Vec<String> = (0..count).map(|i| format!("{sep}{i:0width$}")).collect();
    let mut names = BTreeSet::new();
    visit(node, &mut |inner| names.extend(inner.own("name").map(|a| a.value.clone())));
    let rotation = angles.euler(euler);
    let mut at = Pose::IDENTITY;
    let mut copies = Vec::with_capacity(count);
    for (i, ending) in endings.iter().enumerate() {
        let turned = angles.euler(euler.map(|e| e * i as f64));
        let place = &node.place;
        let attribute =
            |name: &str, value: String| Attribute { name: name.to_owned(), value, place: place.clone() };
        let mut copy = Node {
            tag: "frame".to_owned(),
            attributes: vec![
                attribute("pos", list(&at.translation.to_array())),
                attribute("quat", quat_list(turned)),
            ],
            children: node.children.clone(),
            place: place.clone(),
            scope: node.scope,
        };
        for child in &mut copy.children {
            rename(child, &|name| format!("{name}{ending}"), &|name| names.contains(name));
        }
        copies.push(copy);
        at = Pose::new(turned, at.translation) * Pose::new(rotation, offset);
    }
    node.attributes.retain(|a| a.name == "childclass");
    node.tag = "frame".to_owned();
    node.children = copies;
    Ok(Copies { names, endings })
}

fn list(values: &[f64]) -> String {
    values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ")
}

fn quat_list(q: Quat) -> String {
    list(&[q.w, q.x, q.y, q.z])
}

fn copy_elements(part: &mut Node, copies: &Copies) {
    let touched = |node: &Node| {
        let refers = |node: &Node| {
            let of = |a: &Attribute| {
                REFERENCES.contains(&a.name.as_str()) && !is_asset(&a.name) && copies.names.contains(&a.value)
            };
            node.attributes.iter().any(of)
        };
        refers(node) || node.children.iter().any(refers)
    };
    // What was not copied stays first; then come all elements of the first copy, of the second, …
    let (copied, mut out): (Vec<Node>, Vec<Node>) =
        std::mem::take(&mut part.children).into_iter().partition(touched);
    for ending in &copies.endings {
        for child in &copied {
            let own = child.own("name").map(|a| a.value.clone());
            let mut copy = child.clone();
            let which = |name: &str| copies.names.contains(name) || own.as_deref() == Some(name);
            rename(&mut copy, &|name| format!("{name}{ending}"), &which);
            out.push(copy);
        }
    }
    part.children = out;
}
