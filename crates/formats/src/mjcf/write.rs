//! A scene as MJCF: bodies nested by their joints, the start as a keyframe, motors as actuators.

use huygens::math::{Pose, Quat, Sym3, Vec3, scalar};
use huygens::scene::{
    Axis, Body, CouplingKind, HeightSource, HullSource, Joint, JointKind, MeshSource, Motion, MotorKind,
    Scene, Shape, ShapeKind,
};
use huygens::{BodyView, World};
use std::collections::BTreeSet;
use std::fmt::Write;

/// An MJCF file, and what of the scene it cannot say.
#[derive(Clone, Debug)]
pub struct WrittenModel {
    /// The file.
    pub text: String,
    /// What is left aside, a line each.
    pub left_aside: Vec<String>,
}

/// Writes a scene whose `world` has not stepped.
pub fn write(name: &str, scene: &Scene, world: &World) -> WrittenModel {
    let bodies: Vec<Body> = scene.expanded().map(|placed| placed.body).collect();
    let mut w = Writer {
        scene,
        world,
        bodies,
        assets: String::new(),
        tree: String::new(),
        actuators: String::new(),
        tendons: String::new(),
        qpos: Vec::new(),
        qvel: Vec::new(),
        ctrl: Vec::new(),
        used: vec![false; scene.joints.len()],
        left_aside: BTreeSet::new(),
    };
    w.say_what_is_left();
    for i in 0..w.bodies.len() {
        if w.carrier(i).is_none() {
            w.body(i, &Pose::IDENTITY, 2);
        }
    }
    let equalities = w.equalities();
    w.springs();
    let world = &scene.world;
    let mut text = format!("<mujoco model=\"{}\">\n", escaped(name));
    text += "  <compiler angle=\"radian\" autolimits=\"true\"/>\n";
    let _ = writeln!(text, "  <option timestep=\"{:?}\" gravity=\"{}\"/>", world.dt, vector(world.gravity));
    for (tag, inner) in [
        ("asset", &w.assets),
        ("worldbody", &w.tree),
        ("tendon", &w.tendons),
        ("equality", &equalities),
        ("actuator", &w.actuators),
    ] {
        if !inner.is_empty() {
            let _ = write!(text, "  <{tag}>\n{inner}  </{tag}>\n");
        }
    }
    if !w.qpos.is_empty() {
        let ctrl = if w.ctrl.is_empty() { String::new() } else { format!(" ctrl=\"{}\"", list(&w.ctrl)) };
        let _ = writeln!(
            text,
            "  <keyframe>\n    <key name=\"start\" qpos=\"{}\" qvel=\"{}\"{ctrl}/>\n  </keyframe>",
            list(&w.qpos),
            list(&w.qvel)
        );
    }
    text += "</mujoco>\n";
    WrittenModel { text, left_aside: w.left_aside.into_iter().collect() }
}

struct Writer<'s> {
    scene: &'s Scene,
    world: &'s World,
    bodies: Vec<Body>,
    assets: String,
    tree: String,
    actuators: String,
    tendons: String,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    ctrl: Vec<f64>,
    /// Joints that are in the tree.
    used: Vec<bool>,
    left_aside: BTreeSet<String>,
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn list(values: &[f64]) -> String {
    values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ")
}

fn vector(v: Vec3) -> String {
    list(&v.to_array())
}

fn turn(q: Quat) -> String {
    list(&[q.w, q.x, q.y, q.z])
}

fn place(pose: &Pose) -> String {
    format!("pos=\"{}\" quat=\"{}\"", vector(pose.translation), turn(pose.rotation))
}

/// The turn that takes z to a direction.
fn from_z(to: Vec3) -> Quat {
    Quat::from_rotation_arc(Vec3::Z, to.normalize_or(Vec3::Z))
}

impl Writer<'_> {
    fn note(&mut self, line: impl Into<String>) {
        self.left_aside.insert(line.into());
    }

    /// The first joint that names a body as its child, and the moving body that it hangs it on; none for the world.
    fn first_joint(&self, body: usize) -> Option<(usize, Option<usize>)> {
        let name = &self.bodies[body].name;
        let carries = |joint: &Joint| joint.child == *name && joint.kind != JointKind::Free;
        let joint = self.scene.joints.iter().position(carries)?;
        let parent = self.scene.joints[joint].parent.as_ref();
        let parent = parent.and_then(|parent| self.bodies.iter().position(|other| other.name == *parent));
        Some((joint, parent.filter(|parent| self.bodies[*parent].motion == Motion::Dynamic)))
    }

    /// The same in a tree: bodies that hang on each other in a circle are cut loose at the first of them.
    fn hung(&self, body: usize) -> Option<(usize, Option<usize>)> {
        let found = self.first_joint(body)?;
        let (mut at, mut least) = (found.1, body);
        for _ in 0..self.bodies.len() {
            let Some(parent) = at else { return Some(found) };
            if parent == body {
                return (least != body).then_some(found);
            }
            least = least.min(parent);
            at = self.first_joint(parent).and_then(|(_, parent)| parent);
        }
        Some(found)
    }

    /// The body that a body is written inside of.
    fn carrier(&self, body: usize) -> Option<usize> {
        self.hung(body).and_then(|(_, parent)| parent)
    }

    fn view(&self, body: usize) -> Option<BodyView<'_>> {
        self.world.find(&self.bodies[body].name).and_then(|id| self.world.body(id).ok())
    }

    fn body(&mut self, i: usize, parent: &Pose, depth: usize) {
        let spec = self.bodies[i].clone();
        let pose = spec.pose();
        let space = "  ".repeat(depth);
        let local = parent.relative(&pose);
        let lifted = 1.0 - spec.gravity_scale;
        let lift = if lifted == 0.0 { String::new() } else { format!(" gravcomp=\"{lifted:?}\"") };
        // The shapes of the world itself, as a robot's scene has them, stand in no body.
        let ground = spec.name == "world" && spec.motion == Motion::Static && local == Pose::IDENTITY;
        if !ground {
            let name = escaped(&spec.name);
            let _ = writeln!(self.tree, "{space}<body name=\"{name}\" {}{lift}>", place(&local));
        }
        if spec.motion == Motion::Dynamic {
            self.inertial(&spec, depth + 1);
            match self.hung(i) {
                Some((joint, _)) => self.joint(joint, &pose, depth + 1),
                None => self.free(i, depth + 1),
            }
        } else if !matches!(spec.motion, Motion::Static) {
            self.note(format!("body {:?}: it is driven, and stands still", spec.name));
        }
        for (k, shape) in spec.shapes.iter().enumerate() {
            self.geom(&format!("{}.{k}", spec.name), shape, depth + 1);
        }
        for child in 0..self.bodies.len() {
            if self.carrier(child) == Some(i) {
                self.body(child, &pose, depth + 1);
            }
        }
        if !ground {
            let _ = writeln!(self.tree, "{space}</body>");
        }
    }

    fn inertial(&mut self, spec: &Body, depth: usize) {
        let Some(model) = self.world.model().bodies.iter().find(|b| b.name == spec.name) else { return };
        let Sym3 { xx, yy, zz, xy, xz, yz } = model.inertia;
        let _ = writeln!(
            self.tree,
            "{}<inertial pos=\"{}\" mass=\"{:?}\" fullinertia=\"{}\"/>",
            "  ".repeat(depth),
            vector(model.center),
            model.mass,
            list(&[xx, yy, zz, xy, xz, yz])
        );
    }

    fn free(&mut self, i: usize, depth: usize) {
        let _ = writeln!(
            self.tree,
            "{}<freejoint name=\"{}.free\"/>",
            "  ".repeat(depth),
            escaped(&self.bodies[i].name)
        );
        let Some(view) = self.view(i) else { return };
        let (q, spin) = (view.orientation, view.angular_velocity);
        let name = view.name.to_owned();
        let center =
            self.world.model().bodies.iter().find(|b| b.name == name).map_or(Vec3::ZERO, |b| b.center);
        let origin = view.linear_velocity - spin.cross(q * center);
        let (at, local) = (view.position, q.conjugate() * spin);
        self.qpos.extend([at.x, at.y, at.z, q.w, q.x, q.y, q.z]);
        self.qvel.extend(origin.to_array().into_iter().chain(local.to_array()));
        if self.bodies[i].lock != Default::default() {
            self.note(format!("body {name:?}: its locked axes"));
        }
    }

    fn joint(&mut self, j: usize, pose: &Pose, depth: usize) {
        self.used[j] = true;
        let spec = &self.scene.joints[j];
        let axis = spec.axis.normalize_or(Vec3::Z);
        let other = spec.axis2.map(|axis2| axis2 - axis * axis.dot(axis2)).filter(|v| v.length() > 0.0);
        let other = other.map_or_else(|| axis.any_orthonormal_vector(), |v| v.normalize());
        let parts: Vec<(&str, Vec3)> = match spec.kind {
            JointKind::Hinge => vec![("hinge", axis)],
            JointKind::Slide => vec![("slide", axis)],
            JointKind::Ball => vec![("ball", axis)],
            JointKind::Fixed | JointKind::Free => vec![],
            JointKind::Universal => vec![("hinge", axis), ("hinge", other)],
            JointKind::Cylindrical => vec![("hinge", axis), ("slide", axis)],
            JointKind::Planar => {
                vec![("slide", axis), ("slide", other), ("hinge", axis.cross(other))]
            }
            JointKind::Generic => {
                let axes = Vec3::AXES;
                let slides = (0..3).filter(|k| spec.free[*k]).map(|k| ("slide", axes[k]));
                let turns = (0..3).filter(|k| spec.free[3 + k]).map(|k| ("hinge", axes[k]));
                if spec.free[3..].iter().all(|free| *free) {
                    slides.chain([("ball", Vec3::Z)]).collect()
                } else {
                    slides.chain(turns).collect()
                }
            }
            JointKind::Screw => {
                self.note(format!("joint {:?}: a screw is written as a hinge", spec.name));
                vec![("hinge", axis)]
            }
        };
        for (k, (kind, axis)) in parts.iter().enumerate() {
            let name = if k == 0 { spec.name.clone() } else { format!("{}.{k}", spec.name) };
            let mut line = format!(
                "{}<joint name=\"{}\" type=\"{kind}\" pos=\"{}\" axis=\"{}\"",
                "  ".repeat(depth),
                escaped(&name),
                vector(pose.inverse_transform(spec.anchor)),
                vector(pose.inverse_rotate(*axis)),
            );
            for (key, value) in
                [("damping", spec.damping), ("armature", spec.armature), ("frictionloss", spec.friction)]
            {
                if value != 0.0 {
                    let _ = write!(line, " {key}=\"{value:?}\"");
                }
            }
            if k == 0 {
                if let Some(range) = spec.range {
                    let _ = write!(line, " range=\"{}\"", list(&range));
                }
                if let Some(spring) = spec.spring {
                    let _ =
                        write!(line, " stiffness=\"{:?}\" springref=\"{:?}\"", spring.stiffness, spring.rest);
                }
            }
            let _ = writeln!(self.tree, "{line}/>");
            if *kind == "ball" {
                self.qpos.extend([1.0, 0.0, 0.0, 0.0]);
                let spin = pose.inverse_rotate(spec.axis.normalize_or(Vec3::Z) * spec.velocity);
                self.qvel.extend(spin.to_array());
            } else {
                self.qpos.push(if k == 0 { spec.position } else { 0.0 });
                self.qvel.push(if k == 0 { spec.velocity } else { 0.0 });
            }
        }
        if spec.restitution != 0.0 || spec.limit != Default::default() {
            self.note(format!("joint {:?}: how it comes back from its limits", spec.name));
        }
        self.motor(spec);
    }

    fn motor(&mut self, joint: &Joint) {
        let Some(motor) = joint.motor else { return };
        let name = escaped(&joint.name);
        let limit = if motor.max_force.is_finite() {
            format!(" forcerange=\"{:?} {:?}\"", -motor.max_force, motor.max_force)
        } else {
            String::new()
        };
        let (k, c) = (motor.stiffness, motor.damping);
        let line = match motor.kind {
            MotorKind::Position => {
                format!("<position joint=\"{name}\" name=\"{name}\" kp=\"{k:?}\" kv=\"{c:?}\"{limit}/>")
            }
            MotorKind::Velocity if c > 0.0 => {
                format!("<velocity joint=\"{name}\" name=\"{name}\" kv=\"{c:?}\"{limit}/>")
            }
            MotorKind::Velocity => {
                self.note(format!("joint {:?}: a motor that holds its speed exactly", joint.name));
                return;
            }
            MotorKind::Torque => format!("<motor joint=\"{name}\" name=\"{name}\"{limit}/>"),
        };
        if motor.max_power.is_finite() {
            self.note(format!("joint {:?}: the power of its motor", joint.name));
        }
        let _ = writeln!(self.actuators, "    {line}");
        self.ctrl.push(motor.target);
    }

    fn geom(&mut self, name: &str, shape: &Shape, depth: usize) {
        if shape.sensor {
            self.note("shapes that only report contacts");
            return;
        }
        let Some((form, offset)) = self.form(name, &shape.kind) else {
            self.note(format!("shapes of kind {:?}", shape.kind.word()));
            return;
        };
        let surface = self.scene.surface_of(shape);
        let (spin, roll) = (surface.friction_torsional, surface.friction_rolling);
        let condim = if roll > 0.0 {
            6
        } else if spin > 0.0 {
            4
        } else {
            3
        };
        if surface.restitution != 0.0 {
            self.note("restitution");
        }
        if surface.friction_static != surface.friction_dynamic {
            self.note("a static friction beside the dynamic one");
        }
        let layers = self.bodies.iter().flat_map(|body| &body.shapes).fold(0, |all, s| all | s.layer);
        let _ = writeln!(
            self.tree,
            "{}<geom name=\"{}\" {form} {} friction=\"{}\" condim=\"{condim}\" contype=\"{}\" conaffinity=\"{}\"/>",
            "  ".repeat(depth),
            escaped(name),
            place(&(shape.pose() * offset)),
            list(&[surface.friction_dynamic, spin, roll]),
            shape.layer as i32,
            (shape.mask & layers) as i32,
        );
    }

    /// Type and size of a geom, and its frame in that of the shape.
    fn form(&mut self, name: &str, kind: &ShapeKind) -> Option<(String, Pose)> {
        let along = |axis: Axis| Pose::new(from_z(axis.vector()), Vec3::ZERO);
        let round = |kind: &str, radius: f64, length: f64| {
            format!("type=\"{kind}\" size=\"{}\"", list(&[radius, 0.5 * length]))
        };
        let still = Pose::IDENTITY;
        Some(match kind {
            ShapeKind::Sphere { radius } => (format!("type=\"sphere\" size=\"{radius:?}\""), still),
            ShapeKind::Capsule { radius, length, axis } => (round("capsule", *radius, *length), along(*axis)),
            ShapeKind::Cylinder { radius, length, axis } => {
                (round("cylinder", *radius, *length), along(*axis))
            }
            ShapeKind::Box { size } => (format!("type=\"box\" size=\"{}\"", vector(*size * 0.5)), still),
            ShapeKind::Ellipsoid { radii } => {
                (format!("type=\"ellipsoid\" size=\"{}\"", vector(*radii)), still)
            }
            ShapeKind::HalfSpace { normal, offset } => {
                let up = normal.normalize_or(Vec3::Z);
                let at = up * (offset / normal.length());
                ("type=\"plane\" size=\"0 0 1\"".to_owned(), Pose::new(from_z(up), at))
            }
            ShapeKind::Hull { source: HullSource::Points(points), scale } => {
                let points = points.iter().map(|p| *p * *scale);
                self.mesh(name, points, &[]);
                (format!("type=\"mesh\" mesh=\"{}\"", escaped(name)), still)
            }
            ShapeKind::Mesh { source: MeshSource::Triangles { vertices, triangles }, scale } => {
                self.note("hollows of meshes: MuJoCo takes their hull");
                self.mesh(name, vertices.iter().map(|p| *p * *scale), triangles);
                (format!("type=\"mesh\" mesh=\"{}\"", escaped(name)), still)
            }
            ShapeKind::HeightField { source: HeightSource::Heights(rows), size } => {
                let low = rows.iter().flatten().copied().fold(f64::INFINITY, scalar::min);
                let high = rows.iter().flatten().copied().fold(f64::NEG_INFINITY, scalar::max);
                let span = if high > low { high - low } else { 1.0 };
                // The first row of the file is the one with the largest y in MuJoCo.
                let elevation: Vec<f64> =
                    rows.iter().rev().flatten().map(|height| (height - low) / span).collect();
                let _ = writeln!(
                    self.assets,
                    "    <hfield name=\"{}\" nrow=\"{}\" ncol=\"{}\" size=\"{}\" elevation=\"{}\"/>",
                    escaped(name),
                    rows.len(),
                    rows.first().map_or(0, Vec::len),
                    list(&[0.5 * size.x, 0.5 * size.y, span, 0.1 * span]),
                    list(&elevation)
                );
                let form = format!("type=\"hfield\" hfield=\"{}\"", escaped(name));
                (form, Pose::at(Vec3::new(0.0, 0.0, low)))
            }
            _ => return None,
        })
    }

    fn mesh(&mut self, name: &str, points: impl Iterator<Item = Vec3>, triangles: &[[u32; 3]]) {
        let points: Vec<String> = points.map(vector).collect();
        let faces: Vec<String> = triangles.iter().map(|[a, b, c]| format!("{a} {b} {c}")).collect();
        let face = if faces.is_empty() { String::new() } else { format!(" face=\"{}\"", faces.join(" ")) };
        let _ = writeln!(
            self.assets,
            "    <mesh name=\"{}\" vertex=\"{}\"{face}/>",
            escaped(name),
            points.join("  ")
        );
    }

    /// The frame of a body by name; of the world for none.
    fn frame(&self, name: &str) -> Pose {
        self.bodies.iter().find(|body| body.name == name).map_or(Pose::IDENTITY, Body::pose)
    }

    fn equalities(&mut self) -> String {
        let mut out = String::new();
        let scene = self.scene;
        for spec in &scene.couplings {
            let name = escaped(&spec.name);
            let [a, b] = [0, 1].map(|k: usize| escaped(&spec.bodies[k]));
            let two = |first: &str, second: &str| {
                if second.is_empty() {
                    format!("body1=\"{first}\"")
                } else {
                    format!("body1=\"{first}\" body2=\"{second}\"")
                }
            };
            // The world comes second.
            let swapped = spec.bodies[0].is_empty();
            let bodies = if swapped { two(&b, "") } else { two(&a, &b) };
            let owner = if swapped { &spec.bodies[1] } else { &spec.bodies[0] };
            let anchor = self.frame(owner).inverse_transform(spec.anchors[0]);
            match spec.kind {
                CouplingKind::Gear | CouplingKind::Polynomial => {
                    let [a, b] = [0, 1].map(|k: usize| escaped(&spec.joints[k]));
                    let gear = [0.0, spec.ratio, 0.0, 0.0, 0.0];
                    let c = if spec.kind == CouplingKind::Gear { gear } else { spec.coefficients };
                    let _ = writeln!(
                        out,
                        "    <joint name=\"{name}\" joint1=\"{a}\" joint2=\"{b}\" polycoef=\"{}\"/>",
                        list(&c)
                    );
                }
                CouplingKind::Connect => {
                    let _ = writeln!(
                        out,
                        "    <connect name=\"{name}\" {bodies} anchor=\"{}\"/>",
                        vector(anchor)
                    );
                }
                CouplingKind::Weld => {
                    let _ = writeln!(out, "    <weld name=\"{name}\" {bodies}/>");
                }
                CouplingKind::Distance | CouplingKind::Rope => {
                    self.note(format!("coupling {:?}: rods and ropes", spec.name));
                }
            }
        }
        // Joints that close a loop: of those a ball joint and a rigid one are equalities.
        for (j, joint) in scene.joints.iter().enumerate().filter(|(_, j)| j.kind != JointKind::Free) {
            if self.used[j] {
                continue;
            }
            let other = joint.parent.as_deref().unwrap_or_default();
            let body2 =
                if other.is_empty() { String::new() } else { format!(" body2=\"{}\"", escaped(other)) };
            let (name, child) = (escaped(&joint.name), escaped(&joint.child));
            let anchor = vector(self.frame(&joint.child).inverse_transform(joint.anchor));
            let _ = match joint.kind {
                JointKind::Ball => writeln!(
                    out,
                    "    <connect name=\"{name}\" body1=\"{child}\"{body2} anchor=\"{anchor}\"/>"
                ),
                JointKind::Fixed => {
                    writeln!(out, "    <weld name=\"{name}\" body1=\"{child}\"{body2}/>")
                }
                _ => {
                    self.note(format!("joint {:?}: it closes a loop", joint.name));
                    Ok(())
                }
            };
        }
        out
    }

    /// Springs between points are tendons through two sites.
    fn springs(&mut self) {
        if !self.scene.springs.is_empty() {
            self.note("springs between points");
        }
    }

    fn say_what_is_left(&mut self) {
        let scene = self.scene;
        let lines = [
            (scene.medium.is_some(), "the medium"),
            (!scene.edits.is_empty(), "edits during the run"),
            (!scene.pairs.is_empty(), "pairs of materials"),
            (!scene.expect.is_empty(), "what the scene expects of its run"),
        ];
        lines.iter().filter(|(there, _)| *there).for_each(|(_, line)| self.note(*line));
        self.note("solver, integrator and how contacts are treated: MuJoCo has its own");
    }
}
