//! Sensors that look at constraints: the force that joints carry when something is touched or held, touch, and limits.
//!
//! Rows are undone into forces in the world: of a contact along its frame, at its point, on the second body and back on the first one; of a connect
//! or weld at the anchors.

use super::super::mech::{Forward, MechanismState, elastic_energy, sense};
use super::super::mechanism::{Machine, place};
use super::super::model::{GeomKind, Model, Sensor, Site};
use super::collide::Collider;
use super::contact::SoftContact;
use super::ray::{self, is_inside};
use super::rows::{RowInfo, RowKind};
use super::work::{SoftModel, SoftWork};
use super::{distance, touching};
use huygens_dynamics::TreeKinematics;
use huygens_geometry::CollisionShape;
use huygens_geometry::query::ray_cast;
use huygens_math::{Twist, Vec3, scalar};

/// Where sensors look: a state, what was computed there, and its contacts and rows.
pub(super) struct Sensed<'a> {
    pub model: &'a Model,
    pub machine: &'a Machine,
    pub soft: &'a SoftModel,
    pub collider: &'a Collider,
    pub state: &'a MechanismState,
    pub contacts: &'a [SoftContact],
    pub work: &'a SoftWork,
}

/// Values of each sensor.
pub(super) fn read(sensed: &Sensed<'_>, f: &mut Forward) -> Vec<Vec<f64>> {
    let Sensed { model, machine, state, .. } = sensed;
    if model.sensors.is_empty() {
        return Vec::new();
    }
    let forces = contact_forces(sensed.contacts, sensed.work);
    f.constraint_wrench = wrenches(sensed, &f.kin, &forces);
    let mut values = sense(&machine.mechanism, state, f, &f.qacc, &machine.sensors);
    for (sensor, value) in model.sensors.iter().zip(&mut values).filter(|(s, _)| !s.unknown) {
        let one = |x: f64| vec![x];
        let mut told = match sensor.kind.as_str() {
            "touch" => one(touch(sensed, &f.kin, &forces, &model.sites[sensor.object])),
            "jointlimitpos" => {
                one(limit(sensed, RowKind::LimitJoint, sensor.object, |i, _| i.pos - i.margin))
            }
            "jointlimitvel" => one(limit(sensed, RowKind::LimitJoint, sensor.object, |i, _| i.vel)),
            "jointlimitfrc" => one(limit(sensed, RowKind::LimitJoint, sensor.object, |_, force| force)),
            "tendonlimitpos" => {
                one(limit(sensed, RowKind::LimitTendon, sensor.object, |i, _| i.pos - i.margin))
            }
            "tendonlimitvel" => one(limit(sensed, RowKind::LimitTendon, sensor.object, |i, _| i.vel)),
            "tendonlimitfrc" => one(limit(sensed, RowKind::LimitTendon, sensor.object, |_, force| force)),
            "e_potential" => one(potential(sensed, f)),
            "rangefinder" => range(model, &f.kin, sensor),
            "insidesite" => one(inside(sensed, &f.kin, sensor)),
            "distance" | "normal" | "fromto" => distance::read(model, sensed.collider, &f.kin, sensor),
            "contact" => touching::read(model, &f.kin, &sensor.query, sensed.contacts, &forces),
            _ => continue,
        };
        // The cutoff of distances is how far they look; contacts have none.
        if sensor.cutoff > 0.0
            && !matches!(sensor.kind.as_str(), "distance" | "normal" | "fromto" | "contact")
        {
            let low = if matches!(sensor.kind.as_str(), "touch" | "rangefinder") {
                f64::NEG_INFINITY
            } else {
                -sensor.cutoff
            };
            told.iter_mut().for_each(|x| *x = scalar::clamp(*x, low, sensor.cutoff));
        }
        told.resize(value.len(), 0.0);
        value.copy_from_slice(&told);
    }
    values
}

/// What a range finder on a site tells of the first surface along the site's z axis.
fn range(model: &Model, kin: &TreeKinematics, sensor: &Sensor) -> Vec<f64> {
    let site = &model.sites[sensor.object];
    let pose = kin.world_from_link[site.body] * site.pose;
    let (from, along) = (pose.translation, pose.rotate(Vec3::Z));
    let hit = ray::first_hit(model, kin, from, along, site.body);
    let mut values = Vec::with_capacity(sensor.dim);
    for field in &sensor.query.fields {
        let seen = |of: &dyn Fn(&ray::Hit) -> Vec3| hit.as_ref().map_or(Vec3::ZERO, of).to_array();
        match *field {
            "dist" | "depth" => values.push(hit.map_or(-1.0, |hit| hit.distance)),
            "dir" => values.extend(seen(&|_| along)),
            "origin" => values.extend(from.to_array()),
            "point" => values.extend(seen(&|hit| from + along * hit.distance)),
            _ => values.extend(seen(&|hit| hit.normal)),
        }
    }
    values
}

/// The force and torque of each contact on its second body along the axes of its frame; zeros where it has no rows.
pub(super) fn contact_forces(contacts: &[SoftContact], work: &SoftWork) -> Vec<[f64; 6]> {
    let mut forces = vec![[0.0; 6]; contacts.len()];
    let SoftWork { rows, info, solution, .. } = work;
    for block in &rows.blocks {
        let RowInfo { kind, id, .. } = info[block.first];
        let given = &solution.force[block.first..block.first + block.rows];
        match kind {
            RowKind::ContactPyramidal => {
                let out = &mut forces[id];
                for (k, pair) in given.chunks_exact(2).enumerate() {
                    out[0] += pair[0] + pair[1];
                    out[k + 1] = contacts[id].friction[k] * (pair[0] - pair[1]);
                }
            }
            RowKind::ContactFrictionless | RowKind::ContactElliptic => {
                forces[id][..given.len()].copy_from_slice(given);
            }
            _ => {}
        }
    }
    forces
}

fn wrenches(sensed: &Sensed<'_>, kin: &TreeKinematics, forces: &[[f64; 6]]) -> Vec<Twist> {
    let mut out = vec![Twist::default(); kin.com.len()];
    let mut push = |link: usize, at: Vec3, force: Vec3, torque: Vec3| {
        out[link] += Twist::new(force, torque + (at - kin.com[link]).cross(force));
    };
    for (contact, x) in sensed.contacts.iter().zip(forces) {
        let along = |x: &[f64]| contact.frame[0] * x[0] + contact.frame[1] * x[1] + contact.frame[2] * x[2];
        let (force, torque) = (along(&x[..3]), along(&x[3..]));
        push(contact.bodies[1], contact.pos, force, torque);
        push(contact.bodies[0], contact.pos, -force, -torque);
    }
    let SoftWork { rows, info, solution, .. } = sensed.work;
    for block in rows.blocks.iter().filter(|b| info[b.first].kind == RowKind::Equality) {
        let force = &solution.force[block.first..block.first + block.rows];
        sensed.soft.pull(info[block.first].id, kin, force, &mut push);
    }
    out
}

/// Sum of the normal forces on a site's body whose line goes from the contact out of the body through the site.
fn touch(sensed: &Sensed<'_>, kin: &TreeKinematics, forces: &[[f64; 6]], site: &Site) -> f64 {
    let [a, b, c] = site.size;
    let shape = match site.kind {
        GeomKind::Sphere => CollisionShape::sphere(a),
        GeomKind::Capsule => CollisionShape::capsule(a, 2.0 * b),
        GeomKind::Cylinder => CollisionShape::cylinder(a, 2.0 * b),
        GeomKind::Ellipsoid => CollisionShape::ellipsoid(Vec3::new(a, b, c)),
        _ => CollisionShape::cuboid(Vec3::new(a, b, c) * 2.0),
    };
    let Ok(shape) = shape else { return 0.0 };
    let pose = kin.world_from_link[site.body] * site.pose;
    let through = |contact: &SoftContact| {
        let out = if contact.bodies[0] == site.body { contact.frame[0] } else { -contact.frame[0] };
        ray_cast(&shape, &pose, contact.pos, out, f64::INFINITY).is_some()
    };
    let on = sensed.contacts.iter().zip(forces).filter(|(c, x)| c.bodies.contains(&site.body) && x[0] > 0.0);
    on.filter(|(c, _)| through(c)).map(|(_, x)| x[0]).sum()
}

/// 1 where the origin of a frame is inside of a site.
fn inside(sensed: &Sensed<'_>, kin: &TreeKinematics, sensor: &Sensor) -> f64 {
    let (model, site) = (sensed.model, &sensed.model.sites[sensor.object]);
    let Some(frame) = sensor.frame else { return 0.0 };
    let place = place(model, frame).place;
    let point = (kin.world_from_link[place.link] * place.pose).translation;
    let pose = kin.world_from_link[site.body] * site.pose;
    if is_inside(site.kind, site.size, &pose, point) { 1.0 } else { 0.0 }
}

/// A figure of the row of a limit; 0 where the limit is not reached.
fn limit(sensed: &Sensed<'_>, kind: RowKind, id: usize, figure: impl Fn(&RowInfo, f64) -> f64) -> f64 {
    let SoftWork { info, solution, .. } = sensed.work;
    let row = info.iter().position(|i| i.kind == kind && i.id == id);
    row.map_or(0.0, |row| figure(&info[row], solution.force[row]))
}

fn potential(sensed: &Sensed<'_>, f: &Forward) -> f64 {
    let m = &sensed.machine.mechanism;
    let gravity = m.acting_gravity();
    let weights = m.tree.links().iter().zip(&f.kin.com).map(|(link, com)| -link.mass * gravity.dot(*com));
    weights.sum::<f64>() + elastic_energy(m, &sensed.state.qpos, &f.tendon_length)
}
