//! The same scene with shorter and shorter steps: what settles, and what does not.

use super::contender::Contender;
use super::distance::{BodyMotion, Mass};
use super::figures::{Entry, account};
use super::record::{Plan, Record, record};
use huygens::Scene;
use huygens::ledger::Account;
use huygens::math::scalar::{max, min};
use huygens::scene::Duration as Length;

/// The step is divided by these in turn.
pub const DIVISORS: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];
/// Steps of bodies that all levels of one model may take together when the user does not say how many levels there shall be.
const QUICK: u64 = 200_000;
/// Fewer levels show nothing.
const FEWEST: usize = 3;
/// Fewer levels say nothing about whether something settles: two numbers may agree by luck.
const FEWEST_JUDGED: usize = 5;
/// What the finest levels may differ by and be called settled, as a share of the energy that goes through the system.
const SETTLED: f64 = 0.01;
/// Or as a share of what all levels differ by: they come closer, though they are not there yet.
const CLOSER: f64 = 1.0 / 3.0;

/// One number of a run, at every level.
#[derive(Clone, Debug)]
pub struct Trend {
    /// What it is.
    pub quantity: Quantity,
    /// At every level; none where the run did not come to its end.
    pub values: Vec<Option<f64>>,
    /// Whether the three finest levels agree; none where it cannot be said.
    pub settles: Option<bool>,
}

/// What is looked at as the step gets shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Work of the drivers [J].
    Driver,
    /// Kinetic plus potential energy at the end, less that at the start [J].
    Energy,
    /// Root mean square difference of the velocities at the end from those of the reference with the shortest step [m/s].
    Velocity,
}

impl Quantity {
    /// Its name in the JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Energy => "energy_change",
            Self::Velocity => "velocity_difference",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Driver => "work of the drivers [J]",
            Self::Energy => "change of energy [J]",
            Self::Velocity => "velocity at the end, off the finest reference [m/s]",
        }
    }
}

/// All trends of one contender.
#[derive(Clone, Debug)]
pub struct Refined {
    /// Who.
    pub name: String,
    /// Its trends.
    pub trends: Vec<Trend>,
}

/// The same scene with shorter and shorter steps.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The steps [s].
    pub dt: Vec<f64>,
    /// The contenders that can run the scene.
    pub models: Vec<Refined>,
}

/// How a run ended.
struct End {
    driver: f64,
    energy: f64,
    motions: Vec<BodyMotion>,
}

/// How many levels there are: those that were asked for, or as many as stay quick.
pub fn levels(scene: &Scene, asked: Option<usize>) -> usize {
    if let Some(asked) = asked {
        return asked.min(DIVISORS.len());
    }
    let bodies = scene.expanded().count() as u64;
    let steps = scene.world.step_count().saturating_mul(bodies.max(1));
    let mut work = 0u64;
    let quick = DIVISORS.iter().take_while(|divisor| {
        work = work.saturating_add(steps.saturating_mul(u64::from(**divisor)));
        work <= QUICK
    });
    let quick = quick.count();
    if quick < FEWEST { 0 } else { quick }
}

/// Runs every contender at every level; the first is what `entries` has already. Nothing more is run once `go_on` is false.
pub fn refine(
    scene: &Scene,
    entries: &[Entry],
    levels: usize,
    plan: &Plan,
    go_on: impl Fn() -> bool,
    mut tick: impl FnMut(&Contender),
) -> Option<Refinement> {
    if levels < 2 || !go_on() {
        return None;
    }
    let mut ends: Vec<(&Entry, Vec<Option<End>>)> = Vec::new();
    let mut bodies: Vec<Mass> = Vec::new();
    let mut scale = 0.0;
    for entry in entries {
        if !go_on() {
            break;
        }
        tick(&entry.contender);
        let Ok(run) = &entry.run else { continue };
        let mut all = vec![end(&run.record)];
        for divisor in &DIVISORS[1..levels] {
            let finer = finer(scene, *divisor);
            let steps = finer.world.step_count();
            let plan = Plan { steps, every: steps.max(1), frame_every: 0, ..plan.clone() };
            all.push(record(&entry.contender, &finer, &plan, |_| go_on()).ok().as_ref().and_then(end));
        }
        if entry.contender.reference {
            bodies.clone_from(&run.record.bodies);
            scale = run.record.flow.scale();
        }
        ends.push((entry, all));
    }
    let models = trends(&ends, &bodies, scale);
    Some(Refinement {
        dt: DIVISORS[..levels].iter().map(|divisor| scene.world.dt / f64::from(*divisor)).collect(),
        models,
    })
}

fn finer(scene: &Scene, divisor: u32) -> Scene {
    let mut finer = scene.clone();
    finer.world.duration = Length::Steps(scene.world.step_count() * u64::from(divisor));
    finer.world.dt = scene.world.dt / f64::from(divisor);
    finer
}

fn end(record: &Record) -> Option<End> {
    if record.stopped.is_some() {
        return None;
    }
    Some(End {
        driver: account(record, Account::Driver),
        energy: record.outcome.energy_end - record.outcome.energy_start,
        motions: record.samples.last()?.motions.clone(),
    })
}

fn trends(ends: &[(&Entry, Vec<Option<End>>)], bodies: &[Mass], scale: f64) -> Vec<Refined> {
    let reference = ends.iter().find(|(entry, _)| entry.contender.reference);
    let finest = reference.and_then(|(_, all)| all.last()).and_then(Option::as_ref);
    let driven = |entry: &Entry| entry.run.as_ref().is_ok_and(|run| !run.record.outcome.drivers.is_empty());
    ends.iter()
        .map(|(entry, all)| {
            let trend = |quantity, value: &dyn Fn(&End) -> f64| {
                let values: Vec<Option<f64>> =
                    all.iter().map(|end| end.as_ref().map(value).filter(|x| x.is_finite())).collect();
                let judged = quantity != Quantity::Velocity;
                let settles = if judged { settles(&values, scale) } else { None };
                Trend { quantity, values, settles }
            };
            let mut trends = Vec::new();
            if driven(entry) {
                trends.push(trend(Quantity::Driver, &|end| end.driver));
            }
            trends.push(trend(Quantity::Energy, &|end| end.energy));
            if let Some(finest) = finest {
                trends.push(trend(Quantity::Velocity, &|end| apart(bodies, end, finest)));
            }
            Refined { name: entry.contender.name.clone(), trends }
        })
        .collect()
}

fn apart(bodies: &[Mass], a: &End, b: &End) -> f64 {
    let pairs = bodies.iter().zip(a.motions.iter().zip(&b.motions));
    let sum: f64 = pairs
        .map(|(body, (a, b))| {
            let d = body.velocity(a, b);
            d * d
        })
        .sum();
    (sum / bodies.len().max(1) as f64).sqrt()
}

/// Whether the three finest levels agree, within a share of `scale` or much better than all of them do.
fn settles(values: &[Option<f64>], scale: f64) -> Option<bool> {
    let finest: Vec<f64> = values.iter().rev().take(FEWEST).map_while(|value| *value).collect();
    if values.len() < FEWEST_JUDGED || finest.len() < FEWEST || scale <= 0.0 {
        return None;
    }
    let all: Vec<f64> = values.iter().flatten().copied().collect();
    let spread = |values: &[f64]| range(values).1 - range(values).0;
    Some(spread(&finest) <= SETTLED * scale || spread(&finest) <= CLOSER * spread(&all))
}

/// Smallest and largest of a list that is not empty.
pub fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (min(low, *x), max(high, *x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_levels_that_agree_are_settled_and_a_missing_one_says_nothing() {
        let some = |values: &[f64]| values.iter().map(|x| Some(*x)).collect::<Vec<_>>();
        assert_eq!(settles(&some(&[9.0, 8.0, 1.0, 1.005, 1.0]), 1.0), Some(true));
        assert_eq!(settles(&some(&[1.0, 1.0, 1.0, 1.1, 1.0]), 1.0), Some(false));
        assert_eq!(settles(&some(&[2.0, 1.5, 1.1, 1.0, 1.05]), 1.0), Some(true), "they come closer");
        // The driven capsule with Baumgarte: a hidden restitution that depends on the phase of the step.
        let wanders = [6.330, 5.074, 7.446, 7.201, 6.687, 5.126, 5.702];
        assert_eq!(settles(&some(&wanders), 4.49), Some(false));
        assert_eq!(settles(&[Some(1.0), Some(1.0), Some(1.0), Some(1.0), None], 1.0), None);
        assert_eq!(settles(&some(&[1.0, 1.0, 1.0, 1.0]), 1.0), None, "too few");
    }

    #[test]
    fn levels_are_as_many_as_stay_quick() {
        let scene = |bodies: usize, steps| {
            let scene = Scene::new().world(|world| world.duration = Length::Steps(steps));
            (0..bodies).fold(scene, |scene, i| {
                scene.body(huygens::scene::Body::dynamic(format!("ball{i}")).sphere(0.5))
            })
        };
        assert_eq!(levels(&scene(2, 120), None), 7);
        assert_eq!(levels(&scene(100, 1000), None), 0);
        assert_eq!(levels(&scene(100, 1000), Some(3)), 3);
        assert_eq!(levels(&scene(1, 1), Some(99)), DIVISORS.len());
    }

    #[test]
    fn a_finer_scene_ends_at_the_same_time() {
        let scene = Scene::new().dt(0.01).world(|world| world.duration = Length::Seconds(0.115));
        let finer = finer(&scene, 5);
        assert_eq!(finer.world.step_count(), 60);
        assert!((finer.world.dt * 60.0 - 0.12).abs() < 1e-15);
    }
}
