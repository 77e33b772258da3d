//! The face that a polyhedron shows to a triangle, with all that is asked of it again and again: most triangles near a shape see the
//! same one.

use super::super::polyhedron::Polyhedron;
use crate::clip::MAX_CORNERS;
use crate::manifold::Feature;
use arrayvec::ArrayVec;
use huygens_math::{Pose, Vec3};

/// A corner, in the mesh's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownCorner {
    pub at: Vec3,
    pub name: Feature,
}

/// An edge of the face, in the shape's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// Unit vector in the face, inwards.
    inward: Vec3,
    offset: f64,
    pub edge: u32,
}

impl Side {
    /// How far a place of the face's plane is inside of the edge [m].
    #[inline(always)]
    pub fn inside(&self, p: Vec3) -> f64 {
        self.inward.dot(p) - self.offset
    }
}

/// One face at a time.
#[derive(Default)]
pub(super) struct Shown {
    face: Option<u32>,
    corners: ArrayVec<ShownCorner, MAX_CORNERS>,
    sides: ArrayVec<Side, MAX_CORNERS>,
}

impl Shown {
    /// Turns to the face `id`.
    #[inline]
    pub fn show(&mut self, shape: &Polyhedron, id: u32, b_in_a: &Pose) {
        if self.face != Some(id) {
            self.turn_to(shape, id, b_in_a);
        }
    }

    fn turn_to(&mut self, shape: &Polyhedron, id: u32, b_in_a: &Pose) {
        self.face = Some(id);
        self.corners.clear();
        self.sides.clear();
        let (face, normal) = (shape.face(id), shape.plane(id).0);
        for (i, corner) in face.corners.iter().enumerate() {
            let name = Feature::vertex(corner.vertex);
            self.corners.push(ShownCorner { at: b_in_a.transform(corner.at), name });
            let inward = normal.cross(face.next(i).at - corner.at).normalize_or_zero();
            self.sides.push(Side { inward, offset: inward.dot(corner.at), edge: corner.edge });
        }
    }

    #[inline]
    pub fn corners(&self) -> &[ShownCorner] {
        &self.corners
    }

    #[inline]
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }
}
