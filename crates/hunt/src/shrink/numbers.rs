//! Bodies at rest, straight and in the middle, and numbers with fewer digits.

use super::bodies::each_body;
use super::with;
use huygens::Scene;
use huygens::math::{Quat, Vec2, Vec3};
use huygens::scene::{Body, HeightSource, HullSource, MeshSource, Motion, ShapeKind};

/// Velocities and turns that are zero, whole or along an axis.
pub fn stiller(scene: &Scene) -> Vec<Scene> {
    each_body(scene, |body| {
        if body.motion != Motion::Dynamic {
            return Vec::new();
        }
        let mut still = vec![
            Body { linear_velocity: Vec3::ZERO, ..body.clone() },
            Body { angular_velocity: Vec3::ZERO, ..body.clone() },
            Body { orientation: Quat::IDENTITY, ..body.clone() },
        ];
        for k in 0..3 {
            still.push(without(body, k, |body| &mut body.linear_velocity));
            still.push(without(body, k, |body| &mut body.angular_velocity));
            still.push(without(body, k, |body| &mut body.position));
        }
        still
    })
}

/// One component of a vector of a body is zero.
fn without(body: &Body, k: usize, vector: impl Fn(&mut Body) -> &mut Vec3) -> Body {
    let mut copy = body.clone();
    vector(&mut copy)[k] = 0.0;
    copy
}

/// All numbers of the scene, of one body, or of one property of a body with one, two or three digits.
pub fn rounder(scene: &Scene) -> Vec<Scene> {
    let mut simpler = Vec::new();
    for digits in [1, 2, 3] {
        simpler.push(with(scene, |scene| {
            round_world(scene, digits);
            for body in &mut scene.bodies {
                PARTS.iter().for_each(|part| part(body, digits));
            }
        }));
        simpler.push(with(scene, |scene| round_world(scene, digits)));
    }
    simpler.extend(each_body(scene, |body| {
        let mut plain = Vec::new();
        for digits in [1, 2, 3] {
            let mut whole = body.clone();
            PARTS.iter().for_each(|part| part(&mut whole, digits));
            plain.push(whole);
            for part in PARTS {
                let mut copy = body.clone();
                part(&mut copy, digits);
                plain.push(copy);
            }
        }
        plain
    }));
    simpler.retain(|candidate| candidate != scene);
    simpler
}

fn round_world(scene: &mut Scene, digits: usize) {
    for joint in &mut scene.joints {
        joint.anchor = vector(joint.anchor, digits);
        joint.axis = vector(joint.axis, digits);
    }
    scene.world.length = rounded(scene.world.length, digits);
    scene.world.gravity = vector(scene.world.gravity, digits + 2);
    for material in scene.materials.values_mut() {
        let surface = &mut material.surface;
        for number in [&mut surface.friction_torsional, &mut surface.friction_rolling] {
            *number = number.map(|x| rounded(x, digits));
        }
        material.surface_velocity = material.surface_velocity.map(|v| vector(v, digits));
    }
}

/// The properties of a body that are rounded together.
const PARTS: [fn(&mut Body, usize); 5] = [
    |body, digits| body.position = vector(body.position, digits),
    |body, digits| body.linear_velocity = vector(body.linear_velocity, digits),
    |body, digits| body.angular_velocity = vector(body.angular_velocity, digits),
    |body, digits| {
        body.orientation = turn(body.orientation, digits);
        for shape in &mut body.shapes {
            shape.orientation = turn(shape.orientation, digits);
        }
    },
    |body, digits| {
        body.center_of_mass = body.center_of_mass.map(|center| vector(center, digits));
        body.force = vector(body.force, digits);
        for shape in &mut body.shapes {
            shape.position = vector(shape.position, digits);
            shape.friction = shape.friction.map(|mu| rounded(mu, digits));
            shape.restitution = shape.restitution.map(|e| rounded(e, digits));
            round_kind(&mut shape.kind, digits);
        }
    },
];

fn round_kind(kind: &mut ShapeKind, digits: usize) {
    match kind {
        ShapeKind::Sphere { radius } => *radius = rounded(*radius, digits),
        ShapeKind::Capsule { radius, length, .. }
        | ShapeKind::Cylinder { radius, length, .. }
        | ShapeKind::Cone { radius, length, .. }
        | ShapeKind::CylinderInside { radius, length, .. } => {
            (*radius, *length) = (rounded(*radius, digits), rounded(*length, digits));
        }
        ShapeKind::Box { size } | ShapeKind::BoxInside { size } => *size = vector(*size, digits),
        ShapeKind::Ellipsoid { radii } => *radii = vector(*radii, digits),
        ShapeKind::Hull { source: HullSource::Points(points), .. } => {
            points.iter_mut().for_each(|point| *point = vector(*point, digits));
        }
        ShapeKind::HeightField { source: HeightSource::Heights(heights), size } => {
            heights.iter_mut().flatten().for_each(|height| *height = rounded(*height, digits));
            *size = Vec2::new(rounded(size.x, digits), rounded(size.y, digits));
        }
        ShapeKind::Mesh { source: MeshSource::Triangles { vertices, .. }, .. } => {
            vertices.iter_mut().for_each(|vertex| *vertex = vector(*vertex, digits));
        }
        ShapeKind::Wall { size, .. } => *size = Vec2::new(rounded(size.x, digits), rounded(size.y, digits)),
        _ => {}
    }
}

/// A unit quaternion with few digits. One digit of any but the plainest is too far from length 1, so there is one more.
fn turn(q: Quat, digits: usize) -> Quat {
    let [x, y, z, w] = q.to_array().map(|part| rounded(part, digits + 1));
    Quat::from_xyzw(x, y, z, w).normalize()
}

fn vector(v: Vec3, digits: usize) -> Vec3 {
    Vec3::from_array(v.to_array().map(|x| rounded(x, digits)))
}

/// A number with so many significant decimal digits, by way of its text, so that it is short in a file too.
fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits.saturating_sub(1)).parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_number_is_short_and_stays_itself() {
        assert_eq!(rounded(0.123_456, 2), 0.12);
        assert_eq!(rounded(-1234.5, 1), -1000.0);
        assert_eq!(rounded(0.0, 1), 0.0);
        assert_eq!(rounded(rounded(0.777, 2), 2), rounded(0.777, 2));
    }
}
