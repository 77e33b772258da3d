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
        Ok(answer) => members(&mut object, answer),
        Err(reason) => {
            object.text("reason", reason);
        }
    }
    object.finish()
}

fn members(object: &mut Object, answer: &Answer) {
    object.integer("iterations", u64::from(answer.iterations)).number("seconds", answer.seconds);
    object.raw("certificate", &certificate(&answer.certificate));
    object.list("impulses", answer.impulses.iter().map(|p| format!("[{}]", p.map(number).join(","))));
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
