//! The rounds: everyone in turn, so that a machine that gets slower does so for all.

use super::REFERENCE;
use super::contender::{self, Contender, Figures, Start};
use super::machine::Setting;
use super::options::Options;
use super::record::Row;
use super::stats::median;

/// The random scene that is measured with several seeds.
const SEEDED: &str = "pile";

/// Runs one scene with everyone; returns a row for each.
pub fn scene(
    name: &str,
    all: &[Contender],
    setting: &Setting,
    options: &Options,
) -> Result<Vec<Row>, String> {
    let starts = starts(name, all, options)?;
    // By contender, then by round and seed.
    let mut runs: Vec<Vec<Figures>> = vec![Vec::new(); all.len()];
    for round in 1..=options.rounds {
        for start in &starts {
            for (contender, figures) in all.iter().zip(&mut runs) {
                let run = contender.run(start, options)?;
                let seed = start.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
                eprintln!("  round {round}{seed}: {name} · {} {:.3} ms", contender.name, run.busy_ms);
                figures.push(run);
            }
        }
    }
    let reference = all.iter().position(|contender| contender.name == REFERENCE);
    let reference = reference.map(|at| runs[at].clone());
    let row = |(contender, figures): (&Contender, &Vec<Figures>)| {
        summary(name, contender, figures, reference.as_deref(), setting, options)
    };
    Ok(all.iter().zip(&runs).map(row).collect())
}

fn starts(name: &str, all: &[Contender], options: &Options) -> Result<Vec<Start>, String> {
    let ours = all.iter().find(|contender| contender.name == "huygens").ok_or("ours is not there")?;
    let seeds: Vec<Option<u32>> =
        if name == SEEDED { (1..=options.seeds).map(Some).collect() } else { vec![None] };
    let start = |seed| {
        let text = contender::export(&ours.program, name, seed, options)?;
        Ok(Start { scene: name.to_owned(), seed, text })
    };
    seeds.into_iter().map(start).collect()
}

/// Medians over rounds and seeds; the ratio is the median of the ratios of runs that stood side by side.
fn summary(
    scene: &str,
    contender: &Contender,
    runs: &[Figures],
    reference: Option<&[Figures]>,
    setting: &Setting,
    options: &Options,
) -> Row {
    let of = |figure: fn(&Figures) -> f64| median(runs.iter().map(figure));
    let ratio = reference.map(|reference| {
        median(reference.iter().zip(runs).map(|(theirs, ours)| theirs.busy_ms / ours.busy_ms))
    });
    let first = &runs[0];
    Row {
        date: setting.date.clone(),
        commit: setting.commit.clone(),
        machine: setting.machine.clone(),
        rustc: setting.rustc.clone(),
        scene: scene.to_owned(),
        engine: contender.name.clone(),
        version: first.version.clone(),
        solver: first.solver.clone(),
        level: first.level.clone(),
        hash: first.hash.clone(),
        rounds: options.rounds,
        seeds: if scene == SEEDED { options.seeds } else { 1 },
        bodies: first.bodies,
        steps: first.steps,
        busy_ms: of(|run| run.busy_ms),
        median_ms: of(|run| run.median_ms),
        mean_ms: of(|run| run.mean_ms),
        ratio: ratio.unwrap_or(f64::NAN),
        contacts: of(|run| run.contacts),
        penetration_max: of(|run| run.penetration[0]),
        penetration_p99: of(|run| run.penetration[1]),
        penetration_mean: of(|run| run.penetration[2]),
        kinetic: of(|run| run.kinetic),
        peak_bytes: of(|run| run.peak_bytes),
    }
}
