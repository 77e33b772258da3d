//! The cases, a family per file, in the order of their numbers.

mod articulated;
mod driven;
mod friction;
mod gas;
mod granular;
mod impact;
mod invariance;
mod list;
mod machines;
mod mass;
mod mechanisms;
mod medium;
mod order;
mod rattleback;
mod rest;
mod rolling;
mod ropes;
mod spin;
mod surface;

pub use list::all;
