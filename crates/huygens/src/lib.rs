//! A rigid-body contact engine in which every joule is accounted for.

pub mod scene;
