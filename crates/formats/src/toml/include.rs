//! `include`: robots from model files as a part of a scene.

use crate::mjcf::{Converted, ScenePart};
use crate::{mjcf, urdf};
use huygens::Scene;
use huygens::scene::{Body, CouplingSpec, Joint, SceneError, SpecPath};
use huygens_math::{Pose, Quat, Vec3};
use std::path::Path;

/// A model file that is a part of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct IncludeSpec {
    /// The file, relative to the scene's: .xml (MJCF) or .urdf.
    pub file: String,
    /// Where its origin is [m].
    pub position: Vec3,
    /// How it is turned.
    pub orientation: Quat,
    /// What stands before the names of its bodies, joints and couplings.
    pub prefix: String,
    /// How often it is there; names of several end in `[i]`.
    pub count: u32,
    /// From one to the next [m].
    pub spacing: Vec3,
    /// Its place in the scene file.
    pub path: SpecPath,
}

/// More copies of a robot than this are a mistake.
pub(super) const MOST_COPIES: u32 = 100_000;

/// What an included file gives beside bodies and joints.
#[derive(Default)]
pub(super) struct Added {
    /// What is left aside, a line each.
    pub left_aside: Vec<String>,
    /// Its robots on which something acts from outside of the scene's joints.
    pub robots: Vec<ScenePart>,
}

/// Adds what a file holds to a scene.
pub(super) fn add(scene: &mut Scene, spec: &IncludeSpec, folder: &Path) -> Result<Added, SceneError> {
    let path = folder.join(&spec.file);
    let bad = |fault: mjcf::Fault| {
        let remedy = "A file to include is MJCF (.xml) or .urdf, and its name is relative to the scene file.";
        SceneError::new(
            spec.path.clone(),
            format_args!("{:?}", spec.file),
            fault.to_string().trim_end(),
            remedy,
        )
    };
    let is_urdf = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("urdf"));
    let (model, mut left_aside) =
        if is_urdf { urdf::load(&path).map_err(bad)? } else { (mjcf::load(&path).map_err(bad)?, Vec::new()) };
    let machine = mjcf::Machine::new(&model).map_err(bad)?;
    let mut made = mjcf::scene(&model, &machine, &machine.start()).map_err(bad)?;
    left_aside.extend(model.warnings.iter().map(mjcf::Fault::as_warning));
    left_aside.append(&mut made.left_aside);
    let mut part = std::mem::take(&mut made.scene);
    let controls = model.control_names();
    let one = ScenePart { model, machine, made, place: Pose::IDENTITY, controls };
    let mut robots = Vec::new();
    if !make_room_for_others(&mut part.bodies) {
        left_aside.push("groups of shapes that do not meet: all meet but joined neighbours".to_owned());
    }
    for i in 0..spec.count {
        let place = Pose::new(spec.orientation, spec.position + spec.spacing * f64::from(i));
        let end = if spec.count > 1 { format!("[{i}]") } else { String::new() };
        let name = |name: &str| {
            if name.is_empty() { String::new() } else { format!("{}{name}{end}", spec.prefix) }
        };
        scene.bodies.extend(part.bodies.iter().map(|body| moved_body(body, &place, &name)));
        scene.joints.extend(part.joints.iter().map(|joint| moved_joint(joint, &place, &name)));
        scene.couplings.extend(part.couplings.iter().map(|c| moved_coupling(c, &place, &name)));
        if one.acts() {
            let controls = one.controls.iter().map(|control| name(control)).collect();
            robots.push(ScenePart { made: renamed(&one.made, &name), place, controls, ..one.clone() });
        }
    }
    Ok(Added { left_aside, robots })
}

/// The parts of a robot by the names of one of its copies.
fn renamed(made: &Converted, name: &dyn Fn(&str) -> String) -> Converted {
    let mut made = made.clone();
    for place in &mut made.joints {
        place.child = name(&place.child);
        place.joint = place.joint.as_deref().map(name);
        place.parent = place.parent.as_deref().map(name);
    }
    for owner in &mut made.owners {
        *owner = owner.as_deref().map(name);
    }
    made
}

/// The first layer is that of the rest of the scene, which all shapes of a robot meet; false when there is no layer left for that.
fn make_room_for_others(bodies: &mut [Body]) -> bool {
    let shapes = || bodies.iter().flat_map(|body| &body.shapes);
    let whole = u32::MAX;
    if shapes().all(|shape| shape.mask == whole) {
        return true;
    }
    let fits = shapes().all(|shape| shape.layer >> 31 == 0);
    for shape in bodies.iter_mut().flat_map(|body| &mut body.shapes) {
        (shape.layer, shape.mask) = if fits { (shape.layer << 1, shape.mask << 1 | 1) } else { (1, whole) };
    }
    fits
}

fn moved_body(body: &Body, place: &Pose, name: &dyn Fn(&str) -> String) -> Body {
    let pose = *place * Pose::new(body.orientation, body.position);
    Body {
        name: name(&body.name),
        position: pose.translation,
        orientation: pose.rotation,
        linear_velocity: place.rotate(body.linear_velocity),
        angular_velocity: place.rotate(body.angular_velocity),
        ..body.clone()
    }
}

fn moved_joint(joint: &Joint, place: &Pose, name: &dyn Fn(&str) -> String) -> Joint {
    Joint {
        name: name(&joint.name),
        parent: joint.parent.as_deref().map(name),
        child: name(&joint.child),
        anchor: place.transform(joint.anchor),
        axis: place.rotate(joint.axis),
        axis2: joint.axis2.map(|axis| place.rotate(axis)),
        ..joint.clone()
    }
}

fn moved_coupling(coupling: &CouplingSpec, place: &Pose, name: &dyn Fn(&str) -> String) -> CouplingSpec {
    CouplingSpec {
        name: name(&coupling.name),
        joints: coupling.joints.each_ref().map(|joint| name(joint)),
        bodies: coupling.bodies.each_ref().map(|body| name(body)),
        anchors: coupling.anchors.map(|anchor| place.transform(anchor)),
        ..coupling.clone()
    }
}
