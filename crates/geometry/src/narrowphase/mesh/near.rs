//! The triangles that no axis of the mesh and none of the shape parts from it: of those in the leaves that the shape reaches, two of
//! five.
//!
//! They are gathered before any of them is looked at, so that what is asked of each is on its way from memory by then.

use crate::Aabb;
use crate::shape::{Probe, TriangleMesh};
use arrayvec::ArrayVec;
use huygens_math::lanes::{Lane, Simd, f64x4, prefetch};
use huygens_math::{Mat3, Vec3};

/// Most triangles that are gathered before they are looked at.
const BATCH: usize = 32;

/// A triangle, with the numbers of its corners, and the corners in the shape's frame.
pub(super) struct Near {
    pub id: u32,
    pub vertices: [u32; 3],
    pub in_b: [Vec3; 3],
}

/// Where to look.
pub(super) struct Nearby<'m> {
    pub mesh: &'m TriangleMesh,
    /// The shape's box in the mesh's frame.
    pub reach: Aabb,
    /// Its box in its own frame.
    pub own: Aabb,
    pub b_from_a: Mat3,
    /// Origin of the shape in the mesh's frame.
    pub origin: Vec3,
}

impl Nearby<'_> {
    /// Gathers from the node `from` of the mesh's tree on; returns the node to go on with, none at the end.
    #[inline(always)]
    pub fn gather<S: Simd>(&self, simd: S, from: usize, found: &mut ArrayVec<Near, BATCH>) -> Option<usize> {
        let probe = Probe::new(simd, &self.reach);
        let m = &self.b_from_a;
        let axes = [wide(simd, m.x_axis), wide(simd, m.y_axis), wide(simd, m.z_axis)];
        let (low, high) = (wide(simd, self.own.min), wide(simd, self.own.max));
        let vertices = self.mesh.vertices();
        let mut at = from;
        while let Some((node, leaf)) = self.mesh.next_leaf(&probe, at) {
            if leaf.len() > found.remaining_capacity() {
                return Some(node);
            }
            for triangle in leaf {
                let [a, b, c] = triangle.corners;
                let a = turned(simd, axes, vertices[a as usize] - self.origin);
                let b = turned(simd, axes, vertices[b as usize] - self.origin);
                let c = turned(simd, axes, vertices[c as usize] - self.origin);
                let apart = high.lt(a.min(b).min(c)) | a.max(b).max(c).lt(low);
                if !f64x4::any(apart) {
                    prefetch(self.mesh.detail(triangle.id));
                    let in_b = [narrow(a), narrow(b), narrow(c)];
                    found.push(Near { id: triangle.id, vertices: triangle.corners, in_b });
                }
            }
            at = node + 1;
        }
        None
    }
}

/// A vector in lanes; the fourth repeats the third.
#[inline(always)]
fn wide<S: Simd>(simd: S, v: Vec3) -> f64x4<S> {
    f64x4::load(simd, &[v.x, v.y, v.z, v.z])
}

#[inline(always)]
fn narrow<S: Simd>(v: f64x4<S>) -> Vec3 {
    let mut x = [0.0; 4];
    v.store(&mut x);
    Vec3::new(x[0], x[1], x[2])
}

/// The matrix with these columns times `v`, to the last bit what `Mat3` says.
#[inline(always)]
fn turned<S: Simd>(simd: S, columns: [f64x4<S>; 3], v: Vec3) -> f64x4<S> {
    let [x, y, z] = columns;
    x * f64x4::splat(simd, v.x) + y * f64x4::splat(simd, v.y) + z * f64x4::splat(simd, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::CollisionShape;
    use huygens_math::{Pose, SimdLevel, SplitMix, at_level};

    #[test]
    fn what_is_near_is_what_the_boxes_say_triangle_by_triangle() {
        let mut r = SplitMix::new(7);
        let rows: Vec<Vec<f64>> = (0..40).map(|_| (0..40).map(|_| r.range(-0.4, 0.4)).collect()).collect();
        let Ok(CollisionShape::Mesh(mesh)) =
            CollisionShape::height_field(&rows, huygens_math::Vec2::new(8.0, 8.0))
        else {
            panic!("a grid")
        };
        let mut full = 0;
        for _ in 0..300 {
            // Some reach more triangles than one batch has room for.
            let half = Vec3::new(r.range(0.05, 0.9), r.range(0.05, 0.9), r.range(0.05, 0.9));
            let shape = CollisionShape::cuboid(2.0 * half).expect("a box");
            let pose =
                Pose { rotation: r.rotation(), translation: 3.0 * r.in_cube() * Vec3::new(1.0, 1.0, 0.2) };
            let nearby = Nearby {
                mesh: &mesh,
                reach: shape.aabb(&pose).expanded(0.01),
                own: shape.aabb(&Pose::IDENTITY).expanded(0.01),
                b_from_a: Mat3::from_quat(pose.rotation).transpose(),
                origin: pose.translation,
            };
            let mut expected = Vec::new();
            mesh.each(
                |bounds| bounds.overlaps(&nearby.reach),
                |id| {
                    let in_b = mesh.corners(id).map(|p| nearby.b_from_a * (p - nearby.origin));
                    if nearby.own.overlaps(&Aabb::of_points(&in_b)) {
                        expected.push((id, in_b));
                    }
                },
            );
            for level in SimdLevel::available().filter_map(SimdLevel::level) {
                let mut found = Vec::new();
                let (mut next, mut batch) = (Some(0), ArrayVec::new());
                while let Some(from) = next {
                    next = at_level!(level, simd => nearby.gather(simd, from, &mut batch));
                    full += usize::from(next.is_some());
                    found.extend(batch.drain(..).map(|near: Near| {
                        assert_eq!(near.vertices, mesh.triangles()[near.id as usize]);
                        (near.id, near.in_b)
                    }));
                }
                assert_eq!(found, expected, "{level:?}");
            }
        }
        assert!(full > 10, "{full} batches were full");
    }
}
