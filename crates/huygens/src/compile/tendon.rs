//! Tendons of a world: their joints and points as those of one tree.

use crate::assembly::{AssembledTendon, Assembly, find};
use crate::model::{Model, Motion, TendonModel};
use crate::scene::{SceneError, SpecPath, TendonPart, TendonSpec};
use huygens_dynamics::{CablePart, CablePlace};
use huygens_geometry::CollisionShape;
use huygens_math::Pose;

fn error(spec: &TendonSpec, problem: &str, remedy: &str) -> SceneError {
    SceneError::new(SpecPath::top("tendon").name(&spec.name), "", problem, remedy)
}

/// Adds the tendons of an assembly to a model whose trees are built.
pub(super) fn build(model: &mut Model, of: &Assembly) -> Result<(), SceneError> {
    model.tendons.clear();
    for tendon in &of.tendons {
        let tendon = compile(model, tendon)?;
        model.tendons.push(tendon);
    }
    Ok(())
}

fn compile(model: &Model, tendon: &AssembledTendon) -> Result<TendonModel, SceneError> {
    let spec = &tendon.spec;
    let is_driven = |name: &str| {
        find(model, name).is_some_and(|slot| matches!(model.bodies[slot].motion, Motion::Driven(_)))
    };
    if let Some(name) = spec.bodies().find(|name| is_driven(name)) {
        let problem =
            format!("body {name:?} is driven; a tendon passes dynamic and static bodies and the world");
        return Err(error(
            spec,
            &problem,
            "Make the body static, or dynamic on a joint with a velocity motor.",
        ));
    }
    let (mut tree, mut parts) = (None, Vec::new());
    for part in &spec.joints {
        let found = model.joints.iter().find(|joint| joint.name == part.joint);
        let joint = found.filter(|joint| joint.main_coordinate_is_single(model)).ok_or_else(|| {
            let problem = format!("joint {:?} has no coordinate of its own", part.joint);
            error(spec, &problem, "Name hinges, slides and screws.")
        })?;
        tree = Some(joint.tree);
        let offsets = model.tree_offsets[joint.tree as usize];
        parts.push(CablePart::Joint {
            coordinate: (joint.main_coordinate - offsets.coordinate) as usize,
            dof: (joint.main_dof - offsets.dof) as usize,
            factor: part.factor,
        });
    }
    let mut place = |body: &str, pose: Pose| {
        let slot = find(model, body);
        let link = slot.and_then(|slot| match model.bodies[slot].motion {
            Motion::Link { tree: of, link } => {
                tree = Some(of);
                Some(link as usize)
            }
            _ => None,
        });
        (slot, CablePlace { link, pose })
    };
    for (part, [pose, side]) in spec.path.iter().zip(&tendon.places) {
        parts.push(match part {
            TendonPart::Pulley(divisor) => CablePart::Pulley(*divisor),
            TendonPart::Point { body, .. } => CablePart::Site(place(body, *pose).1),
            TendonPart::Wrap { body, side: is_sided } => {
                let (slot, on) = place(body, Pose::IDENTITY);
                let shape = slot.and_then(|slot| round_shape(model, slot)).ok_or_else(|| {
                    let problem = format!("body {body:?} has no ball and no cylinder to go around");
                    error(spec, &problem, "Name a body with a sphere or a cylinder.")
                })?;
                let (in_body, radius, cylinder) = shape;
                let world_from_body = if on.link.is_some() { Pose::IDENTITY } else { *pose };
                let place = CablePlace { pose: world_from_body * in_body, ..on };
                let side = is_sided.map(|_| CablePlace { link: on.link, pose: *side });
                CablePart::Around { place, radius, cylinder, side }
            }
        });
    }
    let Some(tree) = tree else {
        return Err(error(spec, "it moves nothing", "Let it pass a dynamic body, or name joints."));
    };
    Ok(TendonModel {
        name: spec.name.clone(),
        tree,
        parts,
        range: spec.range,
        spring: spec.spring,
        damping: spec.damping,
        friction: spec.friction,
        motor: spec.motor,
    })
}

/// Frame in that of the body, radius, and whether it is a cylinder, of the first ball or cylinder of a body.
fn round_shape(model: &Model, slot: usize) -> Option<(Pose, f64, bool)> {
    let body = &model.bodies[slot];
    body.shapes.iter().map(|&shape| &model.shapes[shape as usize]).find_map(|shape| {
        let (radius, cylinder) = match &shape.shape {
            CollisionShape::Sphere(sphere) => (sphere.radius, false),
            CollisionShape::Cylinder(cylinder) => (cylinder.radius, true),
            _ => return None,
        };
        let in_frame = Pose::new(shape.in_body.rotation, shape.in_body.translation + body.center);
        Some((in_frame, radius, cylinder))
    })
}
