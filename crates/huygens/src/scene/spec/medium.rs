//! A medium, and springs, as a scene writes them.

use huygens_math::Vec3;

/// What fills the space around the bodies: `[medium]`. It acts on bodies that have a `medium` of their own.
#[derive(Clone, Debug, PartialEq)]
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

/// A field of wind: u(x) = velocity + gradient·(x − origin), in a box or everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
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
pub struct SpringSpec {
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
