//! All that is asked of a triangle which a shape has come near to, in one place: such triangles are few, and far from each other in
//! memory.

use super::adjacency::Fold;
use huygens_math::Vec3;
use huygens_math::scalar::max;

#[derive(Clone, Debug)]
pub(crate) struct Detail {
    /// Outward normal.
    pub normal: Vec3,
    /// Unit vectors in the triangle's plane, out across the edges.
    pub out: [Vec3; 3],
    /// How the surface folds at the edges.
    pub folds: [Fold; 3],
    /// Sine of the angle to the neighbour that differs most; 1 where the surface ends.
    pub steepest: f64,
    /// The lowest triangle of the flat region that this one belongs to.
    pub region: u32,
}

impl Detail {
    /// Of a triangle with these corners, this normal and these neighbours, where `normals` are those of all triangles.
    pub fn new(corners: [Vec3; 3], normal: Vec3, folds: [Fold; 3], region: u32, normals: &[Vec3]) -> Self {
        let sine = |fold: &Fold| match *fold {
            Fold::Flat(_) => 0.0,
            Fold::Open => 1.0,
            Fold::Concave(other) | Fold::Convex(other) => {
                let m = normals[other as usize];
                if normal.dot(m) > 0.0 { normal.cross(m).length() } else { 1.0 }
            }
        };
        let steepest = folds.iter().map(sine).fold(0.0, max);
        let out = [0, 1, 2].map(|k| (corners[(k + 1) % 3] - corners[k]).cross(normal).normalize_or_zero());
        Self { normal, out, folds, steepest, region }
    }
}
