//! A medium, and springs, as a scene writes them.

use crate::scene::keys::{Holds, key, needed, table, told};
use huygens_math::Vec3;

/// What fills the space around the bodies: `[medium]`. It acts on bodies that have a `medium` of their own.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MediumSpec {
    /// Density [kg/m³]. Default 1.225, air.
    pub density: f64,
    /// Height of its surface, against gravity [m]; `None` when it is everywhere.
    pub surface: Option<f64>,
    /// Its motion: the sum of these fields.
    pub wind: Vec<WindSpec>,
}

impl Default for MediumSpec {
    fn default() -> Self {
        Self { density: 1.225, surface: None, wind: Vec::new() }
    }
}

table!(
    MediumSpec { density, surface } | v | {
        v.value(
            key("density", "1.225", "ρ [kg/m³]; the default is air, water has 1000"),
            density,
            Holds::NotNegative("the density of the medium"),
        );
        v.option(
            told("surface", "it is everywhere", "height of its surface, against gravity [m]"),
            surface,
            Holds::Finite,
        );
        v.other(told(
            "wind",
            "at rest",
            "its velocity `[x, y, z]` [m/s], a field, or an array of fields that add up",
        ));
    }
);

table!(
    WindSpec { velocity, gradient, origin, region } | v | {
        v.value(key("velocity", "[0, 0, 0]", "at `origin` [m/s]"), velocity, Holds::Finite);
        v.value(
            key(
                "gradient",
                "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]",
                "G in u(x) = velocity + G (x − origin), by rows [1/s]: shear, whirl, spread",
            ),
            gradient,
            Holds::Finite,
        );
        let meaning = "where the wind has `velocity` [m]";
        v.value(key("origin", "[0, 0, 0]", meaning), origin, Holds::Finite);
        v.option(
            told("region", "everywhere", "lowest and highest corner of the box that it blows in [m]"),
            region,
            Holds::Elsewhere,
        );
    }
);

table!(
    BodyMediumSpec { drag, area, linear_drag, lift, span, magnus, buoyancy } | v | {
        v.value(
            key("drag", "0", "C_d of the drag −½ρ C_d A \\|w\\| w; a ball has 0.47"),
            drag,
            Holds::NotNegative("drag"),
        );
        v.option(
            told(
                "area",
                "a quarter of the surface of the shapes",
                "A of drag and lift [m²]; the default is the mean shadow of a convex body, π r² of a ball",
            ),
            area,
            Holds::Positive("the area"),
        );
        v.value(
            key(
                "linear_drag",
                "0",
                "c of the drag −c w [N·s/m]; 6π η r of a small ball in a fluid of viscosity η",
            ),
            linear_drag,
            Holds::NotNegative("drag"),
        );
        v.value(key("lift", "0", "C_L of the lift −½ρ C_L A \\|w\\| a × w"), lift, Holds::Finite);
        let direction = key("span", "\"y\"", "direction a of the span in the body's axes, for lift");
        v.direction(direction, span);
        v.value(key("magnus", "0", "S of the Magnus force S ω × w [kg]"), magnus, Holds::Finite);
        let meaning = "lifted by the weight of what it displaces, at the centroid of that";
        v.value(key("buoyancy", "false", meaning), buoyancy, Holds::Elsewhere);
    }
);

table!(
    Spring { name, bodies, anchors, stiffness, damping, length } | v | {
        v.value(told("name", "`spring0`, `spring1`, …", "unique among springs"), name, Holds::Elsewhere);
        let meaning = "one name, the other end is in the world, or two names";
        v.value(needed("bodies", meaning), bodies, Holds::Elsewhere);
        let meaning = "its two ends, in world coordinates at the scene's pose [m]";
        v.value(needed("anchors", meaning), anchors, Holds::Finite);
        v.value(
            needed("stiffness", "k of the force −k (l − length) along its line [N/m]; 0 for a damper alone"),
            stiffness,
            Holds::NotNegative("the stiffness"),
        );
        v.value(
            key("damping", "0", "c of the force −c l' along its line [N·s/m]"),
            damping,
            Holds::NotNegative("the damping"),
        );
        v.option(
            told("length", "the distance of the anchors", "at rest [m]"),
            length,
            Holds::NotNegative("the length at rest"),
        );
    }
);

/// A field of wind: u(x) = velocity + gradient·(x − origin), in a box or everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WindSpec {
    /// Velocity at `origin` [m/s].
    pub velocity: Vec3,
    /// Rows of ∂u/∂x [1/s].
    pub gradient: [Vec3; 3],
    /// Where the wind has `velocity` [m].
    pub origin: Vec3,
    /// Lowest and highest corner of the box that it blows in; `None` for everywhere [m].
    pub region: Option<[Vec3; 2]>,
}

/// How the medium acts on a body: `medium` of a `[[body]]`. What is 0 does not act.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyMediumSpec {
    /// Drag coefficient C_d.
    pub drag: f64,
    /// Area of drag and lift [m²]; `None` for a quarter of the surface of the shapes, the mean shadow of a convex body.
    pub area: Option<f64>,
    /// Linear drag [N·s/m].
    pub linear_drag: f64,
    /// Lift coefficient C_L.
    pub lift: f64,
    /// Direction of the span in the body's axes, for lift. Default y.
    pub span: Vec3,
    /// Magnus coefficient S of the force S ω × (v − u) [kg].
    pub magnus: f64,
    /// Whether the body is lifted by the weight of what it displaces.
    pub buoyancy: bool,
}

impl Default for BodyMediumSpec {
    fn default() -> Self {
        Self {
            drag: 0.0,
            area: None,
            linear_drag: 0.0,
            lift: 0.0,
            span: Vec3::Y,
            magnus: 0.0,
            buoyancy: false,
        }
    }
}

/// A spring with a damper between two points: `[[spring]]`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Spring {
    /// Its name, unique among springs.
    pub name: String,
    /// The bodies of its two ends; with one name the other end is in the world.
    pub bodies: Vec<String>,
    /// Its two ends, in world coordinates at the scene's pose [m].
    pub anchors: [Vec3; 2],
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Damping [N·s/m].
    pub damping: f64,
    /// Length at rest [m]; `None` for the distance of the anchors.
    pub length: Option<f64>,
}
