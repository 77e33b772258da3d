//! Rows of joints and ropes: limits, dry friction, motors with limits.

use super::demand::{self, end_share, motor_gain};
use super::is_out;
use super::tree_rows::TreeSides;
use crate::access::AssembleAccess;
use crate::model::{DofModel, Model, Motion, RopeModel};
use crate::scene::{MotorKind, MotorSpec};
use crate::state::State;
use huygens_contact::{GroupKey, Head, Law, RangeEnd, Row, Side, TreeSpan};
use huygens_dynamics::JointKind;
use huygens_math::{Vec3, scalar};

/// Adds the rows of all joints, joint after joint, then those of the ropes.
pub(super) fn joints(model: &Model, state: &State, work: &mut AssembleAccess) {
    let mut next_soft = demand::SOFT_LIMITS;
    let mut next_motor = next_soft + model.joint_dofs.iter().filter(|dof| dof.is_soft()).count() as u32;
    for (i, dof) in model.joint_dofs.iter().enumerate() {
        let rigid = if dof.kind == JointKind::Slide { demand::LENGTH } else { demand::ANGLE };
        let limit_demand = if dof.is_soft() { next_soft } else { rigid };
        next_soft += u32::from(dof.is_soft());
        let motor = dof.limited_motor();
        let gain = motor.and_then(|motor| motor_gain(model, motor));
        let motor_demand = if gain.is_some() { next_motor } else { rigid };
        next_motor += u32::from(gain.is_some());
        if is_out(model, state, dof.tree as usize) {
            continue;
        }
        limits(model, state, work, i, limit_demand);
        if dof.friction > 0.0 {
            let most = dof.friction * model.settings.dt;
            let law = Law::Bounded { lo: -most, hi: most };
            let key = GroupKey::joint_friction(i as u32);
            push(
                state,
                work,
                dof,
                &DofRow { key, law, demand: rigid, is_soft: false, sign: 1.0, target: 0.0, error: 0.0 },
            );
        }
        if let Some(motor) = motor {
            let row = motor_row(model, state, i, motor, motor_demand);
            push(state, work, dof, &row);
        }
    }
    for (i, rope) in model.ropes.iter().enumerate() {
        self::rope(model, state, work, i as u32, rope);
    }
}

/// One row over one dof.
struct DofRow {
    key: GroupKey,
    law: Law,
    /// Index into the demands.
    demand: u32,
    is_soft: bool,
    /// Row velocity for each unit of the dof's: 1 or −1.
    sign: f64,
    target: f64,
    error: f64,
}

fn push(state: &State, work: &mut AssembleAccess, dof: &DofModel, of: &DofRow) {
    warm(state, work, of.key);
    let block = &work.inertia.trees[dof.tree as usize];
    let rows = &mut work.groups.tree;
    let path = rows.push_path([dof.dof]);
    let span = rows.push_span(block, path, |_, _| [of.sign]);
    let tree_at = rows.push([span, TreeSpan::default()]);
    let row = work.groups.rows.len() as u32;
    let head = Head::of_row(of.key, [Side::Tree(dof.tree), Side::Fixed], of.law, of.demand, row);
    work.groups.heads.push(Head { is_soft: of.is_soft, ..head });
    work.groups.rows.push(Row {
        linear: Vec3::ZERO,
        angular: [Vec3::ZERO; 2],
        target: of.target,
        error: of.error,
        tree: Some(tree_at),
    });
}

/// The impulse of the last step to start from.
fn warm(state: &State, work: &mut AssembleAccess, key: GroupKey) {
    let old = state.row_impulses.binary_search_by_key(&key, |(key, _)| *key);
    work.warm_rows.push(old.map_or(0.0, |at| state.row_impulses[at].1));
}

/// A joint at the ends of its range.
fn limits(model: &Model, state: &State, work: &mut AssembleAccess, i: usize, demand: u32) {
    let dof = &model.joint_dofs[i];
    let Some([low, high]) = dof.range else { return };
    let q = state.coordinates[dof.coordinate as usize];
    let v = state.velocity.dof[dof.dof as usize];
    for (end, sign, gap) in [(RangeEnd::Low, 1.0, q - low), (RangeEnd::High, -1.0, high - q)] {
        let closing = gap + sign * v * model.settings.dt;
        // The rows of a limit that gives way are always there: what its spring stores is measured on them.
        let waits = closing > 0.0 || !model.settings.speculative;
        if gap > 0.0 && waits && !dof.is_soft() {
            continue;
        }
        let key = GroupKey::joint_limit(i as u32, end);
        let (law, is_soft) = (Law::Unilateral, dof.is_soft());
        push(state, work, dof, &DofRow { key, law, demand, is_soft, sign, target: 0.0, error: gap });
    }
}

/// A motor towards its target with no more than its limits allow.
///
/// It acts at the middle of the step: p = h(k(r − q − h(u₀ + u)/4) + c(t − (u₀ + u)/2)) = A − B u with the velocities u₀ and u of its two
/// ends. As a row that gives way: u + R p = A/B with R = 1/B. A model with sub-steps sees αu + (1 − α)u₀ instead of u.
fn motor_row(model: &Model, state: &State, i: usize, motor: &MotorSpec, demand: u32) -> DofRow {
    let (dof, h) = (&model.joint_dofs[i], model.settings.dt);
    let (q, u) = (state.coordinates[dof.coordinate as usize], state.velocity.dof[dof.dof as usize]);
    let by_power = if u != 0.0 { motor.max_power / u.abs() } else { f64::INFINITY };
    let most = scalar::min(motor.max_force, by_power) * h;
    let target = match (motor_gain(model, motor), motor.kind) {
        (Some(gain), kind) => {
            let share = end_share(model);
            let (k, c, aim) = match kind {
                MotorKind::Position => (motor.stiffness, motor.damping, 0.0),
                MotorKind::Velocity | MotorKind::Torque => (0.0, motor.damping, motor.target),
            };
            let push = k * (motor.target - q - 0.25 * h * u) + c * (aim - 0.5 * u);
            push / gain + (1.0 - share) * u
        }
        (None, _) => motor.target,
    };
    let law = Law::Bounded { lo: -most, hi: most };
    let is_soft = motor_gain(model, motor).is_some();
    DofRow { key: GroupKey::joint_motor(i as u32), law, demand, is_soft, sign: 1.0, target, error: 0.0 }
}

/// A rope that is, or may become, taut in the step: the distance of its ends does not exceed its length.
fn rope(model: &Model, state: &State, work: &mut AssembleAccess, index: u32, rope: &RopeModel) {
    let ends = rope.ends.map(|end| {
        let slot = end.body.map(|slot| slot as usize);
        let arm = slot.map_or(end.anchor, |slot| state.orientation[slot] * end.anchor);
        let place = slot.map_or(Vec3::ZERO, |slot| state.position[slot]);
        let velocity = slot.map_or(Vec3::ZERO, |slot| state.velocity.free[slot].at(arm));
        (arm, place + arm, velocity)
    });
    let is_gone = |slot: u32| state.quarantined[slot as usize] || model.bodies[slot as usize].removed;
    if rope.ends.iter().filter_map(|end| end.body).any(is_gone) {
        return;
    }
    let apart = ends[0].1 - ends[1].1;
    let distance = apart.length();
    let gap = rope.length - distance;
    let n = if distance > 0.0 { -apart / distance } else { Vec3::Z };
    let closing = gap + n.dot(ends[0].2 - ends[1].2) * model.settings.dt;
    if gap > 0.0 && (closing > 0.0 || !model.settings.speculative) {
        return;
    }
    let side = rope.ends.map(|end| match end.body.map(|slot| (slot, model.bodies[slot as usize].motion)) {
        Some((_, Motion::Link { tree, .. })) => Side::Tree(tree),
        Some((_, Motion::Driven(driver))) => Side::Driven(driver),
        Some((slot, Motion::Dynamic)) => Side::Free(slot),
        Some((_, Motion::Static)) | None => Side::Fixed,
    });
    let key = GroupKey::coupling(index);
    warm(state, work, key);
    let row = work.groups.rows.len() as u32;
    let mut tree = None;
    if side.iter().any(|side| matches!(side, Side::Tree(_))) {
        let bodies = rope.ends.map(|end| end.body);
        let AssembleAccess { trees, inertia, groups, .. } = work;
        let sides = TreeSides::between(model, inertia, &mut groups.tree, bodies);
        // Any point of the line will do: along it, turns move nothing.
        tree = Some(sides.push(trees, inertia, &mut groups.tree, |axis| [n.dot(axis.at(ends[0].1))]));
    }
    work.groups.heads.push(Head::of_row(key, side, Law::Unilateral, demand::LENGTH, row));
    let angular = [ends[0].0.cross(n), -ends[1].0.cross(n)];
    work.groups.rows.push(Row { linear: n, angular, target: 0.0, error: gap, tree });
}
