//! After warm-up no stage allocates.

#[path = "suite/common/mod.rs"]
mod common;

use common::*;
use huygens_contact::*;
use huygens_math::SplitMix;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes on to the system's allocator unchanged; counting touches a thread-local number only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no counter any more, and nothing to count.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    let recipe = Recipe {
        bodies: 20,
        contacts: 40,
        mu: 0.5,
        restitution: 0.8,
        rows: true,
        extras: true,
        ..Recipe::default()
    };
    let mut toy = random(&mut SplitMix::new(1), recipe);
    toy.add_levers(0.01);
    let settings = Settings { guard: true, ..Settings::for_scale(toy.scale()) };
    let acceleration = toy.acceleration();
    let struck = toy.clone();
    let impacts = struck.impacts(&acceleration);
    let mut v = toy.v_start.clone();
    let s = drift(toy.h, &toy.v_start, &toy.v_free);
    let (mut scratch, mut solution, mut bounced) =
        (Scratch::default(), Solution::default(), ImpactOutcome::default());
    let mut c = Velocity::default();
    let (problem, mut graph) = (toy.problem(), ContactGraph::default());
    let mut step = || {
        v.copy_from(&toy.v_start);
        graph.build(&toy.groups, &toy.inertia);
        impact(&settings, &impacts, &mut v, &mut scratch, &mut bounced);
        assert!(bounced.impacts > 0);
        for &kind in SolverKind::ALL {
            kind.solve(&settings, &problem, Warm::default(), &mut scratch, &mut solution);
        }
        assert!(correct(&settings, &problem, &s, &mut scratch, &mut c).sweeps > 0);
        let mut report = GuardReport::default();
        let losses = Losses { impacts: &bounced.losses };
        scale_back(&problem, losses, &mut scratch, &mut solution, &mut report);
        limit_correction(&problem, losses, |_| false, &mut scratch, &mut solution, &mut report);
    };
    step();
    let before = COUNT.with(Cell::get);
    for _ in 0..3 {
        step();
    }
    assert_eq!(COUNT.with(Cell::get) - before, 0);
}

#[test]
fn a_used_scratch_gives_the_bits_of_a_new_one() {
    let recipe = Recipe {
        bodies: 8,
        contacts: 12,
        mu: 0.5,
        restitution: 0.8,
        rows: true,
        extras: true,
        ..Recipe::default()
    };
    let mut used = (Scratch::default(), Solution::default(), ImpactOutcome::default());
    for seed in 0..20 {
        let toy = random(&mut SplitMix::new(seed), recipe);
        let settings = Settings::for_scale(toy.scale());
        let acceleration = toy.acceleration();
        let run = |(scratch, solution, bounced): &mut (Scratch, Solution, ImpactOutcome)| {
            let mut v = toy.v_start.clone();
            impact(&settings, &toy.clone().impacts(&acceleration), &mut v, scratch, bounced);
            let kind = SolverKind::ALL[seed as usize % SolverKind::ALL.len()];
            let report = kind.solve(&settings, &toy.problem(), Warm::default(), scratch, solution);
            let mut c = Velocity::default();
            correct(&settings, &toy.problem(), &v, scratch, &mut c);
            (v, solution.v.clone(), solution.work.clone(), bounced.work.clone(), c, report)
        };
        let fresh = run(&mut Default::default());
        assert_eq!(run(&mut used), fresh, "{seed}");
    }
}
