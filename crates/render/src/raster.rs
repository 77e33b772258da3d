//! Faces to samples, nearest first.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | w | `depth` | distance along the camera's axis [m] |
//! | β | `share` | barycentric coordinates in the picture; β/w is linear there, and so is everything divided by w |

use crate::camera::Camera;
use crate::colour::Light;
use crate::stage::{Kind, Stage, Thing};
use huygens_math::scalar::{max, min};
use huygens_math::{Vec2, Vec3};

/// What one sample of the picture shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Infinite where there is nothing.
    pub depth: f64,
    pub normal: Vec3,
    /// Number of the thing.
    pub thing: u32,
}

const NOTHING: Sample = Sample { depth: f64::INFINITY, normal: Vec3::ZERO, thing: u32::MAX };

/// Samples of a picture, by rows.
#[derive(Debug)]
pub(crate) struct Samples {
    pub width: usize,
    pub height: usize,
    pub samples: Vec<Sample>,
}

/// A corner of a face in the camera's axes, with its normal.
#[derive(Clone, Copy, Debug)]
struct Corner {
    seen: Vec3,
    normal: Vec3,
}

impl Samples {
    /// What is seen of the stage's things of which `wanted` is true.
    pub fn of(stage: &Stage, size: [usize; 2], wanted: impl Fn(&Thing) -> bool) -> Self {
        let [width, height] = size;
        let mut picture = Self { width, height, samples: vec![NOTHING; width * height] };
        let mut polygon: Vec<Corner> = Vec::new();
        for (number, thing) in stage.things.iter().enumerate().filter(|(_, thing)| wanted(thing)) {
            let faces = &thing.faces;
            for face in faces.faces() {
                polygon.clear();
                polygon.extend(face.iter().map(|i| Corner {
                    seen: stage.camera.seen(faces.points[*i as usize]),
                    normal: faces.normals[*i as usize],
                }));
                if !prepare(&mut polygon, thing.kind, &stage.camera) {
                    continue;
                }
                for i in 2..polygon.len() {
                    let triangle = [polygon[0], polygon[i - 1], polygon[i]];
                    picture.fill(&triangle, &stage.camera, number as u32);
                }
            }
        }
        picture
    }

    fn fill(&mut self, triangle: &[Corner; 3], camera: &Camera, thing: u32) {
        let [a, b, c] = triangle.map(|corner| camera.project(corner.seen));
        let area = (b - a).perp_dot(c - a);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let bound = |x: f64, size: usize| max(0.0, min(x, size as f64)) as usize;
        let columns = [min(a.x, min(b.x, c.x)), max(a.x, max(b.x, c.x))];
        let rows = [min(a.y, min(b.y, c.y)), max(a.y, max(b.y, c.y))];
        let (left, right) = (bound(columns[0].floor(), self.width), bound(columns[1].ceil(), self.width));
        let (top, bottom) = (bound(rows[0].floor(), self.height), bound(rows[1].ceil(), self.height));
        let inverse = triangle.map(|corner| 1.0 / corner.seen.z);
        for y in top..bottom {
            for x in left..right {
                let p = Vec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let share = [(c - b).perp_dot(p - b), (a - c).perp_dot(p - c), (b - a).perp_dot(p - a)]
                    .map(|edge| edge / area);
                if share.iter().any(|s| *s < 0.0) {
                    continue;
                }
                let over: [f64; 3] = std::array::from_fn(|i| share[i] * inverse[i]);
                let depth = 1.0 / (over[0] + over[1] + over[2]);
                let sample = &mut self.samples[y * self.width + x];
                if depth < sample.depth {
                    let normal: Vec3 = (0..3).map(|i| triangle[i].normal * over[i]).sum();
                    *sample = Sample { depth, normal: normal.normalize_or(Vec3::Z), thing };
                }
            }
        }
    }

    /// Where the sample is in the picture.
    pub fn place(&self, index: usize) -> Vec2 {
        Vec2::new((index % self.width) as f64 + 0.5, (index / self.width) as f64 + 0.5)
    }
}

/// Leaves out what faces away, turns sheets to the eye and cuts off what is nearer than the eye sees; false when nothing is
/// left.
fn prepare(polygon: &mut Vec<Corner>, kind: Kind, camera: &Camera) -> bool {
    let facing = match face_normal(polygon) {
        Some(normal) => -normal.dot(polygon[0].seen),
        None => return false,
    };
    if facing <= 0.0 {
        if !matches!(kind, Kind::Sheet | Kind::Glass) {
            return false;
        }
        polygon.reverse();
        polygon.iter_mut().for_each(|corner| corner.normal = -corner.normal);
    }
    if polygon.iter().any(|corner| corner.seen.z < camera.near) {
        cut(polygon, camera.near);
    }
    polygon.len() >= 3
}

/// The normal of a flat face by its corners (not of length 1), in the camera's axes; they are left-handed (right, up, forward), so
/// the cross product is turned over.
fn face_normal(polygon: &[Corner]) -> Option<Vec3> {
    let mut sum = Vec3::ZERO;
    let first = polygon.first()?.seen;
    for pair in polygon.windows(2).skip(1) {
        sum -= (pair[0].seen - first).cross(pair[1].seen - first);
    }
    (sum != Vec3::ZERO).then_some(sum)
}

/// Cuts a face at depth `near`.
fn cut(polygon: &mut Vec<Corner>, near: f64) {
    let old = std::mem::take(polygon);
    for (i, corner) in old.iter().enumerate() {
        let next = &old[(i + 1) % old.len()];
        if corner.seen.z >= near {
            polygon.push(*corner);
        }
        if (corner.seen.z >= near) != (next.seen.z >= near) {
            let t = (near - corner.seen.z) / (next.seen.z - corner.seen.z);
            polygon.push(Corner {
                seen: corner.seen + (next.seen - corner.seen) * t,
                normal: corner.normal + (next.normal - corner.normal) * t,
            });
        }
    }
}

/// A picture of light, by rows.
#[derive(Debug)]
pub(crate) struct Picture {
    pub width: usize,
    pub light: Vec<Light>,
}

impl Picture {
    /// The mean of squares of `fold` by `fold` samples.
    pub fn folded(&self, fold: usize) -> Self {
        let (width, height) = (self.width / fold, self.light.len() / self.width / fold);
        let share = 1.0 / (fold * fold) as f64;
        let mean = |i: usize| -> Light {
            let (x, y) = (i % width * fold, i / width * fold);
            let square = (0..fold * fold).map(|k| (y + k / fold) * self.width + x + k % fold);
            square.map(|at| self.light[at]).sum::<Vec3>() * share
        };
        Self { width, light: (0..width * height).map(mean).collect() }
    }
}
