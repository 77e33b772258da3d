//! The part of a solid below the surface of a medium.
//!
//! The volume below a plane is the sum of the signed tetrahedra between a point o of the plane and the triangles of the solid's surface, cut at
//! the plane: the face that the cut leaves open lies in the plane, and its tetrahedra are flat.

use huygens_math::{Pose, Vec3, scalar};
use std::f64::consts::PI;

/// The part of a solid that is in the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submerged {
    /// Its volume [m³].
    pub volume: f64,
    /// Its volume times the place of its centroid, from the origin of the pose, in world axes [m⁴].
    pub moment: Vec3,
}

impl Submerged {
    /// Adds another part.
    pub fn add(&mut self, other: &Self) {
        self.volume += other.volume;
        self.moment += other.moment;
    }

    /// The same with its volume times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { volume: self.volume * factor, moment: self.moment * factor }
    }
}

/// A ball in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its centre in the body [m].
    pub center: Vec3,
    /// Its radius [m].
    pub radius: f64,
}

impl Ball {
    /// The part below the height `surface` along the unit vector `up`: a cap of height H has the volume πH²(3r − H)/3, its centroid
    /// 3(2r − H)²/(4(3r − H)) from the centre.
    pub fn submerged(&self, pose: &Pose, up: Vec3, surface: f64) -> Submerged {
        let (r, arm) = (self.radius, pose.rotation * self.center);
        let center = up.dot(pose.translation + arm);
        let cap = scalar::min(scalar::max(surface - center + r, 0.0), 2.0 * r);
        let volume = PI * cap * cap * (3.0 * r - cap) / 3.0;
        let below = 2.0 * r - cap;
        let depth = 0.75 * below * below / (3.0 * r - cap);
        Submerged { volume, moment: (arm - up * depth) * volume }
    }
}

/// The part of a closed surface below the height `surface` along the unit vector `up`. Triangles in the body's frame, counter-clockwise
/// seen from outside.
pub fn submerged_triangles(triangles: &[[Vec3; 3]], pose: &Pose, up: Vec3, surface: f64) -> Submerged {
    let foot = up * (surface - up.dot(pose.translation));
    let mut sum = Submerged::default();
    for triangle in triangles {
        // From the origin of the pose, in world axes.
        let corners = triangle.map(|corner| pose.rotation * corner);
        let heights = corners.map(|corner| up.dot(corner - foot));
        let below = heights.map(|height| height <= 0.0);
        let cut = |i: usize, j: usize| {
            corners[i] + (corners[j] - corners[i]) * (heights[i] / (heights[i] - heights[j]))
        };
        let mut add = |a: Vec3, b: Vec3, c: Vec3| {
            let volume = (a - foot).dot((b - foot).cross(c - foot)) / 6.0;
            sum.volume += volume;
            sum.moment += (a + b + c + foot) * (0.25 * volume);
        };
        match below.iter().filter(|below| **below).count() {
            3 => add(corners[0], corners[1], corners[2]),
            1 => {
                let i = below.iter().position(|below| *below).unwrap_or(0);
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                add(corners[i], cut(i, j), cut(i, k));
            }
            2 => {
                let i = below.iter().position(|below| !*below).unwrap_or(0);
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let (to_j, to_k) = (cut(i, j), cut(i, k));
                add(to_j, corners[j], corners[k]);
                add(to_j, corners[k], to_k);
            }
            _ => {}
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, trig};

    /// A cube of edge 2 about the origin.
    fn cube() -> Vec<[Vec3; 3]> {
        let mut faces = Vec::new();
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let unit = |k: usize, x: f64| {
                    Vec3::from_array(std::array::from_fn(|i| if i == k { x } else { 0.0 }))
                };
                let (n, u) = (unit(axis, sign), unit((axis + 1) % 3, 1.0));
                let v = n.cross(u);
                faces.push([n - u - v, n + u - v, n + u + v]);
                faces.push([n - u - v, n + u + v, n - u + v]);
            }
        }
        faces
    }

    #[test]
    fn an_upright_cube_displaces_its_draught() {
        for draught in [-0.5, 0.3, 1.0, 1.7, 2.5] {
            let pose = Pose::new(huygens_math::Quat::IDENTITY, Vec3::new(3.0, 4.0, 6.0 - draught));
            let part = submerged_triangles(&cube(), &pose, Vec3::Z, 5.0);
            let depth = draught.clamp(0.0, 2.0);
            assert!((part.volume - 4.0 * depth).abs() < 1e-13, "{draught}: {}", part.volume);
            let centroid = -1.0 + 0.5 * depth;
            assert!((part.moment - Vec3::Z * (part.volume * centroid)).length() < 1e-12, "{draught}");
        }
    }

    /// Half of a solid with a centre of symmetry lies below every plane through it; both halves together are the whole.
    #[test]
    fn a_turned_cube_is_halved_by_a_plane_through_its_centre() {
        let mut random = SplitMix::new(5);
        for _ in 0..50 {
            let turn = trig::axis_angle(random.direction(), random.range(0.0, 3.0));
            let pose = Pose::new(turn, random.direction() * 3.0);
            let up = random.direction();
            let level = up.dot(pose.translation);
            let part = submerged_triangles(&cube(), &pose, up, level);
            assert!((part.volume - 4.0).abs() < 1e-13);
            let shifted = level + random.range(-1.5, 1.5);
            let below = submerged_triangles(&cube(), &pose, up, shifted);
            let above = submerged_triangles(&cube(), &pose, -up, -shifted);
            assert!((below.volume + above.volume - 8.0).abs() < 1e-12);
            assert!((below.moment + above.moment).length() < 1e-12);
        }
    }

    #[test]
    fn a_ball_displaces_its_cap() {
        let ball = Ball { center: Vec3::X, radius: 2.0 };
        let at = |z: f64| ball.submerged(&Pose::new(huygens_math::Quat::IDENTITY, Vec3::Z * z), Vec3::Z, 0.0);
        assert_eq!(at(2.5), Submerged::default());
        let half = at(0.0);
        assert!((half.volume - 16.0 * PI / 3.0).abs() < 1e-13);
        assert!((half.moment / half.volume - Vec3::new(1.0, 0.0, -0.75)).length() < 1e-14);
        let whole = at(-7.0);
        assert!((whole.volume - 32.0 * PI / 3.0).abs() < 1e-13);
        assert!((whole.moment / whole.volume - Vec3::X).length() < 1e-14);
    }
}
