//! Which points a step can reach. A resting body has corners a little above the ground that never touch: they cost as much as the corners
//! that bear it, and pull the middle of the patch, where friction acts, away from the points that press.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | | normal velocity of a point at the start of the step, after the impacts; and with the step's whole kick | m/s |
//! | | `approach` | the largest distance h·max(−u, 0) by which anything comes nearer to a body or tree: a neighbour may hand it on | m |
//! | | `closing` | the distance by which a point comes nearer by itself | m |
//!
//! A point counts while its gap is at most its own closing distance, the approaches of its two sides, and [`SPARE`] for all else.

use super::census::Census;
use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Head, Law, Side, Velocity};
use huygens_math::pool::{Lent, part};
use huygens_math::scalar::max;
use huygens_math::{Pool, Twist, Vec3};

/// Gap at which a point counts however slow it is, in lengths of the scene.
const SPARE: f64 = 1e-3;

/// Nothing is sorted out in an island unless one in so many of its points is open.
const WORTHWHILE: usize = 8;

/// Which points count in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// Every point of the island counts.
    all: bool,
    /// For each free body, then for each tree.
    approach: Vec<f64>,
    /// For each point.
    closing: Vec<f64>,
    /// The approach in each group of a large island.
    found: Vec<f64>,
}

/// Groups of a large island that are looked at in one chunk: some 10 µs.
pub(super) const GROUPS_OF_CHUNK: usize = 256;

/// Islands with fewer groups are looked at by the caller alone.
pub(super) const LEAST_GROUPS: usize = 1024;

impl Reach {
    /// All points of a contact.
    pub const ALL: [u8; 4] = [0, 1, 2, 3];

    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.approach, room.bodies + room.dofs);
        reserve(&mut self.closing, room.points);
        reserve(&mut self.found, room.groups);
    }

    /// Begins a step.
    pub fn reset(&mut self, problem: &ContactProblem) {
        self.approach.clear();
        self.approach.resize(problem.graph.free_bodies() + problem.graph.trees(), 0.0);
        self.closing.clear();
        self.closing.resize(problem.groups.points.len(), 0.0);
    }

    /// Looks at the contacts of an island; [`Reach::near`] then speaks of these.
    #[inline(always)]
    pub fn find(&mut self, problem: &ContactProblem, island: &[u32], census: &Census, pool: &Pool) {
        self.all = (census.points - census.closed) * WORTHWHILE < census.points;
        if self.all {
            return;
        }
        let heads = &problem.groups.heads;
        if pool.threads() > 1 && island.len() >= LEAST_GROUPS {
            self.found.resize(self.found.len().max(island.len()), 0.0);
            let (closing, found) = (Lent::new(&mut self.closing), Lent::new(&mut self.found));
            pool.for_chunks(island.len().div_ceil(GROUPS_OF_CHUNK), |chunk, _| {
                for at in part(chunk, GROUPS_OF_CHUNK, island.len()) {
                    let head = &heads[island[at] as usize];
                    // SAFETY: the points of a contact, and its place in the island, are its own, and it is in one chunk.
                    let (closing, found) = unsafe {
                        let points = if head.law == Law::Contact { head.range() } else { 0..0 };
                        (closing.slice(points), found.entry(at))
                    };
                    *found = if head.law == Law::Contact { approach(problem, head, closing) } else { 0.0 };
                }
            });
            for (at, &group) in island.iter().enumerate() {
                let found = self.found[at];
                self.approach_of(problem, &heads[group as usize], found);
            }
            return;
        }
        for head in problem.groups.contacts_among(island) {
            let found = approach(problem, head, &mut self.closing[head.range()]);
            self.approach_of(problem, head, found);
        }
    }

    /// Takes in the approach that a contact lets its sides make.
    #[inline(always)]
    fn approach_of(&mut self, problem: &ContactProblem, head: &Head, approach: f64) {
        for movable in problem.graph.movables_of(head).into_iter().flatten() {
            self.approach[movable] = max(self.approach[movable], approach);
        }
    }

    /// The points of a contact that count: their places in it, and how many.
    #[inline(always)]
    pub fn near(&self, problem: &ContactProblem, head: &Head) -> ([u8; 4], u8) {
        if self.all {
            return (Self::ALL, head.len);
        }
        let mut spare = SPARE * problem.scale.length;
        for movable in problem.graph.movables_of(head).into_iter().flatten() {
            spare += self.approach[movable];
        }
        let (mut list, mut len) = (Self::ALL, 0);
        for (k, i) in head.range().enumerate() {
            let gap = problem.groups.points[i].gap;
            if gap <= spare + max(self.closing[i], 0.0) || problem.airborne.get(i) == Some(&true) {
                list[len as usize] = k as u8;
                len += 1;
            }
        }
        (list, len)
    }
}

/// Finds the closing distances of the points of a contact; returns the largest approach at the start of the step.
#[inline(always)]
fn approach(problem: &ContactProblem, head: &Head, closing: &mut [f64]) -> f64 {
    if !head.side.iter().any(|side| matches!(side, Side::Tree(_))) {
        return approach_of_bodies(problem, head, closing);
    }
    let (h, mut approach) = (problem.h, 0.0);
    for (i, closing) in head.range().zip(closing) {
        let speed = |v: &Velocity| problem.groups.relative(head, &problem.groups.points[i], v)[0];
        let (start, free) = (speed(problem.v_start), speed(problem.v_free));
        approach = max(approach, -h * start);
        *closing = h * max(-start, -free);
    }
    approach
}

/// The same for a contact of bodies.
#[inline(always)]
fn approach_of_bodies(problem: &ContactProblem, head: &Head, closing: &mut [f64]) -> f64 {
    let (n, h) = (head.normal, problem.h);
    let [a, b] = head.side.map(|side| Course::of(problem, side));
    let mut approach = 0.0;
    // Gravity turns nothing.
    let turns = a.kick.angular != Vec3::ZERO || b.kick.angular != Vec3::ZERO;
    let straight = n.dot(a.kick.linear - b.kick.linear);
    for (i, closing) in head.range().zip(closing) {
        let [at_a, at_b] = problem.groups.points[i].arm;
        let u = n.dot(a.start.at(at_a) - b.start.at(at_b));
        let kick = if turns { n.dot(a.kick.at(at_a) - b.kick.at(at_b)) } else { straight };
        approach = max(approach, -h * u);
        *closing = h * max(-u, -u - kick);
    }
    approach
}

/// Velocity of a body at the start of the step, and its change in the step if nothing holds it.
struct Course {
    start: Twist,
    kick: Twist,
}

impl Course {
    #[inline(always)]
    fn of(problem: &ContactProblem, side: Side) -> Self {
        let rest = |start| Self { start, kick: Twist::ZERO };
        match side {
            Side::Free(i) => {
                let start = problem.v_start.free[i as usize];
                Self { start, kick: problem.v_free.free[i as usize] - start }
            }
            Side::Driven(i) => rest(problem.groups.driven[i as usize]),
            Side::Fixed | Side::Tree(_) => rest(Twist::ZERO),
        }
    }
}
