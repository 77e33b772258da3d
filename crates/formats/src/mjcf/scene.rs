//! From a model to a scene that the engine steps.
//!
//! Bodies without joints become part of what they are fixed to. A body with several joints gets bodies between them, of a thousandth of its
//! mass: a scene has one joint a body. Contact masks are exact: shapes with the same masks and exclusions share a layer.

use super::error::Fault;
use super::mech::{Forward, MechanismState, forward};
use super::mechanism::Machine;
use super::model::{Geom, GeomKind, Joint, JointKind, Model};
use huygens::scene::{
    BodySpec, Combine, HeightSource, HullSource, JointKind as SceneJoint, JointSpec, Motion, Scene,
    ShapeKind, ShapeSpec,
};
use huygens_math::{Pose, Sym3, Vec2, Vec3, scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Share of a body's mass that each body between its joints has.
const BETWEEN: f64 = 1e-3;
/// Layers of a scene.
const LAYERS: usize = 32;

/// A scene, and what of the model it cannot say.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The scene.
    pub scene: Scene,
    /// What is left aside, a line each.
    pub left_aside: Vec<String>,
    /// Name of the scene's body for each body of the model that moves by itself.
    pub body_names: Vec<String>,
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
        scene: Scene::default(),
        left_aside: BTreeSet::new(),
    };
    c.scene.world.gravity = if model.options.on("gravity") { model.options.gravity } else { Vec3::ZERO };
    c.scene.world.dt = model.options.timestep;
    c.scene.world.combine = Combine::Max;
    if !moved.is_empty() {
        c.note(format!("a start outside of the limits: at the nearest end start {}", moved.join(", ")));
    }
    c.bodies();
    c.layers();
    c.say_what_is_left();
    Ok(Converted { scene: c.scene, left_aside: c.left_aside.into_iter().collect(), body_names: c.names })
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

struct Conversion<'m> {
    model: &'m Model,
    state: &'m MechanismState,
    placed: &'m Forward,
    /// The body that each body is fixed to, or itself; 0 is the world.
    owner: Vec<usize>,
    names: Vec<String>,
    scene: Scene,
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
    fn note(&mut self, text: impl Into<String>) {
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
    fn body(&mut self, id: usize, moves: bool) -> BodySpec {
        let world_from_body = self.placed.kin.world_from_link[id];
        let mut body = BodySpec {
            name: self.names[id].clone(),
            position: world_from_body.translation,
            orientation: world_from_body.rotation,
            motion: if moves { Motion::Dynamic } else { Motion::Static },
            ..BodySpec::default()
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
            body.gravity_scale = 1.0 - self.model.bodies[id].gravcomp;
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
    fn joints(&mut self, id: usize, body: &mut BodySpec) {
        let model = self.model;
        let source = &model.bodies[id];
        let joints: Vec<&Joint> = model.joints[source.joints.clone()].iter().collect();
        if let [free] = joints.as_slice()
            && free.kind == JointKind::Free
        {
            if free.damping != [0.0; 3] || free.armature != 0.0 {
                self.note("damping and armature of free joints");
            }
            return;
        }
        let parent = self.owner[source.parent];
        let mut carrier = (parent != 0).then(|| self.names[parent].clone());
        if parent != 0 && model.bodies[parent].mocap.is_some() {
            self.note("joints on mocap bodies: they hang on the world");
            carrier = None;
        }
        let (mass, inertia) = (body.mass.unwrap_or_default(), body.inertia.unwrap_or_default());
        for (k, joint) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            let child = if last { body.name.clone() } else { format!("{}/{k}", body.name) };
            if !last {
                self.note("bodies with several joints: each body between them has a thousandth of the mass");
                let least = inertia.trace() / 3.0;
                self.scene.bodies.push(BodySpec {
                    name: child.clone(),
                    mass: Some(mass * BETWEEN),
                    center_of_mass: body.center_of_mass,
                    inertia: Some(Sym3::diagonal(Vec3::splat(least * BETWEEN))),
                    shapes: Vec::new(),
                    ..body.clone()
                });
            }
            let spec = self.joint(id, joint, carrier.take(), child.clone());
            self.scene.joints.push(spec);
            carrier = Some(child);
        }
    }

    fn joint(&mut self, id: usize, joint: &Joint, parent: Option<String>, child: String) -> JointSpec {
        let pose = self.placed.kin.world_from_link[id];
        let axis = &self.placed.kin.axis[joint.dof];
        let (kind, axis) = match joint.kind {
            JointKind::Slide => (SceneJoint::Slide, axis.linear),
            JointKind::Ball | JointKind::Free => (SceneJoint::Ball, Vec3::Z),
            JointKind::Hinge => (SceneJoint::Hinge, axis.angular),
        };
        let one_dof = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
        let q = self.state.qpos[joint.qpos];
        if joint.limited && !one_dof {
            self.note("limits of ball joints");
        }
        if joint.stiffness != [0.0; 3] || joint.springdamper[0] > 0.0 {
            self.note("springs of joints");
        }
        if joint.frictionloss > 0.0 {
            self.note("dry friction of joints");
        }
        if joint.damping[1] != 0.0 || joint.damping[2] != 0.0 {
            self.note("damping of higher order");
        }
        let name = if joint.name.is_empty() { format!("{child}.joint") } else { joint.name.clone() };
        JointSpec {
            name,
            kind,
            parent,
            child,
            anchor: pose.transform(joint.pos),
            axis,
            range: (joint.limited && one_dof).then(|| joint.range.map(|x| x - q)),
            velocity: if one_dof { self.state.qvel[joint.dof] } else { 0.0 },
            damping: joint.damping[0],
            armature: joint.armature,
            ..JointSpec::default()
        }
    }

    /// The shape of a geom; none for one that only is seen.
    fn shape(&mut self, id: usize, body_from_part: &Pose) -> Option<ShapeSpec> {
        let g = &self.model.geoms[id];
        if g.contype == 0 && g.conaffinity == 0 {
            return None;
        }
        let kind = self.form(g)?;
        let pose = *body_from_part * g.pose;
        let mut shape = ShapeSpec::new(kind);
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

    /// Bodies of the model that never touch each other, by rule or by an exclusion.
    fn apart(&self, a: usize, b: usize) -> bool {
        let parent = |k: usize| self.owner[self.model.bodies[k].parent];
        let related = a != 0 && b != 0 && (parent(a) == b || parent(b) == a);
        let filtered = related && self.model.options.on("filterparent");
        filtered
            || self.model.excludes.iter().any(|pair| {
                let [x, y] = pair.map(|k| self.owner[k]);
                (x, y) == (a, b) || (x, y) == (b, a)
            })
    }

    /// Gives shapes layers and masks so that exactly those meet that meet in the model.
    fn layers(&mut self) {
        let geoms = &self.model.geoms;
        let special = |body: usize| {
            let several = self.model.bodies[body].joints.len() > 1;
            let excluded = self.model.excludes.iter().flatten().any(|&k| self.owner[k] == body);
            let child_several = (0..self.model.bodies.len()).any(|k| {
                self.owner[k] == k
                    && k != body
                    && self.owner[self.model.bodies[k].parent] == body
                    && self.model.bodies[k].joints.len() > 1
            });
            several || excluded || (body != 0 && child_several)
        };
        let mut classes: BTreeMap<(u32, u32, usize), usize> = BTreeMap::new();
        let class = |g: &Geom| {
            let body = self.owner[g.body];
            (g.contype, g.conaffinity, if special(body) { body } else { usize::MAX })
        };
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
        let meets = |a: &(u32, u32, usize), b: &(u32, u32, usize)| {
            let by_mask = a.0 & b.1 != 0 || b.0 & a.1 != 0;
            let known = a.2 != usize::MAX && b.2 != usize::MAX;
            by_mask && !(known && self.apart(a.2, b.2))
        };
        let mask = |a: &(u32, u32, usize)| {
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
            (!m.actuators.is_empty(), "actuators: they do not act"),
            (!m.tendons.is_empty(), "tendons"),
            (m.equalities.iter().any(|e| e.active), "equalities"),
            (!m.pairs.is_empty(), "explicit contact pairs"),
            (m.options.density != 0.0 || m.options.viscosity != 0.0, "the medium"),
            (m.nmocap > 0, "mocap bodies: they stand still"),
        ];
        for (there, line) in lines {
            if there {
                self.note(line);
            }
        }
        let soft = super::model::Softness::default();
        if m.geoms.iter().any(|g| g.softness != soft || g.margin != 0.0) {
            self.note("solref, solimp and margin of contacts: they belong to the convex model");
        }
    }
}
