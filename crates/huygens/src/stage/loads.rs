//! What the joints of a tree carry: the impulse and the angular impulse that each link gets from its parent in a step.
//!
//! From the momentum of the links at both ends of the step, less what gravity, users and contacts gave them, summed from the leaves to the
//! roots. Over the length of the step these are the mean force and torque, those of its middle up to second order. All moments are about
//! one point that stays where it is, so that nothing depends on a pose in between.

use super::tendon_rows;
use crate::model::{Model, Motion, TendonModel};
use crate::workspace::{ProblemData, TreeWork};
use huygens_contact::{GroupId, RangeEnd, Side, Solution};
use huygens_dynamics::{CablePart, CableStretch, Equality, cable_length};
use huygens_math::{Twist, Vec3};

/// What a step left.
pub(crate) struct StepEnd<'a> {
    pub model: &'a Model,
    pub problem: &'a ProblemData,
    pub solution: &'a Solution,
}

/// Impulses that the links of one tree get from their parents, with moments about `origin` [N·s, N·m·s].
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// By link: all that its parent gave it in the step.
    pub of_link: Vec<Twist>,
    /// By link: the part of the blow at the start of the step ([`TreeWork::blow`]).
    pub of_blow: Vec<Twist>,
    origin: Vec3,
    given: Vec<f64>,
    room: Vec<f64>,
}

impl Loads {
    /// A load with its moment about another point.
    pub(crate) fn about(&self, load: &Twist, point: Vec3) -> Twist {
        Twist::new(load.linear, load.angular - (point - self.origin).cross(load.linear))
    }

    /// Finds the loads of a tree at the end of a step.
    pub(crate) fn find(&mut self, step: &StepEnd, work: &TreeWork, i: usize) {
        let tree = &step.model.trees[i];
        let (start, end) = (&work.kick.start, &work.end);
        self.origin = start.com.first().copied().unwrap_or_default();
        for loads in [&mut self.of_link, &mut self.of_blow] {
            loads.clear();
            loads.resize(tree.links().len(), Twist::ZERO);
        }
        self.contacts(step, work, i);
        self.equalities(step, work, i);
        let (h, gravity) = (step.model.settings.dt, step.model.settings.gravity);
        for (k, link) in tree.links().iter().enumerate() {
            let momentum = |com: Vec3, twist: &Twist, spin: Vec3| {
                let linear = twist.linear * link.mass;
                Twist::new(linear, (com - self.origin).cross(linear) + spin)
            };
            let before = momentum(start.com[k], &start.twist[k], start.inertia[k] * start.twist[k].angular);
            let after = momentum(end.com[k], &end.twist[k], end.inertia[k] * end.twist[k].angular);
            if let Some(blow) = work.blow.get(k) {
                self.of_blow[k] = momentum(start.com[k], blow, start.inertia[k] * blow.angular);
            }
            let user = work.wrench.get(k).copied().unwrap_or_default();
            let force = (gravity * (link.mass * link.gravity_scale) + user.force) * h;
            let middle = (start.com[k] + end.com[k]) * 0.5;
            let smooth = Twist::new(force, (middle - self.origin).cross(force) + user.torque * h);
            self.of_link[k] = (after - before) + self.of_blow[k] - smooth - self.of_link[k];
        }
        for (k, link) in tree.links().iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let (load, blow) = (self.of_link[k], self.of_blow[k]);
                self.of_link[parent] += load;
                self.of_blow[parent] += blow;
            }
        }
    }

    /// Adds an impulse on a link at a point, and an angular one.
    fn push(&mut self, link: usize, impulse: Vec3, at: Vec3, turn: Vec3) {
        self.of_link[link] += Twist::new(impulse, (at - self.origin).cross(impulse) + turn);
    }

    /// Impulses of contacts and ropes on the links.
    fn contacts(&mut self, step: &StepEnd, work: &TreeWork, i: usize) {
        let StepEnd { model, problem, solution } = *step;
        let groups = problem.solve_groups();
        let link_of = |body: u32| match model.bodies[body as usize].motion {
            Motion::Link { tree, link } if tree as usize == i => Some(link as usize),
            _ => None,
        };
        for head in &groups.heads {
            if !head.side.contains(&Side::Tree(i as u32)) {
                continue;
            }
            match head.key.id() {
                GroupId::Contact { shapes, .. } => {
                    let links = shapes.map(|shape| link_of(model.shapes[shape as usize].body));
                    for (k, at) in head.range().enumerate() {
                        let point = &groups.points[at];
                        let impact = problem.impact.impulses.get(at).copied().unwrap_or_default();
                        let impulse = head.to_world(solution.impulses[at]) + impact;
                        let couple = head.couples();
                        let couple =
                            (!couple.is_empty()).then(|| solution.couples.get(couple.start + k)).flatten();
                        let turn = couple.map_or(Vec3::ZERO, |couple| head.to_world(*couple));
                        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                            if let Some(link) = links[side] {
                                let place = work.kick.start.com[link] + point.arm[side];
                                self.push(link, impulse * sign, place, turn * sign);
                            }
                        }
                    }
                }
                GroupId::Coupling { coupling } => {
                    let Some(rope) = model.ropes.get(coupling as usize) else { continue };
                    for at in head.range() {
                        let (row, p) = (&groups.rows[at], solution.rows[at]);
                        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                            if let Some(link) = rope.ends[side].body.and_then(link_of) {
                                let com = work.kick.start.com[link];
                                self.push(link, row.linear * (p * sign), com, row.angular[side] * p);
                            }
                        }
                    }
                }
                GroupId::JointLimit { joint, .. }
                | GroupId::JointFriction { joint }
                | GroupId::JointMotor { joint } => {
                    // Those of joints act between a link and its parent, through the joint itself.
                    if let Some((tendon, _)) = tendon_rows::of_number(model, joint) {
                        let is_high =
                            matches!(head.key.id(), GroupId::JointLimit { end: RangeEnd::High, .. });
                        let sign = if is_high { -1.0 } else { 1.0 };
                        let p: f64 = head.range().map(|at| sign * solution.rows[at]).sum();
                        self.tendon(&model.tendons[tendon], work, p);
                    }
                }
                GroupId::DriverMotor { .. } => {}
            }
        }
    }

    /// Impulses of a tendon on the links along its path; `p` makes it longer.
    fn tendon(&mut self, tendon: &TendonModel, work: &TreeWork, p: f64) {
        let kin = &work.kick.start;
        if tendon.parts.iter().any(|part| matches!(part, CablePart::Joint { .. })) {
            return;
        }
        let part = |k: usize| tendon.parts.get(k).copied();
        cable_length(
            part,
            |link| kin.world_from_link[link],
            &[],
            |stretch| {
                if let CableStretch::Segment { from, to, factor } = stretch {
                    let along = CableStretch::direction(from, to) * (p * factor);
                    for (point, impulse) in [(to, along), (from, -along)] {
                        if let Some(link) = point.link {
                            self.push(link, impulse, point.at, Vec3::ZERO);
                        }
                    }
                }
            },
        );
    }

    /// Impulses of welds and rods between links: those of the smooth motion, and their answer to contacts.
    fn equalities(&mut self, step: &StepEnd, work: &TreeWork, i: usize) {
        let tree = &step.model.trees[i];
        if tree.equalities().is_empty() {
            return;
        }
        self.answer_to_contacts(step, work, i);
        let total = |row: usize| {
            let smooth = work.kick.equality_impulse.get(row).copied().unwrap_or(0.0);
            smooth - self.room.get(row).copied().unwrap_or(0.0)
        };
        let (start, mut first, mut pushes) = (&work.kick.start, 0, Vec::new());
        for equality in tree.equalities() {
            let row = first;
            first += equality.rows();
            match *equality {
                Equality::Weld { links } => {
                    let impulse = Vec3::new(total(row), total(row + 1), total(row + 2));
                    let turn = Vec3::new(total(row + 3), total(row + 4), total(row + 5));
                    for (link, sign) in links.into_iter().zip([1.0, -1.0]) {
                        pushes.push((link, impulse * sign, start.com[link], turn * sign));
                    }
                }
                Equality::Distance { links, points, .. } => {
                    let places = [0, 1].map(|k: usize| {
                        links[k].map_or(points[k], |link| start.world_from_link[link].transform(points[k]))
                    });
                    let along = (places[0] - places[1]).normalize_or_zero() * total(row);
                    for k in 0..2 {
                        if let Some(link) = links[k] {
                            let sign = if k == 0 { 1.0 } else { -1.0 };
                            pushes.push((link, along * sign, places[k], Vec3::ZERO));
                        }
                    }
                }
                // Through the joints themselves.
                Equality::Polynomial { .. } | Equality::Rate { .. } => {}
            }
        }
        for (link, impulse, at, turn) in pushes {
            self.push(link, impulse, at, turn);
        }
    }

    /// Leaves in `room` the impulse of each row of the equalities that contacts and rows of joints asked for, with the opposite sign.
    fn answer_to_contacts(&mut self, step: &StepEnd, work: &TreeWork, i: usize) {
        let StepEnd { model, problem, solution } = *step;
        let block = &problem.inertia.trees[i];
        self.given.clear();
        self.given.resize(block.ldl.len(), 0.0);
        for (link, load) in self.of_link.iter().enumerate().filter(|(_, load)| **load != Twist::ZERO) {
            let com = work.kick.start.com[link];
            let load = self.about(load, com);
            for dof in model.trees[i].path(link) {
                let axis = &work.kick.start.axis[dof];
                self.given[dof] += axis.at(com).dot(load.linear) + axis.angular.dot(load.angular);
            }
        }
        let groups = problem.solve_groups();
        for head in groups.heads.iter().filter(|head| head.side[0] == Side::Tree(i as u32)) {
            let (joint, sign) = match head.key.id() {
                GroupId::JointLimit { joint, end: RangeEnd::High } => (joint, -1.0),
                GroupId::JointLimit { joint, .. }
                | GroupId::JointFriction { joint }
                | GroupId::JointMotor { joint } => (joint, 1.0),
                _ => continue,
            };
            let Some(dof) = model.joint_dofs.get(joint as usize) else { continue };
            let dof = (dof.dof - block.first_dof) as usize;
            self.given[dof] += sign * head.range().map(|at| solution.rows[at]).sum::<f64>();
        }
        block.ldl.solve(&mut self.given);
        block.equalities.project(&mut self.given, &mut self.room);
    }
}
