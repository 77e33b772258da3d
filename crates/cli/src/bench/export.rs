//! A scene as the text that the programs under bench/ read, so that every engine gets the same bodies.
//!
//! ```text
//! scene NAME STEPS MU
//! b FIXED KIND a b c  px py pz  qx qy qz qw  COLLIDE     KIND 0 sphere(r), 1 capsule(r, half length; axis y), 2 box(half edges)
//! ```
//! The y axis points up, g = 9.81 m/s², density 1000 kg/m³, dt = 1/60 s. Numbers are in their shortest form that reads back
//! with the same bits.

use huygens::Scene;
use huygens::math::Vec3;
use huygens::scene::{Axis, BodySpec, Combine, MaterialSpec, Motion, ShapeKind};
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
    let mut lines = String::new();
    for placed in scene.expanded() {
        line(&mut lines, scene, &placed.body, &mut friction)
            .map_err(|problem| format!("{}: {problem}", placed.path))?;
    }
    let friction = friction.unwrap_or(0.5);
    Ok(format!("scene {name} {} {friction:?}\n{lines}", world.step_count()))
}

fn line(lines: &mut String, scene: &Scene, body: &BodySpec, common: &mut Option<f64>) -> Result<(), String> {
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
    let density = shape.density.or(material.and_then(|m| m.density));
    if density.is_some_and(|density| density != MaterialSpec::DEFAULT_DENSITY) || body.mass.is_some() {
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
