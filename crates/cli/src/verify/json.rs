//! The JSON of `verify`: a list of cases, each with its results per model.

use super::case::{Figure, Rule};
use super::matrix::{Cell, Row};
use huygens_formats::json::Object;

/// The whole list.
pub fn list(rows: &[Row]) -> String {
    format!("[{}]", rows.iter().map(case).collect::<Vec<_>>().join(","))
}

fn case(row: &Row) -> String {
    let case = row.case;
    let mut object = Object::default();
    object
        .integer("case", u64::from(case.number))
        .text("name", case.name)
        .text("title", case.title)
        .text("setup", case.setup)
        .text("expected", case.expected)
        .text("source", case.source)
        .text("tolerance", case.tolerance)
        .flag("contact", case.contact)
        .flag("convergence", case.converges)
        .flag("long", case.long)
        .list("results", row.cells.iter().map(result));
    object.finish()
}

fn result(cell: &Cell) -> String {
    let mut object = Object::default();
    object.text("solver", &cell.solver);
    match cell.headline() {
        Some(figure) => {
            object.number("measured", figure.measured).text("figure", &figure.name).text("unit", figure.unit);
        }
        None => {
            object.raw("measured", "null");
        }
    }
    object.flag("pass", cell.pass());
    if let Some(reason) = &cell.reason {
        object.text("reason", reason);
    }
    object.number("seconds", cell.seconds).list("figures", cell.figures.iter().map(figure));
    object.finish()
}

fn figure(figure: &Figure) -> String {
    let mut object = Object::default();
    object.text("name", &figure.name).number("measured", figure.measured).text("unit", figure.unit);
    match figure.rule {
        Rule::Within { expected, tolerance } => {
            object.number("expected", expected).number("tolerance", tolerance)
        }
        Rule::AtMost(limit) => object.number("at_most", limit),
        Rule::AtLeast(limit) => object.number("at_least", limit),
    };
    object.flag("pass", figure.pass());
    object.finish()
}
