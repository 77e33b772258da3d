//! A convex polyhedron as data: corners, faces, edges, and who borders on whom.

use super::{adjacency::Adjacency, assemble::assemble};
use crate::{Aabb, MassProperties, shape::ShapeError};
use huygens_math::Vec3;

/// One face of a hull.
#[derive(Clone, Copy, Debug)]
pub struct HullFace<'a> {
    /// Outward unit normal.
    pub normal: Vec3,
    /// The plane is `normal · x = offset` [m].
    pub offset: f64,
    /// Corner indices, counter-clockwise seen from outside.
    pub vertices: &'a [u32],
    /// Edge indices: edge `i` runs between corners `i` and `i + 1`.
    pub edges: &'a [u32],
}

/// A convex polyhedron with merged flat faces.
///
/// Its corners are some of the points it was made from, unchanged and in their order; faces are ordered by their
/// corners, each starting with its lowest, edges by their two corners: numbers that do not depend on how the hull
/// was found.
#[derive(Clone, Debug)]
pub struct Hull {
    pub(super) vertices: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) offsets: Vec<f64>,
    /// Start of each face's corners in `corner`; one more entry than faces.
    pub(super) first: Vec<u32>,
    pub(super) corner: Vec<u32>,
    pub(super) corner_edge: Vec<u32>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) edge_faces: Vec<[u32; 2]>,
    pub(super) neighbours: Adjacency,
    /// The edges, and those of an exact triangulation of the corners: on these a climb finds the top for certain.
    pub(super) climb: Adjacency,
    // Computed by `assemble` from the above.
    pub(super) extremes: [u32; 6],
    pub(super) bounds: Aabb,
    pub(super) bounding_radius: f64,
    pub(super) thickness: f64,
    pub(super) solid: MassProperties,
}

impl Hull {
    /// How far, as a fraction of the largest extent, a point may stick out of the hull and be left out, and a corner
    /// lie off the plane of its face, when nothing else is asked for.
    ///
    /// Thousands of times the rounding of coordinates that were computed with f64.
    pub const TOLERANCE: f64 = 1e-12;

    /// The convex hull of `points` [m], which stay where they are.
    ///
    /// Points within [`Hull::TOLERANCE`] of the hull of the others are left out, and triangles within it of one
    /// plane are one face. Duplicates do no harm.
    ///
    /// # Errors
    /// When a coordinate is not finite or beyond [`LENGTH_RANGE`](crate::shape::LENGTH_RANGE), when fewer than four
    /// points differ, when all lie within 64 tolerances of one plane, or so far from the origin that rounding does
    /// the same.
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        Self::with_tolerance(points, Self::TOLERANCE)
    }

    /// As [`Hull::new`] with a tolerance of one's own, as a fraction of the largest extent: about 1e-6 for points
    /// that were rounded to six digits.
    ///
    /// It is limited to 1e-3, and never below the rounding of the coordinates.
    ///
    /// # Errors
    /// As [`Hull::new`].
    pub fn with_tolerance(points: &[Vec3], relative: f64) -> Result<Self, ShapeError> {
        assemble(points, huygens_math::scalar::clamp(relative, 0.0, 1e-3))
    }

    /// The corners [m].
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Number of faces.
    #[inline]
    pub fn face_count(&self) -> usize {
        self.normals.len()
    }

    /// Face `i`.
    #[inline]
    pub fn face(&self, i: usize) -> HullFace<'_> {
        let range = self.first[i] as usize..self.first[i + 1] as usize;
        HullFace {
            normal: self.normals[i],
            offset: self.offsets[i],
            vertices: &self.corner[range.clone()],
            edges: &self.corner_edge[range],
        }
    }

    /// Outward unit normals of all faces.
    #[inline]
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// The edges, as pairs of corners, the lower index first.
    #[inline]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The two faces of edge `i`: first the one that has it from its lower to its higher corner.
    #[inline]
    pub fn edge_faces(&self, i: usize) -> [u32; 2] {
        self.edge_faces[i]
    }

    /// The corners that share an edge with corner `v`, in ascending order.
    #[inline]
    pub fn neighbours(&self, v: u32) -> &[u32] {
        self.neighbours.of(v)
    }

    /// The centre of mass of the solid [m].
    #[inline]
    pub fn centroid(&self) -> Vec3 {
        self.solid.center
    }

    /// Volume [m³].
    #[inline]
    pub fn volume(&self) -> f64 {
        self.solid.mass
    }

    /// Volume, centroid and inertia at density 1.
    #[inline]
    pub fn solid(&self) -> &MassProperties {
        &self.solid
    }

    /// The box along the hull's own axes that holds it.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Full extent along each of the hull's own axes [m].
    #[inline]
    pub fn extents(&self) -> Vec3 {
        self.bounds.max - self.bounds.min
    }

    /// Radius of the ball about the origin that holds the hull [m].
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Least thickness across a face [m]: from the face to the corner that is farthest behind it.
    #[inline]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }
}
