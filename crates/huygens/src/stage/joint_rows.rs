//! Rows of joints and ropes: limits, dry friction, motors with limits.

use super::demand::{self, end_share, motor_gain};
use super::is_out;
use super::tendon_rows;
use super::tree_rows::TreeSides;
use crate::access::AssembleAccess;
use crate::model::{BallLimit, DofModel, Model, Motion, RopeEnd, RopeModel};
use crate::scene::{MotorKind, MotorSpec};
use crate::state::State;
use crate::workspace::TreeWork;
use huygens_contact::{GroupKey, Head, Law, RangeEnd, Row, Side, TreeSpan};
use huygens_dynamics::JointKind;
use huygens_math::{Quat, Vec3, scalar, trig};

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
            let row = motor_row(model, state, work, i, motor, motor_demand);
            push(state, work, dof, &row);
        }
    }
    for (i, limit) in model.ball_limits.iter().enumerate() {
        if !is_out(model, state, limit.tree as usize) {
            let first = (model.joint_dofs.len() + 2 * i) as u32;
            ball_limit(model, state, work, limit, first);
        }
    }
    tendon_rows::tendons(model, state, work);
    for (i, rope) in model.ropes.iter().enumerate() {
        self::rope(model, state, work, i as u32, rope);
    }
}

/// One row over one dof, or over the length of a tendon.
pub(super) struct DofRow {
    pub key: GroupKey,
    pub law: Law,
    /// Index into the demands.
    pub demand: u32,
    pub is_soft: bool,
    /// Row velocity for each unit of the dof's: 1 or −1.
    pub sign: f64,
    pub target: f64,
    pub error: f64,
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
pub(super) fn warm(state: &State, work: &mut AssembleAccess, key: GroupKey) {
    let old = state.row_impulses.binary_search_by_key(&key, |(key, _)| *key);
    work.warm_rows.push(old.map_or(0.0, |at| state.row_impulses[at].1));
}

/// True for a limit with this gap, rate and acceleration of it that is closed, or may close within the step. The acceleration counts: what rests at
/// a limit is off it by round-off in one step or the other, and would fall freely in that.
pub(super) fn may_close(model: &Model, gap: f64, rate: f64, acceleration: f64) -> bool {
    let h = model.settings.dt;
    let least = scalar::min(rate, rate + h * acceleration);
    gap <= 0.0 || model.settings.speculative && gap + h * least <= 0.0
}

/// A joint at the ends of its range.
fn limits(model: &Model, state: &State, work: &mut AssembleAccess, i: usize, demand: u32) {
    let dof = &model.joint_dofs[i];
    let Some([low, high]) = dof.range else { return };
    let q = state.coordinates[dof.coordinate as usize];
    let at = dof.dof as usize;
    let (v, a) = (state.velocity.dof[at], work.acceleration.dof[at]);
    for (end, sign, gap) in [(RangeEnd::Low, 1.0, q - low), (RangeEnd::High, -1.0, high - q)] {
        // The rows of a limit that gives way are always there: what its spring stores is measured on them.
        if !may_close(model, gap, sign * v, sign * a) && !dof.is_soft() {
            continue;
        }
        let key = GroupKey::joint_limit(i as u32, end);
        let (law, is_soft) = (Law::Unilateral, dof.is_soft());
        push(state, work, dof, &DofRow { key, law, demand, is_soft, sign, target: 0.0, error: gap });
    }
}

/// Cone and twist of a ball joint; `first` is the number of the cone, that of the twist follows.
///
/// | symbol | code | meaning |
/// |---|---|---|
/// | a, c | `axis`, `carried` | the axis on the carrier, and on the child, in the joint's frame |
/// | ω | | spin of the child relative to the carrier along the same axes: the dofs |
/// | θ | | angle between a and c: θ̇ = ω·(a×c)/|a×c| |
/// | τ | | turn about c that is left when the shortest turn from a to c is taken out: τ̇ = ω·(a + c)/(1 + a·c) |
fn ball_limit(model: &Model, state: &State, work: &mut AssembleAccess, limit: &BallLimit, first: u32) {
    let at = limit.coordinate as usize;
    let q = &state.coordinates[at..at + 4];
    let (axis, turn) = (limit.axis, Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize());
    let carried = turn * axis;
    let (sine, cosine) = (axis.cross(carried), axis.dot(carried));
    if let Some(cone) = limit.cone {
        let size = sine.length();
        // On the axis any direction leads out.
        let outwards = if size > 1e-12 { sine / size } else { axis.any_orthonormal_vector() };
        let gap = cone - trig::atan2(size, cosine);
        push_ball(
            model,
            state,
            work,
            limit,
            &BallRow { number: first, end: RangeEnd::High, along: -outwards, gap },
        );
    }
    if let Some([low, high]) = limit.twist.filter(|_| 1.0 + cosine > 1e-6) {
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let angle = 2.0 * trig::atan2(Vec3::new(turn.x, turn.y, turn.z).dot(axis), turn.w);
        let along = (axis + carried) / (1.0 + cosine);
        let number = first + 1;
        for (end, along, gap) in [(RangeEnd::Low, along, angle - low), (RangeEnd::High, -along, high - angle)]
        {
            push_ball(model, state, work, limit, &BallRow { number, end, along, gap });
        }
    }
}

/// A limit of a ball joint: its row velocity is ω·`along`.
struct BallRow {
    number: u32,
    end: RangeEnd,
    along: Vec3,
    gap: f64,
}

fn push_ball(model: &Model, state: &State, work: &mut AssembleAccess, limit: &BallLimit, of: &BallRow) {
    let dof = limit.dof as usize;
    let spin = Vec3::from_slice(&state.velocity.dof[dof..dof + 3]);
    let kick = Vec3::from_slice(&work.acceleration.dof[dof..dof + 3]);
    if !may_close(model, of.gap, of.along.dot(spin), of.along.dot(kick)) {
        return;
    }
    let key = GroupKey::joint_limit(of.number, of.end);
    warm(state, work, key);
    let block = &work.inertia.trees[limit.tree as usize];
    let rows = &mut work.groups.tree;
    let path = rows.push_path([2, 1, 0].map(|k| limit.dof + k));
    let along = of.along.to_array();
    let span = rows.push_span(block, path, |_, dof| [along[(dof - limit.dof) as usize]]);
    let tree = Some(rows.push([span, TreeSpan::default()]));
    let row = work.groups.rows.len() as u32;
    let sides = [Side::Tree(limit.tree), Side::Fixed];
    work.groups.heads.push(Head::of_row(key, sides, Law::Unilateral, demand::ANGLE, row));
    work.groups.rows.push(Row {
        linear: Vec3::ZERO,
        angular: [Vec3::ZERO; 2],
        target: 0.0,
        error: of.gap,
        tree,
    });
}

/// A motor towards its target with no more than its limits allow.
///
/// It acts at the middle of the step: p = h(k(r − q − h(u₀ + u)/4) + c(t − (u₀ + u)/2)) = A − B u with the velocities u₀ and u of its two
/// ends. As a row that gives way: u + R p = A/B with R = 1/B. A model with sub-steps sees αu + (1 − α)u₀ instead of u.
fn motor_row(
    model: &Model,
    state: &State,
    work: &mut AssembleAccess,
    i: usize,
    motor: &MotorSpec,
    demand: u32,
) -> DofRow {
    let dof = &model.joint_dofs[i];
    let at = dof.dof as usize;
    let now = [state.coordinates[dof.coordinate as usize], state.velocity.dof[at]];
    let mut ahead = Ahead { mean: now[1], inverse_mass: 0.0 };
    if motor.max_power.is_finite() {
        let block = &work.inertia.trees[dof.tree as usize];
        let own = (dof.dof - block.first_dof) as usize;
        let TreeWork { answer, room, .. } = &mut work.trees[dof.tree as usize];
        answer.clear();
        answer.resize(block.ldl.len(), 0.0);
        answer[own] = 1.0;
        block.respond(answer, room);
        ahead.mean += 0.5 * model.settings.dt * work.acceleration.dof[at];
        ahead.inverse_mass = answer[own];
    }
    let (law, target) = motor_impulse(model, motor, state.motor_targets[i], now, &ahead);
    let is_soft = motor_gain(model, motor).is_some();
    DofRow { key: GroupKey::joint_motor(i as u32), law, demand, is_soft, sign: 1.0, target, error: 0.0 }
}

/// What a motor that has a limit of power finds in the step.
pub(super) struct Ahead {
    /// Mean of its rate over the step if neither it nor other rows pushed.
    pub mean: f64,
    /// Change of its rate for each unit of its impulse, if other rows do not push.
    pub inverse_mass: f64,
}

impl Ahead {
    /// The largest impulse ≥ 0 along `sign` whose work p(u + wp/2) is at most `work` in size.
    fn most(&self, work: f64, sign: f64) -> f64 {
        let (u, w) = (sign * self.mean, self.inverse_mass);
        if work.is_infinite() {
            return f64::INFINITY;
        }
        if w <= 0.0 {
            return if u == 0.0 { f64::INFINITY } else { work / u.abs() };
        }
        let braked = u * u - 2.0 * w * work;
        if u < 0.0 && braked > 0.0 {
            return 2.0 * work / (braked.sqrt() - u);
        }
        let root = (u * u + 2.0 * w * work).sqrt();
        if u > 0.0 { 2.0 * work / (root + u) } else { (root - u) / w }
    }
}

/// Bounds and target of the row of a motor that aims at `aimed` from a coordinate and its rate.
pub(super) fn motor_impulse(
    model: &Model,
    motor: &MotorSpec,
    aimed: f64,
    [q, u]: [f64; 2],
    ahead: &Ahead,
) -> (Law, f64) {
    let h = model.settings.dt;
    let [back, most] =
        [-1.0, 1.0].map(|sign| scalar::min(motor.max_force * h, ahead.most(motor.max_power * h, sign)));
    let target = match (motor_gain(model, motor), motor.kind) {
        (Some(gain), kind) => {
            let share = end_share(model);
            let (k, c, aim) = match kind {
                MotorKind::Position => (motor.stiffness, motor.damping, 0.0),
                MotorKind::Velocity | MotorKind::Torque => (0.0, motor.damping, aimed),
            };
            let push = k * (aimed - q - 0.25 * h * u) + c * (aim - 0.5 * u);
            push / gain + (1.0 - share) * u
        }
        (None, _) => aimed,
    };
    (Law::Bounded { lo: -back, hi: most }, target)
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
    let is_gone = |slot: u32| {
        let slot = slot as usize;
        state.quarantined[slot] || state.sleep.has(slot) || model.bodies[slot].removed
    };
    if rope.ends.iter().filter_map(|end| end.body).any(is_gone) {
        return;
    }
    let apart = ends[0].1 - ends[1].1;
    let distance = apart.length();
    let gap = rope.length - distance;
    let n = if distance > 0.0 { -apart / distance } else { Vec3::Z };
    // The ends' accelerations, of links as large as gravity's: a row too many does nothing.
    let pull = |end: &RopeEnd| match end.body.map(|slot| (slot as usize, model.bodies[slot as usize].motion))
    {
        Some((slot, Motion::Dynamic)) => work.acceleration.free[slot].linear.length(),
        Some((_, Motion::Link { .. })) => model.settings.gravity.length(),
        Some((_, Motion::Driven(_) | Motion::Static)) | None => 0.0,
    };
    let pull = pull(&rope.ends[0]) + pull(&rope.ends[1]);
    if !may_close(model, gap, n.dot(ends[0].2 - ends[1].2), -pull) {
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
