//! One run of one contender: bounded in time, stopped at the first number that is not finite, sampled on the way.

use super::contender::Contender;
use super::distance::{BodyMotion, Mass, movable};
use super::flow::Flow;
use crate::adapter::{Outcome, Simulation};
use crate::robot::Cast;
use huygens::ledger::Account;
use huygens::math::scalar::max;
use huygens::model::Motion;
use huygens::{Scene, World};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most samples of a run, and most motions of bodies in all samples of a run: 15 MB.
const MOST_SAMPLES: u64 = 1200;
const MOST_MOTIONS: u64 = 150_000;
/// Strongest contact points that a frame of the replay keeps.
const MOST_MARKS: usize = 120;

/// What to run and what to keep of it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Steps of the whole run.
    pub steps: u64,
    /// Steps from sample to sample.
    pub every: u64,
    /// Samples from frame to frame of the replay; 0 for no replay.
    pub frame_every: u64,
    /// Wall time after which a run is stopped.
    pub limit: Duration,
    /// Robots of the scene.
    pub cast: Arc<Cast>,
}

impl Plan {
    /// Samples that are close enough to see what happens and few enough to keep.
    pub fn new(scene: &Scene, limit: Duration) -> Self {
        let steps = scene.world.step_count();
        let bodies = (scene.expanded().count() as u64).max(1);
        let samples = MOST_SAMPLES.min((MOST_MOTIONS / bodies).max(2));
        Self { steps, every: steps.div_ceil(samples).max(1), frame_every: 0, limit, cast: Arc::default() }
    }

    /// The same with robots.
    #[must_use]
    pub fn with_cast(self, cast: Cast) -> Self {
        Self { cast: Arc::new(cast), ..self }
    }

    /// The same with at most so many frames to replay.
    #[must_use]
    pub fn with_frames(self, most: u64) -> Self {
        let samples = self.steps.div_ceil(self.every);
        Self { frame_every: samples.div_ceil(most).max(1), ..self }
    }
}

/// The state at one time, and what happened since the sample before.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Time [s].
    pub time: f64,
    /// Motion of each body that contact can move.
    pub motions: Vec<BodyMotion>,
    /// Kinetic plus potential energy [J].
    pub energy: f64,
    /// What each account brought so far [J].
    pub accounts: [f64; Account::ALL.len()],
    /// Deepest overlap since the sample before [m].
    pub penetration: f64,
    /// Largest natural map since the sample before.
    pub residual: f64,
    /// Mean wall time of a step since the sample before [s].
    pub seconds: f64,
    /// What the replay shows, in the samples that it shows.
    pub frame: Option<Frame>,
}

/// One picture of the replay.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Place of the centre of mass and turn (w, x, y, z) of every body that is not static.
    pub poses: Vec<[f32; 7]>,
    /// Contact points of the step: place, normal towards and force on the body that can move [N]; of two, the lower one.
    pub marks: Vec<[f32; 9]>,
}

/// What was seen of a run.
#[derive(Clone, Debug)]
pub struct Record {
    /// The samples; the first is the start.
    pub samples: Vec<Sample>,
    /// The bodies of the motions.
    pub bodies: Vec<Mass>,
    /// State and books at the end.
    pub outcome: Outcome,
    /// What contact created and what went through the system.
    pub flow: Flow,
    /// Mean overlap of the touching points of all steps [m].
    pub mean_penetration: f64,
    /// Mean natural map of the steps with contact.
    pub mean_residual: f64,
    /// Mean and largest number of iterations of the steps with contact.
    pub iterations: [f64; 2],
    /// Wall time of a step, without the certificate: the median, which an interruption does not change [s].
    pub seconds_per_step: f64,
    /// Why it ended before its last step.
    pub stopped: Option<String>,
    /// A speed of the scene [m/s].
    pub speed_scale: f64,
    /// A length of the scene [m].
    pub length: f64,
}

/// Sums over the steps of a run.
#[derive(Default)]
struct Tally {
    depth: f64,
    points: u64,
    residual: f64,
    iterations: f64,
    most_iterations: f64,
    touching_steps: u64,
    seconds: Vec<f64>,
    since: Since,
}

/// Since the last sample.
#[derive(Default)]
struct Since {
    steps: u64,
    seconds: f64,
    penetration: f64,
    residual: f64,
}

/// Runs a contender; `tick` is told each step, and says whether to go on.
///
/// # Errors
/// Why it cannot run this scene at all.
pub fn record(
    contender: &Contender,
    base: &Scene,
    plan: &Plan,
    tick: impl Fn(u64) -> bool,
) -> Result<Record, String> {
    if let Some(why) = contender.misfit() {
        return Err(why.to_owned());
    }
    let scene = contender.scene(base);
    guarded(|| {
        let mut simulation = Simulation::new(&scene).map_err(|errors| {
            let first = errors.all().first().map(|error| error.to_string().replace('\n', " "));
            first.unwrap_or_else(|| "the scene cannot be".to_owned())
        })?;
        simulation.set_pilots(plan.cast.pilots(simulation.world())?);
        Ok(drive(simulation, plan, tick))
    })
}

/// One model's fault is one line of the table: the others go on.
fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Err(format!("the engine panicked: {}", text.unwrap_or("no message")))
    })
}

fn drive(mut simulation: Simulation, plan: &Plan, tick: impl Fn(u64) -> bool) -> Record {
    let mut recorder = Recorder::starting(plan.clone(), simulation.world());
    let begun = Instant::now();
    let mut stopped = None;
    for step in 1..=plan.steps {
        let start = Instant::now();
        let acted = simulation.step_with_robots();
        let judging = simulation.world().report().certificate_time;
        let seconds = start.elapsed().saturating_sub(judging).as_secs_f64();
        stopped = trouble(&simulation, &recorder.bodies)
            .or_else(|| acted.err().map(|failure| failure.to_string()))
            .or_else(|| (begun.elapsed() > plan.limit).then(|| "it took too long".to_owned()))
            .or_else(|| (!tick(step)).then(|| "Ctrl-C".to_owned()))
            .filter(|_| step < plan.steps || simulation.quarantined() > 0)
            .map(|why| format!("stopped after step {step} of {}: {why}", plan.steps));
        recorder.step(simulation.world(), seconds, stopped.is_some());
        if stopped.is_some() {
            break;
        }
    }
    recorder.finish(&simulation, stopped)
}

/// Keeps what a record needs while a run goes on.
pub struct Recorder {
    plan: Plan,
    bodies: Vec<Mass>,
    tally: Tally,
    flow: Flow,
    samples: Vec<Sample>,
}

impl Recorder {
    /// For a run that begins with `world`.
    pub fn starting(plan: Plan, world: &World) -> Self {
        let bodies = movable(world);
        let mut tally = Tally::default();
        let samples = vec![sample(world, &bodies, &mut tally.since, plan.frame_every > 0)];
        Self { plan, bodies, tally, flow: Flow::starting(world), samples }
    }

    /// After each step, which took `seconds`; `last` when none comes after it.
    pub fn step(&mut self, world: &World, seconds: f64, last: bool) {
        let plan = &self.plan;
        self.tally.step(world, seconds);
        self.flow.step(world);
        let last = last || world.steps() == plan.steps;
        if world.steps().is_multiple_of(plan.every) || last {
            let at = self.samples.len() as u64;
            let shown = plan.frame_every > 0 && (at.is_multiple_of(plan.frame_every) || last);
            self.samples.push(sample(world, &self.bodies, &mut self.tally.since, shown));
        }
    }

    /// After the last step; `stopped` says why it ended before its time.
    pub fn finish(self, simulation: &Simulation, stopped: Option<String>) -> Record {
        finish(simulation, self.bodies, self.samples, (self.tally, self.flow), stopped)
    }
}

fn finish(
    simulation: &Simulation,
    bodies: Vec<Mass>,
    samples: Vec<Sample>,
    (tally, flow): (Tally, Flow),
    stopped: Option<String>,
) -> Record {
    let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
    Record {
        samples,
        bodies,
        outcome: simulation.outcome(),
        flow,
        mean_penetration: mean(tally.depth, tally.points),
        mean_residual: mean(tally.residual, tally.touching_steps),
        iterations: [mean(tally.iterations, tally.touching_steps), tally.most_iterations],
        seconds_per_step: median(tally.seconds),
        stopped,
        speed_scale: simulation.world().model().speed_scale(),
        length: simulation.world().model().settings.length,
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// What no longer makes sense to go on with.
fn trouble(simulation: &Simulation, bodies: &[Mass]) -> Option<String> {
    if simulation.quarantined() > 0 {
        return Some("a number overflowed".to_owned());
    }
    let sound = bodies.iter().all(|body| body.motion(simulation.world()).is_finite());
    (!sound).then(|| "a body's place or velocity is not a number".to_owned())
}

impl Tally {
    fn step(&mut self, world: &World, seconds: f64) {
        let report = world.report();
        self.seconds.push(seconds);
        let mut points = 0;
        for contact in world.contacts() {
            points += 1;
            self.depth += max(-contact.gap, 0.0);
        }
        self.points += points;
        let residual = report.certificate.map_or(0.0, |certificate| certificate.natural_map);
        if points > 0 {
            let iterations = f64::from(report.solve.iterations);
            self.touching_steps += 1;
            self.iterations += iterations;
            self.most_iterations = max(self.most_iterations, iterations);
            self.residual += residual;
        }
        self.since.steps += 1;
        self.since.seconds += seconds;
        self.since.penetration = max(self.since.penetration, report.max_penetration);
        self.since.residual = max(self.since.residual, residual);
    }
}

fn sample(world: &World, bodies: &[Mass], since: &mut Since, shown: bool) -> Sample {
    let Since { steps, seconds, penetration, residual } = std::mem::take(since);
    Sample {
        time: world.time(),
        motions: bodies.iter().map(|body| body.motion(world)).collect(),
        energy: world.energy(),
        accounts: Account::ALL.map(|account| world.ledger().get(account)),
        penetration,
        residual,
        seconds: seconds / steps.max(1) as f64,
        frame: shown.then(|| frame(world)),
    }
}

fn frame(world: &World) -> Frame {
    let (model, state) = (world.model(), world.state());
    let moving = model.bodies.iter().enumerate().filter(|(_, body)| body.motion != Motion::Static);
    let poses = moving.map(|(slot, _)| {
        let (x, q) = (state.position[slot], state.orientation[slot]);
        [x.x, x.y, x.z, q.w, q.x, q.y, q.z].map(|x| x as f32)
    });
    let dt = model.settings.dt;
    let mut marks: Vec<[f32; 9]> = world
        .contacts()
        .map(|contact| {
            let a = world.body(contact.bodies[0]).map(|body| body.motion);
            let moves = a.is_ok_and(huygens::MotionKind::is_moved_by_forces);
            let sign = if moves { 1.0 } else { -1.0 };
            let (p, n, f) = (contact.point, sign * contact.normal, sign * contact.impulse / dt);
            [p.x, p.y, p.z, n.x, n.y, n.z, f.x, f.y, f.z].map(|x| x as f32)
        })
        .collect();
    if marks.len() > MOST_MARKS {
        let strength = |mark: &[f32; 9]| mark[6..].iter().map(|f| f * f).sum::<f32>();
        marks.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
        marks.truncate(MOST_MARKS);
    }
    Frame { poses: poses.collect(), marks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::contact::SolverKind;
    use huygens::math::Vec3;
    use huygens::scene::{Body, StabilisationSpec};

    fn contender(kind: SolverKind) -> Contender {
        Contender {
            name: kind.name().to_owned(),
            kind,
            stabilisation: StabilisationSpec::default(),
            reference: false,
        }
    }

    fn falling() -> Scene {
        let scene = Scene::new().dt(0.01).body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 100.0));
        scene.world(|world| world.duration = huygens::scene::Duration::Steps(50))
    }

    #[test]
    fn a_panic_is_told_and_nothing_else_stops() {
        let told = guarded(|| -> Result<(), String> { panic!("no {} left", "sense") });
        assert_eq!(told, Err("the engine panicked: no sense left".to_owned()));
        assert_eq!(guarded(|| Ok::<_, String>(3)), Ok(3));
    }

    #[test]
    fn a_scene_that_cannot_be_is_told() {
        let mut scene = falling();
        scene.world.dt = -1.0;
        let plan = Plan::new(&falling(), Duration::from_secs(10));
        let told = record(&contender(SolverKind::SoftStep), &scene, &plan, |_| true);
        assert!(told.is_err_and(|why| why.contains("dt")));
    }

    #[test]
    fn a_run_that_takes_too_long_says_how_far_it_came() {
        let plan = Plan::new(&falling(), Duration::ZERO);
        let run = record(&contender(SolverKind::SoftStep), &falling(), &plan, |_| true);
        let stopped = run.ok().and_then(|run| run.stopped);
        assert_eq!(stopped.as_deref(), Some("stopped after step 1 of 50: it took too long"));
    }

    #[test]
    fn a_number_that_overflows_stops_the_run() {
        let mut scene = falling();
        scene.world.gravity = Vec3::new(0.0, 0.0, -1e308);
        let plan = Plan::new(&scene, Duration::from_secs(60));
        let run = record(&contender(SolverKind::SequentialImpulse), &scene, &plan, |_| true);
        match run {
            Ok(run) => assert!(run.stopped.is_some_and(|why| why.contains("overflow"))),
            Err(why) => assert!(!why.is_empty()),
        }
    }

    #[test]
    fn samples_begin_at_the_start_and_end_at_the_end() {
        let plan = Plan { every: 7, ..Plan::new(&falling(), Duration::from_secs(60)) }.with_frames(4);
        let run = record(&contender(SolverKind::SoftStep), &falling(), &plan, |_| true);
        let run = run.unwrap_or_else(|why| panic!("{why}"));
        let times: Vec<f64> = run.samples.iter().map(|sample| sample.time).collect();
        // 0, 7, 14, … 49 and 50 steps.
        assert_eq!(times.len(), 9);
        assert_eq!((times[0], times[8]), (0.0, 0.5));
        assert!(run.samples[0].frame.is_some() && run.samples[8].frame.is_some());
        assert!(run.samples.iter().filter(|sample| sample.frame.is_some()).count() <= 6);
        // ½ g t² of free fall.
        let fall = 100.0 - run.samples[8].motions[0].center.z;
        assert!((fall - 0.5 * 9.81 * 0.25).abs() < 1e-12);
    }
}
