//! The face that a polyhedron shows to a triangle, with all that is asked of it again and again: most triangles near a shape see the
//! same one.

use super::super::polyhedron::Polyhedron;
use crate::clip::MAX_CORNERS;
use crate::manifold::Feature;
use arrayvec::ArrayVec;
use huygens_math::{Pose, Vec3};

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
    names: ArrayVec<Feature, MAX_CORNERS>,
    /// The corners in the mesh's frame, four at a time, coordinate by coordinate.
    corners: ArrayVec<[[f64; 4]; 3], { MAX_CORNERS / 4 }>,
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
        self.names.clear();
        self.corners.clear();
        self.sides.clear();
        let (face, normal) = (shape.face(id), shape.plane(id).0);
        for (i, corner) in face.corners.iter().enumerate() {
            self.names.push(Feature::vertex(corner.vertex));
            if i % 4 == 0 {
                self.corners.push([[0.0; 4]; 3]);
            }
            let at = b_in_a.transform(corner.at);
            let four = &mut self.corners[i / 4];
            (four[0][i % 4], four[1][i % 4], four[2][i % 4]) = (at.x, at.y, at.z);
            let inward = normal.cross(face.next(i).at - corner.at).normalize_or_zero();
            self.sides.push(Side { inward, offset: inward.dot(corner.at), edge: corner.edge });
        }
    }

    /// The names of up to four corners, and where they are.
    #[inline]
    pub fn corners(&self) -> impl Iterator<Item = (&[Feature], &[[f64; 4]; 3])> {
        self.names.chunks(4).zip(&self.corners)
    }

    #[inline]
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }
}
