//! `huygens hunt`.

mod args;
mod command;
mod json;
mod markdown;
mod page;
mod write;

pub use args::HuntArgs;
pub use command::hunt;
