//! Scene files, meshes, trajectories and pictures of the Huygens contact engine.

pub mod builtin;
pub mod json;
pub mod mesh;
pub mod picture;
pub mod toml;
pub mod trajectory;
