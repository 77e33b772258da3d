//! `huygens solvers`.

use crate::adapter::{self, SolverInfo};
use crate::args::SolversArgs;
use crate::{Failure, models, print};
use huygens_formats::json::Object;
use std::fmt::Write;

/// Longest line of the list.
const WIDTH: usize = 100;

/// Tells of the models that were named, or of all.
pub fn solvers(args: &SolversArgs) -> Result<(), Failure> {
    let mut chosen = adapter::solvers();
    if !args.names.is_empty() {
        let names = args.names.iter().map(|name| Ok(models::find("solvers", name)?.name()));
        let names = names.collect::<Result<Vec<_>, Failure>>()?;
        chosen.retain(|solver| names.contains(&solver.name));
    }
    print(&if args.json { json(&chosen) + "\n" } else { page(&chosen) })
}

fn json(solvers: &[SolverInfo]) -> String {
    let one = |solver: &SolverInfo| {
        let mut object = Object::default();
        let parameters = solver.parameters.iter().map(|[name, default, meaning]| {
            let mut object = Object::default();
            object.text("name", name).text("default", default).text("meaning", meaning);
            object.finish()
        });
        object.text("name", solver.name).text("law", solver.law).list("parameters", parameters);
        object.finish()
    };
    format!("[{}]", solvers.iter().map(one).collect::<Vec<_>>().join(","))
}

/// The models with their laws, parameters and defaults.
fn page(solvers: &[SolverInfo]) -> String {
    let mut page = String::new();
    for (i, solver) in solvers.iter().enumerate() {
        if i > 0 {
            page.push('\n');
        }
        let _ = writeln!(page, "{}", solver.name);
        wrap(&mut page, solver.law, "  ");
        for [name, default, meaning] in &solver.parameters {
            let _ = writeln!(page, "  {name} = {default}");
            wrap(&mut page, meaning, "      ");
        }
    }
    page
}

/// `text` in lines of at most [`WIDTH`] characters, each after `indent`.
fn wrap(page: &mut String, text: &str, indent: &str) {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let length = indent.len() + line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && length > WIDTH {
            let _ = writeln!(page, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(page, "{indent}{line}");
    }
}
