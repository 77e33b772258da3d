//! Tendons as a scene writes them.

use super::{JointSpring, MotorSpec};
use huygens_math::Vec3;

/// A tendon: a length along joints, or through points of bodies, on which forces act: `[[tendon]]`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TendonSpec {
    /// Its name, unique among tendons.
    pub name: String,
    /// Its length is the sum of these joints' coordinates times factors; empty for a tendon with a path.
    pub joints: Vec<TendonJoint>,
    /// Its way through points of bodies; empty for a tendon over joints.
    pub path: Vec<TendonPart>,
    /// Smallest and largest length [m]; `None` for no limit. A rope is `[0, length]`.
    pub range: Option<[f64; 2]>,
    /// Spring towards a length. Default none.
    pub spring: Option<JointSpring>,
    /// Force against the rate of the length, for each 1 of it [N·s/m]. Default 0.
    pub damping: f64,
    /// Dry friction: the largest force that resists a change of the length [N]. Default 0.
    pub friction: f64,
    /// What drives it; a force above 0 makes it longer. Default nothing.
    pub motor: Option<MotorSpec>,
}

/// A joint of a tendon.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TendonJoint {
    /// Its name.
    pub joint: String,
    /// Length of the tendon for each unit of its coordinate [m/rad, of a slide –].
    pub factor: f64,
}

/// A part of a tendon's path.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TendonPart {
    /// Through a point of a body, in world coordinates at the scene's pose; an empty name is the world.
    Point {
        /// The body.
        body: String,
        /// The point [m].
        at: Vec3,
    },
    /// From here on a branch begins whose length counts divided by this.
    Pulley(f64),
    /// Around the first ball or cylinder of a body, if it is in the way.
    Wrap {
        /// The body.
        body: String,
        /// A point on the side that the tendon passes, in world coordinates at the scene's pose [m].
        side: Option<Vec3>,
    },
}

impl TendonSpec {
    /// A tendon over joints, with the length Σ factor·q.
    pub fn over<'a>(name: impl Into<String>, joints: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let joint = |(joint, factor): (&str, f64)| TendonJoint { joint: joint.to_owned(), factor };
        Self { name: name.into(), joints: joints.into_iter().map(joint).collect(), ..Self::default() }
    }

    /// A tendon through points of bodies, in world coordinates at the scene's pose.
    pub fn through<'a>(name: impl Into<String>, points: impl IntoIterator<Item = (&'a str, Vec3)>) -> Self {
        let point = |(body, at): (&str, Vec3)| TendonPart::Point { body: body.to_owned(), at };
        Self { name: name.into(), path: points.into_iter().map(point).collect(), ..Self::default() }
    }

    /// Bodies that its path names.
    pub fn bodies(&self) -> impl Iterator<Item = &str> {
        self.path.iter().filter_map(|part| match part {
            TendonPart::Point { body, .. } | TendonPart::Wrap { body, .. } => Some(body.as_str()),
            TendonPart::Pulley(_) => None,
        })
    }
}
