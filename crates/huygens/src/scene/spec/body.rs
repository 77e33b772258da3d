//! Bodies as a scene writes them.

use super::{BodyMediumSpec, Shape};
use crate::scene::keys::{Holds, key, needed, table, told};
use huygens_math::{Pose, Quat, Sym3, Vec3};
use std::fmt;

/// A body: `[[body]]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Its name, unique in the scene.
    pub name: String,
    /// Place of the body's frame in the world [m].
    pub position: Vec3,
    /// Turn of the body's frame. Its length may be off by 1e-3; [`Body::pose`] makes it 1.
    pub orientation: Quat,
    /// Velocity of the centre of mass in world axes [m/s].
    pub linear_velocity: Vec3,
    /// Spin in world axes [rad/s].
    pub angular_velocity: Vec3,
    /// Mass [kg]; `None` for what the shapes give.
    pub mass: Option<f64>,
    /// Centre of mass in the body's frame [m]; `None` for what the shapes give.
    pub center_of_mass: Option<Vec3>,
    /// Inertia about the centre of mass in the body's axes [kg·m²]; `None` for what the shapes give, scaled to `mass`.
    pub inertia: Option<Sym3>,
    /// How it moves.
    pub motion: Motion,
    /// World axes along and about which it cannot move.
    pub lock: Lock,
    /// Factor on gravity. Default 1.
    pub gravity_scale: f64,
    /// Constant force at the centre of mass, in world axes [N].
    pub force: Vec3,
    /// Constant torque in world axes [N·m].
    pub torque: Vec3,
    /// Rate at which its momentum dies away by itself [1/s]. Default 0.
    pub linear_damping: f64,
    /// Rate at which its angular momentum dies away by itself [1/s]. Default 0.
    pub angular_damping: f64,
    /// How the scene's medium acts on it; `None` for not at all.
    pub medium: Option<BodyMediumSpec>,
    /// Its shapes.
    pub shapes: Vec<Shape>,
    /// Its colour in pictures; `None` for that of its material, else one by its name.
    pub color: Option<Color>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            name: String::new(),
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            mass: None,
            center_of_mass: None,
            inertia: None,
            motion: Motion::Dynamic,
            lock: Lock::NONE,
            gravity_scale: 1.0,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            linear_damping: 0.0,
            angular_damping: 0.0,
            medium: None,
            shapes: Vec::new(),
            color: None,
        }
    }
}

table!(
    Body {
        name,
        position,
        orientation,
        linear_velocity,
        angular_velocity,
        mass,
        center_of_mass,
        inertia,
        gravity_scale,
        force,
        torque,
        linear_damping,
        angular_damping,
        color
    } | v
        | {
            let finite = Holds::Finite;
            v.value(told("name", "`body0`, `body1`, …", "unique"), name, Holds::Elsewhere);
            v.value(key("position", "[0, 0, 0]", "place of the body's frame [m]"), position, finite);
            v.value(
                key(
                    "orientation",
                    "[1, 0, 0, 0]",
                    "turn of the body's frame: a quaternion w, x, y, z whose length may be off by 1e-3",
                ),
                orientation,
                Holds::Rotation,
            );
            let meaning = "of the centre of mass, world axes [m/s]";
            v.value(key("linear_velocity", "[0, 0, 0]", meaning), linear_velocity, finite);
            let meaning = "spin, world axes [rad/s]";
            v.value(key("angular_velocity", "[0, 0, 0]", meaning), angular_velocity, finite);
            v.option(told("mass", "from the shapes", "[kg]"), mass, Holds::Elsewhere);
            let meaning = "in the body's frame [m]";
            v.option(told("center_of_mass", "from the shapes", meaning), center_of_mass, finite);
            v.option(
                told(
                    "inertia",
                    "from the shapes, scaled to `mass`",
                    "about the centre of mass: `[xx, yy, zz]` or `[xx, yy, zz, xy, xz, yz]` [kg·m²]",
                ),
                inertia,
                Holds::Elsewhere,
            );
            v.other(key(
        "motion",
        "\"dynamic\"",
        "`\"static\"`, or `{ kind = \"driven\", linear_velocity, angular_velocity, keyframes = [{ t, position, orientation }], limit = { kind = \"torque\", max } }`; see below",
    ));
            v.other(key(
        "lock",
        "[]",
        "`\"x\"`, `\"y\"`, `\"z\"`, `\"rx\"`, `\"ry\"`, `\"rz\"`: world axes along and about which it cannot move",
    ));
            v.value(key("gravity_scale", "1", "factor on gravity"), gravity_scale, finite);
            let meaning = "constant, world axes, at the centre of mass [N]";
            v.value(key("force", "[0, 0, 0]", meaning), force, finite);
            v.value(key("torque", "[0, 0, 0]", "constant, world axes [N·m]"), torque, finite);
            v.value(
                key("linear_damping", "0", "rate at which its momentum dies away by itself [1/s]"),
                linear_damping,
                Holds::NotNegative("a damping rate"),
            );
            v.value(
                key("angular_damping", "0", "rate at which its angular momentum dies away by itself [1/s]"),
                angular_damping,
                Holds::NotNegative("a damping rate"),
            );
            v.other(told("medium", "it feels none", "how the scene's `[medium]` acts on it; see there"));
            v.other(told("shape", "none", "one table, or an array of them"));
            v.other(told("shapes", "none", "the same word for several"));
            let default = "that of the material, else by the name";
            v.option(told("color", default, "in pictures: `\"#rrggbb\"`"), color, Holds::Elsewhere);
        }
);

impl Body {
    /// `world_from_body`, with an orientation of length 1.
    pub fn pose(&self) -> Pose {
        Pose::new(self.orientation.normalize(), self.position)
    }
}

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Color(pub [u8; 3]);

impl Color {
    /// `#rrggbb`, as scene files write it; `None` when it is not that.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let part = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok();
        Some(Self([part(0)?, part(1)?, part(2)?]))
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

/// How a body moves.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// By forces and contacts.
    #[default]
    Dynamic,
    /// Not at all.
    Static,
    /// As prescribed, whatever it meets; it reports the work that this took.
    Driven {
        /// Velocity of the centre of mass in world axes [m/s].
        linear_velocity: Vec3,
        /// Spin in world axes [rad/s].
        angular_velocity: Vec3,
        /// A path in time instead of a constant velocity; empty for none. Between two of them the body moves straight and turns
        /// about one axis, the short way, both at constant speed; before the first and after the last it rests.
        keyframes: Vec<Keyframe>,
        /// What the driver can give.
        limit: DriveLimit,
    },
}

impl Motion {
    /// The word that scene files use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Static => "static",
            Self::Driven { .. } => "driven",
        }
    }
}

/// A place on a driven body's path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Keyframe {
    /// Time [s].
    pub t: f64,
    /// Place of the body's frame [m].
    pub position: Vec3,
    /// Turn of the body's frame.
    pub orientation: Quat,
}

table!(
    Keyframe { t, position, orientation } | v | {
        v.value(needed("t", "the time [s]"), t, Holds::Finite);
        v.value(needed("position", "the place of the body's frame [m]"), position, Holds::Finite);
        let turn = key("orientation", "[1, 0, 0, 0]", "turn of the body's frame");
        v.value(turn, orientation, Holds::Rotation);
    }
);

/// What a driver can give (INTERFACE.md, Conventions).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DriveLimit {
    /// Whatever it takes.
    #[default]
    Unlimited,
    /// At most this torque about the driven axis; the driver is a body with its real inertia.
    Torque {
        /// Largest torque [N·m].
        max: f64,
    },
    /// At most this work in a step, over its length: the driver slows down to where its work is no more.
    Power {
        /// Largest power [W].
        max: f64,
    },
    /// Its contact impulses of a step are scaled down to this; the removed work is booked as `driver_cap`.
    Cap {
        /// Largest impulse of a step [N·s].
        impulse: f64,
    },
}

impl DriveLimit {
    /// Every kind's word with the keys of its own.
    pub const KINDS: &'static [(&'static str, &'static [&'static str])] =
        &[("unlimited", &[]), ("torque", &["max"]), ("power", &["max"]), ("cap", &["impulse"])];
}

/// World axes along and about which a body cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lock {
    /// Along x, y, z.
    pub linear: [bool; 3],
    /// About x, y, z.
    pub angular: [bool; 3],
}

impl Lock {
    /// Free in all six.
    pub const NONE: Self = Self { linear: [false; 3], angular: [false; 3] };
    /// The words that scene files use, in order.
    pub const WORDS: [&'static str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

    /// Adds the axis that `word` names; false when there is no such axis.
    pub fn add(&mut self, word: &str) -> bool {
        match Self::WORDS.iter().position(|known| *known == word) {
            Some(i) if i < 3 => self.linear[i] = true,
            Some(i) => self.angular[i - 3] = true,
            None => return false,
        }
        true
    }

    /// The words of the locked axes.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let locked = self.linear.into_iter().chain(self.angular);
        Self::WORDS.into_iter().zip(locked).filter(|(_, locked)| *locked).map(|(word, _)| word)
    }
}
