//! The search: scenes by number over all cores, then the worst findings are shrunk.

use crate::shrink::shrink;
use crate::{Judgement, Kind, Verdict, Workshop, generate, judge};
use huygens::Scene;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Share of a finding's figure that a smaller scene must show.
const KEPT: f64 = 0.1;

/// What a hunt goes through.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Kinds of fault.
    pub kinds: Vec<Kind>,
    /// Scenes for each kind.
    pub scenes: u64,
    /// Seed of all scenes.
    pub seed: u64,
    /// Contact models; scene number i has model i modulo their number.
    pub solvers: Vec<String>,
    /// Findings of each kind that are shrunk, worst first.
    pub shrink: usize,
    /// Most scenes that are judged to shrink one finding.
    pub budget: usize,
    /// Threads.
    pub threads: usize,
}

impl Plan {
    /// Kind and number of every scene.
    pub(crate) fn jobs(&self) -> Vec<(Kind, u64)> {
        self.kinds.iter().flat_map(|kind| (0..self.scenes).map(|number| (*kind, number))).collect()
    }
}

/// A scene with a fault.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Kind of fault.
    pub kind: Kind,
    /// Number of the scene: with seed and kind it gives the scene again.
    pub number: u64,
    /// The scene, shrunk when `shrunk`.
    pub scene: Scene,
    /// What the judge says of `scene`.
    pub verdict: Verdict,
    /// Figure of the scene as it was found.
    pub found_figure: f64,
    /// Bodies that forces move, as it was found.
    pub found_bodies: usize,
    /// Whether it was made as small as it goes.
    pub shrunk: bool,
}

/// How many scenes of a kind were judged, and what was found.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Kind of fault.
    pub kind: Kind,
    /// Scenes that ran.
    pub scenes: u64,
    /// Scenes that the judge could say something about.
    pub judged: u64,
    /// Scenes with a fault.
    pub faults: u64,
    /// Largest figure of the scenes as they were found, and its limit.
    pub worst: Option<[f64; 2]>,
}

/// All that a hunt found.
#[derive(Clone, Debug)]
pub struct Report {
    /// One for each kind of the plan, in its order.
    pub tallies: Vec<Tally>,
    /// By kind and number.
    pub findings: Vec<Finding>,
    /// The user stopped it.
    pub stopped: bool,
}

/// How far a hunt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Scenes judged, of how many.
    Searching {
        /// Scenes judged.
        done: usize,
        /// Scenes of the hunt.
        of: usize,
    },
    /// Findings shrunk, of how many.
    Shrinking {
        /// Findings shrunk.
        done: usize,
        /// Findings to shrink.
        of: usize,
    },
}

/// Searches, and shrinks what it finds. The findings are the same for every number of threads. `tell` hears how far it is; once `stop` is
/// true nothing new is begun.
pub fn search<W: Workshop>(
    workshop: &W,
    plan: &Plan,
    stop: &AtomicBool,
    tell: &(dyn Fn(Progress) + Sync),
) -> Report {
    let jobs = plan.jobs();
    let said = in_parallel(
        &jobs,
        plan.threads,
        stop,
        &|done| tell(Progress::Searching { done, of: jobs.len() }),
        &|job| {
            let (kind, number) = *job;
            let scene = generated(plan, kind, number);
            (kind, number, trial(kind, workshop, &scene))
        },
    );
    let tallies = plan.kinds.iter().map(|kind| tally(*kind, &said)).collect();
    let mut findings: Vec<Finding> =
        said.iter().filter_map(|(kind, number, said)| finding(plan, *kind, *number, said)).collect();
    let chosen = worst_of_each(&findings, plan);
    let shrunk = in_parallel(
        &chosen,
        plan.threads,
        stop,
        &|done| tell(Progress::Shrinking { done, of: chosen.len() }),
        &|at| {
            let finding = &findings[*at];
            // A scene that shows a tenth of it still shows it; with less it may be another fault.
            let least = KEPT * finding.found_figure;
            let fault = |scene: &Scene| {
                let said = trial(finding.kind, workshop, scene);
                said.fault().filter(|verdict| verdict.figure.is_nan() || verdict.figure >= least).cloned()
            };
            let small = shrink(&finding.scene, &finding.verdict, plan.budget, stop, &fault);
            (*at, small)
        },
    );
    for (at, (scene, verdict)) in shrunk {
        let finding = &mut findings[at];
        (finding.scene, finding.verdict, finding.shrunk) = (scene, verdict, true);
    }
    Report { tallies, findings, stopped: stop.load(Ordering::Relaxed) }
}

/// The scene of that number.
pub(crate) fn generated(plan: &Plan, kind: Kind, number: u64) -> Scene {
    let solver = &plan.solvers[number as usize % plan.solvers.len()];
    generate::scene(kind, plan.seed, number, solver)
}

/// Judges a scene; a panic of the engine is a fault of every kind.
pub fn trial<W: Workshop>(kind: Kind, workshop: &W, scene: &Scene) -> Judgement {
    catch_unwind(AssertUnwindSafe(|| judge(kind, workshop, scene))).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("without a message");
        let what = format!("the engine panics: {text}");
        Judgement::Judged(Verdict { figure: f64::INFINITY, limit: 0.0, step: 0, what })
    })
}

fn finding(plan: &Plan, kind: Kind, number: u64, said: &Judgement) -> Option<Finding> {
    let verdict = said.fault()?.clone();
    let scene = generated(plan, kind, number);
    let found_bodies = moving(&scene);
    Some(Finding { kind, number, scene, found_figure: verdict.figure, verdict, found_bodies, shrunk: false })
}

/// Bodies of a scene that forces move.
pub fn moving(scene: &Scene) -> usize {
    scene.expanded().filter(|placed| placed.body.motion == huygens::scene::Motion::Dynamic).count()
}

fn tally(kind: Kind, said: &[(Kind, u64, Judgement)]) -> Tally {
    let mut tally = Tally { kind, scenes: 0, judged: 0, faults: 0, worst: None };
    for (_, _, judgement) in said.iter().filter(|(of, ..)| *of == kind) {
        tally.scenes += 1;
        let Judgement::Judged(verdict) = judgement else { continue };
        tally.judged += 1;
        tally.faults += u64::from(verdict.is_fault());
        if tally.worst.is_none_or(|[most, _]| verdict.figure > most) {
            tally.worst = Some([verdict.figure, verdict.limit]);
        }
    }
    tally
}

/// Indices of the findings to shrink: of each kind the largest figures, the lower number on a tie.
fn worst_of_each(findings: &[Finding], plan: &Plan) -> Vec<usize> {
    let mut chosen = Vec::new();
    for kind in &plan.kinds {
        let mut of_kind: Vec<usize> = (0..findings.len()).filter(|i| findings[*i].kind == *kind).collect();
        of_kind.sort_by(|a, b| {
            let figure = |i: &usize| findings[*i].verdict.figure;
            figure(b).total_cmp(&figure(a)).then(a.cmp(b))
        });
        chosen.extend(of_kind.into_iter().take(plan.shrink));
    }
    chosen
}

/// Does every job once, in any order, and returns the results in the order of the jobs. Jobs that were not begun before `stop` are left out.
pub(crate) fn in_parallel<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    stop: &AtomicBool,
    tell: &(dyn Fn(usize) + Sync),
    work: &(dyn Fn(&J) -> R + Sync),
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { break };
                    let result = work(job);
                    results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((at, result));
                    tell(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
