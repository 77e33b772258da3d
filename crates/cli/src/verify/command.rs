//! The command: which cases, which models, and where the results go.

use super::case::Case;
use super::matrix::{self, Cell, Row};
use super::peer::Peer;
use super::{cases, json, markdown, page};
use crate::args::VerifyArgs;
use crate::interrupt::Interrupt;
use crate::{Failure, models, output, print};
use huygens::scene::{WorldSpec, suggest};

/// `huygens verify`.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let cases = chosen(&args.cases, args.long)?;
    if args.list {
        return print(&page::list(&cases));
    }
    let solvers = solvers(args.solvers.as_deref())?;
    let mut peers = args.peer.iter().map(|path| Peer::read(path)).collect::<Result<Vec<_>, _>>()?;
    if peers.is_empty() {
        peers.extend(Peer::built_in());
    }
    if let Some(path) = &args.markdown {
        output::try_file("--markdown", path)?;
    }
    let interrupt = Interrupt::listen();
    let mut rows = matrix::run(&cases, &solvers, &interrupt);
    let done: usize = rows.iter().map(|row| row.cells.len()).sum();
    let passed = rows.iter().flat_map(|row| &row.cells).all(Cell::pass);
    for peer in &peers {
        peer.join(&mut rows);
    }
    let page = args
        .markdown
        .as_ref()
        .map_or(Ok(()), |path| output::write("--markdown", path, markdown::page(&rows)));
    // The matrix is told also when the page could not be written.
    print(&if args.json { json::list(&rows) + "\n" } else { page::matrix(&rows) })?;
    page?;
    let all = cases.len() * solvers.len();
    if done < all {
        return Err(Failure::Stopped(format!("stopped: {done} of {all} cases were run")));
    }
    if passed { Ok(()) } else { Err(Failure::Found) }
}

/// The cases that were named, or all of them; long ones only when they are wanted or named.
fn chosen(words: &[String], long: bool) -> Result<Vec<&'static Case>, Failure> {
    let all = cases::all();
    if words.is_empty() {
        return Ok(all.into_iter().filter(|case| long || !case.long).collect());
    }
    for word in words {
        if !all.iter().any(|case| names(case, word)) {
            let known = all.iter().map(|case| case.name);
            return Err(Failure::Input(format!(
                "error: there is no case `{word}`\n  = help: {} `--list` shows all, by number and name.",
                suggest(word, known)
            )));
        }
    }
    Ok(all.into_iter().filter(|case| words.iter().any(|word| names(case, word))).collect())
}

fn names(case: &Case, word: &str) -> bool {
    case.name == word || case.number.to_string() == word
}

/// The models of `--solvers`; without it the scenes' default and the reference.
fn solvers(list: Option<&str>) -> Result<Vec<String>, Failure> {
    let reference = models::REFERENCE.name();
    let default = WorldSpec::default().solver;
    match list {
        None if default == reference => Ok(vec![default]),
        None => Ok(vec![default, reference.to_owned()]),
        Some(list) => models::list("--solvers", list),
    }
}

/// Cases passed and run of each column.
pub fn scores(rows: &[Row]) -> Vec<(String, usize, usize)> {
    let mut scores: Vec<(String, usize, usize)> = Vec::new();
    for cell in rows.iter().flat_map(|row| &row.cells) {
        let at = scores.iter().position(|score| score.0 == cell.solver).unwrap_or_else(|| {
            scores.push((cell.solver.clone(), 0, 0));
            scores.len() - 1
        });
        scores[at].1 += usize::from(cell.pass());
        scores[at].2 += 1;
    }
    scores
}
