//! Tendons: sums of joints, or paths over sites, pulleys and geoms.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{GeomKind, JointKind, Tendon, Wrap};
use super::super::xml::Node;
use super::body::softness;
use super::builder::{Builder, name_of};

pub(super) fn read(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("tendon").flat_map(|t| &t.children) {
        let scope = &b.scopes[node.scope];
        let e = Element::with(node, scope.classes.of(node, None)?, "tendon");
        let mut path = Vec::new();
        for part in &node.children {
            path.push(wrap(b, &Element::plain(part))?);
        }
        check(&e, &path)?;
        let range = e.reals("range", [0.0; 2])?;
        let force = e.reals("actuatorfrcrange", [0.0; 2])?;
        let force_limited = e.limited("actuatorfrclimited", force, scope.autolimits)?;
        let limited = e.limited("limited", range, scope.autolimits)?;
        if limited && range[0] >= range[1] {
            return Err(
                e.fault(format!("`range` is {range:?}"), "The first number must be below the second.")
            );
        }
        let mut springlength = [-1.0, -1.0];
        for attribute in e.layers("springlength") {
            let found = super::super::attributes::numbers(attribute, 2)?;
            springlength = [found[0], *found.get(1).unwrap_or(&found[0])];
        }
        b.leave_aside(&e, "springyield", &["0"], "The spring never yields.");
        let name = name_of(node);
        b.tendons.add(&name, b.model.tendons.len(), node)?;
        b.model.tendons.push(Tendon {
            name,
            path,
            range,
            limited,
            margin: e.real("margin", 0.0)?,
            limit: softness(&e, "solreflimit", "solimplimit")?,
            friction: softness(&e, "solreffriction", "solimpfriction")?,
            stiffness: e.reals("stiffness", [0.0; 3])?,
            damping: e.reals("damping", [0.0; 3])?,
            armature: e.real("armature", 0.0)?,
            frictionloss: e.real("frictionloss", 0.0)?,
            springlength,
            actuatorfrcrange: force_limited.then_some(force),
        });
    }
    Ok(())
}

fn wrap(b: &Builder<'_>, e: &Element<'_>) -> Result<Wrap, Fault> {
    Ok(match e.node.tag.as_str() {
        "joint" => {
            let joint = b.joints.find(e.needed("joint")?, "joint")?;
            if !matches!(b.model.joints[joint].kind, JointKind::Hinge | JointKind::Slide) {
                return Err(
                    e.fault("a fixed tendon goes over a joint of several dofs", "Only hinges and slides.")
                );
            }
            e.needed("coef")?;
            Wrap::Joint { joint, coef: e.real("coef", 0.0)? }
        }
        "site" => Wrap::Site(b.sites.find(e.needed("site")?, "site")?),
        "pulley" => {
            let divisor = e.real("divisor", 0.0)?;
            if divisor <= 0.0 {
                return Err(e.fault(format!("`divisor` is {divisor}"), "It must be above 0."));
            }
            Wrap::Pulley(divisor)
        }
        _ => {
            let geom = b.geoms.find(e.needed("geom")?, "geom")?;
            if !matches!(b.model.geoms[geom].kind, GeomKind::Sphere | GeomKind::Cylinder) {
                return Err(
                    e.fault("a tendon wraps around a geom of this type", "Only spheres and cylinders.")
                );
            }
            let side = e.get("sidesite").map(|a| b.sites.find(a, "site")).transpose()?;
            Wrap::Geom { geom, side }
        }
    })
}

fn check(e: &Element<'_>, path: &[Wrap]) -> Result<(), Fault> {
    let fixed = e.node.tag == "fixed";
    if path.is_empty() || (!fixed && path.len() < 2) {
        return Err(e.fault("the path is too short", "Write its joints, or two sites or more."));
    }
    for (i, part) in path.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| &path[i]);
        let after = path.get(i + 1);
        let site = |part: Option<&Wrap>| matches!(part, Some(Wrap::Site(_)));
        let good = match part {
            Wrap::Geom { .. } => site(before) && site(after),
            Wrap::Pulley(_) => after.is_some() && !matches!(before, Some(Wrap::Pulley(_))),
            Wrap::Site(id) => after != Some(&Wrap::Site(*id)),
            Wrap::Joint { .. } => true,
        };
        if !good {
            let place = &e.node.children[i].place;
            let help = "A geom stands between two sites; a pulley is followed by a site; no site comes twice in a row.";
            return Err(Fault::at(place, "this part of the path stands in a wrong place", help));
        }
    }
    Ok(())
}
