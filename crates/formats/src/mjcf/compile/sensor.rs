//! Sensors.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{Frame, Sensor};
use super::super::xml::{Attribute, Node};
use super::builder::{Builder, name_of};

pub(super) fn read(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("sensor").flat_map(|s| &s.children) {
        let sensor = sensor(b, node)?;
        b.model.sensors.push(sensor);
    }
    Ok(())
}

fn frame(b: &Builder<'_>, kind: &Attribute, name: &Attribute) -> Result<Frame, Fault> {
    Ok(match kind.value.as_str() {
        "body" => Frame::Body(b.bodies.find(name, "body")?),
        "xbody" => Frame::XBody(b.bodies.find(name, "body")?),
        "geom" => Frame::Geom(b.geoms.find(name, "geom")?),
        "site" => Frame::Site(b.sites.find(name, "site")?),
        "camera" => Frame::Camera(b.cameras.find(name, "camera")?),
        other => {
            let message = format!("a frame of type {other:?}");
            return Err(Fault::at(&kind.place, message, "There are body, xbody, geom, site, camera."));
        }
    })
}

fn sensor(b: &mut Builder<'_>, node: &Node) -> Result<Sensor, Fault> {
    let e = Element::plain(node);
    let kind = node.tag.as_str();
    let (mut object, mut looked_at, mut reference, mut unknown) = (0, None, None, false);
    let dim = match kind {
        "touch" => 1,
        "accelerometer" | "velocimeter" | "gyro" | "force" | "torque" | "magnetometer" => 3,
        "rangefinder" => {
            if e.get("camera").is_some() || e.get("data").is_some_and(|a| a.value != "dist") {
                unknown = true;
            }
            1
        }
        "jointpos" | "jointvel" | "tendonpos" | "tendonvel" | "actuatorpos" | "actuatorvel"
        | "actuatorfrc" | "jointactuatorfrc" | "tendonactuatorfrc" | "jointlimitpos" | "jointlimitvel"
        | "jointlimitfrc" | "tendonlimitpos" | "tendonlimitvel" | "tendonlimitfrc" | "clock"
        | "e_potential" | "e_kinetic" => 1,
        "ballquat" | "framequat" => 4,
        "ballangvel" | "framepos" | "framexaxis" | "frameyaxis" | "framezaxis" | "framelinvel"
        | "frameangvel" | "framelinacc" | "frameangacc" | "subtreecom" | "subtreelinvel"
        | "subtreeangmom" => 3,
        "camprojection" => {
            unknown = true;
            2
        }
        "insidesite" | "distance" => {
            unknown = true;
            1
        }
        "normal" => {
            unknown = true;
            3
        }
        "fromto" => {
            unknown = true;
            6
        }
        "contact" => {
            unknown = true;
            contact_dim(&e)?
        }
        "user" => {
            unknown = true;
            e.int("dim", 0)?.max(0) as usize
        }
        _ => {
            unknown = true;
            0
        }
    };
    if !unknown {
        for (attribute, names, what) in [
            ("site", &b.sites, "site"),
            ("joint", &b.joints, "joint"),
            ("tendon", &b.tendons, "tendon"),
            ("actuator", &b.actuators, "actuator"),
            ("body", &b.bodies, "body"),
        ] {
            if let Some(name) = e.get(attribute) {
                object = names.find(name, what)?;
            }
        }
        if kind.starts_with("frame") {
            looked_at = Some(frame(b, e.needed("objtype")?, e.needed("objname")?)?);
        }
        if let (Some(kind), Some(name)) = (e.get("reftype"), e.get("refname")) {
            reference = Some(frame(b, kind, name)?);
        }
        let follows =
            |frame: Option<Frame>| matches!(frame, Some(Frame::Camera(id)) if !b.model.cameras[id].fixed);
        unknown = follows(looked_at) || follows(reference);
    }
    if unknown {
        b.warn(&node.place, &format!("a sensor <{kind}> of this kind is not done"), "Its values are zero.");
    }
    for name in ["delay", "nsample", "interp", "interval"] {
        b.leave_aside(&e, name, &["0", "zoh"], "The sensor tells the present.");
    }
    Ok(Sensor {
        name: name_of(node),
        kind: kind.to_owned(),
        object,
        frame: looked_at,
        reference,
        cutoff: e.real("cutoff", 0.0)?,
        dim,
        unknown,
    })
}

/// Numbers of a contact sensor: slots times the sizes of its fields.
fn contact_dim(e: &Element<'_>) -> Result<usize, Fault> {
    let slots = e.int("num", 1)?.clamp(0, 10_000) as usize;
    let size = |field: &str| match field {
        "found" | "dist" => 1,
        _ => 3,
    };
    let fields = e.text("data").unwrap_or("found").split_whitespace().map(size).sum::<usize>();
    Ok(slots * fields)
}
