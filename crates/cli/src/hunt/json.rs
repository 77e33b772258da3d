//! The JSON of `hunt`.

use super::command::Hunted;
use super::write::Written;
use huygens_formats::json::Object;
use huygens_hunt::{Finding, Judgement, Kind, Tally, moving};

/// One object, without a line break.
pub fn object(hunted: &Hunted) -> String {
    let Hunted { plan, report, written } = hunted;
    let mut object = Object::default();
    object
        .integer("seed", plan.seed)
        .integer("scenes", plan.scenes)
        .list("found", report.findings.iter().zip(written).map(|(finding, written)| found(finding, written)))
        .list("kinds", report.tallies.iter().map(tally))
        .flag("stopped", report.stopped);
    object.finish()
}

fn found(finding: &Finding, written: &Written) -> String {
    let mut object = Object::default();
    object
        .text("kind", finding.kind.word())
        .number("figure", finding.verdict.figure)
        .number("limit", finding.verdict.limit)
        .integer("scene", finding.number)
        .text("file", &written.file)
        .text("command", &written.command)
        .text("judge", &written.judge)
        .text("solver", &finding.scene.world.solver)
        .text("what", &finding.verdict.what)
        .integer("step", finding.verdict.step)
        .flag("shrunk", finding.shrunk)
        .integer("bodies_before", finding.found_bodies as u64)
        .integer("bodies_after", moving(&finding.scene) as u64);
    object.finish()
}

fn tally(tally: &Tally) -> String {
    let mut object = Object::default();
    object
        .text("kind", tally.kind.word())
        .integer("scenes", tally.scenes)
        .integer("judged", tally.judged)
        .integer("faults", tally.faults);
    if let Some([figure, limit]) = tally.worst {
        object.number("worst", figure).number("limit", limit);
    }
    object.finish()
}

/// The verdict on one scene, as a JSON object.
pub fn judgement(kind: Kind, judgement: &Judgement) -> String {
    let mut object = Object::default();
    object.text("kind", kind.word());
    match judgement {
        Judgement::Judged(verdict) => object
            .flag("judged", true)
            .number("figure", verdict.figure)
            .number("limit", verdict.limit)
            .flag("fault", verdict.is_fault())
            .integer("step", verdict.step)
            .text("what", &verdict.what),
        Judgement::NotJudged(why) => object.flag("judged", false).text("what", why),
    };
    object.finish()
}
