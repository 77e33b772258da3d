//! Scene files, meshes and trajectories of the Huygens contact engine.

pub mod mesh;
