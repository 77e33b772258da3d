//! From URDF to MJCF.

use super::read::{Reader, child, list, placed};
use crate::mjcf::{Fault, Place, Source};
use huygens::scene::suggest;
use huygens_math::{Pose, Sym3, Vec3};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest file [bytes].
const LONGEST: u64 = 64 << 20;
/// Links inside of each other.
const DEEPEST: usize = 300;

/// A model as MJCF text.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The text.
    pub text: String,
    /// What MJCF does not get, a line each.
    pub left_out: Vec<String>,
}

/// Turns a URDF file into MJCF.
///
/// # Errors
/// The first thing that is wrong, at its line.
pub fn to_mjcf(path: &Path) -> Result<Converted, Fault> {
    let name = path.display().to_string();
    let unreadable = |e: String| Fault::of_file(format!("{name} cannot be read: {e}"), "Check the path.");
    let length = std::fs::metadata(path).map_err(|e| unreadable(e.to_string()))?.len();
    if length > LONGEST {
        return Err(unreadable(format!("{length} bytes; a model has at most {LONGEST}")));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|e| unreadable(e.to_string()))?;
    text_to_mjcf(&name, text, path.parent().unwrap_or(Path::new("")))
}

/// The same for the text of a file that is called `name` in errors; meshes are relative to `folder`.
///
/// # Errors
/// The first thing that is wrong, at its line.
pub fn text_to_mjcf(name: &str, text: String, folder: &Path) -> Result<Converted, Fault> {
    let text = declaration_first(text);
    // Some files end in a zero byte.
    let text = text.trim_end_matches(|c: char| c.is_control() || c.is_whitespace()).to_owned();
    let source = Arc::new(Source { name: name.to_owned(), text });
    let document = Document::parse(&source.text).map_err(|error| {
        let place = Place { source: source.clone(), span: 0..0 };
        Fault::at(&place, format!("this is no XML: {error}"), "Mend the file.")
    })?;
    let reader = Reader { source: source.clone() };
    Conversion::new(&reader, document.root_element(), folder)?.write()
}

/// Many files have blanks or comments before their XML declaration; spaces in its place keep all lines where they are.
fn declaration_first(text: String) -> String {
    let Some(start) = text.find("<?xml").filter(|start| *start > 0) else { return text };
    let Some(length) = text[start..].find("?>") else { return text };
    let end = start + length + 2;
    let blank: String = text[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    format!("{}{blank}{}", &text[..start], &text[end..])
}

struct Conversion<'a, 'd> {
    reader: &'a Reader,
    robot: Node<'d, 'd>,
    folder: &'a Path,
    links: BTreeMap<&'d str, Node<'d, 'd>>,
    /// The joint above each link.
    above: BTreeMap<&'d str, Node<'d, 'd>>,
    below: BTreeMap<&'d str, Vec<Node<'d, 'd>>>,
    meshes: Vec<(String, String)>,
    left_out: BTreeSet<String>,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

impl<'a, 'd> Conversion<'a, 'd> {
    fn new(reader: &'a Reader, robot: Node<'d, 'd>, folder: &'a Path) -> Result<Self, Fault> {
        if !robot.has_tag_name("robot") {
            let message = format!("the first element is <{}>", robot.tag_name().name());
            return Err(reader.fault(robot, message, "A URDF file begins with <robot>."));
        }
        let mut c = Self {
            reader,
            robot,
            folder,
            links: BTreeMap::new(),
            above: BTreeMap::new(),
            below: BTreeMap::new(),
            meshes: Vec::new(),
            left_out: BTreeSet::new(),
        };
        for link in robot.children().filter(|n| n.has_tag_name("link")) {
            let name: &'d str = link.attribute("name").unwrap_or_default();
            if c.links.insert(name, link).is_some() {
                return Err(reader.fault(
                    link,
                    format!("the link {name:?} is there twice"),
                    "Rename one of them.",
                ));
            }
        }
        for joint in robot.children().filter(|n| n.has_tag_name("joint")) {
            let end = |tag: &str| -> Result<&'d str, Fault> {
                let found = child(joint, tag).and_then(|n| n.attribute("link"));
                let missing = || reader.fault(joint, format!("the joint has no <{tag} link>"), "Write it.");
                let name: &'d str = found.ok_or_else(missing)?;
                if c.links.contains_key(name) {
                    return Ok(name);
                }
                let known: Vec<&str> = c.links.keys().copied().collect();
                Err(reader.fault(joint, format!("there is no link {name:?}"), &suggest(name, known)))
            };
            let (parent, down) = (end("parent")?, end("child")?);
            if c.above.insert(down, joint).is_some() {
                let help = "URDF has trees only.";
                return Err(reader.fault(joint, format!("the link {down:?} hangs on two joints"), help));
            }
            c.below.entry(parent).or_default().push(joint);
        }
        Ok(c)
    }

    fn write(mut self) -> Result<Converted, Fault> {
        let mut bodies = String::new();
        let roots: Vec<&'d str> =
            self.links.keys().copied().filter(|name| !self.above.contains_key(name)).collect();
        if roots.is_empty() {
            return Err(self.reader.fault(
                self.robot,
                "there is no root link",
                "One link must hang on no joint.",
            ));
        }
        let mut seen = 0;
        for root in roots {
            self.body(root, None, 0, &mut bodies, &mut seen)?;
        }
        for joint in self.below.get("world").cloned().unwrap_or_default() {
            if self.is_beside_the_world(joint) {
                let down: &'d str =
                    child(joint, "child").and_then(|n| n.attribute("link")).unwrap_or_default();
                self.body(down, Some(joint), 0, &mut bodies, &mut seen)?;
            }
        }
        if seen != self.links.len() {
            return Err(self.reader.fault(self.robot, "some links form a circle", "URDF has trees only."));
        }
        let equality = self.mimics()?;
        let name = escape(self.robot.attribute("name").unwrap_or("robot"));
        let mut text = format!(
            "<mujoco model=\"{name}\">\n<compiler angle=\"radian\" autolimits=\"true\" balanceinertia=\"true\" boundinertia=\"1e-12\"/>\n<asset>\n"
        );
        for (name, attributes) in &self.meshes {
            let _ = writeln!(text, "<mesh name=\"{}\" {attributes}/>", escape(name));
        }
        let _ = write!(text, "</asset>\n<worldbody>\n{bodies}</worldbody>\n");
        if !equality.is_empty() {
            let _ = write!(text, "<equality>\n{equality}</equality>\n");
        }
        text.push_str("</mujoco>\n");
        Ok(Converted { text, left_out: self.left_out.into_iter().collect() })
    }

    /// True for a joint on the root link `world` when one of its joints floats: a free body hangs on nothing, and its neighbours stay beside it in
    /// their order.
    fn is_beside_the_world(&self, joint: Node<'d, 'd>) -> bool {
        let parent = child(joint, "parent").and_then(|n| n.attribute("link"));
        let floats = |joint: &Node<'_, '_>| joint.attribute("type") == Some("floating");
        parent == Some("world")
            && !self.above.contains_key("world")
            && self.below.get("world").is_some_and(|joints| joints.iter().any(floats))
    }

    fn body(
        &mut self,
        name: &'d str,
        joint: Option<Node<'d, 'd>>,
        depth: usize,
        out: &mut String,
        seen: &mut usize,
    ) -> Result<(), Fault> {
        *seen += 1;
        let link = self.links[name];
        if depth > DEEPEST {
            return Err(self.reader.fault(link, format!("more than {DEEPEST} links hang on each other"), ""));
        }
        let pose = joint.map_or(Ok(Pose::IDENTITY), |joint| self.reader.origin(joint))?;
        let floats = |joint: Node<'d, 'd>| joint.attribute("type") == Some("floating");
        let free = joint.is_some_and(|joint| floats(joint) && self.is_beside_the_world(joint));
        // A link called `world` is the world, which has that name already.
        let shown = if name == "world" { "world_link" } else { name };
        let _ = writeln!(out, "<body name=\"{}\" {}>", escape(shown), placed(&pose));
        let inertial = self.inertial(link)?;
        match joint {
            Some(joint) if free => {
                let _ = writeln!(out, "<freejoint name=\"{}\"/>", escape(self.reader.text(joint, "name")?));
            }
            Some(joint) => self.joint(joint, out)?,
            None if name != "world" && inertial.is_some() => out.push_str("<freejoint/>\n"),
            None => {}
        }
        out.push_str(
            inertial.as_deref().unwrap_or("<inertial pos=\"0 0 0\" mass=\"0\" diaginertia=\"0 0 0\"/>\n"),
        );
        for (k, collision) in link.children().filter(|n| n.has_tag_name("collision")).enumerate() {
            self.geom(name, k, link, collision, out)?;
        }
        for joint in self.below.get(name).cloned().unwrap_or_default() {
            let down: &'d str = child(joint, "child").and_then(|n| n.attribute("link")).unwrap_or_default();
            if !self.is_beside_the_world(joint) {
                self.body(down, Some(joint), depth + 1, out, seen)?;
            }
        }
        out.push_str("</body>\n");
        Ok(())
    }

    /// `<inertial>` in the link's axes; none for a link without mass.
    fn inertial(&mut self, link: Node<'d, 'd>) -> Result<Option<String>, Fault> {
        let Some(node) = child(link, "inertial") else { return Ok(None) };
        let mass = child(node, "mass").map_or(Ok(0.0), |m| self.reader.number(m, "value", 0.0))?;
        if mass < 0.0 {
            return Err(self.reader.fault(node, format!("the mass is {mass}"), "It must not be negative."));
        }
        if mass == 0.0 {
            return Ok(None);
        }
        let pose = self.reader.origin(node)?;
        let mut inertia = Sym3::ZERO;
        if let Some(i) = child(node, "inertia") {
            let get = |name: &str| self.reader.number(i, name, 0.0);
            inertia = Sym3 {
                xx: get("ixx")?,
                yy: get("iyy")?,
                zz: get("izz")?,
                xy: get("ixy")?,
                xz: get("ixz")?,
                yz: get("iyz")?,
            };
        }
        let at = list(&pose.translation.to_array());
        let moments = inertia.principal().0;
        if moments.min_element() <= 1e-13 {
            self.left_out.insert("inertias that are not positive: 1e-9 kg m² is taken".to_owned());
            return Ok(Some(format!(
                "<inertial pos=\"{at}\" mass=\"{mass:?}\" diaginertia=\"1e-9 1e-9 1e-9\"/>\n"
            )));
        }
        let t = inertia.rotated(pose.rotation);
        let full = list(&[t.xx, t.yy, t.zz, t.xy, t.xz, t.yz]);
        Ok(Some(format!("<inertial pos=\"{at}\" mass=\"{mass:?}\" fullinertia=\"{full}\"/>\n")))
    }

    fn joint(&mut self, joint: Node<'d, 'd>, out: &mut String) -> Result<(), Fault> {
        let r = self.reader;
        let name = escape(r.text(joint, "name")?);
        let kind = r.text(joint, "type")?;
        let axis =
            child(joint, "axis").map_or(Ok([1.0, 0.0, 0.0]), |n| r.numbers(n, "xyz", [1.0, 0.0, 0.0]))?;
        let mut more = String::new();
        if let Some(limit) = child(joint, "limit") {
            let (low, high) = (r.number(limit, "lower", 0.0)?, r.number(limit, "upper", 0.0)?);
            if matches!(kind, "revolute" | "prismatic") && low < high {
                let _ = write!(more, " range=\"{}\"", list(&[low, high]));
            }
            let effort = r.number(limit, "effort", 0.0)?;
            if effort > 0.0 && matches!(kind, "revolute" | "continuous" | "prismatic") {
                let _ = write!(more, " actuatorfrcrange=\"{}\"", list(&[-effort, effort]));
            }
            if limit.attribute("velocity").is_some() {
                self.left_out.insert("limits of joint velocity".to_owned());
            }
        }
        if let Some(dynamics) = child(joint, "dynamics") {
            let (damping, friction) =
                (r.number(dynamics, "damping", 0.0)?, r.number(dynamics, "friction", 0.0)?);
            let _ = write!(more, " damping=\"{damping:?}\" frictionloss=\"{friction:?}\"");
        }
        let axis_text = list(&axis);
        match kind {
            "fixed" => {}
            "revolute" | "continuous" => {
                let _ = writeln!(out, "<joint name=\"{name}\" type=\"hinge\" axis=\"{axis_text}\"{more}/>");
            }
            "prismatic" => {
                let _ = writeln!(out, "<joint name=\"{name}\" type=\"slide\" axis=\"{axis_text}\"{more}/>");
            }
            "spherical" => {
                let _ = writeln!(out, "<joint name=\"{name}\" type=\"ball\"/>");
            }
            "floating" => {
                for (k, v) in [("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")] {
                    let _ = writeln!(out, "<joint name=\"{name}.{k}\" type=\"slide\" axis=\"{v}\"/>");
                }
                let _ = writeln!(out, "<joint name=\"{name}\" type=\"ball\"/>");
            }
            "planar" => {
                let normal = Vec3::from_array(axis).try_normalize().unwrap_or(Vec3::Z);
                let (x, y) = normal.any_orthonormal_pair();
                for (k, v) in [("x", x), ("y", y)] {
                    let v = list(&v.to_array());
                    let _ = writeln!(out, "<joint name=\"{name}.{k}\" type=\"slide\" axis=\"{v}\"/>");
                }
                let _ = writeln!(out, "<joint name=\"{name}\" type=\"hinge\" axis=\"{axis_text}\"/>");
            }
            other => {
                let kinds =
                    ["fixed", "revolute", "continuous", "prismatic", "floating", "planar", "spherical"];
                return Err(r.fault(joint, format!("a joint of type {other:?}"), &suggest(other, kinds)));
            }
        }
        Ok(())
    }

    fn geom(
        &mut self,
        link: &str,
        k: usize,
        owner: Node<'d, 'd>,
        collision: Node<'d, 'd>,
        out: &mut String,
    ) -> Result<(), Fault> {
        let r = self.reader;
        let pose = placed(&r.origin(collision)?);
        let Some(shape) = child(collision, "geometry").and_then(|g| g.children().find(Node::is_element))
        else {
            return Err(r.fault(collision, "a collision without geometry", "Write <geometry>."));
        };
        let name = escape(&format!("{link}.{k}"));
        let lateral = child(owner, "contact").and_then(|c| child(c, "lateral_friction"));
        let friction = lateral.map_or(Ok(1.0), |n| r.number(n, "value", 1.0))?;
        let head = format!("<geom name=\"{name}\" friction=\"{friction:?}\" {pose}");
        match shape.tag_name().name() {
            "box" => {
                let size = r.numbers(shape, "size", [0.0; 3])?.map(|x| x / 2.0);
                let _ = writeln!(out, "{head} type=\"box\" size=\"{}\"/>", list(&size));
            }
            kind @ ("cylinder" | "capsule") => {
                let size = [r.number(shape, "radius", 0.0)?, r.number(shape, "length", 0.0)? / 2.0];
                let _ = writeln!(out, "{head} type=\"{kind}\" size=\"{}\"/>", list(&size));
            }
            "sphere" => {
                let _ =
                    writeln!(out, "{head} type=\"sphere\" size=\"{:?}\"/>", r.number(shape, "radius", 0.0)?);
            }
            "plane" => {
                let _ = writeln!(out, "{head} type=\"plane\" size=\"0 0 1\"/>");
            }
            "mesh" => {
                let file = r.text(shape, "filename")?;
                let scale = r.numbers(shape, "scale", [1.0; 3]).or_else(|_| {
                    Ok(r.numbers(shape, "scale", [1.0])?.repeat(3).try_into().unwrap_or([1.0; 3]))
                })?;
                let Some(found) = self.find_mesh(file) else {
                    self.left_out
                        .insert(format!("collision mesh {file:?}: it is not found, or neither STL nor OBJ"));
                    return Ok(());
                };
                // A mesh that is a shell has no volume; its mass does not count here.
                let attributes =
                    format!("file=\"{}\" scale=\"{}\" inertia=\"shell\"", escape(&found), list(&scale));
                let known = self.meshes.iter().find(|(_, a)| *a == attributes).map(|(name, _)| name.clone());
                let mesh = known.unwrap_or_else(|| {
                    let mesh = format!("mesh{}", self.meshes.len());
                    self.meshes.push((mesh.clone(), attributes));
                    mesh
                });
                let _ = writeln!(out, "{head} type=\"mesh\" mesh=\"{mesh}\"/>");
            }
            other => {
                let kinds = ["box", "cylinder", "capsule", "sphere", "mesh", "plane"];
                return Err(r.fault(shape, format!("a geometry <{other}>"), &suggest(other, kinds)));
            }
        }
        Ok(())
    }

    /// A mesh file relative to the model: beside it, or in the package that `package://` names, which is looked for upwards.
    fn find_mesh(&self, file: &str) -> Option<String> {
        const UP: [&str; 4] = ["", "..", "../..", "../../.."];
        let name = file
            .trim_start_matches("package://")
            .trim_start_matches("file://")
            .trim_start_matches("model://");
        let known = |path: &Path| {
            let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
            matches!(extension.as_str(), "stl" | "obj" | "msh").then_some(())?;
            self.folder.join(path).is_file().then(|| path.to_string_lossy().into_owned())
        };
        let inside = name.split_once('/').map_or(name, |(_, rest)| rest);
        UP.iter()
            .flat_map(|up| [Path::new(up).join(name), Path::new(up).join(inside)])
            .find_map(|path: PathBuf| known(&path))
    }

    fn mimics(&mut self) -> Result<String, Fault> {
        let mut out = String::new();
        let joints: BTreeSet<&str> =
            self.above.values().filter_map(|joint| joint.attribute("name")).collect();
        for joint in self.robot.children().filter(|n| n.has_tag_name("joint")) {
            let Some(mimic) = child(joint, "mimic") else { continue };
            let r = self.reader;
            let (name, other) = (r.text(joint, "name")?, r.text(mimic, "joint")?);
            if !joints.contains(other) {
                let line = format!("the mimic of joint {name:?}: there is no joint {other:?}");
                self.left_out.insert(line);
                continue;
            }
            let (factor, offset) = (r.number(mimic, "multiplier", 1.0)?, r.number(mimic, "offset", 0.0)?);
            let _ = writeln!(
                out,
                "<joint joint1=\"{}\" joint2=\"{}\" polycoef=\"{offset:?} {factor:?} 0 0 0\"/>",
                escape(name),
                escape(other)
            );
        }
        Ok(out)
    }
}
