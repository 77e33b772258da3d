//! What is told of a run, measured against the run of the reference.

use super::contender::Contender;
use super::distance::Mass;
use super::record::{Record, Sample};
use super::refine::Refinement;
use huygens::Scene;
use huygens::ledger::Account;
use huygens::math::scalar::max;

/// A body rests when its speed stays below this share of the scene's speed.
const REST: f64 = 1e-3;
/// It is where the reference has it when it is not farther from there than this share of the scene's length.
const THERE: f64 = 0.05;

/// One contender, and what came of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Who.
    pub contender: Contender,
    /// Its run, or why it has none.
    pub run: Result<Run, String>,
}

/// A run and its figures.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was seen.
    pub record: Record,
    /// What is told of it.
    pub figures: Figures,
}

/// All runs of one scene; the first entry is the reference.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What the user called the scene.
    pub name: String,
    /// The scene as it is read.
    pub scene: Scene,
    /// The contenders.
    pub entries: Vec<Entry>,
    /// The same with shorter steps.
    pub refinement: Option<Refinement>,
}

impl Comparison {
    /// The run of the reference, when it has one.
    pub fn reference(&self) -> Option<&Run> {
        self.entries.first().and_then(|entry| entry.run.as_ref().ok())
    }
}

/// How far a motion is from the reference's: root mean square over bodies, by mass, and over samples; largest of one body.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Over all samples.
    pub rms: f64,
    /// The largest of one body at one time.
    pub max: f64,
    /// Over the bodies at the end.
    pub end: f64,
    /// Over the bodies, sample by sample.
    pub over_time: Vec<f64>,
}

/// How far bodies moved that should rest.
#[derive(Clone, Copy, Debug)]
pub struct Drift {
    /// How many rest in the reference's run.
    pub bodies: usize,
    /// Root mean square of what they moved [m].
    pub rms: f64,
    /// What one of them moved at most [m].
    pub max: f64,
    /// In this time [s].
    pub seconds: f64,
}

/// What is told of a run beside what its record has.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Places [m]; none for the reference, and without one.
    pub position: Option<Difference>,
    /// Velocities [m/s].
    pub velocity: Option<Difference>,
    /// Work of the drivers beyond that of the reference's [J]; none without drivers.
    pub driver_excess: Option<f64>,
    /// Drift of bodies that should rest; none where no body should.
    pub drift: Option<Drift>,
}

impl Figures {
    /// Of `record`, against `reference`; without one for the reference itself.
    pub fn of(record: &Record, reference: Option<&Record>, own: bool) -> Self {
        let others = reference.filter(|_| !own);
        let driver = |record: &Record| account(record, Account::Driver);
        let driven = !record.outcome.drivers.is_empty();
        Self {
            position: others.map(|other| difference(record, other, Quantity::Place)),
            velocity: others.map(|other| difference(record, other, Quantity::Velocity)),
            driver_excess: others.filter(|_| driven).map(|other| driver(record) - driver(other)),
            drift: reference.and_then(|reference| drift(record, reference)),
        }
    }
}

/// What an account brought in the whole run [J].
pub fn account(record: &Record, account: Account) -> f64 {
    record.samples.last().map_or(0.0, |sample| sample.accounts[account as usize])
}

#[derive(Clone, Copy)]
enum Quantity {
    Place,
    Velocity,
}

fn difference(record: &Record, reference: &Record, quantity: Quantity) -> Difference {
    let mut result = Difference::default();
    let mut squares = 0.0;
    // A run that was stopped is compared as far as it came; its last sample may lie between two of the reference's.
    let pairs = record.samples.iter().zip(&reference.samples).take_while(|(a, b)| a.time == b.time);
    for (ours, theirs) in pairs {
        let mut sum = 0.0;
        for ((body, a), b) in record.bodies.iter().zip(&ours.motions).zip(&theirs.motions) {
            let distance = match quantity {
                Quantity::Place => body.place(a, b),
                Quantity::Velocity => body.velocity(a, b),
            };
            sum += distance * distance;
            result.max = max(result.max, distance);
        }
        let mean = sum / record.bodies.len().max(1) as f64;
        squares += mean;
        result.over_time.push(mean.sqrt());
    }
    result.rms = (squares / result.over_time.len().max(1) as f64).sqrt();
    result.end = result.over_time.last().copied().unwrap_or(0.0);
    result
}

/// The last quarter of the samples.
fn last_quarter(samples: &[Sample]) -> &[Sample] {
    &samples[samples.len() - samples.len().div_ceil(4)..]
}

/// How far the bodies went in the last quarter of the run that rest in it in the reference's run. One that lies elsewhere by then has
/// had another fate, and says nothing about rest.
fn drift(record: &Record, reference: &Record) -> Option<Drift> {
    if record.stopped.is_some() || reference.stopped.is_some() {
        return None;
    }
    let theirs = last_quarter(&reference.samples);
    let slow = REST * reference.speed_scale;
    let ours = last_quarter(&record.samples);
    let (first, last, there) = (ours.first()?, ours.last()?, theirs.first()?);
    let rests = |(i, body): &(usize, &Mass)| {
        theirs.iter().all(|sample| body.speed(&sample.motions[*i]) <= slow)
            && body.place(&first.motions[*i], &there.motions[*i]) <= THERE * record.length
    };
    let moved: Vec<f64> = record
        .bodies
        .iter()
        .enumerate()
        .filter(rests)
        .map(|(i, body)| {
            ours.iter().fold(0.0, |most, sample| max(most, body.place(&sample.motions[i], &first.motions[i])))
        })
        .collect();
    (!moved.is_empty()).then(|| Drift {
        bodies: moved.len(),
        rms: (moved.iter().map(|d| d * d).sum::<f64>() / moved.len() as f64).sqrt(),
        max: moved.iter().fold(0.0, |most, d| max(most, *d)),
        seconds: last.time - first.time,
    })
}
