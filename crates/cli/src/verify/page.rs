//! What a person reads: the list of cases, and the matrix.

use super::case::{Case, Figure, Rule};
use super::command::scores;
use super::matrix::{Cell, Row};
use crate::table::{duration, power, short};
use std::fmt::Write;

/// A line for each case.
pub fn list(cases: &[&Case]) -> String {
    let mut page = String::new();
    let width = cases.iter().map(|case| case.name.len()).fold(4, usize::max);
    for case in cases {
        let tags = [("contact", case.contact), ("dt", case.converges), ("long", case.long)];
        let tags: Vec<&str> = tags.into_iter().filter(|tag| tag.1).map(|tag| tag.0).collect();
        let tags = if tags.is_empty() { String::new() } else { format!(" [{}]", tags.join(", ")) };
        let _ = writeln!(page, "{:>3}  {:width$}  {}{tags}", case.number, case.name, case.title);
    }
    page
}

/// The matrix, the scores, and every failure with its figures.
pub fn matrix(rows: &[Row]) -> String {
    let mut page = String::new();
    let scores = scores(rows);
    let widths: Vec<usize> = scores.iter().map(|score| score.0.chars().count().max(14)).collect();
    let title = rows.iter().map(|row| row.case.title.chars().count()).fold(0, usize::max).min(44);
    let mut head = format!("{:>3}  {:title$}", "", "");
    for ((solver, ..), width) in scores.iter().zip(&widths) {
        let _ = write!(head, "  {solver:>width$}");
    }
    let _ = writeln!(page, "{}", head.trim_end());
    for row in rows {
        let name: String = row.case.title.chars().take(title).collect();
        let mut line = format!("{:>3}  {name:title$}", row.case.number);
        for ((solver, ..), width) in scores.iter().zip(&widths) {
            let cell = row.cells.iter().find(|cell| cell.solver == *solver);
            let _ = write!(line, "  {:>width$}", cell.map_or_else(|| "–".to_owned(), short_cell));
        }
        let _ = writeln!(page, "{}", line.trim_end());
    }
    page.push('\n');
    for (solver, passed, run) in &scores {
        let time: f64 =
            rows.iter().flat_map(|row| &row.cells).filter(|c| c.solver == *solver).map(|c| c.seconds).sum();
        let _ = writeln!(page, "{solver}: {passed} of {run} cases pass ({})", duration(time));
    }
    failures(&mut page, rows);
    page
}

/// The figure of a cell, with a mark.
pub fn short_cell(cell: &Cell) -> String {
    let mark = if cell.pass() { '✓' } else { '✗' };
    match cell.headline() {
        Some(figure) => format!("{} {mark}", figure_value(figure)),
        None => format!("none {mark}"),
    }
}

/// A figure's value with its unit.
pub fn figure_value(figure: &Figure) -> String {
    let value = short(figure.measured);
    if figure.unit.is_empty() { value } else { format!("{value} {}", figure.unit) }
}

/// What a figure must be, in words.
pub fn figure_rule(figure: &Figure) -> String {
    match figure.rule {
        Rule::Within { expected, tolerance } => format!("{} ± {}", short(expected), power(tolerance)),
        Rule::AtMost(limit) => format!("at most {}", short(limit)),
        Rule::AtLeast(limit) => format!("at least {}", short(limit)),
    }
}

fn failures(page: &mut String, rows: &[Row]) {
    let failed = rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row.case, cell)));
    let failed: Vec<(&Case, &Cell)> = failed.filter(|(_, cell)| !cell.pass()).collect();
    if failed.is_empty() {
        return;
    }
    let _ = writeln!(page, "\nnot met:");
    for (case, cell) in failed {
        let _ = writeln!(page, "  {} {} · {}", case.number, case.name, cell.solver);
        for figure in cell.figures.iter().filter(|figure| !figure.pass()) {
            let _ =
                writeln!(page, "      {}: {}; {}", figure.name, figure_value(figure), figure_rule(figure));
        }
        if let Some(reason) = &cell.reason {
            let _ = writeln!(page, "      {reason}");
        }
    }
}
