//! Triangles as they come from a file.

use super::MeshProblem;
use huygens_geometry::{Aabb, CollisionShape, ShapeError, shape::Hull};
use huygens_math::Vec3;
use std::{collections::BTreeMap, sync::Arc};

/// Vertices and triangles, without any promise that they close.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSoup {
    /// Vertices, each once, in the order in which they appear [file's unit].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside if the file says so.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleSoup {
    /// Tolerance of hulls made from files, as a fraction of the extent: 2⁻¹⁸, sixty times the rounding of the
    /// single-precision numbers that mesh files hold. A flat face of a turned body is one polygon with it.
    pub const TOLERANCE: f64 = 1.0 / 262_144.0;

    /// The same mesh with every vertex multiplied by `factor`, from the file's unit to metres.
    pub fn scaled(mut self, factor: f64) -> Self {
        for vertex in &mut self.vertices {
            *vertex *= factor;
        }
        self
    }

    /// The convex hull of the vertices, at [`TriangleSoup::TOLERANCE`].
    ///
    /// # Errors
    /// As [`Hull::new`].
    pub fn hull(&self) -> Result<CollisionShape, ShapeError> {
        // Single precision rounds by the distance from the origin, not by the extent of the mesh.
        let bounds = Aabb::of_points(&self.vertices);
        let extent = (bounds.max - bounds.min).max_element();
        let reach = bounds.max.abs().max_element() + bounds.min.abs().max_element();
        let ratio = if reach > extent && extent > 0.0 { reach / extent } else { 1.0 };
        Ok(CollisionShape::Hull(Arc::new(Hull::with_tolerance(&self.vertices, Self::TOLERANCE * ratio)?)))
    }
}

/// Gathers vertices that appear once per triangle.
#[derive(Default)]
pub(super) struct Welder {
    pub soup: TriangleSoup,
    known: BTreeMap<[u64; 3], u32>,
}

impl Welder {
    /// The number of a vertex, known or new.
    pub fn vertex(&mut self, v: Vec3) -> Result<u32, MeshProblem> {
        // Adding 0 makes −0 and +0 the same vertex.
        let v = v + Vec3::ZERO;
        let next = u32::try_from(self.soup.vertices.len()).map_err(|_| MeshProblem::TooLarge)?;
        let number = *self.known.entry(v.to_array().map(f64::to_bits)).or_insert(next);
        if number == next {
            self.soup.vertices.push(v);
        }
        Ok(number)
    }
}
