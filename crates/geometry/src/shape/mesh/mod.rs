//! Surfaces of triangles: meshes and height fields.

mod adjacency;
mod bvh;
mod check;
mod fault;
mod height;
mod ray;
mod surface;

pub(crate) use adjacency::Fold;
pub use fault::MeshFault;
pub use surface::TriangleMesh;

#[cfg(test)]
mod tests;
