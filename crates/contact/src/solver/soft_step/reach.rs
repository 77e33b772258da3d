//! Which points a step can reach. A resting body has corners a little above the ground that never touch: they cost as much as those that
//! bear it, and pull the middle of the patch, where friction acts, away from what presses.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | | normal velocity of a point at the start of the step, after the impacts; and with the step's whole kick | m/s |
//! | j | `jolt` | the longest way h·max(−u, 0) that anything closes in on a body: a neighbour may hand it on | m |
//!
//! A point counts while its gap is at most h·max(−u, 0) of its own, the jolts of its two bodies, and [`SPARE`] for what nobody
//! foresees.

use super::build::Census;
use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Head, Law, Side};
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
    /// For each free body.
    jolt: Vec<f64>,
    /// For each point, the way that it closes by itself [m].
    way: Vec<f64>,
}

impl Reach {
    /// All points of a contact.
    pub const ALL: [u8; 4] = [0, 1, 2, 3];

    pub fn reserve(&mut self, room: &Room) {
        reserve(&mut self.jolt, room.bodies);
        reserve(&mut self.way, room.points);
    }

    /// Begins a step.
    pub fn reset(&mut self, problem: &ContactProblem) {
        self.jolt.clear();
        self.jolt.resize(problem.v_start.free.len(), 0.0);
        self.way.clear();
        self.way.resize(problem.groups.points.len(), 0.0);
    }

    /// Looks at the contacts of an island; [`Reach::near`] then speaks of these.
    #[inline(always)]
    pub fn find(&mut self, problem: &ContactProblem, island: &[u32], census: &Census) {
        self.all = (census.points - census.closed) * WORTHWHILE < census.points;
        if self.all {
            return;
        }
        let points = &problem.groups.points;
        let heads = island.iter().map(|&group| &problem.groups.heads[group as usize]);
        for head in heads.filter(|head| head.law == Law::Contact) {
            let (n, h) = (head.normal, problem.h);
            let [a, b] = head.side.map(|side| Course::of(problem, side));
            let mut jolt = 0.0;
            // Gravity turns nothing.
            let turns = a.kick.angular != Vec3::ZERO || b.kick.angular != Vec3::ZERO;
            let straight = n.dot(a.kick.linear - b.kick.linear);
            for i in head.range() {
                let [at_a, at_b] = points[i].arm;
                let u = n.dot(a.start.at(at_a) - b.start.at(at_b));
                let kick = if turns { n.dot(a.kick.at(at_a) - b.kick.at(at_b)) } else { straight };
                jolt = max(jolt, -h * u);
                self.way[i] = h * max(-u, -u - kick);
            }
            for side in head.side {
                if let Side::Free(body) = side {
                    let most = &mut self.jolt[body as usize];
                    *most = max(*most, jolt);
                }
            }
        }
    }

    /// The points of a contact that count: their places in it, and how many.
    #[inline(always)]
    pub fn near(&self, problem: &ContactProblem, head: &Head) -> ([u8; 4], u8) {
        if self.all {
            return (Self::ALL, head.len);
        }
        let mut spare = SPARE * problem.scale.length;
        for side in head.side {
            match side {
                Side::Free(body) => spare += self.jolt[body as usize],
                Side::Tree(_) => return (Self::ALL, head.len),
                Side::Fixed | Side::Driven(_) => {}
            }
        }
        let (mut list, mut len) = (Self::ALL, 0);
        for (k, i) in head.range().enumerate() {
            let gap = problem.groups.points[i].gap;
            if gap <= spare + max(self.way[i], 0.0) || problem.airborne.get(i) == Some(&true) {
                list[len as usize] = k as u8;
                len += 1;
            }
        }
        (list, len)
    }
}

/// Velocity of a side at the start of the step, and what the step adds if nothing holds it. Trees are not asked for: their contacts
/// all count.
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
