//! Convex polyhedra, and how they are found from points.

mod assemble;
mod merge;
mod polyhedron;
mod quickhull;
mod support;
#[cfg(test)]
mod tests;

pub use polyhedron::{Hull, HullFace};
