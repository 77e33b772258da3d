//! Every broken engine is found within 200 scenes from each of five seeds, and a sound one never.

use crate::broken::Broken;
use crate::fault::{Base, Fault};
use crate::meddle::Meddle;
use crate::sound::{Apart, Contactless, Passive};
use crate::stopping::Stopping;
use huygens_hunt::{Judgement, Kind, Workshop, Worlds, generate, judge};

/// The numbers in an optimised build; a sample in a debug build.
const SEEDS: std::ops::RangeInclusive<u64> = if cfg!(debug_assertions) { 1..=1 } else { 1..=5 };
const SCENES: u64 = 200;
const SOUND_SCENES: u64 = if cfg!(debug_assertions) { 20 } else { SCENES };

/// The first scene of a hunt in which the broken engine has a fault and its base has none.
fn first_found<W: Workshop<Engine: Meddle>>(base: impl Fn() -> W, fault: Fault, seed: u64) -> Option<u64> {
    let (kind, _) = fault.trial();
    let broken = Broken::new(base(), fault);
    (0..SCENES).find(|number| {
        let scene = generate::scene(kind, seed, *number, fault.solver());
        judge(kind, &broken, &scene).fault().is_some() && judge(kind, &base(), &scene).fault().is_none()
    })
}

fn every_seed_finds(kinds: &[Kind]) {
    let mut missed = Vec::new();
    for fault in Fault::ALL.into_iter().filter(|fault| kinds.contains(&fault.trial().0)) {
        let start = std::time::Instant::now();
        let found: Vec<Option<u64>> = SEEDS
            .map(|seed| match fault.trial().1 {
                Base::True => first_found(|| Worlds, fault, seed),
                Base::Contactless => first_found(|| Contactless, fault, seed),
                Base::Stopping => first_found(|| Stopping, fault, seed),
                Base::Apart => first_found(|| Apart, fault, seed),
            })
            .collect();
        println!("{fault:?}: scenes {found:?}, {:.1} s", start.elapsed().as_secs_f64());
        if found.contains(&None) {
            missed.push((fault, found));
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

/// No scene of a hunt blames a sound engine, and most of them say something about it.
fn never_blamed<W: Workshop>(kind: Kind, sound: &W, least_judged: f64) {
    let (mut judged, mut all) = (0, 0);
    let start = std::time::Instant::now();
    for seed in SEEDS {
        for number in 0..SOUND_SCENES {
            let scene = generate::scene(kind, seed, number, "soft-step");
            all += 1;
            match judge(kind, sound, &scene) {
                Judgement::NotJudged(_) => {}
                Judgement::Judged(verdict) => {
                    judged += 1;
                    assert!(!verdict.is_fault(), "{}, seed {seed}, scene {number}: {verdict:?}", kind.word());
                }
            }
        }
    }
    println!("{}: {judged} of {all} judged, {:.1} s", kind.word(), start.elapsed().as_secs_f64());
    assert!(f64::from(judged) >= least_judged * f64::from(all), "{judged} of {all} judged");
}

#[test]
fn broken_engines_are_found_by_ghost_and_passage() {
    every_seed_finds(&[Kind::Ghost, Kind::Passage]);
}

#[test]
fn broken_engines_are_found_by_symmetry_and_locality() {
    every_seed_finds(&[Kind::Symmetry, Kind::Locality]);
}

#[test]
fn bodies_that_fly_through_everything_are_never_blamed_by_ghost() {
    never_blamed(Kind::Ghost, &Contactless, 0.9);
}

#[test]
fn bodies_that_fly_through_everything_are_never_blamed_by_symmetry() {
    never_blamed(Kind::Symmetry, &Contactless, 0.95);
}

#[test]
fn bodies_that_stop_where_they_touch_are_never_blamed_by_passage() {
    never_blamed(Kind::Passage, &Stopping, 0.95);
}

#[test]
fn worlds_apart_are_never_blamed_by_locality() {
    never_blamed(Kind::Locality, &Apart, 0.95);
}

#[test]
fn broken_engines_are_found_by_energy_and_ledger() {
    every_seed_finds(&[Kind::Energy, Kind::Ledger]);
}

#[test]
fn broken_engines_are_found_by_nan_creep_and_determinism() {
    every_seed_finds(&[Kind::Nan, Kind::Creep, Kind::Determinism]);
}

#[test]
fn bodies_that_fly_and_only_lose_spin_are_never_blamed_by_energy() {
    never_blamed(Kind::Energy, &Passive, 0.5);
}

#[test]
fn bodies_that_stop_where_they_touch_are_never_blamed_by_creep() {
    never_blamed(Kind::Creep, &Stopping, 0.3);
}

#[test]
fn bodies_that_fly_through_everything_are_never_blamed_by_ledger() {
    never_blamed(Kind::Ledger, &Contactless, 0.9);
}

#[test]
fn bodies_that_stop_where_they_touch_are_never_blamed_by_nan() {
    never_blamed(Kind::Nan, &Stopping, 0.9);
}

#[test]
fn bodies_that_fly_through_everything_are_never_blamed_by_determinism() {
    never_blamed(Kind::Determinism, &Contactless, 0.9);
}
