//! Forces of the medium, of damping and of springs over one step.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | h | `h` | the step | s |
//! | a | `acceleration` | acceleration by all forces without contact | m/s², rad/s² |
//! | d | `direction` | unit vector from the second end of a spring to the first | – |
//!
//! Poses are those of the middle of the step, x + ½h v. Forces against a velocity are taken at v + θ h a (`dynamics::force`), so each
//! of them depends on all others of its body: sweeps over them, one after the other, until they no longer change.
//! The acceleration a is that of free flight. A body that contacts carried in the last step has none of it, since they will carry it again: a
//! box at rest in water then feels no drag.

use crate::force::{ExposedBody, SpringModel};
use crate::model::{Model, Motion};
use crate::state::State;
use huygens_dynamics::force::{Damped, Flow, FlowForce, share_of_end};
use huygens_math::{BlockInertia, FreeInertia, Pose, Twist, Vec3, scalar, trig};

/// Sweeps at most. What they leave is an error of the forces, not of the book: the work is that of the forces as they are.
const SWEEPS: usize = 24;

/// Forces on one body over the step: `linear` in N, `angular` in N·m about the centre of mass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Applied {
    /// Slot of the body.
    pub slot: u32,
    /// Drag, lift, Magnus force and buoyancy.
    pub medium: Twist,
    /// Damping of the body and dampers.
    pub viscous: Twist,
    /// Springs.
    pub spring: Twist,
    /// Buoyancy alone.
    buoyancy: Twist,
    /// Damping of the body alone.
    damping: Twist,
    /// Acceleration that the forces against a velocity look ahead with.
    acceleration: Twist,
    /// Share of the body in the medium.
    share: f64,
    /// Velocity of the medium at the body [m/s].
    wind: Vec3,
    /// Rate at which all forces against its velocity damp it together [1/s].
    rate: f64,
}

impl Applied {
    /// All of it.
    pub fn total(&self) -> Twist {
        self.medium + self.viscous + self.spring
    }
}

/// A spring over the step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpringWork {
    /// Distance of its ends at the start of the step [m].
    pub start: f64,
    /// Work of the spring and of its damper on driven ends [J].
    pub on_drivers: [f64; 2],
    /// The same for each end, spring and damper together: what its driver was given.
    pub on_end: [f64; 2],
    direction: Vec3,
    /// From the centre of mass to each end, in the middle of the step [m].
    arms: [Vec3; 2],
    push: f64,
    damping_push: f64,
}

/// Forces of the medium and of springs in this step; empty where a scene has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForceWork {
    /// One for each of [`crate::force::ForceModel::slots`].
    pub applied: Vec<Applied>,
    /// One for each spring.
    pub springs: Vec<SpringWork>,
}

/// Computes all forces at the state.
pub(crate) fn forces(model: &Model, state: &State, inertia: &BlockInertia, work: &mut ForceWork) {
    work.applied.clear();
    work.springs.clear();
    if model.forces.is_empty() {
        return;
    }
    let slots = model.forces.slots.iter();
    work.applied.extend(slots.map(|&slot| Applied { slot, ..Applied::default() }));
    let mut step = Step { model, state, inertia, h: model.settings.dt, half: 0.0, work };
    if model.settings.integrator.start_share() > 0.0 {
        step.half = 0.5 * step.h;
    }
    step.enter_medium();
    step.stretch();
    step.look_ahead();
    step.rates();
    for _ in 0..SWEEPS {
        let change = step.sweep();
        if change <= 1e-14 {
            break;
        }
    }
    step.works_on_drivers();
}

/// True for a body that takes part in the step.
fn is_in(state: &State, slot: usize) -> bool {
    !state.quarantined[slot] && !state.sleep.has(slot)
}

struct Step<'a> {
    model: &'a Model,
    state: &'a State,
    inertia: &'a BlockInertia,
    h: f64,
    half: f64,
    work: &'a mut ForceWork,
}

impl<'a> Step<'a> {
    /// Pose of a body in the middle of the step.
    fn middle(&self, slot: usize) -> Pose {
        let Twist { linear, angular } = self.state.velocity.free[slot];
        let turn = trig::rotation_vector(angular * self.half);
        let orientation = (turn * self.state.orientation[slot]).normalize();
        Pose::new(orientation, self.state.position[slot] + linear * self.half)
    }

    /// Bodies that the medium or damping acts on.
    fn exposed(&self) -> impl Iterator<Item = &'a ExposedBody> + use<'a> {
        let (model, state) = (self.model, self.state);
        model.forces.bodies.iter().filter(|body| is_in(state, body.body as usize))
    }

    /// Buoyancy, the share of each body in the medium, and the wind there.
    fn enter_medium(&mut self) {
        let Some(medium) = &self.model.forces.medium else { return };
        for body in self.exposed() {
            let pose = self.middle(body.body as usize);
            let part = body.submerged(medium, &pose);
            let applied = &mut self.work.applied[body.at as usize];
            applied.share = match medium.surface {
                None => 1.0,
                Some(_) if body.whole.volume > 0.0 => part.volume / body.whole.volume,
                // A body without volume is a point.
                Some(surface) => f64::from(u8::from(medium.up.dot(pose.translation) < surface)),
            };
            applied.wind = medium.velocity(pose.translation);
            if body.buoyant {
                let lift = self.model.settings.gravity * -medium.density;
                applied.buoyancy = Twist::new(lift * part.volume, part.moment.cross(lift));
                applied.medium = applied.buoyancy;
            }
        }
    }

    /// Springs in the middle of the step.
    fn stretch(&mut self) {
        for spring in &self.model.forces.springs {
            let mut entry = SpringWork::default();
            if !spring.is_idle(self.state) {
                entry.start = spring.distance(self.state);
                let mut places = [Vec3::ZERO; 2];
                for (k, end) in spring.ends.iter().enumerate() {
                    places[k] = end.anchor;
                    if let Some(slot) = end.body {
                        let pose = self.middle(slot as usize);
                        entry.arms[k] = pose.rotation * end.anchor;
                        places[k] = pose.translation + entry.arms[k];
                    }
                }
                let apart = places[0] - places[1];
                let distance = apart.length();
                if distance > 0.0 {
                    entry.direction = apart / distance;
                    entry.push = spring.law.push(distance);
                }
            }
            for (k, end) in spring.ends.iter().enumerate() {
                if let Some(at) = end.at {
                    self.work.applied[at as usize].spring += entry.wrench(k, entry.push);
                }
            }
            self.work.springs.push(entry);
        }
    }

    /// The acceleration by gravity, the user, buoyancy and springs, of bodies that no contact carried.
    fn look_ahead(&mut self) {
        let (model, state) = (self.model, self.state);
        for applied in &mut self.work.applied {
            let slot = applied.slot as usize;
            if is_in(state, slot) {
                let body = &model.bodies[slot];
                let given = Twist::new(state.force[slot], state.torque[slot]);
                let weight =
                    Twist::new(model.settings.gravity * (body.mass * body.gravity_scale), Vec3::ZERO);
                let sum = given + weight + applied.buoyancy + applied.spring;
                applied.acceleration = accelerated(&self.inertia.free[slot], &sum);
            }
        }
        for head in &state.contacts.heads {
            let carries = head.points(&state.contacts.points).iter().any(|point| point.impulse != Vec3::ZERO);
            for shape in head.key.shapes().into_iter().filter(|_| carries) {
                let Some(shape) = model.shapes.get(shape as usize) else { continue };
                if let Ok(at) = model.forces.slots.binary_search(&shape.body) {
                    self.work.applied[at].acceleration = Twist::ZERO;
                }
            }
        }
    }

    /// Rates of damping of each body, all forces together.
    fn rates(&mut self) {
        for body in self.exposed() {
            let slot = body.body as usize;
            let applied = &mut self.work.applied[body.at as usize];
            let flow = body.flow.scaled(applied.share);
            let speed = (self.state.velocity.free[slot].linear - applied.wind).length();
            let drag =
                self.inertia.free[slot].inv_mass.max_element() * (flow.linear + flow.quadratic * speed);
            applied.rate = drag + scalar::max(body.damping[0], body.damping[1]);
        }
        for (spring, entry) in self.model.forces.springs.iter().zip(&self.work.springs) {
            for (k, end) in spring.ends.iter().enumerate() {
                let Some(applied) = end.at.map(|at| &mut self.work.applied[at as usize]) else { continue };
                let row = entry.wrench(k, 1.0);
                let inverse = &self.inertia.free[applied.slot as usize];
                applied.rate += spring.law.damping * along(&row, &accelerated(inverse, &row));
            }
        }
    }

    /// One round over all forces against a velocity; returns the largest change, as a share of the largest such acceleration.
    fn sweep(&mut self) -> f64 {
        let mut change = Change::default();
        for body in self.exposed() {
            self.flow(body, &mut change);
            self.damp(body, &mut change);
        }
        for (i, spring) in self.model.forces.springs.iter().enumerate() {
            if spring.law.damping > 0.0 && !spring.is_idle(self.state) {
                self.damper(i, spring, &mut change);
            }
        }
        if change.largest > 0.0 { change.change / change.largest } else { 0.0 }
    }

    /// Drag, lift and Magnus force.
    fn flow(&mut self, body: &ExposedBody, change: &mut Change) {
        let slot = body.body as usize;
        let force = body.flow.scaled(self.work.applied[body.at as usize].share);
        if force == FlowForce::default() {
            return;
        }
        let span = if force.lift != 0.0 { self.middle(slot).rotation * body.span } else { Vec3::ZERO };
        let applied = &mut self.work.applied[body.at as usize];
        let inverse = &self.inertia.free[slot];
        let Twist { linear, angular } = self.state.velocity.free[slot];
        let last = applied.medium.linear - applied.buoyancy.linear;
        let mut omega = angular;
        if force.magnus != 0.0 {
            let turning = angular.cross(self.inertia.mass[slot].inertia * angular);
            omega += (applied.acceleration.angular - inverse.inv_inertia * turning) * self.half;
        }
        let flow = Flow {
            h: self.h,
            inv_mass: inverse.inv_mass,
            velocity: linear - applied.wind,
            acceleration: applied.acceleration.linear - inverse.inv_mass * last,
            omega,
            span,
            rate: applied.rate,
        };
        let force = force.force(&flow);
        applied.medium.linear = applied.buoyancy.linear + force;
        let gain = inverse.inv_mass * (force - last);
        applied.acceleration.linear += gain;
        change.saw(gain, inverse.inv_mass * force);
    }

    /// Damping of the body: −γ m v and −γ I ω.
    fn damp(&mut self, body: &ExposedBody, change: &mut Change) {
        let slot = body.body as usize;
        let applied = &mut self.work.applied[body.at as usize];
        let inverse = &self.inertia.free[slot];
        let last = accelerated(inverse, &applied.damping);
        let (velocity, whole_rate) = (self.state.velocity.free[slot], applied.rate);
        let slowed = |rate: f64, v: Vec3, a: Vec3| {
            let reach = share_of_end(scalar::max(rate, whole_rate) * self.h) * self.h;
            (v + a * reach) * (-rate / (1.0 + rate * reach))
        };
        let other = applied.acceleration - last;
        let [linear, angular] = body.damping;
        let new = Twist::new(
            slowed(linear, velocity.linear, other.linear),
            slowed(angular, velocity.angular, other.angular),
        );
        let mass = self.model.bodies[slot].mass;
        let damping = Twist::new(new.linear * mass, self.inertia.mass[slot].inertia * new.angular);
        applied.viscous = applied.viscous - applied.damping + damping;
        applied.damping = damping;
        let new = accelerated(inverse, &damping);
        applied.acceleration += new - last;
        change.saw((new - last).linear, new.linear);
        change.saw((new - last).angular, new.angular);
    }

    /// The damper of a spring.
    fn damper(&mut self, i: usize, spring: &SpringModel, change: &mut Change) {
        let entry = self.work.springs[i];
        let (mut inv_mass, mut speed, mut acceleration, mut rate) = (0.0, 0.0, 0.0, 0.0);
        for (k, end) in spring.ends.iter().enumerate() {
            let Some(slot) = end.body else { continue };
            let row = entry.wrench(k, 1.0);
            speed += along(&row, &self.state.velocity.free[slot as usize]);
            if let Some(at) = end.at {
                inv_mass += along(&row, &accelerated(&self.inertia.free[slot as usize], &row));
                acceleration += along(&row, &self.work.applied[at as usize].acceleration);
                rate += self.work.applied[at as usize].rate;
            }
        }
        acceleration -= inv_mass * entry.damping_push;
        let push = spring.law.damping_push(&Damped { h: self.h, inv_mass, speed, acceleration, rate });
        let gain = push - entry.damping_push;
        self.work.springs[i].damping_push = push;
        for (k, end) in spring.ends.iter().enumerate() {
            if let Some(at) = end.at {
                let applied = &mut self.work.applied[at as usize];
                let wrench = entry.wrench(k, gain);
                applied.viscous += wrench;
                applied.acceleration += accelerated(&self.inertia.free[applied.slot as usize], &wrench);
            }
        }
        change.saw(Vec3::splat(inv_mass * gain), Vec3::splat(inv_mass * push));
    }

    /// Work of springs and dampers on ends that move as prescribed.
    fn works_on_drivers(&mut self) {
        for (spring, entry) in self.model.forces.springs.iter().zip(&mut self.work.springs) {
            for (k, end) in spring.ends.iter().enumerate() {
                let Some(slot) = end.body.map(|slot| slot as usize) else { continue };
                if matches!(self.model.bodies[slot].motion, Motion::Driven(_)) {
                    let path = self.state.velocity.free[slot] * self.h;
                    let work =
                        [entry.push, entry.damping_push].map(|push| along(&entry.wrench(k, push), &path));
                    entry.on_drivers = [entry.on_drivers[0] + work[0], entry.on_drivers[1] + work[1]];
                    entry.on_end[k] = work[0] + work[1];
                }
            }
        }
    }
}

impl SpringWork {
    /// Force and torque on the body of an end when the spring pushes its ends apart with `push`.
    fn wrench(&self, end: usize, push: f64) -> Twist {
        let force = self.direction * if end == 0 { push } else { -push };
        Twist::new(force, self.arms[end].cross(force))
    }

    /// Force on the body of an end [N].
    pub fn force_on(&self, end: usize) -> Twist {
        self.wrench(end, self.push + self.damping_push)
    }
}

/// The largest change of an acceleration in a sweep, and the largest acceleration.
#[derive(Default)]
struct Change {
    change: f64,
    largest: f64,
}

impl Change {
    fn saw(&mut self, change: Vec3, of: Vec3) {
        self.change = scalar::max(self.change, change.length());
        self.largest = scalar::max(self.largest, of.length());
    }
}

fn accelerated(inverse: &FreeInertia, wrench: &Twist) -> Twist {
    Twist::new(inverse.inv_mass * wrench.linear, inverse.inv_inertia * wrench.angular)
}

/// Power or work of a wrench along a velocity or a path.
pub(super) fn along(wrench: &Twist, path: &Twist) -> f64 {
    wrench.linear.dot(path.linear) + wrench.angular.dot(path.angular)
}
