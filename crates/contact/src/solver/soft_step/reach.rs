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
use crate::{ContactProblem, Head, Side, Velocity};
use huygens_math::scalar::max;
use huygens_math::{Twist, Vec3};

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
}

impl Reach {
    /// All points of a contact.
    pub const ALL: [u8; 4] = [0, 1, 2, 3];

    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.approach, room.bodies + room.dofs);
        reserve(&mut self.closing, room.points);
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
    pub fn find(&mut self, problem: &ContactProblem, island: &[u32], census: &Census) {
        self.all = (census.points - census.closed) * WORTHWHILE < census.points;
        if self.all {
            return;
        }
        let points = &problem.groups.points;
        for head in problem.groups.contacts_among(island) {
            let h = problem.h;
            let mut approach = 0.0;
            if head.side.iter().any(|side| matches!(side, Side::Tree(_))) {
                for i in head.range() {
                    let speed = |v: &Velocity| problem.groups.relative(head, &points[i], v)[0];
                    let (start, free) = (speed(problem.v_start), speed(problem.v_free));
                    approach = max(approach, -h * start);
                    self.closing[i] = h * max(-start, -free);
                }
            } else {
                approach = self.bodies(problem, head);
            }
            for movable in problem.graph.movables_of(head).into_iter().flatten() {
                self.approach[movable] = max(self.approach[movable], approach);
            }
        }
    }

    /// Finds the closing distances of a contact of bodies; returns the largest at the start of the step.
    #[inline(always)]
    fn bodies(&mut self, problem: &ContactProblem, head: &Head) -> f64 {
        let (n, h) = (head.normal, problem.h);
        let [a, b] = head.side.map(|side| Course::of(problem, side));
        let mut approach = 0.0;
        // Gravity turns nothing.
        let turns = a.kick.angular != Vec3::ZERO || b.kick.angular != Vec3::ZERO;
        let straight = n.dot(a.kick.linear - b.kick.linear);
        for i in head.range() {
            let [at_a, at_b] = problem.groups.points[i].arm;
            let u = n.dot(a.start.at(at_a) - b.start.at(at_b));
            let kick = if turns { n.dot(a.kick.at(at_a) - b.kick.at(at_b)) } else { straight };
            approach = max(approach, -h * u);
            self.closing[i] = h * max(-u, -u - kick);
        }
        approach
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
