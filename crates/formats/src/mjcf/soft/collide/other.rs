//! Pairs that MuJoCo solves by iteration: here the engine's own narrow phase finds their touches.

use super::super::super::model::{Geom, GeomKind, Model};
use super::super::contact::{Touch, frame};
use huygens_geometry::shape::Hull;
use huygens_geometry::{CollisionShape, Manifold, collide};
use huygens_math::{Pose, Vec2, Vec3};
use std::sync::Arc;

/// The shape of a geom; `None` for one that has no volume.
pub(crate) fn shape(model: &Model, g: &Geom) -> Option<CollisionShape> {
    let [a, b, c] = g.size;
    match g.kind {
        GeomKind::Plane => Some(CollisionShape::HalfSpace),
        GeomKind::Sphere => CollisionShape::sphere(a).ok(),
        GeomKind::Capsule => CollisionShape::capsule(a, 2.0 * b).ok(),
        GeomKind::Cylinder => CollisionShape::cylinder(a, 2.0 * b).ok(),
        GeomKind::Ellipsoid => CollisionShape::ellipsoid(Vec3::new(a, b, c)).ok(),
        GeomKind::Box => CollisionShape::cuboid(Vec3::new(a, b, c) * 2.0).ok(),
        GeomKind::Mesh | GeomKind::Sdf => {
            let mesh = &model.meshes[g.mesh?];
            Hull::with_tolerance(&mesh.vertices, 1e-6).ok().map(|hull| CollisionShape::Hull(Arc::new(hull)))
        }
        GeomKind::HeightField => {
            let field = &model.hfields[g.hfield?];
            let rows = field.elevation.chunks(field.columns.max(1));
            let heights: Vec<Vec<f64>> =
                rows.map(|row| row.iter().map(|h| h * field.size[2]).collect()).collect();
            CollisionShape::height_field(&heights, Vec2::new(2.0 * field.size[0], 2.0 * field.size[1])).ok()
        }
    }
}

pub(super) fn touch(
    shapes: [&Option<CollisionShape>; 2],
    a: &Pose,
    b: &Pose,
    margin: f64,
    manifolds: &mut Vec<Manifold>,
    out: &mut Vec<Touch>,
) {
    let [Some(x), Some(y)] = shapes else { return };
    manifolds.clear();
    collide(x, y, &(a.inverse() * *b), margin, manifolds);
    for manifold in manifolds.iter() {
        // Manifolds have normals from B to A, in A's frame.
        let normal = -a.rotate(manifold.normal);
        for point in manifold.points().iter().filter(|p| p.gap <= margin) {
            let pos = (a.transform(point.on_a) + b.transform(point.on_b)) * 0.5;
            out.push(Touch { pos, dist: point.gap, frame: frame(normal, None) });
        }
    }
}
