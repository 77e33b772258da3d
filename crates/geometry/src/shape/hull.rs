//! Convex polyhedra.

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
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    offsets: Vec<f64>,
    /// Start of each face's corners in `corner`; one more entry than faces.
    first: Vec<u32>,
    corner: Vec<u32>,
    corner_edge: Vec<u32>,
    edges: Vec<[u32; 2]>,
}

impl Hull {
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

    /// Radius of the ball about the origin that holds the hull [m].
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        self.vertices.iter().fold(0.0, |found, v| huygens_math::scalar::max(found, v.length()))
    }

    /// Least thickness across a face [m]: from the face to the corner that is farthest behind it.
    pub fn thickness(&self) -> f64 {
        (0..self.face_count()).fold(f64::INFINITY, |least, i| {
            let depth = |v: &Vec3| self.offsets[i] - self.normals[i].dot(*v);
            let deepest = self.vertices.iter().map(depth).fold(0.0, huygens_math::scalar::max);
            huygens_math::scalar::min(least, deepest)
        })
    }

    /// The edges, as pairs of corners.
    #[inline]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }
}
