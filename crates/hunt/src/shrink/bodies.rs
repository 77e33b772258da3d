//! Fewer and plainer bodies.

use super::with;
use crate::generate::place::reach;
use crate::generate::settings::without_limit;
use huygens::Scene;
use huygens::math::{Quat, Vec3, scalar};
use huygens::scene::{Body, HullSource, Lock, Motion, Shape, ShapeKind};

/// Without one of the bodies and the joints that it has, the last one first; without one of the joints.
pub fn fewer_bodies(scene: &Scene) -> Vec<Scene> {
    let mut simpler = Vec::new();
    for at in (0..scene.bodies.len()).rev() {
        simpler.push(with(scene, |scene| {
            let gone = scene.bodies.remove(at).name;
            scene.joints.retain(|joint| joint.child != gone && joint.parent.as_ref() != Some(&gone));
        }));
    }
    for at in (0..scene.joints.len()).rev() {
        simpler.push(with(scene, |scene| {
            scene.joints.remove(at);
        }));
    }
    simpler
}

/// Without one of the shapes of a compound.
pub fn fewer_shapes(scene: &Scene) -> Vec<Scene> {
    each_body(scene, |body| {
        let several = if body.shapes.len() > 1 { body.shapes.len() } else { 0 };
        (0..several)
            .rev()
            .map(|at| {
                let mut fewer = body.clone();
                fewer.shapes.remove(at);
                fewer
            })
            .collect()
    })
}

/// A level half-space, or a box, instead of any other ground.
pub fn plainer_ground(scene: &Scene) -> Vec<Scene> {
    each_body(scene, |body| {
        if body.motion == Motion::Dynamic {
            return Vec::new();
        }
        let surface = body.shapes.first().cloned().unwrap_or_default();
        let level = Body {
            name: body.name.clone(),
            motion: Motion::Static,
            position: body.position,
            shapes: vec![Shape {
                kind: Shape::half_space().kind,
                position: Vec3::ZERO,
                orientation: Quat::IDENTITY,
                ..surface
            }],
            ..Body::default()
        };
        let at_origin = Body { position: Vec3::ZERO, ..level.clone() };
        let still = Body { motion: Motion::Static, ..body.clone() };
        let upright = Body { orientation: Quat::IDENTITY, ..body.clone() };
        vec![at_origin, level, still, upright]
    })
}

/// Without locks, forces, limits of drivers and of joints, and an own centre of mass.
pub fn plainer_motion(scene: &Scene) -> Vec<Scene> {
    let mut simpler = each_body(scene, |body| {
        let mut plain = vec![
            Body { lock: Lock::NONE, ..body.clone() },
            Body { force: Vec3::ZERO, torque: Vec3::ZERO, ..body.clone() },
            Body { gravity_scale: 1.0, ..body.clone() },
            Body { center_of_mass: None, ..body.clone() },
            Body { mass: None, inertia: None, ..body.clone() },
        ];
        plain.extend(without_limit(&body.motion).map(|motion| Body { motion, ..body.clone() }));
        plain
    });
    for at in 0..scene.joints.len() {
        simpler.push(with(scene, |scene| scene.joints[at].range = None));
        simpler.push(with(scene, |scene| scene.joints[at].velocity = 0.0));
    }
    simpler
}

/// A box or a ball for anything else, straight and in the middle of its body.
pub fn plainer_shapes(scene: &Scene) -> Vec<Scene> {
    each_body(scene, |body| {
        if body.motion != Motion::Dynamic {
            return Vec::new();
        }
        let mut plain = Vec::new();
        for at in 0..body.shapes.len() {
            let shape = &body.shapes[at];
            let kinds = plainer_kinds(&shape.kind);
            let kinds = kinds.into_iter().map(|kind| Shape { kind, ..shape.clone() });
            let straight = Shape { position: Vec3::ZERO, orientation: Quat::IDENTITY, ..shape.clone() };
            let dense = Shape { density: None, ..shape.clone() };
            for simpler in kinds.chain([straight, dense]) {
                let mut copy = body.clone();
                copy.shapes[at] = simpler;
                plain.push(copy);
            }
        }
        if let [shape] = body.shapes.as_slice() {
            // One shape in the middle of its body, where it stands in the world.
            let mut centered = body.clone();
            let pose = body.pose();
            centered.position = pose.transform(shape.position);
            centered.orientation = pose.rotation * shape.pose().rotation;
            centered.shapes[0] = Shape { position: Vec3::ZERO, orientation: Quat::IDENTITY, ..shape.clone() };
            plain.push(centered);
        }
        plain
    })
}

/// Plainer solids of the same size, the plainest first.
fn plainer_kinds(kind: &ShapeKind) -> Vec<ShapeKind> {
    let size = reach(&Body { shapes: vec![Shape::new(kind.clone())], ..Body::default() });
    let ball = |radius: f64| ShapeKind::Sphere { radius };
    match kind {
        ShapeKind::Sphere { .. } => Vec::new(),
        ShapeKind::Capsule { radius, .. } => vec![ball(*radius)],
        ShapeKind::Cylinder { radius, length, axis } => {
            vec![
                ball(scalar::min(*radius, 0.5 * length)),
                ShapeKind::Capsule { radius: *radius, length: *length, axis: *axis },
            ]
        }
        ShapeKind::Cone { radius, length, axis } => {
            vec![ball(*radius), ShapeKind::Cylinder { radius: *radius, length: *length, axis: *axis }]
        }
        ShapeKind::Ellipsoid { radii } => vec![ball(radii.min_element())],
        ShapeKind::Box { size } => {
            let (least, most) = (size.min_element(), size.max_element());
            vec![ball(0.5 * least), ShapeKind::Box { size: Vec3::splat(most) }]
        }
        ShapeKind::Hull { source: HullSource::Points(points), scale } => {
            let edge = size / 3.0_f64.sqrt() * 2.0;
            let mut plain = vec![ball(0.5 * size), ShapeKind::Box { size: Vec3::splat(edge) }];
            for at in (0..points.len()).rev().filter(|_| points.len() > 4) {
                let mut fewer = points.clone();
                fewer.remove(at);
                plain.push(ShapeKind::Hull { source: HullSource::Points(fewer), scale: *scale });
            }
            plain
        }
        _ => Vec::new(),
    }
}

/// A scene for each simpler form of each body.
pub fn each_body(scene: &Scene, simpler: impl Fn(&Body) -> Vec<Body>) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for (at, body) in scene.bodies.iter().enumerate().rev() {
        for plain in simpler(body).into_iter().filter(|plain| plain != body) {
            scenes.push(with(scene, |scene| scene.bodies[at] = plain));
        }
    }
    scenes
}
