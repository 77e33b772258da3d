//! Where the sun does not shine: the depth of the nearest thing along its rays.

use crate::stage::{Kind, Stage};
use huygens_math::scalar::{max, min};
use huygens_math::{Vec2, Vec3};

/// Samples of the map along each side.
const SIDE: usize = 1536;

/// How far the light reaches.
#[derive(Debug)]
pub(crate) struct Shadow {
    /// Axes across the light, and along it.
    axes: [Vec3; 3],
    center: Vec3,
    /// Samples per metre.
    scale: f64,
    depth: Vec<f32>,
}

impl Shadow {
    /// The shadows of a stage when the sun stands in direction `to_sun`.
    pub fn of(stage: &Stage, to_sun: Vec3) -> Self {
        let across = to_sun.any_orthonormal_vector();
        let mut shadow = Self {
            axes: [across, to_sun.cross(across), -to_sun],
            center: stage.center,
            scale: SIDE as f64 / (2.6 * stage.radius),
            depth: vec![f32::INFINITY; SIDE * SIDE],
        };
        for thing in stage.things.iter().filter(|thing| matches!(thing.kind, Kind::Solid | Kind::Sheet)) {
            for face in thing.faces.faces() {
                for k in 2..face.len() {
                    let triangle =
                        [face[0], face[k - 1], face[k]].map(|i| shadow.seen(thing.faces.points[i as usize]));
                    shadow.fill(&triangle);
                }
            }
        }
        shadow
    }

    /// A point in samples across the light, and its depth along it [m].
    fn seen(&self, p: Vec3) -> Vec3 {
        let q = p - self.center;
        let middle = 0.5 * SIDE as f64;
        let [x, y, z] = self.axes.map(|axis| axis.dot(q));
        Vec3::new(middle + x * self.scale, middle + y * self.scale, z)
    }

    fn fill(&mut self, t: &[Vec3; 3]) {
        let [a, b, c] = t.map(|p| Vec2::new(p.x, p.y));
        let area = (b - a).perp_dot(c - a);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let bound = |x: f64| max(0.0, min(x, SIDE as f64)) as usize;
        let (left, right) = (bound(min(a.x, min(b.x, c.x)).floor()), bound(max(a.x, max(b.x, c.x)).ceil()));
        let (top, bottom) = (bound(min(a.y, min(b.y, c.y)).floor()), bound(max(a.y, max(b.y, c.y)).ceil()));
        for y in top..bottom {
            for x in left..right {
                let p = Vec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let share = [(c - b).perp_dot(p - b), (a - c).perp_dot(p - c), (b - a).perp_dot(p - a)]
                    .map(|edge| edge / area);
                if share.iter().all(|s| *s >= 0.0) {
                    let depth = (share[0] * t[0].z + share[1] * t[1].z + share[2] * t[2].z) as f32;
                    let old = &mut self.depth[y * SIDE + x];
                    if depth < *old {
                        *old = depth;
                    }
                }
            }
        }
    }

    /// The share of the sun that reaches a point, 0 to 1. `slope` is how much the surface leans away from the light: its
    /// tangent, not above 8.
    pub fn light_at(&self, p: Vec3, slope: f64) -> f64 {
        let q = self.seen(p);
        let bias = (1.5 + 1.5 * slope) / self.scale;
        let mut lit = 0.0;
        for (dx, dy) in [-1.0, 0.0, 1.0].into_iter().flat_map(|dx| [-1.0, 0.0, 1.0].map(|dy| (dx, dy))) {
            let (x, y) = (q.x + dx, q.y + dy);
            let inside = x >= 0.0 && y >= 0.0 && x < SIDE as f64 && y < SIDE as f64;
            let free = !inside || q.z - bias < f64::from(self.depth[y as usize * SIDE + x as usize]);
            lit += f64::from(u8::from(free)) / 9.0;
        }
        lit
    }
}
