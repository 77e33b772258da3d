//! A model as URDF: a link for each body, with its frame at its joint.
//!
//! A joint that is not at its body's origin moves the frame of the link there; a body with several joints gets links without mass between them.
//! Free bodies hang on the link `world` by floating joints, unless there is one alone and nothing else: then it is the root.

use super::read::list;
use crate::mjcf::Model;
use crate::mjcf::model::{Body, EqualityKind, Geom, GeomKind, Joint, JointKind, Transmission};
use huygens_math::trig::{atan2, cos, sin};
use huygens_math::{Pose, Sym3, Vec3};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A URDF file, the meshes that it names, and what of the model it cannot say.
#[derive(Clone, Debug)]
pub struct WrittenRobot {
    /// The file.
    pub text: String,
    /// File names, beside it, and texts of meshes in the OBJ format.
    pub meshes: Vec<(String, String)>,
    /// What is left aside, a line each.
    pub left_aside: Vec<String>,
}

/// Writes a model; `stem` begins the names of its mesh files.
pub fn write(model: &Model, stem: &str) -> WrittenRobot {
    let mut w = Writer {
        model,
        stem,
        text: format!("<robot name=\"{}\">\n", escaped(&model.name)),
        names: BTreeSet::new(),
        joints: Vec::new(),
        taken: BTreeSet::new(),
        meshes: Vec::new(),
        left_aside: BTreeSet::new(),
    };
    w.joints = model.joints.iter().map(|joint| joint.name.clone()).collect();
    w.taken = w.joints.iter().filter(|name| !name.is_empty()).cloned().collect();
    for k in 0..w.joints.len() {
        if w.joints[k].is_empty() {
            let wanted = format!("{}_joint", w.body_name(model.joints[k].body));
            w.joints[k] = fresh(&mut w.taken, &wanted);
        }
    }
    w.say_what_is_left();
    let tops: Vec<usize> = (1..model.bodies.len()).filter(|&i| model.bodies[i].parent == 0).collect();
    let alone = match tops.as_slice() {
        [only] if model.bodies[0].geoms.is_empty() && w.is_free(*only) => Some(*only),
        _ => None,
    };
    if let Some(root) = alone {
        if model.bodies[root].pose != Pose::IDENTITY {
            w.note(format!("the place of the free body {:?}", w.body_name(root)));
        }
        let name = w.unique(&w.body_name(root));
        w.link(root, &name, &Pose::IDENTITY);
        w.children(root, &name, &Pose::IDENTITY);
    } else {
        let name = w.unique("world");
        w.link(0, &name, &Pose::IDENTITY);
        w.children(0, &name, &Pose::IDENTITY);
    }
    w.text.push_str("</robot>\n");
    WrittenRobot { text: w.text, meshes: w.meshes, left_aside: w.left_aside.into_iter().collect() }
}

struct Writer<'m> {
    model: &'m Model,
    stem: &'m str,
    text: String,
    /// Names of links that are taken.
    names: BTreeSet<String>,
    /// A name for each joint of the model.
    joints: Vec<String>,
    /// Names of joints that are taken.
    taken: BTreeSet<String>,
    meshes: Vec<(String, String)>,
    left_aside: BTreeSet<String>,
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// `<origin>` of a pose: roll, pitch and yaw about fixed axes, each found with those before it, so that they are exact together where pitch is a
/// right angle too.
fn origin(pose: &Pose) -> String {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| pose.rotation * axis);
    let yaw = if x.x == 0.0 && x.y == 0.0 { 0.0 } else { atan2(x.y, x.x) };
    let (s, c) = (sin(yaw), cos(yaw));
    let pitch = atan2(-x.z, c * x.x + s * x.y);
    let roll = atan2(s * z.x - c * z.y, c * y.y - s * y.x);
    let at = list(&pose.translation.to_array());
    format!("<origin xyz=\"{at}\" rpy=\"{}\"/>", list(&[roll, pitch, yaw]))
}

/// A name that is not taken, and is now.
fn fresh(taken: &mut BTreeSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    let mut k = 1;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}_{k}");
        k += 1;
    }
    name
}

impl Writer<'_> {
    fn note(&mut self, line: impl Into<String>) {
        self.left_aside.insert(line.into());
    }

    fn unique(&mut self, wanted: &str) -> String {
        fresh(&mut self.names, wanted)
    }

    fn body_name(&self, id: usize) -> String {
        crate::mjcf::body_name(self.model, id).replace(' ', "_")
    }

    fn joints_of(&self, id: usize) -> &[Joint] {
        &self.model.joints[self.model.bodies[id].joints.clone()]
    }

    fn is_free(&self, id: usize) -> bool {
        self.joints_of(id).iter().any(|joint| joint.kind == JointKind::Free)
    }

    /// A link: inertia and shapes of a body, whose frame is at `link_from_body`.
    fn link(&mut self, id: usize, name: &str, link_from_body: &Pose) {
        let body = &self.model.bodies[id];
        let _ = writeln!(self.text, "  <link name=\"{}\">", escaped(name));
        if id > 0 && body.mass > 0.0 {
            self.inertial(body, link_from_body);
        }
        let geoms = &self.model.geoms[body.geoms.clone()];
        for geom in geoms {
            self.geom(geom, link_from_body);
        }
        let touching = geoms.iter().filter(|g| g.contype != 0 || g.conaffinity != 0);
        let mut friction: Vec<f64> = touching.map(|g| g.friction[0]).collect();
        friction.dedup();
        match friction.as_slice() {
            [] => {}
            [mu] => {
                let _ = writeln!(self.text, "    <contact><lateral_friction value=\"{mu:?}\"/></contact>");
            }
            _ => self.note(format!("frictions of link {name:?}, which differ from shape to shape")),
        }
        self.text.push_str("  </link>\n");
    }

    fn inertial(&mut self, body: &Body, link_from_body: &Pose) {
        let frame = *link_from_body * body.inertial;
        let i = Sym3::rotated_diagonal(body.inertia, frame.rotation);
        let at = list(&frame.translation.to_array());
        let _ = writeln!(
            self.text,
            "    <inertial><origin xyz=\"{at}\"/><mass value=\"{:?}\"/><inertia ixx=\"{:?}\" ixy=\"{:?}\" ixz=\"{:?}\" iyy=\"{:?}\" iyz=\"{:?}\" izz=\"{:?}\"/></inertial>",
            body.mass, i.xx, i.xy, i.xz, i.yy, i.yz, i.zz
        );
    }

    fn geom(&mut self, geom: &Geom, link_from_body: &Pose) {
        let [a, b, c] = geom.size;
        let pose = *link_from_body * geom.pose;
        let shape = match geom.kind {
            GeomKind::Sphere => format!("<sphere radius=\"{a:?}\"/>"),
            GeomKind::Capsule => format!("<capsule radius=\"{a:?}\" length=\"{:?}\"/>", 2.0 * b),
            GeomKind::Cylinder => format!("<cylinder radius=\"{a:?}\" length=\"{:?}\"/>", 2.0 * b),
            GeomKind::Box => format!("<box size=\"{}\"/>", list(&[2.0 * a, 2.0 * b, 2.0 * c])),
            GeomKind::Plane => "<plane normal=\"0 0 1\"/>".to_owned(),
            GeomKind::Mesh | GeomKind::Sdf => match geom.mesh {
                Some(id) => self.mesh(id),
                None => return,
            },
            GeomKind::Ellipsoid | GeomKind::HeightField => {
                let what = if geom.kind == GeomKind::Ellipsoid { "ellipsoid" } else { "hfield" };
                self.note(format!("<geom name={:?} type=\"{what}\">: URDF has no such shape", geom.name));
                return;
            }
        };
        if geom.kind == GeomKind::Capsule || geom.kind == GeomKind::Plane {
            self.note("capsules and planes are Bullet's words, which not every reader knows");
        }
        // What nothing touches is there to be seen.
        let tag = if geom.contype == 0 && geom.conaffinity == 0 { "visual" } else { "collision" };
        let name =
            if geom.name.is_empty() { String::new() } else { format!(" name=\"{}\"", escaped(&geom.name)) };
        let place = origin(&pose);
        let _ = writeln!(self.text, "    <{tag}{name}>{place}<geometry>{shape}</geometry></{tag}>");
    }

    /// A mesh as a file of its own, in the frame of its geom.
    fn mesh(&mut self, id: usize) -> String {
        let file = format!("{}_mesh{id}.obj", self.stem);
        if !self.meshes.iter().any(|(name, _)| *name == file) {
            let mesh = &self.model.meshes[id];
            let mut text = String::new();
            for v in &mesh.vertices {
                let _ = writeln!(text, "v {}", list(&v.to_array()));
            }
            for [a, b, c] in &mesh.faces {
                let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
            }
            self.meshes.push((file.clone(), text));
        }
        format!("<mesh filename=\"{}\"/>", escaped(&file))
    }

    /// The bodies that hang on `id`, whose link `parent` has its frame at `link_from_body`.
    fn children(&mut self, id: usize, parent: &str, link_from_body: &Pose) {
        for child in (1..self.model.bodies.len()).filter(|&c| self.model.bodies[c].parent == id) {
            let name = self.unique(&self.body_name(child));
            let mut pose = *link_from_body * self.model.bodies[child].pose;
            let mut above = parent.to_owned();
            let mut from_body = Pose::IDENTITY;
            let first = self.model.bodies[child].joints.start;
            let joints = self.joints_of(child).to_vec();
            if joints.is_empty() {
                let joint = fresh(&mut self.taken, &format!("{name}_fixed"));
                self.joint_element(&joint, "fixed", [&above, &name], &pose, "");
            }
            for (k, joint) in joints.iter().enumerate() {
                // The frame of a link is at its joint.
                let shift = Pose::at(joint.pos);
                let place = pose * from_body * shift;
                let last = k + 1 == joints.len();
                let link = if last { name.clone() } else { self.unique(&format!("{name}_{k}")) };
                if !last {
                    let _ = writeln!(self.text, "  <link name=\"{}\"/>", escaped(&link));
                }
                self.joint(first + k, [&above, &link], &place);
                from_body = Pose::at(-joint.pos);
                pose = Pose::IDENTITY;
                above = link;
            }
            self.link(child, &name, &from_body);
            self.children(child, &name, &from_body);
        }
    }

    fn joint(&mut self, id: usize, links: [&str; 2], place: &Pose) {
        let (joint, name) = (&self.model.joints[id], self.joints[id].clone());
        let turns = joint.kind == JointKind::Hinge;
        let kind = match (joint.kind, joint.limited) {
            (JointKind::Hinge, true) => "revolute",
            (JointKind::Hinge, false) => "continuous",
            (JointKind::Slide, _) => "prismatic",
            (JointKind::Ball, _) => "spherical",
            (JointKind::Free, _) => "floating",
        };
        let mut more = String::new();
        if turns || joint.kind == JointKind::Slide {
            let _ = write!(more, "<axis xyz=\"{}\"/>", list(&joint.axis.to_array()));
            let mut limit = String::new();
            if joint.limited {
                // Zero of URDF is the pose as drawn.
                let [low, high] = joint.range.map(|x| x - joint.reference);
                let _ = write!(limit, " lower=\"{low:?}\" upper=\"{high:?}\"");
            }
            match joint.actuatorfrcrange {
                Some([low, high]) if high > 0.0 && low == -high => {
                    let _ = write!(limit, " effort=\"{high:?}\"");
                }
                Some(_) => self
                    .note(format!("`actuatorfrcrange` of joint {name:?}, which is not the same both ways")),
                None => {}
            }
            if !limit.is_empty() {
                let _ = write!(more, "<limit{limit}/>");
            }
            let (damping, friction) = (joint.damping[0], joint.frictionloss);
            if damping != 0.0 || friction != 0.0 {
                let _ = write!(more, "<dynamics damping=\"{damping:?}\" friction=\"{friction:?}\"/>");
            }
            more += &self.mimic(id);
        } else if joint.damping != [0.0; 3] || joint.frictionloss != 0.0 || joint.limited {
            self.note(format!("damping, friction and limits of joint {name:?}"));
        }
        self.say_what_is_left_of(joint, &name);
        self.joint_element(&name, kind, links, place, &more);
    }

    fn joint_element(&mut self, name: &str, kind: &str, links: [&str; 2], place: &Pose, more: &str) {
        let [parent, child] = links.map(escaped);
        let place = origin(place);
        let _ = writeln!(
            self.text,
            "  <joint name=\"{}\" type=\"{kind}\">{place}<parent link=\"{parent}\"/><child link=\"{child}\"/>{more}</joint>",
            escaped(name)
        );
    }

    fn say_what_is_left_of(&mut self, joint: &Joint, name: &str) {
        let left = [
            ("armature", joint.armature != 0.0),
            ("stiffness", joint.stiffness != [0.0; 3] || joint.springdamper[0] > 0.0),
            ("damping that is not linear", joint.damping[1..] != [0.0; 2]),
        ];
        for (what, there) in left {
            if there {
                self.note(format!("{what} of joint {name:?}"));
            }
        }
    }

    /// `<mimic>` of a joint that an equality makes follow another one.
    fn mimic(&self, id: usize) -> String {
        let follows = |e: &&crate::mjcf::model::Equality| match e.kind {
            EqualityKind::Joint { joints: [Some(first), Some(_)], polycoef } => {
                e.active && first == id && polycoef[2..] == [0.0; 3]
            }
            _ => false,
        };
        let Some(equality) = self.model.equalities.iter().find(follows) else { return String::new() };
        let EqualityKind::Joint { joints: [_, Some(second)], polycoef } = equality.kind else {
            return String::new();
        };
        let [offset, factor, ..] = polycoef;
        format!(
            "<mimic joint=\"{}\" multiplier=\"{factor:?}\" offset=\"{offset:?}\"/>",
            escaped(&self.joints[second])
        )
    }

    fn say_what_is_left(&mut self) {
        let m = self.model;
        let named = |what: &str, names: Vec<&str>| format!("<{what}> {}", names.join(", "));
        for actuator in &m.actuators {
            let on = matches!(actuator.transmission, Transmission::Joint(_));
            let line = format!(
                "actuator {:?}{}",
                actuator.name,
                if on { " (URDF has the effort of its joint)" } else { "" }
            );
            self.note(line);
        }
        for (what, names) in [
            ("tendon", m.tendons.iter().map(|x| x.name.as_str()).collect::<Vec<_>>()),
            ("sensor", m.sensors.iter().map(|x| x.name.as_str()).collect()),
            ("site", m.sites.iter().map(|x| x.name.as_str()).collect()),
            ("camera", m.cameras.iter().map(|x| x.name.as_str()).collect()),
            ("key", m.keys.iter().map(|x| x.name.as_str()).collect()),
            ("pair", m.pairs.iter().map(|x| x.name.as_str()).collect()),
        ] {
            if !names.is_empty() {
                self.note(named(what, names));
            }
        }
        if !m.excludes.is_empty() {
            self.note("<exclude>: URDF does not say which links pass each other");
        }
        for equality in &m.equalities {
            let follows = matches!(equality.kind, EqualityKind::Joint { joints: [Some(_), Some(_)], polycoef } if polycoef[2..] == [0.0; 3]);
            if !follows || !equality.active {
                self.note(format!("equality {:?}", equality.name));
            }
        }
        let masks = m
            .geoms
            .iter()
            .any(|g| (g.contype, g.conaffinity) != (1, 1) && (g.contype, g.conaffinity) != (0, 0));
        if masks {
            self.note("`contype` and `conaffinity`: all collisions of URDF meet");
        }
        let soft = crate::mjcf::model::Softness::default();
        if m.geoms.iter().any(|g| g.softness != soft || g.margin != 0.0 || g.gap != 0.0 || g.priority != 0) {
            self.note("`solref`, `solimp`, `margin`, `gap` and `priority` of geoms");
        }
        if m.geoms.iter().any(|g| g.condim != 3 || g.friction[1..] != [0.005, 0.0001]) {
            self.note("friction against spinning and rolling");
        }
        if m.bodies.iter().any(|b| b.mocap.is_some() || b.gravcomp != 0.0) {
            self.note("`mocap` and `gravcomp` of bodies");
        }
        self.note("<option>: URDF has no gravity, step or solver");
    }
}
