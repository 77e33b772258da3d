//! The printed page of a hunt.

use super::command::Hunted;
use crate::table::brief;
use huygens_hunt::{Finding, Judgement, Kind, moving};
use std::fmt::Write;

/// The table by kind, then each finding with the command that runs it.
pub fn page(hunted: &Hunted) -> String {
    let Hunted { plan, report, written } = hunted;
    let mut page = String::new();
    let solvers = plan.solvers.join(", ");
    let _ = writeln!(page, "{} scenes of each kind, seed {}, with {solvers}\n", plan.scenes, plan.seed);
    page += &tallies(hunted);
    for (finding, written) in report.findings.iter().zip(written).filter(|(finding, _)| finding.shrunk) {
        let _ = writeln!(page, "\n{} {}: {}", finding.kind.word(), finding.number, finding.verdict.what);
        let _ = writeln!(page, "    {}", size(finding));
        let _ = writeln!(page, "    {}\n    {}", written.command, written.judge);
    }
    let whole = report.findings.iter().filter(|finding| !finding.shrunk).count();
    if whole > 0 {
        let _ = writeln!(
            page,
            "\n{whole} more findings, not shrunk (`--shrink N` shrinks more of each kind); each is a file in the same folder:"
        );
        page += &others(hunted);
    }
    page
}

/// Numbers of the findings that were not shrunk, by kind.
fn others(hunted: &Hunted) -> String {
    let mut lines = String::new();
    for kind in &hunted.plan.kinds {
        let of_kind =
            hunted.report.findings.iter().filter(|finding| finding.kind == *kind && !finding.shrunk);
        let numbers: Vec<String> = of_kind.map(|finding| finding.number.to_string()).collect();
        if !numbers.is_empty() {
            let _ = writeln!(lines, "    {}: scenes {}", kind.word(), numbers.join(", "));
        }
    }
    lines
}

fn tallies(hunted: &Hunted) -> String {
    let line = |cells: [&str; 6]| {
        let [kind, rest @ ..] = cells;
        let rest: String = rest.iter().map(|cell| format!("{cell:>14}")).collect();
        format!("{kind:<12}{rest}\n")
    };
    let mut table = line(["kind", "scenes", "judged", "faults", "worst figure", "limit"]);
    for tally in &hunted.report.tallies {
        let [worst, limit] =
            tally.worst.map_or_else(|| ["–".to_owned(), "–".to_owned()], |worst| worst.map(figure));
        let [scenes, judged, faults] = [tally.scenes, tally.judged, tally.faults].map(|n| n.to_string());
        table += &line([tally.kind.word(), &scenes, &judged, &faults, &worst, &limit]);
    }
    table
}

/// How much was left of a scene.
pub fn size(finding: &Finding) -> String {
    format!(
        "figure {} (limit {}), {} of {} moving bodies left, {} steps, {}",
        figure(finding.verdict.figure),
        figure(finding.verdict.limit),
        moving(&finding.scene),
        finding.found_bodies,
        finding.scene.world.step_count(),
        finding.scene.world.solver,
    )
}

/// The verdict on one scene, as printed lines.
pub fn judgement(kind: Kind, judgement: &Judgement) -> String {
    match judgement {
        Judgement::NotJudged(why) => format!("{}: not judged: {why}\n", kind.word()),
        Judgement::Judged(verdict) => {
            let word = if verdict.is_fault() { "fault" } else { "sound" };
            format!(
                "{}: {word}: {} (figure {}, limit {})\n",
                kind.word(),
                verdict.what,
                figure(verdict.figure),
                figure(verdict.limit)
            )
        }
    }
}

/// A figure with four digits; counts stay whole.
pub fn figure(x: f64) -> String {
    if x.abs() < 1e4 && x.fract() == 0.0 { format!("{x}") } else { brief(x) }
}
