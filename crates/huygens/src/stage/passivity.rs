//! The last part of the passivity bound ([`huygens_contact::limit_correction`] has the parts before it): an island that gained energy in a
//! step, measured on its bodies at both ends, is slowed down by just that.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | G | `gain` | change of kinetic and potential energy, less the work of users, drivers and motors | J |
//! | V | [`Frame`] | rigid motion that the island cannot lose: 0 where it touches something, or that of its momentum | m/s |
//! | T | `kinetic` | energy of the motion relative to V | J |
//!
//! v⁺ ← V + s(v⁺ − V), s² = 1 − G/T: of all velocities with that energy and the same momentum the nearest one. What rests stays at rest,
//! what rolls rolls, and what slides goes on in its direction. Its work is booked as `numerical`. Gains come from errors of third order in the step
//! (a contact that turns while its rows stand still), from turning bodies with unequal inertia, and from solves that have not converged.
//!
//! The energy of a tree oscillates with the order of its integrator, also where nothing touches it. That is no contact's making: of the gain of
//! an island the energy that the smooth forces of its trees alone would have brought in ([`TreeKick::smooth_gain`]) is left, up to a share.
//! Dampers and motors of its joints count as users do, so that no loss in a joint pays for a gain of a contact.

use crate::access::IntegrateAccess;
use crate::ledger::Account;
use crate::model::{Model, PositionPolicy};
use crate::stage::account::condition;
use crate::stage::assemble::smooth_forces;
use crate::stage::forces::along;
use crate::stage::free::kinetic;
use crate::stage::place_links;
use crate::stage::position::is_inside;
use crate::stage::tree_bound;
use crate::state::State;
use crate::workspace::TreeWork;
use huygens_contact::{Side, work_from_outside};
use huygens_dynamics::{
    Drift, TreeScratch, has_free_base, kinematics, kinetic_energy, mass_matrix_quadratic,
};
use huygens_math::{Sym3, Twist, Vec3, scalar};

/// A gain below this many roundings of its terms is none.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Motion that an island keeps.
#[derive(Clone, Copy)]
enum Frame {
    /// It touches something: nothing of its motion is kept.
    Rest,
    /// All that it touches moves with one driver, and it hardly moves itself. Without friction the spin of the driver moves nothing.
    Driver { index: u32, has_friction: bool },
    /// It touches nothing: it keeps its momentum and its angular momentum.
    Free { centre: Vec3, motion: Twist },
}

impl Frame {
    /// The motion that is kept; `None` for none.
    fn rigid(self, model: &Model, state: &State, work: &IntegrateAccess) -> Option<Rigid> {
        match self {
            Self::Rest => None,
            Self::Driver { index, has_friction } => {
                let drive = &work.problem.groups.driven[index as usize];
                let body = model.drivers[index as usize].body;
                let centre = body.map_or(Vec3::ZERO, |body| state.position[body as usize]);
                let angular = if has_friction { drive.angular } else { Vec3::ZERO };
                let linear = if has_friction { drive.at(Vec3::ZERO) } else { drive.linear };
                Some(Rigid { centre, motion: Twist::new(linear, angular) })
            }
            Self::Free { centre, motion } => Some(Rigid { centre, motion }),
        }
    }
}

/// An island is slowed down relative to its driver where its energy at rest is less than this many times its gain.
const ENOUGH: f64 = 100.0;

/// What this part of the bound did in a step: see [`huygens_contact::GuardReport`].
#[derive(Clone, Copy, Debug)]
pub struct Slowed {
    pub islands: u32,
    /// [J]
    pub taken: f64,
    /// [J]
    pub slack: f64,
}

impl Default for Slowed {
    fn default() -> Self {
        Self { islands: 0, taken: 0.0, slack: f64::INFINITY }
    }
}

/// Slows down the islands that gained energy.
pub(super) fn hold(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    if model.settings.position_policy() == PositionPolicy::Unbounded {
        return;
    }
    let graph = &work.problem.graph;
    for island in 0..graph.islands() {
        // The movables of an island are its bodies, then its trees.
        let all = graph.movables(island);
        let bodies = all.partition_point(|&movable| (movable as usize) < graph.free_bodies());
        let (members, trees) = all.split_at(bodies);
        let mut gain: f64 = members.iter().map(|&slot| work.energy_change[slot as usize]).sum();
        let mut has_forces = !work.problem.groups.driven.is_empty() || !work.forces.applied.is_empty();
        for &tree in trees {
            gain += tree_gain(model, work, tree as usize - graph.free_bodies());
            // Motors with limits are rows.
            has_forces |= !work.problem.groups.rows.is_empty();
        }
        let gain = if gain > 0.0 || has_forces {
            let part = Part { island: Some(island), members, trees, groups: graph.groups(island) };
            slow_down(model, state, work, &part, gain)
        } else {
            gain
        };
        work.slowed.slack = scalar::min(work.slowed.slack, -gain);
    }
    // What the sweep stopped has no row, and need not be in an island.
    for slot in 0..work.energy_change.len() {
        let gain = work.energy_change[slot];
        let is_stopped = gain > 0.0 && work.solution.correction.free[slot] != Twist::ZERO;
        if is_stopped && graph.island_of_movable(slot).is_none() {
            let part = Part { island: None, members: &[slot as u32], trees: &[], groups: &[] };
            let gain = slow_down(model, state, work, &part, gain);
            work.slowed.slack = scalar::min(work.slowed.slack, -gain);
        }
    }
}

/// Bodies whose energy is bounded together.
struct Part<'a> {
    /// The island that they are; `None` for a body without one.
    island: Option<usize>,
    members: &'a [u32],
    /// Its trees, as movables of the contact graph.
    trees: &'a [u32],
    groups: &'a [u32],
}

/// Largest gain of smooth forces that is left to a tree, as a share of its kinetic energy.
const MOST_SMOOTH: f64 = 2e-3;

/// Change of the energy of a tree in the step, less the work of users, dampers and motors without limits [J].
fn tree_gain(model: &Model, work: &IntegrateAccess, i: usize) -> f64 {
    let (tree, tree_work) = (&model.trees[i], &work.trees[i]);
    let [held, holds] = tree_work.held;
    let kinetic = kinetic_energy(tree, &tree_work.end) - tree_work.kinetic;
    let ends = tree_work.end.com.iter().zip(&tree_work.kick.start.com);
    let lift: f64 = tree
        .links()
        .iter()
        .zip(ends)
        .map(|(link, (to, from))| -link.mass * link.gravity_scale * model.settings.gravity.dot(*to - *from))
        .sum();
    kinetic + lift + (holds - held) - tree_work.given
}

/// Sizes of the energies of a tree, for round-off [J].
pub(super) fn tree_size(model: &Model, work: &IntegrateAccess, i: usize) -> f64 {
    let (tree, tree_work) = (&model.trees[i], &work.trees[i]);
    let block = &work.problem.inertia.trees[i];
    let kinetic = kinetic_energy(tree, &tree_work.end) + tree_work.kinetic;
    let weight: f64 = tree
        .links()
        .iter()
        .zip(&tree_work.end.com)
        .map(|(link, com)| link.mass * (model.settings.gravity * link.gravity_scale).length() * com.length())
        .sum();
    condition(block) * kinetic + weight / 64.0 + tree_work.held[0] + tree_work.held[1] + tree_work.given.abs()
}

/// What the smooth forces of a tree alone would have brought in, as far as it is left to it [J].
fn smooth_gain(model: &Model, work: &mut IntegrateAccess, i: usize) -> f64 {
    let (tree, tree_work) = (&model.trees[i], &mut work.trees[i]);
    let forces = smooth_forces(model, &tree_work.wrench, &tree_work.drives);
    let dofs = model.dofs_of(i);
    let drift = Drift {
        integrator: model.settings.integrator,
        h: model.settings.dt,
        v: &work.problem.v_start.dof[dofs.clone()],
        v_plus: &work.problem.v_free.dof[dofs.clone()],
        displacement: &work.displacement.dof[dofs],
        impulse: &[],
        forces: &forces,
        block: &work.problem.inertia.trees[i],
    };
    let most = MOST_SMOOTH * scalar::max(tree_work.kinetic, kinetic_energy(tree, &tree_work.end));
    scalar::clamp(tree_work.kick.smooth_gain(tree, &drift), 0.0, most)
}

/// Splits the velocities of a tree into those of `kept`, which moves it as one body on its base, and its own, in [`TreeWork::own`]; returns the
/// energy of the second [J].
fn split_tree(model: &Model, state: &State, work: &mut TreeWork, i: usize, kept: Option<&Rigid>) -> f64 {
    let TreeWork { own, scratch, end, .. } = work;
    own.clear();
    own.extend_from_slice(&state.velocity.dof[model.dofs_of(i)]);
    if let Some(kept) = kept {
        let twist = kept.at(end.com[0]);
        let base = twist.linear.to_array().into_iter().chain(twist.angular.to_array());
        own.iter_mut().zip(base).for_each(|(v, base)| *v -= base);
    }
    0.5 * mass_matrix_quadratic(&model.trees[i], end, own, scratch)
}

/// A motion as one body.
#[derive(Clone, Copy)]
struct Rigid {
    centre: Vec3,
    motion: Twist,
}

impl Rigid {
    fn at(&self, point: Vec3) -> Twist {
        Twist::new(self.motion.at(point - self.centre), self.motion.angular)
    }
}

/// Takes out what these bodies gained; returns what is left of the gain [J], −∞ for bodies that are exempt.
fn slow_down(model: &Model, state: &mut State, work: &mut IntegrateAccess, part: &Part, change: f64) -> f64 {
    let problem = work.problem.view(model);
    let members = part.members.iter().map(|&slot| slot as usize);
    let stores = |group: &u32| problem.groups.heads[*group as usize].stores_energy();
    // Limits and contacts that give way store energy and return it; a body that was put down inside another one may come out.
    if part.groups.iter().any(stores) || is_inside(state, part.members) {
        return f64::NEG_INFINITY;
    }
    let bodies = problem.graph.free_bodies();
    let trees = part.trees.iter().map(|&movable| movable as usize - bodies);
    // Where speeds are prescribed in a tree, less of its motion is not slower.
    if trees.clone().any(|i| model.trees[i].has_prescribed() || model.trees[i].rates() > 0) {
        return f64::NEG_INFINITY;
    }
    // The body of a driver with a torque limit keeps its velocity where the others have enough: its motor would give it back.
    let is_limited = |slot| problem.groups.torque_limited.iter().any(|limited| limited.body as usize == slot);
    let mut outside: f64 = members.clone().map(|slot| work.sweep.given(slot)).sum();
    let is_driven = !problem.groups.driven.is_empty();
    if let Some(island) = part.island.filter(|_| is_driven || !problem.groups.rows.is_empty()) {
        outside += work_from_outside(&problem, work.solution, island, work.loads);
        outside += part.groups.iter().map(|&k| work.problem.impact.given[k as usize]).sum::<f64>();
    }
    // Forces of a medium and of springs are listed by body.
    for applied in &work.forces.applied {
        let slot = applied.slot as usize;
        if part.members.binary_search(&applied.slot).is_ok() {
            let mean = (problem.v_start.free[slot] + work.solution.v.free[slot]) * 0.5;
            let path = mean * model.settings.dt + work.problem.impact.displacement.free[slot];
            outside += along(&applied.total(), &path);
        }
    }
    let mut gain = change - outside;
    let mut size = outside.abs() + trees.clone().map(|i| tree_size(model, work, i)).sum::<f64>();
    for slot in members.clone() {
        let numbers = &work.bodies.numbers[slot];
        let energy = kinetic(numbers, state.orientation[slot], &state.velocity.free[slot]);
        size += numbers.condition * energy + numbers.weight_size * state.position[slot].length() / 64.0;
    }
    if gain > ROUND_OFF * size {
        gain -= trees.clone().map(|i| smooth_gain(model, work, i)).sum::<f64>();
    }
    if gain <= ROUND_OFF * size {
        return gain;
    }
    let of = |slot| kinetic(&work.bodies.numbers[slot], state.orientation[slot], &state.velocity.free[slot]);
    let spares_limited = members.clone().filter(|slot| !is_limited(*slot)).map(of).sum::<f64>() >= gain;
    let members = members.filter(|slot| !spares_limited || !is_limited(*slot));
    let mut frame = frame(model, state, work, part);
    let energy = |work: &mut IntegrateAccess, frame: Frame| -> f64 {
        let kept = frame.rigid(model, state, work);
        let of = |slot: usize| {
            let relative =
                state.velocity.free[slot] - kept.map_or(Twist::ZERO, |kept| kept.at(state.position[slot]));
            kinetic(&work.bodies.numbers[slot], state.orientation[slot], &relative)
        };
        let sum: f64 = members.clone().map(of).sum();
        let of_tree = |i| split_tree(model, state, &mut work.trees[i], i, kept.as_ref());
        sum + trees.clone().map(of_tree).sum::<f64>()
    };
    let mut relative = energy(work, frame);
    // A tree that hangs on the world does not move with a driver.
    let all_free = trees.clone().all(|i| has_free_base(&model.trees[i]));
    if let Some(index) = only_driver(work, part).filter(|_| all_free && relative < ENOUGH * gain) {
        let with_driver = Frame::Driver { index, has_friction: has_friction(work, part) };
        let energy = energy(work, with_driver);
        // Bodies that move with the driver have nothing to give but their whole motion.
        if energy >= gain || energy >= relative {
            (frame, relative) = (with_driver, energy);
        }
    }
    // The sweep stops bodies where they are, not where their common flight would bring them: what that gained, the flight gives.
    if relative < gain && matches!(frame, Frame::Free { .. }) {
        frame = Frame::Rest;
        relative = energy(work, frame);
    }
    if relative <= 0.0 {
        return gain - put_back(state, work, part, gain);
    }
    energy(work, frame);
    let kept = frame.rigid(model, state, work);
    let motion = |at: Vec3| kept.map_or(Twist::ZERO, |kept| kept.at(at));
    let share = scalar::max(1.0 - gain / relative, 0.0).sqrt();
    let mut taken = 0.0;
    for slot in members {
        let (numbers, orientation) = (&work.bodies.numbers[slot], state.orientation[slot]);
        let (twist, kept) = (state.velocity.free[slot], motion(state.position[slot]));
        let slower = kept + (twist - kept) * share;
        let [before, after] = [twist, slower].map(|twist| kinetic(numbers, orientation, &twist));
        work.measured.add(after);
        work.measured.add(-before);
        work.book.widen(numbers.condition * (before + after));
        taken += product(numbers, orientation, &kept, &(twist - kept));
        state.velocity.free[slot] = slower;
    }
    for i in trees {
        taken += slow_tree(model, state, work, i, share);
    }
    work.book.post(Account::Numerical, (share * share - 1.0) * relative);
    let lost = (1.0 - share * share) * relative;
    work.slowed.islands += 1;
    work.slowed.taken += lost;
    if let Frame::Driver { .. } = frame {
        // The driver holds the rest of the change of momentum.
        work.book.post(Account::Driver, (share - 1.0) * taken);
    }
    let left = gain - lost;
    if left > ROUND_OFF * size { left - put_back(state, work, part, left) } else { left }
}

/// Moves bodies that have no motion left to give back along their way of this step, until what they gained is gone, or they are where they
/// began; returns what that took [J]. The sweep stops what falls while its neighbours are still lifted by it, and a push-out may lift a heap whose
/// sub-steps lost what its end velocities do not show: at rest both were gains of 1e-5 of the energy that the heap had fallen with. Where forces of
/// users, springs or a medium act, the way back would be theirs, too, and where a tree takes part it has gains of its own: nothing is moved.
fn put_back(state: &mut State, work: &mut IntegrateAccess, part: &Part, gain: f64) -> f64 {
    let members = part.members.iter().map(|&slot| slot as usize);
    let is_pushed = |slot: usize| state.force[slot] != Vec3::ZERO || state.torque[slot] != Vec3::ZERO;
    let has_forces =
        work.forces.applied.iter().any(|applied| part.members.binary_search(&applied.slot).is_ok());
    if has_forces || !part.trees.is_empty() || members.clone().any(is_pushed) {
        return 0.0;
    }
    let way = |slot: usize| work.displacement.free[slot].linear + work.solution.correction.free[slot].linear;
    let rise: f64 = members.clone().map(|slot| -work.bodies.numbers[slot].weight.dot(way(slot))).sum();
    if rise <= 0.0 {
        return 0.0;
    }
    let share = scalar::min(gain / rise, 1.0);
    for slot in members {
        let (numbers, back) = (&work.bodies.numbers[slot], way(slot) * share);
        let lowered = numbers.weight.dot(back);
        state.position[slot] -= back;
        work.measured.add(lowered);
        work.book.post(Account::Correction, lowered);
        work.book.widen(
            lowered.abs() * numbers.condition + numbers.weight_size * state.position[slot].length() / 64.0,
        );
    }
    share * rise
}

/// Leaves the share `share` of its own motion to a tree, as [`split_tree`] left it; returns what that takes from its momentum along the motion that is kept
/// [J].
fn slow_tree(model: &Model, state: &mut State, work: &mut IntegrateAccess, i: usize, share: f64) -> f64 {
    let tree = &model.trees[i];
    let TreeWork { own, end, scratch, answer, .. } = &mut work.trees[i];
    let v = &mut state.velocity.dof[model.dofs_of(i)];
    // ownᵀH V = (T(v) − T(V) − T(own)), V = v − own.
    answer.clear();
    answer.extend(v.iter().zip(&*own).map(|(v, own)| v - own));
    let twice = |x: &[f64], scratch: &mut TreeScratch| mass_matrix_quadratic(tree, end, x, scratch);
    let of_own = twice(own, scratch);
    let product = 0.5 * (twice(v, scratch) - twice(answer, scratch) - of_own);
    tree_bound::give_back(&mut state.tree_credits[i], 0.5 * (1.0 - share * share) * of_own);
    v.iter_mut().zip(&*own).for_each(|(v, own)| *v -= (1.0 - share) * own);
    let q = &state.coordinates[model.coordinates_of(i)];
    kinematics(tree, q, v, end);
    place_links(model, i, &work.trees[i].end, state);
    product
}

/// aᵀM b of one body [J].
fn product(
    numbers: &crate::bodies::BodyNumbers,
    orientation: huygens_math::Quat,
    a: &Twist,
    b: &Twist,
) -> f64 {
    let [x, y] = [a.angular, b.angular].map(|spin| orientation.conjugate() * spin);
    numbers.mass * a.linear.dot(b.linear) + x.dot(numbers.inertia * y)
}

fn frame(model: &Model, state: &State, work: &IntegrateAccess, part: &Part) -> Frame {
    let touches = |group: &u32| {
        let head = &work.problem.groups.heads[*group as usize];
        head.side.iter().any(|side| matches!(side, Side::Fixed | Side::Driven(_)))
    };
    if part.island.is_none() || part.groups.iter().any(touches) {
        return Frame::Rest;
    }
    free_frame(model, state, work, part)
}

/// The driver that an island touches, if it touches nothing else that it cannot move.
fn only_driver(work: &IntegrateAccess, part: &Part) -> Option<u32> {
    let mut driver = None;
    for &group in part.groups {
        for side in work.problem.groups.heads[group as usize].side {
            match side {
                Side::Fixed => return None,
                Side::Driven(i) if driver.is_some_and(|other| other != i) => return None,
                Side::Driven(i) => driver = Some(i),
                Side::Free(_) | Side::Tree(_) => {}
            }
        }
    }
    driver
}

/// True when a contact of these bodies with a driver has friction.
fn has_friction(work: &IntegrateAccess, part: &Part) -> bool {
    let groups = &work.problem.groups;
    part.groups.iter().map(|&group| &groups.heads[group as usize]).any(|head| {
        !groups.point_range(head).is_empty()
            && head.side.iter().any(|side| matches!(side, Side::Driven(_)))
            && groups.materials[head.material as usize].friction_static > 0.0
    })
}

/// The rigid motion with the momentum and the angular momentum of an island.
fn free_frame(model: &Model, state: &State, work: &IntegrateAccess, part: &Part) -> Frame {
    let slots = part.members.iter().map(|&slot| slot as usize);
    let is_locked = |slot: usize| {
        let body = &model.bodies[slot];
        body.lock_linear.contains(&true) || body.lock_angular.contains(&true)
    };
    let bodies = work.problem.graph.free_bodies();
    let trees = || part.trees.iter().map(|&movable| movable as usize - bodies);
    if slots.clone().any(is_locked) || !trees().all(|i| has_free_base(&model.trees[i])) {
        return Frame::Rest;
    }
    let (mut mass, mut centre, mut momentum) = (0.0, Vec3::ZERO, Vec3::ZERO);
    for slot in slots.clone() {
        let m = work.bodies.numbers[slot].mass;
        mass += m;
        centre += state.position[slot] * m;
        momentum += state.velocity.free[slot].linear * m;
    }
    let links = || {
        trees().flat_map(|i| {
            let (tree, end) = (&model.trees[i], &work.trees[i].end);
            (0..tree.links().len())
                .map(move |k| (tree.links()[k].mass, end.com[k], end.twist[k], end.inertia[k]))
        })
    };
    for (m, com, twist, _) in links() {
        mass += m;
        centre += com * m;
        momentum += twist.linear * m;
    }
    centre /= mass;
    let linear = momentum / mass;
    let (mut inertia, mut spin) = (Sym3::ZERO, Vec3::ZERO);
    for slot in slots {
        let (numbers, twist) = (&work.bodies.numbers[slot], &state.velocity.free[slot]);
        let (arm, rotation) = (state.position[slot] - centre, state.orientation[slot]);
        inertia = inertia + numbers.inertia.rotated(rotation) + Sym3::point_inertia(arm) * numbers.mass;
        spin += rotation * (numbers.inertia * (rotation.conjugate() * twist.angular));
        spin += arm.cross(twist.linear - linear) * numbers.mass;
    }
    for (m, com, twist, own) in links() {
        let arm = com - centre;
        inertia = inertia + own + Sym3::point_inertia(arm) * m;
        spin += own * twist.angular + arm.cross(twist.linear - linear) * m;
    }
    let angular = inertia.inverse().map_or(Vec3::ZERO, |inverse| inverse * spin);
    Frame::Free { centre, motion: Twist::new(linear, angular) }
}
