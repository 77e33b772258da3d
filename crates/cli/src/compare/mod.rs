//! `huygens compare`: one scene through many contact models.
//!
//! Every model runs the same scene, step for step, and is measured in the same way; the reference model says what the law
//! asks for. `column` lists what is told of a run, once, for the table, the JSON and the page.

mod args;
mod column;
mod command;
mod contender;
mod distance;
mod figures;
mod findings;
mod flow;
mod json;
mod page;
mod record;
mod refine;
mod report;
mod series;
mod single;

pub use args::CompareArgs;
pub use command::{asked, compare};
pub use single::Replay;
