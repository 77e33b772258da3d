//! `huygens inspect`: what a model holds, and all smooth quantities at a state.

mod args;
mod command;
pub mod state;

pub use args::InspectArgs;
pub use command::inspect;
