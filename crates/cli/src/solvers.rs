//! `huygens solvers`.

use crate::adapter;
use std::fmt::Write;

/// Longest line of the list.
const WIDTH: usize = 100;

/// Every contact model with its law, parameters and defaults.
pub fn list() -> String {
    let mut page = String::new();
    for (i, solver) in adapter::solvers().iter().enumerate() {
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
