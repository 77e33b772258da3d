//! What `contact` sensors tell of the contacts that match them.

use super::super::model::{Model, Reduce, SensorEnd, SensorQuery};
use super::contact::SoftContact;
use super::ray::is_inside;
use huygens_dynamics::TreeKinematics;
use huygens_math::{Vec3, scalar};

/// A contact that matches, and whether its normal goes from the first side to the second one.
#[derive(Clone, Copy, Debug)]
struct Match {
    contact: usize,
    along: bool,
}

/// Numbers of a field of a slot.
pub(in super::super) fn field_size(field: &str) -> usize {
    if matches!(field, "found" | "dist") { 1 } else { 3 }
}

/// The values of a contact sensor: slots of its fields.
pub(super) fn read(
    model: &Model,
    kin: &TreeKinematics,
    query: &SensorQuery,
    contacts: &[SoftContact],
    forces: &[[f64; 6]],
) -> Vec<f64> {
    let size: usize = query.fields.iter().map(|field| field_size(field)).sum();
    let mut values = Vec::with_capacity(size * query.slots);
    let mut found = matches(model, kin, query, contacts);
    let count = found.len() as f64;
    // Sorts are stable: contacts that are equal keep their order.
    match query.reduce {
        Reduce::None => {}
        Reduce::MinDist => {
            found.sort_by(|a, b| contacts[a.contact].dist.total_cmp(&contacts[b.contact].dist));
        }
        Reduce::MaxForce => {
            let size = |m: &Match| Vec3::from_slice(&forces[m.contact][..3]).length_squared();
            found.sort_by(|a, b| size(b).total_cmp(&size(a)));
        }
        Reduce::NetForce if !found.is_empty() => {
            net(query, &found, contacts, forces, &mut values);
            found.clear();
        }
        Reduce::NetForce => {}
    }
    for m in found.iter().take(query.slots) {
        let loaded = Loaded { contact: &contacts[m.contact], force: &forces[m.contact] };
        slot(kin, query, m, &loaded, count, &mut values);
    }
    values.resize(size * query.slots, 0.0);
    values
}

fn matches(model: &Model, kin: &TreeKinematics, query: &SensorQuery, contacts: &[SoftContact]) -> Vec<Match> {
    let fits = |end: Option<SensorEnd>, contact: &SoftContact, k: usize| match end {
        None => true,
        Some(SensorEnd::Geom(id)) => contact.geoms[k] == id,
        Some(SensorEnd::Body(id)) => contact.bodies[k] == id,
        Some(SensorEnd::Subtree(id)) => hangs_on(model, contact.bodies[k], id),
    };
    let [first, second] = query.ends;
    let of = |(contact, c): (usize, &SoftContact)| {
        if let Some(site) = query.site {
            let site = &model.sites[site];
            let pose = kin.world_from_link[site.body] * site.pose;
            if !is_inside(site.kind, site.size, &pose, c.pos) {
                return None;
            }
        }
        let straight = fits(first, c, 0) && fits(second, c, 1);
        let turned = fits(first, c, 1) && fits(second, c, 0);
        (straight || turned).then_some(Match { contact, along: straight })
    };
    contacts.iter().enumerate().filter_map(of).collect()
}

fn hangs_on(model: &Model, mut body: usize, root: usize) -> bool {
    while body > root {
        body = model.bodies[body].parent;
    }
    body == root
}

/// A contact and its force and torque along its frame.
struct Loaded<'a> {
    contact: &'a SoftContact,
    force: &'a [f64; 6],
}

fn slot(
    kin: &TreeKinematics,
    query: &SensorQuery,
    m: &Match,
    loaded: &Loaded<'_>,
    count: f64,
    out: &mut Vec<f64>,
) {
    let (c, x) = (loaded.contact, loaded.force);
    let sign = if m.along { 1.0 } else { -1.0 };
    // A frame whose normal is turned about has its first tangent turned too; its second one stays.
    let turned = |v: &[f64]| [v[0], v[1], sign * v[2]];
    let local = |v: Vec3| turned(&c.frame.map(|axis| axis.dot(v)));
    let velocity = |k: usize| {
        let link = c.bodies[k];
        let twist = kin.twist[link];
        [twist.linear + twist.angular.cross(c.pos - kin.com[link]), twist.angular]
    };
    for field in &query.fields {
        match *field {
            "found" => out.push(count),
            "force" => out.extend(turned(&x[..3])),
            "torque" => out.extend(turned(&x[3..])),
            "dist" => out.push(c.dist),
            "pos" => out.extend(c.pos.to_array()),
            "normal" => out.extend((c.frame[0] * sign).to_array()),
            "tangent" => out.extend((c.frame[1] * sign).to_array()),
            "linvel" => out.extend(local(velocity(1)[0] - velocity(0)[0])),
            _ => out.extend(local(velocity(1)[1] - velocity(0)[1])),
        }
    }
}

/// One contact in the place of all: at the mean of their points, weighted by force, in the axes of the world.
fn net(
    query: &SensorQuery,
    found: &[Match],
    contacts: &[SoftContact],
    forces: &[[f64; 6]],
    out: &mut Vec<f64>,
) {
    let (mut at, mut weight, mut force, mut torque) = (Vec3::ZERO, 0.0, Vec3::ZERO, Vec3::ZERO);
    for m in found {
        let (c, x) = (&contacts[m.contact], &forces[m.contact]);
        let sign = if m.along { 1.0 } else { -1.0 };
        let world = |x: &[f64]| (c.frame[0] * x[0] + c.frame[1] * x[1] + c.frame[2] * x[2]) * sign;
        let size = Vec3::from_slice(&x[..3]).length();
        (at, weight) = (at + c.pos * size, weight + size);
        force += world(&x[..3]);
        torque += world(&x[3..]) + c.pos.cross(world(&x[..3]));
    }
    at /= scalar::max(weight, 1e-15);
    torque -= at.cross(force);
    for field in &query.fields {
        match *field {
            "found" => out.push(found.len() as f64),
            "force" => out.extend(force.to_array()),
            "torque" => out.extend(torque.to_array()),
            "dist" => out.push(0.0),
            "pos" => out.extend(at.to_array()),
            "normal" => out.extend([1.0, 0.0, 0.0]),
            "tangent" => out.extend([0.0, 1.0, 0.0]),
            _ => out.extend([0.0; 3]),
        }
    }
}
