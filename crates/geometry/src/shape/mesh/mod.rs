//! Surfaces of triangles: meshes and height fields.

mod adjacency;
mod bvh;
mod check;
mod detail;
mod fault;
mod height;
mod ray;
mod surface;

pub(crate) use adjacency::Fold;
pub(crate) use bvh::Probe;
pub(crate) use detail::Detail;
pub use fault::MeshFault;
pub use surface::TriangleMesh;

#[cfg(test)]
mod tests;
