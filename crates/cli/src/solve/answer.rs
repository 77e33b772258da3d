//! Answers of other programs, to be judged as ours are.

use crate::Failure;
use huygens::contact::Impulse;
use serde_json::Value;
use std::path::Path;

/// What another program found.
pub struct Foreign {
    pub solver: String,
    pub iterations: u32,
    pub seconds: f64,
    pub impulses: Vec<Impulse>,
}

impl Foreign {
    /// Reads an answer to a problem with so many contacts.
    pub fn read(path: &Path, contacts: usize) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::Input(format!("error: --judge {}: {what}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let impulses =
            value["impulses"].as_array().ok_or_else(|| wrong("there is no list `impulses`".to_owned()))?;
        if impulses.len() != contacts {
            return Err(wrong(format!("{} impulses; the problem has {contacts} contacts", impulses.len())));
        }
        let mut read = Vec::new();
        for (k, item) in impulses.iter().enumerate() {
            let numbers: Vec<f64> = item.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
            let Ok(impulse) = Impulse::try_from(numbers) else {
                return Err(wrong(format!("impulse {k} is {item}; expected three numbers")));
            };
            read.push(impulse);
        }
        Ok(Self {
            solver: value["solver"].as_str().unwrap_or("unknown").to_owned(),
            iterations: value["iterations"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            seconds: value["seconds"].as_f64().unwrap_or(0.0),
            impulses: read,
        })
    }
}
