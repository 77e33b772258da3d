//! One solve, from the top.

use super::balls;
use super::batch::At;
use super::build::SoftScratch;
use super::fill::Fill;
use super::finish::{Books, book_single, impulses, mean_velocity, motion};
use super::narrow::{Narrow, NarrowRow};
use super::pass::{Haste, pass, settle};
use super::prepare::prepare;
use super::softness::Softness;
use super::turning::NarrowCouple;
use crate::correction::Landing;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Impulse, Law, Recovery, Scratch, Settings, Solution, Warm, Work, work};
use huygens_math::lanes::{Lane, f64x4, f64x8};
use huygens_math::{Twist, at_level};

/// How far past what is needed impulses go in a cold step, but for its last rounds: successive over-relaxation, with which a stack of n
/// takes some n rounds to bear its weight instead of n².
const OVER: f64 = 1.7;
const CALM_ROUNDS: usize = 4;

/// Batches of fewer bytes stay near from pass to pass, and asking for them only costs instructions: 4 % of the pyramid's step.
const NEAR: usize = 2 << 20;

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
    let mut soft = Softness::new(settings, contact_recovery(problem), problem.h, problem.scale.length);
    let points = if settings.warm_start { warm.points } else { &[] };
    let rows = if settings.warm_start { warm.rows } else { &[] };
    let couples = if settings.warm_start { warm.couples } else { &[] };
    assert!(
        points.is_empty() || points.len() == problem.groups.points.len(),
        "warm-start impulses must be aligned with the problem's points"
    );
    let room = &mut scratch.soft;
    room.bodies.start(problem, f64::from(substeps));
    at_level!(room.level, simd => room.arrange(problem, points, settings.soft.friction));
    soft.looks_ahead = room.bytes() > NEAR;
    room.prepare_single(settings, problem, Warm { points, couples, rows }, share);
    at_level!(
        room.level,
        simd => sub_steps::<f64x4<_>>(simd, (problem, points), &soft, substeps, room),
        wide => sub_steps::<f64x8<_>>(simd, (problem, points), &soft, substeps, room)
    );
    finish(settings, problem, &soft, (room, &mut scratch.landing), out);
    SolveReport { iterations: substeps, stopped: Stop::Done, ..SolveReport::default() }
}

/// How the contacts of a problem undo overlap.
fn contact_recovery(problem: &ContactProblem) -> Recovery {
    let contact = problem.groups.heads.iter().find(|head| head.law == Law::Contact);
    contact.map_or(Recovery::None, |head| problem.groups.demand(head).recovery)
}

/// Everything that runs in lanes.
#[inline(always)]
fn sub_steps<L: Lane>(
    token: L::Token,
    (problem, warm): (&ContactProblem, &[Impulse]),
    soft: &Softness,
    substeps: u32,
    room: &mut SoftScratch,
) {
    let share = 1.0 / f64::from(substeps);
    let fill = Fill { problem, warm, share, items: &room.items, belts: &room.belts };
    let lanes = &room.lanes;
    balls::prepare::<L>(token, fill, soft, (&lanes[3], &mut room.balls), &mut room.bodies);
    prepare::<L, 1, 0, 0>(token, fill, soft, (&lanes[0], &mut room.ones), &mut room.bodies);
    prepare::<L, 2, 1, 1>(token, fill, soft, (&lanes[1], &mut room.twos), &mut room.bodies);
    prepare::<L, 4, 6, 1>(token, fill, soft, (&lanes[2], &mut room.fours), &mut room.bodies);
    for k in 0..substeps {
        if k > 0 {
            room.bodies.extrapolate();
        }
        let time = f64::from(k) * soft.h;
        for section in &room.sections {
            for round in 0..section.rounds {
                let left = section.rounds - 1 - round;
                let haste =
                    Haste { push: k == 0 && round == 0, over: if left < CALM_ROUNDS { 1.0 } else { OVER } };
                for ranges in &room.colours[section.colours.clone()] {
                    let (v, s) = (room.bodies.v.free.as_mut_slice(), room.bodies.s.free.as_mut_slice());
                    balls::settle::<L>(token, soft, haste, &mut room.balls[ranges[3].clone()], (v, s));
                    settle::<L, 1, 0, 0>(token, soft, haste, &mut room.ones[ranges[0].clone()], (v, s));
                    settle::<L, 2, 1, 1>(token, soft, haste, &mut room.twos[ranges[1].clone()], (v, s));
                    settle::<L, 4, 6, 1>(token, soft, haste, &mut room.fours[ranges[2].clone()], (v, s));
                }
                for narrow in &mut room.narrow[section.narrow.clone()] {
                    narrow.settle(problem, soft, haste, (&mut room.bodies.v, &mut room.bodies.s), time);
                }
                for row in &mut room.rows[section.rows.clone()] {
                    row.settle(problem, haste, (&mut room.bodies.v, &mut room.bodies.s), time);
                }
            }
        }
        room.bodies.advance(soft.h);
        for ranges in &room.colours {
            let v = &mut room.bodies.v.free;
            balls::pass::<L>(token, soft, &mut room.balls[ranges[3].clone()], v);
            pass::<L, 1, 0, 0>(token, soft, &mut room.ones[ranges[0].clone()], v);
            pass::<L, 2, 1, 1>(token, soft, &mut room.twos[ranges[1].clone()], v);
            pass::<L, 4, 6, 1>(token, soft, &mut room.fours[ranges[2].clone()], v);
        }
        pass_single(problem, soft, room);
    }
}

/// The pass over what is solved one by one. Where a motor or a friction couple acts against contacts, these have the last word.
fn pass_single(problem: &ContactProblem, soft: &Softness, room: &mut SoftScratch) {
    let v = &mut room.bodies.v;
    for section in &room.sections {
        for _ in 0..section.turns {
            room.narrow[section.narrow.clone()].iter_mut().for_each(|narrow| narrow.pass(problem, soft, v));
            for couple in &mut room.couples[section.couples.clone()] {
                couple.pass(problem, &mut room.narrow, v);
            }
            room.rows[section.rows.clone()].iter_mut().for_each(|row| row.pass(problem, v));
        }
        if section.turns > 1 {
            room.narrow[section.narrow.clone()].iter_mut().for_each(|narrow| narrow.pass(problem, soft, v));
        }
    }
    room.narrow.iter_mut().for_each(Narrow::finish);
    room.couples.iter_mut().for_each(NarrowCouple::finish);
    room.rows.iter_mut().for_each(NarrowRow::finish);
}

/// The answer and its books.
fn finish(
    settings: &Settings,
    problem: &ContactProblem,
    soft: &Softness,
    (room, landing): (&mut SoftScratch, &mut Vec<Landing>),
    out: &mut Solution,
) {
    let mut touched = std::mem::take(&mut room.touched);
    at_level!(room.level, simd => {
        impulses(soft, room, problem, (&mut touched, landing), out);
        motion(settings, problem, &room.bodies, &touched, out);
    });
    room.touched = touched;
    out.work = Work::default();
    work::reset_drivers(problem.groups, &mut out.drivers);
    let mut mean = std::mem::take(&mut room.mean);
    mean_velocity(problem, &room.belts, out, &mut mean);
    at_level!(room.level, simd => book::<f64x4<_>>(simd, soft, room, &mean, &mut out.work));
    room.mean = mean;
    book_single(room, problem, out);
}

#[inline(always)]
fn book<L: Lane>(token: L::Token, soft: &Softness, room: &SoftScratch, mean: &[Twist], work: &mut Work) {
    let (low, high) = (At::<L, 0> { token }, At::<L, 4> { token });
    let mut books = [Books::<L>::new(token); 2];
    for batch in &room.balls {
        books[0].book_balls(low, soft, batch, mean);
        books[1].book_balls(high, soft, batch, mean);
    }
    for batch in &room.ones {
        books[0].book(low, soft, batch, mean);
        books[1].book(high, soft, batch, mean);
    }
    for batch in &room.twos {
        books[0].book(low, soft, batch, mean);
        books[1].book(high, soft, batch, mean);
    }
    for batch in &room.fours {
        books[0].book(low, soft, batch, mean);
        books[1].book(high, soft, batch, mean);
    }
    books.iter().for_each(|books| books.post(work));
}
