//! The command: which cases, which models, and where the results go.

use super::case::Case;
use super::matrix::{self, Row};
use super::peer::Peer;
use super::{cases, json, markdown, page};
use crate::args::VerifyArgs;
use crate::{Failure, models, print};
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
    let mut rows = matrix::run(&cases, &solvers);
    for peer in &peers {
        peer.join(&mut rows);
    }
    if let Some(path) = &args.markdown {
        let written = std::fs::write(path, markdown::page(&rows));
        written
            .map_err(|error| Failure::Trouble(format!("error: --markdown {}: {error}", path.display())))?;
    }
    print(&if args.json { json::list(&rows) + "\n" } else { page::matrix(&rows) })
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
