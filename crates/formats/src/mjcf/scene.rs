//! From a model to a scene that the engine steps.
//!
//! Bodies without joints become part of what they are fixed to. A body with several joints gets bodies between them, of a billionth of its
//! mass: a scene has one joint a body. Contact masks are exact: shapes with the same masks share a layer, and
//! joints that let everything move keep excluded bodies apart. Joints have their springs,
//! dampers and dry friction, equalities are couplings; what else acts is put on the world from outside ([`super::SceneRobot`]).

use super::error::Fault;
use super::inspect::{Computed, is_silent, sensor_name};
use super::mech::{Forward, Mechanism, MechanismState, Transmission, forward};
use super::mechanism::{Machine, actuator_share};
use super::model::Softness;
use super::model::{Geom, GeomKind, Joint as ModelJoint, JointKind, Model};
use huygens::scene::{
    Body, Combine, Cone, HeightSource, HullSource, Joint, JointKind as SceneJoint, JointSpring, Motion,
    Scene, Shape, ShapeKind,
};
use huygens_math::{Pose, Sym3, Vec2, Vec3, scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Share of a body's mass that each body between its joints has.
const BETWEEN: f64 = 1e-9;
/// Layers of a scene.
const LAYERS: usize = 32;

/// A scene, and what of the model it cannot say.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The scene.
    pub scene: Scene,
    /// What is left aside, a line each.
    pub left_aside: Vec<String>,
    /// Where each joint of the model is in the scene.
    pub joints: Vec<JointPlace>,
    /// Name of the scene's body that carries each body of the model; none where nothing moves it.
    pub owners: Vec<Option<String>>,
    /// Centre of mass of that body in its own frame [m].
    pub centres: Vec<Vec3>,
    /// The mechanism without what the scene's joints do by themselves.
    pub outside: Mechanism,
    /// The state in which the scene begins.
    pub start: MechanismState,
}

/// Where a joint of the model is in the scene.
#[derive(Clone, Debug)]
pub struct JointPlace {
    /// Name of the scene's joint; none for a free body.
    pub joint: Option<String>,
    /// Name of the body that it carries.
    pub child: String,
    /// Name of the body that carries it; none for the world.
    pub parent: Option<String>,
}

/// Makes a scene of a model at a state.
///
/// # Errors
/// When the model has no mass where it moves.
pub fn scene(model: &Model, machine: &Machine, state: &MechanismState) -> Result<Converted, Fault> {
    let mut inside = state.clone();
    let moved = into_limits(model, &mut inside.qpos);
    let state = &inside;
    let mut placed = Forward::default();
    if !forward(&machine.mechanism, state, &mut placed) {
        return Err(Fault::of_file("a dof moves no mass", "Give every moving body a mass and an inertia."));
    }
    let mut c = Conversion {
        model,
        state,
        placed: &placed,
        owner: owners(model),
        names: names(model),
        drawn: Vec::new(),
        joint_names: vec![String::new(); model.joints.len()],
        places: Vec::new(),
        centres: vec![Vec3::ZERO; model.bodies.len()],
        outside: machine.mechanism.clone(),
        scene: Scene::default(),
        left_aside: BTreeSet::new(),
    };
    if state.qpos != model.qpos0 {
        let mut drawn = Forward::default();
        forward(&machine.mechanism, &machine.start(), &mut drawn);
        c.drawn = drawn.kin.world_from_link;
    }
    c.outside.gravity_compensation.fill(0.0);
    c.scene.world.gravity = if model.options.on("gravity") { model.options.gravity } else { Vec3::ZERO };
    c.scene.world.dt = model.options.timestep;
    c.scene.world.combine = Combine::Max;
    if !moved.is_empty() {
        c.note(format!("a start outside of the limits: at the nearest end start {}", moved.join(", ")));
    }
    c.bodies();
    c.equalities();
    c.layers();
    c.exclusions();
    c.say_what_is_left();
    let owner = |id: &usize| (!model.bodies[*id].joints.is_empty()).then(|| c.names[*id].clone());
    Ok(Converted {
        owners: c.owner.iter().map(owner).collect(),
        centres: c.owner.iter().map(|id| c.centres[*id]).collect(),
        scene: c.scene,
        left_aside: c.left_aside.into_iter().collect(),
        joints: c.places,
        outside: c.outside,
        start: inside,
    })
}

/// Gives a scene the convex model of an MJCF file: solver, cone, impratio, no-slip sweeps, and the softness that its geoms share. Returns a line on
/// what it cannot say.
pub fn choose_convex(model: &Model, scene: &mut Scene) -> Option<String> {
    let o = &model.options;
    scene.world.solver = if o.solver == "CG" { "convex/cg" } else { "convex/newton" }.to_owned();
    let convex = &mut scene.world.convex;
    convex.cone = o.elliptic.then_some(Cone::Elliptic);
    convex.impratio = (o.impratio != 1.0).then_some(o.impratio);
    convex.noslip_iterations = u32::try_from(o.noslip_iterations.max(0)).unwrap_or(u32::MAX);
    convex.refsafe = (!o.on("refsafe")).then_some(false);
    let mut touching = model.geoms.iter().filter(|geom| geom.contype | geom.conaffinity != 0);
    let first = touching.next().map_or(Softness::default(), |geom| geom.softness);
    if touching.any(|geom| geom.softness != first) {
        return Some("solref and solimp of geoms, which differ: all contacts have the default".to_owned());
    }
    let plain = Softness::default();
    convex.solref = (first.solref != plain.solref).then_some(first.solref);
    convex.solimp = (first.solimp != plain.solimp).then_some(first.solimp);
    None
}

/// Moves joints that stand outside of their limits to the nearest end; returns their names.
fn into_limits(model: &Model, qpos: &mut [f64]) -> Vec<String> {
    let mut moved = Vec::new();
    for joint in
        model.joints.iter().filter(|j| j.limited && matches!(j.kind, JointKind::Hinge | JointKind::Slide))
    {
        let inside = scalar::clamp(qpos[joint.qpos], joint.range[0], joint.range[1]);
        if inside != qpos[joint.qpos] {
            qpos[joint.qpos] = inside;
            moved.push(joint.name.clone());
        }
    }
    moved
}

pub(super) struct Conversion<'m> {
    pub model: &'m Model,
    pub state: &'m MechanismState,
    pub placed: &'m Forward,
    /// The body that each body is fixed to, or itself; 0 is the world.
    pub owner: Vec<usize>,
    pub names: Vec<String>,
    /// Poses of all bodies as drawn; empty when the scene begins so.
    pub drawn: Vec<Pose>,
    /// Name of the scene's joint for each joint; empty for a free one.
    pub joint_names: Vec<String>,
    places: Vec<JointPlace>,
    centres: Vec<Vec3>,
    outside: Mechanism,
    pub scene: Scene,
    left_aside: BTreeSet<String>,
}

fn owners(model: &Model) -> Vec<usize> {
    let mut owner = vec![0; model.bodies.len()];
    for (i, body) in model.bodies.iter().enumerate().skip(1) {
        owner[i] = if body.joints.is_empty() && body.mocap.is_none() { owner[body.parent] } else { i };
    }
    owner
}

fn names(model: &Model) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut unique = |wanted: String| {
        let mut name = wanted.clone();
        let mut k = 1;
        while !taken.insert(name.clone()) {
            name = format!("{wanted}.{k}");
            k += 1;
        }
        name
    };
    let of = |(i, body): (usize, &super::model::Body)| {
        unique(if body.name.is_empty() { format!("body{i}") } else { body.name.clone() })
    };
    model.bodies.iter().enumerate().map(of).collect()
}

impl Conversion<'_> {
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.left_aside.insert(text.into());
    }

    fn bodies(&mut self) {
        for i in 0..self.model.bodies.len() {
            if self.owner[i] != i {
                continue;
            }
            let moves = !self.model.bodies[i].joints.is_empty();
            let mut body = self.body(i, moves);
            if moves {
                self.joints(i, &mut body);
            }
            if moves || !body.shapes.is_empty() {
                self.scene.bodies.push(body);
            }
        }
    }

    /// The body with everything that is fixed to it.
    fn body(&mut self, id: usize, moves: bool) -> Body {
        let world_from_body = self.placed.kin.world_from_link[id];
        let mut body = Body {
            name: self.names[id].clone(),
            position: world_from_body.translation,
            orientation: world_from_body.rotation,
            motion: if moves { Motion::Dynamic } else { Motion::Static },
            ..Body::default()
        };
        let parts: Vec<usize> = (0..self.model.bodies.len()).filter(|&k| self.owner[k] == id).collect();
        for &part in &parts {
            let body_from_part = world_from_body.relative(&self.placed.kin.world_from_link[part]);
            for g in self.model.bodies[part].geoms.clone() {
                body.shapes.extend(self.shape(g, &body_from_part));
            }
        }
        if moves {
            let (mass, com, inertia) = self.mass(&parts, &world_from_body);
            (body.mass, body.center_of_mass, body.inertia) = (Some(mass), Some(com), Some(inertia));
            self.centres[id] = com;
            let lifted: f64 =
                parts.iter().map(|&k| self.model.bodies[k].mass * self.model.bodies[k].gravcomp).sum();
            body.gravity_scale = 1.0 - if lifted == 0.0 { 0.0 } else { lifted / mass };
            let twist = self.placed.kin.twist[id];
            let at = world_from_body.transform(com) - self.placed.kin.com[id];
            body.linear_velocity = twist.linear + twist.angular.cross(at);
            body.angular_velocity = twist.angular;
        }
        body
    }

    /// Mass, centre and inertia of several bodies that are fixed to each other, in the frame of one of them.
    fn mass(&self, parts: &[usize], world_from_body: &Pose) -> (f64, Vec3, Sym3) {
        let kin = &self.placed.kin;
        let mass: f64 = parts.iter().map(|&k| self.model.bodies[k].mass).sum();
        if mass <= 0.0 {
            return (1e-9, Vec3::ZERO, Sym3::diagonal(Vec3::splat(1e-12)));
        }
        let com = parts.iter().map(|&k| kin.com[k] * self.model.bodies[k].mass).sum::<Vec3>() / mass;
        let mut inertia = Sym3::ZERO;
        for &k in parts {
            inertia =
                inertia + kin.inertia[k] + Sym3::point_inertia(kin.com[k] - com) * self.model.bodies[k].mass;
        }
        (mass, world_from_body.inverse_transform(com), inertia.rotated(world_from_body.rotation.conjugate()))
    }

    /// The joints of a body, with bodies between them; a free joint is none.
    fn joints(&mut self, id: usize, body: &mut Body) {
        let model = self.model;
        let source = &model.bodies[id];
        let joints: Vec<&ModelJoint> = model.joints[source.joints.clone()].iter().collect();
        if let [free] = joints.as_slice()
            && free.kind == JointKind::Free
        {
            if free.armature != 0.0 {
                self.note("armature of free joints");
            }
            self.places.push(JointPlace { joint: None, child: body.name.clone(), parent: None });
            return;
        }
        (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        let parent = self.owner[source.parent];
        let mut carrier = (parent != 0).then(|| self.names[parent].clone());
        if parent != 0 && model.bodies[parent].mocap.is_some() {
            self.note("joints on mocap bodies: they hang on the world");
            carrier = None;
        }
        let (mass, inertia) = (body.mass.unwrap_or_default(), body.inertia.unwrap_or_default());
        for k in 0..joints.len() {
            let last = k + 1 == joints.len();
            let child = if last { body.name.clone() } else { format!("{}/{k}", body.name) };
            if !last {
                let least = inertia.trace() / 3.0;
                self.scene.bodies.push(Body {
                    name: child.clone(),
                    mass: Some(mass * BETWEEN),
                    center_of_mass: body.center_of_mass,
                    inertia: Some(Sym3::diagonal(Vec3::splat(least * BETWEEN))),
                    shapes: Vec::new(),
                    ..body.clone()
                });
            }
            let spec = self.joint(source.joints.start + k, carrier.take(), child.clone());
            self.joint_names[source.joints.start + k].clone_from(&spec.name);
            self.places.push(JointPlace {
                joint: Some(spec.name.clone()),
                child: child.clone(),
                parent: spec.parent.clone(),
            });
            self.scene.joints.push(spec);
            carrier = Some(child);
        }
    }

    fn joint(&mut self, id: usize, parent: Option<String>, child: String) -> Joint {
        let model = self.model;
        let joint = &model.joints[id];
        let axes = &self.placed.kin.axis[joint.dof..];
        let rates = &self.state.qvel[joint.dof..];
        let (kind, axis, velocity) = match joint.kind {
            JointKind::Slide => (SceneJoint::Slide, axes[0].linear, rates[0]),
            JointKind::Hinge => (SceneJoint::Hinge, axes[0].angular, rates[0]),
            JointKind::Ball | JointKind::Free => {
                let spin: Vec3 = (0..3).map(|k| axes[k].angular * rates[k]).sum();
                let speed = spin.length();
                (SceneJoint::Ball, if speed > 0.0 { spin / speed } else { Vec3::Z }, speed)
            }
        };
        let one_dof = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
        let q = self.state.qpos[joint.qpos];
        if joint.limited && !one_dof {
            self.note("limits of ball joints");
        }
        if joint.limited && joint.limit != Default::default() {
            self.note("solreflimit and solimplimit: limits are rigid");
        }
        if joint.frictionloss > 0.0 && !one_dof {
            self.note("dry friction of ball joints");
        }
        let name = if joint.name.is_empty() { format!("{child}.joint") } else { joint.name.clone() };
        let switches = self.outside.switches;
        let outside = &mut self.outside.joints[id];
        let mut spring = None;
        let linear = outside.stiffness[1] == 0.0 && outside.stiffness[2] == 0.0;
        if one_dof && linear && outside.stiffness[0] > 0.0 {
            spring = Some(JointSpring { stiffness: outside.stiffness[0], rest: outside.rest[0] - q })
                .filter(|_| switches.spring);
            outside.stiffness = [0.0; 3];
        }
        let damping = if switches.damper { outside.damping[0] } else { 0.0 };
        outside.damping[0] = 0.0;
        let constraints = model.options.on("constraint");
        let limits = constraints && model.options.on("limit");
        let friction = constraints && model.options.on("frictionloss") && one_dof;
        Joint {
            name,
            kind,
            parent,
            child,
            anchor: self.anchor(joint),
            axis,
            range: (joint.limited && one_dof && limits).then(|| joint.range.map(|x| x - q)),
            velocity,
            spring,
            friction: if friction { joint.frictionloss } else { 0.0 },
            damping,
            armature: joint.armature + actuator_share(model, &Transmission::Joint(id)).0,
            ..Joint::default()
        }
    }

    /// Where a joint is: on its axis, as near as can be to the place on its body that the file gives.
    fn anchor(&self, joint: &ModelJoint) -> Vec3 {
        let near = self.placed.kin.world_from_link[joint.body].transform(joint.pos);
        let axes = &self.placed.kin.axis[joint.dof..];
        // A turn e about a place p moves the origin by p × e, and e × (p × e) is the part of p across e.
        let across = |k: usize| axes[k].angular.cross(axes[k].at(Vec3::ZERO));
        match joint.kind {
            JointKind::Hinge => across(0) + axes[0].angular * axes[0].angular.dot(near),
            JointKind::Ball | JointKind::Free => (across(0) + across(1) + across(2)) * 0.5,
            JointKind::Slide => near,
        }
    }

    /// The shape of a geom; none for one that only is seen.
    fn shape(&mut self, id: usize, body_from_part: &Pose) -> Option<Shape> {
        let g = &self.model.geoms[id];
        if g.contype == 0 && g.conaffinity == 0 {
            return None;
        }
        let kind = self.form(g)?;
        let pose = *body_from_part * g.pose;
        let mut shape = Shape::new(kind);
        shape.position = pose.translation;
        shape.orientation = pose.rotation;
        shape.friction = Some(if g.condim > 1 { g.friction[0] } else { 0.0 });
        if g.condim > 3 {
            self.note("friction against spinning and rolling");
        }
        // The geom's id until layers are known.
        shape.layer = id as u32;
        Some(shape)
    }

    fn form(&mut self, g: &Geom) -> Option<ShapeKind> {
        let [a, b, c] = g.size;
        let axis = huygens::scene::Axis::Z;
        Some(match g.kind {
            GeomKind::Plane => ShapeKind::HalfSpace { normal: Vec3::Z, offset: 0.0 },
            GeomKind::Sphere => ShapeKind::Sphere { radius: a },
            GeomKind::Capsule => ShapeKind::Capsule { radius: a, length: 2.0 * b, axis },
            GeomKind::Cylinder => ShapeKind::Cylinder { radius: a, length: 2.0 * b, axis },
            GeomKind::Ellipsoid => ShapeKind::Ellipsoid { radii: Vec3::new(a, b, c) },
            GeomKind::Box => ShapeKind::Box { size: Vec3::new(a, b, c) * 2.0 },
            GeomKind::Mesh | GeomKind::Sdf => {
                let mesh = &self.model.meshes[g.mesh?];
                let hull = huygens_geometry::shape::Hull::with_tolerance(&mesh.vertices, 1e-6);
                let Ok(hull) = hull else {
                    self.note(format!("mesh {:?}: it is flat", mesh.name));
                    return None;
                };
                ShapeKind::Hull { source: HullSource::Points(hull.vertices().to_vec()), scale: Vec3::ONE }
            }
            GeomKind::HeightField => {
                let field = &self.model.hfields[g.hfield?];
                let rows = field.elevation.chunks(field.columns);
                let heights = rows.map(|row| row.iter().map(|h| h * field.size[2]).collect()).collect();
                let size = Vec2::new(2.0 * field.size[0], 2.0 * field.size[1]);
                ShapeKind::HeightField { source: HeightSource::Heights(heights), size }
            }
        })
    }

    /// Pairs of moving bodies of the model that never touch each other, by rule or by an exclusion, though no joint of the scene is between them.
    fn apart(&self) -> BTreeSet<[usize; 2]> {
        let model = self.model;
        let mut pairs = BTreeSet::new();
        let mut add = |a: usize, b: usize| {
            if a != b {
                pairs.insert([a.min(b), a.max(b)]);
            }
        };
        if model.options.on("filterparent") {
            for (k, body) in model.bodies.iter().enumerate().skip(1) {
                let parent = self.owner[body.parent];
                // A joint of the scene keeps its own two bodies apart.
                if self.owner[k] == k && parent != 0 && body.joints.len() != 1 {
                    add(k, parent);
                }
            }
        }
        for [a, b] in &model.excludes {
            add(self.owner[*a], self.owner[*b]);
        }
        pairs
    }

    /// A joint that lets everything move keeps two bodies from touching each other.
    fn exclusions(&mut self) {
        let body = |c: &Self, id: usize| c.scene.bodies.iter().find(|b| b.name == c.names[id]).cloned();
        for (i, pair) in self.apart().into_iter().enumerate() {
            let [Some(a), Some(b)] = pair.map(|id| body(self, id)) else { continue };
            let (a, b) = if b.motion == Motion::Dynamic { (a, b) } else { (b, a) };
            let at_rest = |b: &Body| b.linear_velocity == Vec3::ZERO && b.angular_velocity == Vec3::ZERO;
            let (a, b) = if at_rest(&b) || a.motion != Motion::Dynamic { (a, b) } else { (b, a) };
            if b.motion != Motion::Dynamic || a.shapes.is_empty() || b.shapes.is_empty() {
                continue;
            }
            if !at_rest(&b) {
                self.note(format!(
                    "the exclusion of {:?} and {:?}, which both move at the start",
                    a.name, b.name
                ));
                continue;
            }
            self.scene.joints.push(Joint {
                name: format!("apart{i}"),
                kind: SceneJoint::Free,
                parent: Some(a.name),
                child: b.name,
                ..Joint::default()
            });
        }
    }

    /// Gives shapes layers and masks so that exactly those meet that meet in the model.
    fn layers(&mut self) {
        let geoms = &self.model.geoms;
        let mut classes: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        let class = |g: &Geom| [g.contype, g.conaffinity];
        for shape in self.scene.bodies.iter().flat_map(|b| &b.shapes) {
            let key = class(&geoms[shape.layer as usize]);
            let next = classes.len();
            classes.entry(key).or_insert(next);
        }
        if classes.len() > LAYERS {
            self.note(format!(
                "{} groups of shapes that do not all meet: all meet but joined neighbours",
                classes.len()
            ));
            self.scene.bodies.iter_mut().flat_map(|b| &mut b.shapes).for_each(|s| s.layer = 1);
            return;
        }
        let meets = |a: &[u32; 2], b: &[u32; 2]| a[0] & b[1] != 0 || b[0] & a[1] != 0;
        let mask = |a: &[u32; 2]| {
            classes.iter().filter(|(b, _)| meets(a, b)).fold(0_u32, |mask, (_, bit)| mask | 1 << bit)
        };
        let found: Vec<[u32; 2]> = self
            .scene
            .bodies
            .iter()
            .flat_map(|b| &b.shapes)
            .map(|shape| {
                let key = class(&geoms[shape.layer as usize]);
                [1 << classes[&key], mask(&key)]
            })
            .collect();
        for (shape, [layer, mask]) in self.scene.bodies.iter_mut().flat_map(|b| &mut b.shapes).zip(found) {
            (shape.layer, shape.mask) = (layer, mask);
        }
    }

    fn say_what_is_left(&mut self) {
        let m = self.model;
        let lines = [
            (
                m.tendons.iter().any(|t| t.limited || t.frictionloss > 0.0),
                "limits and dry friction of tendons",
            ),
            (m.tendons.iter().any(|t| t.armature != 0.0), "armature of tendons"),
            (!m.pairs.is_empty(), "explicit contact pairs"),
            (m.nmocap > 0, "mocap bodies: they stand still"),
        ];
        let silent = (0..m.sensors.len()).filter(|i| is_silent(m, *i, Computed::Smooth));
        let silent: Vec<String> = silent.map(|i| sensor_name(m, i)).collect();
        if !silent.is_empty() {
            self.note(format!("sensors that need contacts, limits or rays: {}", silent.join(", ")));
        }
        for (there, line) in lines {
            if there {
                self.note(line);
            }
        }
        if m.geoms.iter().any(|g| g.margin != 0.0) {
            self.note("margins of geoms: a scene has one for all, `world.margin`");
        }
    }
}
