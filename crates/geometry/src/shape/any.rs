//! Any shape, and the gate through which shapes come in.

use super::{
    BoxInside, Capsule, Cone, Cuboid, Cylinder, CylinderInside, Ellipsoid, Hull, ShapeError, Sphere,
    TriangleMesh, Wall,
};
use crate::support::Support;
use huygens_math::{Vec2, Vec3};
use std::sync::Arc;

/// Smallest and largest length that a shape may have [m].
///
/// An inertia tensor grows with the fifth power of the length and its determinant with the fifteenth: inside this
/// range both are ordinary numbers at any density that matter has, and no product in the geometry underflows.
pub const LENGTH_RANGE: [f64; 2] = [1e-15, 1e15];

/// Any shape. Cheap to clone.
///
/// ```
/// use huygens_geometry::CollisionShape;
/// use huygens_math::{Pose, Vec3};
///
/// let crate_ = CollisionShape::cuboid(Vec3::new(0.2, 0.4, 0.6))?;
/// let solid = crate_.mass_properties(500.0).expect("a box has a volume");
/// assert!((solid.mass - 24.0).abs() < 1e-12);
/// assert_eq!(crate_.aabb(&Pose::at(Vec3::X)).max, Vec3::new(1.1, 0.2, 0.3));
///
/// let error = CollisionShape::sphere(-1.0).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "sphere: radius is -1.0 m; must be from 1e-15 to 1e15 m. Give it a positive length in metres."
/// );
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub enum CollisionShape {
    /// A ball.
    Sphere(Sphere),
    /// A ball swept along z.
    Capsule(Capsule),
    /// A box.
    Box(Cuboid),
    /// A solid cylinder.
    Cylinder(Cylinder),
    /// A solid cone.
    Cone(Cone),
    /// A solid ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A convex polyhedron.
    Hull(Arc<Hull>),
    /// A surface of triangles, solid behind them; height fields too.
    Mesh(Arc<TriangleMesh>),
    /// Everything with z ≤ 0.
    HalfSpace,
    /// A finite wall.
    Wall(Wall),
    /// The inside of a box.
    BoxInside(BoxInside),
    /// The inside of a cylinder.
    CylinderInside(CylinderInside),
}

impl CollisionShape {
    /// A ball of `radius` [m] about the origin.
    ///
    /// # Errors
    /// When a length is not within [`LENGTH_RANGE`]; so for all primitives.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        check("sphere", "radius", radius)?;
        Ok(Self::Sphere(Sphere { radius }))
    }

    /// A ball of `radius` swept along z; `length` is that of the cylindrical part [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`]; a capsule without length is a sphere, and the error says so.
    pub fn capsule(radius: f64, length: f64) -> Result<Self, ShapeError> {
        check("capsule", "radius", radius)?;
        if length <= 0.0 {
            let remedy = "A capsule without length is a sphere: use a sphere of the same radius.";
            return Err(ShapeError::BadSize { shape: "capsule", field: "length", value: length, remedy });
        }
        check("capsule", "length", length)?;
        Ok(Self::Capsule(Capsule { radius, half_length: 0.5 * length }))
    }

    /// A box with full edges `size` [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn cuboid(size: Vec3) -> Result<Self, ShapeError> {
        Ok(Self::Box(Cuboid { half: half_edges("box", size)? }))
    }

    /// A solid cylinder about z of full `length` [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn cylinder(radius: f64, length: f64) -> Result<Self, ShapeError> {
        check("cylinder", "radius", radius)?;
        check("cylinder", "length", length)?;
        Ok(Self::Cylinder(Cylinder { radius, half_length: 0.5 * length }))
    }

    /// A solid cone about z of full `length` [m], its tip in the direction of z.
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn cone(radius: f64, length: f64) -> Result<Self, ShapeError> {
        check("cone", "radius", radius)?;
        check("cone", "length", length)?;
        Ok(Self::Cone(Cone { radius, half_length: 0.5 * length }))
    }

    /// A solid ellipsoid with half axes `radii` [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn ellipsoid(radii: Vec3) -> Result<Self, ShapeError> {
        check("ellipsoid", "radii.x", radii.x)?;
        check("ellipsoid", "radii.y", radii.y)?;
        check("ellipsoid", "radii.z", radii.z)?;
        Ok(Self::Ellipsoid(Ellipsoid { radii }))
    }

    /// A surface of triangles, counter-clockwise seen from outside; see [`TriangleMesh::new`].
    ///
    /// # Errors
    /// As [`TriangleMesh::new`].
    pub fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        Ok(Self::Mesh(Arc::new(TriangleMesh::new(vertices, triangles)?)))
    }

    /// Heights [m] over a regular grid, solid below: `rows` along y, each with heights along x; the grid has the extent
    /// `size` about the origin.
    ///
    /// # Errors
    /// As [`TriangleMesh::height_field`].
    pub fn height_field(rows: &[Vec<f64>], size: Vec2) -> Result<Self, ShapeError> {
        check("heightfield", "size.x", size.x)?;
        check("heightfield", "size.y", size.y)?;
        Ok(Self::Mesh(Arc::new(TriangleMesh::height_field(rows, size)?)))
    }

    /// The convex hull of `points` [m], which stay where they are.
    ///
    /// # Errors
    /// See [`Hull::new`].
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// Everything with z ≤ 0; its surface looks along +z.
    ///
    /// # Errors
    /// None; a `Result` like its siblings.
    pub fn half_space() -> Result<Self, ShapeError> {
        Ok(Self::HalfSpace)
    }

    /// A wall without thickness in the xy plane with full edges `size` [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn wall(size: Vec2) -> Result<Self, ShapeError> {
        check("wall", "size.x", size.x)?;
        check("wall", "size.y", size.y)?;
        Ok(Self::Wall(Wall { half: 0.5 * size }))
    }

    /// The inside of a box with full inner edges `size` [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn box_inside(size: Vec3) -> Result<Self, ShapeError> {
        Ok(Self::BoxInside(BoxInside { half: half_edges("box-inside", size)? }))
    }

    /// The inside of a closed cylinder about z of full inner `length` [m].
    ///
    /// # Errors
    /// As [`CollisionShape::sphere`].
    pub fn cylinder_inside(radius: f64, length: f64) -> Result<Self, ShapeError> {
        check("cylinder-inside", "radius", radius)?;
        check("cylinder-inside", "length", length)?;
        Ok(Self::CylinderInside(CylinderInside { radius, half_length: 0.5 * length }))
    }

    /// The point of the surface farthest along a unit `direction`, of shapes that are smooth and have no flat part: as such a body turns,
    /// the point at which it touches runs over it.
    pub fn smooth_support(&self, direction: Vec3) -> Option<Vec3> {
        match self {
            Self::Sphere(s) => Some(direction * s.radius),
            Self::Ellipsoid(s) => Some(s.support(direction).point),
            _ => None,
        }
    }

    /// Name of the kind, as in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Capsule(_) => "capsule",
            Self::Box(_) => "box",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
            Self::Hull(_) => "hull",
            Self::Mesh(mesh) => mesh.kind(),
            Self::HalfSpace => "half-space",
            Self::Wall(_) => "wall",
            Self::BoxInside(_) => "box-inside",
            Self::CylinderInside(_) => "cylinder-inside",
        }
    }
}

fn half_edges(shape: &'static str, size: Vec3) -> Result<Vec3, ShapeError> {
    check(shape, "size.x", size.x)?;
    check(shape, "size.y", size.y)?;
    check(shape, "size.z", size.z)?;
    Ok(0.5 * size)
}

fn check(shape: &'static str, field: &'static str, value: f64) -> Result<(), ShapeError> {
    if (LENGTH_RANGE[0]..=LENGTH_RANGE[1]).contains(&value) {
        return Ok(());
    }
    let remedy = if value > LENGTH_RANGE[1] && value.is_finite() {
        "Check the unit: lengths are in metres."
    } else if value > 0.0 && value.is_finite() {
        "Check the unit: lengths are in metres; a shape this small has no mass that can be computed with."
    } else {
        "Give it a positive length in metres."
    };
    Err(ShapeError::BadSize { shape, field, value, remedy })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: [f64; 10] =
        [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 1e-308, 9.9e-16, 1.1e15];

    type Make = fn(f64) -> Result<CollisionShape, ShapeError>;

    const MAKERS: [(&str, &str, Make); 21] = [
        ("sphere", "radius", CollisionShape::sphere),
        ("capsule", "radius", |x| CollisionShape::capsule(x, 1.0)),
        ("capsule", "length", |x| CollisionShape::capsule(1.0, x)),
        ("box", "size.x", |x| CollisionShape::cuboid(Vec3::new(x, 1.0, 1.0))),
        ("box", "size.y", |x| CollisionShape::cuboid(Vec3::new(1.0, x, 1.0))),
        ("box", "size.z", |x| CollisionShape::cuboid(Vec3::new(1.0, 1.0, x))),
        ("cylinder", "radius", |x| CollisionShape::cylinder(x, 1.0)),
        ("cylinder", "length", |x| CollisionShape::cylinder(1.0, x)),
        ("cone", "radius", |x| CollisionShape::cone(x, 1.0)),
        ("cone", "length", |x| CollisionShape::cone(1.0, x)),
        ("ellipsoid", "radii.x", |x| CollisionShape::ellipsoid(Vec3::new(x, 1.0, 1.0))),
        ("ellipsoid", "radii.y", |x| CollisionShape::ellipsoid(Vec3::new(1.0, x, 1.0))),
        ("ellipsoid", "radii.z", |x| CollisionShape::ellipsoid(Vec3::new(1.0, 1.0, x))),
        ("wall", "size.x", |x| CollisionShape::wall(Vec2::new(x, 1.0))),
        ("wall", "size.y", |x| CollisionShape::wall(Vec2::new(1.0, x))),
        ("box-inside", "size.x", |x| CollisionShape::box_inside(Vec3::new(x, 1.0, 1.0))),
        ("box-inside", "size.y", |x| CollisionShape::box_inside(Vec3::new(1.0, x, 1.0))),
        ("box-inside", "size.z", |x| CollisionShape::box_inside(Vec3::new(1.0, 1.0, x))),
        ("cylinder-inside", "radius", |x| CollisionShape::cylinder_inside(x, 1.0)),
        ("cylinder-inside", "length", |x| CollisionShape::cylinder_inside(1.0, x)),
        ("hull", "extent", |x| CollisionShape::hull(&[Vec3::ZERO, x * Vec3::X, x * Vec3::Y, x * Vec3::Z])),
    ];

    #[test]
    fn a_bad_length_gives_an_error_that_names_shape_field_value_and_remedy() {
        for (shape, field, make) in MAKERS.iter().filter(|m| m.0 != "hull") {
            for value in BAD {
                let error = make(value).expect_err(shape);
                let text = error.to_string();
                assert!(text.starts_with(&format!("{shape}: {field} is {value:?} m;")), "{text}");
                assert!(text.len() > 60 && text.ends_with('.'), "{text}");
            }
            for value in [LENGTH_RANGE[0], 1e-6, 1.0, 1e4, LENGTH_RANGE[1]] {
                assert_eq!(make(value).unwrap().kind(), *shape);
            }
        }
    }

    #[test]
    fn a_bad_hull_size_is_an_error_too() {
        let (_, _, make) = MAKERS[20];
        for value in BAD.into_iter().filter(|v| *v != -1.0) {
            let text = make(value).expect_err("hull").to_string();
            assert!(text.starts_with("hull: "), "{text}");
        }
        assert!(make(1e-15).is_ok() && make(1e15).is_ok());
    }

    #[test]
    fn a_capsule_without_length_is_told_to_be_a_sphere() {
        assert!(CollisionShape::capsule(0.1, 0.0).unwrap_err().to_string().contains("use a sphere"));
    }
}
