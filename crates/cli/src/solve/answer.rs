//! Answers of other programs, to be judged as ours are.

use crate::Failure;
use huygens::contact::{CoupleImpulse, Impulse, Impulses};
use serde_json::Value;
use std::path::Path;

/// The impulses that another program found for a problem.
pub struct Foreign {
    pub solver: String,
    pub iterations: u32,
    pub seconds: f64,
    pub impulses: Vec<Impulse>,
    /// Couples of the contacts; empty without friction against rolling.
    pub couples: Vec<CoupleImpulse>,
}

impl Foreign {
    /// All impulses.
    pub fn all(&self) -> Impulses<'_> {
        Impulses { points: &self.impulses, couples: &self.couples, rows: &[] }
    }

    /// Reads an answer to a problem with so many contacts of that dimension.
    pub fn read(path: &Path, contacts: usize, dimension: usize) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::Input(format!("error: --judge {}: {what}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let impulses =
            value["impulses"].as_array().ok_or_else(|| wrong("there is no list `impulses`".to_owned()))?;
        if impulses.len() != contacts {
            return Err(wrong(format!("{} impulses; the problem has {contacts} contacts", impulses.len())));
        }
        let (mut read, mut couples) = (Vec::new(), Vec::new());
        for (k, item) in impulses.iter().enumerate() {
            let numbers: Vec<f64> = item.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
            match numbers[..] {
                [n, t1, t2] if dimension == 3 => read.push([n, t1, t2]),
                [n, t1, t2, m1, m2] if dimension == 5 => {
                    read.push([n, t1, t2]);
                    couples.push([0.0, m1, m2]);
                }
                _ => {
                    let count = if dimension == 3 { "three" } else { "five" };
                    return Err(wrong(format!("impulse {k} is {item}; expected {count} numbers")));
                }
            }
        }
        Ok(Self {
            solver: value["solver"].as_str().unwrap_or("unknown").to_owned(),
            iterations: value["iterations"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            seconds: value["seconds"].as_f64().unwrap_or(0.0),
            impulses: read,
            couples,
        })
    }
}
