//! Shapes of a scene as geometry.

use crate::scene::{Axis, HeightSource, HullSource, MeshSource, SceneError, Shape, ShapeKind, SpecPath};
use huygens_geometry::{CollisionShape, ShapeError};
use huygens_math::{Pose, Quat, Vec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// The shape, and its pose in the body's frame: axes and normals of the scene become a turn of the shape's own.
pub(crate) fn compile(spec: &Shape, path: &SpecPath) -> Result<(CollisionShape, Pose), SceneError> {
    let mut placed = Pose::IDENTITY;
    let shape = match &spec.kind {
        ShapeKind::Sphere { radius } => CollisionShape::sphere(*radius),
        ShapeKind::Capsule { radius, length, axis } => {
            placed.rotation = along(*axis);
            CollisionShape::capsule(*radius, *length)
        }
        ShapeKind::Cylinder { radius, length, axis } => {
            placed.rotation = along(*axis);
            CollisionShape::cylinder(*radius, *length)
        }
        ShapeKind::Cone { radius, length, axis } => {
            placed.rotation = along(*axis);
            CollisionShape::cone(*radius, *length)
        }
        ShapeKind::Ellipsoid { radii } => CollisionShape::ellipsoid(*radii),
        ShapeKind::Box { size } => CollisionShape::cuboid(*size),
        ShapeKind::Hull { source: HullSource::Points(points), scale } => {
            let scaled: Vec<Vec3> = points.iter().map(|p| *p * *scale).collect();
            CollisionShape::hull(&scaled)
        }
        ShapeKind::Mesh { source: MeshSource::Triangles { vertices, triangles }, scale } => {
            mesh(vertices, triangles, *scale)
        }
        ShapeKind::HeightField { source: HeightSource::Heights(rows), size } => {
            CollisionShape::height_field(rows, *size)
        }
        ShapeKind::HalfSpace { normal, offset } => {
            let n = normal.normalize();
            placed = Pose::new(z_to(n), n * *offset);
            CollisionShape::half_space()
        }
        ShapeKind::Wall { size, normal } => {
            placed.rotation = z_to(normal.normalize());
            CollisionShape::wall(*size)
        }
        ShapeKind::BoxInside { size } => CollisionShape::box_inside(*size),
        ShapeKind::CylinderInside { radius, length, axis } => {
            placed.rotation = along(*axis);
            CollisionShape::cylinder_inside(*radius, *length)
        }
        ShapeKind::Hull { source: HullSource::File(file), .. }
        | ShapeKind::Mesh { source: MeshSource::File(file), .. }
        | ShapeKind::HeightField { source: HeightSource::File(file), .. } => {
            return Err(SceneError::new(
                path.key("file"),
                format_args!("{file:?}"),
                "the file was not loaded",
                "Load the scene with huygens_formats, which reads the files that it names.",
            ));
        }
    };
    let shape = shape.map_err(|error| shape_error(&error, spec, path))?;
    Ok((shape, spec.pose() * placed))
}

impl Shape {
    /// This shape as [`crate::World::overlap`] and [`crate::World::cast_shape`] ask for it, and its pose in the frame of the body.
    ///
    /// ```
    /// use huygens::math::{Pose, Vec3};
    /// use huygens::scene::{Body, Scene, Shape};
    /// use huygens::{Among, World};
    ///
    /// let body = Body::dynamic("rod").shape(Shape::capsule(0.1, 1.0)).at(0.0, 0.0, 0.5);
    /// let (shape, body_from_shape) = body.shapes[0].collision_shape()?;
    /// let world = World::new(&Scene::new().body(body))?;
    /// assert_eq!(world.overlap(&shape, &(Pose::at(Vec3::Z * 0.6) * body_from_shape), Among::ALL).len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A size out of range, a hull without volume, a mesh with faults, a file that was not loaded.
    pub fn collision_shape(&self) -> Result<(CollisionShape, Pose), SceneError> {
        compile(self, &SpecPath::top("shape"))
    }
}

/// A scaled mesh; where the scale mirrors it, its triangles are turned round so that they still look outwards.
fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]], scale: Vec3) -> Result<CollisionShape, ShapeError> {
    let scaled: Vec<Vec3> = vertices.iter().map(|p| *p * scale).collect();
    if scale.x * scale.y * scale.z > 0.0 {
        return CollisionShape::mesh(&scaled, triangles);
    }
    let turned: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    CollisionShape::mesh(&scaled, &turned)
}

fn shape_error(error: &ShapeError, spec: &Shape, path: &SpecPath) -> SceneError {
    // Geometry says what is wrong in its first sentence, and what to do in the others.
    let text = error.to_string();
    let (problem, remedy) = text.split_once(". ").unwrap_or((text.as_str(), ""));
    let kind = spec.kind.word();
    let problem = problem.strip_prefix(kind).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(problem);
    SceneError::new(path.clone(), format_args!("a {kind}"), problem, remedy)
}

/// The rotation that brings z to a coordinate axis.
fn along(axis: Axis) -> Quat {
    match axis {
        Axis::X => Quat::from_xyzw(0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2),
        Axis::Y => Quat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2),
        Axis::Z => Quat::IDENTITY,
    }
}

/// The shortest rotation that brings z to the unit vector `n`; half a turn about x when they are opposite.
fn z_to(n: Vec3) -> Quat {
    let w = 1.0 + n.z;
    // Near the opposite direction the axis z × n vanishes: go there by half a turn first.
    if w < 1e-9 {
        return Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    Quat::from_xyzw(-n.y, n.x, 0.0, w).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn axes_and_normals_are_reached() {
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            assert!((along(axis) * Vec3::Z - axis.vector()).length() < 1e-15);
        }
        let mut random = SplitMix::new(8);
        for _ in 0..1000 {
            let n = random.direction();
            assert!((z_to(n) * Vec3::Z - n).length() < 1e-14);
        }
        assert_eq!(z_to(-Vec3::Z) * Vec3::Z, -Vec3::Z);
    }
}
