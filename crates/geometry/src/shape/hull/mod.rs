//! Convex polyhedra, and how they are found from points.

mod adjacency;
mod assemble;
mod cloud;
mod exact;
mod find;
mod merge;
mod polyhedron;
mod quickhull;
mod strengthen;
mod support;
#[cfg(test)]
mod tests;

pub use polyhedron::{Hull, HullFace};
