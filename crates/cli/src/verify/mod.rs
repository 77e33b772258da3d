//! `huygens verify`: cases with a known answer, run with any contact model.
//!
//! One file per family of cases, one entry per case. An entry says what is set up, what must come out and where that is
//! from; its function measures, and never judges: the judgement is [`Figure::pass`], the same for every case.

mod case;
mod cases;
mod command;
mod json;
mod lab;
mod markdown;
mod matrix;
mod page;
mod peer;
mod reasons;

pub use command::verify;
