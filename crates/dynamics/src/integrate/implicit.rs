//! The implicit midpoint rule for trees, with closed loops and other equalities.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | q, v | | coordinates and velocities at the start; equalities hold: g(q) = 0, G(q)v = 0 | |
//! | μ, μ' | `start_impulse`, `end_impulse` | impulses of the equalities at the two ends of the step | N s, N m s |
//! | v₁, v₁' | `first`, `last` | velocities between those impulses | |
//! | v̄ | `mean` | (v₁ + v₁')/2 | |
//! | q_m, q' | `middle_q`, `end_q` | q moved by h v̄/2, by h v̄ | |
//! | κ | `kappa` | what keeps the energy: second order small | – |
//!
//! H(q)(v₁ − v) = G(q)ᵀμ, H(q_m)(v₁' − v₁) = h f(q_m, v̄) + impulse + κH(q_m)v̄, H(q')(v' − v₁') = G(q')ᵀμ' with μ such that g(q') = 0
//! and μ' such that G(q')v' = 0. Read backwards in time it is the same rule, so that energy oscillates and does not drift; of second order.
//! (Without equalities it is the midpoint rule; the impulses at both ends are those of RATTLE, Andersen 1983.)
//! κ is chosen such that the energy at the end is that of the start and of the work of outer forces: a discrete gradient
//! (Gonzalez 1996) along the motion. It is left out where the energy oscillates anyway (`Keep::Nothing`).

use super::cayley::halved;
use super::kick::{ForceAt, SmoothForces, drive_force, user_force};
use crate::articulated::ArticulatedInertia;
use crate::bias::bias;
use crate::equality::{equality_gaps, equality_projection, less_aims, spring_energy, spring_force};
use crate::inertia::{TreeScratch, joint_inertia_with, mass_matrix_quadratic, mass_times};
use crate::joint::JointKind;
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::{Projection, Singular, TreeLdl, Vec3, scalar};

/// Most iterations of the midpoint equation; it converges by a factor h|v|/length each.
const ITERATIONS: usize = 40;
/// Most corrections of the energy, each by a factor h.
const ENERGY_ROUNDS: usize = 6;

/// Most rounds of Newton's method that close equalities after a correction; each squares the error.
const SETTLE_ROUNDS: usize = 4;

/// What a step keeps beside momentum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Nothing: energy oscillates.
    Nothing,
    /// Energy, but for the work of dampers and outer forces.
    Energy,
}

/// Where a step starts.
pub(super) struct Start<'a> {
    pub q: &'a [f64],
    /// Velocities, after impacts.
    pub v: &'a [f64],
    /// The tree there.
    pub kin: &'a TreeKinematics,
    /// Its equalities there.
    pub equalities: &'a Projection,
    /// Generalised impulse of constraints and contacts in the step; empty for none.
    pub impulse: &'a [f64],
    /// Displacement beside that of the velocities: impacts inside the step; empty for none.
    pub shift: &'a [f64],
}

/// Work of what acts at the dofs of a tree [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ForceWork {
    /// Of the dampers.
    pub damping: f64,
    /// Of the springs.
    pub spring: f64,
    /// Of the motors without limits.
    pub drive: f64,
}

/// One step by the implicit midpoint rule.
#[derive(Clone, Debug, Default)]
pub(super) struct ImplicitStep {
    /// Velocities at the end.
    pub velocity: Vec<f64>,
    /// Coordinates at the end.
    pub end_q: Vec<f64>,
    /// The tree there.
    pub end: TreeKinematics,
    /// Work of the equalities [J].
    pub equality_work: f64,
    /// The part of it that belongs to rates of dofs: motors that hold their speed.
    pub rate_work: f64,
    /// Work of dampers, springs and motors with gains, each by the force that the step used along the way that it went [J].
    pub work: ForceWork,
    /// Work of the motor with gains at each dof [J]; empty for none.
    pub drive_work: Vec<f64>,
    /// Impulse of each row of the equalities, of both ends of the step [N s, N m s].
    pub equality_impulse: Vec<f64>,
    /// Largest g(q') [m, rad].
    pub gap: f64,
    pub middle: TreeKinematics,
    first: Vec<f64>,
    last: Vec<f64>,
    mean: Vec<f64>,
    start_impulse: Vec<f64>,
    gaps: Vec<f64>,
    room: Vec<f64>,
    middle_q: Vec<f64>,
    /// Mass matrix at the middle, with dampers and springs.
    inertia: ArticulatedInertia,
    end_ldl: TreeLdl,
    end_equalities: Projection,
    force: Vec<f64>,
    push: Vec<f64>,
    change: Vec<f64>,
    displacement: Vec<f64>,
    scratch: TreeScratch,
}

impl ImplicitStep {
    /// Solves the step. `finish` is called at its end with the coordinates, the velocities and room for the tree there, and may
    /// change both (momentum of a free base).
    ///
    /// # Errors
    /// When a mass matrix is not positive definite.
    pub(super) fn run(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        keep: Keep,
        mut finish: impl FnMut(&mut [f64], &mut [f64], &mut TreeKinematics, &TreeKinematics),
    ) -> Result<(), Singular> {
        self.fit(tree, start);
        let before = (keep == Keep::Energy).then(|| {
            kinematics(tree, start.q, start.v, &mut self.end);
            energy(tree, &self.end, start.q, forces.gravity, start.kin)
        });
        let mut kappa = 0.0;
        for _ in 0..ENERGY_ROUNDS {
            self.solve(tree, start, forces, kappa)?;
            self.finish(tree, start, forces, &mut finish)?;
            let Some(before) = before else { break };
            let (defect, inertia) = self.energy_defect(tree, start, forces, before);
            // Where it stands still there is nothing along which energy could be put right.
            let round_off = 4.0 * f64::EPSILON * (before.abs() + inertia);
            if defect.abs() <= round_off || inertia <= 0.0 {
                break;
            }
            kappa = scalar::clamp(kappa - defect / inertia, -1e-2, 1e-2);
        }
        Ok(())
    }

    fn fit(&mut self, tree: &Tree, start: &Start) {
        let n = tree.dofs();
        for buffer in [
            &mut self.velocity,
            &mut self.mean,
            &mut self.force,
            &mut self.push,
            &mut self.change,
            &mut self.displacement,
        ] {
            buffer.resize(n, 0.0);
        }
        for q in [&mut self.middle_q, &mut self.end_q] {
            q.resize(tree.coordinates(), 0.0);
        }
        if self.end_ldl.len() != n {
            self.end_ldl = tree.new_ldl();
        }
        for velocity in [&mut self.first, &mut self.last] {
            velocity.clear();
            velocity.extend_from_slice(start.v);
        }
        self.start_impulse.clear();
        self.start_impulse.resize(start.equalities.rows(), 0.0);
        self.room.resize(start.equalities.rows(), 0.0);
    }

    /// Finds v₁, v₁' and q' for this κ.
    fn solve(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        kappa: f64,
    ) -> Result<(), Singular> {
        let mut previous = f64::INFINITY;
        for k in 0..ITERATIONS {
            self.place_middle(tree, start, forces)?;
            // h f + impulse + H(κ v̄ − (v₁' − v₁)).
            for (i, x) in self.change.iter_mut().enumerate() {
                *x = kappa * self.mean[i] - (self.last[i] - self.first[i]);
            }
            mass_times(tree, &self.middle, &self.change, &mut self.scratch, &mut self.push);
            for (i, x) in self.change.iter_mut().enumerate() {
                let given = start.impulse.get(i).copied().unwrap_or(0.0);
                *x = self.push[i] + forces.h * self.force[i] + given;
            }
            self.inertia.solve(tree, &mut self.change);
            self.last.iter_mut().zip(&self.change).for_each(|(v, d)| *v += d);
            let mut moved = self.size(tree, forces, |step| &step.change);
            moved += self.close(tree, start, forces);
            let size = self.size(tree, forces, |step| &step.last) + forces.h * 1e-3;
            // Round-off is reached when the change no longer falls.
            if moved <= 1e-16 * size || (k > 3 && moved >= 0.5 * previous && moved <= 1e-10 * size) {
                break;
            }
            previous = moved;
        }
        Ok(())
    }

    /// The middle of the step for the present v₁ and v₁': force and mass there.
    fn place_middle(&mut self, tree: &Tree, start: &Start, forces: &SmoothForces) -> Result<(), Singular> {
        for i in 0..self.mean.len() {
            self.mean[i] = 0.5 * (self.first[i] + self.last[i]);
            self.displacement[i] = forces.h * self.mean[i] + start.shift.get(i).copied().unwrap_or(0.0);
        }
        self.middle_q.copy_from_slice(start.q);
        half(tree, &self.displacement, &mut self.push);
        advance(tree, &mut self.middle_q, &self.push);
        kinematics(tree, &self.middle_q, &self.mean, &mut self.middle);
        let stiffening = ForceAt::Implicit.stiffening(forces.h);
        let stiff = |dof: usize| stiffening.of(tree, forces.drives, dof);
        self.inertia.factor(tree, &self.middle, stiff)?;
        bias(tree, &self.middle, forces.gravity, &[], &mut self.scratch, &mut self.force);
        user_force(tree, &self.middle, forces, &mut self.scratch, &mut self.push);
        for i in 0..self.force.len() {
            self.force[i] += self.push[i] - tree.damping()[i] * self.mean[i];
        }
        if tree.has_springs() {
            spring_force(tree, &self.middle_q, &mut self.push);
            self.force.iter_mut().zip(&self.push).for_each(|(f, spring)| *f += spring);
        }
        if !forces.drives.is_empty() {
            drive_force(tree, forces.drives, &self.middle_q, &self.mean, &mut self.push);
            self.force.iter_mut().zip(&self.push).for_each(|(f, drive)| *f += drive);
        }
        Ok(())
    }

    /// Moves v₁ and v₁' by the impulse at the start that closes g(q'); returns the size of the change.
    fn close(&mut self, tree: &Tree, start: &Start, forces: &SmoothForces) -> f64 {
        if start.equalities.rows() == 0 {
            return 0.0;
        }
        let h = forces.h;
        for i in 0..self.displacement.len() {
            let mean = 0.5 * (self.first[i] + self.last[i]);
            self.displacement[i] = h * mean + start.shift.get(i).copied().unwrap_or(0.0);
        }
        self.end_q.copy_from_slice(start.q);
        advance(tree, &mut self.end_q, &self.displacement);
        kinematics(tree, &self.end_q, &self.last, &mut self.end);
        equality_gaps(tree, &self.end, &self.end_q, &mut self.gaps);
        let displacement = &self.displacement;
        less_aims(tree, &mut self.gaps, |dof| h * forces.aim(dof) - displacement[dof]);
        self.gaps.iter_mut().for_each(|gap| *gap /= h);
        self.change.copy_from_slice(&self.first);
        start.equalities.correct(&mut self.gaps, &mut self.room, &mut self.change);
        for i in 0..self.change.len() {
            let moved = self.change[i] - self.first[i];
            self.first[i] = self.change[i];
            self.last[i] += moved;
            self.change[i] = moved;
        }
        self.start_impulse.iter_mut().zip(&self.gaps).for_each(|(p, lambda)| *p -= lambda);
        self.size(tree, forces, |step| &step.change)
    }

    /// The size √(xᵀĤx) of velocities x at the middle of the step.
    fn size(&mut self, tree: &Tree, forces: &SmoothForces, of: impl Fn(&Self) -> &[f64]) -> f64 {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (x, stiffening) = (of(self), ForceAt::Implicit.stiffening(forces.h));
        let mut square = mass_matrix_quadratic(tree, &self.middle, x, &mut scratch);
        for (dof, x) in x.iter().enumerate() {
            square += stiffening.of(tree, forces.drives, dof) * x * x;
        }
        self.scratch = scratch;
        square.sqrt()
    }

    /// The end of the step, and what the equalities did.
    fn finish(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        finish: &mut impl FnMut(&mut [f64], &mut [f64], &mut TreeKinematics, &TreeKinematics),
    ) -> Result<(), Singular> {
        self.end_q.copy_from_slice(start.q);
        advance(tree, &mut self.end_q, &self.displacement);
        self.velocity.copy_from_slice(&self.last);
        kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
        self.work = self.force_work(tree, forces);
        (self.equality_work, self.rate_work) = (0.0, 0.0);
        let first_rate = start.equalities.rows() - tree.rates();
        self.equality_impulse.clear();
        self.equality_impulse.extend_from_slice(&self.start_impulse);
        if start.equalities.rows() > 0 {
            joint_inertia_with(tree, &self.end, &mut self.scratch, &mut self.end_ldl, |_| 0.0)?;
            equality_projection(tree, &self.end, &self.end_q, &self.end_ldl, &mut self.end_equalities);
            // Two rounds: the second one takes the round-off of the first.
            for _ in 0..2 {
                let before = &self.velocity;
                self.gaps.clear();
                self.gaps.extend(self.end_equalities.rate(before));
                less_aims(tree, &mut self.gaps, |dof| forces.aim(dof));
                self.change.copy_from_slice(before);
                self.end_equalities.correct(&mut self.gaps, &mut self.room, &mut self.change);
                let both = self.velocity.iter().zip(&self.change).map(|(a, b)| 0.5 * (a + b));
                self.push.iter_mut().zip(both).for_each(|(to, x)| *to = x);
                for (i, (u, p)) in self.end_equalities.rate(&self.push).zip(&self.gaps).enumerate() {
                    self.equality_work -= u * p;
                    self.rate_work -= if i < first_rate { 0.0 } else { u * p };
                }
                self.equality_impulse.iter_mut().zip(&self.gaps).for_each(|(sum, p)| *sum -= p);
                self.velocity.copy_from_slice(&self.change);
            }
            let both = start.v.iter().zip(&self.first).map(|(a, b)| 0.5 * (a + b));
            self.push.iter_mut().zip(both).for_each(|(to, x)| *to = x);
            for (i, (u, p)) in start.equalities.rate(&self.push).zip(&self.start_impulse).enumerate() {
                self.equality_work += u * p;
                self.rate_work += if i < first_rate { 0.0 } else { u * p };
            }
            kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
            equality_gaps(tree, &self.end, &self.end_q, &mut self.gaps);
            self.gap = self.gaps.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()));
        }
        finish(&mut self.end_q, &mut self.velocity, &mut self.end, &self.middle);
        Ok(())
    }

    /// Work of the forces at the dofs, at the middle that the step was solved with.
    fn force_work(&mut self, tree: &Tree, forces: &SmoothForces) -> ForceWork {
        let mut work = ForceWork::default();
        self.drive_work.clear();
        let along = |force: &[f64], way: &[f64]| force.iter().zip(way).map(|(f, s)| f * s).sum::<f64>();
        for (i, s) in self.displacement.iter().enumerate() {
            work.damping -= tree.damping()[i] * self.mean[i] * s;
        }
        if tree.has_springs() {
            spring_force(tree, &self.middle_q, &mut self.push);
            work.spring = along(&self.push, &self.displacement);
        }
        if !forces.drives.is_empty() {
            drive_force(tree, forces.drives, &self.middle_q, &self.mean, &mut self.push);
            self.drive_work.extend(self.push.iter().zip(&self.displacement).map(|(f, s)| f * s));
            work.drive = self.drive_work.iter().sum();
        }
        work
    }

    /// Closes the equalities by the smallest change; returns the largest gap that is left.
    pub(super) fn settle(
        &mut self,
        tree: &Tree,
        q: &mut [f64],
        v: &mut [f64],
        end: &mut TreeKinematics,
    ) -> f64 {
        self.change.resize(tree.dofs(), 0.0);
        if self.end_ldl.len() != tree.dofs() {
            self.end_ldl = tree.new_ldl();
        }
        let mut largest = 0.0;
        for _ in 0..SETTLE_ROUNDS {
            kinematics(tree, q, v, end);
            let factored = joint_inertia_with(tree, end, &mut self.scratch, &mut self.end_ldl, |_| 0.0);
            if factored.is_err() {
                return f64::NAN;
            }
            equality_projection(tree, end, q, &self.end_ldl, &mut self.end_equalities);
            equality_gaps(tree, end, q, &mut self.gaps);
            largest = self.gaps.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()));
            if largest <= f64::EPSILON {
                break;
            }
            self.room.resize(self.gaps.len(), 0.0);
            self.change.fill(0.0);
            self.end_equalities.correct(&mut self.gaps, &mut self.room, &mut self.change);
            advance(tree, q, &self.change);
        }
        for _ in 0..2 {
            self.gaps.clear();
            self.gaps.extend(self.end_equalities.rate(v));
            less_aims(tree, &mut self.gaps, |dof| v[dof]);
            self.room.resize(self.gaps.len(), 0.0);
            self.end_equalities.correct(&mut self.gaps, &mut self.room, v);
        }
        kinematics(tree, q, v, end);
        largest
    }

    /// Energy at the end less that of the start and the work of dampers and outer forces, and v̄ᵀH v̄.
    fn energy_defect(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        before: f64,
    ) -> (f64, f64) {
        user_force(tree, start.kin, forces, &mut self.scratch, &mut self.push);
        let mut work = 0.0;
        for i in 0..self.mean.len() {
            let mean = 0.5 * (start.v[i] + self.velocity[i]);
            work += forces.h * mean * (self.push[i] - tree.damping()[i] * mean);
            if let Some(drive) = forces.drives.get(i) {
                let q =
                    tree.coordinate_of(i).map_or(drive.position, |at| start.q[at] + 0.5 * forces.h * mean);
                work += forces.h * mean * drive.at(q, mean);
            }
        }
        work += self.rate_work;
        let after = energy(tree, &self.end, &self.end_q, forces.gravity, start.kin);
        (after - before - work, scalar::square(self.size(tree, forces, |step| &step.mean)))
    }
}

/// Kinetic and potential energy, the potential relative to the poses of `origin`.
fn energy(tree: &Tree, kin: &TreeKinematics, q: &[f64], gravity: Vec3, origin: &TreeKinematics) -> f64 {
    let links = tree.links().iter().zip(kin.com.iter().zip(&origin.com));
    let potential: f64 =
        links.map(|(link, (com, from))| -link.mass * link.gravity_scale * gravity.dot(*com - *from)).sum();
    kinetic_energy(tree, kin) + potential + spring_energy(tree, q)
}

/// The displacement that leads half-way along `displacement`: half of it, and for turns in space half of the rotation.
fn half(tree: &Tree, displacement: &[f64], out: &mut [f64]) {
    for (out, d) in out.iter_mut().zip(displacement) {
        *out = 0.5 * d;
    }
    for slot in tree.joints() {
        let turn = match slot.joint.kind {
            JointKind::Ball => slot.dofs().start,
            JointKind::Free => slot.dofs().start + 3,
            // Local ones turn by the rotation vector itself: half of it is half of the turn.
            JointKind::BallLocal | JointKind::FreeLocal => continue,
            JointKind::Fixed | JointKind::Hinge | JointKind::Slide | JointKind::Screw => continue,
        };
        let whole = Vec3::from_slice(&displacement[turn..turn + 3]);
        out[turn..turn + 3].copy_from_slice(&halved(whole).to_array());
    }
}
