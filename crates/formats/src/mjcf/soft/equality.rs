//! Rows of equalities: connect, weld, and polynomials between joints or tendons.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | p₁, p₂ | `at` | the anchor on either body, world |
//! | q₁, q₂, q_rel | | orientations, and that of the second body in the first one's frame |
//!
//! A weld's rotational residual is s·vec(q₂⁻¹ q₁ q_rel) with the torque scale s; with Q(w) = q₂⁻¹ w q₁ q_rel its rate is s/2·vec Q(ω₁ − ω₂).

use super::super::mech::{Forward, Mechanism};
use super::super::model::{EqualityKind, Model, Softness as FileSoftness};
use super::rows::{Making, Place, RowInfo, RowKind};
use super::work::SoftModel;
use huygens::contact::convex::{SoftLaw, Softness};
use huygens_dynamics::TreeKinematics;
use huygens_math::{Pose, Quat, Vec3};

/// An equality with what follows from the start pose.
#[derive(Clone, Debug)]
pub(super) struct SoftEquality {
    pub active: bool,
    pub softness: FileSoftness,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Points of two links coincide.
    Connect { links: [usize; 2], anchors: [Vec3; 2] },
    /// Frames of two links coincide: the first one's frame is `frames[0]`, turned to the second's at the start.
    Weld { links: [usize; 2], frames: [Pose; 2], torquescale: f64 },
    /// y − y₀ = Σ cₖ (x − x₀)ᵏ of two joints.
    Joint { coordinates: [Option<(usize, usize)>; 2], start: [f64; 2], polycoef: [f64; 5] },
    /// The same of two tendons.
    Tendon { tendons: [Option<usize>; 2], start: [f64; 2], polycoef: [f64; 5] },
}

pub(super) fn resolve(model: &Model, m: &Mechanism, start: &Forward) -> Vec<SoftEquality> {
    let pose = |body: usize| if body == 0 { Pose::IDENTITY } else { start.kin.world_from_link[body] };
    let kind = |kind: &EqualityKind| match *kind {
        EqualityKind::Connect { bodies: [a, b], anchor } => {
            let at = pose(a).transform(anchor);
            Kind::Connect { links: [a, b], anchors: [anchor, pose(b).inverse_transform(at)] }
        }
        EqualityKind::ConnectSites { sites } => {
            let place = sites.map(|id| m.sites[id]);
            Kind::Connect { links: place.map(|p| p.link), anchors: place.map(|p| p.pose.translation) }
        }
        EqualityKind::Weld { bodies: [a, b], anchor, relpose, torquescale } => {
            // A stated pose says where the first body's anchor is, whatever the second one's.
            let first = relpose.unwrap_or_else(|| {
                let relative = pose(a).inverse() * pose(b);
                Pose::new(relative.rotation, relative.transform(anchor))
            });
            Kind::Weld { links: [a, b], frames: [first, Pose::at(anchor)], torquescale }
        }
        EqualityKind::WeldSites { sites, torquescale } => {
            let place = sites.map(|id| m.sites[id]);
            Kind::Weld { links: place.map(|p| p.link), frames: place.map(|p| p.pose), torquescale }
        }
        EqualityKind::Joint { joints, polycoef } => {
            let coordinates = joints.map(|j| j.map(|j| (model.joints[j].qpos, model.joints[j].dof)));
            let start = coordinates.map(|c| c.map_or(0.0, |(q, _)| model.qpos0[q]));
            Kind::Joint { coordinates, start, polycoef }
        }
        EqualityKind::Tendon { tendons, polycoef } => Kind::Tendon {
            tendons,
            start: tendons.map(|t| t.map_or(0.0, |t| start.tendon_length[t])),
            polycoef,
        },
    };
    let of = |e: &super::super::model::Equality| SoftEquality {
        active: e.active,
        softness: e.softness,
        kind: kind(&e.kind),
    };
    model.equalities.iter().map(of).collect()
}

pub(super) fn rows(place: &Place<'_>, making: &mut Making<'_>) {
    for (id, equality) in place.soft.equalities.iter().enumerate().filter(|(_, e)| e.active) {
        match &equality.kind {
            Kind::Connect { links, anchors } => {
                let frames = anchors.map(Pose::at);
                frames_coincide(place, making, id, &Joined { links: *links, frames, torquescale: None });
            }
            Kind::Weld { links, frames, torquescale } => {
                let joined = Joined { links: *links, frames: *frames, torquescale: Some(*torquescale) };
                frames_coincide(place, making, id, &joined);
            }
            Kind::Joint { coordinates, start, polycoef } => {
                let q = |k: usize| coordinates[k].map_or(0.0, |(q, _)| place.state.qpos[q] - start[k]);
                let entries = |k: usize, factor: f64| {
                    coordinates[k].map(|(_, dof)| vec![(dof, factor)]).unwrap_or_default()
                };
                let weight = |k: usize| coordinates[k].map_or(0.0, |(_, dof)| place.soft.weights.dof[dof]);
                let values = Values { x: [q(0), q(1)], inverse_mass: weight(0) + weight(1), polycoef };
                polynomial(place, making, id, &values, &entries);
            }
            Kind::Tendon { tendons, start, polycoef } => {
                let n = place.m.tree.dofs();
                let x = |k: usize| tendons[k].map_or(0.0, |t| place.f.tendon_length[t] - start[k]);
                let entries = |k: usize, factor: f64| {
                    let Some(t) = tendons[k] else { return Vec::new() };
                    let row = &place.f.tendon_rows[t * n..(t + 1) * n];
                    row.iter().enumerate().filter(|(_, j)| **j != 0.0).map(|(d, j)| (d, factor * j)).collect()
                };
                let weight = |k: usize| tendons[k].map_or(0.0, |t| place.soft.weights.tendon[t]);
                let values = Values { x: [x(0), x(1)], inverse_mass: weight(0) + weight(1), polycoef };
                polynomial(place, making, id, &values, &entries);
            }
        }
    }
}

/// What a polynomial equality looks at.
struct Values<'a> {
    x: [f64; 2],
    inverse_mass: f64,
    polycoef: &'a [f64; 5],
}

fn polynomial(
    place: &Place<'_>,
    making: &mut Making<'_>,
    id: usize,
    values: &Values<'_>,
    entries: &dyn Fn(usize, f64) -> Vec<(usize, f64)>,
) {
    let [y, x] = values.x;
    let c = values.polycoef;
    let value = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    let slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
    let list = [entries(0, 1.0), entries(1, -slope)].concat();
    making.columns.clear();
    making.columns.extend(list.iter().map(|(dof, _)| *dof));
    making.columns.sort_unstable();
    making.columns.dedup();
    let block = making.rows.push(SoftLaw::Equality, 1, making.columns);
    for (dof, value) in list {
        if let Ok(column) = making.columns.binary_search(&dof) {
            making.rows.row_of_mut(&block, 0)[column] += value;
        }
    }
    let pos = y - value;
    let impedance = place.soft.equality_softness(id).at(pos, place.soft.least_time);
    let vel = making.velocity(&block, 0, &place.state.qvel);
    let info = RowInfo { pos, vel, ..RowInfo::new(RowKind::Equality, id, values.inverse_mass) };
    making.finish(&block, 0, &impedance, info);
}

/// Two frames on links whose origins coincide, and with a torque scale their axes too.
struct Joined {
    links: [usize; 2],
    frames: [Pose; 2],
    torquescale: Option<f64>,
}

fn pure(v: Vec3) -> Quat {
    Quat::from_xyzw(v.x, v.y, v.z, 0.0)
}

fn vector(q: Quat) -> Vec3 {
    Vec3::new(q.x, q.y, q.z)
}

fn frames_coincide(place: &Place<'_>, making: &mut Making<'_>, id: usize, joined: &Joined) {
    let kin = &place.f.kin;
    let Joined { links, frames, torquescale } = joined;
    let world = [0, 1].map(|k| kin.world_from_link[links[k]] * frames[k]);
    let at = world.map(|w| w.translation);
    let [q1, q2] = world.map(|w| w.rotation);
    let inverse = q2.conjugate();
    let count = if torquescale.is_some() { 6 } else { 3 };
    let scale = torquescale.unwrap_or(0.0);
    let turned = |w: Vec3| vector(inverse * pure(w) * q1) * (0.5 * scale);
    let block = making.between(place.m, *links, SoftLaw::Equality, count);
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        making.add(place, &block, links[k], sign, &|row, dof| {
            let axis = &kin.axis[dof];
            if row < 3 { axis.at(at[k])[row] } else { turned(axis.angular)[row - 3] }
        });
    }
    let residual = at[0] - at[1];
    let rotation = vector(inverse * q1) * scale;
    let norm = (residual.length_squared() + rotation.length_squared()).sqrt();
    let impedance = place.soft.equality_softness(id).at(norm, place.soft.least_time);
    // J̇v: the accelerations of the residual when no dof accelerates.
    let moving = |k: usize| {
        let arm = at[k] - kin.com[links[k]];
        let (twist, a) = (&kin.twist[links[k]], &place.links[links[k]]);
        let w = twist.angular;
        (a.linear + a.angular.cross(arm) + w.cross(w.cross(arm)), w, a.angular)
    };
    let ((a1, w1, s1), (a2, w2, s2)) = (moving(0), moving(1));
    let drift = a1 - a2;
    let w = w1 - w2;
    let mixed = pure(w) * pure(w1) * q1 + (pure(w2) * pure(w) * q1) * -1.0;
    let turn_drift = turned(s1 - s2) + vector(inverse * mixed) * (0.25 * scale);
    let weights = [0, 1].map(|k| place.soft.weights.body[links[k]]);
    for row in 0..count {
        let (pos, bias, weight) = if row < 3 {
            (residual[row], drift[row], weights[0][0] + weights[1][0])
        } else {
            (rotation[row - 3], turn_drift[row - 3], weights[0][1] + weights[1][1])
        };
        let vel = making.velocity(&block, row, &place.state.qvel);
        let info = RowInfo { pos, vel, ..RowInfo::new(RowKind::Equality, id, weight) };
        making.finish(&block, row, &impedance, info);
        making.rows.aref[block.first + row] -= bias;
    }
}

impl SoftModel {
    /// The forces and torques of a connect or weld on its two links, at its anchors; `force` are those of its rows.
    pub(super) fn pull(
        &self,
        id: usize,
        kin: &TreeKinematics,
        force: &[f64],
        push: &mut impl FnMut(usize, Vec3, Vec3, Vec3),
    ) {
        let (links, frames, scale) = match &self.equalities[id].kind {
            Kind::Connect { links, anchors } => (*links, anchors.map(Pose::at), 0.0),
            Kind::Weld { links, frames, torquescale } => (*links, *frames, *torquescale),
            Kind::Joint { .. } | Kind::Tendon { .. } => return,
        };
        let world = [0, 1].map(|k| kin.world_from_link[links[k]] * frames[k]);
        let [q1, q2] = world.map(|w| w.rotation);
        let turned = |w: Vec3| vector(q2.conjugate() * pure(w) * q1) * (0.5 * scale);
        let pulled = Vec3::from_slice(force);
        let torque = match force.get(3..6) {
            Some(rows) => Vec3::from_array(Vec3::AXES.map(|axis| turned(axis).dot(Vec3::from_slice(rows)))),
            None => Vec3::ZERO,
        };
        push(links[0], world[0].translation, pulled, torque);
        push(links[1], world[1].translation, -pulled, -torque);
    }

    fn equality_softness(&self, id: usize) -> Softness {
        self.equalities[id].softness.into()
    }
}
