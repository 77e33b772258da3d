//! Double-entry book of energy: every stage posts what it brought by formula, and what is left is round-off.

mod account;
mod book;

pub use account::Account;
pub use book::{Ledger, StepBook};
