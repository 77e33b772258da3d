//! Lists of contact models on the command line, and the model that judges the others.

use crate::Failure;
use huygens::contact::SolverKind;
use huygens::scene::suggest;

/// The model that solves the exact law, and judges the others.
pub const REFERENCE: SolverKind = SolverKind::NcpNewton;

/// The words of a list with commas between them, of which there must be one.
pub fn words(list: &str) -> Result<Vec<&str>, Failure> {
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if words.is_empty() {
        return Err(Failure::Input(
            "error: --solvers names no contact model\n  = help: Name some with commas between them, or `all`."
                .to_owned(),
        ));
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
