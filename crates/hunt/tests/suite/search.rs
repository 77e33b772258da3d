//! The short hunt: kinds that are sound today stay sound; a hunt finds the same in every run and for every number of threads.

use crate::broken::Broken as Faulty;
use crate::fault::Fault;
use huygens::contact::SolverKind;
use huygens::{Scene, SceneErrors};
use huygens_hunt::{
    Judgement, Kind, Plan, Progress, Report, Workshop, WorldEngine, Worlds, hashes, judge, moving, search,
    trial,
};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

fn plan(kinds: &[Kind], scenes: u64) -> Plan {
    Plan {
        kinds: kinds.to_vec(),
        scenes,
        seed: 1,
        solvers: vec!["soft-step".into()],
        shrink: 1,
        budget: 30,
        threads: 2,
    }
}

fn hunt(plan: &Plan) -> Report {
    search(&Worlds, plan, &AtomicBool::new(false), &|_| {})
}

fn sound(plan: &Plan) {
    let report = hunt(plan);
    let found: Vec<String> = report
        .findings
        .iter()
        .map(|finding| format!("{} {}: {}", finding.kind.word(), finding.number, finding.verdict.what))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    for tally in &report.tallies {
        assert!(2 * tally.judged >= tally.scenes, "most scenes say something: {tally:?}");
    }
}

#[test]
fn the_ledger_closes_in_random_scenes_with_every_model() {
    let solvers = SolverKind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
    sound(&Plan { solvers, ..plan(&[Kind::Ledger], 33) });
}

#[test]
fn bits_are_the_same_in_every_run_at_every_level_and_in_every_order_of_lanes() {
    sound(&plan(&[Kind::Determinism], 10));
}

#[test]
fn a_hunt_finds_the_same_in_every_run_with_one_thread_and_with_two() {
    let two = Plan { scenes: 4, ..plan(&Kind::ALL, 4) };
    let one = Plan { threads: 1, ..two.clone() };
    // The engine itself gives too little to find.
    let engine = Faulty::new(Worlds, Fault::GainOfSpin);
    let [a, b] = [&two, &one].map(|plan| search(&engine, plan, &AtomicBool::new(false), &|_| {}));
    assert!(!a.findings.is_empty(), "a test of nothing");
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
    assert_eq!(a.tallies.len(), Kind::ALL.len());
    assert!(a.tallies.iter().all(|tally| tally.scenes == 4));
}

#[test]
fn a_finding_is_judged_the_same_again_and_is_no_larger_than_it_was() {
    let engine = Faulty::new(Worlds, Fault::GainOfSpin);
    let plan = Plan { shrink: 2, budget: 60, ..plan(&[Kind::Energy], 8) };
    let report = search(&engine, &plan, &AtomicBool::new(false), &|_| {});
    assert!(report.findings.iter().any(|finding| finding.shrunk), "a test of nothing");
    for finding in &report.findings {
        assert_eq!(judge(finding.kind, &engine, &finding.scene), Judgement::Judged(finding.verdict.clone()));
        assert!(moving(&finding.scene) <= finding.found_bodies);
        assert!(finding.verdict.figure >= 0.1 * finding.found_figure);
    }
}

#[test]
fn a_stopped_hunt_begins_nothing_and_says_so() {
    let told = Mutex::new(Vec::<Progress>::new());
    let tell = |at| told.lock().expect("nobody panics").push(at);
    let report = search(&Worlds, &plan(&[Kind::Nan], 5), &AtomicBool::new(true), &tell);
    assert!(report.stopped && report.findings.is_empty());
    assert_eq!(report.tallies[0].scenes, 0);
    assert!(told.into_inner().expect("nobody panics").is_empty());
}

/// Breaks down on every scene.
struct Broken;

impl Workshop for Broken {
    type Engine = WorldEngine;

    fn build(&self, _: &Scene) -> Result<WorldEngine, SceneErrors> {
        panic!("broken on purpose")
    }
}

#[test]
fn a_panic_of_the_engine_is_a_fault() {
    let Judgement::Judged(verdict) = trial(Kind::Nan, &Broken, &Scene::default()) else {
        panic!("a panic must be judged")
    };
    assert!(verdict.is_fault() && verdict.what.contains("broken on purpose"), "{}", verdict.what);
}

#[test]
fn hashes_are_those_of_the_scenes_numbers() {
    let all = hashes(&Worlds, &plan(&[Kind::Nan], 6), &AtomicBool::new(false), &|_| {});
    let fewer = hashes(&Worlds, &plan(&[Kind::Nan], 3), &AtomicBool::new(false), &|_| {});
    assert_eq!(all[..3], fewer);
    assert!(all.iter().all(|scene| scene.hash.is_some()));
    assert_ne!(all[0].hash, all[1].hash);
}
