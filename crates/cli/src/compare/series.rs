//! Numbers over time, few enough to draw.

use super::figures::{Difference, Run};
use super::record::Sample;
use huygens::ledger::Account;
use huygens::math::scalar::max;

/// Most points of a curve.
pub const MOST_POINTS: usize = 300;

/// Curves of one run. Each point stands for the samples since the point before.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Times [s].
    pub time: Vec<f64>,
    /// Difference of places from the reference [m]; empty for the reference.
    pub position: Vec<f64>,
    /// Difference of velocities [m/s]; empty for the reference.
    pub velocity: Vec<f64>,
    /// Kinetic plus potential energy [J].
    pub energy: Vec<f64>,
    /// What each account that is used brought so far [J].
    pub accounts: Vec<(&'static str, Vec<f64>)>,
    /// Deepest overlap [m].
    pub penetration: Vec<f64>,
    /// Largest natural map.
    pub residual: Vec<f64>,
    /// Wall time of a step [s].
    pub seconds: Vec<f64>,
}

impl Series {
    /// The curves of a run.
    pub fn of(run: &Run) -> Self {
        let samples = &run.record.samples;
        let size = samples.len().div_ceil(MOST_POINTS).max(1);
        // The start stands alone.
        let bins = || samples.chunks(1).take(1).chain(samples.get(1..).unwrap_or_default().chunks(size));
        let last = |of: &dyn Fn(&Sample) -> f64| bins().filter_map(|bin| bin.last()).map(of).collect();
        let most = |of: &dyn Fn(&Sample) -> f64| -> Vec<f64> {
            bins().map(|bin| bin.iter().map(of).fold(0.0, max)).collect()
        };
        let mean = |of: &dyn Fn(&Sample) -> f64| -> Vec<f64> {
            bins().map(|bin| bin.iter().map(of).sum::<f64>() / bin.len() as f64).collect()
        };
        let thin = |difference: &Option<Difference>| -> Vec<f64> {
            let all = difference.as_ref().map_or(&[][..], |difference| &difference.over_time);
            let rest = all.get(1..).unwrap_or_default().chunks(size);
            all.chunks(1).take(1).chain(rest).filter_map(|bin| bin.last().copied()).collect()
        };
        let accounts = Account::ALL.into_iter().filter_map(|account| {
            let curve: Vec<f64> = last(&|sample| sample.accounts[account as usize]);
            curve.iter().any(|x| *x != 0.0).then(|| (account.name(), curve))
        });
        Self {
            time: last(&|sample| sample.time),
            position: thin(&run.figures.position),
            velocity: thin(&run.figures.velocity),
            energy: last(&|sample| sample.energy),
            accounts: accounts.collect(),
            penetration: most(&|sample| sample.penetration),
            residual: most(&|sample| sample.residual),
            seconds: mean(&|sample| sample.seconds),
        }
    }
}
