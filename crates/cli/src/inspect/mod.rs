//! `huygens inspect`: what a model holds, and all quantities at a state.

mod args;
mod command;
mod given;

pub use args::InspectArgs;
pub use command::inspect;
