//! Shapes as a scene writes them.

use super::Scene;
use crate::scene::Named;
use crate::scene::keys::{Fill, Holds, Show, Table, key, needed, table, told};
use huygens_math::{Pose, Quat, Vec2, Vec3, scalar};

/// One shape of a body: its form, its place on the body, and what it is made of.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shape {
    /// The form.
    pub kind: ShapeKind,
    /// Place of the shape's origin in the body's frame [m].
    pub position: Vec3,
    /// Turn of the shape in the body's frame. Its length may be off by 1e-3; [`Shape::pose`] makes it 1.
    pub orientation: Quat,
    /// Name of a material; `None` for the defaults.
    pub material: Option<String>,
    /// Static and dynamic friction coefficient, over the material's.
    pub friction: Option<f64>,
    /// Coefficient of restitution, over the material's.
    pub restitution: Option<f64>,
    /// Density [kg/m³], over the material's.
    pub density: Option<f64>,
    /// Bits of the groups that the shape belongs to. Default 1.
    pub layer: u32,
    /// Bits of the groups that the shape meets. Two shapes meet when each one's mask has a bit of the other's layer.
    pub mask: u32,
    /// Reports contacts and gives no force; has no mass.
    pub sensor: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self::new(ShapeKind::Sphere { radius: 0.5 })
    }
}

impl Shape {
    /// A shape at the body's origin, of default material, that meets everything.
    pub fn new(kind: ShapeKind) -> Self {
        Self {
            kind,
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            material: None,
            friction: None,
            restitution: None,
            density: None,
            layer: 1,
            mask: u32::MAX,
            sensor: false,
        }
    }

    /// `body_from_shape`, with an orientation of length 1.
    pub fn pose(&self) -> Pose {
        Pose::new(self.orientation.normalize(), self.position)
    }
}

table!(
    Shape { position, orientation, material, friction, restitution, density, layer, mask, sensor } | v | {
        v.other(needed("kind", "one of those above"));
        v.value(key("position", "[0, 0, 0]", "in the body's frame [m]"), position, Holds::Finite);
        v.value(key("orientation", "[1, 0, 0, 0]", "in the body's frame"), orientation, Holds::Rotation);
        v.option(told("material", "none", "what it is made of, by name"), material, Holds::Elsewhere);
        v.option(
            told("friction", "the material's", "static and dynamic friction at once"),
            friction,
            Holds::NotNegative("a friction coefficient"),
        );
        v.option(
            told("restitution", "the material's", "share of the approach speed that comes back, from 0 to 1"),
            restitution,
            Holds::Within([0.0, 1.0], "a coefficient of restitution"),
        );
        v.option(told("density", "the material's", "[kg/m³]"), density, Holds::Positive("a density"));
        v.value(key("layer", "1", "bits of the layers that it is in"), layer, Holds::Elsewhere);
        v.value(key("mask", "4294967295", "bits of the layers that it meets"), mask, Holds::Elsewhere);
        let meaning = "reports contacts, gives no force, has no mass";
        v.value(key("sensor", "false", meaning), sensor, Holds::Elsewhere);
    }
);

/// The form of a shape. Primitives with an axis are about the origin.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ShapeKind {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A ball swept along a straight line.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length of the cylindrical part [m].
        length: f64,
        /// Direction of the line.
        axis: Axis,
    },
    /// A solid cylinder.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// The whole length [m].
        length: f64,
        /// Direction of its axis.
        axis: Axis,
    },
    /// A solid cone, its tip in the positive direction of the axis, its base and tip as far from the origin.
    Cone {
        /// Radius of the base [m].
        radius: f64,
        /// The whole length [m].
        length: f64,
        /// Direction of its axis.
        axis: Axis,
    },
    /// A box.
    Box {
        /// The full edges [m].
        size: Vec3,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes [m].
        radii: Vec3,
    },
    /// The convex hull of points.
    Hull {
        /// Where the points are.
        source: HullSource,
        /// Factor on the points, along each axis. Default 1.
        scale: Vec3,
    },
    /// A surface of triangles, counter-clockwise seen from outside; solid behind them.
    Mesh {
        /// Where the triangles are.
        source: MeshSource,
        /// Factor on the vertices, along each axis. Default 1.
        scale: Vec3,
    },
    /// Heights on a regular grid, along z; solid below.
    HeightField {
        /// Where the heights are.
        source: HeightSource,
        /// Extent along x and y [m], about the origin.
        size: Vec2,
    },
    /// Everything on one side of a plane: solid where `normal · p ≤ offset`.
    HalfSpace {
        /// Direction out of the solid; need not have length 1. Default z.
        normal: Vec3,
        /// Distance of the plane from the origin along the normal [m]. Default 0.
        offset: f64,
    },
    /// A rectangle without thickness, solid from both sides.
    Wall {
        /// The full edges [m].
        size: Vec2,
        /// Direction across it; need not have length 1. Default z.
        normal: Vec3,
    },
    /// The inside of a box: everything outside is solid.
    BoxInside {
        /// The full inner edges [m].
        size: Vec3,
    },
    /// The inside of a closed cylinder: everything outside is solid.
    CylinderInside {
        /// Inner radius [m].
        radius: f64,
        /// The whole inner length [m].
        length: f64,
        /// Direction of its axis.
        axis: Axis,
    },
}

/// Keys of a form with a radius, a length and an axis.
macro_rules! round {
    ($v:ident, $radius:ident, $length:ident, $axis:ident, $meaning:literal) => {{
        $v.value(needed("radius", "the radius [m]"), $radius, Holds::Positive("a radius"));
        $v.value(needed("length", $meaning), $length, Holds::Positive("a length"));
        $v.word(key("axis", "\"z\"", "`\"x\"`, `\"y\"` or `\"z\"`"), $axis);
    }};
}

/// Keys of every form; the fields are references of the kind that the walk needs.
macro_rules! forms {
    ($kind:expr, $v:ident) => {
        match $kind {
            ShapeKind::Sphere { radius } => {
                $v.value(needed("radius", "the radius [m]"), radius, Holds::Positive("a radius"));
            }
            ShapeKind::Capsule { radius, length, axis } => {
                round!($v, radius, length, axis, "that of the cylindrical part [m]");
            }
            ShapeKind::Cylinder { radius, length, axis }
            | ShapeKind::Cone { radius, length, axis }
            | ShapeKind::CylinderInside { radius, length, axis } => {
                round!($v, radius, length, axis, "the whole length [m]");
            }
            ShapeKind::Box { size } => {
                $v.value(needed("size", "the full edges [x, y, z] in metres"), size, EDGES);
            }
            ShapeKind::BoxInside { size } => {
                $v.value(needed("size", "the full inner edges [x, y, z] in metres"), size, EDGES);
            }
            ShapeKind::Ellipsoid { radii } => {
                let meaning = "the half axes [x, y, z] in metres";
                $v.value(needed("radii", meaning), radii, Holds::Sizes("the half axes"));
            }
            ShapeKind::Hull { scale, .. } => {
                $v.other(told("points", "`file` has them", "the corners [[x, y, z], …], or a `file`"));
                $v.other(told("file", "`points` is written", "an STL or OBJ file"));
                $v.scale(key("scale", "1", "factor on the points: one, or one for each axis"), scale);
            }
            ShapeKind::Mesh { scale, .. } => {
                let meaning = "the vertices [[x, y, z], …] with `triangles`, or a `file`";
                $v.other(told("vertices", "`file` has them", meaning));
                let meaning = "the corners [[a, b, c], …] of each triangle";
                $v.other(told("triangles", "`file` has them", meaning));
                $v.other(told("file", "`vertices` is written", "an STL or OBJ file"));
                $v.scale(key("scale", "1", "factor on the vertices: one, or one for each axis"), scale);
            }
            ShapeKind::HeightField { size, .. } => {
                $v.other(told("heights", "`file` has them", "rows of heights [[h, h, …], …], or a `file`"));
                $v.other(told("file", "`heights` is written", "a file of heights"));
                let meaning = "the extent [x, y] in metres";
                $v.value(needed("size", meaning), size, Holds::Sizes("the extent"));
            }
            ShapeKind::HalfSpace { normal, offset } => {
                let meaning = "direction out of the solid";
                $v.value(key("normal", "[0, 0, 1]", meaning), normal, Holds::Direction);
                let meaning = "distance of the plane from the origin along the normal [m]";
                $v.value(key("offset", "0", meaning), offset, Holds::Finite);
            }
            ShapeKind::Wall { size, normal } => {
                $v.value(needed("size", "the full edges [x, y] in metres"), size, EDGES);
                $v.value(key("normal", "[0, 0, 1]", "direction across it"), normal, Holds::Direction);
            }
        }
    };
}

const EDGES: Holds = Holds::Sizes("the full edges");

impl Table for ShapeKind {
    fn show<V: Show>(&self, v: &mut V) {
        forms!(self, v);
    }

    fn fill<V: Fill>(&mut self, v: &mut V) {
        forms!(self, v);
    }
}

impl ShapeKind {
    /// A form of each kind, all lengths 0.
    fn all() -> [Self; 13] {
        let (radius, length, axis, offset) = (0.0, 0.0, Axis::Z, 0.0);
        let (size, normal, scale) = (Vec3::ZERO, Vec3::Z, Vec3::ONE);
        let vertices = Vec::new();
        [
            Self::Sphere { radius },
            Self::Capsule { radius, length, axis },
            Self::Cylinder { radius, length, axis },
            Self::Cone { radius, length, axis },
            Self::Box { size },
            Self::Ellipsoid { radii: size },
            Self::Hull { source: HullSource::Points(Vec::new()), scale },
            Self::Mesh { source: MeshSource::Triangles { vertices, triangles: Vec::new() }, scale },
            Self::HeightField { source: HeightSource::Heights(Vec::new()), size: Vec2::ZERO },
            Self::HalfSpace { normal, offset },
            Self::Wall { size: Vec2::ZERO, normal },
            Self::BoxInside { size },
            Self::CylinderInside { radius, length, axis },
        ]
    }

    /// The words of all kinds, in the order of lists.
    pub fn words() -> [&'static str; 13] {
        Self::all().map(|kind| kind.word())
    }

    /// The kind that a word stands for, all lengths 0.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::all().into_iter().find(|kind| kind.word() == word)
    }

    /// The word that scene files use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Box { .. } => "box",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Hull { .. } => "hull",
            Self::Mesh { .. } => "mesh",
            Self::HeightField { .. } => "heightfield",
            Self::HalfSpace { .. } => "half-space",
            Self::Wall { .. } => "wall",
            Self::BoxInside { .. } => "box-inside",
            Self::CylinderInside { .. } => "cylinder-inside",
        }
    }

    /// A length of the size of the shape [m]: no point of a solid is farther from its origin, and it is not more than
    /// a few times too large. 0 where the size is not known here.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Capsule { radius, length, .. }
            | Self::Cylinder { radius, length, .. }
            | Self::Cone { radius, length, .. }
            | Self::CylinderInside { radius, length, .. } => radius + 0.5 * length,
            Self::Box { size } | Self::BoxInside { size } => 0.5 * size.length(),
            Self::Ellipsoid { radii } => radii.max_element(),
            Self::Hull { source: HullSource::Points(points), scale } => {
                points.iter().fold(0.0, |reach, p| scalar::max((*p * *scale).length(), reach))
            }
            Self::Wall { size, .. } | Self::HeightField { size, .. } => 0.5 * size.length(),
            Self::Mesh { source: MeshSource::Triangles { vertices, .. }, scale } => {
                vertices.iter().fold(0.0, |reach, p| scalar::max((*p * *scale).length(), reach))
            }
            Self::Hull { .. } | Self::Mesh { .. } | Self::HalfSpace { .. } => 0.0,
        }
    }

    /// True for a boundary: it has no volume of its own, so it cannot be on a dynamic body.
    pub fn is_boundary(&self) -> bool {
        matches!(
            self,
            Self::HalfSpace { .. }
                | Self::Wall { .. }
                | Self::BoxInside { .. }
                | Self::CylinderInside { .. }
                | Self::HeightField { .. }
        )
    }
}

/// A direction along a coordinate axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Axis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    #[default]
    Z,
}

impl Named for Axis {
    const NAMES: &'static [(&'static str, Self)] = &[("x", Self::X), ("y", Self::Y), ("z", Self::Z)];
}

impl Axis {
    /// The unit vector.
    pub fn vector(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }
}

/// Where a mesh's triangles are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MeshSource {
    /// In the scene.
    Triangles {
        /// The vertices [m].
        vertices: Vec<Vec3>,
        /// The corners of each triangle, counted from 0, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// In an STL or OBJ file, named relative to the scene file.
    File(String),
}

/// Where a hull's points are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HullSource {
    /// In the scene [m].
    Points(Vec<Vec3>),
    /// In an STL or OBJ file, named relative to the scene file.
    File(String),
}

/// Where a height field's heights are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HeightSource {
    /// In the scene [m]: rows along y, each with the same number of heights along x.
    Heights(Vec<Vec<f64>>),
    /// In a file, named relative to the scene file.
    File(String),
}

impl Scene {
    /// Every shape of the scene, those of repeated bodies once.
    pub fn shapes_mut(&mut self) -> impl Iterator<Item = &mut Shape> {
        let repeated = self.repeats.iter_mut().flat_map(|repeat| repeat.bodies.iter_mut());
        self.bodies.iter_mut().chain(repeated).flat_map(|body| body.shapes.iter_mut())
    }
}
