//! The files: which form, and what is wrong with them.

use crate::Failure;
use huygens::contact::{DelassusProblem, StoredCase};
use std::path::Path;

/// First word of our own form.
const OURS: &str = "huygens-contact-problem";

/// Most rows of which the rank is found: a dense matrix of 288 MB.
const MOST_ROWS: usize = 6000;

/// A problem as its file has it.
pub enum Form {
    /// With bodies, gaps and perhaps joints.
    Bodies(Box<StoredCase>),
    /// W, q and μ alone.
    Delassus(DelassusProblem),
}

/// A file that was read.
pub struct Problem {
    pub file: String,
    pub form: Form,
    pub contacts: usize,
    /// Rank of the contacts' W; none where that is too large to be dense.
    pub rank: Option<usize>,
}

impl Problem {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = path.display().to_string();
        let wrong = |what: String| Failure::Input(format!("error: {file}: {what}"));
        let remedy = "Name a file with a contact problem (docs/contact-problem.md).";
        let bytes = std::fs::read(path).map_err(|error| wrong(format!("{error}\n  = help: {remedy}")))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            wrong(format!("line {line}: not text; a contact problem is numbers and words in UTF-8"))
        })?;
        let form = if text.starts_with(OURS) {
            text.parse().map(|case| Form::Bodies(Box::new(case)))
        } else {
            text.parse().map(Form::Delassus)
        };
        let form = form.map_err(|error| wrong(error.to_string()))?;
        let (contacts, rank) = match &form {
            Form::Bodies(case) => {
                let contacts = case.problem.groups.points.len();
                let small = 3 * contacts <= MOST_ROWS;
                (contacts, small.then(|| DelassusProblem::of_contacts(&case.problem.view()).rank()))
            }
            Form::Delassus(problem) => {
                (problem.contacts(), (problem.largest() <= MOST_ROWS).then(|| problem.rank()))
            }
        };
        Ok(Self { file, form, contacts, rank })
    }

    /// Numbers of a contact's impulse: 3, or 5 with friction against rolling in a problem without bodies.
    pub fn dimension(&self) -> usize {
        match &self.form {
            Form::Bodies(_) => 3,
            Form::Delassus(problem) => problem.dimension(),
        }
    }
}
