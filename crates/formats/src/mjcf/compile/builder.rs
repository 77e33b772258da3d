//! The parts of a model, in the order in which they need each other.

use super::super::attributes::Element;
use super::super::error::{Fault, Place};
use super::super::model::{Body, JointKind, Key, Model};
use super::super::xml::{Attribute, Files, Node};
use super::{Scope, actuator, asset, body, contact, option, sensor, tendon};
use huygens::scene::suggest;
use huygens_math::{Pose, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Ids by name, for one kind of element.
#[derive(Debug, Default)]
pub(super) struct Names {
    ids: BTreeMap<String, usize>,
}

impl Names {
    /// Takes a name for the id; an empty one is none.
    pub fn add(&mut self, name: &str, id: usize, node: &Node) -> Result<(), Fault> {
        if !name.is_empty() && self.ids.insert(name.to_owned(), id).is_some() {
            let message = format!("the name {name:?} is there twice");
            return Err(Fault::at(&node.place, message, "Give one of them another name."));
        }
        Ok(())
    }

    /// The id of the name that an attribute holds.
    pub fn find(&self, name: &Attribute, what: &str) -> Result<usize, Fault> {
        self.ids.get(&name.value).copied().ok_or_else(|| {
            let known: Vec<&str> = self.ids.keys().map(String::as_str).collect();
            let message = format!("there is no {what} {:?}", name.value);
            Fault::at(&name.place, message, suggest(&name.value, known))
        })
    }
}

/// A model that is being built.
pub(super) struct Builder<'s> {
    pub scopes: &'s [Scope],
    pub files: &'s Files,
    pub model: Model,
    pub bodies: Names,
    pub joints: Names,
    pub geoms: Names,
    pub sites: Names,
    pub cameras: Names,
    pub meshes: Names,
    pub hfields: Names,
    pub tendons: Names,
    pub actuators: Names,
    warned: BTreeSet<String>,
}

impl Builder<'_> {
    /// Says once, at the first place, that something is known but not done.
    pub fn warn(&mut self, place: &Place, what: &str, effect: &str) {
        if self.warned.insert(what.to_owned()) {
            self.model.warnings.push(Fault::at(place, what, effect));
        }
    }

    /// Warns of an attribute that is known but not done, when it is there and not `neutral`.
    pub fn leave_aside(&mut self, e: &Element<'_>, name: &str, neutral: &[&str], effect: &str) {
        if let Some(attribute) = e.get(name).filter(|a| !neutral.contains(&a.value.trim())) {
            self.warn(&attribute.place, &format!("`{name}` of <{}> is left aside", e.node.tag), effect);
        }
    }
}

/// The name that an element has, or none.
pub(super) fn name_of(node: &Node) -> String {
    node.own("name").map(|a| a.value.clone()).unwrap_or_default()
}

/// Compiles the expanded tree of a model.
pub(in super::super) fn compile(root: &Node, scopes: &[Scope], files: &Files) -> Result<Model, Fault> {
    let options = option::read(root)?;
    let world = Body {
        name: "world".to_owned(),
        parent: 0,
        pose: Pose::IDENTITY,
        inertial: Pose::IDENTITY,
        mass: 0.0,
        inertia: Vec3::ZERO,
        mocap: None,
        gravcomp: 0.0,
        joints: 0..0,
        geoms: 0..0,
        sites: 0..0,
    };
    let model = Model {
        name: root.own("model").map_or_else(|| "MuJoCo Model".to_owned(), |a| a.value.clone()),
        options,
        lengthrange: option::lengthrange(root)?,
        bodies: vec![world],
        joints: Vec::new(),
        geoms: Vec::new(),
        sites: Vec::new(),
        cameras: Vec::new(),
        meshes: Vec::new(),
        hfields: Vec::new(),
        pairs: Vec::new(),
        excludes: Vec::new(),
        equalities: Vec::new(),
        tendons: Vec::new(),
        actuators: Vec::new(),
        sensors: Vec::new(),
        keys: Vec::new(),
        nq: 0,
        nv: 0,
        na: 0,
        nu: 0,
        nmocap: 0,
        qpos0: Vec::new(),
        warnings: Vec::new(),
    };
    let mut b = Builder {
        scopes,
        files,
        model,
        bodies: Names::default(),
        joints: Names::default(),
        geoms: Names::default(),
        sites: Names::default(),
        cameras: Names::default(),
        meshes: Names::default(),
        hfields: Names::default(),
        tendons: Names::default(),
        actuators: Names::default(),
        warned: BTreeSet::new(),
    };
    not_done(&mut b, root);
    outside_of_the_world(&mut b, root);
    option::warn(&mut b, root)?;
    asset::read(&mut b, root)?;
    body::world(&mut b, root)?;
    body::total_mass(&mut b);
    layout(&mut b.model);
    contact::read(&mut b, root)?;
    tendon::read(&mut b, root)?;
    contact::equalities(&mut b, root)?;
    actuator::read(&mut b, root)?;
    sensor::read(&mut b, root)?;
    keys(&mut b, root)?;
    Ok(b.model)
}

/// Whole elements that are known but not done.
fn not_done(b: &mut Builder<'_>, node: &Node) {
    let effect = match node.tag.as_str() {
        "flexcomp" | "flex" => {
            "Its bodies, masses and forces are missing: the model has fewer dofs than in MuJoCo."
        }
        "skin" => "It is a picture only: nothing changes.",
        "plugin" if node.own("plugin").is_some() || node.own("instance").is_some() => {
            "What the plugin computes is missing: forces, sensor values or the shape of a geom."
        }
        "flexstrain" => "The equality is missing.",
        _ => "",
    };
    if !effect.is_empty() {
        b.warn(&node.place, &format!("<{}> is not done", node.tag), effect);
    }
    for child in &node.children {
        not_done(b, child);
    }
}

/// Bodies beside `<worldbody>`: MuJoCo reads them and leaves them out.
fn outside_of_the_world(b: &mut Builder<'_>, root: &Node) {
    for node in root.all("body") {
        b.warn(&node.place, "a <body> outside of <worldbody>", "It is no part of the model.");
    }
}

/// Addresses of joints in qpos and qvel, and the coordinates as drawn.
fn layout(model: &mut Model) {
    for joint in &mut model.joints {
        joint.qpos = model.nq;
        joint.dof = model.nv;
        let [nq, nv] = joint.kind.sizes();
        model.nq += nq;
        model.nv += nv;
        match joint.kind {
            JointKind::Free => {
                let Pose { rotation: r, translation: t } = model.bodies[joint.body].pose;
                model.qpos0.extend([t.x, t.y, t.z, r.w, r.x, r.y, r.z]);
            }
            JointKind::Ball => model.qpos0.extend([1.0, 0.0, 0.0, 0.0]),
            JointKind::Slide | JointKind::Hinge => model.qpos0.push(joint.reference),
        }
    }
}

fn keys(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("keyframe").flat_map(|k| k.all("key")) {
        let e = Element::plain(node);
        let m = &b.model;
        let list = |name: &str, default: Vec<f64>| -> Result<Vec<f64>, Fault> {
            let Some(found) = e.list(name)? else { return Ok(default) };
            if found.len() != default.len() {
                let message =
                    format!("`{name}` has {} numbers; the model has {}", found.len(), default.len());
                return Err(Fault::at(&e.needed(name)?.place, message, "Write a number for each."));
            }
            Ok(found)
        };
        let mocap = m.bodies.iter().filter(|body| body.mocap.is_some()).map(|body| body.pose);
        let mpos = mocap.clone().flat_map(|p| p.translation.to_array()).collect();
        let mquat = mocap.flat_map(|p| [p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z]).collect();
        let mut key = Key {
            name: name_of(node),
            time: e.real("time", 0.0)?,
            qpos: list("qpos", m.qpos0.clone())?,
            qvel: list("qvel", vec![0.0; m.nv])?,
            act: list("act", vec![0.0; m.na])?,
            ctrl: list("ctrl", vec![0.0; m.nu])?,
            mpos: list("mpos", mpos)?,
            mquat: list("mquat", mquat)?,
        };
        normalise_quats(m, &mut key.qpos);
        b.model.keys.push(key);
    }
    pad_keys(b, root)
}

/// `<size nkey>` asks for more keyframes than are written; they are the start.
fn pad_keys(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    const MOST: i64 = 10_000;
    let mut wanted = 0;
    for node in root.all("size") {
        wanted = Element::plain(node).int("nkey", wanted)?;
    }
    let m = &b.model;
    let mocap: Vec<Pose> =
        m.bodies.iter().filter(|body| body.mocap.is_some()).map(|body| body.pose).collect();
    let start = Key {
        name: String::new(),
        time: 0.0,
        qpos: m.qpos0.clone(),
        qvel: vec![0.0; m.nv],
        act: vec![0.0; m.na],
        ctrl: vec![0.0; m.nu],
        mpos: mocap.iter().flat_map(|p| p.translation.to_array()).collect(),
        mquat: mocap.iter().flat_map(|p| [p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z]).collect(),
    };
    while (b.model.keys.len() as i64) < wanted.min(MOST) {
        b.model.keys.push(start.clone());
    }
    Ok(())
}

/// Quaternions of a keyframe have unit length.
fn normalise_quats(model: &Model, qpos: &mut [f64]) {
    for joint in &model.joints {
        let at = match joint.kind {
            JointKind::Free => joint.qpos + 3,
            JointKind::Ball => joint.qpos,
            _ => continue,
        };
        let length = qpos[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-15 {
            qpos[at..at + 4].iter_mut().for_each(|x| *x /= length);
        }
    }
}
