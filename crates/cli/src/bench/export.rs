//! A scene as the text that the programs under bench/ read, so that every engine gets the same bodies.
//!
//! ```text
//! scene NAME STEPS MU
//! mesh NV NT                                             one static triangle mesh: NV lines `v x y z`, NT lines `t i j k`
//! b FIXED KIND a b c  px py pz  qx qy qz qw  COLLIDE     KIND 0 sphere(r), 1 capsule(r, half length; axis y), 2 box(half edges)
//! ```
//! The y axis points up, g = 9.81 m/s², density 1000 kg/m³, dt = 1/60 s. Numbers are in their shortest form that reads back
//! with the same bits.

use huygens::geometry::CollisionShape;
use huygens::math::{Pose, Vec3};
use huygens::scene::{Axis, Body, Combine, Material, Motion, ShapeKind};
use huygens::{Scene, World};
use std::fmt::Write;

/// The text of a scene.
///
/// # Errors
/// What the scene has that the text cannot say.
pub fn text(name: &str, scene: &Scene) -> Result<String, String> {
    let world = &scene.world;
    if (world.gravity - Vec3::new(0.0, -9.81, 0.0)).length() > 1e-12 || (world.dt * 60.0 - 1.0).abs() > 1e-9 {
        return Err("the text means gravity = [0, -9.81, 0] and dt = 1/60".to_owned());
    }
    if !scene.joints.is_empty() || !scene.pairs.is_empty() {
        return Err("the text has no joints and no pairs of materials".to_owned());
    }
    let mut friction = None;
    let mut lines = meshes(scene)?;
    for placed in scene.expanded() {
        line(&mut lines, scene, &placed.body, &mut friction)
            .map_err(|problem| format!("{}: {problem}", placed.path))?;
    }
    let friction = friction.unwrap_or(0.5);
    Ok(format!("scene {name} {} {friction:?}\n{lines}", world.step_count()))
}

/// The surfaces of triangles, which the compiled world has with their corners.
fn meshes(scene: &Scene) -> Result<String, String> {
    let is_mesh = |kind: &ShapeKind| matches!(kind, ShapeKind::Mesh { .. } | ShapeKind::HeightField { .. });
    let count = scene.expanded().flat_map(|placed| placed.body.shapes).filter(|s| is_mesh(&s.kind)).count();
    let mut lines = String::new();
    if count == 0 {
        return Ok(lines);
    }
    if count > 1 {
        return Err("the text has one mesh at most".to_owned());
    }
    let world = World::new(scene).map_err(|errors| errors.to_string())?;
    for shape in &world.model().shapes {
        let CollisionShape::Mesh(mesh) = &shape.shape else { continue };
        let body = shape.body as usize;
        let pose = Pose::new(world.state().orientation[body], world.state().position[body]) * shape.in_body;
        let _ = writeln!(lines, "mesh {} {}", mesh.vertices().len(), mesh.triangles().len());
        for p in mesh.vertices().iter().map(|p| pose.transform(*p)) {
            let _ = writeln!(lines, "v {} {} {}", p.x, p.y, p.z);
        }
        for [i, j, k] in mesh.triangles() {
            let _ = writeln!(lines, "t {i} {j} {k}");
        }
    }
    Ok(lines)
}

fn line(lines: &mut String, scene: &Scene, body: &Body, common: &mut Option<f64>) -> Result<(), String> {
    let fixed = match body.motion {
        Motion::Dynamic => 0,
        Motion::Static => 1,
        Motion::Driven { .. } => return Err("the text has no driven bodies".to_owned()),
    };
    let [shape] = body.shapes.as_slice() else {
        return Err("the text wants one shape for a body".to_owned());
    };
    if shape.position != Vec3::ZERO || !shape.orientation.is_near_identity() {
        return Err("the text wants the shape at the body's origin".to_owned());
    }
    let material = shape.material.as_ref().and_then(|name| scene.materials.get(name));
    let friction = shape.friction.or(material.and_then(|m| m.surface.friction)).unwrap_or(0.5);
    if *common.get_or_insert(friction) != friction || scene.world.combine != Combine::Geometric {
        return Err("the text has one coefficient of friction for all".to_owned());
    }
    if matches!(shape.kind, ShapeKind::Mesh { .. } | ShapeKind::HeightField { .. }) {
        return Ok(());
    }
    let density = shape.density.or(material.and_then(|m| m.density));
    if density.is_some_and(|density| density != Material::DEFAULT_DENSITY) || body.mass.is_some() {
        return Err("the text has one density for all, 1000".to_owned());
    }
    let (kind, [a, b, c]) = match shape.kind {
        ShapeKind::Sphere { radius } => (0, [radius, 0.0, 0.0]),
        ShapeKind::Capsule { radius, length, axis: Axis::Y } => (1, [radius, length / 2.0, 0.0]),
        ShapeKind::Box { size } => (2, (size / 2.0).to_array()),
        _ => return Err("the text has spheres, boxes and capsules along y alone".to_owned()),
    };
    let (p, q) = (body.position, body.orientation.normalize());
    let _ = writeln!(
        lines,
        "b {fixed} {kind} {a} {b} {c} {} {} {} {} {} {} {} 1",
        p.x, p.y, p.z, q.x, q.y, q.z, q.w
    );
    Ok(())
}
