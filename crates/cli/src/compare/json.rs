//! The JSON of `compare`.

use super::column::{Mark, columns};
use super::contender::word;
use super::figures::{Comparison, Difference, Entry, Run};
use super::findings::findings;
use super::refine::{Refined, Refinement};
use super::series::Series;
use huygens_formats::json::{Object, number, text};

/// One object, without a line break.
pub fn comparison(comparison: &Comparison) -> String {
    object(comparison).finish()
}

/// The same, open for more members.
pub fn object(comparison: &Comparison) -> Object {
    let world = &comparison.scene.world;
    let steps = world.step_count();
    let mut object = Object::default();
    object
        .text("scene", &comparison.name)
        .number("dt", world.dt)
        .integer("steps", steps)
        .number("time", steps as f64 * world.dt)
        .text("version", env!("CARGO_PKG_VERSION"))
        .text("reference", reference(comparison))
        .list("models", comparison.entries.iter().map(model))
        .list("table", table(comparison))
        .raw("refinement", &comparison.refinement.as_ref().map_or_else(|| "null".to_owned(), refinement))
        .list("findings", findings(comparison).iter().map(|sentence| text(sentence)));
    object
}

fn model(entry: &Entry) -> String {
    let contender = &entry.contender;
    let mut object = Object::default();
    object
        .text("name", &contender.name)
        .text("solver", contender.kind.name())
        .text("stabilisation", word(&contender.stabilisation))
        .flag("reference", contender.reference)
        .text("law", contender.kind.law())
        .flag("runs", entry.run.is_ok());
    match &entry.run {
        Err(why) => object.text("reason", why),
        Ok(run) => ran(&mut object, run),
    };
    object.finish()
}

fn ran<'a>(object: &'a mut Object, run: &Run) -> &'a mut Object {
    let (record, figures) = (&run.record, &run.figures);
    let outcome = &record.outcome;
    if let Some(why) = &record.stopped {
        object.text("reason", why);
    }
    let mut energy = Object::default();
    energy
        .number("start", outcome.energy_start)
        .number("end", outcome.energy_end)
        .number("created", record.flow.created())
        .number("throughput", record.flow.throughput())
        .raw("created_share", &optional(record.flow.share()));
    let mut penetration = Object::default();
    penetration
        .number("max", outcome.max_penetration)
        .number("mean", record.mean_penetration)
        .number("end", outcome.max_penetration_end);
    let mut iterations = Object::default();
    iterations.number("mean", record.iterations[0]).number("max", record.iterations[1]);
    let drift = figures.drift.map(|drift| {
        let mut object = Object::default();
        object
            .integer("bodies", drift.bodies as u64)
            .number("rms", drift.rms)
            .number("max", drift.max)
            .number("seconds", drift.seconds);
        object.finish()
    });
    object
        .integer("steps", outcome.steps)
        .raw("position", &difference(figures.position.as_ref()))
        .raw("velocity", &difference(figures.velocity.as_ref()))
        .raw("energy", &energy.finish())
        .raw("ledger", &crate::json::named(&outcome.ledger))
        .list("drivers", crate::json::drivers(outcome))
        .raw("driver_excess", &optional(figures.driver_excess))
        .raw("penetration", &penetration.finish())
        .raw("certificate", &crate::json::named(&outcome.certificate))
        .number("natural_map_mean", record.mean_residual)
        .raw("drift", drift.as_deref().unwrap_or("null"))
        .raw("iterations", &iterations.finish())
        .number("seconds_per_step", record.seconds_per_step)
        .text("hash", &format!("{:016x}", outcome.hash))
        .raw("series", &series(&Series::of(run)))
}

fn difference(difference: Option<&Difference>) -> String {
    let Some(difference) = difference else { return "null".to_owned() };
    let mut object = Object::default();
    object.number("rms", difference.rms).number("max", difference.max).number("end", difference.end);
    object.finish()
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "null".to_owned(), number)
}

fn series(series: &Series) -> String {
    let list =
        |values: &[f64]| format!("[{}]", values.iter().map(|x| number(*x)).collect::<Vec<_>>().join(","));
    let mut accounts = Object::default();
    for (name, values) in &series.accounts {
        accounts.raw(name, &list(values));
    }
    let mut object = Object::default();
    object
        .raw("time", &list(&series.time))
        .raw("position", &list(&series.position))
        .raw("velocity", &list(&series.velocity))
        .raw("energy", &list(&series.energy))
        .raw("ledger", &accounts.finish())
        .raw("penetration", &list(&series.penetration))
        .raw("natural_map", &list(&series.residual))
        .raw("seconds_per_step", &list(&series.seconds));
    object.finish()
}

/// The table as it is shown: columns with a text and a mark for each model, in the order of the models.
fn table(comparison: &Comparison) -> Vec<String> {
    let columns = columns(comparison);
    let column = columns.iter().map(|column| {
        let cells = column.values.iter().enumerate().map(|(i, value)| {
            let mark = match column.marks[i] {
                Mark::Best => "best",
                Mark::Worst => "worst",
                Mark::None => "",
            };
            let mut cell = Object::default();
            cell.raw("value", &optional(*value)).text("text", &column.text(i)).text("mark", mark);
            cell.finish()
        });
        let mut object = Object::default();
        object.text("section", column.section).text("title", &column.title).list("cells", cells);
        object.finish()
    });
    column.collect()
}

fn refinement(refinement: &Refinement) -> String {
    let mut object = Object::default();
    object
        .list("dt", refinement.dt.iter().map(|dt| number(*dt)))
        .list("models", refinement.models.iter().map(refined));
    object.finish()
}

fn refined(model: &Refined) -> String {
    let trends = model.trends.iter().map(|trend| {
        let settles = match trend.settles {
            Some(true) => "true",
            Some(false) => "false",
            None => "null",
        };
        let mut object = Object::default();
        object
            .text("quantity", trend.quantity.key())
            .text("title", trend.quantity.title())
            .list("values", trend.values.iter().map(|value| optional(*value)))
            .raw("settles", settles);
        object.finish()
    });
    let mut object = Object::default();
    object.text("name", &model.name).list("trends", trends);
    object.finish()
}

/// The name of the contender that judges the others.
fn reference(comparison: &Comparison) -> &str {
    let found = comparison.entries.iter().find(|entry| entry.contender.reference);
    found.map_or("none", |entry| &entry.contender.name)
}
