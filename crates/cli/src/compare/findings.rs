//! What a comparison shows, in sentences: for a reader who will not go through the table.

use super::figures::{Comparison, Entry, Run, account};
use super::refine::{Quantity, Refined, Trend, range};
use crate::table::{brief, duration, length, speed};
use huygens::ledger::Account;

/// A share of the energy that went through the system that is worth a sentence.
const NOTABLE: f64 = 0.005;

/// All sentences.
pub fn findings(comparison: &Comparison) -> Vec<String> {
    let mut found = Vec::new();
    failures(comparison, &mut found);
    drivers(comparison, &mut found);
    unsettled(comparison, &mut found);
    created(comparison, &mut found);
    drifts(comparison, &mut found);
    extremes(comparison, &mut found);
    found
}

fn runs(comparison: &Comparison) -> impl Iterator<Item = (&Entry, &Run)> {
    comparison.entries.iter().filter_map(|entry| entry.run.as_ref().ok().map(|run| (entry, run)))
}

fn failures(comparison: &Comparison, found: &mut Vec<String>) {
    for entry in &comparison.entries {
        match &entry.run {
            Err(why) => found.push(format!("{} cannot run this scene: {why}.", entry.contender.name)),
            Ok(run) => {
                if let Some(why) = &run.record.stopped {
                    found.push(format!("{} was {why}.", entry.contender.name));
                }
            }
        }
    }
}

/// Names of those that agree to four digits stand in one sentence.
fn grouped<'a>(items: impl Iterator<Item = (&'a str, f64)>) -> Vec<(String, f64)> {
    let mut groups: Vec<(Vec<&str>, f64)> = Vec::new();
    for (name, x) in items {
        match groups.iter_mut().find(|(_, y)| brief(*y) == brief(x)) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], x)),
        }
    }
    groups.into_iter().map(|(names, x)| (listed(&names), x)).collect()
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn drivers(comparison: &Comparison, found: &mut Vec<String>) {
    let Some(reference) = comparison.reference() else { return };
    let (law, scale) = (account(&reference.record, Account::Driver), reference.record.flow.scale());
    let excess = runs(comparison).filter_map(|(entry, run)| {
        let excess = run.figures.driver_excess.filter(|x| x.abs() > NOTABLE * scale)?;
        Some((entry.contender.name.as_str(), excess))
    });
    for (names, excess) in grouped(excess) {
        let direction = if excess > 0.0 { "more" } else { "less" };
        found.push(format!(
            "{names}: the drivers give {} J {direction} than in the reference ({} J instead of {} J).",
            brief(excess.abs()),
            brief(law + excess),
            brief(law)
        ));
    }
}

fn unsettled(comparison: &Comparison, found: &mut Vec<String>) {
    let Some(refinement) = &comparison.refinement else { return };
    let ends = (refinement.dt.first().copied().unwrap_or(0.0), refinement.dt.last().copied().unwrap_or(0.0));
    let judged = |model: &Refined| -> Option<Trend> {
        let find = |quantity| model.trends.iter().find(|trend| trend.quantity == quantity).cloned();
        find(Quantity::Driver).or_else(|| find(Quantity::Energy))
    };
    let reference = refinement.models.first().and_then(judged);
    let settled = reference.filter(|trend| trend.settles == Some(true));
    let goes_to = settled.and_then(|trend| trend.values.last().copied().flatten());
    // Models that wander alike share a sentence.
    let mut told: Vec<(Vec<&str>, String)> = Vec::new();
    for model in &refinement.models {
        let Some(trend) = judged(model).filter(|trend| trend.settles == Some(false)) else { continue };
        let values: Vec<f64> = trend.values.iter().flatten().copied().collect();
        let (low, high) = range(&values);
        let what = match trend.quantity {
            Quantity::Driver => "the work of the drivers",
            _ => "the change of energy",
        };
        let how = format!("{what} wanders between {} and {} J", brief(low), brief(high));
        match told.iter_mut().find(|(_, other)| *other == how) {
            Some((names, _)) => names.push(&model.name),
            None => told.push((vec![&model.name], how)),
        }
    }
    let against = goes_to.map_or_else(String::new, |x| format!("; the reference settles at {} J", brief(x)));
    for (names, how) in told {
        let verb = if names.len() == 1 { "does" } else { "do" };
        found.push(format!(
            "{} {verb} not converge: with steps from {} to {} {how}{against}.",
            listed(&names),
            duration(ends.0),
            duration(ends.1)
        ));
    }
}

fn created(comparison: &Comparison, found: &mut Vec<String>) {
    for (entry, run) in runs(comparison) {
        let flow = &run.record.flow;
        if let Some(share) = flow.share().filter(|share| *share > NOTABLE) {
            found.push(format!(
                "{} creates energy: {} J, {} % of what goes through the system.",
                entry.contender.name,
                brief(flow.created()),
                brief(100.0 * share)
            ));
        }
    }
}

fn drifts(comparison: &Comparison, found: &mut Vec<String>) {
    let world = &comparison.scene.world;
    for (entry, run) in runs(comparison).filter(|(entry, _)| !entry.contender.reference) {
        let Some(drift) = run.figures.drift.filter(|drift| drift.max > 1e-4 * world.length) else { continue };
        found.push(format!(
            "{}: a body that should rest, as it does in the reference, moves by {} in the last {}.",
            entry.contender.name,
            length(drift.max),
            duration(drift.seconds)
        ));
    }
}

fn extremes(comparison: &Comparison, found: &mut Vec<String>) {
    let whole = || runs(comparison).filter(|(_, run)| run.record.stopped.is_none());
    let others = || whole().filter(|(entry, _)| !entry.contender.reference);
    let time = |run: &Run| run.record.seconds_per_step;
    let fastest = whole().min_by(|a, b| time(a.1).total_cmp(&time(b.1)));
    let slowest = whole().max_by(|a, b| time(a.1).total_cmp(&time(b.1)));
    if let (Some((fast, run)), Some((slow, other))) = (fastest, slowest)
        && time(run) < time(other)
    {
        found.push(format!(
            "{} is the fastest with {} a step, {} the slowest with {}.",
            fast.contender.name,
            duration(time(run)),
            slow.contender.name,
            duration(time(other))
        ));
    }
    let off = |run: &Run| run.figures.velocity.as_ref().map_or(f64::INFINITY, |d| d.rms);
    if let Some((nearest, run)) = others().min_by(|a, b| off(a.1).total_cmp(&off(b.1)))
        && others().count() > 1
    {
        found.push(format!(
            "{} stays nearest to the reference: {} off in the mean.",
            nearest.contender.name,
            speed(off(run))
        ));
    }
}
