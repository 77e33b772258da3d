//! Moves the free bodies and measures what that did to their energy, eight at a time where they take the short way.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | v, v⁺ | `v_start`, `v_end` | velocities at the start of the step, after impacts, and at its end | m/s, rad/s |
//! | c | `correction` | displacement beyond the integrator's own | m, rad |
//! | T, T' | `before`, `after` | kinetic energy of the state at the start and at the end of the step | J |
//!
//! One pass does all that a body needs: position, rotation with the gyroscopic term, what the correction turns, the postings
//! of all that, and the measured change T' − T − weight·(x' − x). Everything of a body is then read once. Each body has the
//! bits that it would have alone, at every SIMD level; sums run in eight lanes and are folded in a fixed order.

use super::lanes::{columns, quaternions, scatter, twists, vectors};
use super::turning::{AnyAxes, Isotropic, Principal, Turning};
use crate::access::IntegrateAccess;
use crate::bodies::BodyNumbers;
use crate::ledger::{Account, StepBook};
use crate::model::Model;
use crate::state::State;
use huygens_dynamics::{Spin, TurnedLanes, free_kinetic_energy, is_slow, rotate_locked};
use huygens_math::at_level;
use huygens_math::lanes::{Lane, Level, Vec3Lanes, WIDTH, f64x8};
use huygens_math::{Quat, QuatLanes, Sum, SumLanes, Sym3, Twist, Vec3, trig};

/// Largest turn of a correction that goes by its series [rad²]; larger ones are rare, and go alone.
const SMALL_TURN_SQUARED: f64 = 0.01;

/// Turning a body may add this share of the energy of its spin; what would gain more keeps its energy instead, see
/// [`Turned`]. It is far beyond what small turns do: a rod that an impact sets spinning across itself would gain many times
/// its energy.
const MOST_GAIN: f64 = 0.01;

/// Changes of energy below this share of it are round-off.
const ROUND_OFF: f64 = 1e-13;

/// Moves every free body that is in the simulation, books it, and leaves the measured change of energy in `work.measured`.
pub(super) fn free_bodies(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    let level = work.bodies.level;
    work.energy_change.clear();
    work.energy_change.resize(work.bodies.numbers.len(), 0.0);
    let mut pass = Pass {
        model,
        numbers: &work.bodies.numbers,
        v_start: &work.problem.v_start.free,
        v_end: &work.solution.v.free,
        displacement: &work.displacement.free,
        correction: &work.solution.correction.free,
        // Without an impact it is zero.
        impact: (work.problem.impact.impacts > 0).then_some(work.problem.impact.displacement.free.as_slice()),
        quarantined: &state.quarantined,
        force: &state.force,
        torque: &state.torque,
        position: &mut state.position,
        orientation: &mut state.orientation,
        velocity: &mut state.velocity.free,
        energy_change: work.energy_change,
        book: work.book,
        measured: Sum::default(),
    };
    pass.all::<Isotropic>(level, &work.bodies.isotropic);
    pass.all::<Principal>(level, &work.bodies.principal);
    pass.all::<AnyAxes>(level, &work.bodies.any_axes);
    for &slot in &work.bodies.others {
        if !pass.quarantined[slot as usize] {
            pass.alone(slot as usize);
        }
    }
    *work.measured = pass.measured;
}

/// What the pass reads and writes, by body slot.
struct Pass<'a> {
    model: &'a Model,
    numbers: &'a [BodyNumbers],
    v_start: &'a [Twist],
    v_end: &'a [Twist],
    displacement: &'a [Twist],
    correction: &'a [Twist],
    impact: Option<&'a [Twist]>,
    quarantined: &'a [bool],
    force: &'a [Vec3],
    torque: &'a [Vec3],
    position: &'a mut [Vec3],
    orientation: &'a mut [Quat],
    velocity: &'a mut [Twist],
    energy_change: &'a mut [f64],
    book: &'a mut StepBook,
    measured: Sum,
}

/// Sums over the bodies of each lane.
struct Tally<L> {
    gravity: SumLanes<L>,
    gyroscopic: SumLanes<L>,
    correction: SumLanes<L>,
    measured: SumLanes<L>,
    /// Sizes of all terms, for the bound on round-off.
    size: L,
}

impl<L: Lane> Tally<L> {
    #[inline(always)]
    fn new(token: L::Token) -> Self {
        let empty = SumLanes::new(token);
        let size = L::splat(token, 0.0);
        Self { gravity: empty, gyroscopic: empty, correction: empty, measured: empty, size }
    }
}

/// A batch after its turn.
struct End<L> {
    orientation: QuatLanes<L>,
    linear: Vec3Lanes<L>,
    angular: Vec3Lanes<L>,
    /// The spin in the axes of the inertia, at the end and at the start of the step.
    spin: Vec3Lanes<L>,
    spin_start: Vec3Lanes<L>,
    /// The correction's displacement.
    shift: Vec3Lanes<L>,
}

impl Pass<'_> {
    /// Moves the bodies of one list, all of which turn in the same way.
    fn all<T: Turning>(&mut self, level: Level, slots: &[u32]) {
        if slots.is_empty() {
            return;
        }
        at_level!(level, simd => self.run::<T, f64x8<_>>(simd, slots));
    }

    #[inline(always)]
    fn run<T: Turning, L: Lane>(&mut self, token: L::Token, slots: &[u32]) {
        let mut batch = [0; WIDTH];
        let mut len = 0;
        let mut tally = Tally::<L>::new(token);
        for &slot in slots {
            if self.quarantined[slot as usize] {
                continue;
            }
            batch[len] = slot;
            len += 1;
            if len == L::WIDTH {
                len = 0;
                if !self.advance::<T, L>(token, &batch, &mut tally) {
                    batch.into_iter().for_each(|slot| self.single::<T>(slot));
                }
            }
        }
        // Fewer bodies than lanes leave the sums empty.
        if slots.len() >= L::WIDTH {
            self.fold(tally);
        }
        batch[..len].iter().for_each(|&slot| self.single::<T>(slot));
    }

    /// One body by the formulas of the batch, or by all that the engine can do when it turns too far for them.
    fn single<T: Turning>(&mut self, slot: u32) {
        let mut tally = Tally::<f64>::new(());
        if self.advance::<T, f64>((), &[slot], &mut tally) {
            self.fold(tally);
        } else {
            self.alone(slot as usize);
        }
    }

    #[inline(always)]
    fn fold<L: Lane>(&mut self, tally: Tally<L>) {
        self.book.post_terms(Account::Gravity, &tally.gravity.sum());
        self.book.post_terms(Account::Gyroscopic, &tally.gyroscopic.sum());
        self.book.post_terms(Account::Correction, &tally.correction.sum());
        self.book.widen(tally.size.sum());
        self.measured.add_sum(&tally.measured.sum());
    }

    /// Moves a batch, a body in each lane; false, and nothing changed, when one of them does not take the short way.
    #[inline(always)]
    fn advance<T: Turning, L: Lane>(&mut self, token: L::Token, slots: &[u32], tally: &mut Tally<L>) -> bool {
        let inertia = T::inertia(token, slots, self.numbers);
        let Some(end) = self.turned::<T, L>(token, slots, &inertia, tally) else { return false };
        let place = vectors(token, slots, |slot| self.position[slot]);
        let position = place + (vectors(token, slots, |slot| self.displacement[slot].linear) + end.shift);
        let change = self.measure::<T, L>(slots, &inertia, &end, [place, position], tally);
        scatter(slots, [change], |slot, [change]| self.energy_change[slot] = change);
        self.user_work(slots);
        scatter(slots, [position.x, position.y, position.z], |slot, x| self.position[slot] = Vec3::from(x));
        let q = end.orientation;
        scatter(slots, [q.x, q.y, q.z, q.w], |slot, q| self.orientation[slot] = Quat::from_array(q));
        let (v, w) = (end.linear, end.angular);
        scatter(slots, [v.x, v.y, v.z, w.x, w.y, w.z], |slot, [a, b, c, d, e, f]| {
            self.velocity[slot] = Twist::new(Vec3::new(a, b, c), Vec3::new(d, e, f));
        });
        true
    }

    /// Turns a batch and books that; `None`, and nothing booked, when a body does not take the short way.
    #[inline(always)]
    fn turned<T: Turning, L: Lane>(
        &self,
        token: L::Token,
        slots: &[u32],
        inertia: &T::Inertia<L>,
        tally: &mut Tally<L>,
    ) -> Option<End<L>> {
        let (zero, one, half) = (L::splat(token, 0.0), L::splat(token, 1.0), L::splat(token, 0.5));
        let h = L::splat(token, self.model.settings.dt);
        let [linear, omega] = twists::<L>(token, slots, self.v_end);
        let start = vectors(token, slots, |slot| self.v_start[slot].angular);
        let drift = self.model.settings.integrator.mean(start, omega);
        let from = quaternions(token, slots, self.orientation);
        let TurnedLanes { mut orientation, omega: angular, energy } = T::turn(inertia, from, drift, omega, h);
        let [shift, mut turn] = twists::<L>(token, slots, self.correction);
        if let Some(impact) = self.impact {
            turn = vectors(token, slots, |slot| impact[slot].angular) + turn;
        }
        // Zero, or not a number; a comparison with that is false.
        let nothing = (orientation.imaginary().dot(angular) + energy) * zero;
        let turn_squared = turn.dot(turn);
        let short = L::select(nothing.lt(one), one, zero);
        let short = L::select(turn_squared.lt(L::splat(token, SMALL_TURN_SQUARED)), short, zero);
        if L::any(L::select(is_slow(drift, h), short, zero).lt(half)) {
            return None;
        }
        let mut spin = T::own_spin(orientation, angular);
        let most = half * L::splat(token, MOST_GAIN) * spin.dot(T::times(inertia, spin));
        let turns = zero.lt(turn_squared);
        let mut change = zero;
        if L::any(turns) {
            // The velocity stays; a spinning body with unequal inertia then has other kinetic energy, the correction's doing:
            // ½ b·I b − ½ a·I a, as a product that does not cancel, since a and b differ by the turn alone.
            let after = QuatLanes::from_small_rotation(turn).after(orientation).normalized();
            orientation = QuatLanes::select(turns, after, orientation);
            let turned = T::own_spin(orientation, angular);
            change = half * (turned - spin).dot(T::times(inertia, turned + spin));
            spin = turned;
        }
        if L::any(most.lt(energy)) || L::any(most.lt(change)) {
            return None;
        }
        tally.correction.add(change);
        tally.gyroscopic.add(energy);
        tally.size += change.abs() + energy.abs();
        let spin_start = T::own_spin(from, vectors(token, slots, |slot| self.velocity[slot].angular));
        Some(End { orientation, linear, angular, spin, spin_start, shift })
    }

    /// Measures the energy of a batch at both ends of the step, and books what the correction lifted; returns the change of energy.
    #[inline(always)]
    fn measure<T: Turning, L: Lane>(
        &self,
        slots: &[u32],
        inertia: &T::Inertia<L>,
        end: &End<L>,
        [place, position]: [Vec3Lanes<L>; 2],
        tally: &mut Tally<L>,
    ) -> L {
        let token = place.x.token();
        let (half, h) = (L::splat(token, 0.5), L::splat(token, self.model.settings.dt));
        let numbers = self.numbers;
        let [mass, condition, weight_size, x, y, z] = columns(token, slots, |slot| {
            let body = &numbers[slot];
            [body.mass, body.condition, body.weight_size, body.weight.x, body.weight.y, body.weight.z]
        });
        let weight = Vec3Lanes::new(x, y, z);
        let was = vectors(token, slots, |slot| self.velocity[slot].linear);
        let turning = half * end.spin_start.dot(T::times(inertia, end.spin_start));
        let before = half * mass * was.dot(was) + turning;
        let turning = half * end.spin.dot(T::times(inertia, end.spin));
        let after = half * mass * end.linear.dot(end.linear) + turning;
        let potential = -weight.dot(position - place);
        if !self.model.settings.integrator.follows_parabola() {
            let start = vectors(token, slots, |slot| self.v_start[slot].linear);
            let path = self.model.settings.integrator.path(start, end.linear, self.model.settings.dt);
            let defect = (start + end.linear).scale(half).scale(h) - path;
            let defect = weight.dot(defect);
            tally.gravity.add(defect);
            tally.size += defect.abs();
        }
        let lifted = -weight.dot(end.shift);
        tally.correction.add(lifted);
        tally.measured.add(after);
        tally.measured.add(-before);
        tally.measured.add(potential);
        tally.size += lifted.abs() + condition * (before + after + potential.abs());
        // A position far from the origin is rounded by half a bit of its own size, and its weight falls that far.
        tally.size += weight_size * position.dot(position).sqrt() * L::splat(token, 1.0 / 64.0);
        (after - before) + potential
    }

    /// Books what the user's forces did, along the displacement that they acted on.
    ///
    /// The kick does h f·(v + v⁺)/2 of work. An impulse at time τ inside the step displaces the body by −τM⁻¹Jᵀp, and the
    /// force works along that too: it is what the impact stage left out by booking at the velocity of the impact. Along the correction c
    /// the user gives f·c, and the correction takes it, as it does with the weight: a body that a force presses down and that is lowered
    /// has been given that.
    #[inline(always)]
    fn user_work(&mut self, slots: &[u32]) {
        // Almost no body has one: look at the bits of a whole batch at once, where only the sign may be set.
        let mut bits = 0;
        for &slot in slots {
            let (f, t) = (&self.force[slot as usize], &self.torque[slot as usize]);
            bits |= f.x.to_bits() | f.y.to_bits() | f.z.to_bits();
            bits |= t.x.to_bits() | t.y.to_bits() | t.z.to_bits();
        }
        if bits << 1 != 0 {
            slots.iter().for_each(|&slot| self.book_force(slot as usize));
        }
    }

    #[cold]
    fn book_force(&mut self, slot: usize) {
        let (force, torque) = (self.force[slot], self.torque[slot]);
        let mean = (self.v_start[slot] + self.v_end[slot]) * 0.5;
        let impact = self.impact.map_or(Twist::ZERO, |impact| impact[slot]);
        let path = mean * self.model.settings.dt + impact;
        let along = |path: &Twist| force.dot(path.linear) + torque.dot(path.angular);
        let (work, correction) = (along(&path), along(&self.correction[slot]));
        self.book.post(Account::User, work);
        self.book.post(Account::User, correction);
        self.book.post(Account::Correction, -correction);
        // Where the sweep has stopped a body, its velocity is no longer that of its path.
        self.energy_change[slot] -= along(&(self.displacement[slot] + self.correction[slot]));
    }

    /// One body with all that the engine can do: locked axes, fast rotations in pieces, any scheme.
    #[cold]
    fn alone(&mut self, slot: usize) {
        let (h, settings) = (self.model.settings.dt, &self.model.settings);
        let (body, numbers) = (&self.model.bodies[slot], &self.numbers[slot]);
        let (start, end, correction) = (self.v_start[slot], self.v_end[slot], self.correction[slot]);
        let drift = settings.integrator.mean(start.angular, end.angular);
        let (place, from) = (self.position[slot], self.orientation[slot]);
        let before = kinetic(numbers, from, &self.velocity[slot]);
        let spin = Spin { inertia_body: body.inertia, world_from_body: from, drift, omega: end.angular };
        let turned = rotate_locked(&spin, body.lock_angular.map(|locked| !locked), h, settings.gyroscopic);
        let mut turning =
            Turned { inertia: body.inertia, before: from, after: turned.orientation, omega: turned.omega };
        let mut energy = turned.energy;
        // An axis that is locked takes torque and does no work: only the direction of the spin changes.
        let is_locked = body.lock_angular.contains(&true) && energy.abs() > ROUND_OFF * turning.energy();
        if is_locked || energy > MOST_GAIN * turning.energy() {
            energy = turning.keep_energy(end.angular);
        }
        self.book.post(Account::Gyroscopic, energy);
        let mut twist = Twist::new(end.linear, turning.omega);
        let mut orientation = turned.orientation;
        let turn = self.impact.map_or(Vec3::ZERO, |impact| impact[slot].angular) + correction.angular;
        if turn != Vec3::ZERO {
            let (before, after) = (orientation, (trig::rotation_vector(turn) * orientation).normalize());
            let mut turning = Turned { inertia: body.inertia, before, after, omega: twist.angular };
            self.book.post(Account::Correction, turning.keep_energy(twist.angular));
            twist.angular = turning.omega;
            orientation = after;
        }
        let position = place + (self.displacement[slot].linear + correction.linear);
        let after = kinetic(numbers, orientation, &twist);
        let potential = -numbers.weight.dot(position - place);
        if !settings.integrator.follows_parabola() {
            let mean = (start.linear + end.linear) * 0.5;
            let path = settings.integrator.path(start.linear, end.linear, h);
            self.book.post(Account::Gravity, numbers.weight.dot(mean * h - path));
        }
        self.book.post(Account::Correction, -numbers.weight.dot(correction.linear));
        [after, -before, potential].into_iter().for_each(|term| self.measured.add(term));
        self.energy_change[slot] = (after - before) + potential;
        self.book.widen(numbers.condition * (before + after + potential.abs()));
        self.book.widen(numbers.weight_size * position.length() / 64.0);
        self.user_work(&[slot as u32]);
        self.position[slot] = position;
        self.orientation[slot] = orientation;
        self.velocity[slot] = twist;
    }
}

/// A body that was turned from one orientation to another, and its spin there. Of a body with unequal inertia the same spin
/// has another kinetic energy there: 400 times as much when a rod that spins about its own axis is turned across it.
struct Turned {
    inertia: Sym3,
    before: Quat,
    after: Quat,
    omega: Vec3,
}

impl Turned {
    /// Energy of the spin in the orientation after [J].
    fn energy(&self) -> f64 {
        let b = self.after.conjugate() * self.omega;
        0.5 * b.dot(self.inertia * b)
    }

    /// Makes the spin as large as the energy of `spin` in the orientation before says; returns what rounding leaves of the
    /// change [J].
    fn keep_energy(&mut self, spin: Vec3) -> f64 {
        let (a, b) = (self.before.conjugate() * spin, self.after.conjugate() * self.omega);
        let (was, is) = (a.dot(self.inertia * a), b.dot(self.inertia * b));
        let share = if is > 0.0 { (was / is).sqrt() } else { 1.0 };
        self.omega *= share;
        // ½ b·I b − ½ a·I a, as a product that does not cancel.
        0.5 * (b * share - a).dot(self.inertia * (a + b * share))
    }
}

pub(super) fn kinetic(numbers: &BodyNumbers, orientation: Quat, twist: &Twist) -> f64 {
    free_kinetic_energy(numbers.mass, &numbers.inertia, orientation, twist)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;
    use crate::scene::{Body, Lock, Scene, Shape};
    use huygens_math::SplitMix;

    /// Bodies of every kind that fall on a floor and bounce: slow and fast, pushed, locked.
    fn mixed() -> Scene {
        let floor = Shape::half_space().restitution(0.5);
        let mut scene = Scene::new().dt(1.0 / 120.0).body(Body::fixed("floor").shape(floor));
        let mut random = SplitMix::new(8);
        for i in 0..60 {
            let shape = match i % 4 {
                0 => Shape::sphere(0.2),
                1 => Shape::cuboid(0.2, 0.3, 0.4),
                2 => Shape::cuboid(0.2, 0.3, 0.4).turned([1.0, 2.0, 3.0], 0.7),
                _ => Shape::cuboid(0.3, 0.3, 0.3),
            };
            // Every tenth turns too far for one piece.
            let spin = random.direction() * random.range(0.0, if i % 10 == 0 { 300.0 } else { 20.0 });
            let [x, y] = [i % 8, i / 8].map(f64::from);
            let mut body = Body::dynamic(format!("b{i}")).shape(shape.restitution(0.5)).at(x, y, 0.6);
            body.angular_velocity = spin;
            body.force = if i % 7 == 0 { Vec3::new(0.1, 0.0, 0.2) } else { Vec3::ZERO };
            body.lock = Lock { angular: [i % 9 == 0, false, i % 18 == 0], ..Lock::default() };
            scene = scene.body(body);
        }
        scene
    }

    /// Hash, book and bound of each step.
    fn history(level: Level, euler: bool) -> Vec<(u64, [u64; 3])> {
        let mut scene = mixed();
        if euler {
            scene.world.integrator = huygens_dynamics::Integrator::SymplecticEuler;
        }
        let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
        world.work.bodies.level = level;
        let mut seen = Vec::new();
        for _ in 0..120 {
            let report = world.step();
            let books = [report.energy_change, report.unexplained, report.unexplained_bound];
            assert!(books[1].abs() <= books[2], "{books:?}");
            seen.push((world.hash(), books.map(f64::to_bits)));
        }
        assert!(world.ledger().get(Account::Correction) != 0.0 && world.ledger().get(Account::User) != 0.0);
        seen
    }

    #[test]
    fn states_and_books_have_the_same_bits_at_every_level() {
        for euler in [false, true] {
            let expected = history(Level::baseline(), euler);
            let mut levels = vec![Level::new()];
            levels.extend(Level::new().as_sse2().map(Level::Sse2));
            levels.extend(Level::new().as_avx2().map(Level::Avx2));
            for level in levels {
                assert_eq!(history(level, euler), expected, "{level:?}");
            }
        }
    }
}
