//! The result of the bench as a table for a person and as JSON for a program.

use super::measure::Measured;
use crate::json::named;
use huygens_formats::json::{Object, number};
use std::fmt::Write;

/// A page of text.
pub fn page(run: &Measured) -> String {
    let mut text = format!(
        "{} · {} dofs · {} steps\n{:.2} µs a step; at the end of each ten: {:.1} contacts, {:.1} rows, {:.1} iterations, gradient over tr M {:.1e}\n",
        run.name,
        run.dofs,
        run.steps,
        run.mean_us,
        run.mean(|s| s.contacts as f64),
        run.mean(|s| s.rows as f64),
        run.mean(|s| f64::from(s.iterations)),
        run.mean(|s| s.residual),
    );
    for (name, us) in &run.stages {
        let _ = writeln!(text, "  {name:<12}{us:>8.2} µs");
    }
    text
}

/// One JSON object, without a line break.
pub fn json(run: &Measured) -> String {
    let mut object = Object::default();
    object
        .text("engine", "huygens")
        .text("version", env!("CARGO_PKG_VERSION"))
        .text("model", &run.name)
        .integer("dofs", run.dofs as u64)
        .integer("steps", run.steps)
        .number("mean_us", run.mean_us)
        .raw("stages_us", &named(&run.stages));
    let segments = run.segments.iter().map(|s| {
        let mut one = Object::default();
        one.number("ns", s.ns)
            .integer("contacts", s.contacts as u64)
            .integer("rows", s.rows as u64)
            .integer("iterations", u64::from(s.iterations))
            .number("residual", s.residual)
            .list("qpos", s.qpos.iter().map(|q| number(*q)));
        one.finish()
    });
    object.list("segments", segments);
    object.finish()
}
