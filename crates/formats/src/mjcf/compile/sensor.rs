//! Sensors.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{Frame, Reduce, Sensor, SensorEnd, SensorQuery};
use super::super::soft::field_size;
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

/// Fields of a range finder, in their order.
const RAY: [&str; 6] = ["dist", "dir", "origin", "point", "normal", "depth"];
/// Fields of a contact sensor, in their order.
const CONTACT: [&str; 9] =
    ["found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel"];
/// Most numbers of one sensor.
const MOST: usize = 1_000_000;

/// Numbers that a sensor of a kind has; none for kinds that say themselves.
fn plain_dim(kind: &str) -> Option<usize> {
    Some(match kind {
        "touch" | "jointpos" | "jointvel" | "tendonpos" | "tendonvel" | "actuatorpos" | "actuatorvel"
        | "actuatorfrc" | "jointactuatorfrc" | "tendonactuatorfrc" | "jointlimitpos" | "jointlimitvel"
        | "jointlimitfrc" | "tendonlimitpos" | "tendonlimitvel" | "tendonlimitfrc" | "clock"
        | "e_potential" | "e_kinetic" | "insidesite" | "distance" => 1,
        "camprojection" => 2,
        "accelerometer" | "velocimeter" | "gyro" | "force" | "torque" | "magnetometer" | "ballangvel"
        | "framepos" | "framexaxis" | "frameyaxis" | "framezaxis" | "framelinvel" | "frameangvel"
        | "framelinacc" | "frameangacc" | "subtreecom" | "subtreelinvel" | "subtreeangmom" | "normal" => 3,
        "ballquat" | "framequat" => 4,
        "fromto" => 6,
        _ => return None,
    })
}

fn sensor(b: &mut Builder<'_>, node: &Node) -> Result<Sensor, Fault> {
    let e = Element::plain(node);
    let kind = node.tag.as_str();
    let mut query = SensorQuery::default();
    let (dim, mut unknown) = match (plain_dim(kind), kind) {
        (Some(dim), _) => (dim, kind == "insidesite" && e.flag("enclosed", false)?),
        (None, "rangefinder") => {
            query.fields = fields(&e, &RAY, "dist")?;
            let size: usize =
                query.fields.iter().map(|f| if matches!(*f, "dist" | "depth") { 1 } else { 3 }).sum();
            (size, e.get("camera").is_some())
        }
        (None, "contact") => {
            query.fields = fields(&e, &CONTACT, "found")?;
            query.slots = e.int("num", 1)?.clamp(1, 10_000) as usize;
            let words = [
                ("none", Reduce::None),
                ("mindist", Reduce::MinDist),
                ("maxforce", Reduce::MaxForce),
                ("netforce", Reduce::NetForce),
            ];
            query.reduce = e.choice("reduce", &words, Reduce::None)?;
            query.site = e.get("site").map(|name| b.sites.find(name, "site")).transpose()?;
            (query.slots * query.fields.iter().map(|field| field_size(field)).sum::<usize>(), false)
        }
        (None, "user") => (e.int("dim", 0)?.clamp(0, MOST as i64) as usize, true),
        _ => (0, true),
    };
    if matches!(kind, "distance" | "normal" | "fromto" | "contact") {
        query.ends = ends(b, &e)?;
        if kind != "contact" && query.ends.contains(&None) {
            return Err(e.fault("one side is missing", "Name `geom1` or `body1`, and `geom2` or `body2`."));
        }
    }
    let (mut object, mut looked_at, mut reference) = (0, None, None);
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
        if kind.starts_with("frame") || kind == "insidesite" {
            looked_at = Some(frame(b, e.needed("objtype")?, e.needed("objname")?)?);
        }
        if kind == "camprojection" {
            query.camera = Some(b.cameras.find(e.needed("camera")?, "camera")?);
        }
        if let (Some(kind), Some(name)) = (e.get("reftype"), e.get("refname")) {
            reference = Some(frame(b, kind, name)?);
        }
        let follows =
            |frame: Option<Frame>| matches!(frame, Some(Frame::Camera(id)) if !b.model.cameras[id].fixed);
        unknown = follows(looked_at) || follows(reference) || follows(query.camera.map(Frame::Camera));
        unknown |= several_outputs(b, kind, object);
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
        query,
        unknown,
    })
}

/// True for a sensor of an actuator that has more forces than one.
fn several_outputs(b: &Builder<'_>, kind: &str, object: usize) -> bool {
    let of_actuator = matches!(kind, "actuatorpos" | "actuatorvel" | "actuatorfrc");
    of_actuator && b.model.actuators.get(object).is_some_and(|a| a.unknown)
}

/// The fields that `data` names, in their order.
fn fields(e: &Element<'_>, known: &[&'static str], default: &str) -> Result<Vec<&'static str>, Fault> {
    let text = e.text("data").unwrap_or(default);
    let places: Option<Vec<usize>> =
        text.split_whitespace().map(|word| known.iter().position(|name| *name == word)).collect();
    let places = places.filter(|places| places.windows(2).all(|pair| pair[0] < pair[1]));
    places.map(|places| places.into_iter().map(|k| known[k]).collect()).ok_or_else(|| {
        let help = format!("Write some of `{}`, in this order.", known.join(" "));
        e.fault(format!("`data` is {text:?}"), help)
    })
}

/// The two sides of a contact or distance.
fn ends(b: &Builder<'_>, e: &Element<'_>) -> Result<[Option<SensorEnd>; 2], Fault> {
    let mut ends = [None, None];
    for (k, end) in ends.iter_mut().enumerate() {
        let name = |what: &str| e.get(&format!("{what}{}", k + 1));
        let mut put = |found: SensorEnd| match end.replace(found) {
            None => Ok(()),
            Some(_) => Err(e.fault(format!("side {} is named twice", k + 1), "Keep one of them.")),
        };
        if let Some(name) = name("geom") {
            put(SensorEnd::Geom(b.geoms.find(name, "geom")?))?;
        }
        if let Some(name) = name("body") {
            put(SensorEnd::Body(b.bodies.find(name, "body")?))?;
        }
        if let Some(name) = name("subtree") {
            put(SensorEnd::Subtree(b.bodies.find(name, "body")?))?;
        }
    }
    Ok(ends)
}
