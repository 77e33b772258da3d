//! Contact pairs, excluded pairs, and equalities.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{Equality, EqualityKind, Pair};
use super::super::orientation::quat;
use super::super::xml::Node;
use super::body::softness;
use super::builder::{Builder, Names, name_of};
use huygens_math::{Pose, Vec3};

pub(super) fn read(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("contact").flat_map(|c| &c.children) {
        let scope = &b.scopes[node.scope];
        match node.tag.as_str() {
            "exclude" => {
                let e = Element::plain(node);
                let find = |name: &str| b.bodies.find(e.needed(name)?, "body");
                let pair = [find("body1")?, find("body2")?];
                b.model.excludes.push(pair);
            }
            "pair" => {
                let e = Element::with(node, scope.classes.of(node, None)?, "pair");
                let find = |name: &str| b.geoms.find(e.needed(name)?, "geom");
                let pair = Pair {
                    name: name_of(node),
                    geoms: [find("geom1")?, find("geom2")?],
                    condim: e.int("condim", 3)? as u32,
                    friction: e.reals("friction", [1.0, 1.0, 0.005, 0.0001, 0.0001])?,
                    softness: softness(&e, "solref", "solimp")?,
                    solreffriction: e.reals("solreffriction", [0.0; 2])?,
                    margin: e.real("margin", 0.0)?,
                    gap: e.real("gap", 0.0)?,
                };
                b.model.pairs.push(pair);
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn equalities(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("equality").flat_map(|c| &c.children) {
        let scope = &b.scopes[node.scope];
        let e = Element::with(node, scope.classes.of(node, None)?, "equality");
        let kind = match node.tag.as_str() {
            "connect" => connect(b, &e)?,
            "weld" => weld(b, &e)?,
            "joint" => {
                let joints = two(&e, ["joint1", "joint2"], &b.joints, "joint")?;
                EqualityKind::Joint { joints, polycoef: e.reals("polycoef", [0.0, 1.0, 0.0, 0.0, 0.0])? }
            }
            "tendon" => {
                let tendons = two(&e, ["tendon1", "tendon2"], &b.tendons, "tendon")?;
                EqualityKind::Tendon { tendons, polycoef: e.reals("polycoef", [0.0, 1.0, 0.0, 0.0, 0.0])? }
            }
            _ => continue,
        };
        let softness = softness(&e, "solref", "solimp")?;
        let active = e.flag("active", true)?;
        b.model.equalities.push(Equality { name: name_of(node), active, softness, kind });
    }
    Ok(())
}

fn two(e: &Element<'_>, names: [&str; 2], known: &Names, what: &str) -> Result<[Option<usize>; 2], Fault> {
    let first = known.find(e.needed(names[0])?, what)?;
    let second = e.get(names[1]).map(|a| known.find(a, what)).transpose()?;
    Ok([Some(first), second])
}

fn bodies(b: &Builder<'_>, e: &Element<'_>) -> Result<[usize; 2], Fault> {
    let first = b.bodies.find(e.needed("body1")?, "body")?;
    let second = e.get("body2").map(|a| b.bodies.find(a, "body")).transpose()?;
    Ok([first, second.unwrap_or(0)])
}

fn sites(b: &Builder<'_>, e: &Element<'_>) -> Result<Option<[usize; 2]>, Fault> {
    if e.get("site1").is_none() && e.get("site2").is_none() {
        return Ok(None);
    }
    let find = |name: &str| b.sites.find(e.needed(name)?, "site");
    Ok(Some([find("site1")?, find("site2")?]))
}

fn connect(b: &Builder<'_>, e: &Element<'_>) -> Result<EqualityKind, Fault> {
    if let Some(sites) = sites(b, e)? {
        return Ok(EqualityKind::ConnectSites { sites });
    }
    e.needed("anchor")?;
    Ok(EqualityKind::Connect { bodies: bodies(b, e)?, anchor: e.vec3("anchor", Vec3::ZERO)? })
}

fn weld(b: &Builder<'_>, e: &Element<'_>) -> Result<EqualityKind, Fault> {
    let torquescale = e.real("torquescale", 1.0)?;
    if let Some(sites) = sites(b, e)? {
        return Ok(EqualityKind::WeldSites { sites, torquescale });
    }
    // A quaternion of zeros means: as the bodies stand at the start.
    let relpose = e.maybe::<7>("relpose")?.and_then(|p| {
        let rotation = quat([p[3], p[4], p[5], p[6]])?;
        Some(Pose::new(rotation, Vec3::new(p[0], p[1], p[2])))
    });
    let anchor = e.vec3("anchor", Vec3::ZERO)?;
    Ok(EqualityKind::Weld { bodies: bodies(b, e)?, anchor, relpose, torquescale })
}
