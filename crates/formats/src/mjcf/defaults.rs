//! Default classes: attributes that elements have when they do not say otherwise.

use super::error::Fault;
use super::xml::{Attribute, Node};
use huygens::scene::suggest;
use std::collections::BTreeMap;

/// Shortcuts of actuators, which share their mechanical attributes.
pub(super) const ACTUATORS: [&str; 12] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
];

/// Attributes that a default of one actuator shortcut gives to all others; gains stay with their shortcut.
const MECHANICAL: [&str; 16] = [
    "group",
    "nsample",
    "interp",
    "delay",
    "ctrlrange",
    "user",
    "ctrllimited",
    "forcelimited",
    "actlimited",
    "forcerange",
    "actrange",
    "gear",
    "damping",
    "armature",
    "cranklength",
    "inheritrange",
];

/// Attributes of one class by element, outer classes first: a later one wins, number by number.
pub(super) type Class = BTreeMap<String, Vec<Attribute>>;

/// All classes by name.
#[derive(Debug, Default)]
pub(super) struct Classes {
    classes: BTreeMap<String, Class>,
    root: String,
}

const MAIN: &str = "main";

impl Classes {
    /// Reads every `<default>` at the top of a model.
    pub fn read(root: &Node) -> Result<Self, Fault> {
        let mut classes = Self { classes: BTreeMap::new(), root: MAIN.to_owned() };
        let mut first = true;
        for node in root.all("default") {
            if let Some(name) = node.own("class").filter(|_| first) {
                classes.root = name.value.clone();
            }
            first = false;
            let base = classes.classes.get(&classes.root).cloned().unwrap_or_default();
            let name = classes.root.clone();
            classes.add(node, &name, base)?;
        }
        let root = classes.root.clone();
        classes.classes.entry(root).or_default();
        Ok(classes)
    }

    fn add(&mut self, node: &Node, name: &str, mut class: Class) -> Result<(), Fault> {
        for child in node.children.iter().filter(|child| child.tag != "default") {
            let tag = child.tag.as_str();
            class.entry(tag.to_owned()).or_default().extend(child.attributes.iter().cloned());
            if ACTUATORS.contains(&tag) {
                let mechanical = child.attributes.iter().filter(|a| MECHANICAL.contains(&a.name.as_str()));
                for other in ACTUATORS.iter().filter(|other| **other != tag) {
                    let all = tag == "general";
                    let given =
                        child.attributes.iter().filter(|_| all).chain(mechanical.clone().filter(|_| !all));
                    class.entry((*other).to_owned()).or_default().extend(given.cloned());
                }
            }
        }
        let inner = class.clone();
        self.classes.insert(name.to_owned(), class);
        for child in node.all("default") {
            let Some(name) = child.own("class") else {
                let help = "Every class but the outermost needs `class`.";
                return Err(Fault::at(&child.place, "a default class has no name", help));
            };
            if self.classes.contains_key(&name.value) && name.value != self.root {
                let message = format!("the default class {:?} is there twice", name.value);
                return Err(Fault::at(&name.place, message, "Give one of them another name."));
            }
            self.add(child, &name.value, inner.clone())?;
        }
        Ok(())
    }

    /// The class that an element names in `attribute`, or `outer`, or the outermost class.
    pub fn of<'c>(&'c self, node: &Node, outer: Option<&'c Class>) -> Result<&'c Class, Fault> {
        match node.own("class") {
            Some(name) => self.find(name),
            None => Ok(outer.unwrap_or(&self.classes[&self.root])),
        }
    }

    /// The class that the value of an attribute names.
    pub fn find(&self, name: &Attribute) -> Result<&Class, Fault> {
        self.classes.get(&name.value).ok_or_else(|| {
            let known = self.classes.keys().map(String::as_str).collect::<Vec<_>>();
            let message = format!("there is no default class {:?}", name.value);
            Fault::at(&name.place, message, suggest(&name.value, known))
        })
    }
}
