//! The table of `solve`.

use super::outcome::Outcome;
use crate::table::{duration, power};
use huygens::contact::Stop;

const TITLES: [&str; 12] = [
    "file",
    "contacts",
    "rank",
    "solver",
    "iterations",
    "ended",
    "time",
    "natural map",
    "gap",
    "cone",
    "complementarity",
    "dissipation",
];

/// Columns of words, which begin at the left.
const WORDS: [usize; 3] = [0, 3, 5];

/// One line for each file and model; a model that cannot solve a file says why.
pub fn table(outcomes: &[Outcome]) -> String {
    let lines: Vec<Vec<String>> = outcomes.iter().map(cells).collect();
    let widths: Vec<usize> = (0..TITLES.len())
        .map(|k| {
            let cells =
                lines.iter().filter(|line| line.len() == TITLES.len()).map(|line| line[k].chars().count());
            cells.fold(TITLES[k].chars().count(), usize::max)
        })
        .collect();
    let mut page = line(&TITLES.map(str::to_owned), &widths);
    for cells in &lines {
        page.push_str(&line(cells, &widths));
    }
    page
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (k, cell) in cells.iter().enumerate() {
        let width = widths[k];
        let last = cells.len() < widths.len() && k + 1 == cells.len();
        let cell =
            if last || WORDS.contains(&k) { format!("{cell:width$}") } else { format!("{cell:>width$}") };
        text.push_str(if k > 0 { "  " } else { "" });
        text.push_str(&cell);
    }
    text.trim_end().to_owned() + "\n"
}

/// The cells of a line; the reason comes last where there is no answer.
fn cells(outcome: &Outcome) -> Vec<String> {
    let problem = outcome.problem;
    let rank = problem.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
    let mut cells = vec![problem.file.clone(), problem.contacts.to_string(), rank, outcome.solver.clone()];
    match &outcome.answer {
        Err(reason) => cells.push(reason.clone()),
        Ok(answer) => {
            let judged = &answer.certificate;
            cells.push(answer.iterations.to_string());
            cells.push(ended(answer.stopped).to_owned());
            cells.push(duration(answer.seconds));
            let figures =
                [judged.natural_map, judged.gap, judged.cone, judged.complementarity, judged.dissipation];
            cells.extend(figures.map(power));
        }
    }
    cells
}

fn ended(stopped: Stop) -> &'static str {
    match stopped {
        Stop::Converged => "converged",
        Stop::IterationLimit => "ran out",
        Stop::Done => "done",
        Stop::Stalled => "stalled",
    }
}
