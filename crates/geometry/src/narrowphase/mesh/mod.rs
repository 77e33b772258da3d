//! A surface of triangles against every bounded convex shape.
//!
//! Each triangle near the shape is asked on its own (`triangle`), with the folds at its edges in mind, so that an edge
//! inside a flat or rising surface never pushes sideways; what they say is gathered into manifolds (`cluster`), one for
//! each group of normals within 5°.

mod along;
mod axes;
mod cluster;
mod ground;
mod near;
mod shown;
mod touch;
mod triangle;

pub(crate) use triangle::mesh;
