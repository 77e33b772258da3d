//! One step by the classical Runge–Kutta rule, for trees without equalities.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | σ | `displacement` | displacement from the start of the step in terms of dofs; of turns in space the rotation vector of Cayley's map | m, rad |
//! | σ' | `rate` | its rate: v, of turns in space v − ½σ×v + ¼(σ·v)σ | m/s, rad/s |
//! | a | `change` | H(q)⁻¹(f(q, v) + impulse/h) | m/s², rad/s² |
//!
//! Dampers, springs and motors are explicit; their work is that of the four stages with the rule's own weights. The impulse of constraints is
//! spread over the step. A free base keeps the momentum of the whole tree to round-off where nothing but gravity acts on it from outside.

use super::{ForceWork, ImplicitStep, MOST_ENERGY_ERROR, Start, energy};
use crate::bias::Wrench;
use crate::equality::spring_force;
use crate::integrate::coarse::links_turn_far;
use crate::integrate::kick::{SmoothForces, drive_force, user_force};
use crate::integrate::momentum::{Base, has_free_base};
use crate::joint::JointKind;
use crate::kinematics::{advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::Vec3;

/// Where each stage is, as a share of the step and of the rates of the stage before it; and its weight.
const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

impl ImplicitStep {
    /// Makes the step; false where it is too coarse for that, or a mass matrix cannot be factored.
    pub(in crate::integrate) fn run_stages(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
    ) -> bool {
        self.fit(tree, start);
        kinematics(tree, start.q, start.v, &mut self.end);
        let before = energy(tree, &self.end, start.q, forces.gravity, start.kin);
        let base = has_free_base(tree).then(|| Base::of(tree, start, forces.h, &mut self.scratch));
        let mut rooms = std::mem::take(&mut self.slower);
        rooms.iter_mut().for_each(|room| {
            room.clear();
            room.resize(tree.dofs(), 0.0);
        });
        let outer = self.stages(tree, start, forces, &mut rooms);
        self.slower = rooms;
        let Some(outer) = outer else { return false };
        self.end_q.copy_from_slice(start.q);
        advance(tree, &mut self.end_q, &self.displacement);
        kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
        let alone = |wrench: &Wrench| wrench.force == Vec3::ZERO && wrench.torque == Vec3::ZERO;
        if forces.external.iter().all(alone) && forces.joint.is_empty() {
            self.restore(tree, forces, base.as_ref());
        }
        if self.velocity.iter().chain(&self.end_q).any(|x| !x.is_finite())
            || links_turn_far(&self.end, forces.h)
        {
            return false;
        }
        (self.equality_work, self.rate_work, self.equality_size) = (0.0, 0.0, 0.0);
        (self.residual, self.pieces, self.gap) = (0.0, 1, 0.0);
        self.equality_impulse.clear();
        let after = energy(tree, &self.end, &self.end_q, forces.gravity, start.kin);
        // Springs are part of the energy.
        self.defect = after - before - (outer + self.work.damping + self.work.drive);
        let moved =
            kinetic_energy(tree, start.kin) + kinetic_energy(tree, &self.end) + (after - before).abs();
        tree.has_prescribed() || self.defect.abs() <= MOST_ENERGY_ERROR * moved + f64::MIN_POSITIVE
    }

    /// The four stages: leaves the displacement and the velocity at the end, and returns the work of users and constraints [J]; `None` where a
    /// mass matrix cannot be factored.
    fn stages(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        [rate, way, gain]: &mut [Vec<f64>; 3],
    ) -> Option<f64> {
        let (h, n) = (forces.h, tree.dofs());
        self.change.fill(0.0);
        self.work = ForceWork::default();
        self.drive_work.clear();
        self.drive_work.resize(if forces.drives.is_empty() { 0 } else { n }, 0.0);
        let mut outer = 0.0;
        for (share, weight) in STAGES {
            for (i, rate) in rate.iter().enumerate() {
                self.displacement[i] = share * h * rate;
                self.mean[i] = start.v[i] + share * h * self.change[i];
            }
            self.middle_q.copy_from_slice(start.q);
            advance(tree, &mut self.middle_q, &self.displacement);
            kinematics(tree, &self.middle_q, &self.mean, &mut self.middle);
            fill_rates(tree, &self.displacement, &self.mean, rate);
            rate.iter_mut().zip(start.shift).for_each(|(rate, shift)| *rate += shift / h);
            self.inertia.factor(tree, &self.middle, |_| 0.0).ok()?;
            self.smooth_force(tree, forces);
            let share = weight * h;
            self.sum_work(tree, forces, rate, share);
            user_force(tree, &self.middle, forces, &mut self.scratch, &mut self.push);
            for (i, rate) in rate.iter().enumerate() {
                let given = start.impulse.get(i).copied().unwrap_or(0.0) / h;
                outer += share * (self.push[i] * rate + given * self.mean[i]);
                self.change[i] = self.force[i] + given;
            }
            self.inertia.solve(tree, &mut self.change);
            way.iter_mut().zip(&*rate).for_each(|(way, rate)| *way += share * rate);
            gain.iter_mut().zip(&self.change).for_each(|(gain, a)| *gain += share * a);
        }
        self.displacement.copy_from_slice(way);
        for (end, (v, gain)) in self.velocity.iter_mut().zip(start.v.iter().zip(&*gain)) {
            *end = v + gain;
        }
        Some(outer)
    }

    /// Adds the work of dampers, springs and motors at a stage, which lasts for `time` [s].
    fn sum_work(&mut self, tree: &Tree, forces: &SmoothForces, rate: &[f64], time: f64) {
        for (i, rate) in rate.iter().enumerate() {
            self.work.damping -= time * tree.damping()[i] * self.mean[i] * rate;
        }
        if tree.has_springs() {
            spring_force(tree, &self.middle_q, &mut self.push);
            self.work.spring += time * self.push.iter().zip(rate).map(|(f, rate)| f * rate).sum::<f64>();
        }
        if !forces.drives.is_empty() {
            drive_force(tree, forces.drives, &self.middle_q, &self.mean, &mut self.push);
            for (work, (f, rate)) in self.drive_work.iter_mut().zip(self.push.iter().zip(rate)) {
                *work += time * f * rate;
            }
            self.work.drive = self.drive_work.iter().sum();
        }
    }
}

/// σ' at the displacement σ and the velocities v.
fn fill_rates(tree: &Tree, displacement: &[f64], v: &[f64], rate: &mut [f64]) {
    rate.copy_from_slice(v);
    for slot in tree.joints() {
        let turn = match slot.joint.kind {
            JointKind::Ball => slot.dofs().start,
            JointKind::Free => slot.dofs().start + 3,
            JointKind::Fixed
            | JointKind::Hinge
            | JointKind::Slide
            | JointKind::Screw
            | JointKind::BallLocal
            | JointKind::FreeLocal => continue,
        };
        let turn = turn..turn + 3;
        let [sigma, spin] = [displacement, v].map(|x| Vec3::from_slice(&x[turn.clone()]));
        let rates = spin - sigma.cross(spin) * 0.5 + sigma * (0.25 * sigma.dot(spin));
        rate[turn].copy_from_slice(&rates.to_array());
    }
}
