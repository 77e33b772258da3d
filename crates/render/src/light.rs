//! How bright a surface is: a sun from one side, and a sky that is brightest above.

use crate::colour::Light;
use huygens_math::Vec3;
use huygens_math::scalar::max;

/// Where the light comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lamps {
    /// Direction to the sun.
    pub to_sun: Vec3,
    /// Direction to the brightest sky.
    pub up: Vec3,
}

const SUN: Vec3 = Vec3::new(0.78, 0.75, 0.70);
const SKY: Vec3 = Vec3::new(0.47, 0.50, 0.54);
const EARTH: Vec3 = Vec3::new(0.34, 0.33, 0.32);

impl Lamps {
    /// The sun behind the camera's left shoulder.
    pub fn new(up: Vec3, right: Vec3, forward: Vec3) -> Self {
        let level = (forward - up * up.dot(forward)).normalize_or(right.cross(up));
        Self { to_sun: (up * 1.25 - right * 0.7 - level * 0.95).normalize(), up }
    }

    /// The light that a surface sends on. `sun` and `sky` are the shares of them that it sees.
    pub fn on(&self, colour: Light, normal: Vec3, sun: f64, sky: f64) -> Light {
        let direct = max(0.0, normal.dot(self.to_sun)) * sun;
        let upward = 0.5 + 0.5 * normal.dot(self.up);
        let ambient = (EARTH + (SKY - EARTH) * upward) * sky;
        colour * (SUN * direct + ambient)
    }
}
