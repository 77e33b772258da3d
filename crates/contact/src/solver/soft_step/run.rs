//! One solve, from the top.

use super::body::Bodies;
use super::build::SoftScratch;
use super::fill::Fill;
use super::finish::{Collector, book_rows, fly_free, mean_velocity, motion};
use super::kind::{Chunk, KINDS, LentBatches, at_kind, for_each_kind, place};
use super::pass::PassOptions;
use super::side_rows::SideRows;
use super::softness::Softness;
use crate::correction::Landing;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Scratch, Settings, Solution, Velocity, Warm, Work, work};
use huygens_math::lanes::{Lane, f64x4, f64x8};
use huygens_math::{Pool, at_level};

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
    if problem.groups.heads.is_empty() {
        fly_free(problem, &mut scratch.landing, out);
        return SolveReport { iterations: substeps, stopped: Stop::Done, ..SolveReport::default() };
    }
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

/// Chunks of a colour below which the caller works alone: to share fewer costs as much as it gains. (With chunks a quarter as large, so that nearly
/// all colours are shared, a solve of 30,000 balls took 10.8 instead of 8.6 ms on two threads.)
const LEAST_CHUNKS: usize = 4;

/// Chunks of a solve below which the caller works alone.
const LEAST_CHUNKS_OF_ALL: usize = 24;

/// Runs some chunks of one colour, on several threads if there are many; neighbours of a kind as one.
#[inline(always)]
fn share(pool: &Pool, chunks: &[Chunk], run: impl Fn(&Chunk) + Sync) {
    let some = |chunks: &[Chunk]| {
        for of_kind in chunks.chunk_by(|a, b| a.kind == b.kind) {
            run(&Chunk { end: of_kind[of_kind.len() - 1].end, ..of_kind[0] });
        }
    };
    if chunks.len() < LEAST_CHUNKS {
        some(chunks);
    } else {
        pool.for_ranges(chunks.len(), |range, _| some(&chunks[range]));
    }
}

/// Fills and prepares all batches, and applies the impulses that they start from: kind after kind, colour after colour.
#[inline(always)]
fn prepare<L: Lane>(token: L::Token, pool: &Pool, fill: &Fill, parts: &mut Parts) {
    let Parts { bodies, batches, chunks, chunks_of, numbers, .. } = parts;
    // SAFETY: threads share the chunks of one colour at a time, and batches of a colour share no movable body ([`crate::coloring`]).
    let (bodies, rows) = unsafe { bodies.lend() };
    for kind in 0..KINDS {
        for ends in chunks_of.iter().filter(|ends| ends[kind] < ends[kind + 1]) {
            let chunks = &chunks[ends[kind] as usize..ends[kind + 1] as usize];
            if kind < place::GENERAL[0] {
                share(pool, chunks, |chunk| {
                    let mut none = SideRows::default();
                    at_kind!(batches, chunk.kind, list => {
                        list.prepare::<L>(token, chunk.range(), fill, numbers, (&bodies, &mut none));
                    });
                });
            } else {
                // Their rows are one list.
                for chunk in chunks {
                    at_kind!(batches, chunk.kind, list => {
                        list.prepare::<L>(token, chunk.range(), fill, numbers, (&bodies, &mut *rows));
                    });
                }
            }
        }
    }
}

/// What the passes go over.
struct Parts<'a> {
    bodies: &'a mut Bodies,
    batches: LentBatches<'a>,
    chunks: &'a [Chunk],
    chunks_of: &'a [[u32; KINDS + 1]],
    numbers: &'a [Softness],
}

impl Parts<'_> {
    /// The normal pass over a colour.
    #[inline(always)]
    fn normal_pass<L: Lane>(&mut self, token: L::Token, pool: &Pool, at: usize, options: PassOptions) {
        // SAFETY: threads share the chunks of one colour, and batches of a colour share no movable body ([`crate::coloring`]).
        let (bodies, rows) = unsafe { self.bodies.lend() };
        let (ends, soft) = (&self.chunks_of[at], &self.numbers[at % self.numbers.len()]);
        let (batches, rows) = (&self.batches, &*rows);
        share(pool, &self.chunks[ends[0] as usize..ends[KINDS] as usize], |chunk| {
            at_kind!(batches, chunk.kind, list => {
                list.normal_pass::<L>(token, chunk.range(), soft, options, (&bodies, rows));
            });
        });
    }

    /// The contact pass over a colour.
    #[inline(always)]
    fn contact_pass<L: Lane>(&mut self, token: L::Token, pool: &Pool, at: usize, is_last: bool) {
        // SAFETY: as in the normal pass.
        let (bodies, rows) = unsafe { self.bodies.lend() };
        let (ends, soft) = (&self.chunks_of[at], &self.numbers[at % self.numbers.len()]);
        let (batches, rows) = (&self.batches, &*rows);
        share(pool, &self.chunks[ends[0] as usize..ends[KINDS] as usize], |chunk| {
            at_kind!(batches, chunk.kind, list => {
                list.contact_pass::<L>(token, chunk.range(), soft, is_last, (&bodies, rows));
            });
        });
    }
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
    let SoftScratch {
        bodies,
        batches,
        rows,
        sections,
        chunks,
        chunks_of,
        items,
        surfaces,
        numbers,
        pool,
        ..
    } = room;
    let alone = Pool::default();
    let pool = if chunks.len() < LEAST_CHUNKS_OF_ALL { &alone } else { &*pool };
    let fill = Fill { problem, warm, share, items, surfaces };
    let mut parts = Parts { bodies, batches: batches.lend(), chunks, chunks_of, numbers };
    prepare::<L>(token, pool, &fill, &mut parts);
    let h = numbers[0].h;
    for k in 0..substeps {
        if k > 0 {
            parts.bodies.extrapolate::<L>(token, pool);
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
                    parts.normal_pass::<L>(token, pool, at, options);
                }
                for row in &mut rows[section.rows.clone()] {
                    row.normal_pass(problem, options, time, parts.bodies);
                }
            }
            if k == 0 && round == 0 {
                parts.bodies.keep_push_out();
            }
        }
        parts.bodies.advance::<L>(token, pool, h);
        for section in sections.iter() {
            for turn in 0..section.turns {
                let is_last = turn + 1 == section.turns;
                for at in section.colours.clone() {
                    parts.contact_pass::<L>(token, pool, at, is_last);
                }
                // Where a motor acts against contacts, these have the last word.
                if !is_last || turn == 0 {
                    for row in &mut rows[section.rows.clone()] {
                        row.contact_pass(problem, &mut parts.bodies.v);
                    }
                }
            }
        }
        for row in rows.iter_mut() {
            row.finish(problem, &parts.bodies.v);
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
    });
    motion(settings, problem, (&room.pool, room.level), &room.bodies, &touched, out);
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
