//! Shapes of a scene as geometry.

use crate::scene::{Axis, HullSource, SceneError, ShapeKind, ShapeSpec, SpecPath};
use huygens_geometry::{Shape, ShapeError};
use huygens_math::{Pose, Quat, Vec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// The shape, and its pose in the body's frame: axes and normals of the scene become a turn of the shape's own.
pub(crate) fn compile(spec: &ShapeSpec, path: &SpecPath) -> Result<(Shape, Pose), SceneError> {
    let mut placed = Pose::IDENTITY;
    let shape = match &spec.kind {
        ShapeKind::Sphere { radius } => Shape::sphere(*radius),
        ShapeKind::Capsule { radius, length, axis } => {
            placed.rotation = along(*axis);
            Shape::capsule(*radius, *length)
        }
        ShapeKind::Cylinder { radius, length, axis } => {
            placed.rotation = along(*axis);
            Shape::cylinder(*radius, *length)
        }
        ShapeKind::Box { size } => Shape::cuboid(*size),
        ShapeKind::Hull { source: HullSource::Points(points), scale } => {
            let scaled: Vec<Vec3> = points.iter().map(|p| *p * *scale).collect();
            Shape::hull(&scaled)
        }
        ShapeKind::HalfSpace { normal, offset } => {
            let n = normal.normalize();
            placed = Pose::new(z_to(n), n * *offset);
            Shape::half_space()
        }
        ShapeKind::Wall { size, normal } => {
            placed.rotation = z_to(normal.normalize());
            Shape::wall(*size)
        }
        ShapeKind::BoxInside { size } => Shape::box_inside(*size),
        ShapeKind::CylinderInside { radius, length, axis } => {
            placed.rotation = along(*axis);
            Shape::cylinder_inside(*radius, *length)
        }
        ShapeKind::Hull { source: HullSource::File(file), .. } | ShapeKind::Mesh { file, .. } => {
            return Err(SceneError::new(
                path.key("file"),
                format_args!("{file:?}"),
                "the file was not loaded",
                "Load the scene with huygens_formats, which reads the files that it names.",
            ));
        }
        ShapeKind::Cone { .. } | ShapeKind::Ellipsoid { .. } | ShapeKind::HeightField { .. } => {
            return Err(SceneError::new(
                path.key("kind"),
                format_args!("{:?}", spec.kind.word()),
                "this kind of shape is not built yet",
                "Use a hull of points on its surface.",
            ));
        }
    };
    let shape = shape.map_err(|error| shape_error(&error, spec, path))?;
    Ok((shape, spec.pose() * placed))
}

fn shape_error(error: &ShapeError, spec: &ShapeSpec, path: &SpecPath) -> SceneError {
    SceneError::new(path.clone(), spec.kind.word(), error.to_string(), "")
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
