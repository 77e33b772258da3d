//! `huygens inspect`: what a model holds, and all smooth quantities at a state.

mod args;
mod command;

pub use args::InspectArgs;
pub use command::inspect;
