//! Results of another engine, from the file that its program under `bench/` writes.
//!
//! `{"peer": NAME, "results": [{"case": N, "seconds": S, "figures": {NAME: MEASURED, …}, "reason": TEXT?}, …]}`: the peer
//! measures the figures of our cases under their names, and is judged here by the same rules. `rapier.json` beside this file
//! was written by `bench/verify-rapier` and is part of the program, so that the column needs no other build.

use super::case::Figure;
use super::matrix::{Cell, Row};
use crate::Failure;
use serde_json::Value;
use std::path::Path;

/// What Rapier measured, from `cargo run --release` in bench/verify-rapier.
const RAPIER: &str = include_str!("rapier.json");

/// Another engine's results.
pub struct Peer {
    name: String,
    results: Vec<Value>,
}

impl Peer {
    /// The results that the program carries.
    pub fn built_in() -> Option<Self> {
        Self::parse(RAPIER).ok()
    }

    /// Reads a file of results.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bad = |problem: String| {
            Failure::Input(format!(
                "error: --peer {}: {problem}\n  = help: Name a file that a program under bench/ wrote.",
                path.display()
            ))
        };
        let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        Self::parse(&text).map_err(bad)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let name = value.get("peer").and_then(Value::as_str).ok_or("no text `peer`")?;
        let results = value.get("results").and_then(Value::as_array).ok_or("no list `results`")?;
        Ok(Self { name: name.to_owned(), results: results.clone() })
    }

    /// Puts its column beside ours, for the figures that both have.
    pub fn join(&self, rows: &mut [Row]) {
        for row in rows {
            let number = u64::from(row.case.number);
            let result =
                self.results.iter().find(|result| result.get("case").and_then(Value::as_u64) == Some(number));
            let Some(result) = result else { continue };
            let ours = row.cells.iter().map(|cell| &cell.figures).max_by_key(|figures| figures.len());
            let figures = ours.map(|ours| judged(result, ours)).unwrap_or_default();
            let reason = result.get("reason").and_then(Value::as_str).map(str::to_owned);
            let seconds = result.get("seconds").and_then(Value::as_f64).unwrap_or(0.0);
            row.cells.push(Cell { solver: self.name.clone(), figures, reason, seconds });
        }
    }
}

/// The peer's numbers under our rules. A number that is null was not finite.
fn judged(result: &Value, ours: &[Figure]) -> Vec<Figure> {
    let Some(theirs) = result.get("figures").and_then(Value::as_object) else { return Vec::new() };
    ours.iter()
        .filter_map(|figure| {
            let measured = theirs.get(&figure.name)?.as_f64().unwrap_or(f64::NAN);
            Some(Figure { measured, ..figure.clone() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_judged_by_our_rules() {
        let ours = [Figure::at_most("spread", 0.0, 1e-3), Figure::within("d", 1.0, 1.0, 0.1)];
        let result: Value = serde_json::from_str(r#"{"figures": {"spread": 0.3, "d": 1.05, "other": 1}}"#)
            .unwrap_or_default();
        let judged = judged(&result, &ours);
        assert_eq!(judged.len(), 2);
        assert!(!judged[0].pass() && judged[1].pass());
    }

    #[test]
    fn every_figure_of_rapier_is_one_of_ours() {
        let rapier = Peer::built_in().map_or_else(Vec::new, |peer| peer.results);
        assert!(rapier.len() >= 15, "{} cases", rapier.len());
        let quick = [19, 20, 24, 37, 54, 66];
        for case in crate::verify::cases::all().into_iter().filter(|case| quick.contains(&case.number)) {
            let ours = (case.measure)("sequential-impulse").unwrap_or_default();
            let number = Some(u64::from(case.number));
            let Some(result) = rapier.iter().find(|r| r.get("case").and_then(Value::as_u64) == number) else {
                continue;
            };
            let theirs = result.get("figures").and_then(Value::as_object).map_or(0, |figures| figures.len());
            assert_eq!(
                judged(result, &ours).len(),
                theirs,
                "case {}: a figure has another name",
                case.number
            );
        }
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_refused() {
        assert!(Peer::parse("[]").is_err());
        assert!(Peer::parse("{\"peer\": \"x\"}").is_err());
        assert!(Peer::parse("{\"peer\": \"x\", \"results\": []}").is_ok());
    }
}
