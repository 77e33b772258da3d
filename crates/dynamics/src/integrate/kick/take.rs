//! Energy that a step has no right to, taken back.

use super::TreeKick;
use crate::equality::equality_gaps;
use crate::inertia::{mass_times, twists_of};
use crate::integrate::momentum::{Whole, base_motion, centre, has_free_base, whole};
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::{Twist, Vec3, scalar};

/// Shares of its way that a tree goes back to, where its velocities have not enough.
const BACK: [f64; 4] = [0.5, 0.25, 0.125, 0.0];
/// Largest gap of equalities on the way back, as a share of the size of the mechanism.
const CLOSED: f64 = 1e-12;

/// What is left by the last bit of a gain is none.
const ROUND_OFF: f64 = 1e-12;

/// Kinetic energy of these twists of the links in the poses of `kin`, of a floating tree without that of its centre of mass [J].
fn own_energy(tree: &Tree, kin: &TreeKinematics, twist: impl Fn(usize) -> Twist) -> f64 {
    let (mut mass, mut momentum, mut energy) = (0.0, Vec3::ZERO, 0.0);
    for (k, link) in tree.links().iter().enumerate() {
        let Twist { linear, angular } = twist(k);
        mass += link.mass;
        momentum += linear * link.mass;
        energy += 0.5 * (link.mass * linear.length_squared() + angular.dot(kin.inertia[k] * angular));
    }
    let common = if has_free_base(tree) { 0.5 * momentum.length_squared() / mass } else { 0.0 };
    scalar::max(energy - common, 0.0)
}

/// What was taken from a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// Energy that it has less [J].
    pub energy: f64,
    /// Work of the prescribed bases in that, which keep their velocity [J]: a part of the change of energy.
    pub by_bases: f64,
}

impl TreeKick {
    /// Kinetic energy of the changes that the velocities of the links have made in a step to `end`, beside those that impulses gave them at its
    /// start; of a floating tree without that of its centre of mass [J]. At most twice what the motion at the start and the smooth forces explain,
    /// φ²T + K (turns by φ, and K of the kick): a blow turns links farther within the step, and that is no error of the integrator.
    pub fn swerve(&mut self, tree: &Tree, h: f64, v_plus: &[f64], end: &TreeKinematics) -> f64 {
        self.fit(tree);
        self.trial.iter_mut().zip(v_plus.iter().zip(&self.v_free)).for_each(|(to, (v, free))| *to = v - free);
        twists_of(tree, &self.start, &self.trial, &mut self.scratch.twist);
        let given = &self.scratch.twist;
        let swerve = own_energy(tree, end, |k| end.twist[k] - self.start.twist[k] - given[k]);
        let turn = self.start.twist.iter().map(|twist| twist.angular.length_squared()).fold(0.0, scalar::max);
        let before = own_energy(tree, &self.start, |k| self.start.twist[k]);
        scalar::min(swerve, 2.0 * (turn * h * h * before + self.kicked))
    }

    /// Takes the energy `gain` [J] from a tree at the end of the step that [`TreeKick::drift`] made: from its own motion
    /// (`implicit/lose.rs`); where that has not enough, the tree also goes back along its way `way` of the step, at the most to where it
    /// began. The whole of a floating tree goes on as it did.
    pub fn take(
        &mut self,
        tree: &Tree,
        [q, v]: [&mut [f64]; 2],
        end: &mut TreeKinematics,
        way: &[f64],
        gain: f64,
    ) -> Taken {
        let before = self.stored(tree, q, end) + kinetic_energy(tree, end);
        let (slower, left) = self.implicit.slow_down(tree, [q, v], end, gain);
        let change = slower.iter().zip(&*v).map(|(after, before)| after - before);
        self.trial.iter_mut().zip(change).for_each(|(to, change)| *to = change);
        v.copy_from_slice(slower);
        let mut by_bases = 0.0;
        if tree.has_prescribed() {
            mass_times(tree, end, &self.trial, &mut self.scratch, &mut self.force);
            let held = (0..v.len()).filter(|dof| tree.is_held(*dof));
            by_bases = held.map(|dof| v[dof] * self.force[dof]).sum();
        }
        kinematics(tree, q, v, end);
        if left > ROUND_OFF * gain {
            self.go_back(tree, [q, v], end, way, left);
        }
        let after = self.stored(tree, q, end) + kinetic_energy(tree, end);
        Taken { energy: before - after, by_bases }
    }

    /// Puts a tree that has lost its own motion back along its way until it has lost the energy `left` more, or is where it began, if it has
    /// less energy there.
    fn go_back(
        &mut self,
        tree: &Tree,
        [q, v]: [&mut [f64]; 2],
        end: &mut TreeKinematics,
        way: &[f64],
        left: f64,
    ) {
        let all = self.stored(tree, q, end) + kinetic_energy(tree, end);
        let most = all - left;
        let floats = has_free_base(tree);
        let flight = whole(tree, end, &end.twist);
        self.standing.clear();
        self.standing.extend_from_slice(v);
        // What motors and drivers say stays.
        for (dof, v) in v.iter_mut().enumerate() {
            if !tree.is_held(dof) && !tree.holds_rate(dof) {
                *v = 0.0;
            }
        }
        self.trial.copy_from_slice(v);
        self.middle_q.copy_from_slice(q);
        let held: usize = tree
            .joints()
            .iter()
            .filter(|slot| slot.dofs().any(|dof| tree.is_held(dof)))
            .map(|slot| slot.coordinates().len())
            .sum();
        let origin = self.start.com.first().copied().unwrap_or_default();
        let reach = self.start.com.iter().fold(0.0, |far, com| scalar::max(far, (*com - origin).length()));
        let closed = 2.0 * self.gap + CLOSED * reach;
        for share in BACK {
            q.copy_from_slice(&self.start_q);
            if share > 0.0 {
                self.force.iter_mut().zip(way).for_each(|(to, way)| *to = share * way);
                advance(tree, q, &self.force);
            }
            // Prescribed bases are where their drivers say; they are the first ones.
            q[..held].copy_from_slice(&self.middle_q[..held]);
            v.copy_from_slice(&self.trial);
            kinematics(tree, q, v, end);
            let mut gap = 0.0;
            if !tree.equalities().is_empty() {
                if share > 0.0 || held > 0 || tree.rates() > 0 {
                    gap = self.implicit.settle(tree, q, v, end);
                } else {
                    let mut gaps = std::mem::take(&mut self.before_gaps);
                    equality_gaps(tree, end, q, &mut gaps);
                    gap = gaps.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()));
                    self.before_gaps = gaps;
                }
            }
            if floats {
                self.go_on_as_whole(tree, [q, v], end, &flight);
            }
            let there = self.stored(tree, q, end) + kinetic_energy(tree, end);
            if gap <= closed && (there <= most || (share == 0.0 && there < all)) {
                self.gap = gap;
                return;
            }
        }
        // What has fallen on its way has more energy where it began.
        q.copy_from_slice(&self.middle_q);
        v.copy_from_slice(&self.standing);
        kinematics(tree, q, v, end);
    }

    /// Gives a floating tree its place and its momentum as a whole.
    fn go_on_as_whole(&self, tree: &Tree, [q, v]: [&mut [f64]; 2], end: &mut TreeKinematics, all: &Whole) {
        let step: Vec3 = all.com - centre(tree, end).1;
        q[..3].iter_mut().zip(step.to_array()).for_each(|(q, step)| *q += step);
        kinematics(tree, q, v, end);
        let missing = all.momentum - whole(tree, end, &end.twist).momentum;
        let twist = base_motion(tree, end, &missing);
        let gain = twist.linear.to_array().into_iter().chain(twist.angular.to_array());
        v.iter_mut().zip(gain).for_each(|(v, gain)| *v += gain);
        kinematics(tree, q, v, end);
    }
}
