//! The shapes of a body: what they weigh together, and those that come and go while the world runs.

use super::body::unlocked;
use super::shape;
use crate::assembly::frame;
use crate::contacts::take_out;
use crate::event::{Event, EventKind};
use crate::model::{Given, Model, Motion, ShapeModel};
use crate::scene::{Body, Scene, SceneError, Shape, SpecPath};
use crate::stage::is_curved;
use crate::state::{Placed, State};
use huygens_geometry::{CollisionShape, MassProperties};
use huygens_math::{Pose, Twist, Vec3};

/// A shape as the mass of its body sees it.
pub(super) struct Part<'a> {
    pub shape: &'a CollisionShape,
    pub in_frame: &'a Pose,
    /// None of a sensor.
    pub density: Option<f64>,
}

impl Given {
    /// What a scene says of a body's mass.
    pub(super) fn of(spec: &Body) -> Self {
        Self { mass: spec.mass, center: spec.center_of_mass, inertia: spec.inertia }
    }
}

/// Density of a shape that adds to the mass of its body.
pub(super) fn density(scene: &Scene, part: &Shape) -> Option<f64> {
    (!part.sensor).then(|| scene.density_of(part))
}

/// What all parts weigh together, as far as nothing else is given.
pub(super) fn total<'a>(parts: impl Iterator<Item = Part<'a>>, given: &Given) -> MassProperties {
    let mut solids = Vec::new();
    for Part { shape, in_frame, density } in parts {
        let solid = density.and_then(|density| shape.mass_properties(density));
        solids.extend(solid.map(|solid| solid.transformed(in_frame)));
    }
    let mut total = MassProperties::sum(&solids);
    if let Some(mass) = given.mass {
        total = if total.mass > 0.0 { total.scaled(mass / total.mass) } else { total };
        total.mass = mass;
    }
    if let Some(center) = given.center {
        total.inertia = total.inertia_about(center);
        total.center = center;
    }
    if let Some(inertia) = given.inertia {
        total.inertia = inertia;
    }
    total
}

/// Whether something with this mass can move.
pub(super) fn can_move(
    total: &MassProperties,
    lock_angular: [bool; 3],
    path: &SpecPath,
) -> Result<(), SceneError> {
    let bad = |problem: &str| {
        let remedy = "Give the body a shape with volume, or set `mass` and `inertia`.";
        Err(SceneError::new(path.key("mass"), format!("{} kg", total.mass), problem, remedy))
    };
    if total.mass.is_nan() || total.mass <= 0.0 || total.mass.is_infinite() {
        return bad("a body that moves needs a mass above 0");
    }
    if !total.inertia.is_physical_inertia() && lock_angular.contains(&false) {
        return bad("a body that turns needs an inertia that a solid can have");
    }
    Ok(())
}

/// A shape that comes or goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShapeChange<'a> {
    /// One more.
    Add(&'a Shape),
    /// The shape in this slot.
    Remove(u32),
}

/// A change of the shapes of a body that can be.
#[derive(Debug)]
pub(crate) struct NewShapes {
    new: Option<(CollisionShape, Pose, Shape)>,
    gone: Option<u32>,
    mass: MassProperties,
}

impl NewShapes {
    /// The slot of the shape that goes.
    pub(crate) fn gone(&self) -> Option<u32> {
        self.gone
    }
}

/// Whether a shape can come or go.
pub(crate) fn prepare_shapes(
    model: &Model,
    scene: &Scene,
    slot: usize,
    change: ShapeChange,
) -> Result<NewShapes, SceneError> {
    let body = &model.bodies[slot];
    let path = SpecPath::body(&body.name);
    let refuse = |problem: &str| {
        let remedy = "Give `World::change_body` the whole body.";
        Err(SceneError::new(path.key("shape"), "", problem, remedy))
    };
    if model.forces.medium.is_some() && model.forces.bodies.iter().any(|body| body.body as usize == slot) {
        return refuse("a medium acts on this body by all of its shapes");
    }
    let (new, gone) = match change {
        ShapeChange::Add(part) => {
            if scene.surface_velocity_of(part) != Vec3::ZERO && body.driver.is_none() {
                return refuse("a surface that moves needs a driver, and this body has none");
            }
            let (geometry, in_frame) = shape::compile(part, &path.key("shape").index(body.shapes.len()))?;
            (Some((geometry, in_frame, part.clone())), None)
        }
        ShapeChange::Remove(_) if body.shapes.len() == 1 => {
            return refuse("it is the last shape of its body");
        }
        ShapeChange::Remove(shape) => (None, Some(shape)),
    };
    let kept = body.shapes.iter().filter(|shape| Some(**shape) != gone).map(|&shape| {
        let ShapeModel { shape, in_frame, density, .. } = &model.shapes[shape as usize];
        Part { shape, in_frame, density: *density }
    });
    let added =
        new.iter().map(|(shape, in_frame, part)| Part { shape, in_frame, density: density(scene, part) });
    let mass = total(kept.chain(added), &body.given);
    if matches!(body.motion, Motion::Dynamic | Motion::Link { .. }) {
        can_move(&mass, body.lock_angular, &path)?;
    }
    Ok(NewShapes { new, gone, mass })
}

/// Changes the shapes of a body; its frame stays where it is, and it goes on as it moves. Returns the slot of the new one.
pub(crate) fn change_shapes(
    model: &mut Model,
    state: &mut State,
    scene: &Scene,
    slot: usize,
    change: NewShapes,
) -> Option<u32> {
    let NewShapes { new, gone, mass } = change;
    if let Some(gone) = gone {
        model.bodies[slot].shapes.retain(|shape| *shape != gone);
        end_contacts(model, state, &[gone]);
        free_slots(model, state, &[gone]);
    }
    weigh(model, state, slot, &mass);
    state.placed[slot] = Placed::New;
    new.map(|(geometry, in_frame, part)| put_shape(model, state, scene, slot, (geometry, in_frame, &part)))
}

/// Gives a body another mass, inertia and centre of mass.
fn weigh(model: &mut Model, state: &mut State, slot: usize, mass: &MassProperties) {
    let (frame, gives_way) = (frame(model, state, slot), model.torque_limited(slot).is_some());
    let body = &mut model.bodies[slot];
    let is_dynamic = body.motion == Motion::Dynamic;
    if is_dynamic {
        body.mass = mass.mass;
    }
    if is_dynamic || gives_way {
        (body.inertia, body.condition) = (mass.inertia, condition(mass));
    }
    let moved = body.center - mass.center;
    if moved == Vec3::ZERO {
        return;
    }
    body.center = mass.center;
    state.position[slot] = frame.transform(mass.center);
    if is_dynamic {
        // The same motion, seen at another centre of mass.
        let Twist { linear, angular } = state.velocity.free[slot];
        let twist = Twist::new(linear - angular.cross(frame.rotation * moved), angular);
        state.velocity.free[slot] = unlocked(body, twist);
    }
    for &shape in &body.shapes {
        let shape = &mut model.shapes[shape as usize];
        (shape.in_body, shape.reach) = about_center(&shape.shape, &shape.in_frame, mass.center);
    }
    model.move_anchors(slot, moved);
}

/// Growth of round-off in the energy of a solid.
pub(super) fn condition(mass: &MassProperties) -> f64 {
    let principal = mass.inertia.principal().0;
    if principal.x > 0.0 { principal.z / principal.x } else { 1.0 }
}

/// Pose of a shape about the centre of mass of its body, and its farthest point from there.
fn about_center(shape: &CollisionShape, in_frame: &Pose, center: Vec3) -> (Pose, f64) {
    let in_body = Pose::new(in_frame.rotation, in_frame.translation - center);
    (in_body, shape.bounding_radius() + in_body.translation.length())
}

/// Puts a shape on a body; returns its slot.
pub(super) fn put_shape(
    model: &mut Model,
    state: &mut State,
    scene: &Scene,
    slot: usize,
    (geometry, in_frame, part): (CollisionShape, Pose, &Shape),
) -> u32 {
    let (in_body, reach) = about_center(&geometry, &in_frame, model.bodies[slot].center);
    let material = model.materials.intern(part.own_surface(), part.material.as_deref(), scene);
    let surface_velocity = scene.surface_velocity_of(part);
    model.has_surface_velocities |= surface_velocity != Vec3::ZERO;
    let entry = ShapeModel {
        body: slot as u32,
        in_body,
        in_frame,
        density: density(scene, part),
        size: geometry.size(),
        reach,
        shape: geometry,
        material,
        layer: part.layer,
        mask: part.mask,
        sensor: part.sensor,
        surface_velocity,
        removed: false,
    };
    model.has_curved |= is_curved(&entry);
    let at = match state.free_shapes.pop() {
        Some(at) => {
            model.shapes[at as usize] = entry;
            at
        }
        None => {
            model.shapes.push(entry);
            state.shape_generation.push(0);
            model.shapes.len() as u32 - 1
        }
    };
    model.bodies[slot].shapes.push(at);
    at
}

/// Ends the contacts of shapes.
pub(super) fn end_contacts(model: &Model, state: &mut State, shapes: &[u32]) {
    let is_on = |shape: u32| shapes.contains(&shape);
    state.contacts.forget(is_on);
    // Said now, while the slots still are who they were: the next body may take them over before the next step.
    let State { touching, ended, generation, shape_generation, .. } = state;
    take_out(
        touching,
        |pair| pair.iter().any(|&shape| is_on(shape)),
        |pair| {
            let generation = [generation.as_slice(), shape_generation];
            ended.push(Event::between(EventKind::End, pair, model, generation));
        },
    );
}

/// Frees the slots of shapes.
pub(super) fn free_slots(model: &mut Model, state: &mut State, shapes: &[u32]) {
    for &shape in shapes {
        model.shapes[shape as usize].removed = true;
        state.shape_generation[shape as usize] += 1;
        state.free_shapes.push(shape);
    }
}
