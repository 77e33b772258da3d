//! Lists of contact models on the command line, and the model that judges the others.

use crate::Failure;
use huygens::contact::SolverKind;
use huygens::scene::suggest;

/// The model that solves the exact law, and judges the others.
pub const REFERENCE: SolverKind = SolverKind::NcpNewton;

/// The words of a list with commas between them, of which there must be one. `option` is what the command line calls the list.
pub fn words<'a>(option: &str, list: &'a str) -> Result<Vec<&'a str>, Failure> {
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if words.is_empty() {
        return Err(Failure::Input(format!(
            "error: {option} names no contact model\n  = help: Name some with commas between them, or `all`."
        )));
    }
    Ok(words)
}

/// The model of that name, which `option` asks for.
pub fn find(option: &str, name: &str) -> Result<SolverKind, Failure> {
    name.parse().map_err(|_| {
        let known = SolverKind::ALL.iter().map(|kind| kind.name());
        Failure::Input(format!(
            "error: {option}: there is no contact model `{name}`\n  = help: {}",
            suggest(name, known)
        ))
    })
}

/// The names of a list of models, or of all of them.
pub fn list(option: &str, list: &str) -> Result<Vec<String>, Failure> {
    if list == "all" {
        return Ok(SolverKind::ALL.iter().map(|kind| kind.name().to_owned()).collect());
    }
    words(option, list)?.into_iter().map(|name| Ok(find(option, name)?.name().to_owned())).collect()
}
