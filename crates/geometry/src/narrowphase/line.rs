//! The straight line along which a capsule, or a cylinder or a cone on its side, lies on something.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | d | `down` | unit vector to what lies below, in the shape's frame |
//! | u | | d less its part along the axis, made a unit vector |
//!
//! The line is at r u from the axis. It is a line of the surface whatever the tilt, and the lowest one. The lowest point
//! of a capsule is beyond the line's lower end, at r d from that end of the axis; when the capsule is level the two are
//! the same point.

use super::cylinder::lowest;
use crate::manifold::Feature;
use crate::shape::{Capsule, Cone, Cylinder};
use huygens_math::{Pose, Vec2, Vec3};

/// Sine of the angle between axis and d below which a capsule stands upright, and has no line.
const UPRIGHT: f64 = 0.05;

/// A line on a surface, from −z to +z in the shape's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub ends: [Vec3; 2],
    /// Takes the place of one end where nothing cuts it off.
    pub tip: Option<(usize, Vec3)>,
    /// Names of the ends and of the line.
    pub names: [Feature; 3],
    /// Radius of curvature of the surface.
    pub radius: f64,
}

impl Line {
    pub fn of_capsule(capsule: &Capsule, down: Vec3) -> Self {
        let across = Vec2::new(down.x, down.y);
        let size = across.length();
        let lower = usize::from(down.z > 0.0);
        let axis = |end: usize| {
            Vec3::new(0.0, 0.0, if end == 1 { capsule.half_length } else { -capsule.half_length })
        };
        let tip = axis(lower) + down * capsule.radius;
        let ends = if size < UPRIGHT {
            [tip; 2]
        } else {
            let beside = (across * (capsule.radius / size)).extend(0.0);
            [axis(0) + beside, axis(1) + beside]
        };
        let names = [Feature::vertex(0), Feature::vertex(1), Feature::edge(0)];
        Self { ends, tip: Some((lower, tip)), names, radius: capsule.radius }
    }

    pub fn of_cylinder(cylinder: &Cylinder, down: Vec3) -> Self {
        let ends =
            [lowest(cylinder, down, -cylinder.half_length), lowest(cylinder, down, cylinder.half_length)];
        let names = [Feature::vertex(8), Feature::vertex(9), Feature::edge(2)];
        Self { ends, tip: None, names, radius: cylinder.radius }
    }

    /// From the rim to the tip.
    pub fn of_cone(cone: &Cone, down: Vec3) -> Self {
        let ends = [cone.rim_towards(down), cone.tip()];
        let names = [Feature::vertex(8), Feature::vertex(9), Feature::edge(2)];
        Self { ends, tip: None, names, radius: 0.0 }
    }

    /// The line in the frame that `pose` leads to.
    pub fn placed(&self, pose: &Pose) -> Self {
        Self {
            ends: self.ends.map(|p| pose.transform(p)),
            tip: self.tip.map(|(end, p)| (end, pose.transform(p))),
            ..*self
        }
    }

    /// The lowest point at one end: the tip, or the end of the line. None for the upper end of an upright capsule.
    pub fn lowest_at(&self, end: usize) -> Option<Vec3> {
        match self.tip {
            Some((tip, p)) if tip == end => Some(p),
            Some(_) if self.ends[0] == self.ends[1] => None,
            _ => Some(self.ends[end]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, scalar::min, trig};

    #[test]
    fn the_points_of_a_capsules_line_are_on_its_surface_and_the_tip_is_its_lowest_point() {
        let mut random = SplitMix::new(31);
        for _ in 0..1000 {
            let capsule = Capsule { radius: random.range(0.1, 1.0), half_length: random.range(0.1, 2.0) };
            let down = random.direction();
            let line = Line::of_capsule(&capsule, down);
            let off = |p: Vec3| {
                let z = huygens_math::scalar::clamp(p.z, -capsule.half_length, capsule.half_length);
                (p - Vec3::new(0.0, 0.0, z)).length() - capsule.radius
            };
            let deepest = -(capsule.half_length * down.z.abs() + capsule.radius);
            let least =
                (0..2).filter_map(|i| line.lowest_at(i)).map(|p| -p.dot(down)).fold(f64::INFINITY, min);
            assert!((least - deepest).abs() < 1e-15);
            assert!((0..2).filter_map(|i| line.lowest_at(i)).all(|p| off(p).abs() < 1e-15));
        }
        let level = trig::sin(1e-9);
        let line = Line::of_capsule(&Capsule { radius: 1.0, half_length: 1.0 }, Vec3::new(1.0, 0.0, level));
        assert!((line.lowest_at(1).unwrap() - line.ends[1]).length() < 2e-9);
    }
}
