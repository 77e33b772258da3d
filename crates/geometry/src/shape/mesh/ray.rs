//! Where a ray enters a mesh.
//!
//! For each triangle with the ray in front of it, the three volumes of ray and edge must have one sign; a ray through an
//! edge between two triangles has a volume of exactly 0 with the same edge of both, and hits one of them at least.

use super::TriangleMesh;
use crate::Aabb;
use huygens_math::Vec3;
use huygens_math::scalar::{max, min};

impl TriangleMesh {
    /// Time and normal of the first triangle that the ray from `o` along `d` meets from its outer side, up to `most`.
    pub(crate) fn ray(&self, o: Vec3, d: Vec3, most: f64) -> Option<(f64, Vec3)> {
        let first = std::cell::Cell::new(most);
        let mut hit = None;
        self.bvh.each(
            |bounds| crosses(bounds, o, d, first.get()),
            |triangle| {
                let n = self.normal(triangle);
                let Some(t) = self.ray_on(triangle, o, d) else { return };
                let better = t < first.get() || (hit.is_none() && t <= first.get());
                if better {
                    first.set(t);
                    hit = Some((t, n));
                }
            },
        );
        hit
    }

    fn ray_on(&self, triangle: u32, o: Vec3, d: Vec3) -> Option<f64> {
        let n = self.normal(triangle);
        let corners = self.corners(triangle).map(|p| p - o);
        let (rate, height) = (n.dot(d), -n.dot(corners[0]));
        if rate >= 0.0 || height < 0.0 {
            return None;
        }
        // By the numbers of the corners, so that both triangles of an edge compute the same bits.
        let ids = self.triangles[triangle as usize];
        for k in 0..3 {
            let (i, j) = (k, (k + 1) % 3);
            let side = if ids[i] < ids[j] {
                d.dot(corners[i].cross(corners[j]))
            } else {
                -d.dot(corners[j].cross(corners[i]))
            };
            if side > 0.0 {
                return None;
            }
        }
        Some(height / -rate)
    }
}

/// True when the ray passes through the box no later than `most`.
fn crosses(bounds: &Aabb, o: Vec3, d: Vec3, most: f64) -> bool {
    let (mut from, mut to) = (0.0, most);
    for axis in 0..3 {
        if d[axis] == 0.0 {
            if o[axis] < bounds.min[axis] || o[axis] > bounds.max[axis] {
                return false;
            }
            continue;
        }
        let (a, b) = ((bounds.min[axis] - o[axis]) / d[axis], (bounds.max[axis] - o[axis]) / d[axis]);
        from = max(from, min(a, b));
        to = min(to, max(a, b));
    }
    // A hair of room for the rounding of the divisions.
    from <= to + 1e-12 * to.abs()
}
