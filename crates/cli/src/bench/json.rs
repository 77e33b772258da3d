//! The JSON of `bench`. The programs under bench/ print the same members, as far as they know them.

use super::engine::Measured;
use crate::json::named;
use huygens_formats::json::Object;

/// One object for all runs, without a line break.
pub fn all(results: &[Measured]) -> String {
    let mut object = Object::default();
    let threads = results.first().map_or(1, |run| run.threads as u64);
    object.integer("threads", threads).list("results", results.iter().map(one));
    object.finish()
}

fn one(run: &Measured) -> String {
    let mut object = Object::default();
    object
        .text("engine", "huygens")
        .text("version", env!("CARGO_PKG_VERSION"))
        .text("scene", &run.name)
        .text("solver", &run.solver)
        .text("level", run.level)
        .integer("bodies", run.bodies)
        .integer("steps", run.steps)
        .integer("from", run.window.start)
        .integer("to", run.window.end)
        .number("mean_ms", run.mean_ms)
        .number("median_ms", run.median_ms)
        .number("busy_ms", run.busy_ms)
        .number("wall_ms", run.mean_ms)
        .number("cpu_ms", run.cpu_ms)
        .integer("threads", run.threads as u64)
        .number("contacts", run.contacts)
        .number("ns_per_contact", run.ns_per_contact());
    let mut penetration = Object::default();
    penetration
        .integer("points", run.penetration.points as u64)
        .number("max", run.penetration.max)
        .number("p99", run.penetration.p99)
        .number("mean", run.penetration.mean);
    object
        .raw("penetration", &penetration.finish())
        .number("kinetic_energy", run.kinetic_energy)
        .integer("peak_bytes", run.peak_bytes)
        .number("bytes_per_body", run.bytes_per_body())
        .raw("stages", &named(&run.stages))
        .number("energy_start", run.energy[0])
        .number("energy_end", run.energy[1])
        .raw("ledger", &named(&run.accounts))
        .number("unexplained", run.unexplained)
        .number("worst_ratio", run.worst_ratio)
        .integer("quarantined", run.quarantined)
        .text("hash", &format!("{:016x}", run.hash));
    object.finish()
}
