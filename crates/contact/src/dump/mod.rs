//! Contact problems in files: what one step asked, with or without an answer, bit for bit. The form is described in
//! `docs/contact-problem.md`.

mod check;
mod old;
mod read;
mod stored;
#[cfg(test)]
mod tests;
mod write;

pub use read::ReadError;
pub use stored::{StoredCase, StoredProblem, StoredSolution};
