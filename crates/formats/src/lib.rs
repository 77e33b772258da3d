//! Scene files, meshes and trajectories of the Huygens contact engine.
