//! The medium and the springs of a scene as the engine knows them.

use crate::force::{ExposedBody, MediumModel, Solid, SpringEnd, SpringModel};
use crate::model::{Model, Motion};
use crate::scene::{Body, Scene, SceneError, SpecPath, WorldSpec};
use crate::state::State;
use huygens_dynamics::force::{Ball, FlowForce, SpringLaw, Submerged, Wind};
use huygens_geometry::CollisionShape;
use huygens_geometry::tessellation::{Fineness, Surface};
use huygens_math::{Pose, Vec3};
use std::f64::consts::PI;

/// Faces around the axis of a round shape that displaces a medium.
const AROUND: usize = 32;

/// Unit vector against gravity; without gravity the axis that is up by default.
pub(crate) fn up(world: &WorldSpec) -> Vec3 {
    let g = world.gravity;
    if g == Vec3::ZERO { world.up() } else { -g / g.length() }
}

/// The medium of a scene.
pub(super) fn medium(scene: &Scene) -> Option<MediumModel> {
    let medium = scene.medium.as_ref()?;
    let wind = medium.wind.iter().map(|wind| Wind {
        velocity: wind.velocity,
        gradient: wind.gradient,
        origin: wind.origin,
        region: wind.region,
    });
    Some(MediumModel {
        density: medium.density,
        surface: medium.surface,
        up: up(&scene.world),
        wind: wind.collect(),
    })
}

/// What the medium and damping do to a body; `None` when they do nothing. Shapes in the body's frame, `center` its centre of mass.
pub(super) fn exposed(
    model: &Model,
    spec: &Body,
    shapes: &[(CollisionShape, Pose)],
    center: Vec3,
    path: &SpecPath,
) -> Result<Option<ExposedBody>, SceneError> {
    let damping = [spec.linear_damping, spec.angular_damping];
    let Some(of_body) = &spec.medium else {
        return Ok((damping != [0.0; 2]).then(|| ExposedBody { damping, ..ExposedBody::default() }));
    };
    let Some(medium) = &model.forces.medium else {
        let problem = "the body is to feel a medium, and the world has none";
        return Err(SceneError::new(
            path.key("medium"),
            "",
            problem,
            "Make the world of a scene with [medium].",
        ));
    };
    let mut whole = Submerged::default();
    let (mut area, mut solids) = (0.0, Vec::new());
    for ((shape, in_frame), _) in shapes.iter().zip(&spec.shapes).filter(|(_, part)| !part.sensor) {
        let in_body = Pose::new(in_frame.rotation, in_frame.translation - center);
        let solid = shape.mass_properties(1.0).map(|solid| solid.transformed(&in_body));
        let (volume, centroid) = solid.map_or((0.0, Vec3::ZERO), |solid| (solid.mass, solid.center));
        whole.add(&Submerged { volume, moment: centroid * volume });
        area += displaced(shape, &in_body, volume, &mut solids);
    }
    let pressure = 0.5 * medium.density * of_body.area.unwrap_or(area);
    let flow = FlowForce {
        linear: of_body.linear_drag,
        quadratic: pressure * of_body.drag,
        lift: pressure * of_body.lift,
        magnus: of_body.magnus,
    };
    let span = of_body.span / of_body.span.length();
    Ok(Some(ExposedBody {
        flow,
        span,
        buoyant: of_body.buoyancy,
        whole,
        solids,
        damping,
        ..ExposedBody::default()
    }))
}

/// Adds the solid of a shape; returns its mean shadow, a quarter of its surface [m²].
fn displaced(shape: &CollisionShape, in_body: &Pose, volume: f64, solids: &mut Vec<Solid>) -> f64 {
    if let CollisionShape::Sphere(ball) = shape {
        solids.push(Solid::Ball(Ball { center: in_body.translation, radius: ball.radius }));
        return PI * ball.radius * ball.radius;
    }
    let surface = Surface::of(shape, Fineness { around: AROUND, reach: 0.0 });
    let corner = |i: u32| in_body.transform(surface.points[i as usize]);
    let triangles: Vec<[Vec3; 3]> = surface.triangles().map(|triangle| triangle.map(corner)).collect();
    let (mut faces, mut inside) = (0.0, 0.0);
    for [a, b, c] in &triangles {
        faces += 0.5 * (*b - *a).cross(*c - *a).length();
        inside +=
            (*a - in_body.translation).dot((*b - in_body.translation).cross(*c - in_body.translation)) / 6.0;
    }
    let factor = if inside > 0.0 { volume / inside } else { 0.0 };
    solids.push(Solid::Faces { triangles, factor });
    0.25 * faces
}

/// The springs of a scene; and no link of a tree may be in a medium or hang on a spring.
pub(super) fn build(model: &mut Model, state: &State, scene: &Scene) -> Result<(), SceneError> {
    let remedy = "Use it on a body that no joint holds; a joint has `damping` of its own.";
    for exposed in &model.forces.bodies {
        let body = &model.bodies[exposed.body as usize];
        if matches!(body.motion, Motion::Link { .. }) {
            let key = if exposed.damping == [0.0; 2] { "medium" } else { "linear_damping" };
            let problem = format!(
                "{:?} is a link of a tree of joints, and links feel no medium and no damping",
                body.name
            );
            return Err(SceneError::new(SpecPath::body(&body.name).key(key), "", problem, remedy));
        }
    }
    for spec in &scene.springs {
        let path = SpecPath::top("spring").name(&spec.name).key("bodies");
        let mut ends = [SpringEnd { body: None, anchor: spec.anchors[0], at: None }; 2];
        ends[1].anchor = spec.anchors[1];
        for (k, name) in spec.bodies.iter().enumerate() {
            let slot = model.bodies.iter().position(|body| body.name == *name);
            let Some(slot) = slot else {
                let problem = "there is no such body";
                return Err(SceneError::new(
                    path.index(k),
                    format_args!("{name:?}"),
                    problem,
                    "Name a body.",
                ));
            };
            if matches!(model.bodies[slot].motion, Motion::Link { .. }) {
                let problem = "the body is a link of a tree of joints, and springs hold no links";
                return Err(SceneError::new(path.index(k), format_args!("{name:?}"), problem, remedy));
            }

            ends[k].body = Some(slot as u32);
            ends[k].anchor = state.orientation[slot].conjugate() * (spec.anchors[k] - state.position[slot]);
        }
        let length = spec.length.unwrap_or_else(|| (spec.anchors[0] - spec.anchors[1]).length());
        let law = SpringLaw { stiffness: spec.stiffness, damping: spec.damping, length };
        model.forces.springs.push(SpringModel { name: spec.name.clone(), ends, law });
    }
    index(model);
    Ok(())
}

/// Finds the slots of all forces anew.
pub(crate) fn index(model: &mut Model) {
    let bodies = &model.bodies;
    model.forces.index(|slot| bodies[slot as usize].motion);
}
