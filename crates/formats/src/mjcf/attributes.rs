//! Typed attributes of an element and its default class.

use super::defaults::Class;
use super::error::Fault;
use super::xml::{Attribute, Node};
use huygens::scene::suggest;
use huygens_math::Vec3;

/// Most numbers in one attribute.
const MOST_NUMBERS: usize = 10_000_000;

/// An element with the attributes of its class.
#[derive(Clone, Copy)]
pub(super) struct Element<'n> {
    pub node: &'n Node,
    class: Option<&'n [Attribute]>,
}

impl<'n> Element<'n> {
    /// An element without defaults.
    pub fn plain(node: &'n Node) -> Self {
        Self { node, class: None }
    }

    /// An element with what its class says of `tag`.
    pub fn with(node: &'n Node, class: &'n Class, tag: &str) -> Self {
        Self { node, class: class.get(tag).map(Vec::as_slice) }
    }

    /// Every value of an attribute, those of outer classes first.
    pub fn layers<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'n Attribute> + 's {
        let class = self.class.unwrap_or_default().iter();
        class.chain(&self.node.attributes).filter(move |a| a.name == name)
    }

    /// The value that counts: the element's own, or that of the innermost class.
    pub fn get(&self, name: &str) -> Option<&'n Attribute> {
        let of = |list: &'n [Attribute]| list.iter().rev().find(|a| a.name == name);
        of(&self.node.attributes).or_else(|| of(self.class.unwrap_or_default()))
    }

    /// All attributes, those of outer classes first.
    pub fn all(&self) -> impl Iterator<Item = &'n Attribute> {
        self.class.unwrap_or_default().iter().chain(&self.node.attributes)
    }

    /// A text; an empty one is none.
    pub fn text(&self, name: &str) -> Option<&'n str> {
        self.get(name).map(|a| a.value.as_str()).filter(|text| !text.is_empty())
    }

    /// A text that must be there.
    pub fn needed(&self, name: &str) -> Result<&'n Attribute, Fault> {
        self.get(name).ok_or_else(|| {
            let message = format!("<{}> has no attribute `{name}`", self.node.tag);
            Fault::at(&self.node.place, message, format!("Write `{name}`."))
        })
    }

    /// Puts the given numbers over those of `values`, layer by layer; true when any was given.
    pub fn overlay(&self, name: &str, values: &mut [f64]) -> Result<bool, Fault> {
        let mut given = false;
        for attribute in self.layers(name) {
            let found = numbers(attribute, values.len())?;
            values[..found.len()].copy_from_slice(&found);
            given = true;
        }
        Ok(given)
    }

    /// Numbers of an attribute over defaults.
    pub fn reals<const N: usize>(&self, name: &str, mut values: [f64; N]) -> Result<[f64; N], Fault> {
        self.overlay(name, &mut values)?;
        Ok(values)
    }

    /// Numbers that are there or not.
    pub fn maybe<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, Fault> {
        let Some(attribute) = self.get(name) else { return Ok(None) };
        let found = numbers(attribute, N)?;
        match <[f64; N]>::try_from(found.as_slice()) {
            Ok(values) => Ok(Some(values)),
            Err(_) => Err(wrong(attribute, &format!("{N} numbers"))),
        }
    }

    /// One number.
    pub fn real(&self, name: &str, default: f64) -> Result<f64, Fault> {
        Ok(self.reals(name, [default])?[0])
    }

    /// A vector.
    pub fn vec3(&self, name: &str, default: Vec3) -> Result<Vec3, Fault> {
        match self.maybe::<3>(name)? {
            Some(v) => Ok(Vec3::from_array(v)),
            None => Ok(default),
        }
    }

    /// Any number of numbers.
    pub fn list(&self, name: &str) -> Result<Option<Vec<f64>>, Fault> {
        self.get(name).map(|a| numbers(a, MOST_NUMBERS)).transpose()
    }

    /// A whole number.
    pub fn int(&self, name: &str, default: i64) -> Result<i64, Fault> {
        match self.get(name) {
            None => Ok(default),
            Some(a) => a.value.trim().parse().map_err(|_| wrong(a, "a whole number")),
        }
    }

    /// One word of a list.
    pub fn choice<T: Copy>(&self, name: &str, known: &[(&str, T)], default: T) -> Result<T, Fault> {
        let Some(attribute) = self.get(name) else { return Ok(default) };
        let word = attribute.value.trim();
        known.iter().find(|(k, _)| *k == word).map(|(_, value)| *value).ok_or_else(|| {
            let message = format!("`{name}` is {word:?}");
            Fault::at(&attribute.place, message, suggest(word, known.iter().map(|(k, _)| *k)))
        })
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Fault> {
        self.choice(name, &[("true", true), ("false", false)], default)
    }

    /// `true`, `false` or, as when left out, `auto`: then what `range` says.
    pub fn limited(&self, name: &str, range: [f64; 2], autolimits: bool) -> Result<bool, Fault> {
        let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
        let given = range != [0.0, 0.0];
        if let Some(limited) = self.choice(name, &words, None)? {
            return Ok(limited);
        }
        if given && !autolimits {
            let message = format!("a range is given, but `{name}` is not, and autolimits is false");
            return Err(Fault::at(&self.node.place, message, format!("Write {name}=\"true\".")));
        }
        Ok(given)
    }

    /// A fault at the element.
    pub fn fault(&self, message: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault::at(&self.node.place, message, help)
    }
}

fn wrong(attribute: &Attribute, expected: &str) -> Fault {
    let value: String = attribute.value.chars().take(60).collect();
    let message = format!("`{}` is {value:?}, expected {expected}", attribute.name);
    Fault::at(&attribute.place, message, format!("Write {expected}."))
}

/// The numbers of an attribute, at most `most` of them.
pub(super) fn numbers(attribute: &Attribute, most: usize) -> Result<Vec<f64>, Fault> {
    let mut found = Vec::new();
    for word in attribute.value.split_whitespace() {
        let number = word.parse::<f64>().ok().filter(|x| x.is_finite());
        found.push(number.ok_or_else(|| wrong(attribute, "numbers"))?);
        if found.len() > most {
            let s = if most == 1 { "" } else { "s" };
            return Err(wrong(attribute, &format!("at most {most} number{s}")));
        }
    }
    if found.is_empty() && most != MOST_NUMBERS {
        return Err(wrong(attribute, "numbers"));
    }
    Ok(found)
}
