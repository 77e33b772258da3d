//! Stops what would still pass something, and takes the velocity that leads on.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `stop` | share of its displacement that a body makes | – |
//! | p, u, W | `p`, `rate`, `w` | impulse along the normal, velocity of the point, inverse mass there | N·s, m/s, 1/kg |

use super::round::SweepWork;
use super::ways::{Hit, Ways, displacement, is_movable};
use crate::access::SweepAccess;
use crate::ledger::Account;
use crate::model::{Model, Motion};
use crate::stage::forces::{Applied, along};
use crate::stage::links::vector_of;
use crate::stage::touch::{moved, turned};
use crate::state::State;
use huygens_geometry::query::Motion as Course;
use huygens_math::{Twist, Vec3, scalar, trig};

/// Sweeps over the pairs in which stops are passed on, and over the blows.
const STOPS: usize = 16;
const BLOWS: usize = 8;

/// Share of its displacement below which a body is stuck.
const STUCK: f64 = 0.1;

/// Kinetic energy that is round-off, as a share of it.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Share of its spin that a body keeps beyond what its energy allows where it stops.
const SPARE_SPIN: f64 = 0.98;

/// Stops what would still pass something.
pub(super) fn stop(model: &Model, state: &State, work: &mut SweepAccess, room: &mut SweepWork) {
    find_stops(model, state, work, room);
    let SweepWork { hits, stop, courses, turns, ways: stopped, .. } = room;
    let ways = Ways { model, state, work, turns };
    // Blows change the velocities, and with them what a course is made of.
    courses.clear();
    courses.extend(hits.iter().map(|hit| hit.slots.map(|slot| ways.course(slot))));
    stopped.clear();
    stopped.resize(model.bodies.len(), Vec3::ZERO);
    for (hit, courses) in hits.iter().zip(&*courses) {
        for (slot, course) in hit.slots.into_iter().zip(courses) {
            let body = work.shapes[slot as usize].body as usize;
            stopped[body] = moved(course, stop[body])[0];
        }
    }
    for body in (0..stop.len()).filter(|&body| stop[body] < 1.0) {
        ways.turn(body);
    }
    let blows = Blows { model, state };
    for body in (0..stop.len()).filter(|&body| stop[body] < 1.0) {
        blows.slow_down(work, body, stop[body], stopped[body]);
    }
    for sweep in 0..BLOWS {
        for (hit, courses) in hits.iter().zip(&*courses) {
            if hit.slots.into_iter().any(|slot| work.shapes[slot as usize].asleep) {
                continue;
            }
            let struck = blows.strike(work, hit, courses);
            if sweep == 0 && (!struck || hit.time < STUCK) {
                blows.calm(work, hit);
            }
        }
    }
    for body in (0..stop.len()).filter(|&body| stop[body] < 1.0) {
        blows.settle(work, body, stopped[body], turns.known(body) * stop[body]);
    }
}

/// Finds the share of its displacement that each body makes. What has stopped may stand in the way of others: pairs of bodies that were
/// stopped are looked at again.
fn find_stops(model: &Model, state: &State, work: &SweepAccess, room: &mut SweepWork) {
    let SweepWork { pairs, first, hits, stop, taken: fresh, stopped_now, turns, .. } = room;
    let ways = Ways { model, state, work, turns };
    let bodies_of = |slots: [u32; 2]| slots.map(|slot| work.shapes[slot as usize].body as usize);
    let count = model.bodies.len();
    for (list, value) in [(&mut *fresh, false), (&mut *stopped_now, false)] {
        list.clear();
        list.resize(count, value);
    }
    stop.clear();
    stop.resize(count, 1.0);
    let cut = |hit: &Hit, stop: &mut [f64], stopped: &mut [bool]| {
        let bodies = bodies_of(hit.slots);
        let mut any = false;
        for k in 0..2 {
            if hit.moves[k] && is_movable(state, work, hit.slots[k]) && hit.time < stop[bodies[k]] {
                stop[bodies[k]] = hit.time;
                stopped[bodies[k]] = true;
                any = true;
            }
        }
        any
    };
    // Those of the whole displacement, the earliest first.
    hits.retain(|hit| {
        let is_whole = bodies_of(hit.slots).into_iter().all(|body| stop[body] >= hit.time);
        is_whole && cut(hit, stop, fresh)
    });
    for _ in 1..STOPS {
        stopped_now.fill(false);
        let mut any = false;
        for (&slots, &first) in pairs.iter().zip(&*first) {
            let bodies = bodies_of(slots);
            if !bodies.into_iter().any(|body| fresh[body]) {
                continue;
            }
            let Some(hit) = ways.hit(slots, bodies.map(|body| stop[body]), first) else { continue };
            if cut(&hit, stop, stopped_now) {
                hits.push(hit);
                any = true;
            }
        }
        std::mem::swap(fresh, stopped_now);
        if !any {
            break;
        }
    }
}

/// Takes the velocity of what was stopped.
struct Blows<'a> {
    model: &'a Model,
    state: &'a State,
}

impl Blows<'_> {
    /// An impact without bounce and friction between two shapes; false when they do not come nearer.
    fn strike(&self, work: &mut SweepAccess, hit: &Hit, courses: &[Course; 2]) -> bool {
        let movable = hit.slots.map(|slot| is_movable(self.state, work, slot));
        let bodies = hit.slots.map(|slot| work.shapes[slot as usize].body as usize);
        let n = hit.normal;
        let arms = [0, 1].map(|k| hit.at - courses[k].center - moved(&courses[k], hit.time)[0]);
        let rates = [0, 1].map(|k| {
            let twist = if movable[k] {
                work.solution.v.free[bodies[k]]
            } else {
                self.state.velocity.free[bodies[k]]
            };
            let rate = n.dot(twist.at(arms[k]));
            // A link takes no impulse here, so it gives none of its energy.
            let is_link = matches!(work.body_rows[bodies[k]].motion, Motion::Link { .. });
            let away = if k == 0 { rate > 0.0 } else { rate < 0.0 };
            if is_link && !away { 0.0 } else { rate }
        });
        let rate = rates[0] - rates[1];
        let w = (0..2).filter(|&k| movable[k]).fold(0.0, |sum, k| {
            sum + n.dot(work.problem.inertia.free[bodies[k]].respond(n, arms[k]).at(arms[k]))
        });
        if rate >= 0.0 || w <= 0.0 {
            return false;
        }
        let p = -rate / w;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let push = n * (sign * p);
            if movable[k] {
                let change = work.problem.inertia.free[bodies[k]].respond(push, arms[k]);
                work.solution.v.free[bodies[k]] += change;
                self.rebook(work, bodies[k], change);
            } else if rates[k] != 0.0 {
                // What does not give way works on the other by the opposite impulse.
                let given = -push;
                let joules = given.dot(n) * rates[k];
                if matches!(work.body_rows[bodies[k]].motion, Motion::Link { .. }) {
                    // A link that goes away takes no impulse: what the other loses to it is lost.
                    work.solution.work.impact.add(joules);
                    work.solution.work.magnitude += joules.abs();
                    continue;
                }
                work.solution.work.driver.add(joules);
                work.solution.work.magnitude += joules.abs();
                work.sweep.given.resize(work.bodies.numbers.len(), 0.0);
                work.sweep.given[bodies[1 - k]] += joules;
                if let Motion::Driven(i) = work.body_rows[bodies[k]].motion
                    && let Some(load) = work.solution.drivers.get_mut(i as usize)
                {
                    load.work += joules;
                    load.impulse += given;
                    load.torque_impulse += arms[k].cross(given);
                }
            }
        }
        work.solution.work.impact.add(0.5 * p * rate);
        work.solution.work.magnitude += (p * rate).abs();
        true
    }

    /// Gives a body that makes a share of its displacement, `way` of it, the velocity that it has there.
    fn slow_down(&self, work: &mut SweepAccess, body: usize, share: f64, way: Vec3) {
        let (problem, h) = (work.problem, self.model.settings.dt);
        let (start, end) = (problem.v_start.free[body], work.solution.v.free[body]);
        if end != problem.v_free.free[body] || start != self.state.velocity.free[body] {
            // In an island the passivity bound sees to it.
            return;
        }
        let mass = &problem.inertia.mass[body];
        let cut = way - displacement(work, body).linear;
        let force = mass.mass * (problem.v_free.free[body].linear - start.linear) / h;
        let kinetic = |twist: &Twist| {
            let spin = twist.angular;
            0.5 * ((mass.mass * twist.linear).dot(twist.linear) + spin.dot(mass.inertia * spin))
        };
        let (whole, most) = (kinetic(&end), kinetic(&end) + force.dot(cut));
        let there = end - (problem.v_free.free[body] - start) * (1.0 - share);
        let slower = if kinetic(&there) <= most + ROUND_OFF * whole {
            there
        } else if most < whole {
            end * (scalar::max(most, 0.0) / whole).sqrt()
        } else {
            return;
        };
        self.change(work, body, slower - end, kinetic(&slower) - whole);
    }

    /// Changes the velocity of a body, which brings `joules` in.
    fn change(&self, work: &mut SweepAccess, body: usize, change: Twist, joules: f64) {
        work.solution.v.free[body] += change;
        self.rebook(work, body, change);
        work.solution.work.impact.add(joules);
        work.solution.work.magnitude += joules.abs();
    }

    /// Takes half of the spin of two bodies that stopped at once, or although no velocity at the touch leads into the other: it is the turn that
    /// leads there, and it would do so in every step.
    fn calm(&self, work: &mut SweepAccess, hit: &Hit) {
        for slot in hit.slots {
            let body = work.shapes[slot as usize].body as usize;
            if !is_movable(self.state, work, slot) {
                continue;
            }
            let omega = work.solution.v.free[body].angular;
            let joules = -0.375 * omega.dot(work.problem.inertia.mass[body].inertia * omega);
            self.change(work, body, Twist::new(Vec3::ZERO, omega * -0.5), joules);
        }
    }

    /// The forces of the step have worked along the velocity that the solve ended with; `stage::integrate` reads the new one.
    fn rebook(&self, work: &mut SweepAccess, body: usize, change: Twist) {
        let half = 0.5 * self.model.settings.dt;
        let (force, torque) = (self.state.force[body], self.state.torque[body]);
        let user = -half * (force.dot(change.linear) + torque.dot(change.angular));
        if user != 0.0 {
            work.book.post(Account::User, user);
        }
        let applied = work.forces.applied.iter().find(|applied| applied.slot as usize == body);
        for (account, force) in applied.into_iter().flat_map(|applied| {
            let Applied { medium, viscous, spring, .. } = applied;
            [(Account::Medium, medium), (Account::Viscous, viscous), (Account::Spring, spring)]
        }) {
            work.book.post(account, -half * along(force, &change));
        }
        if !self.model.settings.integrator.follows_parabola() {
            let weight = work.bodies.numbers[body].weight;
            work.book.post(Account::Gravity, half * weight.dot(change.linear));
        }
    }

    /// Lets the displacement of a body end after the way `to_stop` and the rotation `turn`.
    fn settle(&self, work: &mut SweepAccess, body: usize, to_stop: Vec3, turn: Vec3) {
        let way = displacement(work, body).linear;
        let from = self.state.orientation[body];
        let to = trig::rotation_vector(turn) * from;
        let end = |work: &SweepAccess| {
            let ends = [work.problem.v_start.free[body].angular, work.solution.v.free[body].angular];
            turned(self.model, self.state, body, ends)
        };
        // The same spin must not have more energy where the body stops than where it would have ended.
        let inertia = self.model.bodies[body].inertia;
        let spin = work.solution.v.free[body].angular;
        let [was, is] = [end(work), to].map(|q| {
            let own = q.conjugate() * spin;
            own.dot(inertia * own)
        });
        if is > was {
            let keep = SPARE_SPIN * (was / is).sqrt();
            let change = Twist::new(Vec3::ZERO, spin * (keep - 1.0));
            // As the mass of the start has it, like all impulses.
            let moment = work.problem.inertia.mass[body].inertia;
            let joules = -0.5 * (1.0 - keep * keep) * spin.dot(moment * spin);
            self.change(work, body, change, joules);
        }
        // `stage::integrate` turns it by its velocities, and then by these two.
        let rest = vector_of(to * end(work).conjugate());
        let shift = &mut work.solution.correction.free[body];
        shift.linear += to_stop - way;
        shift.angular = rest - work.problem.impact.displacement.free[body].angular;
    }
}
