//! The summary and JSON of a finished robot's run in MuJoCo's pipeline.

use super::{CG, NEWTON};
use crate::json;
use crate::table::{duration, power, short};
use huygens::Fnv;
use huygens::contact::convex::Method;
use huygens_formats::json::{Object, number};
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::model::JointKind;
use huygens_formats::mjcf::soft::{ACCOUNTS, SoftMachine};
use huygens_formats::mjcf::{Model, body_name};
use std::fmt::Write;

/// The hash of a state, with the acceleration from which the next solve starts.
pub fn hash(state: &MechanismState, soft: &SoftMachine) -> u64 {
    let mut hash = Fnv::default();
    let numbers = state.qpos.iter().chain(&state.qvel).chain(&state.act);
    numbers.chain(&soft.work.warm).for_each(|x| hash.number(*x));
    hash.number(state.time);
    hash.value()
}

/// A run that came to its end.
pub struct Finished<'a> {
    pub name: &'a str,
    pub model: &'a Model,
    pub soft: &'a SoftMachine,
    pub state: &'a MechanismState,
    pub steps: u64,
    pub wall_seconds: f64,
    /// Hashes on the way, with their steps; `None` when nobody asked.
    pub hashes: Option<Vec<(u64, u64)>>,
}

fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|x| number(*x)).collect::<Vec<_>>().join(","))
}

impl Finished<'_> {
    fn solver(&self) -> &'static str {
        match self.soft.soft.solver.method {
            Method::Newton => NEWTON,
            Method::Cg => CG,
        }
    }

    fn ledger(&self) -> Vec<(&'static str, f64)> {
        let book = &self.soft.book;
        let mut list: Vec<_> = ACCOUNTS.into_iter().zip(book.accounts).collect();
        list.push(("unexplained", book.unexplained));
        list.push(("worst_step_unexplained", book.worst_step_unexplained));
        list
    }

    /// One JSON object.
    pub fn json(&self) -> String {
        let (soft, state, model) = (self.soft, self.state, self.model);
        let book = &soft.book;
        let mut o = Object::default();
        o.text("scene", self.name).text("solver", self.solver()).number("dt", model.options.timestep);
        o.integer("steps", self.steps).number("time", state.time).number("wall_seconds", self.wall_seconds);
        let mut energy = Object::default();
        energy.number("start", book.start.total()).number("end", book.end.total());
        o.raw("energy", &energy.finish());
        o.raw("ledger", &json::named(&self.ledger()));
        o.number("created", book.created());
        o.list("bodies", self.bodies());
        o.list("joints", self.joints());
        o.raw("drivers", "[]");
        let mut contacts = Object::default();
        let deepest =
            soft.contacts.iter().fold(0.0, |most: f64, c| if -c.dist > most { -c.dist } else { most });
        contacts.integer("count", soft.contacts.len() as u64);
        contacts.number("max_penetration", soft.max_penetration).number("max_penetration_end", deepest);
        o.raw("contacts", &contacts.finish());
        for (name, value) in super::readings(soft, state).members() {
            o.raw(name, &value);
        }
        o.raw("qacc", &list(&soft.forward.qacc));
        if let Some(report) = soft.report {
            let mut convex = Object::default();
            convex.integer("iterations", u64::from(report.iterations)).number("gradient", report.gradient);
            convex.integer("rows", soft.work.rows.len() as u64);
            o.raw("convex", &convex.finish());
        }
        if let Some(hashes) = &self.hashes {
            o.list("hashes", hashes.iter().map(json::hash_at));
        }
        o.text("hash", &format!("{:016x}", hash(self.state, self.soft)));
        o.list("warnings", model.warnings.iter().map(|w| huygens_formats::json::text(&w.as_warning())));
        o.finish()
    }

    /// Bodies that move, with the velocity of their centre of mass.
    fn bodies(&self) -> impl Iterator<Item = String> + '_ {
        let kin = &self.soft.forward.kin;
        let tree = &self.soft.machine.mechanism.tree;
        let moving = (1..self.model.bodies.len()).filter(|&link| tree.path(link).next().is_some());
        moving.map(move |link| {
            let (pose, twist) = (kin.world_from_link[link], kin.twist[link]);
            let q = pose.rotation;
            let mut o = Object::default();
            o.text("name", &body_name(self.model, link));
            o.numbers("position", pose.translation.to_array()).numbers("orientation", [q.w, q.x, q.y, q.z]);
            o.numbers("linear_velocity", twist.linear.to_array());
            o.numbers("angular_velocity", twist.angular.to_array());
            o.finish()
        })
    }

    fn joints(&self) -> impl Iterator<Item = String> + '_ {
        let single =
            self.model.joints.iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Slide));
        single.map(|joint| {
            let mut o = Object::default();
            o.text("name", &joint.name).number("q", self.state.qpos[joint.qpos]);
            o.number("v", self.state.qvel[joint.dof]);
            o.finish()
        })
    }

    /// A page for a person.
    pub fn page(&self) -> String {
        let mut page = String::new();
        let book = &self.soft.book;
        let dt = self.model.options.timestep;
        let _ = writeln!(
            page,
            "{} · {} · {} steps of {} = {}\n",
            self.name,
            self.solver(),
            self.steps,
            duration(dt),
            duration(self.state.time)
        );
        for joint in
            self.model.joints.iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Slide))
        {
            let (q, v) = (self.state.qpos[joint.qpos], self.state.qvel[joint.dof]);
            let _ = writeln!(page, "  {:<24}{:>14}{:>14}", joint.name, short(q), short(v));
        }
        let _ = writeln!(page, "\nenergy [J]\n  {:<14}{:>14}", "start", short(book.start.total()));
        for (name, x) in ACCOUNTS.into_iter().zip(book.accounts).filter(|(_, x)| *x != 0.0) {
            let _ = writeln!(page, "  {name:<14}{:>14}", short(x));
        }
        let _ = writeln!(page, "  {:<14}{:>14}", "end", short(book.end.total()));
        let (sum, worst) = (power(book.unexplained), power(book.worst_step_unexplained));
        let _ = writeln!(page, "  unexplained {sum} (worst step {worst})\n");
        let contacts = self.soft.contacts.len();
        let _ = writeln!(page, "{contacts} contacts, deepest overlap {} m", short(self.soft.max_penetration));
        for (step, hash) in self.hashes.iter().flatten() {
            let _ = writeln!(page, "hash       {hash:016x} after step {step}");
        }
        let _ = writeln!(page, "hash       {:016x}", hash(self.state, self.soft));
        page
    }
}
