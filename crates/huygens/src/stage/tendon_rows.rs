//! Rows of tendons: limits of their length, dry friction, motors, springs and dampers. All of a tendon's dofs are of one tree.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ℓ, J | `length`, `row` | length, and its derivative with respect to the dofs at the start of the step | m |
//! | u | `rate` | J v | m/s |

use super::demand::{self, motor_gain};
use super::is_out;
use super::joint_rows::{Ahead, DofRow, may_close, motor_impulse, warm};
use crate::access::AssembleAccess;
use crate::model::{Model, TendonModel};
use crate::scene::{MotorKind, MotorSpec};
use crate::state::State;
use crate::workspace::TreeWork;
use huygens_contact::{GroupKey, Head, Law, RangeEnd, Row, Side, TreeSpan};
use huygens_dynamics::{CableStretch, cable_length};
use huygens_math::{Vec3, scalar};

/// Number of a tendon among the things that joint keys name: its own rows, and one more for its spring.
pub(super) fn number(model: &Model, tendon: usize) -> u32 {
    (model.joint_dofs.len() + 2 * model.ball_limits.len() + 2 * tendon) as u32
}

/// The tendon that a joint key names, and whether it is that of its spring.
pub(super) fn of_number(model: &Model, number: u32) -> Option<(usize, bool)> {
    let at = number.checked_sub(self::number(model, 0))? as usize;
    (at / 2 < model.tendons.len()).then_some((at / 2, at % 2 == 1))
}

/// The tendon whose row, limit, motor or spring a joint key names.
pub(crate) fn tendon_of(model: &Model, number: u32) -> Option<usize> {
    of_number(model, number).map(|(tendon, _)| tendon)
}

/// Adds the rows of all tendons.
pub(super) fn tendons(model: &Model, state: &State, work: &mut AssembleAccess) {
    if model.tendons.is_empty() {
        return;
    }
    work.trees.iter_mut().for_each(|tree| tree.tendon_lengths.clear());
    let mut next = demand::first_of_tendons(model);
    for (i, tendon) in model.tendons.iter().enumerate() {
        let motor = tendon.motor.filter(|motor| motor.kind != MotorKind::Torque);
        let gains =
            [motor, tendon.spring_motor()].map(|motor| motor.and_then(|motor| motor_gain(model, &motor)));
        let demands = gains.map(|gain| {
            next += u32::from(gain.is_some());
            if gain.is_some() { next - 1 } else { demand::LENGTH }
        });
        if !is_out(model, state, tendon.tree as usize) {
            Tendon { model, state, tendon, number: number(model, i) }.rows(work, demands);
        }
    }
}

struct Tendon<'a> {
    model: &'a Model,
    state: &'a State,
    tendon: &'a TendonModel,
    number: u32,
}

impl Tendon<'_> {
    fn rows(&self, work: &mut AssembleAccess, [motor_demand, spring_demand]: [u32; 2]) {
        let Self { model, state, tendon, number } = *self;
        let (i, h) = (tendon.tree as usize, model.settings.dt);
        let tree_work = &mut work.trees[i];
        let mut row = std::mem::take(&mut tree_work.answer);
        row.clear();
        row.resize(model.trees[i].dofs(), 0.0);
        let kin = &tree_work.kick.start;
        let q = &state.coordinates[model.coordinates_of(i)];
        let add = |stretch: &CableStretch| stretch.add_to(&model.trees[i], kin, &mut row);
        let length = cable_length(|k| tendon.parts.get(k).copied(), |link| kin.world_from_link[link], q, add);
        tree_work.tendon_lengths.push(length);
        let rate: f64 = row.iter().zip(&state.velocity.dof[model.dofs_of(i)]).map(|(j, v)| j * v).sum();
        let rigid = |key, law, sign, error| DofRow {
            key,
            law,
            demand: demand::LENGTH,
            is_soft: false,
            sign,
            target: 0.0,
            error,
        };
        let kicks = &work.acceleration.dof[model.dofs_of(i)];
        let kick: f64 = row.iter().zip(kicks).map(|(j, a)| j * a).sum();
        if let Some([low, high]) = tendon.range {
            for (end, sign, gap) in
                [(RangeEnd::Low, 1.0, length - low), (RangeEnd::High, -1.0, high - length)]
            {
                if may_close(model, gap, sign * rate, sign * kick) {
                    let key = GroupKey::joint_limit(number, end);
                    self.push(work, &row, &rigid(key, Law::Unilateral, sign, gap));
                }
            }
        }
        if tendon.friction > 0.0 {
            let most = tendon.friction * h;
            let law = Law::Bounded { lo: -most, hi: most };
            self.push(work, &row, &rigid(GroupKey::joint_friction(number), law, 1.0, 0.0));
        }
        let mut ahead = Ahead { mean: rate, inverse_mass: 0.0 };
        if tendon.motor.is_some_and(|motor| motor.max_power.is_finite()) {
            ahead.mean += 0.5 * h * kick;
            let TreeWork { after, room, .. } = &mut work.trees[i];
            after.clone_from(&row);
            work.inertia.trees[i].respond(after, room);
            ahead.inverse_mass = row.iter().zip(&*after).map(|(j, y)| j * y).sum();
        }
        let towards = |key: GroupKey, motor: &MotorSpec, demand: u32| {
            let (law, target) = motor_impulse(model, motor, motor.target, [length, rate], &ahead);
            let is_soft = motor_gain(model, motor).is_some();
            DofRow { key, law, demand, is_soft, sign: 1.0, target, error: 0.0 }
        };
        if let Some(motor) = &tendon.motor {
            let key = GroupKey::joint_motor(number);
            if motor.kind == MotorKind::Torque {
                let by_power = if rate != 0.0 { motor.max_power / rate.abs() } else { f64::INFINITY };
                let most = scalar::min(motor.max_force, by_power);
                let p = scalar::clamp(motor.target, -most, most) * h;
                self.push(work, &row, &rigid(key, Law::Bounded { lo: p, hi: p }, 1.0, 0.0));
            } else {
                self.push(work, &row, &towards(key, motor, motor_demand));
            }
        }
        if let Some(spring) = tendon.spring_motor() {
            self.push(work, &row, &towards(GroupKey::joint_motor(number + 1), &spring, spring_demand));
        }
        work.trees[i].answer = row;
    }

    fn push(&self, work: &mut AssembleAccess, row: &[f64], of: &DofRow) {
        warm(self.state, work, of.key);
        let tree = self.tendon.tree;
        let block = &work.inertia.trees[tree as usize];
        let rows = &mut work.groups.tree;
        let first = block.first_dof;
        let path = rows.push_path((0..row.len() as u32).rev().map(|dof| first + dof));
        let span = rows.push_span(block, path, |_, dof| [of.sign * row[(dof - first) as usize]]);
        let tree_at = rows.push([span, TreeSpan::default()]);
        let at = work.groups.rows.len() as u32;
        let head = Head::of_row(of.key, [Side::Tree(tree), Side::Fixed], of.law, of.demand, at);
        work.groups.heads.push(Head { is_soft: of.is_soft, ..head });
        work.groups.rows.push(Row {
            linear: Vec3::ZERO,
            angular: [Vec3::ZERO; 2],
            target: of.target,
            error: of.error,
            tree: Some(tree_at),
        });
    }
}
