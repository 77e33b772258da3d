//! Room above or inside a ground, and bodies put there free of overlap.
//!
//! A body is taken for its bounding ball, so that freedom of overlap does not depend on the engine's own narrow phase.

use huygens::math::{Pose, SplitMix, Vec3};
use huygens::scene::Body;

/// Where the balls that bound bodies may be.
#[derive(Clone, Debug)]
pub enum Room {
    /// Above a plane through the frame's origin, across its z.
    Above {
        /// `world_from_room`.
        frame: Pose,
        /// Half of the edges along x and y, in which centres lie [m].
        half: f64,
    },
    /// Inside a closed cylinder about the frame's z.
    Cylinder {
        /// `world_from_room`.
        frame: Pose,
        /// Inner radius [m].
        radius: f64,
        /// Half of the inner length [m].
        half: f64,
    },
    /// Inside a box.
    Inside {
        /// `world_from_room`.
        frame: Pose,
        /// Half of the inner edges [m].
        half: Vec3,
    },
}

impl Room {
    /// A random centre for a ball of that radius, or `None` when it is too large for the room. `ceiling` is the largest distance
    /// of balls from an open room's ground [m].
    pub fn center(&self, random: &mut SplitMix, radius: f64, ceiling: f64) -> Option<Vec3> {
        let along = |random: &mut SplitMix, half: f64| random.range(-half, half);
        // Room for round-off of the pose.
        let radius = radius * (1.0 + 1e-6);
        match self {
            Self::Above { frame, half } => {
                let up = radius + random.range(0.0, ceiling);
                Some(frame.transform(Vec3::new(along(random, *half), along(random, *half), up)))
            }
            Self::Cylinder { frame, radius: inner, half } => {
                let (across, half) = (inner - radius, half - radius);
                if across < 0.0 || half < 0.0 {
                    return None;
                }
                let disc = random.direction() * across * random.unit();
                Some(frame.transform(Vec3::new(disc.x, disc.y, along(random, half))))
            }
            Self::Inside { frame, half } => {
                let half = *half - Vec3::splat(radius);
                if half.min_element() < 0.0 {
                    return None;
                }
                let local = Vec3::new(along(random, half.x), along(random, half.y), along(random, half.z));
                Some(frame.transform(local))
            }
        }
    }
}

/// Balls that are taken already.
#[derive(Clone, Debug, Default)]
pub struct Taken(Vec<(Vec3, f64)>);

impl Taken {
    /// Attempts before a body is given up.
    const ATTEMPTS: usize = 60;

    /// A free place for a ball of that radius, which is taken from now on; `None` when there seems to be none.
    pub fn place(&mut self, random: &mut SplitMix, room: &Room, radius: f64) -> Option<Vec3> {
        for attempt in 0..Self::ATTEMPTS {
            // Low at first: what falls deep has forgotten how it started.
            let ceiling = radius * 0.25 * (1.0 + attempt as f64);
            let center = room.center(random, radius, ceiling)?;
            let free =
                |(other, its): &(Vec3, f64)| (center - *other).length() > (radius + its) * (1.0 + 1e-6);
            if self.0.iter().all(free) {
                self.take(center, radius);
                return Some(center);
            }
        }
        None
    }

    /// Marks a ball as taken.
    pub fn take(&mut self, center: Vec3, radius: f64) {
        self.0.push((center, radius));
    }
}

/// Largest distance of a body's points from its frame's origin [m], by its shapes' own bounds.
pub fn reach(body: &Body) -> f64 {
    body.shapes.iter().fold(0.0, |reach, shape| {
        huygens::math::scalar::max(reach, shape.position.length() + shape.kind.reach())
    })
}
