//! Contacts of what rolls, half a step ahead.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | n | `normal` | contact normal, from B to A | – |
//! | ω | `start`, `end` | spin of the body at both ends of the step, the latter as the impulses of the last step let expect | rad/s |
//! | R | | turn by half of the mean ω times h | – |
//! | s(d) | `Shape::smooth_support` | point of the surface farthest along d, from the centre of mass | m |
//!
//! The point at which an ellipsoid touches runs over its surface as it turns: by the angle times its radius of curvature, which is many times
//! the height of a flat stone. Rows are constant through a step. With those of its start the gap is wrong by ½h² n·ω×ṙ at the end: a rolling
//! stone sinks in every step and is lifted in the next one, at nobody's cost. Hence the rows of the middle, with the arm R s(−R⁻¹n): the gap is
//! then right to third order. And since the velocity at the point turns with it, the law is asked for at the end, where it is more
//! than in the middle by half of ω×Δr ([`huygens_contact::Belt::run`]): what the contact then gives in rolling is p·(u₀ + u₁)/2 = 0, and
//! without it the first half would be lost in each step, which is damping of first order.

use super::demand;
use super::free::kinetic;
use crate::access::{AssembleAccess, IntegrateAccess};
use crate::ledger::Account;
use crate::model::{BodyModel, Model, ShapeModel};
use crate::state::State;
use huygens_contact::{Belt, Side};
use huygens_geometry::Shape;
use huygens_math::{Quat, Sym3, Vec3, trig};

/// Turns beyond this tell nothing about the middle of the step [rad].
const MOST_TURN: f64 = 0.5;

/// A body that gained more than this share of its energy in a step did not do so by rolling.
const MOST_GAIN: f64 = 0.01;

/// True when the point of contact with a flat ground runs over the surface as the body turns, and is not always straight below one point of it.
pub(crate) fn rolls(shape: &ShapeModel) -> bool {
    match shape.shape {
        Shape::Sphere(_) => shape.in_body.translation != Vec3::ZERO,
        _ => shape.shape.smooth_support(Vec3::Z).is_some(),
    }
}

/// Moves the arms of contacts between a shape that rolls and one that does not to the middle of the step.
pub(super) fn ahead(model: &Model, state: &State, work: &mut AssembleAccess) {
    let h = model.settings.dt;
    work.rolling.clear();
    kicks(work, h);
    let groups = &mut work.groups;
    for head in groups.heads.iter_mut().filter(|head| head.is_contact() && head.len == 1) {
        let [a, b] = head.key.shapes().map(|slot| &model.shapes[slot as usize]);
        // Seen from A the ground is along −n.
        let (shape, side, down, sign) = match (rolls(a), rolls(b)) {
            (true, false) => (a, head.side[0], -head.normal, 1.0),
            (false, true) => (b, head.side[1], head.normal, -1.0),
            _ => continue,
        };
        let Side::Free(body) = side else { continue };
        // The rows of a link are made for the point of the start.
        if head.side.iter().any(|side| matches!(side, Side::Tree(_))) {
            continue;
        }
        let slot = body as usize;
        let (orientation, start) = (state.orientation[slot], state.velocity.free[slot].angular);
        // The blow of a landing does not come twice: what rolls changes its spin by less than there is of it.
        let end = start + work.spin_kicks[slot].clamp_length_max(start.length());
        let turn = (start + end) * (0.5 * h);
        if turn == Vec3::ZERO || turn.length_squared() > MOST_TURN * MOST_TURN {
            continue;
        }
        if head.side.contains(&Side::Fixed) {
            let place = state.position[slot];
            work.rolling.push(Rolling { slot: body, place, energy: 0.0, is_pushed: false });
        }
        let at = |share: f64| lowest(shape, trig::rotation_vector(turn * share) * orientation, down);
        let [Some(first), Some(middle), Some(last)] = [0.0, 0.5, 1.0].map(at) else { continue };
        head.demand = demand::CONTACT_AT_MIDDLE;
        let point = &mut groups.points[head.first as usize];
        point.arm = point.arm.map(|arm| arm + (middle - first));
        let inverse = &work.inertia.free[slot].inv_inertia;
        let later = gyroscopic(&model.bodies[slot], (orientation, inverse), (start + end) * 0.5, h);
        let run = (end.cross(last - middle) + later.cross(last)) * sign;
        match groups.belts.binary_search_by_key(&head.first, |belt| belt.first) {
            Ok(at) => groups.belts[at].run = run,
            Err(at) => {
                let (velocity, driver) = ([Vec3::ZERO; 2], [None; 2]);
                groups.belts.insert(at, Belt { first: head.first, velocity, driver, run });
            }
        }
    }
}

/// What contacts will do to the spin of each body in this step, if they do what they did in the last one.
fn kicks(work: &mut AssembleAccess, h: f64) {
    let (groups, kicks) = (&work.groups, &mut work.spin_kicks);
    kicks.clear();
    kicks.extend(work.acceleration.free.iter().map(|acceleration| acceleration.angular * h));
    for head in groups.contacts() {
        for (side, k, sign) in [(head.side[0], 0, 1.0), (head.side[1], 1, -1.0)] {
            let Side::Free(body) = side else { continue };
            let inverse = &work.inertia.free[body as usize].inv_inertia;
            for i in head.range() {
                let torque = groups.points[i].arm[k].cross(head.to_world(work.warm[i]));
                kicks[body as usize] += *inverse * torque * sign;
            }
        }
    }
}

/// What the gyroscopic term does in a step of length h to the spin ω of a body: h I⁻¹(Iω × ω).
fn gyroscopic(body: &BodyModel, (orientation, inverse): (Quat, &Sym3), omega: Vec3, h: f64) -> Vec3 {
    let momentum = orientation * (body.inertia * (orientation.inverse() * omega));
    *inverse * momentum.cross(omega) * h
}

/// A body that rolls on what stands still, at the start of the step.
#[derive(Clone, Copy, Debug)]
pub struct Rolling {
    slot: u32,
    place: Vec3,
    /// Kinetic energy [J].
    energy: f64,
    /// It touches something that can move, too.
    is_pushed: bool,
}

/// Takes down the energy of what rolls, before it moves. Left out is what is pushed by anything that moves, by the user or by a scheme that
/// does not keep energy anyway: that may gain some.
pub(super) fn watch(model: &Model, state: &State, work: &mut IntegrateAccess) {
    let (rolling, groups) = (&mut *work.rolling, &work.problem.groups);
    if rolling.is_empty() {
        return;
    }
    rolling.sort_unstable_by_key(|one| one.slot);
    rolling.dedup_by_key(|one| one.slot);
    let keeps = model.settings.integrator.follows_parabola();
    rolling.retain(|one| {
        let slot = one.slot as usize;
        keeps
            && state.force[slot] == Vec3::ZERO
            && state.torque[slot] == Vec3::ZERO
            && model.torque_limited(slot).is_none()
    });
    for head in groups.heads.iter().filter(|head| !head.side.contains(&Side::Fixed)) {
        for side in head.side {
            if let Side::Free(body) = side
                && let Ok(at) = rolling.binary_search_by_key(&body, |one| one.slot)
            {
                rolling[at].is_pushed = true;
            }
        }
    }
    rolling.retain(|one| !one.is_pushed);
    for one in rolling {
        let slot = one.slot as usize;
        one.energy = kinetic(&work.bodies.numbers[slot], state.orientation[slot], &state.velocity.free[slot]);
    }
}

/// What rolls on what stands still has no more energy after a step than before: what an error of third order gave is taken back by slowing the
/// body down, which leaves rolling what it is.
pub(super) fn settle(state: &mut State, work: &mut IntegrateAccess) {
    for one in work.rolling.iter() {
        let slot = one.slot as usize;
        let numbers = &work.bodies.numbers[slot];
        let (orientation, twist) = (state.orientation[slot], state.velocity.free[slot]);
        let energy = kinetic(numbers, orientation, &twist);
        let gain = energy - one.energy - numbers.weight.dot(state.position[slot] - one.place);
        if gain <= 0.0 || gain >= MOST_GAIN * energy {
            continue;
        }
        let share = (1.0 - gain / energy).sqrt();
        let slower = twist * share;
        work.book.post(Account::Numerical, (share * share - 1.0) * energy);
        work.measured.add(kinetic(numbers, orientation, &slower));
        work.measured.add(-energy);
        work.book.widen(numbers.condition * energy);
        state.velocity.free[slot] = slower;
    }
}

/// The point farthest along `down`, from the centre of mass, world axes.
fn lowest(shape: &ShapeModel, orientation: Quat, down: Vec3) -> Option<Vec3> {
    let rotation = orientation * shape.in_body.rotation;
    let point = shape.shape.smooth_support(rotation.inverse() * down)?;
    Some(orientation * shape.in_body.translation + rotation * point)
}
