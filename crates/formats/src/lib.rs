//! Scene files, meshes and trajectories of the Huygens contact engine.

pub mod base64;
pub mod builtin;
pub mod json;
pub mod mesh;
pub mod mjcf;
pub mod toml;
pub mod trajectory;
pub mod urdf;
