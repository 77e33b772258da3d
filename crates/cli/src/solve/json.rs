//! The JSON of `solve`, as INTERFACE.md has it.

use super::outcome::{Answer, Outcome};
use crate::json::named;
use huygens::contact::Certificate;
use huygens_formats::json::{Object, number};

/// One object when there is one file and one model, else a list of them.
pub fn text(outcomes: &[Outcome], jobs: usize) -> String {
    let objects: Vec<String> = outcomes.iter().map(object).collect();
    if let ([object], 1) = (objects.as_slice(), jobs) {
        format!("{object}\n")
    } else {
        format!("[{}]\n", objects.join(","))
    }
}

fn object(outcome: &Outcome) -> String {
    let problem = outcome.problem;
    let mut object = Object::default();
    object.text("file", &problem.file).integer("contacts", problem.contacts as u64);
    match problem.rank {
        Some(rank) => object.integer("rank", rank as u64),
        None => object.raw("rank", "null"),
    };
    object.text("solver", &outcome.solver);
    match &outcome.answer {
        Ok(answer) => members(&mut object, answer, problem.dimension()),
        Err(reason) => {
            object.text("reason", reason);
        }
    }
    object.finish()
}

fn members(object: &mut Object, answer: &Answer, dimension: usize) {
    object.integer("iterations", u64::from(answer.iterations)).number("seconds", answer.seconds);
    object.raw("certificate", &certificate(&answer.certificate));
    let list = |numbers: &[f64]| {
        let words: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
        format!("[{}]", words.join(","))
    };
    if dimension == 5 {
        let rows = answer.impulses.iter().zip(&answer.couples);
        object.list("impulses", rows.map(|(p, tau)| list(&[p[0], p[1], p[2], tau[1], tau[2]])));
        return;
    }
    object.list("impulses", answer.impulses.iter().map(|p| list(p)));
    if !answer.couples.is_empty() {
        object.list("couples", answer.couples.iter().map(|tau| list(tau)));
    }
}

fn certificate(judged: &Certificate) -> String {
    named(&[
        ("gap", judged.gap),
        ("cone", judged.cone),
        ("complementarity", judged.complementarity),
        ("dissipation", judged.dissipation),
        ("momentum", judged.momentum),
        ("natural_map", judged.natural_map),
    ])
}
