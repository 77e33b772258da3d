//! Rapier on the cases of `huygens verify`: prints the figures under their names there; `huygens verify --peer` judges them.
//!
//! Rapier's own defaults throughout, as ours are: only dt, gravity and the materials are those of the case.

mod free;
mod friction;
mod impact;
mod lab;
mod rest;

use std::time::Instant;

/// Name and value of a figure.
pub type Figures = Vec<(String, f64)>;

/// A case by its number.
type Case = (u32, fn() -> Figures);

fn main() {
    let families = [free::CASES, impact::CASES, rest::CASES, friction::CASES];
    let results: Vec<String> = families.into_iter().flatten().map(result).collect();
    println!("{{\"peer\": \"rapier 0.36.1 f64\", \"results\": [\n  {}\n]}}", results.join(",\n  "));
}

fn result((number, measure): &Case) -> String {
    eprintln!("case {number}");
    let start = Instant::now();
    let figures = measure();
    let seconds = start.elapsed().as_secs_f64();
    let number_of = |x: f64| if x.is_finite() { format!("{x:?}") } else { "null".to_owned() };
    let figures: Vec<String> =
        figures.into_iter().map(|(name, value)| format!("\"{name}\": {}", number_of(value))).collect();
    format!("{{\"case\": {number}, \"seconds\": {seconds:.3}, \"figures\": {{{}}}}}", figures.join(", "))
}
