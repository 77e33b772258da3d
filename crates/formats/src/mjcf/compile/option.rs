//! `<option>` and `<flag>`.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{IntegratorKind, LengthMode, LengthTrial, Options};
use super::super::xml::Node;
use super::builder::Builder;
use huygens_math::Vec3;

pub(super) fn read(root: &Node) -> Result<Options, Fault> {
    let mut o = Options {
        timestep: 0.002,
        gravity: Vec3::new(0.0, 0.0, -9.81),
        wind: Vec3::ZERO,
        magnetic: Vec3::new(0.0, -0.5, 0.0),
        density: 0.0,
        viscosity: 0.0,
        impratio: 1.0,
        tolerance: 1e-8,
        iterations: 100,
        noslip_iterations: 0,
        integrator: IntegratorKind::Euler,
        elliptic: false,
        solver: "Newton".to_owned(),
        disabled: Vec::new(),
        enabled: Vec::new(),
        disabled_groups: Vec::new(),
    };
    for node in root.all("option") {
        let e = Element::plain(node);
        o.timestep = e.real("timestep", o.timestep)?;
        if o.timestep <= 0.0 {
            return Err(e.fault(format!("`timestep` is {}", o.timestep), "It must be above 0."));
        }
        o.gravity = e.vec3("gravity", o.gravity)?;
        o.wind = e.vec3("wind", o.wind)?;
        o.magnetic = e.vec3("magnetic", o.magnetic)?;
        o.density = e.real("density", o.density)?;
        o.viscosity = e.real("viscosity", o.viscosity)?;
        o.impratio = e.real("impratio", o.impratio)?;
        o.tolerance = e.real("tolerance", o.tolerance)?;
        o.iterations = e.int("iterations", o.iterations)?;
        o.noslip_iterations = e.int("noslip_iterations", o.noslip_iterations)?;
        let words = [
            ("Euler", IntegratorKind::Euler),
            ("RK4", IntegratorKind::Rk4),
            ("implicit", IntegratorKind::Implicit),
            ("implicitfast", IntegratorKind::ImplicitFast),
            ("discrete", IntegratorKind::Discrete),
        ];
        o.integrator = e.choice("integrator", &words, o.integrator)?;
        o.elliptic = e.choice("cone", &[("pyramidal", false), ("elliptic", true)], o.elliptic)?;
        let solvers = [("Newton", "Newton"), ("CG", "CG"), ("PGS", "PGS")];
        let solver = e.choice("solver", &solvers, "")?;
        if !solver.is_empty() {
            o.solver = solver.to_owned();
        }
        if let Some(groups) = e.list("actuatorgroupdisable")? {
            o.disabled_groups = groups.iter().map(|group| *group as i64).collect();
        }
        for flag in node.all("flag") {
            for attribute in &flag.attributes {
                let name = attribute.name.clone();
                o.disabled.retain(|n| *n != name);
                o.enabled.retain(|n| *n != name);
                match attribute.value.as_str() {
                    "enable" => o.enabled.push(name),
                    "disable" => o.disabled.push(name),
                    other => {
                        let message = format!("the flag `{name}` is {other:?}");
                        return Err(Fault::at(&attribute.place, message, "Write enable or disable."));
                    }
                }
            }
        }
    }
    Ok(o)
}

/// How the range of an actuator's length is found.
pub(super) fn lengthrange(root: &Node) -> Result<LengthTrial, Fault> {
    let mut t = LengthTrial::default();
    for node in root.all("compiler").flat_map(|node| node.all("lengthrange")) {
        let e = Element::plain(node);
        let words = [
            ("none", LengthMode::None),
            ("muscle", LengthMode::Muscle),
            ("muscleuser", LengthMode::MuscleUser),
            ("all", LengthMode::All),
        ];
        t.mode = e.choice("mode", &words, t.mode)?;
        t.useexisting = e.flag("useexisting", t.useexisting)?;
        t.uselimit = e.flag("uselimit", t.uselimit)?;
        for (name, value) in [
            ("accel", &mut t.accel),
            ("maxforce", &mut t.maxforce),
            ("timeconst", &mut t.timeconst),
            ("timestep", &mut t.timestep),
            ("inttotal", &mut t.inttotal),
            ("interval", &mut t.interval),
            ("tolrange", &mut t.tolrange),
        ] {
            *value = e.real(name, *value)?;
        }
        if t.inttotal > 1e5 || (t.timestep > 0.0 && t.timestep < 1e-6) {
            return Err(e.fault(
                "a trial of more than 1e11 steps",
                "Use a larger `timestep` or a shorter `inttotal`.",
            ));
        }
    }
    Ok(t)
}

/// What of the options is known but not done.
pub(super) fn warn(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    for node in root.all("option") {
        let e = Element::plain(node);
        if e.text("integrator") == Some("discrete") {
            let effect = "The model is stepped with another integrator.";
            b.warn(&node.place, "the integrator `discrete` is not done", effect);
        }
        if e.text("solver") == Some("PGS") {
            b.warn(&node.place, "the solver `PGS` is not done", "Newton is used in its place.");
        }
        for flag in node.all("flag") {
            for (name, word) in [("override", "enable"), ("sleep", "enable")] {
                if let Some(a) = flag.own(name).filter(|a| a.value == word) {
                    b.warn(&a.place, &format!("the flag `{name}` is left aside"), "");
                }
            }
        }
    }
    for node in root.all("compiler") {
        let e = Element::plain(node);
        b.leave_aside(
            &e,
            "fusestatic",
            &["false"],
            "Bodies that are fixed to others keep their ids; the motion is the same.",
        );
        b.leave_aside(&e, "discardvisual", &["false"], "Geoms that only are seen stay in the model.");
    }
    Ok(())
}
