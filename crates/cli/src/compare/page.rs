//! What a person reads in the terminal.

use super::column::{Column, Mark, SECTIONS, columns};
use super::figures::Comparison;
use super::findings::findings;
use super::refine::{Quantity, Refinement};
use crate::table::{brief, duration};
use std::fmt::Write;

/// Widest line of the table.
const WIDTH: usize = 132;

/// The whole page.
pub fn page(comparison: &Comparison) -> String {
    let mut page = String::new();
    head(&mut page, comparison);
    let columns = columns(comparison);
    for section in SECTIONS {
        let own: Vec<&Column> = columns.iter().filter(|column| column.section == section).collect();
        table(&mut page, comparison, section, &own);
    }
    if let Some(refinement) = &comparison.refinement {
        steps(&mut page, refinement);
    }
    let _ = writeln!(page, "What this shows");
    for sentence in findings(comparison) {
        let _ = writeln!(page, "  · {sentence}");
    }
    page
}

fn head(page: &mut String, comparison: &Comparison) {
    let world = &comparison.scene.world;
    let steps = world.step_count();
    let _ = writeln!(
        page,
        "{} · {} steps of {} = {} · {} ways to run it\n\
         reference: {} (★ smallest, ▽ largest of a column)\n",
        comparison.name,
        steps,
        duration(world.dt),
        duration(steps as f64 * world.dt),
        comparison.entries.len(),
        comparison.entries.first().map_or("none", |entry| entry.contender.name.as_str()),
    );
}

/// One section: a line for each model, as many columns side by side as fit.
fn table(page: &mut String, comparison: &Comparison, section: &str, columns: &[&Column]) {
    let names: Vec<&str> = comparison.entries.iter().map(|entry| entry.contender.name.as_str()).collect();
    let first = names.iter().map(|name| name.chars().count()).fold(section.len(), usize::max);
    let mut rest = columns;
    while !rest.is_empty() {
        let mut width = first;
        let fits = rest.iter().take_while(|column| {
            width += 2 + column_width(column);
            width <= WIDTH
        });
        let (now, later) = rest.split_at(fits.count().max(1));
        block(page, comparison, (section, first), now);
        rest = later;
    }
}

fn column_width(column: &Column) -> usize {
    let cells = (0..column.values.len()).map(|i| column.text(i).chars().count() + 2);
    cells.fold(column.title.chars().count(), usize::max)
}

fn block(page: &mut String, comparison: &Comparison, (section, first): (&str, usize), columns: &[&Column]) {
    let mut line = format!("{section:first$}");
    for column in columns {
        let _ = write!(line, "  {:>width$}", column.title, width = column_width(column));
    }
    let _ = writeln!(page, "{line}");
    for (i, entry) in comparison.entries.iter().enumerate() {
        let name = &entry.contender.name;
        let mut line = format!("{name:first$}");
        match &entry.run {
            Err(_) => line.push_str("  cannot run this scene: see below"),
            Ok(_) => {
                for column in columns {
                    let mark = match column.marks[i] {
                        Mark::Best => " ★",
                        Mark::Worst => " ▽",
                        Mark::None => "  ",
                    };
                    let cell = format!("{}{mark}", column.text(i));
                    let _ = write!(line, "  {cell:>width$}", width = column_width(column));
                }
            }
        }
        let _ = writeln!(page, "{}", line.trim_end());
    }
    page.push('\n');
}

/// What comes out with shorter steps.
fn steps(page: &mut String, refinement: &Refinement) {
    let first = refinement.models.iter().map(|model| model.name.chars().count()).fold(52, usize::max);
    for quantity in [Quantity::Driver, Quantity::Energy, Quantity::Velocity] {
        let rows: Vec<_> = refinement
            .models
            .iter()
            .filter_map(|model| {
                let trend = model.trends.iter().find(|trend| trend.quantity == quantity)?;
                Some((model, trend))
            })
            .collect();
        if rows.is_empty() {
            continue;
        }
        let mut line = format!("{:first$}", quantity.title());
        for dt in &refinement.dt {
            let _ = write!(line, "  {:>9}", duration(*dt));
        }
        let _ = writeln!(page, "{line}");
        for (model, trend) in rows {
            let mut line = format!("{:first$}", model.name);
            for value in &trend.values {
                let _ = write!(line, "  {:>9}", value.map_or_else(|| "–".to_owned(), brief));
            }
            let verdict = match trend.settles {
                Some(true) => "  settles",
                Some(false) => "  does not settle",
                None => "",
            };
            let _ = writeln!(page, "{line}{verdict}");
        }
        page.push('\n');
    }
}
