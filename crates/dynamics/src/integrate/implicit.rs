//! The implicit midpoint rule for trees, with closed loops and other equalities.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | q, v | | coordinates and velocities at the start; equalities hold: g(q) = 0, G(q)v = 0 | |
//! | λ | `middle_impulse` | impulses of the equalities in the middle of the step | N s, N m s |
//! | μ' | | their impulses at its end | N s, N m s |
//! | v₁' | `last` | velocities before those | |
//! | v̄ | `mean` | (v + v₁')/2 | |
//! | q_m, q' | `middle_q`, `end_q` | q moved by h v̄/2, by h v̄ | |
//! | κ | `kappa` | what keeps the energy: second order small | – |
//!
//! H(q_m)(v₁' − v) = h f(q_m, v̄) + impulse + G(q_m)ᵀλ + κH(q_m)v̄, H(q')(v' − v₁') = G(q')ᵀμ' with λ such that g(q') = 0 and μ' such that
//! G(q')v' = 0. Of second order. The equalities pull in the middle of the step, so that what they hold taut is stable however stiff that
//! makes it: with impulses at both ends (RATTLE) a bridge of 100 planks shakes itself to pieces at 1/120 s, where 2.3 = h times its
//! highest frequency.
//! The equations are solved by a fixed point, which converges by a factor h|ω| in each iteration. Where it does not reach round-off, or the
//! energy of the step is off by more than a share ([`MOST_ENERGY_ERROR`]), the step is done in 2, 4, … [`MOST_PIECES`] equal pieces: which
//! one depends on the tree and its state alone. Beyond that the last answer stands without the energy that it gained, if it is off by less than
//! [`USABLE`]; else the step is done with a share of its velocities and impulses that can be solved. [`ImplicitStep::residual`] says how far
//! off it was.
//!
//! κ is chosen such that the energy at the end is that of the start and of the work of outer forces: a discrete gradient
//! (Gonzalez 1996) along the motion. It is left out where the energy oscillates anyway (`Keep::Nothing`).

mod lose;
mod stages;

use super::cayley::halved;
use super::kick::{ForceAt, SmoothForces, drive_force, user_force};
use super::momentum::{Base, Moving, has_free_base, load};
use crate::articulated::ArticulatedInertia;
use crate::bias::bias;
use crate::equality::{
    equality_gaps, equality_projection, fill_equality_rows, less_aims, spring_energy, spring_force,
};
use crate::inertia::{TreeScratch, joint_inertia_with, mass_matrix_quadratic, mass_times};
use crate::joint::JointKind;
use crate::kinematics::{TreeKinematics, advance, kinematics, kinetic_energy};
use crate::tree::Tree;
use huygens_math::{Projection, Singular, TreeLdl, Vec3, scalar};

/// Most iterations of the midpoint equation; it converges by a factor h|v|/length each.
const ITERATIONS: usize = 40;
/// Most corrections of the energy, each by a factor h.
const ENERGY_ROUNDS: usize = 6;

/// Largest change of the velocities in the last iteration, as a share of their size, that counts as converged.
pub(super) const CONVERGED: f64 = 1e-9;
/// Three changes in a row that fall by less than this factor will not converge.
const SLOW: f64 = 0.7;
/// Most equal pieces of a step.
const MOST_PIECES: u32 = 64;
/// Largest residual of the last try of all with which its answer is used.
const USABLE: f64 = 0.1;
/// Largest error of the energy of a piece, as a share of the energy that it moves.
const MOST_ENERGY_ERROR: f64 = 2e-3;

/// Most rounds of Newton's method that close equalities after a correction; each squares the error.
const SETTLE_ROUNDS: usize = 16;

/// What a step keeps beside momentum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Nothing: energy oscillates.
    Nothing,
    /// Energy, but for the work of dampers and outer forces.
    Energy,
}

/// Where a step starts.
#[derive(Clone, Copy)]
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
    /// Sum of the sizes of the terms of that work [J].
    pub equality_size: f64,
    /// Work of dampers, springs and motors with gains, each by the force that the step used along the way that it went [J].
    pub work: ForceWork,
    /// Work of the motor with gains at each dof [J]; empty for none.
    pub drive_work: Vec<f64>,
    /// Impulse of each row of the equalities in the step [N s, N m s].
    pub equality_impulse: Vec<f64>,
    /// Largest g(q') [m, rad].
    pub gap: f64,
    /// How far the equations are from their solution: the change of the velocities in the last iteration, or the error of the energy, as
    /// a share.
    pub residual: f64,
    /// Equal pieces in which the step was done.
    pub pieces: u32,
    /// Energy that the step brought from nowhere [J].
    pub defect: f64,
    pub middle: TreeKinematics,
    last: Vec<f64>,
    mean: Vec<f64>,
    middle_impulse: Vec<f64>,
    /// Rows of the equalities at the middle.
    middle_rows: Vec<f64>,
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
    /// Size of the velocity that the forces alone would give.
    given: f64,
    scratch: TreeScratch,
    between: Between,
    /// Velocities, impulses and displacement of a step that is tried with less of them, and the tree at its start.
    slower: [Vec<f64>; 3],
    slow_start: TreeKinematics,
}

/// Where a piece of a step starts, and the sums over the pieces before it.
#[derive(Clone, Debug, Default)]
struct Between {
    q: Vec<f64>,
    v: Vec<f64>,
    kin: TreeKinematics,
    equalities: Projection,
    /// Generalised impulse of constraints and contacts in one piece.
    impulse: Vec<f64>,
    /// Displacement beside that of the velocities in one piece.
    shift: Vec<f64>,
    equality_work: f64,
    rate_work: f64,
    equality_size: f64,
    defect: f64,
    work: ForceWork,
    drive_work: Vec<f64>,
    equality_impulse: Vec<f64>,
}

impl Between {
    /// For the pieces of a step that begins at `start`, each of which has the share `share` of it.
    fn begin(&mut self, start: &Start, share: f64) {
        for (to, from) in [(&mut self.impulse, start.impulse), (&mut self.shift, start.shift)] {
            to.clear();
            to.extend(from.iter().map(|x| x * share));
        }
        (self.equality_work, self.rate_work, self.work) = (0.0, 0.0, ForceWork::default());
        (self.defect, self.equality_size) = (0.0, 0.0);
        self.drive_work.clear();
        self.equality_impulse.clear();
    }

    /// Adds a piece to the sums.
    fn book(&mut self, piece: &ImplicitStep) {
        self.equality_work += piece.equality_work;
        self.rate_work += piece.rate_work;
        self.equality_size += piece.equality_size;
        self.defect += piece.defect;
        self.work.damping += piece.work.damping;
        self.work.spring += piece.work.spring;
        self.work.drive += piece.work.drive;
        for (sum, of) in
            [(&mut self.drive_work, &piece.drive_work), (&mut self.equality_impulse, &piece.equality_impulse)]
        {
            sum.resize(of.len(), 0.0);
            sum.iter_mut().zip(of).for_each(|(sum, x)| *sum += x);
        }
    }

    /// Starts the next piece where `piece` ended.
    fn go_on(&mut self, piece: &mut ImplicitStep) {
        self.q.clone_from(&piece.end_q);
        self.v.clone_from(&piece.velocity);
        std::mem::swap(&mut self.kin, &mut piece.end);
    }

    /// Gives the sums to the whole step, which ended with the last piece.
    fn finish(&mut self, whole: &mut ImplicitStep) {
        (whole.equality_work, whole.rate_work, whole.work) = (self.equality_work, self.rate_work, self.work);
        (whole.defect, whole.equality_size) = (self.defect, self.equality_size);
        std::mem::swap(&mut whole.drive_work, &mut self.drive_work);
        std::mem::swap(&mut whole.equality_impulse, &mut self.equality_impulse);
    }
}

impl ImplicitStep {
    /// Solves the step; a free base takes up what is missing in the momentum of the whole tree.
    ///
    /// # Errors
    /// When a mass matrix is not positive definite.
    pub(super) fn run(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        keep: Keep,
    ) -> Result<(), Singular> {
        let mut count = 1;
        while count < MOST_PIECES {
            // The iterations may have left the place where the mass matrix is positive definite: that is an error too.
            if self.in_pieces(tree, start, forces, keep, count).is_ok_and(|residual| residual <= CONVERGED) {
                (self.residual, self.pieces) = (0.0, count);
                return Ok(());
            }
            count *= 2;
        }
        let residual = self.in_pieces(tree, start, forces, keep, MOST_PIECES)?;
        (self.residual, self.pieces) = (residual, MOST_PIECES);
        if residual <= USABLE || self.run_slower(tree, start, forces, keep) {
            return Ok(());
        }
        self.stand_still(tree, start);
        self.velocity.fill(0.0);
        kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
        Ok(())
    }

    /// The step with less and less of its velocities and impulses, until its pieces can be solved: what turns by many radians in each of them
    /// goes nowhere that numbers could tell. False when they cannot be solved even from rest.
    fn run_slower(&mut self, tree: &Tree, start: &Start, forces: &SmoothForces, keep: Keep) -> bool {
        let mut slower = std::mem::take(&mut self.slower);
        let mut solved = false;
        for share in [0.25, 0.0625, 0.015625, 0.0] {
            let parts = [start.v, start.impulse, start.shift];
            for (to, from) in slower.iter_mut().zip(parts) {
                to.clear();
                to.extend(from.iter().map(|x| share * x));
            }
            let [v, impulse, shift] = &slower;
            kinematics(tree, start.q, v, &mut self.slow_start);
            let kin = std::mem::take(&mut self.slow_start);
            let from = Start { v, impulse, shift, kin: &kin, ..*start };
            let tried = self.in_pieces(tree, &from, forces, keep, MOST_PIECES);
            self.slow_start = kin;
            if tried.is_ok_and(|residual| residual <= USABLE) {
                solved = true;
                break;
            }
        }
        self.slower = slower;
        solved
    }

    /// The step in `count` equal pieces; returns the largest residual of them. Ends with the first piece that does not converge, unless
    /// there can be no more pieces.
    fn in_pieces(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        keep: Keep,
        count: u32,
    ) -> Result<f64, Singular> {
        if count == 1 {
            return self.piece(tree, start, forces, keep, false);
        }
        let (last, share) = (count == MOST_PIECES, 1.0 / f64::from(count));
        let forces = SmoothForces { h: forces.h * share, ..*forces };
        let mut between = std::mem::take(&mut self.between);
        between.begin(start, share);
        let mut worst = 0.0;
        let mut ended = Ok(());
        for k in 0..count {
            let mut from = Start { impulse: &between.impulse, shift: &between.shift, ..*start };
            if k > 0 {
                (from.q, from.v, from.kin) = (&between.q, &between.v, &between.kin);
            }
            if start.equalities.rows() > 0 {
                // Springs and dampers have another share in the matrix of a shorter step.
                let stiffening = ForceAt::Implicit.stiffening(forces.h);
                let stiff = |dof: usize| stiffening.of(tree, forces.drives, dof);
                self.fit(tree, start);
                ended = joint_inertia_with(tree, from.kin, &mut self.scratch, &mut self.end_ldl, stiff);
                if ended.is_err() {
                    break;
                }
                equality_projection(tree, from.kin, from.q, &self.end_ldl, &mut between.equalities);
                from.equalities = &between.equalities;
            }
            match self.piece(tree, &from, &forces, keep, last) {
                Ok(residual) => worst = if residual <= worst { worst } else { residual },
                Err(singular) => ended = Err(singular),
            }
            between.book(self);
            let converged = worst <= CONVERGED;
            if ended.is_err() || (!converged && !last) {
                break;
            }
            between.go_on(self);
        }
        between.finish(self);
        self.between = between;
        ended.map(|()| worst)
    }

    /// One piece; returns its residual. The last try of all gains no energy.
    fn piece(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        keep: Keep,
        last: bool,
    ) -> Result<f64, Singular> {
        self.fit(tree, start);
        let base = has_free_base(tree).then(|| Base::of(tree, start, forces.h, &mut self.scratch));
        kinematics(tree, start.q, start.v, &mut self.end);
        let before = energy(tree, &self.end, start.q, forces.gravity, start.kin);
        let mut kappa = 0.0;
        let mut residual = 0.0;
        for round in 1..=ENERGY_ROUNDS {
            let solved = self.solve(tree, start, forces, kappa);
            let solved = solved.and_then(|residual| {
                if residual.is_finite() {
                    self.finish(tree, start, forces, base.as_ref())?;
                }
                let overflow = self.velocity.iter().chain(&self.end_q).position(|x| !x.is_finite());
                let lost = if residual.is_finite() { overflow } else { Some(0) };
                lost.map_or(Ok(residual), |dof| Err(Singular { dof, pivot: f64::NAN }))
            });
            residual = match solved {
                Err(_) if last => {
                    self.stand_still(tree, start);
                    return Ok(f64::INFINITY);
                }
                other => other?,
            };
            let defect = self.energy_defect(tree, start, forces, before);
            self.defect = defect.energy;
            // What drivers of a prescribed base give is not known here.
            let error = if tree.has_prescribed() { 0.0 } else { defect.energy.abs() / defect.moved };
            if error > MOST_ENERGY_ERROR {
                residual = scalar::max(residual, error);
            }
            let converged = residual <= CONVERGED;
            if last && !converged {
                let left = self.lose(tree, defect.energy);
                self.defect = scalar::min(defect.energy, 0.0);
                // What went up without having had the energy is nowhere near the answer.
                if left > MOST_ENERGY_ERROR * defect.moved {
                    return Ok(f64::INFINITY);
                }
            }
            // Where it stands still there is nothing along which energy could be put right.
            let round_off = 4.0 * f64::EPSILON * (before.abs() + defect.inertia);
            let is_kept = defect.energy.abs() <= round_off || defect.inertia <= 0.0;
            if keep == Keep::Nothing || is_kept || !converged {
                break;
            }
            if round == ENERGY_ROUNDS && defect.energy > 0.0 {
                // No κ that is small enough keeps the energy of so coarse a piece.
                let left = self.lose(tree, defect.energy);
                self.defect = 0.0;
                residual = scalar::max(residual, left / defect.moved);
                break;
            }
            kappa = scalar::clamp(kappa - defect.energy / defect.inertia, -1e-2, 1e-2);
        }
        Ok(residual)
    }

    /// A piece in which nothing happens.
    fn stand_still(&mut self, tree: &Tree, start: &Start) {
        self.end_q.copy_from_slice(start.q);
        self.velocity.copy_from_slice(start.v);
        kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
        (self.equality_work, self.rate_work, self.work) = (0.0, 0.0, ForceWork::default());
        (self.defect, self.equality_size) = (0.0, 0.0);
        self.drive_work.clear();
        self.equality_impulse.clear();
        self.equality_impulse.resize(start.equalities.rows(), 0.0);
        equality_gaps(tree, &self.end, &self.end_q, &mut self.gaps);
        self.gap = self.gaps.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()));
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
        self.last.clear();
        self.last.extend_from_slice(start.v);
        self.middle_impulse.clear();
        self.middle_impulse.resize(start.equalities.rows(), 0.0);
        self.room.resize(start.equalities.rows(), 0.0);
    }

    /// Finds v₁', λ and q' for this κ; returns the size of the last change beside that of the velocities.
    fn solve(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        kappa: f64,
    ) -> Result<f64, Singular> {
        let (mut previous, mut residual, mut slow) = (f64::INFINITY, 0.0, 0);
        for k in 0..ITERATIONS {
            self.place_middle(tree, start, forces)?;
            // h f + impulse + Gᵀλ + H(κ v̄ − (v₁' − v)).
            for (i, x) in self.change.iter_mut().enumerate() {
                *x = kappa * self.mean[i] - (self.last[i] - start.v[i]);
            }
            mass_times(tree, &self.middle, &self.change, &mut self.scratch, &mut self.push);
            for (i, x) in self.change.iter_mut().enumerate() {
                let given = start.impulse.get(i).copied().unwrap_or(0.0);
                *x = self.push[i] + forces.h * self.force[i] + given;
            }
            for (row, lambda) in
                self.middle_rows.chunks_exact(self.last.len().max(1)).zip(&self.middle_impulse)
            {
                self.change.iter_mut().zip(row).for_each(|(x, g)| *x += g * lambda);
            }
            self.inertia.solve(tree, &mut self.change);
            self.last.iter_mut().zip(&self.change).for_each(|(v, d)| *v += d);
            let mut moved = self.size(tree, forces, |step| &step.change);
            if k == 0 {
                self.given = self.fall(tree, forces);
            }
            moved += self.close(tree, start, forces);
            let size = self.size(tree, forces, |step| &step.last) + forces.h * 1e-3;
            // The forces of a step at rest cancel: round-off is a share of each of them.
            residual = moved / (size + self.given);
            // Round-off is reached when the change no longer falls.
            if moved <= 1e-16 * size || (k > 3 && moved >= 0.5 * previous && moved <= 1e-10 * size) {
                break;
            }
            if !residual.is_finite() {
                return Ok(f64::INFINITY);
            }
            // Shorter pieces are cheaper than what falls so slowly.
            slow = if moved > SLOW * previous { slow + 1 } else { 0 };
            if slow == 3 {
                break;
            }
            previous = moved;
        }
        Ok(residual)
    }

    /// The middle of the step for the present v₁': force, mass and equalities there.
    fn place_middle(&mut self, tree: &Tree, start: &Start, forces: &SmoothForces) -> Result<(), Singular> {
        for i in 0..self.mean.len() {
            self.mean[i] = 0.5 * (start.v[i] + self.last[i]);
            self.displacement[i] = forces.h * self.mean[i] + start.shift.get(i).copied().unwrap_or(0.0);
        }
        self.middle_q.copy_from_slice(start.q);
        half(tree, &self.displacement, &mut self.push);
        advance(tree, &mut self.middle_q, &self.push);
        kinematics(tree, &self.middle_q, &self.mean, &mut self.middle);
        let stiffening = ForceAt::Implicit.stiffening(forces.h);
        let stiff = |dof: usize| stiffening.of(tree, forces.drives, dof);
        self.inertia.factor(tree, &self.middle, stiff)?;
        if start.equalities.rows() > 0 {
            self.middle_rows.clear();
            self.middle_rows.resize(start.equalities.rows() * tree.dofs(), 0.0);
            fill_equality_rows(tree, &self.middle, &self.middle_q, &mut self.middle_rows);
        }
        self.smooth_force(tree, forces);
        Ok(())
    }

    /// All smooth forces, into `force`, where `middle_q` and `middle` place the tree with the velocities `mean`.
    fn smooth_force(&mut self, tree: &Tree, forces: &SmoothForces) {
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
    }

    /// Moves v₁' by the change of λ that closes g(q'); returns the size of that.
    fn close(&mut self, tree: &Tree, start: &Start, forces: &SmoothForces) -> f64 {
        if start.equalities.rows() == 0 {
            return 0.0;
        }
        let h = forces.h;
        for i in 0..self.displacement.len() {
            let mean = 0.5 * (start.v[i] + self.last[i]);
            self.displacement[i] = h * mean + start.shift.get(i).copied().unwrap_or(0.0);
        }
        self.end_q.copy_from_slice(start.q);
        advance(tree, &mut self.end_q, &self.displacement);
        kinematics(tree, &self.end_q, &self.last, &mut self.end);
        equality_gaps(tree, &self.end, &self.end_q, &mut self.gaps);
        let displacement = &self.displacement;
        less_aims(tree, &mut self.gaps, |dof| h * forces.aim(dof) - displacement[dof]);
        // A velocity at the end moves half as far.
        self.gaps.iter_mut().for_each(|gap| *gap *= 2.0 / h);
        self.change.fill(0.0);
        start.equalities.correct(&mut self.gaps, &mut self.room, &mut self.change);
        self.last.iter_mut().zip(&self.change).for_each(|(v, change)| *v += change);
        self.middle_impulse.iter_mut().zip(&self.gaps).for_each(|(p, lambda)| *p -= lambda);
        self.size(tree, forces, |step| &step.change)
    }

    /// Spread of the pivots of the mass matrix at the middle.
    pub(super) fn spread(&self) -> f64 {
        self.inertia.spread()
    }

    /// The size of the velocity that the forces alone would give.
    fn fall(&mut self, tree: &Tree, forces: &SmoothForces) -> f64 {
        self.push.iter_mut().zip(&self.force).for_each(|(x, f)| *x = forces.h * f);
        self.inertia.solve(tree, &mut self.push);
        self.size(tree, forces, |step| &step.push)
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
        base: Option<&Base>,
    ) -> Result<(), Singular> {
        self.end_q.copy_from_slice(start.q);
        advance(tree, &mut self.end_q, &self.displacement);
        self.velocity.copy_from_slice(&self.last);
        kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
        self.work = self.force_work(tree, forces);
        (self.equality_work, self.rate_work, self.equality_size) = (0.0, 0.0, 0.0);
        let first_rate = start.equalities.rows() - tree.rates();
        self.equality_impulse.clear();
        self.equality_impulse.extend_from_slice(&self.middle_impulse);
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
            for (i, v) in self.push.iter_mut().enumerate() {
                *v = 0.5 * (start.v[i] + self.last[i]);
            }
            let rows = self.middle_rows.chunks_exact(self.push.len().max(1));
            for (i, (row, p)) in rows.zip(&self.middle_impulse).enumerate() {
                let work: f64 = row.iter().zip(&self.push).map(|(g, v)| g * v * p).sum();
                self.equality_size += row.iter().zip(&self.push).map(|(g, v)| (g * v * p).abs()).sum::<f64>();
                self.equality_work += work;
                self.rate_work += if i < first_rate { 0.0 } else { work };
            }
            kinematics(tree, &self.end_q, &self.velocity, &mut self.end);
            equality_gaps(tree, &self.end, &self.end_q, &mut self.gaps);
            self.gap = self.gaps.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()));
        }
        self.restore(tree, forces, base);
        Ok(())
    }

    /// Gives a free base what is missing in the momentum of the whole tree.
    fn restore(&mut self, tree: &Tree, forces: &SmoothForces, base: Option<&Base>) {
        if let Some(base) = base {
            let due = load(tree, &self.middle, forces);
            let (q, v, end) = (&mut self.end_q[..], &mut self.velocity[..], &mut self.end);
            base.restore(tree, &due, forces.h, Moving { q, v, end });
        }
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
        let (mut largest, mut before) = (0.0, f64::INFINITY);
        for _ in 0..SETTLE_ROUNDS {
            kinematics(tree, q, v, end);
            let factored = joint_inertia_with(tree, end, &mut self.scratch, &mut self.end_ldl, |_| 0.0);
            if factored.is_err() {
                return f64::NAN;
            }
            equality_projection(tree, end, q, &self.end_ldl, &mut self.end_equalities);
            equality_gaps(tree, end, q, &mut self.gaps);
            largest = self.gaps.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()));
            // Round-off is reached where the gap no longer falls; equalities that contradict each other leave one.
            // One that grows is out of reach.
            if largest <= f64::EPSILON
                || (largest >= 0.5 * before && largest < 1e-6)
                || largest.is_nan()
                || largest > before
            {
                break;
            }
            before = largest;
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

    /// What the energy at the end has beyond that of the start and the work of all that acted from outside.
    fn energy_defect(
        &mut self,
        tree: &Tree,
        start: &Start,
        forces: &SmoothForces,
        before: f64,
    ) -> EnergyDefect {
        // Where the forces of a step at rest cancel, round-off is no error: a part of the energy of a free fall through the step.
        let mut moved = kinetic_energy(tree, start.kin) + kinetic_energy(tree, &self.end);
        moved += 0.1 * scalar::square(self.given);
        for (given, mean) in start.impulse.iter().zip(&self.mean) {
            moved += (given * mean).abs();
        }
        let mut work = 0.0;
        // Gravity and springs along a displacement that no velocity made.
        for (i, shift) in start.shift.iter().enumerate() {
            let gained = self.force[i] * shift;
            work -= gained;
            moved += gained.abs();
        }
        user_force(tree, start.kin, forces, &mut self.scratch, &mut self.push);
        for i in 0..self.mean.len() {
            let mean = 0.5 * (start.v[i] + self.velocity[i]);
            work += forces.h * mean * (self.push[i] - tree.damping()[i] * mean);
            work += start.impulse.get(i).map_or(0.0, |given| given * self.mean[i]);
            if let Some(drive) = forces.drives.get(i) {
                let q =
                    tree.coordinate_of(i).map_or(drive.position, |at| start.q[at] + 0.5 * forces.h * mean);
                work += forces.h * mean * drive.at(q, mean);
            }
        }
        work += self.rate_work;
        let after = energy(tree, &self.end, &self.end_q, forces.gravity, start.kin);
        let inertia = scalar::square(self.size(tree, forces, |step| &step.mean));
        EnergyDefect { energy: after - before - work, inertia, moved: scalar::max(moved, f64::MIN_POSITIVE) }
    }
}

/// How far a step is from keeping its energy.
struct EnergyDefect {
    /// Energy that came from nowhere [J].
    energy: f64,
    /// v̄ᵀH v̄ [J].
    inertia: f64,
    /// Kinetic energy at the end, and sizes of the parts of the work [J]: above 0.
    moved: f64,
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
