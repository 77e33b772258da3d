//! Where a picture is taken from.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | r, u, f | `right`, `up`, `forward` | axes of the camera, world axes |
//! | s | `focal` | half the picture's height over the tangent of half its angle [samples] |
//!
//! A point q seen from the eye is at depth w = q·f and at s (q·r, q·u)/w from the middle of the picture. All of a set of points is
//! in it when the eye stands d ≥ |q·r|/tan α − q·f behind their middle, for each point q from there and both directions.

use huygens_math::scalar::{max, min};
use huygens_math::{Vec2, Vec3, trig};

/// From where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Turn about the vertical [rad]: 0 looks along the first level axis (x where z is up).
    pub yaw: f64,
    /// Height of the eye above the level [rad]; at most a quarter turn.
    pub pitch: f64,
}

impl View {
    /// The views with a name.
    pub const NAMED: &'static [(&'static str, Self)] = &[
        ("corner", Self::degrees(55.0, 22.0)),
        ("front", Self::degrees(90.0, 5.0)),
        ("side", Self::degrees(0.0, 5.0)),
        ("top", Self::degrees(90.0, 89.0)),
    ];

    const fn degrees(yaw: f64, pitch: f64) -> Self {
        Self { yaw: yaw.to_radians(), pitch: pitch.to_radians() }
    }

    /// A view by its name, or `YAW,PITCH` in degrees; `None` when it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some((_, view)) = Self::NAMED.iter().find(|(name, _)| *name == text) {
            return Some(*view);
        }
        let (yaw, pitch) = text.split_once(',')?;
        let angle = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.abs() <= 360.0);
        let (yaw, pitch) = (angle(yaw)?, angle(pitch)?);
        (pitch.abs() <= 90.0).then(|| Self::degrees(yaw, pitch))
    }
}

impl Default for View {
    fn default() -> Self {
        Self::NAMED[0].1
    }
}

/// Half the angle that the shorter side of a picture spans: a long lens, which keeps shapes true.
const HALF_ANGLE: f64 = 0.22;
/// How much of the room beside what is framed stays free.
const MARGIN: f64 = 1.12;

/// A camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    pub focal: f64,
    /// The middle of the picture [samples].
    pub middle: Vec2,
    /// Nothing nearer than this is seen [m].
    pub near: f64,
}

impl Camera {
    /// A camera that has all `points` in a picture of `size` samples.
    pub fn framing(points: &[Vec3], view: View, up: Vec3, size: Vec2) -> Self {
        let (right0, level) = level_axes(up);
        let (sin_yaw, cos_yaw) = trig::sin_cos(view.yaw);
        let (sin_pitch, cos_pitch) = trig::sin_cos(view.pitch);
        let along = right0 * cos_yaw + level * sin_yaw;
        let forward = along * cos_pitch - up * sin_pitch;
        let right = (level * -cos_yaw + right0 * sin_yaw).normalize_or(right0);
        let camera_up = right.cross(forward);
        let shorter = min(size.x, size.y);
        let focal = 0.5 * shorter / trig::tan(HALF_ANGLE);
        let mut camera =
            Self { eye: Vec3::ZERO, right, up: camera_up, forward, focal, middle: size * 0.5, near: 0.0 };
        camera.stand_back(points, size);
        camera
    }

    fn stand_back(&mut self, points: &[Vec3], size: Vec2) {
        let axes = [self.right, self.up, self.forward];
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in points {
            let q = Vec3::from_array(axes.map(|axis| axis.dot(*p)));
            low = Vec3::new(min(low.x, q.x), min(low.y, q.y), min(low.z, q.z));
            high = Vec3::new(max(high.x, q.x), max(high.y, q.y), max(high.z, q.z));
        }
        if !low.is_finite() || !high.is_finite() {
            (low, high) = (Vec3::splat(-1.0), Vec3::ONE);
        }
        let tangent = size * 0.5 / self.focal;
        // The nearest points spread most: shift the eye until both sides of the picture have the same room.
        let mut center = (low + high) * 0.5;
        let mut distance = 0.0;
        for _ in 0..8 {
            distance = 0.0;
            let mut room = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
            for p in points {
                let q = Vec3::from_array(axes.map(|axis| axis.dot(*p))) - center;
                distance = max(distance, max(q.x.abs() / tangent.x, q.y.abs() / tangent.y) - q.z);
            }
            distance = max(distance, 1e-6 * (high - low).length());
            for p in points {
                let q = Vec3::from_array(axes.map(|axis| axis.dot(*p))) - center;
                let w = distance + q.z;
                if w > 0.0 {
                    room = [
                        min(room[0], q.x / w),
                        max(room[1], q.x / w),
                        min(room[2], q.y / w),
                        max(room[3], q.y / w),
                    ];
                }
            }
            if !(room[1] >= room[0] && room[3] >= room[2]) {
                break;
            }
            center.x += 0.5 * (room[0] + room[1]) * distance;
            center.y += 0.5 * (room[2] + room[3]) * distance;
        }
        let size = max((high - low).length(), 1e-12);
        distance = max(distance * MARGIN, size);
        self.eye = self.right * center.x + self.up * center.y + self.forward * (center.z - distance);
        self.near = 1e-3 * distance;
    }

    /// Moves until `target` is in the middle, and comes `zoom` times as near.
    pub fn turn_to(&mut self, target: Option<Vec3>, zoom: f64) {
        if let Some(target) = target {
            let depth = max((target - self.eye).dot(self.forward), self.near);
            self.eye = target - self.forward * depth;
        }
        self.focal *= zoom;
    }

    /// The same camera for a picture of another size in samples.
    pub fn scaled(&self, size: Vec2) -> Self {
        let factor = size.y / (2.0 * self.middle.y);
        Self { focal: self.focal * factor, middle: size * 0.5, ..*self }
    }

    /// A point in the camera's axes: right, up, depth.
    pub fn seen(&self, p: Vec3) -> Vec3 {
        let q = p - self.eye;
        Vec3::new(q.dot(self.right), q.dot(self.up), q.dot(self.forward))
    }

    /// Where a point in the camera's axes is in the picture [samples], y down.
    pub fn project(&self, seen: Vec3) -> Vec2 {
        let scale = self.focal / seen.z;
        Vec2::new(self.middle.x + seen.x * scale, self.middle.y - seen.y * scale)
    }

    /// The world point at a place of the picture and a depth.
    pub fn unproject(&self, at: Vec2, depth: f64) -> Vec3 {
        self.eye + self.ray(at) * depth
    }

    /// The direction of a place of the picture, of depth 1.
    pub fn ray(&self, at: Vec2) -> Vec3 {
        let (x, y) = ((at.x - self.middle.x) / self.focal, (self.middle.y - at.y) / self.focal);
        self.forward + self.right * x + self.up * y
    }
}

/// Two level axes; with `up` they are right-handed in this order: x and y where z is up.
pub(crate) fn level_axes(up: Vec3) -> (Vec3, Vec3) {
    let across = if up.x.abs() > 0.7 { Vec3::Y } else { Vec3::X };
    let first = (across - up * across.dot(up)).normalize();
    (first, up.cross(first))
}
