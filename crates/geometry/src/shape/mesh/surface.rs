//! A surface of triangles, checked, with its neighbours and its tree of boxes.

use super::adjacency::{Neighbours, neighbours};
use super::bvh::{Bvh, Leaf, Probe};
use super::{Detail, MeshFault, check};
use crate::mass::enclosed;
use crate::shape::LENGTH_RANGE;
use crate::{Aabb, MassProperties, ShapeError};
use huygens_math::Vec3;
use huygens_math::lanes::Simd;
use huygens_math::scalar::max;

/// A surface of triangles, each counter-clockwise seen from outside: what lies behind them is solid. A closed one encloses a
/// volume; an open one is a sheet that holds bodies back on its outer side.
///
/// ```
/// use huygens_geometry::CollisionShape;
/// use huygens_math::Vec3;
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let tetrahedron = CollisionShape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
/// let solid = tetrahedron.mass_properties(6.0).expect("it closes");
/// assert!((solid.mass - 1.0).abs() < 1e-15);
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    kind: &'static str,
    vertices: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    details: Vec<Detail>,
    pub(super) bvh: Bvh,
    radius: f64,
    solid: Result<MassProperties, MeshFault>,
}

impl TriangleMesh {
    /// A surface of `triangles` between `vertices` [m], which stay where they are. Vertices at the same place count as one.
    ///
    /// # Errors
    /// When there is no triangle, a vertex that is not finite, a corner that names no vertex, a triangle without area, a
    /// triangle given twice, neighbours that look to opposite sides, or an edge of more than two triangles.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        Self::build("mesh", vertices, triangles).map_err(|fault| ShapeError::Mesh { shape: "mesh", fault })
    }

    pub(super) fn build(
        kind: &'static str,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
    ) -> Result<Self, MeshFault> {
        check::check(vertices, triangles)?;
        let triangles = check::weld(vertices, triangles);
        let normals = check::normals(vertices, &triangles)?;
        let Neighbours { folds, regions, open } = neighbours(vertices, &triangles, &normals)?;
        let detail = |i: usize| {
            let corners = triangles[i].map(|k| vertices[k as usize]);
            Detail::new(corners, normals[i], folds[i], regions[i], &normals)
        };
        let details = (0..triangles.len()).map(detail).collect();
        let boxes: Vec<Aabb> =
            triangles.iter().map(|t| Aabb::of_points(&t.map(|i| vertices[i as usize]))).collect();
        let bvh = Bvh::new(&boxes, &triangles);
        let used = triangles.iter().flatten().map(|&i| vertices[i as usize].length());
        let radius = used.fold(LENGTH_RANGE[0], max);
        let solid = match open {
            Some((triangle, k)) => {
                let corners = triangles[triangle as usize];
                Err(MeshFault::Open { from: corners[k], to: corners[(k + 1) % 3], triangle })
            }
            None => {
                let solid = enclosed(vertices, triangles.iter().copied());
                if solid.mass > 0.0 { Ok(solid) } else { Err(MeshFault::InsideOut { volume: solid.mass }) }
            }
        };
        let vertices = vertices.to_vec();
        Ok(Self { kind, vertices, triangles, details, bvh, radius, solid })
    }

    /// "mesh" or "heightfield".
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The vertices [m].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The corners of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Mass, centre and inertia of the solid inside at density 1, or why there is none.
    ///
    /// # Errors
    /// When the surface is open or turned inside out.
    pub fn enclosed(&self) -> Result<MassProperties, ShapeError> {
        let fail = |fault: &MeshFault| ShapeError::Mesh { shape: self.kind, fault: fault.clone() };
        self.solid.as_ref().map(|solid| *solid).map_err(fail)
    }

    pub(crate) fn solid(&self) -> Option<MassProperties> {
        self.solid.as_ref().ok().copied()
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    pub(crate) fn bounding_radius(&self) -> f64 {
        self.radius
    }

    #[inline(always)]
    pub(crate) fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|i| self.vertices[i as usize])
    }

    #[inline]
    pub(crate) fn normal(&self, triangle: u32) -> Vec3 {
        self.details[triangle as usize].normal
    }

    #[inline(always)]
    pub(crate) fn detail(&self, triangle: u32) -> &Detail {
        &self.details[triangle as usize]
    }

    /// Calls `visit` with the triangles of the boxes that are `wanted`.
    #[inline]
    pub(crate) fn each(&self, wanted: impl FnMut(&Aabb) -> bool, visit: impl FnMut(u32)) {
        self.bvh.each(wanted, visit);
    }

    /// Calls `visit` with the triangles that may reach into `bounds`.
    #[inline]
    pub(crate) fn near(&self, bounds: &Aabb, visit: impl FnMut(u32)) {
        self.bvh.each(|b| b.overlaps(bounds), visit);
    }

    /// The first leaf of the tree of boxes, from the node `at` on, that the probe overlaps: its node, and its triangles.
    #[inline(always)]
    pub(crate) fn next_leaf<S: Simd>(&self, probe: &Probe<S>, at: usize) -> Option<(usize, &[Leaf])> {
        self.bvh.next_leaf(probe, at)
    }
}
