//! Geoms: shape, place, mass and contact parameters.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{Geom, GeomKind, Mesh};
use super::super::orientation::{TINY, pose, z_to};
use super::body::{Item, softness};
use super::builder::{Builder, name_of};
use super::inertia::{EPS, moments, volume};
use huygens_math::{Pose, Vec3, scalar};

/// The type of a geom or site.
pub(super) fn kind(e: &Element<'_>) -> Result<GeomKind, Fault> {
    let kinds = [
        ("plane", GeomKind::Plane),
        ("hfield", GeomKind::HeightField),
        ("sphere", GeomKind::Sphere),
        ("capsule", GeomKind::Capsule),
        ("ellipsoid", GeomKind::Ellipsoid),
        ("cylinder", GeomKind::Cylinder),
        ("box", GeomKind::Box),
        ("mesh", GeomKind::Mesh),
        ("sdf", GeomKind::Sdf),
    ];
    e.choice("type", &kinds, GeomKind::Sphere)
}

/// Place of a geom between two points; its size gets half of their distance.
pub(super) fn from_to(e: &Element<'_>, kind: GeomKind, size: &mut [f64; 3]) -> Result<Option<Pose>, Fault> {
    let Some(p) = e.maybe::<6>("fromto")? else { return Ok(None) };
    let (from, to) = (Vec3::new(p[0], p[1], p[2]), Vec3::new(p[3], p[4], p[5]));
    let back = from - to;
    let length = back.length();
    if length / 2.0 < TINY {
        return Err(e.fault("the two points of `fromto` coincide", ""));
    }
    match kind {
        GeomKind::Capsule | GeomKind::Cylinder => size[1] = length / 2.0,
        GeomKind::Ellipsoid | GeomKind::Box => *size = [size[0], size[0], length / 2.0],
        _ => {
            return Err(e.fault(
                "`fromto` of a shape without an axis",
                "Only capsule, cylinder, box, ellipsoid have it.",
            ));
        }
    }
    Ok(Some(Pose::new(z_to(back / length), (from + to) / 2.0)))
}

/// How many numbers of the size count.
fn sizes(kind: GeomKind) -> usize {
    match kind {
        GeomKind::Sphere => 1,
        GeomKind::Capsule | GeomKind::Cylinder => 2,
        GeomKind::Box | GeomKind::Ellipsoid => 3,
        _ => 0,
    }
}

/// A geom of the body; `infer` when it gives the body its mass.
pub(super) fn geom<'n>(
    b: &mut Builder<'n>,
    body: usize,
    item: &Item<'n>,
    infer: bool,
) -> Result<Geom, Fault> {
    let scope = &b.scopes[item.node.scope];
    let e = item.element(scope, "geom")?;
    let mut kind = kind(&e)?;
    let mut size = e.reals("size", [0.0; 3])?;
    let named = |name: &str| e.get(name).filter(|a| !a.value.is_empty());
    let mut mesh = named("mesh").map(|a| b.meshes.find(a, "mesh")).transpose()?;
    let hfield = named("hfield").map(|a| b.hfields.find(a, "height field")).transpose()?;
    let mut own = match from_to(&e, kind, &mut size)? {
        Some(pose) => pose,
        None => pose(&e, &scope.angles)?,
    };
    if kind == GeomKind::Sdf {
        let effect = "Its mesh is taken for it.";
        b.warn(&item.node.place, "a signed distance field as geom is not done", effect);
        kind = if mesh.is_some() { GeomKind::Mesh } else { GeomKind::Sphere };
    }
    if kind == GeomKind::Mesh && mesh.is_none() {
        return Err(e.fault("a geom of type mesh names no mesh", "Write `mesh`."));
    }
    if kind == GeomKind::HeightField && hfield.is_none() {
        return Err(e.fault("a geom of type hfield names no height field", "Write `hfield`."));
    }
    let shell = e.flag("shellinertia", false)?;
    let mut of_mesh = None;
    if let Some(id) = mesh {
        let asset = b.model.meshes[id].clone();
        let mut center = Vec3::ZERO;
        if kind == GeomKind::Mesh {
            size = [0, 1, 2].map(|k| scalar::max(asset.bounds[0][k].abs(), asset.bounds[1][k].abs()));
        } else {
            center = fit(&asset, kind, scope.fitaabb, e.real("fitscale", 1.0)?, &mut size);
            mesh = None;
        }
        let center = Pose::new(asset.pose.rotation, asset.pose.translation + asset.pose.rotate(center));
        own = own * center;
        of_mesh = Some(asset).filter(|_| kind == GeomKind::Mesh);
    }
    if let Some(s) = size[..sizes(kind)].iter().find(|s| **s <= 0.0) {
        return Err(e.fault(format!("a size is {s}; it must be above 0"), "Write `size`."));
    }
    if let Some(field) = hfield.map(|id| b.model.hfields[id].clone()) {
        size = [field.size[0], field.size[1], 0.25 * field.size[2] + 0.5 * field.size[3]];
    }
    let group = e.int("group", 0)?;
    let counts = group as f64 >= scope.group_range[0] && group as f64 <= scope.group_range[1];
    let (mut mass, mut inertia) = (0.0, Vec3::ZERO);
    if infer && counts {
        let content = of_mesh.as_ref().map_or_else(|| volume(kind, size, shell), |m| m.volume);
        mass = match e.get("mass") {
            Some(_) if content > EPS => e.real("mass", 0.0)?,
            Some(_) => 0.0,
            None => e.real("density", 1000.0)? * content,
        };
        if mass < 0.0 {
            return Err(e.fault(format!("the mass is {mass}"), "It must not be negative."));
        }
        if mass > 0.0 {
            inertia = match &of_mesh {
                Some(m) => {
                    let [x, y, z] = m.box_size.map(|x| x * x);
                    Vec3::new(y + z, x + z, x + y) * (mass / 3.0)
                }
                None => moments(kind, mass, size, shell),
            };
        }
    }
    let fluid = e.choice("fluidshape", &[("none", false), ("ellipsoid", true)], false)?;
    b.leave_aside(&e, "surfacevel", &["0 0 0 0 0 0", "0 0 0"], "The surface does not move.");
    b.leave_aside(&e, "adhesion", &["0"], "The geom does not stick.");
    let bits = |name: &str| -> Result<u32, Fault> { Ok(e.int(name, 1)? as u32) };
    let condim = e.int("condim", 3)?;
    if ![1, 3, 4, 6].contains(&condim) {
        return Err(e.fault(format!("`condim` is {condim}"), "It must be 1, 3, 4 or 6."));
    }
    let invisible = e.reals("rgba", [0.5, 0.5, 0.5, 1.0])?[3] == 0.0;
    Ok(Geom {
        name: name_of(item.node),
        body,
        kind,
        pose: item.frame * own,
        size,
        mesh,
        hfield,
        contype: bits("contype")?,
        conaffinity: bits("conaffinity")?,
        condim: condim as u32,
        group,
        priority: e.int("priority", 0)?,
        friction: e.reals("friction", [1.0, 0.005, 0.0001])?,
        solmix: e.real("solmix", 1.0)?,
        softness: softness(&e, "solref", "solimp")?,
        margin: e.real("margin", 0.0)?,
        gap: e.real("gap", 0.0)?,
        mass,
        inertia,
        fluid: if fluid { Some(e.reals("fluidcoef", [0.5, 0.25, 1.5, 1.0, 1.0])?) } else { None },
        invisible,
    })
}

/// Size of a primitive in the place of a mesh; returns its centre in the mesh's frame.
fn fit(mesh: &Mesh, kind: GeomKind, to_bounds: bool, scale: f64, size: &mut [f64; 3]) -> Vec3 {
    let mut center = Vec3::ZERO;
    if to_bounds {
        center = (mesh.bounds[0] + mesh.bounds[1]) / 2.0;
        let half = mesh.bounds[1] - center;
        let across = scalar::max(half.x, half.y);
        *size = match kind {
            GeomKind::Sphere => [scalar::max(across, half.z), 0.0, 0.0],
            GeomKind::Capsule => [across, half.z - across, 0.0],
            GeomKind::Cylinder => [across, half.z, 0.0],
            _ => half.to_array(),
        };
    } else {
        let [x, y, z] = mesh.box_size;
        let across = (x + y) / 2.0;
        *size = match kind {
            GeomKind::Sphere => [(x + y + z) / 3.0, 0.0, 0.0],
            GeomKind::Capsule => [across, scalar::max(0.0, z - across / 2.0), 0.0],
            GeomKind::Cylinder => [across, z, 0.0],
            _ => [x, y, z],
        };
    }
    *size = size.map(|s| s * scale);
    center
}
