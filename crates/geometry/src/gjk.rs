//! How far two convex shapes are apart, or how deep they overlap.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | D | `Difference` | Minkowski difference A − B of the cores, in A's frame |
//! | v | `nearest` | the point of the simplex nearest to the origin; points from B to A |
//! | w | `new` | the point of D farthest along −v |
//! | ρ | `Difference::size` | size of the numbers that D's points are differences of: rounding is relative to it |
//!
//! Source: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, *A fast procedure for computing the distance between complex
//! objects in three-dimensional space*, IEEE J. Robotics and Automation 4 (1988). For every w, v·w/|v| ≤ distance ≤
//! |v|, which is the test for convergence.
//!
//! Where the origin lies in D, or nearer to it than rounding lets v have a direction, EPA answers instead.

use crate::epa;
use crate::simplex::{Difference, NOISE, Nearest, Vertex, on_segment, on_tetrahedron, on_triangle};
use crate::support::Support;
use huygens_math::{Pose, Vec3};
use std::cmp::Ordering;

/// Most support points that one run of GJK asks for.
const RUN_ITERATIONS: u32 = 128;

/// Most support points that GJK asks for, with all that settles its normal.
pub const MAX_GJK_ITERATIONS: u32 = 5 * RUN_ITERATIONS;

/// Most support points that EPA asks for after it, with all that refines its answer.
pub const MAX_EPA_ITERATIONS: u32 = 3 * epa::MAX_ITERATIONS;

/// Below this part of ρ the direction of v is rounding: 1e-16 over it is an angle of 1e-4 rad.
const TOUCHING: f64 = 1e-12;

/// Where GJK cannot bring its bounds together and v is shorter than this part of ρ, EPA is asked too: it finds the normal
/// from faces, not from v. Any normal is a bound on the gap from below, so the better of both is taken.
const UNSURE: f64 = 1e-6;

/// Where two convex shapes are closest, or how they are parted by the shortest move.
///
/// `on_a − on_b = gap · normal` holds up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance of the shapes [m]; negative when they overlap: minus the shortest move that parts them.
    pub gap: f64,
    /// Unit normal from B to A.
    pub normal: Vec3,
    /// Witness point on the surface of A [m].
    pub on_a: Vec3,
    /// Witness point on the surface of B [m].
    pub on_b: Vec3,
}

impl Separation {
    /// The answer for whole shapes from that for cores: the point halfway between the witnesses, the normal, the gap
    /// of the cores and the radii.
    pub(crate) fn from_cores(middle: Vec3, normal: Vec3, core_gap: f64, [r_a, r_b]: [f64; 2]) -> Self {
        Self {
            gap: core_gap - r_a - r_b,
            normal,
            on_a: middle + normal * (0.5 * core_gap - r_a),
            on_b: middle - normal * (0.5 * core_gap - r_b),
        }
    }

    /// The same answer with A and B exchanged, still in the same frame.
    pub fn swapped(&self) -> Self {
        Self { gap: self.gap, normal: -self.normal, on_a: self.on_b, on_b: self.on_a }
    }

    /// The same answer in the frame that `target_from_source` leads to.
    pub fn transformed(&self, target_from_source: &Pose) -> Self {
        Self {
            gap: self.gap,
            normal: target_from_source.rotate(self.normal),
            on_a: target_from_source.transform(self.on_a),
            on_b: target_from_source.transform(self.on_b),
        }
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Support points that GJK asked for.
    pub gjk: u32,
    /// Support points that EPA asked for.
    pub epa: u32,
    /// False when a bound on the work ended EPA, and the answer is the best known so far.
    pub converged: bool,
}

/// Signed distance and witness points of A and B, all in A's frame; `b_in_a` is the pose of B there.
///
/// Always answers, with finite numbers for finite shapes and poses. Between polytopes the depth of an overlap is that
/// of a face of the Minkowski difference, exact up to rounding; with a cylinder it is converged to 1e-11 of the size.
#[inline]
pub fn separation<A: Support, B: Support>(a: &A, b: &B, b_in_a: &Pose) -> Separation {
    separation_with_hint(a, b, b_in_a, &mut Vec3::default())
}

/// [`separation`] that starts from `hint`, the normal of the last answer for this pair or zero, and leaves the new
/// normal there. The answer depends on the hint only within the tolerance.
#[inline]
pub fn separation_with_hint<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    hint: &mut Vec3,
) -> Separation {
    let (answer, _) = separation_with_effort(a, b, b_in_a, *hint);
    *hint = answer.normal;
    answer
}

/// [`separation`] from a hint, together with what it cost.
pub fn separation_with_effort<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    hint: Vec3,
) -> (Separation, Effort) {
    let difference = Difference::new(a, b, b_in_a);
    let mut end = Gjk::start(&difference, hint);
    end.run(&difference, Goal::Distance);
    let radii = difference.radii();
    let mut effort = Effort { gjk: end.iterations, epa: 0, converged: true };
    let mut apart = None;
    if let Some(distance) = end.distance {
        let mut found = Apart { middle: end.middle(), normal: end.nearest * (1.0 / distance), gap: distance };
        if end.is_loose() {
            effort.gjk += found.settle(&difference);
        }
        if !end.is_loose() || distance > UNSURE * difference.size {
            return (Separation::from_cores(found.middle, found.normal, found.gap, radii), effort);
        }
        apart = Some(found);
    }
    let depth = epa::penetration(&difference, end.corners(), end.middle());
    effort = Effort { epa: depth.iterations, converged: depth.converged, ..effort };
    let answer = match apart {
        Some(found) if found.gap >= -depth.depth => {
            Separation::from_cores(found.middle, found.normal, found.gap, radii)
        }
        _ => Separation::from_cores(depth.middle, -depth.outward, -depth.depth, radii),
    };
    (answer, effort)
}

/// True when the shapes overlap or touch. Stops at the first direction that parts them, or that shows them to be closer
/// than their radii.
pub fn overlap<A: Support, B: Support>(a: &A, b: &B, b_in_a: &Pose) -> bool {
    let difference = Difference::new(a, b, b_in_a);
    let [r_a, r_b] = difference.radii();
    let mut end = Gjk::start(&difference, Vec3::ZERO);
    end.run(&difference, Goal::Within(r_a + r_b));
    match end.distance {
        Some(distance) if distance <= r_a + r_b => true,
        Some(_) if end.parted => false,
        // GJK ended without a proof: so close that only the exact answer tells.
        Some(_) => separation(a, b, b_in_a).gap <= 0.0,
        None => true,
    }
}

/// Cores that do not overlap.
struct Apart {
    middle: Vec3,
    normal: Vec3,
    gap: f64,
}

impl Apart {
    /// Finds a better normal where v is so short that rounding turns it, and returns the support points it took.
    ///
    /// Seen from a point c behind the origin along the normal, D is so far away that v has a direction. The plane
    /// through D's nearest point there parts the cores, by the gap where the normal is right; if it is not, the next
    /// look is from behind the better one.
    #[cold]
    fn settle<A: Support, B: Support>(&mut self, difference: &Difference<A, B>) -> u32 {
        let reach = |normal: Vec3| normal.dot(difference.vertex(-normal).point);
        let mut parted = reach(self.normal);
        self.gap = parted;
        let mut asked = 0;
        for _ in 0..4 {
            let behind = self.normal * (-0.1 * difference.least_extent());
            let shifted = difference.shifted(behind);
            let mut end = Gjk::start(&shifted, self.normal);
            end.run(&shifted, Goal::Distance);
            asked += end.iterations;
            let Some(distance) = end.distance else { break };
            let normal = end.nearest * (1.0 / distance);
            let by = reach(normal);
            if by <= parted {
                break;
            }
            parted = by;
            *self = Self { middle: end.middle() - behind * 0.5, normal, gap: by };
        }
        asked
    }
}

/// What GJK is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// The distance.
    Distance,
    /// Whether the distance is at most this.
    Within(f64),
}

/// The best state among those whose |v| rounding cannot tell apart.
///
/// |v| is blind to a turn of v by less than 1e-8 rad, which is 1e-8 of the size in v·w: so the search goes on a little
/// when |v| has stopped to shrink, and takes the state with the tightest bounds.
#[derive(Default)]
struct Stalled {
    count: u32,
    best: Option<Gjk>,
}

impl Stalled {
    /// Steps without progress that are allowed.
    const PATIENCE: u32 = 6;

    /// The better of `state` and the best so far.
    fn better(&self, state: Gjk) -> Gjk {
        match self.best {
            Some(best) if best.excess < state.excess => Gjk { iterations: state.iterations, ..best },
            _ => state,
        }
    }

    /// Notes a state that the next one, `level` with it or worse, does not improve. Returns where to go on from, and
    /// whether to.
    #[cold]
    fn note(&mut self, state: Gjk, level: bool) -> (Gjk, bool) {
        self.count += 1;
        let best = self.better(state);
        if !level || self.count > Self::PATIENCE {
            return (best, false);
        }
        self.best = Some(best);
        (state, true)
    }
}

/// The state of a search.
#[derive(Clone, Copy)]
pub(crate) struct Gjk {
    corner: [Vertex; 4],
    weight: [f64; 4],
    len: usize,
    nearest: Vec3,
    /// Square of the tolerance on the distance.
    fine: f64,
    /// |v|² − v·w: |v| times what the bounds on the distance are apart.
    excess: f64,
    pub iterations: u32,
    /// A plane between the shapes was found, when that was the goal.
    parted: bool,
    /// |v|, once the origin is known to lie outside.
    pub distance: Option<f64>,
}

impl Gjk {
    #[inline]
    pub fn start<A: Support, B: Support>(difference: &Difference<A, B>, hint: Vec3) -> Self {
        let toward_a = if hint == Vec3::ZERO { difference.center_offset() } else { hint };
        let first = difference.vertex(-toward_a);
        Self {
            corner: [first; 4],
            weight: [1.0, 0.0, 0.0, 0.0],
            len: 1,
            nearest: first.point,
            fine: difference.tolerance() * difference.tolerance(),
            excess: f64::INFINITY,
            iterations: 1,
            parted: false,
            distance: None,
        }
    }

    #[inline]
    pub fn run<A: Support, B: Support>(&mut self, difference: &Difference<A, B>, goal: Goal) {
        let touching = TOUCHING * difference.size;
        let mut square = self.nearest.length_squared();
        let mut stalled = Stalled::default();
        while self.iterations < RUN_ITERATIONS {
            if square <= touching * touching {
                return;
            }
            let new = difference.vertex(-self.nearest);
            self.iterations += 1;
            let along = self.nearest.dot(new.point);
            let excess = square - along;
            self.excess = excess;
            if let Goal::Within(r) = goal {
                self.parted = along > 0.0 && along * along > r * r * square;
                if self.parted || square <= r * r {
                    break;
                }
            }
            if excess <= 0.0 || excess * excess <= self.fine * square {
                break;
            }
            if self.corners().iter().any(|c| c.point == new.point) {
                *self = stalled.better(*self);
                break;
            }
            self.corner[self.len] = new;
            let face = match self.len {
                1 => on_segment(&self.corner, 0, 1),
                2 => on_triangle(&self.corner, [0, 1, 2]),
                _ => match on_tetrahedron(&self.corner) {
                    Some(face) => face,
                    None => {
                        self.len = 4;
                        return;
                    }
                },
            };
            let closer = face.nearest.length_squared();
            // In exact arithmetic v always gets shorter.
            if closer.partial_cmp(&square) != Some(Ordering::Less) {
                let level = closer <= square + 4.0 * NOISE * difference.size * square.sqrt();
                let (state, go_on) = stalled.note(*self, level);
                *self = state;
                if !go_on {
                    break;
                }
            }
            self.keep(&face);
            square = closer;
        }
        self.distance = Some(self.nearest.length());
    }

    /// True when the bounds on the distance are much further apart than the tolerance.
    #[inline(always)]
    fn is_loose(&self) -> bool {
        self.excess > 0.0 && self.excess * self.excess > 2500.0 * self.fine * self.nearest.length_squared()
    }

    /// Drops the corners that do not carry v.
    #[inline(always)]
    fn keep(&mut self, face: &Nearest) {
        self.len = face.len as usize;
        for i in 0..self.len {
            // Corners of a face come in ascending order, so none is overwritten before it is read.
            self.corner[i] = self.corner[face.corner[i] as usize];
            self.weight[i] = face.weight[i];
        }
        self.nearest = face.nearest;
    }

    #[inline(always)]
    pub fn corners(&self) -> &[Vertex] {
        &self.corner[..self.len]
    }

    /// Halfway between the witness points of the cores.
    #[inline(always)]
    fn middle(&self) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (corner, weight) in self.corners().iter().zip(self.weight) {
            sum += corner.middle() * weight;
        }
        sum
    }
}
