//! Actuators: the general one, and the shortcuts that MJCF has for it.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::mech::servo_activations;
use super::super::model::{Actuator, DynKind, GainKind, Input, JointKind, Transmission};
use super::super::xml::Node;
use super::builder::{Builder, name_of};
use super::scope::Scope;
use super::servo;
use std::f64::consts::PI;

pub(super) fn read(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("actuator").flat_map(|a| &a.children) {
        let scope = &b.scopes[node.scope];
        let tag = if node.tag == "plugin" { "general" } else { node.tag.as_str() };
        let e = Element::with(node, scope.classes.of(node, None)?, tag);
        let mut actuator = mechanical(b, &e, scope)?;
        gains(&e, &mut actuator)?;
        inherit_range(b, &e, &mut actuator)?;
        actuator.actdim = match actuator.dynamics {
            DynKind::Pid | DynKind::DcMotor => {
                servo_activations(actuator.gain, &actuator.dynprm, &actuator.gainprm)
            }
            DynKind::None => actuator.actdim,
            _ => actuator.actdim.max(1),
        };
        for name in ["delay", "nsample", "interp"] {
            b.leave_aside(&e, name, &["0", "zoh"], "The actuator acts without delay.");
        }
        if actuator.unknown || actuator.gain == GainKind::User || actuator.dynamics == DynKind::User {
            b.warn(&node.place, &format!("<{}> of this kind is not done", node.tag), "Its force is zero.");
            actuator.unknown = true;
        }
        b.actuators.add(&actuator.name, b.model.actuators.len(), node)?;
        b.model.na += actuator.actdim;
        b.model.nu += actuator.inputs.len();
        b.model.actuators.push(actuator);
    }
    Ok(())
}

fn mechanical(b: &Builder<'_>, e: &Element<'_>, scope: &Scope) -> Result<Actuator, Fault> {
    let limited = |name: &str, range: &str| -> Result<Option<[f64; 2]>, Fault> {
        let values = e.reals(range, [0.0; 2])?;
        Ok(e.limited(name, values, scope.autolimits)?.then_some(values))
    };
    Ok(Actuator {
        name: name_of(e.node),
        transmission: transmission(b, e)?,
        gear: e.reals("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?,
        dynamics: DynKind::None,
        gain: GainKind::Fixed,
        bias: GainKind::None,
        dynprm: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        gainprm: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        biasprm: [0.0; 10],
        inputs: vec![Input::Command],
        ctrlranges: vec![limited("ctrllimited", "ctrlrange")?],
        forcerange: limited("forcelimited", "forcerange")?,
        actrange: limited("actlimited", "actrange")?,
        lengthrange: e.reals("lengthrange", [0.0; 2])?,
        damping: e.reals("damping", [0.0; 3])?,
        armature: e.real("armature", 0.0)?,
        actearly: e.flag("actearly", false)?,
        actdim: e.int("actdim", -1)?.max(0) as usize,
        group: e.int("group", 0)?,
        dampratio: false,
        unknown: false,
    })
}

fn transmission(b: &Builder<'_>, e: &Element<'_>) -> Result<Transmission, Fault> {
    let of = |name: &str| e.node.own(name);
    let site = |name: &str| of(name).map(|a| b.sites.find(a, "site")).transpose();
    if let Some(a) = of("joint") {
        return Ok(Transmission::Joint(b.joints.find(a, "joint")?));
    }
    if let Some(a) = of("jointinparent") {
        return Ok(Transmission::JointInParent(b.joints.find(a, "joint")?));
    }
    if let Some(a) = of("tendon") {
        return Ok(Transmission::Tendon(b.tendons.find(a, "tendon")?));
    }
    if let Some(crank) = site("cranksite")? {
        let slider = b.sites.find(e.needed("slidersite")?, "site")?;
        let rod = e.real("cranklength", 0.0)?;
        if rod <= 0.0 {
            return Err(e.fault(format!("`cranklength` is {rod}"), "It must be above 0."));
        }
        return Ok(Transmission::SliderCrank { crank, slider, rod });
    }
    if let Some(found) = site("site")? {
        return Ok(Transmission::Site { site: found, refsite: site("refsite")? });
    }
    if let Some(a) = of("body") {
        return Ok(Transmission::Body(b.bodies.find(a, "body")?));
    }
    Err(e.fault("the actuator acts on nothing", "Name a joint, tendon, site, cranksite or body."))
}

/// The words of `dyntype`, `gaintype`, `biastype` and their numbers.
fn general(e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    let dynamics = [
        ("none", DynKind::None),
        ("integrator", DynKind::Integrator),
        ("filter", DynKind::Filter),
        ("filterexact", DynKind::FilterExact),
        ("muscle", DynKind::Muscle),
        ("user", DynKind::User),
        ("pid", DynKind::Pid),
        ("dcmotor", DynKind::DcMotor),
    ];
    let gains = [
        ("none", GainKind::None),
        ("fixed", GainKind::Fixed),
        ("affine", GainKind::Affine),
        ("muscle", GainKind::Muscle),
        ("user", GainKind::User),
        ("so3", GainKind::User),
        ("pid", GainKind::Pid),
        ("dcmotor", GainKind::DcMotor),
    ];
    a.dynamics = e.choice("dyntype", &dynamics, a.dynamics)?;
    a.gain = e.choice("gaintype", &gains, a.gain)?;
    a.bias = e.choice("biastype", &gains, a.bias)?;
    a.dynprm = e.reals("dynprm", a.dynprm)?;
    a.gainprm = e.reals("gainprm", a.gainprm)?;
    a.biasprm = e.reals("biasprm", a.biasprm)?;
    Ok(())
}

/// What the element's name and its gains make of the actuator.
fn gains(e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    // A default of `general` passes its numbers to every shortcut.
    general(e, a)?;
    let ctrl_not_negative = |a: &Actuator| {
        let low = a.ctrlranges[0].unwrap_or([0.0; 2]);
        if low[0] < 0.0 || low[1] < 0.0 { Err(e.fault("the control range is negative", "")) } else { Ok(()) }
    };
    match e.node.tag.as_str() {
        "general" => {
            // With an affine bias that mirrors the gain, a positive third number is a damping ratio, as for `position`.
            a.dampratio = a.bias == GainKind::Affine && a.gainprm[0] == -a.biasprm[1] && a.biasprm[2] > 0.0;
            match a.gain {
                GainKind::Pid => servo::signature(e, a, &servo::CONTROLLER, "pos vel")?,
                GainKind::DcMotor => servo::signature(e, a, &servo::MOTOR, "voltage")?,
                _ => {}
            }
        }
        "pid" => servo::pid(e, a)?,
        "dcmotor" => servo::motor(e, a)?,
        "orientation" => {
            let quaternion = e.text("input") == Some("quat");
            a.inputs = vec![Input::Command; if quaternion { 4 } else { 3 }];
            a.ctrlranges = vec![a.ctrlranges[0]; a.inputs.len()];
            a.unknown = true;
        }
        "motor" => {
            (a.dynamics, a.gain, a.bias) = (DynKind::None, GainKind::Fixed, GainKind::None);
            a.gainprm = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            a.biasprm = [0.0; 10];
        }
        "position" | "intvelocity" => servo(e, a)?,
        "velocity" => {
            let kv = e.real("kv", a.gainprm[0])?;
            a.biasprm = [0.0; 10];
            (a.gainprm[0], a.biasprm[2]) = (kv, -kv);
            (a.dynamics, a.gain, a.bias) = (DynKind::None, GainKind::Fixed, GainKind::Affine);
        }
        "damper" => {
            let kv = e.real("kv", 0.0)?;
            if kv < 0.0 {
                return Err(e.fault(format!("`kv` is {kv}"), "It must not be negative."));
            }
            a.gainprm = [0.0; 10];
            a.gainprm[2] = -kv;
            (a.dynamics, a.gain, a.bias) = (DynKind::None, GainKind::Affine, GainKind::None);
            a.ctrlranges[0] = Some(e.reals("ctrlrange", [0.0; 2])?);
            ctrl_not_negative(a)?;
        }
        "cylinder" => {
            a.dynprm[0] = e.real("timeconst", a.dynprm[0])?;
            let bias = e.reals("bias", [a.biasprm[0], a.biasprm[1], a.biasprm[2]])?;
            a.biasprm[..3].copy_from_slice(&bias);
            a.gainprm[0] = e.real("area", a.gainprm[0])?;
            if e.get("diameter").is_some() {
                let d = e.real("diameter", 0.0)?;
                a.gainprm[0] = PI / 4.0 * d * d;
            }
            (a.dynamics, a.gain, a.bias) = (DynKind::Filter, GainKind::Fixed, GainKind::Affine);
        }
        "muscle" => muscle(e, a)?,
        "adhesion" => {
            a.gainprm[0] = e.real("gain", a.gainprm[0])?;
            (a.gain, a.bias) = (GainKind::Fixed, GainKind::None);
            a.ctrlranges[0] = Some(e.reals("ctrlrange", [0.0; 2])?);
            ctrl_not_negative(a)?;
        }
        _ => a.unknown = true,
    }
    Ok(())
}

fn servo(e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    let kp = e.real("kp", a.gainprm[0])?;
    (a.gainprm[0], a.biasprm[1]) = (kp, -kp);
    // kv and dampratio share one place: the element's own word wins over its class.
    let own = |name: &str| e.node.own(name).is_some();
    if own("kv") && own("dampratio") {
        return Err(e.fault("`kv` and `dampratio`", "Keep one of them."));
    }
    let last = e.all().filter(|attribute| matches!(attribute.name.as_str(), "kv" | "dampratio")).last();
    match last.map(|attribute| attribute.name.as_str()) {
        Some("kv") => a.biasprm[2] = -e.real("kv", 0.0)?,
        Some(_) => a.biasprm[2] = e.real("dampratio", 0.0)?,
        None => {}
    }
    a.dampratio = a.biasprm[2] > 0.0;
    if e.get("timeconst").is_some() {
        a.dynprm[0] = e.real("timeconst", 0.0)?;
        a.dynamics = if a.dynprm[0] == 0.0 { DynKind::None } else { DynKind::FilterExact };
    }
    if e.node.tag == "intvelocity" {
        a.dynamics = DynKind::Integrator;
    }
    (a.gain, a.bias) = (GainKind::Fixed, GainKind::Affine);
    Ok(())
}

fn muscle(e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    let tau = e.reals("timeconst", [0.01, 0.04])?;
    (a.dynprm[0], a.dynprm[1]) = (tau[0], tau[1]);
    a.dynprm[2] = e.real("tausmooth", 0.0)?;
    let range = e.reals("range", [0.75, 1.05])?;
    let mut p = [range[0], range[1], -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0];
    for (k, name) in ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"].into_iter().enumerate() {
        p[k + 2] = e.real(name, p[k + 2])?;
    }
    (a.gainprm, a.biasprm) = (p, p);
    (a.dynamics, a.gain, a.bias) = (DynKind::Muscle, GainKind::Muscle, GainKind::Muscle);
    Ok(())
}

/// Control or activation range from the target's own range.
fn inherit_range(b: &Builder<'_>, e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    let share = e.real("inheritrange", 0.0)?;
    if share <= 0.0 {
        return Ok(());
    }
    let fixed = a.gain == GainKind::Fixed && a.gainprm[0] == -a.biasprm[1];
    if a.bias != GainKind::Affine || !(fixed || a.gain == GainKind::Pid) {
        return Ok(());
    }
    let target = match a.transmission {
        Transmission::Joint(id) => {
            let joint = &b.model.joints[id];
            matches!(joint.kind, JointKind::Hinge | JointKind::Slide).then_some(joint.range)
        }
        Transmission::Tendon(id) => Some(b.model.tendons[id].range),
        _ => None,
    };
    let Some([low, high]) = target.filter(|range| range[0] != range[1]) else {
        return Err(e.fault("`inheritrange`, but the target has no range", "Give the target a range."));
    };
    let (mid, half) = ((low + high) / 2.0, (high - low) / 2.0 * share);
    let range = Some([mid - half, mid + half]);
    if a.dynamics == DynKind::Integrator {
        a.actrange = range
    } else {
        a.ctrlranges[0] = range
    }
    Ok(())
}
