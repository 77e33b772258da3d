//! What `huygens inspect` tells of a model: sizes, names, and all quantities at a state, in MuJoCo's layout.

use super::error::Fault;
use super::mech::{Forward, Integration, MechanismState, forward, sense, step};
use super::mechanism::Machine;
use super::model::{JointKind, Model};
use super::soft::{SoftContact, SoftMachine};
use crate::json::{self, Object};
use std::fmt::Write;

/// What was computed at a state, and after some steps.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The state at which everything was computed.
    pub state: MechanismState,
    /// What was computed there.
    pub forward: Forward,
    /// Values of each sensor.
    pub sensors: Vec<Vec<f64>>,
    /// The state after the steps that were asked for.
    pub after: Option<MechanismState>,
    /// Contacts and rows at the state; `None` when constraints were left out.
    pub soft: Option<Box<SoftMachine>>,
}

/// What is asked of [`inspect_constrained`].
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Contacts in the place of those that the geoms make.
    pub contacts: Option<Vec<SoftContact>>,
    /// The acceleration from which the solver starts; empty: zeros.
    pub warm: Vec<f64>,
    /// Equalities that are active, in the model's order; `None`: as the file says.
    pub active: Option<Vec<bool>>,
    /// Steps to move a copy of the state.
    pub steps: usize,
    /// Another integrator than the file's.
    pub integration: Option<Integration>,
}

/// Computes everything at `state`, contacts, limits, dry friction and equalities included, and moves a copy of it by some steps.
///
/// # Errors
/// When a dof moves no mass.
pub fn inspect_constrained(
    model: &Model,
    machine: &Machine,
    state: &MechanismState,
    question: &Question,
) -> Result<Inspection, Fault> {
    let mut soft = SoftMachine::new(model, machine.clone())?;
    if let Some(integration) = question.integration {
        soft.machine.mechanism.integration = integration;
    }
    if let Some(active) = &question.active {
        soft.soft.set_active(active);
    }
    soft.work.warm.clone_from(&question.warm);
    let after = (question.steps > 0).then(|| {
        let (mut moving, mut state) = (soft.clone(), state.clone());
        for _ in 0..question.steps {
            if !moving.step(&mut state) {
                break;
            }
        }
        state
    });
    soft.evaluate(state, question.contacts.as_deref());
    let found = soft.forward.clone();
    let sensors = soft.sensors.clone();
    Ok(Inspection { state: state.clone(), forward: found, sensors, after, soft: Some(Box::new(soft)) })
}

/// Computes everything at `state`, and moves a copy of it by `steps` steps without constraints.
pub fn inspect(
    machine: &Machine,
    state: &MechanismState,
    steps: usize,
    integration: Option<Integration>,
) -> Inspection {
    let m = &machine.mechanism;
    let mut found = Forward::default();
    forward(m, state, &mut found);
    let sensors = sense(m, state, &found, &found.qacc_smooth, &machine.sensors);
    let after = (steps > 0).then(|| {
        let mut moving = m.clone();
        moving.integration = integration.unwrap_or(m.integration);
        let mut state = state.clone();
        let mut work = Forward::default();
        for _ in 0..steps {
            if !step(&moving, &mut state, &mut work) {
                break;
            }
        }
        state
    });
    Inspection { state: state.clone(), forward: found, sensors, after, soft: None }
}

pub(super) fn list(values: &[f64]) -> String {
    let mut text = String::from("[");
    for (i, x) in values.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        text.push_str(&json::number(*x));
    }
    text + "]"
}

fn names<'m>(list: impl Iterator<Item = &'m str>) -> String {
    format!("[{}]", list.map(json::text).collect::<Vec<_>>().join(","))
}

fn state_json(state: &MechanismState) -> String {
    let mut o = Object::default();
    o.number("time", state.time);
    for (name, values) in
        [("qpos", &state.qpos), ("qvel", &state.qvel), ("act", &state.act), ("ctrl", &state.ctrl)]
    {
        o.raw(name, &list(values));
    }
    o.finish()
}

impl Inspection {
    /// One JSON object.
    pub fn json(&self, model: &Model) -> String {
        let f = &self.forward;
        let n = model.nv;
        let mut o = Object::default();
        for (name, size) in sizes(model) {
            o.integer(name, size as u64);
        }
        o.raw("names", &names_json(model));
        o.number("time", self.state.time);
        o.raw("qpos", &list(&self.state.qpos));
        o.raw("qvel", &list(&self.state.qvel));
        o.raw("act", &list(&self.state.act));
        o.raw("ctrl", &list(&self.state.ctrl));
        let rows: Vec<String> = f.mass.chunks(n.max(1)).map(list).collect();
        o.raw("M", &format!("[{}]", rows.join(",")));
        o.raw("bias", &list(&f.bias));
        o.raw("passive", &list(&f.passive));
        o.raw("actuator", &list(&f.actuator));
        o.raw("actuator_length", &list(&f.actuator_length));
        o.raw("actuator_force", &list(&f.actuator_force));
        o.raw("tendon_length", &list(&f.tendon_length));
        o.raw("qacc_smooth", &list(&f.qacc_smooth));
        if let Some(soft) = &self.soft {
            o.list("contacts", soft.contacts.iter().map(|c| contact_json(model, c)));
            o.raw("rows", &rows_json(soft, n));
            let constraint: Vec<f64> =
                f.force.iter().zip(&f.smooth).map(|(all, smooth)| all - smooth).collect();
            o.raw("constraint", &list(&constraint));
            o.raw("qacc", &list(&f.qacc));
            if let Some(report) = soft.report {
                let mut solver = Object::default();
                solver.integer("iterations", u64::from(report.iterations));
                solver.integer("islands", u64::from(report.islands));
                solver.number("gradient", report.gradient).number("cost", report.cost);
                solver.text("stopped", &format!("{:?}", report.stopped));
                o.raw("solver", &solver.finish());
            }
        }
        let masses: Vec<f64> = model.bodies.iter().map(|b| b.mass).collect();
        let inertias: Vec<f64> = model.bodies.iter().flat_map(|b| b.inertia.to_array()).collect();
        o.raw("body_mass", &list(&masses));
        o.raw("body_inertia", &list(&inertias));
        // Frames of the bodies in the world, and their centres of mass there.
        let quat = |q: huygens_math::Quat| [q.w, q.x, q.y, q.z];
        let poses = || f.kin.world_from_link.iter();
        o.raw("xpos", &list(&poses().flat_map(|pose| pose.translation.to_array()).collect::<Vec<_>>()));
        o.raw("xquat", &list(&poses().flat_map(|pose| quat(pose.rotation)).collect::<Vec<_>>()));
        o.raw("xipos", &list(&f.kin.com.iter().flat_map(|com| com.to_array()).collect::<Vec<_>>()));
        let mut sensors = Object::default();
        for (i, values) in self.sensors.iter().enumerate() {
            sensors.raw(&sensor_name(model, i), &list(values));
        }
        o.raw("sensors", &sensors.finish());
        let computed = if self.soft.is_some() { Computed::Constrained } else { Computed::Smooth };
        let quiet = (0..model.sensors.len()).filter(|&i| is_silent(model, i, computed));
        let quiet: Vec<f64> = quiet.map(|i| i as f64).collect();
        o.raw("sensors_not_computed", &list(&quiet));
        o.list("warnings", model.warnings.iter().map(|w| json::text(&w.as_warning())));
        if let Some(after) = &self.after {
            o.raw("after", &state_json(after));
        }
        o.finish()
    }

    /// A page for a person.
    pub fn page(&self, model: &Model) -> String {
        let mut page = String::new();
        let _ = writeln!(page, "{}", model.name);
        let shown: Vec<String> = sizes(model).iter().map(|(name, size)| format!("{name} {size}")).collect();
        let _ = writeln!(page, "{}\n", shown.join("  "));
        let total: f64 = model.bodies.iter().map(|b| b.mass).sum();
        let _ = writeln!(page, "{total:.4} kg in {} bodies", model.bodies.len() - 1);
        for (i, _) in model.bodies.iter().enumerate().filter(|(i, b)| *i > 0 && b.parent == 0) {
            branch(model, i, 1, &mut page);
        }
        for actuator in &model.actuators {
            let _ = writeln!(
                page,
                "actuator {:?} on {:?}, gear {}",
                actuator.name, actuator.transmission, actuator.gear[0]
            );
        }
        let strange = unusual(model);
        if !strange.is_empty() {
            let _ = writeln!(page, "\nunusual:");
            strange.iter().for_each(|line| {
                let _ = writeln!(page, "  {line}");
            });
        }
        page
    }
}

fn contact_json(model: &Model, c: &SoftContact) -> String {
    let mut o = Object::default();
    o.raw("geom", &list(&c.geoms.map(|g| g as f64)));
    o.raw("geom_names", &names(c.geoms.iter().map(|&g| model.geoms[g].name.as_str())));
    o.number("dist", c.dist).numbers("pos", c.pos.to_array());
    o.raw("frame", &list(&c.frame.map(|axis| axis.to_array()).concat()));
    o.integer("dim", c.dim as u64).numbers("friction", c.friction);
    o.numbers("solref", c.softness.solref).numbers("solimp", c.softness.solimp);
    o.numbers("solreffriction", c.solreffriction).number("includemargin", c.margin);
    o.finish()
}

fn rows_json(soft: &SoftMachine, n: usize) -> String {
    let (rows, info) = (&soft.work.rows, &soft.work.info);
    let of = |value: &dyn Fn(usize) -> f64| list(&(0..rows.len()).map(value).collect::<Vec<f64>>());
    let mut o = Object::default();
    o.integer("count", rows.len() as u64);
    o.raw("type", &names(info.iter().map(|i| i.kind.word())));
    o.raw("id", &of(&|i| info[i].id as f64));
    o.raw("pos", &of(&|i| info[i].pos));
    o.raw("margin", &of(&|i| info[i].margin));
    o.raw("vel", &of(&|i| info[i].vel));
    o.raw("aref", &list(&rows.aref));
    o.raw("R", &list(&rows.r));
    o.raw("D", &of(&|i| 1.0 / rows.r[i]));
    o.raw("force", &list(&soft.work.solution.force));
    let mut dense = Vec::with_capacity(rows.len());
    for block in &rows.blocks {
        for row in 0..block.rows {
            let mut j = vec![0.0; n];
            let columns = rows.columns_of(block);
            columns.iter().zip(rows.row_of(block, row)).for_each(|(&dof, x)| j[dof] = *x);
            dense.push(list(&j));
        }
    }
    o.raw("J", &format!("[{}]", dense.join(",")));
    o.finish()
}

/// The name of a body; of one without, its number.
pub fn body_name(model: &Model, link: usize) -> String {
    let name = &model.bodies[link].name;
    if name.is_empty() { format!("body {link}") } else { name.clone() }
}

/// The name of a sensor; of one without, its kind and number.
pub(super) fn sensor_name(model: &Model, i: usize) -> String {
    let sensor = &model.sensors[i];
    if sensor.name.is_empty() { format!("{}#{i}", sensor.kind) } else { sensor.name.clone() }
}

/// How much of a model was computed, on which depends what its sensors can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    /// Everything but constraints in MuJoCo's terms.
    Smooth,
    /// Constraints too.
    Constrained,
}

/// True for a sensor that tells zeros because what it looks at was not computed.
pub(super) fn is_silent(model: &Model, i: usize, computed: Computed) -> bool {
    let sensor = &model.sensors[i];
    let needs_constraints = matches!(
        sensor.kind.as_str(),
        "touch"
            | "jointlimitpos"
            | "jointlimitvel"
            | "jointlimitfrc"
            | "tendonlimitpos"
            | "tendonlimitvel"
            | "tendonlimitfrc"
            | "e_potential"
            | "rangefinder"
            | "insidesite"
            | "distance"
            | "normal"
            | "fromto"
            | "contact"
    );
    sensor.unknown || (needs_constraints && computed == Computed::Smooth)
}

fn sizes(model: &Model) -> [(&'static str, usize); 14] {
    [
        ("nq", model.nq),
        ("nv", model.nv),
        ("nu", model.nu),
        ("na", model.na),
        ("nbody", model.bodies.len()),
        ("njnt", model.joints.len()),
        ("ngeom", model.geoms.len()),
        ("nsite", model.sites.len()),
        ("nmesh", model.meshes.len()),
        ("neq", model.equalities.len()),
        ("ntendon", model.tendons.len()),
        ("nsensor", model.sensors.len()),
        ("nkey", model.keys.len()),
        ("nmocap", model.nmocap),
    ]
}

fn names_json(model: &Model) -> String {
    let mut o = Object::default();
    o.raw("body", &names(model.bodies.iter().map(|x| x.name.as_str())));
    o.raw("joint", &names(model.joints.iter().map(|x| x.name.as_str())));
    o.raw("geom", &names(model.geoms.iter().map(|x| x.name.as_str())));
    o.raw("site", &names(model.sites.iter().map(|x| x.name.as_str())));
    o.raw("tendon", &names(model.tendons.iter().map(|x| x.name.as_str())));
    o.raw("actuator", &names(model.actuators.iter().map(|x| x.name.as_str())));
    o.raw("sensor", &names(model.sensors.iter().map(|x| x.name.as_str())));
    o.raw("key", &names(model.keys.iter().map(|x| x.name.as_str())));
    o.finish()
}

fn branch(model: &Model, id: usize, depth: usize, page: &mut String) {
    let body = &model.bodies[id];
    let name = body_name(model, id);
    let joints: Vec<String> = model.joints[body.joints.clone()]
        .iter()
        .map(|j| {
            let kind = match j.kind {
                JointKind::Free => "free",
                JointKind::Ball => "ball",
                JointKind::Slide => "slide",
                JointKind::Hinge => "hinge",
            };
            let range =
                if j.limited { format!(" [{:.3}, {:.3}]", j.range[0], j.range[1]) } else { String::new() };
            format!("{kind} {:?}{range}", j.name)
        })
        .collect();
    let geoms = body.geoms.len();
    let _ = writeln!(
        page,
        "{}{name}: {:.4} kg, {geoms} geoms  {}",
        "  ".repeat(depth),
        body.mass,
        joints.join(", ")
    );
    for (child, _) in model.bodies.iter().enumerate().filter(|(i, b)| *i > 0 && b.parent == id && *i != id) {
        branch(model, child, depth + 1, page);
    }
}

/// What a person should look at.
fn unusual(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    for body in model.bodies.iter().skip(1) {
        if !body.joints.is_empty() && body.mass == 0.0 {
            lines.push(format!("body {:?} moves and has no mass", body.name));
        }
    }
    for joint in model.joints.iter().filter(|j| j.limited) {
        if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            let q = model.qpos0[joint.qpos];
            if q < joint.range[0] || q > joint.range[1] {
                let [low, high] = joint.range;
                lines.push(format!(
                    "joint {:?} starts at {q:.4}, outside of [{low:.4}, {high:.4}]",
                    joint.name
                ));
            }
        }
    }
    lines
}
