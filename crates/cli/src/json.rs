//! The JSON of `run`, exactly as INTERFACE.md has it.

use crate::adapter::Outcome;
use crate::run::Finished;
use huygens::scene::{SceneWarning, Unmet};
use huygens_formats::json::{Object, number};
use huygens_formats::toml::Setting;

/// One object, without a line break.
pub fn run(finished: &Finished) -> String {
    let Finished { name, scene, settings, outcome, wall_seconds, warnings, unmet, hashes, robot } = finished;
    let mut object = Object::default();
    object
        .text("scene", name)
        .text("solver", &scene.world.solver)
        .number("dt", scene.world.dt)
        .integer("steps", outcome.steps)
        .number("time", outcome.time)
        .number("wall_seconds", *wall_seconds);
    let mut energy = Object::default();
    energy.number("start", outcome.energy_start).number("end", outcome.energy_end);
    object.raw("energy", &energy.finish());
    object.raw("ledger", &named(&outcome.ledger));
    object.list("bodies", bodies(outcome));
    object.list("joints", joints(outcome));
    if !outcome.tendons.is_empty() {
        object.list("tendons", tendons(outcome));
    }
    if outcome.mechanisms.pieces > 0 {
        let mechanisms = outcome.mechanisms;
        let mut of = Object::default();
        of.number("gap", mechanisms.gap)
            .number("residual", mechanisms.residual)
            .integer("pieces", u64::from(mechanisms.pieces))
            .integer("unsolved_steps", outcome.unsolved);
        object.raw("mechanisms", &of.finish());
    }
    if !outcome.broken.is_empty() {
        object.list("broken", broken(outcome));
    }
    object.list("drivers", drivers(outcome));
    let mut contacts = Object::default();
    contacts
        .integer("count", outcome.contacts)
        .number("max_penetration", outcome.max_penetration)
        .number("max_penetration_end", outcome.max_penetration_end);
    object.raw("contacts", &contacts.finish());
    object.raw("certificate", &named(&outcome.certificate));
    for (name, json) in robot {
        object.raw(name, json);
    }
    object.text("hash", &format!("{:016x}", outcome.hash));
    if let Some(hashes) = hashes {
        object.list("hashes", hashes.iter().map(hash_at));
    }
    object.list("set", settings.iter().map(set));
    match unmet {
        Some(unmet) => object.raw("expect", &expect(scene.expect.len(), unmet)),
        None => object.raw("expect", "null"),
    };
    object.list("warnings", warnings.iter().map(warning));
    object.finish()
}

/// The hash after so many steps.
pub fn hash_at(&(step, hash): &(u64, u64)) -> String {
    let mut object = Object::default();
    object.integer("step", step).text("hash", &format!("{hash:016x}"));
    object.finish()
}

/// One value of the scene that the command line replaced.
fn set(setting: &Setting) -> String {
    let mut object = Object::default();
    object.text("path", &setting.path()).text("value", setting.value());
    object.finish()
}

fn expect(checks: usize, unmet: &[Unmet]) -> String {
    let mut object = Object::default();
    object.flag("pass", unmet.is_empty()).integer("checks", checks as u64);
    object.list("unmet", unmet.iter().map(unmet_check));
    object.finish()
}

fn unmet_check(unmet: &Unmet) -> String {
    let mut object = Object::default();
    object.text("quantity", &unmet.check.quantity.to_string());
    object.raw("value", &unmet.value.map_or_else(|| "null".to_owned(), number));
    // An end of a band may be infinite, which JSON has no word for.
    object.number("low", unmet.check.band.low).number("high", unmet.check.band.high);
    object.raw("time", &unmet.time.map_or_else(|| "null".to_owned(), number));
    object.finish()
}

fn warning(warning: &SceneWarning) -> String {
    let mut object = Object::default();
    object
        .text("place", &warning.path.to_string())
        .text("problem", &warning.problem)
        .text("remedy", &warning.remedy);
    object.finish()
}

/// An object of numbers.
pub fn named(values: &[(&'static str, f64)]) -> String {
    let mut object = Object::default();
    for (name, value) in values {
        object.number(name, *value);
    }
    object.finish()
}

fn bodies(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    outcome.bodies.iter().map(|body| {
        let q = body.orientation;
        let mut object = Object::default();
        object
            .text("name", &body.name)
            .numbers("position", body.position.to_array())
            .numbers("orientation", [q.w, q.x, q.y, q.z])
            .numbers("linear_velocity", body.linear_velocity.to_array())
            .numbers("angular_velocity", body.angular_velocity.to_array())
            .flag("asleep", body.asleep);
        object.finish()
    })
}

fn joints(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    outcome.joints.iter().map(|joint| {
        let mut object = Object::default();
        object
            .text("name", &joint.name)
            .number("q", joint.q)
            .number("v", joint.v)
            .list("coordinates", joint.coordinates.iter().map(|x| number(*x)))
            .list("velocities", joint.velocities.iter().map(|x| number(*x)))
            .numbers("force", joint.load.force.to_array())
            .numbers("torque", joint.load.torque.to_array())
            .number("work", joint.motor.work)
            .number("power", joint.motor.power);
        object.finish()
    })
}

fn tendons(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    outcome.tendons.iter().map(|tendon| {
        let mut object = Object::default();
        object.text("name", &tendon.name).number("length", tendon.length).number("tension", tendon.tension);
        object.finish()
    })
}

/// The joints that broke.
fn broken(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    outcome.broken.iter().map(|broken| {
        let mut object = Object::default();
        object
            .text("name", &broken.name)
            .number("time", broken.time)
            .number("force", broken.force)
            .number("torque", broken.torque);
        object.finish()
    })
}

/// The drivers of a run.
pub fn drivers(outcome: &Outcome) -> impl Iterator<Item = String> + '_ {
    outcome.drivers.iter().map(|driver| {
        let mut object = Object::default();
        object
            .text("name", &driver.name)
            .number("work", driver.work)
            .number("peak_force", driver.peak_force)
            .number("peak_torque", driver.peak_torque);
        object.finish()
    })
}
