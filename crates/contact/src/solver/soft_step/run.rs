//! One solve, from the top.

use super::build::SoftScratch;
use super::fill::Fill;
use super::finish::{Collector, book_rows, mean_velocity, motion};
use super::kind::for_each_kind;
use super::pass::PassOptions;
use crate::correction::Landing;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Scratch, Settings, Solution, Velocity, Warm, Work, work};
use huygens_math::at_level;
use huygens_math::lanes::{Lane, f64x4, f64x8};

/// Over-relaxation of a cold step, but for its last rounds: impulses go so far past what is needed, with which a stack of n takes some n
/// rounds to bear its weight instead of n².
const OVER_RELAXATION: f64 = 1.7;
const CALM_ROUNDS: usize = 4;

/// Batches of fewer bytes stay in the cache from pass to pass, and prefetching them only costs instructions: 4 % of the pyramid's step.
const CACHED: usize = 2 << 20;

/// Solves a problem.
pub(in crate::solver) fn run(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    let substeps = settings.soft.substeps;
    let share = 1.0 / f64::from(substeps);
    let warm = if settings.warm_start { warm } else { Warm::default() };
    assert!(
        warm.points.is_empty() || warm.points.len() == problem.groups.points.len(),
        "warm-start impulses must be aligned with the problem's points"
    );
    let room = &mut scratch.soft;
    room.classify(settings, problem);
    room.bodies.start(problem, f64::from(substeps));
    at_level!(room.level, simd => room.arrange(problem, warm.points, settings.soft.friction));
    let prefetches = room.batches.bytes() > CACHED;
    room.numbers.iter_mut().for_each(|soft| soft.prefetches = prefetches);
    room.prepare_rows(settings, problem, warm, share);
    at_level!(
        room.level,
        simd => sub_steps::<f64x4<_>>(simd, problem, warm, substeps, room),
        wide => sub_steps::<f64x8<_>>(simd, problem, warm, substeps, room)
    );
    finish(settings, problem, room, &mut scratch.landing, out);
    SolveReport { iterations: substeps, stopped: Stop::Done, ..SolveReport::default() }
}

/// Everything that runs in lanes.
#[inline(always)]
fn sub_steps<L: Lane>(
    token: L::Token,
    problem: &ContactProblem,
    warm: Warm,
    substeps: u32,
    room: &mut SoftScratch,
) {
    let share = 1.0 / f64::from(substeps);
    let SoftScratch { bodies, batches, rows, sections, colours, items, surfaces, numbers, .. } = room;
    let fill = Fill { problem, warm, share, items, surfaces };
    for_each_kind!(&mut *batches, list, _place => list.prepare::<L>(token, &fill, numbers, bodies));
    let h = numbers[0].h;
    for k in 0..substeps {
        if k > 0 {
            bodies.extrapolate();
        }
        let time = f64::from(k) * h;
        let rounds = sections.iter().map(|section| section.rounds).max().unwrap_or(0);
        for round in 0..rounds {
            for section in sections.iter().filter(|section| round < section.rounds) {
                let is_calm = section.rounds - 1 - round < CALM_ROUNDS;
                let options = PassOptions {
                    push_out: k == 0 && round == 0,
                    over_relaxation: if is_calm { 1.0 } else { OVER_RELAXATION },
                };
                for at in section.colours.clone() {
                    let (ranges, soft) = (&colours[at], &numbers[at % numbers.len()]);
                    for_each_kind!(&mut *batches, list, kind => {
                        list.normal_pass::<L>(token, soft, options, &ranges[kind], bodies);
                    });
                }
                for row in &mut rows[section.rows.clone()] {
                    row.normal_pass(problem, options, time, bodies);
                }
            }
            if k == 0 && round == 0 {
                bodies.keep_push_out();
            }
        }
        bodies.advance(h);
        for section in sections.iter() {
            for turn in 0..section.turns {
                let is_last = turn + 1 == section.turns;
                for at in section.colours.clone() {
                    let (ranges, soft) = (&colours[at], &numbers[at % numbers.len()]);
                    for_each_kind!(&mut *batches, list, kind => {
                        list.contact_pass::<L>(token, soft, is_last, &ranges[kind], bodies);
                    });
                }
                // Where a motor acts against contacts, these have the last word.
                if !is_last || turn == 0 {
                    for row in &mut rows[section.rows.clone()] {
                        row.contact_pass(problem, &mut bodies.v);
                    }
                }
            }
        }
        for row in rows.iter_mut() {
            row.finish(problem, &bodies.v);
        }
    }
}

/// The solution and its books.
fn finish(
    settings: &Settings,
    problem: &ContactProblem,
    room: &mut SoftScratch,
    landing: &mut Vec<Landing>,
    out: &mut Solution,
) {
    let (mut touched, mut mean) = (std::mem::take(&mut room.touched), std::mem::take(&mut room.mean));
    at_level!(room.level, simd => {
        let mut collector = Collector { problem, numbers: &room.numbers, touched: &mut touched, landing, out };
        collector.collect(room);
        motion(settings, problem, &room.bodies, &touched, out);
    });
    out.work = Work::default();
    work::reset_drivers(problem.groups, &mut out.drivers);
    mean_velocity(problem, &room.surfaces, out, &mut mean);
    at_level!(room.level, simd => book::<f64x4<_>>(simd, room, &mean, &mut out.work));
    (room.touched, room.mean) = (touched, mean);
    book_rows(problem, &room.rows, out);
}

#[inline(always)]
fn book<L: Lane>(token: L::Token, room: &SoftScratch, mean: &Velocity, work: &mut Work) {
    for_each_kind!(&room.batches, list, _place => {
        list.book::<L>(token, &room.numbers, &room.bodies, mean, work);
    });
}
