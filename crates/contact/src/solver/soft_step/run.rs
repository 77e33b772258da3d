//! One solve, from the top.

use super::build::SoftScratch;
use super::fill::Fill;
use super::finish::{Collector, book_rows, mean_velocity, motion};
use super::kind::for_each_kind;
use super::pass::PassOptions;
use super::softness::Softness;
use crate::correction::Landing;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Recovery, Scratch, Settings, Solution, Velocity, Warm, Work, work};
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
    let mut soft = Softness::new(settings, contact_recovery(problem), problem.h, problem.scale);
    let warm = if settings.warm_start { warm } else { Warm::default() };
    assert!(
        warm.points.is_empty() || warm.points.len() == problem.groups.points.len(),
        "warm-start impulses must be aligned with the problem's points"
    );
    let room = &mut scratch.soft;
    room.bodies.start(problem, f64::from(substeps));
    at_level!(room.level, simd => room.arrange(problem, warm.points, settings.soft.friction));
    soft.prefetches = room.batches.bytes() > CACHED;
    room.prepare_rows(settings, problem, warm, share);
    at_level!(
        room.level,
        simd => sub_steps::<f64x4<_>>(simd, problem, warm, &soft, substeps, room),
        wide => sub_steps::<f64x8<_>>(simd, problem, warm, &soft, substeps, room)
    );
    finish(settings, problem, &soft, room, &mut scratch.landing, out);
    SolveReport { iterations: substeps, stopped: Stop::Done, ..SolveReport::default() }
}

/// How the contacts of a problem undo overlap.
fn contact_recovery(problem: &ContactProblem) -> Recovery {
    let contact = problem.groups.heads.iter().find(|head| head.is_contact());
    contact.map_or(Recovery::None, |head| problem.groups.demand(head).recovery)
}

/// Everything that runs in lanes.
#[inline(always)]
fn sub_steps<L: Lane>(
    token: L::Token,
    problem: &ContactProblem,
    warm: Warm,
    soft: &Softness,
    substeps: u32,
    room: &mut SoftScratch,
) {
    let share = 1.0 / f64::from(substeps);
    let SoftScratch { bodies, batches, rows, sections, colours, items, surfaces, .. } = room;
    let fill = Fill { problem, warm, share, items, surfaces };
    for_each_kind!(&mut *batches, list, _place => list.prepare::<L>(token, &fill, soft, bodies));
    for k in 0..substeps {
        if k > 0 {
            bodies.extrapolate();
        }
        let time = f64::from(k) * soft.h;
        for section in sections.iter() {
            for round in 0..section.rounds {
                let is_calm = section.rounds - 1 - round < CALM_ROUNDS;
                let options = PassOptions {
                    push_out: k == 0 && round == 0,
                    over_relaxation: if is_calm { 1.0 } else { OVER_RELAXATION },
                };
                for ranges in &colours[section.colours.clone()] {
                    for_each_kind!(&mut *batches, list, kind => {
                        list.normal_pass::<L>(token, soft, options, &ranges[kind], bodies);
                    });
                }
                for row in &mut rows[section.rows.clone()] {
                    row.normal_pass(problem, options, time, bodies);
                }
            }
        }
        bodies.advance(soft.h);
        for section in sections.iter() {
            for turn in 0..section.turns {
                let is_last = turn + 1 == section.turns;
                for ranges in &colours[section.colours.clone()] {
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
    soft: &Softness,
    room: &mut SoftScratch,
    landing: &mut Vec<Landing>,
    out: &mut Solution,
) {
    let (mut touched, mut mean) = (std::mem::take(&mut room.touched), std::mem::take(&mut room.mean));
    at_level!(room.level, simd => {
        let mut collector = Collector { problem, touched: &mut touched, landing, out };
        collector.collect(soft, room);
        motion(settings, problem, &room.bodies, &touched, out);
    });
    out.work = Work::default();
    work::reset_drivers(problem.groups, &mut out.drivers);
    mean_velocity(problem, &room.surfaces, out, &mut mean);
    at_level!(room.level, simd => book::<f64x4<_>>(simd, soft, room, &mean, &mut out.work));
    (room.touched, room.mean) = (touched, mean);
    book_rows(problem, &room.rows, out);
}

#[inline(always)]
fn book<L: Lane>(token: L::Token, soft: &Softness, room: &SoftScratch, mean: &Velocity, work: &mut Work) {
    for_each_kind!(&room.batches, list, _place => {
        list.book::<L>(token, soft, &room.bodies, mean, work);
    });
}
