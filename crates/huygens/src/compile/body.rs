//! Bodies of a scene as the engine knows them.

use super::parts::{self, Part};
use super::{force, shape};
use crate::force::ExposedBody;
use crate::model::{BodyModel, DriverModel, Given, Model, Motion};
use crate::path::{pose_at, velocity_between};
use crate::scene::{self, Body, DriveLimit, Keyframe, PlacedBody, Scene, SceneError, SpecPath};
use crate::state::{Drive, DriverRecord, Placed, State, Stillness};
use huygens_contact::{GroupId, GroupKey};
use huygens_geometry::MassProperties;
use huygens_math::{Pose, Quat, Sym3, Twist, Vec3, scalar};

/// Adds one body in a free slot and returns it. On an error nothing has changed.
pub(crate) fn add_body(
    model: &mut Model,
    state: &mut State,
    scene: &Scene,
    placed: &PlacedBody,
) -> Result<usize, SceneError> {
    let prepared = prepare(model, state, scene, placed)?;
    let slot = take_slot(model, state);
    fill_slot(model, state, scene, &placed.body, prepared, slot);
    Ok(slot)
}

/// Makes another body of one that is there, in the same slot and with the same handle; springs stay at their places on it. Its contacts end in
/// the next step. On an error nothing has changed.
pub(crate) fn replace_body(
    model: &mut Model,
    state: &mut State,
    scene: &Scene,
    placed: &PlacedBody,
    slot: usize,
) -> Result<(), SceneError> {
    let prepared = prepare(model, state, scene, placed)?;
    let force = (state.force[slot], state.torque[slot]);
    let moved = model.bodies[slot].center - prepared.mass.center;
    clear_slot(model, state, slot, true);
    model.forces.bodies.retain(|body| body.body as usize != slot);
    model.move_anchors(slot, moved);
    fill_slot(model, state, scene, &placed.body, prepared, slot);
    if model.bodies[slot].motion == Motion::Dynamic {
        (state.force[slot], state.torque[slot]) = force;
    }
    Ok(())
}

/// All of a body that may be refused.
struct Prepared {
    shapes: Vec<(huygens_geometry::CollisionShape, Pose)>,
    mass: MassProperties,
    exposed: Option<ExposedBody>,
    driving: Option<Driving>,
}

/// Whether a body can be.
pub(crate) fn check_body(
    model: &Model,
    state: &State,
    scene: &Scene,
    placed: &PlacedBody,
) -> Result<(), SceneError> {
    prepare(model, state, scene, placed).map(drop)
}

fn prepare(model: &Model, state: &State, scene: &Scene, placed: &PlacedBody) -> Result<Prepared, SceneError> {
    let (spec, path) = (&placed.body, &placed.path);
    let mut shapes = Vec::new();
    for (i, part) in spec.shapes.iter().enumerate() {
        shapes.push(shape::compile(part, &path.key("shape").index(i))?);
    }
    let mass = mass(scene, spec, &shapes, path)?;
    let exposed = force::exposed(model, spec, &shapes, mass.center, path)?;
    let h = model.settings.dt;
    let driving = driving(scene, spec, &mass, path, [state.time, state.time_after(1, h)])?;
    Ok(Prepared { shapes, mass, exposed, driving })
}

/// Puts a body into a slot that is free.
fn fill_slot(
    model: &mut Model,
    state: &mut State,
    scene: &Scene,
    spec: &Body,
    prepared: Prepared,
    slot: usize,
) {
    let Prepared { shapes, mass, exposed, driving } = prepared;
    let dynamic = spec.motion == scene::Motion::Dynamic;
    let pose = driving.as_ref().map_or_else(|| spec.pose(), |driving| driving.pose);
    let drive = driving.as_ref().map_or(Drive::default(), |driving| driving.drive);
    let torque_limited =
        driving.as_ref().is_some_and(|driving| matches!(driving.limit, DriveLimit::Torque { .. }));
    let driver = driving.map(|Driving { path, limit, drive, .. }| {
        let at = take_driver(model, state, &spec.name);
        model.drivers[at] = DriverModel { name: spec.name.clone(), body: Some(slot as u32), path, limit };
        state.drives[at] = drive;
        at as u32
    });
    let motion = match (&spec.motion, driver) {
        (scene::Motion::Dynamic, _) => Motion::Dynamic,
        (scene::Motion::Driven { .. } | scene::Motion::Static, Some(driver)) => Motion::Driven(driver),
        (scene::Motion::Driven { .. } | scene::Motion::Static, None) => Motion::Static,
    };
    let condition = parts::condition(&mass);
    let body = BodyModel {
        name: spec.name.clone(),
        motion,
        mass: if dynamic { mass.mass } else { 0.0 },
        inertia: if dynamic || torque_limited { mass.inertia } else { Sym3::ZERO },
        condition: if dynamic || torque_limited { condition } else { 1.0 },
        center: mass.center,
        lock_linear: spec.lock.linear,
        lock_angular: spec.lock.angular,
        gravity_scale: spec.gravity_scale,
        given: Given::of(spec),
        shapes: Vec::new(),
        driver,
        removed: false,
    };
    state.position[slot] = pose.transform(mass.center);
    state.orientation[slot] = pose.rotation;
    state.velocity.free[slot] = match spec.motion {
        scene::Motion::Dynamic => unlocked(&body, Twist::new(spec.linear_velocity, spec.angular_velocity)),
        scene::Motion::Driven { .. } | scene::Motion::Static => drive.target,
    };
    state.force[slot] = spec.force;
    state.torque[slot] = spec.torque;
    state.sleep.stillness[slot] = Stillness::default();
    state.placed[slot] = Placed::New;
    state.quarantined[slot] = false;
    model.names.insert(spec.name.clone(), slot as u32);
    model.bodies[slot] = body;
    model.compact_materials();
    model.forces.bodies.extend(exposed.map(|exposed| ExposedBody { body: slot as u32, ..exposed }));
    for ((geometry, in_frame), part) in shapes.into_iter().zip(&spec.shapes) {
        parts::put_shape(model, state, scene, slot, (geometry, in_frame, part));
    }
}

/// Frees the slots of a body and its shapes. What it touched, if it `may_touch` anything, ceases to be touched in the next step.
pub(crate) fn remove_body(model: &mut Model, state: &mut State, slot: usize, may_touch: bool) {
    clear_slot(model, state, slot, may_touch);
    model.exclusions.remove_body(slot as u32);
    model.forces.remove_body(slot as u32);
    remove_ropes(model, state, slot as u32);
    model.bodies[slot].removed = true;
    state.velocity.free[slot] = Twist::ZERO;
    state.generation[slot] += 1;
    state.free_bodies.push(slot as u32);
}

/// Removes the ropes of a body. What the last step knows of ropes goes by their places.
fn remove_ropes(model: &mut Model, state: &mut State, body: u32) {
    let before = model.ropes.len();
    model.ropes.retain(|rope| rope.ends.iter().all(|end| end.body != Some(body)));
    if model.ropes.len() != before {
        let is_of_rope = |key: &GroupKey| matches!(key.id(), GroupId::Coupling { .. });
        state.row_impulses.retain(|(key, _)| !is_of_rope(key));
        state.sleep.row_impulses.retain(|(key, _)| !is_of_rope(key));
    }
}

/// Takes name, shapes, driver and contacts from a body.
fn clear_slot(model: &mut Model, state: &mut State, slot: usize, may_touch: bool) {
    let shapes = std::mem::take(&mut model.bodies[slot].shapes);
    if may_touch {
        parts::end_contacts(model, state, &shapes);
    }
    parts::free_slots(model, state, &shapes);
    if let Some(driver) = model.bodies[slot].driver.take() {
        model.drivers[driver as usize].body = None;
        model.bodies[slot].motion = Motion::Static;
    }
    state.one_step_forces.retain(|force| force.slot as usize != slot);
    model.names.remove(&model.bodies[slot].name);
}

/// The part of a velocity that the locked axes of a body let through.
pub(crate) fn unlocked(body: &BodyModel, twist: Twist) -> Twist {
    let keep = |v: Vec3, locked: [bool; 3]| {
        Vec3::from_array(std::array::from_fn(|k| if locked[k] { 0.0 } else { v[k] }))
    };
    Twist::new(keep(twist.linear, body.lock_linear), keep(twist.angular, body.lock_angular))
}

/// How many records of removed drivers are kept under their names. Older ones are added up.
const REMOVED_DRIVERS: usize = 64;

/// The name of the sum of older records.
const OTHERS: &str = "(removed)";

/// A place for a new driver: that of a removed one of the same name, whose record goes on, or a new one. Beyond [`REMOVED_DRIVERS`] it is that of the first
/// removed one, whose record goes to the sum: bodies that come and go take no memory.
fn take_driver(model: &mut Model, state: &mut State, name: &str) -> usize {
    let is_free = |driver: &DriverModel| driver.body.is_none() && driver.name != OTHERS;
    if let Some(at) = model.drivers.iter().position(|driver| is_free(driver) && driver.name == name) {
        return at;
    }
    let push = |model: &mut Model, state: &mut State, name: &str| {
        let name = name.to_owned();
        model.drivers.push(DriverModel { name, body: None, path: Vec::new(), limit: DriveLimit::Unlimited });
        state.drivers.push(DriverRecord::default());
        state.drives.push(Drive::default());
        model.drivers.len() - 1
    };
    if model.drivers.iter().filter(|driver| is_free(driver)).count() <= REMOVED_DRIVERS {
        return push(model, state, name);
    }
    let sum = model.drivers.iter().position(|driver| driver.body.is_none() && driver.name == OTHERS);
    let sum = sum.unwrap_or_else(|| push(model, state, OTHERS));
    let at = model.drivers.iter().position(is_free).unwrap_or(sum);
    let old = std::mem::take(&mut state.drivers[at]);
    let all = &mut state.drivers[sum];
    all.work += old.work;
    all.peak_force = scalar::max(all.peak_force, old.peak_force);
    all.peak_torque = scalar::max(all.peak_torque, old.peak_torque);
    at
}

fn take_slot(model: &mut Model, state: &mut State) -> usize {
    if let Some(slot) = state.free_bodies.pop() {
        return slot as usize;
    }
    model.bodies.push(BodyModel::default());
    state.position.push(Vec3::ZERO);
    state.orientation.push(Quat::IDENTITY);
    state.velocity.free.push(Twist::ZERO);
    state.force.push(Vec3::ZERO);
    state.torque.push(Vec3::ZERO);
    state.push_awake();
    state.placed.push(Placed::New);
    state.quarantined.push(false);
    state.generation.push(0);
    model.bodies.len() - 1
}

/// What a body is driven by.
struct Driving {
    path: Vec<Keyframe>,
    limit: DriveLimit,
    drive: Drive,
    /// Where the path begins; of other bodies where they are.
    pose: Pose,
}

/// The driver of a body that is driven or has a surface velocity; `Err` when it cannot be.
fn driving(
    scene: &Scene,
    spec: &Body,
    mass: &MassProperties,
    path: &SpecPath,
    time: [f64; 2],
) -> Result<Option<Driving>, SceneError> {
    let still = Driving {
        path: Vec::new(),
        limit: DriveLimit::Unlimited,
        drive: Drive::default(),
        pose: spec.pose(),
    };
    let scene::Motion::Driven { linear_velocity, angular_velocity, keyframes, limit } = &spec.motion else {
        let surface_moves = spec.shapes.iter().any(|shape| scene.surface_velocity_of(shape) != Vec3::ZERO);
        return Ok(surface_moves.then_some(still));
    };
    let mut driving = Driving { limit: *limit, ..still };
    driving.drive.target = Twist::new(*linear_velocity, *angular_velocity);
    if let DriveLimit::Torque { max } = limit {
        let axis = *angular_velocity / angular_velocity.length();
        let about = axis.dot(mass.inertia.rotated(spec.pose().rotation) * axis);
        if about.is_nan() || about <= 0.0 || about.is_infinite() {
            let problem = "a torque limit needs an inertia about the driver's axis";
            let remedy = "Give the body a shape with volume, or set `mass` and `inertia`.";
            return Err(SceneError::new(path.key("motion").key("limit"), max, problem, remedy));
        }
        driving.drive.axis = axis;
    }
    if !keyframes.is_empty() {
        driving.path = keyframes
            .iter()
            .map(|frame| Keyframe { orientation: frame.orientation.normalize(), ..*frame })
            .collect();
        driving.pose = pose_at(&driving.path, time[0]);
        let begin = pose_at(&driving.path, 0.0);
        let elsewhere = spec.position != Vec3::ZERO && spec.position != begin.translation;
        let turned = spec.orientation != Quat::IDENTITY && spec.pose().rotation != begin.rotation;
        if elsewhere || turned {
            let (key, value) = if elsewhere {
                ("position", format!("{:?}", spec.position.to_array()))
            } else {
                ("orientation", format!("{:?}", spec.orientation.to_array()))
            };
            let problem = "the body follows a path, which begins elsewhere";
            let remedy = "Leave it out: the keyframes say where the body is.";
            return Err(SceneError::new(path.key(key), value, problem, remedy));
        }
        let (next, h) = (pose_at(&driving.path, time[1]), time[1] - time[0]);
        driving.drive.target = velocity_between(&driving.pose, &next, mass.center, h);
    }
    Ok(Some(driving))
}

/// What the shapes give, and what the scene writes over it.
fn mass(
    scene: &Scene,
    spec: &Body,
    shapes: &[(huygens_geometry::CollisionShape, Pose)],
    path: &SpecPath,
) -> Result<MassProperties, SceneError> {
    let parts = shapes.iter().zip(&spec.shapes).map(|((shape, in_frame), part)| Part {
        shape,
        in_frame,
        density: parts::density(scene, part),
    });
    let total = parts::total(parts, &Given::of(spec));
    if spec.motion == scene::Motion::Dynamic {
        parts::can_move(&total, spec.lock.angular, path)?;
    }
    Ok(total)
}
