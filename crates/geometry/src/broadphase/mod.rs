//! Broad phase: which boxes overlap, out of very many.
//!
//! [`BroadPhase`] keeps one box per slot and gives the exact list of overlapping pairs, sorted by slot. The list is
//! a pure function of what the slots hold now; what the structure remembers of earlier steps only saves time.

mod bounds;
mod fat;
mod join;
mod meter;
mod node;
mod pack;
mod pairs;
mod phase;
mod proxies;
mod query;
mod tree;

pub use bounds::ProxyBox;
pub use pairs::Pair;
pub use phase::BroadPhase;
pub use proxies::{Filter, Mobility};
