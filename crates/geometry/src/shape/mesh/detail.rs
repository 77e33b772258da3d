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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::TriangleMesh;
    use huygens_math::{SplitMix, Vec2};

    #[test]
    fn details_are_those_that_the_corners_give() {
        let mut r = SplitMix::new(5);
        let rows: Vec<Vec<f64>> = (0..9).map(|_| (0..7).map(|_| r.range(-0.5, 0.5)).collect()).collect();
        let mesh = TriangleMesh::height_field(&rows, Vec2::new(6.0, 8.0)).expect("a grid");
        for id in 0..mesh.triangles().len() as u32 {
            let (corners, detail) = (mesh.corners(id), mesh.detail(id));
            let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            assert!((detail.normal - n).length() < 1e-15);
            let mut steepest: f64 = 0.0;
            for k in 0..3 {
                let (from, to, other) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
                let out = (to - from).cross(detail.normal).normalize_or_zero();
                // To the last bit: places on an edge are told from it.
                assert_eq!(detail.out[k], out);
                assert!(out.dot(other - from) < 0.0);
                let sine = match detail.folds[k] {
                    Fold::Open => 1.0,
                    Fold::Flat(_) => 0.0,
                    Fold::Convex(other) | Fold::Concave(other) => {
                        let m = mesh.normal(other);
                        let falls = m.dot(out) > 0.0;
                        assert_eq!(falls, matches!(detail.folds[k], Fold::Convex(_)));
                        detail.normal.cross(m).length()
                    }
                };
                steepest = max(steepest, sine);
            }
            assert_eq!(detail.steepest, steepest);
        }
    }
}
