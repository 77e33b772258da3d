//! Bodies with their joints, geoms, sites and cameras; frames are folded into them.

use super::super::attributes::Element;
use super::super::defaults::Class;
use super::super::error::Fault;
use super::super::model::{Body, Camera, Joint, JointKind, Model, Site, Softness};
use super::super::orientation::{TINY, orientation, pose};
use super::super::xml::Node;
use super::builder::{Builder, name_of};
use super::inertia::{EPS, principal};
use super::scope::FromGeoms;
use super::{Scope, geom};
use huygens_math::trig::{cos, sin};
use huygens_math::{Pose, Quat, Sym3, Vec3, scalar};

/// An element of a body, with the frames around it and the class that it has when it names none.
#[derive(Clone, Copy)]
pub(super) struct Item<'n> {
    pub node: &'n Node,
    pub frame: Pose,
    pub class: Option<&'n Class>,
}

impl<'n> Item<'n> {
    /// The element with its class.
    pub fn element(&self, scope: &'n Scope, tag: &str) -> Result<Element<'n>, Fault> {
        Ok(Element::with(self.node, scope.classes.of(self.node, self.class)?, tag))
    }
}

/// What a body holds, frames opened.
#[derive(Default)]
struct Items<'n> {
    inertial: Option<&'n Node>,
    joints: Vec<Item<'n>>,
    geoms: Vec<Item<'n>>,
    sites: Vec<Item<'n>>,
    cameras: Vec<Item<'n>>,
    bodies: Vec<Item<'n>>,
}

impl<'n> Items<'n> {
    fn gather(&mut self, scopes: &'n [Scope], within: Item<'n>) -> Result<(), Fault> {
        for node in &within.node.children {
            let item = Item { node, ..within };
            match node.tag.as_str() {
                "inertial" => self.inertial = Some(node),
                "joint" | "freejoint" => self.joints.push(item),
                "geom" => self.geoms.push(item),
                "site" => self.sites.push(item),
                "camera" => self.cameras.push(item),
                "body" => self.bodies.push(item),
                "frame" => {
                    let scope = &scopes[node.scope];
                    let e = Element::plain(node);
                    if e.get("scale").is_some() {
                        return Err(e.fault("`scale` of a frame is not done", "Scale the elements inside."));
                    }
                    let frame = within.frame * pose(&e, &scope.angles)?;
                    let class = match node.own("childclass") {
                        Some(name) => Some(scope.classes.find(name)?),
                        None => within.class,
                    };
                    self.gather(scopes, Item { node, frame, class })?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// All bodies of the model, depth first.
pub(super) fn world<'n>(b: &mut Builder<'n>, root: &'n Node) -> Result<(), Fault> {
    let mut items = Items::default();
    for node in root.all("worldbody") {
        items.gather(b.scopes, Item { node, frame: Pose::IDENTITY, class: None })?;
    }
    b.bodies.add("world", 0, root)?;
    if let Some(item) = items.joints.first() {
        return Err(Fault::at(&item.node.place, "the world has a joint", "Put it into a body."));
    }
    contents(b, 0, &items)?;
    for item in &items.bodies {
        body(b, *item, 0)?;
    }
    Ok(())
}

fn body<'n>(b: &mut Builder<'n>, item: Item<'n>, parent: usize) -> Result<(), Fault> {
    let (node, scope) = (item.node, &b.scopes[item.node.scope]);
    let e = Element::plain(node);
    let class = match node.own("childclass") {
        Some(name) => Some(scope.classes.find(name)?),
        None => item.class,
    };
    let own = pose(&e, &scope.angles)?;
    let id = b.model.bodies.len();
    let name = name_of(node);
    b.bodies.add(&name, id, node)?;
    let mocap = e.flag("mocap", false)?.then(|| {
        b.model.nmocap += 1;
        b.model.nmocap - 1
    });
    if mocap.is_some() && parent != 0 {
        return Err(e.fault("a mocap body hangs on another body", "It must hang on the world."));
    }
    b.model.bodies.push(Body {
        name,
        parent,
        pose: item.frame * own,
        inertial: Pose::IDENTITY,
        mass: 0.0,
        inertia: Vec3::ZERO,
        mocap,
        gravcomp: e.real("gravcomp", 0.0)?,
        joints: 0..0,
        geoms: 0..0,
        sites: 0..0,
    });
    let mut items = Items::default();
    items.gather(b.scopes, Item { node, frame: Pose::IDENTITY, class })?;
    contents(b, id, &items)?;
    inertial(b, id, &items, own, scope)?;
    align(b, id, &items, scope)?;
    for item in &items.bodies {
        body(b, *item, id)?;
    }
    Ok(())
}

/// Joints, geoms, sites and cameras of a body.
fn contents<'n>(b: &mut Builder<'n>, id: usize, items: &Items<'n>) -> Result<(), Fault> {
    let first = b.model.joints.len();
    for item in &items.joints {
        let joint = joint(b, id, item)?;
        b.joints.add(&joint.name, b.model.joints.len(), item.node)?;
        b.model.joints.push(joint);
    }
    b.model.bodies[id].joints = first..b.model.joints.len();
    check_joints(&b.model, id, items)?;
    let scopes = b.scopes;
    let first = b.model.geoms.len();
    let has_inertia = items.inertial.is_some();
    for item in &items.geoms {
        let scope = &scopes[item.node.scope];
        let infer = id > 0 && (!has_inertia || scope.from_geoms == FromGeoms::Always);
        let geom = geom::geom(b, id, item, infer)?;
        b.geoms.add(&geom.name, b.model.geoms.len(), item.node)?;
        b.model.geoms.push(geom);
    }
    b.model.bodies[id].geoms = first..b.model.geoms.len();
    let first = b.model.sites.len();
    for item in &items.sites {
        let site = site(b, id, item)?;
        b.sites.add(&site.name, b.model.sites.len(), item.node)?;
        b.model.sites.push(site);
    }
    b.model.bodies[id].sites = first..b.model.sites.len();
    for item in &items.cameras {
        let scope = &scopes[item.node.scope];
        let e = item.element(scope, "camera")?;
        let own = item.frame * pose(&e, &scope.angles)?;
        let fixed = e.text("mode").is_none_or(|mode| mode == "fixed");
        let name = name_of(item.node);
        b.cameras.add(&name, b.model.cameras.len(), item.node)?;
        let resolution = e.reals("resolution", [1.0; 2])?;
        b.model.cameras.push(Camera {
            name,
            body: id,
            pose: own,
            fixed,
            resolution,
            focal: focal(&e, resolution)?,
        });
    }
    Ok(())
}

/// Focal lengths of a camera in pixels: by its sensor, or by its angle of view.
fn focal(e: &Element<'_>, [across, down]: [f64; 2]) -> Result<[f64; 2], Fault> {
    let [width, height] = e.reals("sensorsize", [0.0; 2])?;
    if width > 0.0 && height > 0.0 {
        let [x, y] = e.reals("focalpixel", [0.0; 2])?;
        if x > 0.0 && y > 0.0 {
            return Ok([x, y]);
        }
        let [x, y] = e.reals("focal", [0.0; 2])?;
        return Ok([x / width * across, y / height * down]);
    }
    let half = e.real("fovy", 45.0)?.to_radians() / 2.0;
    Ok([0.5 * down * cos(half) / sin(half); 2])
}

fn check_joints(model: &Model, id: usize, items: &Items<'_>) -> Result<(), Fault> {
    let body = &model.bodies[id];
    let joints = &model.joints[body.joints.clone()];
    let Some(last) = items.joints.last() else { return Ok(()) };
    let fail = |message: &str, help: &str| Err(Fault::at(&last.node.place, message, help));
    if joints.iter().any(|j| j.kind == JointKind::Free) {
        if joints.len() > 1 {
            return fail("a free joint is not the only joint of its body", "Take the others out.");
        }
        if body.parent != 0 {
            return fail("a free joint is not at the top level", "Only a child of the world can be free.");
        }
    }
    if joints.iter().map(|j| j.kind.sizes()[1]).sum::<usize>() > 6 {
        return fail("more than 6 dofs in one body", "Put a body between.");
    }
    let mut turned = false;
    for joint in joints {
        if turned && matches!(joint.kind, JointKind::Ball | JointKind::Hinge) {
            return fail("a ball joint is followed by a rotation", "A ball joint has all rotations.");
        }
        turned |= joint.kind == JointKind::Ball;
    }
    if body.mocap.is_some() {
        return fail("a mocap body has a joint", "A mocap body is moved from outside.");
    }
    Ok(())
}

/// `solref` and `solimp` by the names of their attributes.
pub(super) fn softness(e: &Element<'_>, solref: &str, solimp: &str) -> Result<Softness, Fault> {
    let default = Softness::default();
    Ok(Softness { solref: e.reals(solref, default.solref)?, solimp: e.reals(solimp, default.solimp)? })
}

fn joint<'n>(b: &mut Builder<'n>, body: usize, item: &Item<'n>) -> Result<Joint, Fault> {
    let scope = &b.scopes[item.node.scope];
    let free = item.node.tag == "freejoint";
    let e = if free { Element::plain(item.node) } else { item.element(scope, "joint")? };
    let kinds = [
        ("free", JointKind::Free),
        ("ball", JointKind::Ball),
        ("slide", JointKind::Slide),
        ("hinge", JointKind::Hinge),
    ];
    let kind = if free { JointKind::Free } else { e.choice("type", &kinds, JointKind::Hinge)? };
    let turning = matches!(kind, JointKind::Hinge | JointKind::Ball);
    let unit = if turning { scope.angles.unit } else { 1.0 };
    let range = e.reals("range", [0.0; 2])?;
    let limited = kind != JointKind::Free && e.limited("limited", range, scope.autolimits)?;
    if limited && kind != JointKind::Ball && range[0] >= range[1] {
        return Err(e.fault(format!("`range` is {range:?}"), "The first number must be below the second."));
    }
    if limited && kind == JointKind::Ball && range[0] != 0.0 {
        return Err(e.fault(format!("`range` of a ball joint is {range:?}"), "The first number must be 0."));
    }
    let range = if limited { range.map(|x| x * unit) } else { range };
    let scalar_kind = matches!(kind, JointKind::Slide | JointKind::Hinge);
    let force = e.reals("actuatorfrcrange", [0.0; 2])?;
    let force_limited = scalar_kind && e.limited("actuatorfrclimited", force, scope.autolimits)?;
    let axis = item.frame.rotate(e.vec3("axis", Vec3::Z)?);
    let axis = if scalar_kind { axis } else { Vec3::Z };
    if axis.length() < TINY {
        return Err(e.fault("the axis has no length", "Write a direction."));
    }
    let reference = |name: &str| -> Result<f64, Fault> {
        let x = e.real(name, 0.0)?;
        Ok(if kind == JointKind::Hinge { x * scope.angles.unit } else { x })
    };
    if e.real("springyield", 0.0)? > 0.0 {
        b.leave_aside(&e, "springyield", &["0"], "The spring never yields.");
    }
    let at = e.vec3("pos", Vec3::ZERO)?;
    Ok(Joint {
        name: name_of(item.node),
        body,
        kind,
        pos: if kind == JointKind::Free { Vec3::ZERO } else { item.frame.transform(at) },
        axis: axis.normalize(),
        range,
        limited,
        margin: e.real("margin", 0.0)?,
        limit: softness(&e, "solreflimit", "solimplimit")?,
        friction: softness(&e, "solreffriction", "solimpfriction")?,
        stiffness: e.reals("stiffness", [0.0; 3])?,
        damping: e.reals("damping", [0.0; 3])?,
        springdamper: e.reals("springdamper", [0.0; 2])?,
        armature: e.real("armature", 0.0)?,
        frictionloss: e.real("frictionloss", 0.0)?,
        reference: reference("ref")?,
        springref: reference("springref")?,
        actuatorfrcrange: force_limited.then_some(force),
        actuatorgravcomp: e.flag("actuatorgravcomp", false)?,
        qpos: 0,
        dof: 0,
    })
}

fn site<'n>(b: &mut Builder<'n>, body: usize, item: &Item<'n>) -> Result<Site, Fault> {
    let scope = &b.scopes[item.node.scope];
    let e = item.element(scope, "site")?;
    let kind = geom::kind(&e)?;
    let mut size = e.reals("size", [0.005; 3])?;
    let own = match geom::from_to(&e, kind, &mut size)? {
        Some(pose) => pose,
        None => pose(&e, &scope.angles)?,
    };
    Ok(Site { name: name_of(item.node), body, pose: item.frame * own, kind, size })
}

/// Mass, centre and inertia of a body, from `<inertial>` or from its geoms.
fn inertial(
    b: &mut Builder<'_>,
    id: usize,
    items: &Items<'_>,
    own: Pose,
    scope: &Scope,
) -> Result<(), Fault> {
    let (mut mass, mut moments) = (0.0, Vec3::ZERO);
    // Without anything the inertial frame is where the body's frame is in its parent: MuJoCo has it so.
    let mut frame = own;
    if let Some(node) = items.inertial {
        let e = Element::plain(node);
        e.needed("pos")?;
        e.needed("mass")?;
        mass = e.real("mass", 0.0)?;
        let at = e.vec3("pos", Vec3::ZERO)?;
        let turned = orientation(&e, &scope.angles)?;
        frame = Pose::new(turned.unwrap_or(Quat::IDENTITY), at);
        moments = e.vec3("diaginertia", Vec3::ZERO)?;
        if let Some([xx, yy, zz, xy, xz, yz]) = e.maybe::<6>("fullinertia")? {
            if turned.is_some() {
                return Err(e.fault("`fullinertia` and an orientation", "Keep one of them."));
            }
            let full = Sym3 { xx, yy, zz, xy, xz, yz };
            (moments, frame.rotation) = principal(&full);
            if moments.z < EPS {
                return Err(e.fault("`fullinertia` has an eigenvalue that is not positive", ""));
            }
        }
    }
    let from_geoms = match scope.from_geoms {
        FromGeoms::Never => false,
        FromGeoms::Always => true,
        FromGeoms::Auto => items.inertial.is_none(),
    };
    if from_geoms && let Some(found) = from_geoms_of(&b.model, id, scope.group_range) {
        (mass, moments, frame) = found;
    }
    mass = scalar::max(mass, scope.boundmass);
    for k in 0..3 {
        moments[k] = scalar::max(moments[k], scope.boundinertia);
    }
    let place = items.inertial.or(items.geoms.first().map(|item| item.node)).map(|node| &node.place);
    if mass < 0.0 || moments.min_element() < 0.0 {
        let message = format!("mass is {mass}, inertia {moments:?}: negative");
        return Err(
            place.map_or_else(|| Fault::of_file(message.clone(), ""), |p| Fault::at(p, message.clone(), ""))
        );
    }
    let (x, y, z) = (moments.x, moments.y, moments.z);
    if x + y < z || x + z < y || y + z < x {
        if !scope.balanceinertia {
            let message = format!("the inertia {x} {y} {z} breaks A + B ≥ C: no body has it");
            let help = "Mend it, or set balanceinertia=\"true\" in <compiler>.";
            return Err(place.map_or_else(
                || Fault::of_file(message.clone(), help),
                |p| Fault::at(p, message.clone(), help),
            ));
        }
        moments = Vec3::splat((x + y + z) / 3.0);
    }
    let body = &mut b.model.bodies[id];
    (body.mass, body.inertia, body.inertial) = (mass, moments, frame);
    Ok(())
}

/// Mass, moments and inertial frame of the geoms of a body; `None` when they have no mass.
fn from_geoms_of(model: &Model, id: usize, groups: [f64; 2]) -> Option<(f64, Vec3, Pose)> {
    let geoms = &model.geoms[model.bodies[id].geoms.clone()];
    let counts = |group: i64| group as f64 >= groups[0] && group as f64 <= groups[1];
    let chosen: Vec<_> = geoms.iter().filter(|g| counts(g.group) && g.mass > EPS).collect();
    match chosen.as_slice() {
        [] => None,
        [only] => Some((only.mass, only.inertia, only.pose)),
        several => {
            let mass: f64 = several.iter().map(|g| g.mass).sum();
            let com = several.iter().map(|g| g.pose.translation * g.mass).sum::<Vec3>() / mass;
            let mut total = Sym3::ZERO;
            for g in several {
                let arm = g.pose.translation - com;
                total = total
                    + Sym3::rotated_diagonal(g.inertia, g.pose.rotation)
                    + Sym3::point_inertia(arm) * g.mass;
            }
            let (moments, rotation) = principal(&total);
            Some((mass, moments, Pose::new(rotation, com)))
        }
    }
}

/// A free body without children may have its frame moved to its inertial frame.
fn align(b: &mut Builder<'_>, id: usize, items: &Items<'_>, scope: &Scope) -> Result<(), Fault> {
    let body = &b.model.bodies[id];
    let [item] = items.joints.as_slice() else { return Ok(()) };
    let is_free = b.model.joints[body.joints.clone()].iter().all(|j| j.kind == JointKind::Free);
    if !is_free || !items.bodies.is_empty() {
        return Ok(());
    }
    let e = Element::plain(item.node);
    let wanted =
        e.choice("align", &[("true", true), ("false", false), ("auto", scope.alignfree)], scope.alignfree)?;
    if !wanted {
        return Ok(());
    }
    let inertial = body.inertial;
    let back = inertial.inverse();
    let (geoms, sites) = (body.geoms.clone(), body.sites.clone());
    let body = &mut b.model.bodies[id];
    body.pose = body.pose * inertial;
    body.inertial = Pose::IDENTITY;
    b.model.geoms[geoms].iter_mut().for_each(|g| g.pose = back * g.pose);
    b.model.sites[sites].iter_mut().for_each(|s| s.pose = back * s.pose);
    b.model.cameras.iter_mut().filter(|c| c.body == id).for_each(|c| c.pose = back * c.pose);
    Ok(())
}

/// Scales all masses so that their sum is what `settotalmass` says.
pub(super) fn total_mass(b: &mut Builder<'_>) {
    let wanted = b.scopes[0].settotalmass;
    let total: f64 = b.model.bodies.iter().map(|body| body.mass).sum();
    if wanted > 0.0 && total > 0.0 {
        let factor = wanted / total;
        for body in &mut b.model.bodies {
            body.mass *= factor;
            body.inertia *= factor;
        }
    }
}
